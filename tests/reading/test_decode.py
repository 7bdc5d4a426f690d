"""One function reads every server."""

import collections
import json

import pytest
from hypothesis import given, strategies as st
from mcp_types import CallToolResult, ErrorData, TextContent
from support.strategies import json_objects, json_values

import errata
from errata import Code, Fault, NeedsInput, Retry, dialects
from errata.reading import recognise


class Mean:
    def __getattr__(self, name):
        raise RuntimeError(name)


class Nobody:
    """Does not even say what it is."""

    @property
    def __class__(self):
        raise RuntimeError("guess")


class MeanKey:
    def __init__(self, twin):
        self.twin = twin

    def __hash__(self):
        return hash(self.twin)

    def __eq__(self, other):
        raise ZeroDivisionError


class MeanText(str):
    __slots__ = ()

    def lstrip(self, *_):
        raise RuntimeError("no")


class MeanDict(dict):
    def get(self, *_):
        raise RuntimeError("no")

    def items(self):
        raise RuntimeError("no")


def result(*texts, **fields):
    return {"content": [{"type": "text", "text": text} for text in texts], **fields}


NO_MESSAGES = [
    None,
    0,
    1.5,
    "isError",
    b"{}",
    [],
    {},
    set(),
    object(),
    Mean(),
    Code.NOT_FOUND,
    Fault(code=Code.GONE),
    MeanDict(isError=True),
    *({MeanKey(twin): 1} for twin in ("content", "result", "isError", "error", "code", "jsonrpc")),
    {"content": [{MeanKey("text"): 1}], "structuredContent": {MeanKey("error"): 1}},
    {"content": [{"type": "text", "text": MeanText("{")}]},
    {"code": True, "message": "ok"},
    {"content": MeanDict()},
    {"content": [MeanDict(type="text")], "structuredContent": Mean()},
    {"content": [None, 5, {"type": "text"}, {"type": "text", "text": 7}]},
    {"error": None},
    {"jsonrpc": "2.0", "id": 1, "result": None},
    {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "x"}},
    {"jsonrpc": "2.0", "id": 1, "result": {"content": []}, "error": None},
    collections.OrderedDict(content=[]),
]


@pytest.mark.parametrize("message", NO_MESSAGES, ids=lambda message: type(message).__name__)
def test_what_is_no_failure_is_none_and_never_an_exception(message):
    assert errata.decode(message) is None
    assert all(dialects.get(name).decode(message) is None for name in dialects.names())
    assert errata.decode_needs_input(message) is None


@given(
    st.recursive(
        json_values | st.binary() | st.builds(MeanDict) | st.builds(object),
        lambda inner: st.dictionaries(st.text(), inner),
    )
)
def test_any_object_at_all_is_answered(message):
    assert isinstance(errata.decode(message), Fault | None)


SUCCESSES = [
    result("All good."),
    result("All good.", isError=False, structuredContent={"rows": []}),
    result('ERROR 2026-11-15 {"level": "error", "msg": "disk full"}'),  # A log search that found something.
    result(json.dumps({"code": "print(1)", "message": "wrote it"})),
    result("x", structuredContent={"code": "DE", "message": "Germany", "error": None}),
    result("x", structuredContent={"code": "NOT_FOUND", "message": "an enum member's documentation"}),
    result("x", structuredContent={"error": {"rate": 0.02}}),
    result("x", structuredContent={"error": {"code": 7, "message": "seen in the log"}}),
    result("x", structuredContent={"kind": "toolError:v2", "code": "x", "message": "y"}),
    result("x", structuredContent={"code": 1000, "message": "ok"}),
    result("x", structuredContent={"code": "OK", "message": "done", "retriable": False}),
    result("x", structuredContent={"error": {"code": "E1", "message": "x", "retry": "5"}, "host": "a"}),
    result("x", structuredContent={"code": 1500, "message": "hi", "retryable": True}),
    result("x", structuredContent={"error": {"code": -32001, "message": "x"}, "request": {"id": 7}}),
    result(json.dumps({"code": 2001, "message": "Created"})),
    result("x", structuredContent={"error": None, "data": [1]}),
    {"content": [{"type": "image", "data": "…", "mimeType": "image/png"}]},
    {"jsonrpc": "2.0", "id": 1, "result": result("fine")},
]


@pytest.mark.parametrize("message", SUCCESSES)
def test_a_success_is_no_failure_even_if_it_speaks_of_errors(message):
    assert errata.decode(message) is None


@given(json_objects)
def test_without_evidence_there_is_no_failure(structured):
    assert errata.decode(result("x", structuredContent=structured)) is None


