"""Everything that leaves passes redaction, whichever way it takes."""

import dataclasses
import json

import pytest

from errata import Code, Fault, FieldIssue, NeedsInput, Recovery, dialects
from errata.dialects import as_jsonrpc_error, encode_needs_input

WORD = "granite-tundra-7"
TOLD = f"password={WORD}"
FAULT = Fault(
    code=Code.UNAUTHORIZED,
    message=TOLD,
    reason=TOLD,
    field=TOLD,
    issues=(FieldIssue(TOLD, TOLD, TOLD), FieldIssue("password", WORD)),
    recovery=Recovery(
        hint=TOLD,
        actions=(TOLD,),
        fallback_tool=TOLD,
        verify_tool=TOLD,
        corrective_params={"token": WORD},
        user_message=TOLD,
    ),
    origin=TOLD,
    data={"password": WORD, "note": TOLD, TOLD: [TOLD]},
    correlation_id="0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11",
)


@pytest.mark.parametrize("name", dialects.names())
@pytest.mark.parametrize("format", ["markdown", "json", "both"])
def test_no_field_of_a_fault_gets_past(name, format):
    assert WORD not in json.dumps(dialects.get(name).encode(FAULT, format=format))


def test_neither_does_a_json_rpc_error_nor_the_literal_result_of_001():
    assert WORD not in json.dumps(as_jsonrpc_error(FAULT))
    assert WORD not in json.dumps(dialects.error_response.as_jsonrpc_result(FAULT))


def test_neither_does_a_question():
    question = NeedsInput(
        TOLD,
        fields=[TOLD],
        reason=TOLD,
        suggestions={"token": [WORD], "a": [TOLD]},
        options=[{"label": TOLD, "value": TOLD}],
    )

    assert WORD not in json.dumps(encode_needs_input(question, format="both"))


def test_the_reference_and_the_time_stay_what_they_were():
    fault = dataclasses.replace(FAULT, timestamp="2026-11-15T12:00:00Z")
    error = dialects.native.encode(fault)["structuredContent"]["error"]

    assert (error["correlationId"], error["timestamp"]) == (fault.correlation_id, fault.timestamp)


def test_a_long_message_is_redacted_before_it_is_cut():
    for shift in range(0, 60, 7):
        fault = Fault(code=Code.INTERNAL_ERROR, message="x " * (4_000 - shift) + TOLD + " y" * 9_000)
        assert WORD[:8] not in json.dumps(dialects.native.encode(fault))
