"""What `redact` hides, and what it leaves alone."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from support.log_lines import CLEAN, DIRTY
from support.sample_secrets import OTHERS, PERSONAL, TOKENS, filled, survives

from errata import redact
from errata.redaction import _redact_text


def _lines(name):
    return (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()


seeds = st.integers(0, 2**32)
texts = st.text(max_size=60)
# What stands around a secret in the wild: nothing a secret of any format could go on with.
befores = st.sampled_from(
    ["", " ", "\n", ": ", "=", '"', "'", "(", "<", "`", "token=", "x = '", "\\n", "%3D", "é", "\x1b[31m"]
)
afters = st.sampled_from(["", " ", "\n", ".", ",", ";", '"', "'", ")", ">", "`", "\\n", "&x=1", "…", "\x1b[0m"])
# Pieces that rules are made of, so that hypothesis builds what they stumble over.
pieces = st.lists(
    st.sampled_from(
        [
            *"=:\"'\\ \n,;&@/.-_[](){}<>%+1aZ",
            "password",
            "token",
            "key",
            "Bearer ",
            "authorization",
            "cookie: ",
            "://",
            "sk-",
            "[redacted: token]",
            "[redacted: ",
            "eyJ",
            "AKIA",
            "4111 1111 1111 1111",
            "a@b.co",
            "--pass ",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "MIIEvQIBADAN",
            "is ",
            "value",
            "null",
            "x" * 20,
            "0123456789abcdef",
            "%3D",
            "%22",
            "curl -u a:b",
        ]
    ),
    max_size=14,
).map("".join)


@pytest.mark.parametrize(("template", "kept"), DIRTY, ids=[template[:60] for template, _ in DIRTY])
def test_no_secret_survives_and_what_is_around_it_does(template, kept):
    for seed in range(12):
        line, secrets = filled(template, random.Random(seed))
        shown = redact(line)

        assert not [secret for secret in secrets if survives(secret, shown)]
        assert not [part for part in kept if part not in shown]
        assert redact(shown) == shown


@pytest.mark.parametrize("template", _lines("dirty.txt"))
def test_no_secret_survives_in_other_lines_either(template):
    for seed in range(8):
        line, secrets = filled(template, random.Random(seed))
        shown = redact(line)

        assert not [secret for secret in secrets if survives(secret, shown)]
        assert redact(shown) == shown


@pytest.mark.parametrize("line", [*CLEAN, *_lines("clean.txt")])
def test_what_only_looks_like_a_secret_stays(line):
    assert redact(line) == line


@given(kind=st.sampled_from(sorted(TOKENS)), seed=seeds, around=st.tuples(texts, befores, afters, texts))
def test_a_token_of_a_known_format_survives_nowhere(kind, seed, around):
    left, before, after, right = around
    token = TOKENS[kind](random.Random(seed))

    assert not survives(token, redact(f"{left} {before}{token}{after} {right}"))


@given(kind=st.sampled_from(sorted(PERSONAL)), seed=seeds, left=texts, right=texts)
def test_personal_data_survives_nowhere(kind, seed, left, right):
    secret = PERSONAL[kind](random.Random(seed))

    assert not survives(secret, redact(f"{left}\n{secret}\n{right}"))


@given(
    kind=st.sampled_from(["uuid", "hex"]), seed=seeds, left=st.sampled_from(["commit", "Order", "request", "trace_id"])
)
def test_an_identifier_stays(kind, seed, left):
    line = f"{left} {OTHERS[kind](random.Random(seed))} not found"

    assert redact(line) == line


@given(st.text() | pieces)
@example("password=[redacted: token]x")
@example("a@b.co@c.de")
def test_redacting_again_changes_nothing(text):
    once = redact(text)

    assert redact(once) == once


@given(st.text(st.characters(), max_size=50))
def test_any_text_is_accepted(text):
    assert isinstance(redact(text + "\ud800\0 password=" + text), str)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        (None, "not NoneType. Pass a string, or give other data to `redact_data`."),
        ({"password": "x"}, "not dict. Pass a string"),
        (b"password=x", "not bytes. Decode it first"),
    ],
)
def test_what_is_no_text_is_refused(given_, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        redact(given_)


@given(kind=st.sampled_from(sorted(TOKENS)), seed=seeds, depth=st.integers(0, 3))
def test_json_inside_json_hides_nothing_from_us(kind, seed, depth):
    secret = TOKENS[kind](random.Random(seed))
    text = json.dumps({"config": {"token": secret, "port": 5432}})
    for _ in range(depth):
        text = json.dumps({"message": text})

    shown = redact(text)

    assert not survives(secret, shown)
    assert "5432" in shown
    json.loads(shown)


# Each is what some rule begins with; a rule that went back over all of it would take hours for 200 KB, not seconds.
HOSTILE = [
    "a",
    "1",
    '"',
    "@",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    "password='",
    "eyJ",
    "eyJ-",
    "://@",
    "sk-",
    "cookie: a=b; ",
    "authorization: Digest a=",
    "[redacted: ",
    "token is ",
    "mysql -p",
    "create user ",
    "alter role password ",
    "1.",
    "2a00:",
    "DE84 ",
    "pbkdf2",
    "t=1,v1=",
    "a:1:b:",
    "a/b@",
    "net use /user:",
    "rejected aB3_",
    "censys_",
    "private_act.",
    "eyJrpa_",
    "3c:70 ",
    "70 ",
    "dni 12.",
    "ssn 1234567890",
    "national id 0",
    "Aadhaar 2341 ",
    "cGFzc3dvcmQ9",
    "cGFzc3dvcmQ9\n",
    "A1b2" * 16 + "\n",
    "%25",
    "%2525",
    "\\u0070",
    "&#112;",
    "[1, ",
    "seed legal ",
    "12 Baker ",
    "born ",
    "sms 0",
    "ann [at] ",
    "401 for ",
    "H4sIAAAAAAAA",
]
_JUDGE = """
import json, sys
from errata import redact
for unit, secret in json.load(sys.stdin):
    half = unit * (6_000 // len(unit))
    once = redact(f"{half}\\n\\n{secret}\\n\\n{half}")
    assert secret not in once, f"the secret survived behind {unit!r}"
    assert redact(once) == once, f"redacting again changed it behind {unit!r}"
"""


@pytest.mark.parametrize("part", range(4))
def test_hostile_text_is_judged_whole_and_in_time(part):
    # In a process of its own, which can be stopped. How the time grows is measured in benchmarks/redacting.py.
    units = [(unit, TOKENS["github"](random.Random(unit))) for unit in HOSTILE[part::4]]

    subprocess.run([sys.executable, "-c", _JUDGE], input=json.dumps(units), text=True, timeout=240, check=True)


@pytest.mark.parametrize(
    "name", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "EC PRIVATE KEY"]
)
@pytest.mark.parametrize("newline", ["\n", "\\n", "\r\n", "\\\\n", "%0A", "\n  "])
def test_a_private_key_goes_with_its_frame(name, newline):
    rng = random.Random(name)
    lines = ["".join(rng.choices("ABCDefgh0123+/", k=64)) for _ in range(5)]
    begin, end = f"-----BEGIN {name}-----", f"-----END {name}-----"

    for shape in ([begin, *lines, end], [begin, *lines], [begin, *lines[:3], lines[3][:30]], [*lines, end]):
        shown = redact(f"bad key: {newline.join(shape)}")
        assert shown.startswith("bad key: ")
        assert not [line for line in lines if survives(line, shown)]


@given(seed=st.integers(min_value=0), template=st.sampled_from([template for template, _ in DIRTY]))
def test_no_text_is_remembered_in_which_something_was_hidden(template, seed):
    text, _ = filled(template, random.Random(seed))

    shown = redact(text)

    assert shown == redact(text)
    assert shown == text or text not in _redact_text._HARMLESS


def test_what_is_remembered_is_little():
    for number in range(2_000):
        redact(f"There is no order {number}.")
    redact("It is archived. " * 1_000)

    assert len(_redact_text._HARMLESS) <= 512
    assert max(map(len, _redact_text._HARMLESS)) <= 512


def test_the_mark_says_what_was_there():
    assert redact("password=hunter2") == "password=[redacted: password]"
    assert redact("mail ann@acme.io") == "mail [redacted: email]"
    assert redact("Cookie: sid=0123456789abcdef; theme=dark") == "Cookie: sid=[redacted: cookie]; theme=dark"
