"""003, where it has rules of its own."""

import pytest
from support.wire_payloads import payload_of

from errata import Code, Fault, FaultError, FieldIssue, Retry, dialects


def test_the_order_of_data_is_the_authors_then_ours_and_the_reason_last():
    fault = FaultError(
        Code.RATE_LIMITED,
        "Slow down.",
        {"reason": "mine", "z": 1, "recovery": {"hint": "Wait.", "level": 2}},
        reason="queue_full",
        retry=Retry.SAME_CALL,
        retry_after_ms=2500,
        field="pmids",
        issues=[FieldIssue("pmids", "are too many", "at most 10")],
    ).fault

    assert list(payload_of("json-rpc", fault)["data"].items()) == [
        ("z", 1),
        ("recovery", {"level": 2, "hint": "Wait."}),
        ("retryable", True),
        ("retryAfter", 2.5),
        ("field", "pmids"),
        ("issues", [{"field": "pmids", "problem": "are too many", "expected": "at most 10"}]),
        ("reason", "queue_full"),
    ]


def test_a_cancelled_call_says_that_it_is_not_to_be_repeated():
    assert payload_of("json-rpc", Fault(code=Code.CANCELLED)) == {
        "code": -32004,
        "message": "The operation was cancelled.",
        "data": {"retryable": False},
    }


def test_emits_no_meta():
    assert "_meta" not in dialects.json_rpc.encode(Fault(code=Code.CANCELLED))


@pytest.mark.parametrize("wait", [1, 999, 1001, 8_388_882_594, 10**12 - 1])
def test_a_wait_in_seconds_comes_back_to_the_millisecond(wait):
    wire = dialects.json_rpc.encode(Fault(code=Code.RATE_LIMITED, retry_after_ms=wait))

    assert dialects.json_rpc.decode(wire).retry_after_ms == wait
