"""Servers that speak no dialect: what some sixty of them, in six languages, say when they fail, and what only looks like it.

A row of others.jsonl names the codes that a careful reader could defend (the first is the best), whether the same
request may succeed later, and the argument that the response names; null where it does not say.
"""

import json
from pathlib import Path

import pytest

import errata
from errata import dialects
from errata.dialects._envelope import open_message
from errata.reading import _decode

HERE = Path(__file__).parent
OTHERS = [json.loads(line) for line in (HERE / "others.jsonl").read_text(encoding="utf-8").splitlines()]
LOOK_ALIKES = [json.loads(line) for line in (HERE / "look_alikes.jsonl").read_text(encoding="utf-8").splitlines()]
READ = [(row, errata.decode(row["response"])) for row in OTHERS]


def is_soft(row):
    result = row["response"].get("result", {})
    return "error" not in row["response"] and result.get("isError") is not True


def share(right):
    right = list(right)
    return sum(right) / len(right)


def test_failures_are_found():
    assert share(fault is not None for _, fault in READ) >= 0.98
    assert share(fault is not None for row, fault in READ if is_soft(row)) >= 0.9
    assert all(fault is not None for row, fault in READ if not is_soft(row))


def test_nothing_that_looks_like_a_failure_is_taken_for_one():
    assert [message for message in LOOK_ALIKES if errata.decode(message)] == []


def test_codes_are_right():
    assert share(fault is not None and fault.code in row["codes"] for row, fault in READ) >= 0.96
    assert share(fault.code in row["codes"] for row, fault in READ if fault) >= 0.98


def test_whether_to_repeat_is_right():
    told = [(row["retryable"], fault) for row, fault in READ if row["retryable"] is not None]

    assert share(fault is not None and fault.retryable is wanted for wanted, fault in told) >= 0.98
    assert not [fault for wanted, fault in told if fault and fault.retryable and not wanted]


def test_the_argument_is_named():
    told = [(row["field"], fault) for row, fault in READ if row["field"]]

    assert share(fault is not None and fault.field == field for field, fault in told) >= 0.96


@pytest.mark.parametrize("is_error", [True, False])
def test_the_glance_hides_nothing(is_error):
    """A success is told at a glance; to look closely would have told the same."""
    for response in [row["response"] for row in OTHERS] + LOOK_ALIKES:
        result = response.get("result", {})
        marked = {"result": result | {"isError": is_error}} if "content" in result else response
        closely = _decode._read(open_message(marked))
        assert errata.decode(marked) == (closely and closely.fault)


def test_what_was_read_can_be_said_and_read_again():
    for _, fault in READ:
        if fault:
            said = dialects.native.encode(fault)
            assert dialects.native.encode(errata.decode(said)) == said


def test_nothing_that_was_said_is_lost():
    for row, fault in READ:
        texts = [block["text"] for block in row["response"].get("result", {}).get("content", [])]
        text = "\n".join(texts)
        if fault and texts and text.strip() not in {fault.message, fault.data.get("text", "").strip()}:
            kept = strings_in([fault.message, fault.reason, dict(fault.data)])
            assert kept.issuperset(strings_in(json.loads(text)))


def strings_in(value):
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        return set().union(*map(strings_in, items))
    return {value} if isinstance(value, str) else set()
