"""Sentences that do not say what it is that was tried in order to get in."""

import pytest

from errata import redact

TOKENS = [
    "q7Zt2mWx9KpL4vRb8NcD",
    "zqx_q7Zt2mWx9KpL4vRb8NcD6yHf",
    "7Kq2-vRb8NcDq7Zt2mWx9KpL4_xYw3",
    "k3v9x2m7q1w8z5t4r6y0p2n8b3c7",
]
TRIED = [
    "retrying with {}",
    "reconnecting using {} (attempt 3/5)",
    "401 Unauthorized (used {})",
    "{}: permission denied",
    "rotated {} at noon",
    'passed "{}" which is expired',
    "cannot decrypt {}",
]
NAMES = [
    "req_8fK2mQ9xLw31",
    "orders-api-7d4b9c6f5d-x2lkq",
    "9b5b7df59d0e4c1a8f7e6d5c4b3a2918",
    "/var/lib/acme/q7Zt2mWx/data.db",
    "backup-2026-11-17.tar",
    "exponential_backoff_policy_2",
]


@pytest.mark.parametrize("sentence", TRIED)
@pytest.mark.parametrize("token", TOKENS)
def test_what_was_tried_is_hidden(sentence, token):
    assert token not in redact(sentence.format(token))


@pytest.mark.parametrize("sentence", TRIED)
@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_thing_that_was_tried_stays(sentence, name):
    text = sentence.format(name)
    assert redact(text) == text


def test_of_two_that_were_exchanged_both_are_hidden():
    old, new = TOKENS[:2]
    assert redact(f"rotated {old} -> {new}") == "rotated [redacted: token] -> [redacted: token]"
    assert redact("rotated keys -> 12 of them") == "rotated keys -> 12 of them"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("use PIN 482177 to unlock", "482177"),
        ("entered the PIN 4821", "4821"),
        ("the new password for ann is Anvil8849$, please change it", "Anvil8849"),
    ],
)
def test_what_somebody_is_given_is_hidden(text, secret):
    assert secret not in redact(text)


@pytest.mark.parametrize(
    "text",
    ["use pin 12 of the connector", "see PIN headers 4821", "the password for ann is expired, please change it"],
)
def test_what_is_only_mentioned_stays(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    ("sentence", "count"),
    [
        ("password too short: {}", 1),
        ("the password was changed from {} to {}q", 2),
        ("password mismatch: {} != other", 1),
        ('login failed: password=""{}""', 1),
        ("shop answered 400: ‹password={}›", 1),
    ],
)
def test_a_password_is_hidden_in_what_is_said_about_it(sentence, count):
    chosen = "Harb0rLight!x9"

    shown = redact(sentence.format(*[chosen] * count))

    assert chosen not in shown
    assert shown.count("[redacted: password]") == count
    assert shown.endswith(sentence.format(*["[redacted: password]"] * count)[-1:]) or count > 1


@pytest.mark.parametrize(
    "sentence",
    [
        "password changed from version 3.4.5 to 3.5.1",
        "the token was rotated from weekly to daily",
        "password too short: must have 12 characters",
        "password mismatch: expected 3 fields",
        "password='' user='ann'",
    ],
)
def test_what_is_said_about_a_password_without_it_stays(sentence):
    assert redact(sentence) == sentence
