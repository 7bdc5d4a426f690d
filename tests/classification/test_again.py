"""What was judged once is not judged again, and nobody can tell."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata import Code, classify, redact, register, register_secret
from errata.classification import _again, explain

PLAIN = sorted(_again._PLAIN, key=lambda kind: kind.__name__)


def without_identity(fault):
    return dataclasses.replace(fault, correlation_id=None, timestamp=None)


def judged_twice(error):
    redact(str(error.args[0]))  # As on the way out: only what is known to be harmless is remembered.
    return classify(error), classify(error)


@given(st.sampled_from(PLAIN), st.text(max_size=80))
def test_a_second_judgement_is_the_first_one_with_a_reference_of_its_own(kind, text):
    first, second = judged_twice(kind(text))

    assert without_identity(first) == without_identity(second) == without_identity(explain(kind(text)).fault)
    assert first.correlation_id != second.correlation_id


def test_a_rule_that_is_registered_meanwhile_counts_at_once():
    error = RuntimeError("the harbour is closed for the season")
    judged_twice(error)

    take_back = register(pattern="harbour is closed", code=Code.SERVICE_UNAVAILABLE)
    try:
        assert classify(error).code is Code.SERVICE_UNAVAILABLE
    finally:
        take_back()
    assert classify(error).code is Code.INTERNAL_ERROR


def test_a_class_that_is_registered_meanwhile_counts_at_once():
    error = LookupError("no berth of that number")
    judged_twice(error)

    take_back = register(LookupError, Code.NOT_FOUND)
    try:
        assert classify(error).code is Code.NOT_FOUND
    finally:
        take_back()


@pytest.mark.parametrize("text", ["password=grapefruit-at-dawn", "postgres://app:Harbor42@db1/orders"])
def test_a_text_with_a_secret_in_it_is_not_kept(text):
    judged_twice(ValueError(text))

    assert (ValueError, text) not in _again._remembered


def test_a_text_that_a_secret_is_found_in_later_is_still_redacted():
    error = ValueError("the word of the day is quagmire-lantern")
    judged_twice(error)

    forget = register_secret("quagmire-lantern")
    try:
        assert "quagmire-lantern" not in redact(classify(error).message)
    finally:
        forget()


def test_an_exception_that_carries_more_than_its_text_is_judged_by_that():
    judged_twice(RuntimeError("the upstream said no"))
    with_status, with_cause = RuntimeError("the upstream said no"), RuntimeError("the upstream said no")
    with_status.status_code = 429
    with_cause.__cause__ = TimeoutError()

    assert classify(with_status).code is Code.RATE_LIMITED
    assert classify(with_cause).code is Code.TIMEOUT


def test_no_more_is_kept_than_a_server_says():
    for number in range(3 * _again._MOST):
        judged_twice(ValueError(f"berth {number} is taken"))

    assert len(_again._remembered) <= _again._MOST
