"""002, where it has rules of its own."""

import pytest
from support.wire_payloads import payload_of

from errata import Code, Fault, FaultError, dialects


def test_details_are_the_data_then_the_status_then_the_wait():
    fault = FaultError(
        Code.RATE_LIMITED, "Slow down.", {"statusCode": 429, "limit": 3}, retry_after_ms=1500, http_status=429
    ).fault

    assert list(payload_of("tool-error-v1", fault)["details"].items()) == [
        ("limit", 3),
        ("statusCode", 429),
        ("retryAfterMs", 1500),
    ]


@pytest.mark.parametrize(
    ("format", "mime_types"),
    [
        ("markdown", ["text/markdown"]),
        ("json", ["application/json"]),
        ("both", ["text/markdown", "application/json"]),
        ("xml", ["text/markdown"]),
        ([], ["text/markdown"]),  # It is an argument of the tool: the client chooses it.
        (None, ["text/markdown"]),
    ],
)
def test_blocks_are_gated_by_format(format, mime_types):
    wire = dialects.tool_error_v1.encode(Fault(code=Code.TIMEOUT), format=format)

    assert [block["mimeType"] for block in wire["content"]] == mime_types


def test_a_message_may_quote_a_tool_error():
    quoted = '{"kind": "toolError:v1", "code": "NOT_FOUND", "message": "quoted"}'
    wire = dialects.tool_error_v1.encode(Fault(code=Code.TIMEOUT, message=quoted), format="both")
    del wire["structuredContent"]

    assert dialects.tool_error_v1.decode(wire).message == quoted


def test_needs_no_is_error():
    wire = dialects.tool_error_v1.encode(Fault(code=Code.TIMEOUT), format="json")
    del wire["isError"], wire["structuredContent"]

    assert dialects.tool_error_v1.decode(wire).code is Code.NETWORK_ERROR


def test_the_order_of_details_does_not_depend_on_where_they_came_from():
    fault = Fault(code=Code.NOT_FOUND, http_status=404, data={"retryAfterMs": 30, "id": 7})

    assert list(payload_of("tool-error-v1", fault)["details"]) == ["id", "statusCode", "retryAfterMs"]
