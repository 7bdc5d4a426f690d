"""Published servers that were really started, called well and wrongly, and read by a person before `decode` saw the answers.

A row of published.jsonl has the request, the schema of the tool and the response; `codes` are those that a careful reader
could defend, the best one first, and none for a success; `fields` are the names that the response alone gives, null where
giving none is right as well; `argument` is the one that whoever has the request knows to be at fault. docs/accuracy.md says
which of these servers were unseen when they were first read, and with which figures.
"""

import functools
import json
import re
from pathlib import Path

import pytest

import errata

ROWS = [
    json.loads(line) for line in (Path(__file__).parent / "published.jsonl").read_text(encoding="utf-8").splitlines()
]
FAILURES = [row for row in ROWS if row["codes"]]
NUMBERS = {id(row): number for number, row in enumerate(ROWS)}


@functools.cache
def _readings(*, with_request):
    """Read every row once."""
    if not with_request:
        return [errata.decode(row["response"]) for row in ROWS]
    return [errata.decode(row["response"], request=row["request"], tool={"inputSchema": row["schema"]}) for row in ROWS]


def read(row, *, with_request):
    return _readings(with_request=with_request)[NUMBERS[id(row)]]


def is_soft(row):
    return "error" not in row["response"] and row["response"].get("result", {}).get("isError") is not True


def share(right):
    right = list(right)
    return sum(right) / len(right)


def last_name(path):
    return ([part for part in re.split(r"[./\[\]]+", path) if part] or [path])[-1].lower()


def names(field, wanted):
    return field in wanted or (field is not None and last_name(field) in {last_name(each) for each in wanted if each})


with_and_without = pytest.mark.parametrize("with_request", [False, True], ids=["alone", "with the request"])


@with_and_without
def test_no_success_is_taken_for_a_failure(with_request):
    successes = [row for row in ROWS if not row["codes"]]

    assert len(successes) > 300
    assert [row["response"] for row in successes if read(row, with_request=with_request)] == []


@with_and_without
def test_failures_are_found(with_request):
    soft = [row for row in FAILURES if is_soft(row)]

    assert all(read(row, with_request=with_request) for row in FAILURES if not is_soft(row))
    assert share(read(row, with_request=with_request) is not None for row in soft) >= 0.84


@with_and_without
def test_codes_are_right(with_request):
    found = [(row, fault) for row in FAILURES if (fault := read(row, with_request=with_request))]

    assert share(fault.code in row["codes"] for row, fault in found) >= 0.96
    assert len([row for row, fault in found if fault.code in row["codes"]]) / len(FAILURES) >= 0.93


@with_and_without
def test_whether_to_repeat_is_right(with_request):
    told = [
        (row["retryable"], read(row, with_request=with_request)) for row in FAILURES if row["retryable"] is not None
    ]

    assert share(fault is not None and fault.retryable is wanted for wanted, fault in told) >= 0.95
    assert share(not (fault and fault.retryable) for wanted, fault in told if not wanted) >= 0.995


@pytest.mark.parametrize(("with_request", "least"), [(False, 0.85), (True, 0.9)], ids=["alone", "with the request"])
def test_the_field_is_named(with_request, least):
    named = [row for row in FAILURES if row["fields"]]
    wanted = [[*row["fields"], row["argument"]] if with_request and row["argument"] else row["fields"] for row in named]
    faults = [read(row, with_request=with_request) for row in named]

    assert (
        share(fault is not None and names(fault.field, each) for fault, each in zip(faults, wanted, strict=True))
        >= least
    )


def test_the_argument_is_found_that_only_the_request_shows():
    hidden = [row for row in FAILURES if row["argument"] and not row["fields"]]
    faults = [read(row, with_request=True) for row in hidden]

    assert (
        share(
            fault is not None and names(fault.field, [row["argument"]])
            for row, fault in zip(hidden, faults, strict=True)
        )
        >= 0.58
    )


def test_no_argument_is_accused_that_is_not_at_fault():
    innocent = [row for row in FAILURES if not row["argument"] and not row["fields"]]
    faults = [read(row, with_request=True) for row in innocent]

    assert share(fault is None or fault.field is None for fault in faults) >= 0.95
