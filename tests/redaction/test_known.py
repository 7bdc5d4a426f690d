"""Secrets that the process knows."""

import base64
import json
import os
import threading
from urllib.parse import quote

import pytest

from errata import redact, register_secret

VALUE = "Correct/Horse Battery+Staple"


@pytest.mark.parametrize(
    "form",
    [
        VALUE,
        quote(VALUE, safe=""),
        json.dumps(VALUE),
        base64.b64encode(VALUE.encode()).decode(),
        base64.urlsafe_b64encode(VALUE.encode()).decode(),
        base64.b64encode(f"{VALUE}!".encode()).decode(),
    ],
)
def test_a_registered_secret_is_hidden_in_every_form(form):
    forget = register_secret(VALUE)

    shown = redact(f"the answer was x{form}x, sorry")
    forget()

    assert "Horse" not in shown
    assert form[:16] not in shown
    assert shown.startswith("the answer was x")


def test_a_registered_secret_can_be_forgotten():
    text = f"it said {VALUE}"
    forget, forget_the_other = register_secret(VALUE), register_secret(VALUE)

    forget()
    forget()
    assert redact(text) == "it said [redacted: secret]"  # Somebody else registered it, too.
    forget_the_other()
    assert redact(text) == text


def test_a_secret_is_hidden_from_the_moment_it_is_registered_in_texts_that_were_shown_before_too():
    text = f"it answered {VALUE} to 3 calls"
    assert redact(text) == redact(text) == text

    forget = register_secret(VALUE)
    hidden = redact(text)
    forget()

    assert hidden == "it answered [redacted: secret] to 3 calls"
    assert redact(text) == text


def test_so_is_one_that_comes_into_the_environment(monkeypatch):
    text = "it answered qXv7-Lm2p-Rt9z to 3 calls"
    assert redact(text) == text

    monkeypatch.setenv("BILLING_API_TOKEN", "qXv7-Lm2p-Rt9z")

    assert redact(text) == "it answered [redacted: secret] to 3 calls"


@pytest.mark.parametrize(
    ("value", "why"),
    [("", "0 characters"), ("abc", "3 characters"), ("  ab  ", "2 characters"), ("x" * 20_000, "20000")],
)
def test_an_unusable_secret_is_refused(value, why):
    with pytest.raises(ValueError, match=why):
        register_secret(value)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("password", r"a part of `\[redacted: password\]`.* Register the value of the secret"),
        ("redacted", r"a part of `\[redacted: "),
        ("private key", r"a part of `\[redacted: private key\]`"),
        ("aaaaaaaa", "one character, 8 times.* Register a secret"),
    ],
)
def test_a_word_that_would_spoil_other_text_is_refused(value, why):
    with pytest.raises(ValueError, match=why):
        register_secret(value)


def test_only_text_is_taken():
    with pytest.raises(TypeError, match="not bytes"):
        register_secret(b"0123456789")


def test_the_environment_is_known_without_being_told(monkeypatch):
    monkeypatch.setenv("ACME_API_TOKEN", "zebra-7-crossing-lamp")
    monkeypatch.setenv("REPORTS_URL", "postgres://app:Wm4tulip9Qx@db/core")

    assert (
        redact("it said zebra-7-crossing-lamp and Wm4tulip9Qx") == "it said [redacted: secret] and [redacted: secret]"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_TOKEN", "1"),
        ("DB_PASSWORD", "localhost"),
        ("DB_PASSWORD", "postgres"),
        ("TOKEN", "true"),
        ("SSH_AUTH_SOCK", "/run/ssh/agent.12"),
        ("PASSWORD_FILE", "/run/secrets/db"),
        ("GIT_AUTHOR_NAME", "Ann Example 7"),
        ("API_KEY", "12345678"),
        ("LANG", "en_US.UTF-8"),
    ],
)
def test_an_ordinary_value_in_the_environment_is_none(monkeypatch, name, value):
    monkeypatch.setenv(name, value)

    assert redact(f"saw {value} there") == f"saw {value} there"