@pytest.mark.parametrize(
    "name", ["native", "error-response", "tool-error-v1", "json-rpc", "taxonomy", "mcp-tool-error"]
)
def test_a_whole_payload_is_a_failure_even_without_is_error(name):
    wire = dialects.get(name).encode(Fault(code=Code.NOT_FOUND), format="json")
    del wire["isError"]

    assert errata.decode(wire).code is Code.NOT_FOUND
    assert recognise(wire).dialect == name


@pytest.mark.parametrize("name", ["error-response", "tool-error-v1", "taxonomy", "mcp-tool-error", "native"])
def test_a_bare_payload_is_read_as_well(name):
    payload = dialects.get(name).encode(Fault(code=Code.NOT_FOUND), format="json")["structuredContent"]

    assert errata.decode(payload).code is Code.NOT_FOUND


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (-32700, Code.PARSE_ERROR),
        (-32600, Code.INVALID_REQUEST),
        (-32601, Code.METHOD_NOT_FOUND),
        (-32602, Code.INVALID_PARAMS),
        (-32603, Code.INTERNAL_ERROR),
        (-32002, Code.NOT_FOUND),
        (-32020, Code.INVALID_REQUEST),
        (-32021, Code.INVALID_REQUEST),
        (-32022, Code.INVALID_REQUEST),
    ],
)
def test_a_number_of_the_protocol_is_read(number, code):
    error = {"code": number, "message": "what happened"}

    for message in (error, {"error": error}, {"jsonrpc": "2.0", "id": 1, "error": error}):
        fault = errata.decode(message)
        assert (fault.code, fault.message, fault.origin) == (code, "what happened", None)
        assert recognise(message).dialect == "JSON-RPC error"


@pytest.mark.parametrize("number", [-32000, -32001, -32003, -32042, -32070, -32099, -1, 0, 42, 4001])
def test_a_number_that_means_nothing_by_itself_is_kept(number):
    """The same -32001 is NotFound in 003 and a timeout in the SDKs; in a JSON-RPC error it is nobody's."""
    fault = errata.decode({"jsonrpc": "2.0", "id": 1, "error": {"code": number, "message": "x"}})

    assert (fault.code, fault.origin, fault.retry) == (Code.UNKNOWN_ERROR, str(number), Retry.NEVER)


def test_a_missing_resource_is_told_by_its_uri():
    fault = errata.decode({"code": -32602, "message": "Resource not found", "data": {"uri": "file:///a"}})

    assert (fault.code, fault.data) == (Code.NOT_FOUND, {"uri": "file:///a"})


@pytest.mark.parametrize("error", ["boom", 5, [], {}, {"code": "x"}, {"message": 5}, {"code": True, "message": None}])
def test_a_malformed_error_is_still_a_failure(error):
    assert errata.decode({"jsonrpc": "2.0", "id": 1, "error": error}).code is Code.UNKNOWN_ERROR


def test_the_data_of_a_strangers_error_is_understood_as_far_as_it_goes():
    error = {"code": -32603, "message": "x", "data": {"reason": "no_slot", "retryAfter": 3, "retryable": True}}

    fault = errata.decode(error)

    assert (fault.reason, fault.retry_after_ms, fault.retry) == ("no_slot", 3000, Retry.IF_HARMLESS)


def test_a_failure_in_no_dialect_keeps_its_words():
    message = result("Error executing tool x", "and more", isError=True, structuredContent={"trace": 7})
    message["_meta"] = {"errata/correlationId": "abc"}

    reading = recognise(message)

    assert reading.dialect == "none"
    assert (reading.fault.code, reading.fault.message) == (Code.UNKNOWN_ERROR, "Error executing tool x\nand more")
    assert (reading.fault.data, reading.fault.correlation_id) == ({"trace": 7}, "abc")


def test_a_failure_without_a_word_is_still_a_failure():
    assert errata.decode({"content": [], "isError": True}).code is Code.UNKNOWN_ERROR


def test_a_result_that_has_a_result_is_still_read():
    assert errata.decode(result("Error", isError=True, result={"content": []})) is not None


def test_an_error_beside_the_content_is_read():
    """001 only says that the result contains an error object."""
    error = {"code": 4001, "message": "m", "retryable": False}

    assert errata.decode({"content": [{"type": "text", "text": "boom"}], "error": error}).code is Code.UPSTREAM_ERROR
    assert errata.decode({"jsonrpc": "2.0", "id": 1, "result": {"content": [], "error": error}}) is not None


