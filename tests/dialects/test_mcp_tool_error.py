"""000, where it has rules of its own."""

from support.wire_payloads import payload_of

from errata import Code, Fault, dialects


def test_a_throttle_that_arrived_as_a_400_stays_a_rate_limit():
    fault = Fault(code=Code.RATE_LIMITED, http_status=400)

    assert payload_of("mcp-tool-error", fault) == {
        "code": "RATE_LIMITED",
        "message": "There were too many calls.",
        "retriable": True,
    }


def test_a_status_that_contradicts_the_word_is_kept_and_decides_nothing():
    wire = {"isError": True, "structuredContent": {"code": "GONE", "message": "x", "original": {"status": 500}}}

    fault = dialects.mcp_tool_error.decode(wire)

    assert (fault.code, fault.http_status) == (Code.GONE, 500)