@pytest.mark.parametrize(
    "written",
    [
        r"nk-Zx81\u002BQw73/Lm55\u0026Rt90\u003C\u0022\u0027==",  # .NET
        r"nk-Zx81+Qw73\/Lm55&Rt90<\"'==",  # PHP
        r"nk-Zx81+Qw73/Lm55\u0026Rt90\u003c\"'==",  # Go
        "nk-Zx81+Qw73/Lm55&amp;Rt90&lt;\"'==",  # a page
        "nk-Zx81+Qw73/Lm55&amp;Rt90&lt;&quot;&#x27;==",  # the same, by Python
        "nk-Zx81+Qw73/Lm55&amp;Rt90&lt;&quot;&#039;==",  # by PHP
        "nk-Zx81+Qw73/Lm55&amp;Rt90&lt;&#34;&#39;==",  # by Go
        "nk-Zx81%2bQw73%2fLm55%26Rt90%3c%22%27%3d%3d",  # an address, in small letters
    ],
)
def test_a_secret_is_hidden_as_other_languages_write_it(written):
    forget = register_secret("nk-Zx81+Qw73/Lm55&Rt90<\"'==")
    try:
        assert redact(f"Key {written} may not do this.") == "Key [redacted: secret] may not do this."
    finally:
        forget()


HELD = [
    ("DATABASE_URL", "postgres://app:p%40ss%2Fw0rd-x9@db/x", "p@ss/w0rd-x9"),
    ("CACHE_URL", "redis://:cactus-in-rain@cache:6379", "cactus-in-rain"),
    ("CONNECTION_STRING", "Server=db;User Id=sa;Password=Str0ngish-9;", "Str0ngish-9"),
    ("AWS_SECRET_ACCESS_KEY", key := "/Ab9xKq3zLmN8vWc2tYr5uIo7pQs1dFg4hJk6lZx", key),
    ("DB_PASSWORD", "lampshade7", "lampshade7"),
    ("ADMIN_PASSWORD", phrase := "correct horse battery staple", phrase),
    ("API_KEYS", "kq81ndh27s, pw92mdk381", "pw92mdk381"),
    ("SERVICE_TOKEN", "Bearer zk19dkw02mdls", "zk19dkw02mdls"),
    ("APP_CREDENTIALS", '{"client": "shop", "client_secret": "wq81-kdj2-zz"}', "wq81-kdj2-zz"),
]
COMMON = ["/etc/app/token", "postgres", "staging", "16384", "http://localhost:8080"]


def test_the_secret_in_a_variable_is_known_by_itself_and_a_common_word_is_not(monkeypatch):
    for name, value, _ in HELD:
        monkeypatch.setenv(name, value)
    for number, value in enumerate(COMMON):
        monkeypatch.setenv(f"APP_TOKEN_{number}", value)

    for _, _, hidden in HELD:
        assert redact(f"the driver said {hidden} is wrong") == "the driver said [redacted: secret] is wrong"
    for value in COMMON:
        assert redact(f"it is {value} here") == f"it is {value} here"


BOTH_QUOTES = "gr'ün\"8x"


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(json.dumps(BOTH_QUOTES)),
        repr(BOTH_QUOTES),
        repr(BOTH_QUOTES.encode()),
        BOTH_QUOTES.replace("'", "''"),
        BOTH_QUOTES.encode().hex(),
        base64.b64encode(f"user:{BOTH_QUOTES}".encode()).decode(),
        f"{BOTH_QUOTES[:3]}\n    {BOTH_QUOTES[3:]}",
        f"{BOTH_QUOTES[:3]} \r\n  | {BOTH_QUOTES[3:]}",
    ],
)
def test_a_secret_is_hidden_as_others_quote_encode_and_break_it(written):
    forget = register_secret(BOTH_QUOTES)

    shown = redact(f"it said {written} there")
    forget()

    assert "[redacted: secret]" in shown
    assert not [part for part in ("ün", "8x", "fc6e", "w7xu") if part in shown]


def test_a_variable_that_only_says_where_a_secret_is_names_none(monkeypatch):
    monkeypatch.setenv(
        "JOB_ARGS", "--token=env:GITHUB_TOKEN --password=file:/run/secrets/db1 --secret=${VAULT_SECRET_7}"
    )

    for name in ("env:GITHUB_TOKEN", "file:/run/secrets/db1", "${VAULT_SECRET_7}"):
        assert redact(f"{name} is not set") == f"{name} is not set"


def test_variables_that_come_and_go_in_another_thread_break_nothing():
    stop = threading.Event()

    def churn():
        while not stop.is_set():
            os.environ["SHORT_LIVED"] = "x"
            os.environ.pop("SHORT_LIVED", None)

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for number in range(2_000):
            redact(f"nothing to hide in {number}")
    finally:
        stop.set()
        thread.join()