QUOTED = [
    '{"error": {"code": "RATE_LIMITED", "message": "x", "retry": "same_call"}}',
    '{"code": "RATE_LIMITED", "message": "x", "retriable": true}',
    '{"error": {"code": 3001, "message": "x", "retryable": true}}',
    "Error [RATE_LIMITED]: x\nRetry: yes, the same call.",
]


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize("fmt", ["markdown", "json", "both"])
def test_what_a_message_quotes_decides_nothing(quoted, fmt):
    fault = Fault(code=Code.UPSTREAM_ERROR, message=quoted, retry=Retry.NEVER)

    for name in dialects.names():
        reading = recognise(dialects.get(name).encode(fault, format=fmt))
        assert (reading.dialect, reading.fault.retry) == (name, Retry.NEVER)
    assert errata.decode(dialects.encode_needs_input(NeedsInput(quoted, fields=["a"]), format=fmt)) is None


@pytest.mark.parametrize("large", [{"structuredContent": {"rows": [[0]] * 130_000}}, {"extra": ["x"] * 300_000}])
def test_a_large_member_hides_no_failure(large):
    message = {"content": [{"type": "text", "text": "boom"}], **large, "isError": True}

    assert errata.decode(message).message == "boom"
    assert errata.decode({"jsonrpc": "2.0", "id": 1, "result": message}).message == "boom"


def test_a_dump_in_the_names_of_python_is_read():
    for name in dialects.names():
        wire = dialects.get(name).encode(Fault(code=Code.NOT_FOUND))
        wire["_meta"] = {"errata/correlationId": "abc"}
        dumped = CallToolResult.model_validate(wire).model_dump()
        assert recognise(dumped) == recognise(wire)


def test_nesting_and_crowding_are_met_in_time():
    nested = {"isError": True, "content": []}
    for _ in range(100_000):
        nested = {"result": nested}
    crowd = {f"key {number}": [[]] * 100 for number in range(100_000)}

    assert errata.decode(nested) is None
    assert errata.decode({"content": [], **crowd, "isError": True}).code is Code.UNKNOWN_ERROR


def test_an_error_wins_over_a_result():
    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}, "error": {"code": -32601, "message": "x"}}

    assert errata.decode(message).code is Code.METHOD_NOT_FOUND


def test_a_json_block_may_begin_with_a_byte_order_mark():
    wire = dialects.tool_error_v1.encode(Fault(code=Code.NOT_FOUND), format="json")

    assert errata.decode(result("\ufeff" + wire["content"][0]["text"], isError=True)).code is Code.NOT_FOUND


def test_a_null_beside_an_error_changes_nothing():
    message = {"jsonrpc": "2.0", "id": 1, "result": None, "error": {"code": -32001, "message": "x"}}

    assert (errata.decode(message).code, errata.decode(message).origin) == (Code.UNKNOWN_ERROR, "-32001")


def test_what_the_sdk_hands_out_is_read_as_it_is():
    text = TextContent(type="text", text="Network error: Request timeout")
    payload = dialects.tool_error_v1.encode(Fault(code=Code.TIMEOUT))["structuredContent"]
    failure = CallToolResult(content=[text], structured_content=payload, is_error=True)

    assert errata.decode(failure).code is Code.NETWORK_ERROR
    assert errata.decode(CallToolResult(content=[TextContent(type="text", text="Network errors: none")])) is None
    assert errata.decode(ErrorData(code=-32601, message="x")).code is Code.METHOD_NOT_FOUND


def test_a_mapping_that_is_no_dict_is_read_too():
    wire = dialects.native.encode(Fault(code=Code.GONE))

    assert errata.decode(collections.ChainMap(wire)).code is Code.GONE


def test_a_great_many_lines_are_read_in_time():
    text = "Error [GONE]: x\n" + "- a: b\n" * 10**6 + "Retry: no."

    assert len(errata.decode(result(text, isError=True)).issues) == 100


def test_a_json_bomb_in_a_text_is_survived():
    bomb = '{"code": "x", "message": ' + "[" * 100_000
    digits = '{"code": "x", "message": ' + "9" * 10_000 + "}"

    for text in (bomb, digits, '{"code": NaN, "message": Infinity}', "{" * 10**6 + '"code" "message"'):
        assert errata.decode(result(text, isError=True)).code is Code.UNKNOWN_ERROR


def test_a_question_is_not_an_error_in_any_format():
    question = NeedsInput("Which?", fields=["id"], suggestions={"id": ["a"]})

    for fmt in ("markdown", "json", "both"):
        wire = dialects.encode_needs_input(question, format=fmt)
        assert "isError" not in wire
        assert errata.decode(wire) is None
        assert errata.decode_needs_input(wire).suggestions == {"id": ["a"]}


@given(json_objects, json_values)
def test_reading_a_question_is_total(needs, options):
    payload = {"kind": "needsInput:v1", "message": "Which?", "needsInput": needs, "options": options}

    assert errata.decode_needs_input({"structuredContent": payload}).message == "Which?"
