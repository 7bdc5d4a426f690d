"""Results in no dialect: wrappers, JSON in prose, validators, numbers, waits."""

import json

import pytest
from hypothesis import given, settings, strategies as st
from support.strategies import json_values

import errata
from errata import Code, Fault, Retry, _half_done
from errata.gate import repair_result
from errata.reading import _prose_evidence, recognise


def failed(text, **more):
    return errata.decode({"content": [{"type": "text", "text": text}], "isError": True, **more})


def returned(text, **more):
    return errata.decode({"content": [{"type": "text", "text": text}], **more})


def refused(message, number=-32603, **more):
    return errata.decode({"jsonrpc": "2.0", "id": 1, "error": {"code": number, "message": message, **more}})


words = st.sampled_from([
    "Error", "error:", "Error:", "executing", "tool", "'x'", "failed", "MCP", "-32602:", '{"error":', '"x"}',
    "{'error':", "None}", "[", "]", "{", "}", '"', "'", "`", "```", "json", "validation", "errors", "for",
    "call[x]", "Field", "required", "[type=missing", "must", "be", "data/x", "→", "at", "✖", "Invalid", "input:",
    "expected", "string,", "received", "undefined", "retry", "after", "5", "s", "status", "404", "HTTP", "503",
    "429", "https://x.example/a:b", "Failed", "to", "fetch", "could", "not", "connect", "Unknown", "tool:", "no",
    "such", "found", "unauthorized", "missing", "parameter:", "is", "❌", "**", "###", "null", "true", "0", "\n",
    "\n\n  ",
])  # fmt: skip
texts = st.lists(words, max_size=30).map(" ".join) | st.text(max_size=300)


@given(texts, st.booleans())
def test_any_text_is_read_and_only_is_error_makes_a_failure_of_any(text, is_error):
    fault = errata.decode({"content": [{"type": "text", "text": text}], "isError": is_error})

    assert isinstance(fault, Fault) if is_error else isinstance(fault, Fault | None)


@given(json_values, json_values, texts)
def test_any_error_of_the_protocol_is_read(number, data, text):
    error = {"code": number, "message": text, "data": data}

    assert isinstance(errata.decode({"jsonrpc": "2.0", "id": 1, "error": error}), Fault)


@given(json_values)
def test_any_json_in_a_text_is_read(value):
    text = json.dumps(value)

    for told in (text, f"Error: {text}", f"```json\n{text}\n```", f"x {value!r}"):
        assert isinstance(failed(told), Fault)
        assert isinstance(returned(told), Fault | None)


@given(texts)
def test_what_was_read_is_read_the_same_again(text):
    fault = failed(text)
    said = errata.dialects.native.encode(fault)

    assert errata.dialects.native.encode(errata.decode(said)) == said


PREFIXED = [
    ("Error executing tool search: The index is gone", "The index is gone"),
    ("Error calling tool 'search': The index is gone", "The index is gone"),
    ("MCP error -32603: Error calling tool 'search': Error: The index is gone", "The index is gone"),
    ("McpError: MCP error -32603: The index is gone", "The index is gone"),
    ("Tool 'search' execution failed: The index is gone", "The index is gone"),
    ("Tool execution failed: The index is gone", "The index is gone"),
    ("### Result\nError: The index is gone", "The index is gone"),
    ("❌ Error: The index is gone", "The index is gone"),
    ("Error executing tool search", "Error executing tool search"),
    ("Error: ", "Error:"),
]


@pytest.mark.parametrize(("text", "message"), PREFIXED)
def test_a_prefix_is_taken_off_and_what_was_said_is_kept(text, message):
    fault = failed(text)

    assert fault.message == message
    assert fault.data.get("text", text) == text
    assert text.strip() == message or "text" in fault.data


HALF_DONE = [
    "Payment of 5 EUR was recorded, but the receipt could not be mailed: 503 Service Unavailable",
    "Charged. Sending the receipt failed: connection refused",
    "Order created (id 17). Webhook delivery failed: HTTP 429 Too Many Requests",
    "Deleted 17 of 100 files, then the API answered 503 Service Unavailable",
    "Partial success: the second batch was rate limited (429)",
    "Charged 5 EUR\nMailing the receipt failed: 503 Service Unavailable",
    "Order 17 created successfully, notification failed: 503 Service Unavailable",
    "Charged 5 EUR, receipt: 503 Service Unavailable",
    "Payment succeeded but the receipt got 429 Too Many Requests",
    "Transfer sent, but the receipt got 429 Too Many Requests",
    "Rows already inserted: 50. Then 429 Too Many Requests",
    '{"error": "503 Service Unavailable", "detail": "Charged 5 EUR, but mailing failed"}',
]
NOT_BEGUN = [
    "Rate limit exceeded: you have sent too many requests. Try again in 30 seconds",
    "429 Too Many Requests. Requests are not stored; slow down",
    "The issue could not be created. 503 Service Unavailable",
    "503 Service Unavailable: nothing was done, but please try again",
    "Nothing has been charged. 503 Service Unavailable",
    "No order was created, 503 Service Unavailable",
    '{"error": {"message": "429 Too Many Requests"}, "created": 1700000000, "updated": 1}',
    "connection refused",
]


@pytest.mark.parametrize("text", HALF_DONE)
def test_a_refusal_behind_work_that_was_done_does_not_prove_that_nothing_happened(text):
    assert failed(text).retry is Retry.IF_HARMLESS


@pytest.mark.parametrize("text", NOT_BEGUN)
def test_a_refusal_in_prose_alone_licenses_no_repetition_of_what_may_do_harm(text):
    assert failed(text).retry is Retry.IF_HARMLESS


@pytest.mark.parametrize(
    "text",
    [
        '{"status": 503, "error": "Service Unavailable"}',
        '{"statusCode": 429, "message": "Too Many Requests"}',
        '{"error": {"status": 503, "message": "The issue could not be created."}}',
    ],
)
def test_a_refusal_with_its_status_proves_that_nothing_happened_if_it_is_no_text(text):
    assert failed(text).retry is Retry.IF_HARMLESS  # An upstream's body, perhaps.
    assert errata.decode({"structuredContent": json.loads(text), "isError": True}).retry is Retry.SAME_CALL


ENVOY = "upstream connect error or disconnect/reset before headers. reset reason: "
STATED = [
    (ENVOY + "connection failure", Retry.IF_HARMLESS),
    (ENVOY + "connection termination", Retry.IF_HARMLESS),
    (ENVOY + "remote reset", Retry.IF_HARMLESS),
    ("[Errno 28] No space left on device", Retry.NEVER),
    ("ENOSPC: no space left on device, write", Retry.NEVER),
    ("wrote the index: disk is full", Retry.NEVER),
]


@pytest.mark.parametrize(("text", "retry"), STATED)
def test_words_are_judged_as_the_exception_that_says_them(text, retry):
    assert failed(text).retry is retry


PYDANTIC = """2 validation errors for call[send]
to.0.email
  Field required [type=missing, input_value={}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.14/v/missing
limit
  Input should be less than or equal to 100 [type=less_than_equal, input_value=500, input_type=int]"""
ZOD = """MCP error -32602: Input validation error: Invalid arguments for tool t: Invalid input: expected number, received string at a
Too small: expected number to be >=1 at b.c"""

VALIDATED = [
    (
        PYDANTIC,
        [("to.0.email", "Field required"), ("limit", "Input should be less than or equal to 100")],
        Code.MISSING_REQUIRED_FIELD,
    ),
    (
        ZOD,
        [("a", "Invalid input: expected number, received string"), ("b.c", "Too small: expected number to be >=1")],
        Code.INVALID_PARAMS,
    ),
    (
        "✖ Too big: expected string to have <=3 characters\n  → at name\n✖ Invalid email address\n  → at to[0]",
        [("name", "Too big: expected string to have <=3 characters"), ("to.0", "Invalid email address")],
        Code.VALIDATION_FAILED,
    ),
    (
        json.dumps([
            {"code": "invalid_type", "expected": "string", "received": "undefined", "path": ["q"], "message": "Required"},
            {"code": "invalid_string", "validation": "url", "path": ["u", 0], "message": "Invalid url"},
        ]),
        [("q", "Required"), ("u.0", "Invalid url")],
        Code.MISSING_REQUIRED_FIELD,
    ),
    (
        "data/limit must be integer, data/tags/0 must NOT have fewer than 1 characters",
        [("limit", "must be integer"), ("tags.0", "must NOT have fewer than 1 characters")],
        Code.INVALID_PARAMS,
    ),
    ("data must have required property 'query'", [("query", "must have required property 'query'")], Code.MISSING_REQUIRED_FIELD),
    (
        json.dumps({"detail": [{"loc": ["body", "n"], "msg": "value is not a valid integer", "type": "type_error.integer"}]}),
        [("n", "value is not a valid integer")],
        Code.INVALID_PARAMS,
    ),
    (
        json.dumps({"message": "The given data was invalid.", "errors": {"email": ["The email field is required."]}}),
        [("email", "The email field is required.")],
        Code.MISSING_REQUIRED_FIELD,
    ),
    ("missing field `path` at line 1 column 2", [("path", "is required")], Code.MISSING_REQUIRED_FIELD),
]  # fmt: skip


@pytest.mark.parametrize(("text", "issues", "code"), VALIDATED, ids=[code for *_, code in VALIDATED])
def test_a_validator_is_understood_to_the_last_issue(text, issues, code):
    for fault in (failed(text), refused(text, -32602)):
        assert fault.code is code
        assert [(each.field, each.problem) for each in fault.issues] == issues
        assert (fault.field, fault.retry) == (issues[0][0], Retry.FIX_INPUT)


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("Rate limit reached. Please try again in 6.2s.", 6_200),
        ("Too Many Requests: retry after 35", 35_000),
        ("Rate limit exceeded, retry in 2 minutes", 120_000),
        ("Throttled. Please wait 90 seconds before trying again.", 90_000),
        ("429 Too Many Requests (Retry-After: 12)", 12_000),
        ("API rate limit exceeded. [rate reset in 12m05s]", 725_000),
        ("Slow down: try again in 500 ms", 500),
        (json.dumps({"error": "rate_limited", "retry_after": 3}), 3_000),
        (json.dumps({"ok": False, "error_code": 429, "parameters": {"retry_after": 7}}), 7_000),
        ("Rate limit exceeded, try again later", None),
        ("Rate limit exceeded, retry in 99999999 hours", None),
    ],
)
def test_a_wait_in_prose_is_read(text, wait):
    fault = failed(text)

    assert (fault.code, fault.retry_after_ms) == (Code.RATE_LIMITED, wait)


@pytest.mark.parametrize(
    ("number", "message", "code"),
    [
        (-32001, "Request timed out", Code.TIMEOUT),
        (-32001, "Session not found", Code.NOT_FOUND),
        (-32000, "Connection closed", Code.NETWORK_ERROR),
        (-32000, "Bad Request: Server not initialized", Code.INVALID_REQUEST),
        (-32602, "Tool get_rate_limit not found", Code.NOT_FOUND),
        (-32601, "Unknown tool: x", Code.NOT_FOUND),
        (-32601, "Method not found", Code.METHOD_NOT_FOUND),
        (-32601, "prompts/get", Code.METHOD_NOT_FOUND),
        (-32603, "Internal server error", Code.INTERNAL_ERROR),
        (-32603, "connect ECONNREFUSED 127.0.0.1:5432", Code.NETWORK_ERROR),
        (-32700, "Parse error: not found", Code.PARSE_ERROR),
        (-32022, "Unsupported protocol version", Code.INVALID_REQUEST),
        (0, "Unknown prompt: nope", Code.NOT_FOUND),
    ],
)
def test_a_number_and_its_text_are_read_together(number, message, code):
    assert refused(message, number).code is code


DATA = [
    ("the field `to` is required", Code.MISSING_REQUIRED_FIELD, None),
    ([{"loc": ["to"], "msg": "Field required", "type": "missing"}], Code.MISSING_REQUIRED_FIELD, None),
    ({"type": "about:blank", "title": "Not Found", "status": 404}, Code.NOT_FOUND, 404),
    ({"error": {"code": "ECONNREFUSED", "message": "connect ECONNREFUSED"}}, Code.NETWORK_ERROR, None),
    ({"response": {"status": 429, "data": {"message": "slow down"}}}, Code.RATE_LIMITED, 429),
    ({"elapsed": 7}, Code.INTERNAL_ERROR, None),
    (7, Code.INTERNAL_ERROR, None),
]


@pytest.mark.parametrize(("data", "code", "status"), DATA)
def test_data_of_any_kind_is_asked(data, code, status):
    fault = refused("It did not work", data=data)

    assert (fault.code, fault.http_status, fault.message) == (code, status, "It did not work")


CODES_IN_WORDS = [
    ("OVER_QUERY_LIMIT", Code.RATE_LIMITED, Retry.SAME_CALL),
    ("REQUEST_DENIED", Code.FORBIDDEN, Retry.NEVER),
    ("already_reacted", Code.CONFLICT, Retry.FIX_INPUT),
    ("mapper_parsing_exception", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
    ("version_conflict_engine_exception", Code.CONFLICT, Retry.FIX_INPUT),
    ("userRateLimitExceeded", Code.RATE_LIMITED, Retry.SAME_CALL),
    ("NoSuchBucket", Code.NOT_FOUND, Retry.FIX_INPUT),
    ("DATA_LOSS", Code.UPSTREAM_ERROR, Retry.NEVER),
    ("UNKNOWN_ERROR", Code.UNKNOWN_ERROR, Retry.NEVER),
    ("GREEN_CHEESE", Code.UNKNOWN_ERROR, Retry.NEVER),
]


@pytest.mark.parametrize(("word", "code", "retry"), CODES_IN_WORDS)
def test_a_code_that_is_a_word_is_understood_wherever_it_stands(word, code, retry):
    prose = [failed(text) for text in (f"Search failed: {word}", f"It failed ({word})", word)]
    member = failed(json.dumps({"ok": False, "error": word}))

    in_text = Retry.IF_HARMLESS if retry is Retry.SAME_CALL else retry
    assert {(fault.code, fault.retry) for fault in (*prose, member)} == {(code, in_text)}
    data = errata.decode({"structuredContent": {"ok": False, "error": word}, "isError": True})
    assert (data.code, data.retry) == (code, retry)


def test_a_code_says_nothing_where_words_say_more():
    assert failed("Table not found: version_conflict_log").code is Code.NOT_FOUND
    assert failed("Unknown tool: get_rate_limit").code is Code.NOT_FOUND


@pytest.mark.parametrize(
    ("text", "retry"),
    [
        ("409 Conflict: the page is being edited. Please try again.", Retry.IF_HARMLESS),
        ("HTTP 409: save collided, retry in 5 seconds", Retry.IF_HARMLESS),
        ('{"status": 409, "error": "the page is being edited. Please try again."}', Retry.IF_HARMLESS),
        ("409 Conflict", Retry.FIX_INPUT),
        ("409 Conflict: fetch the page and try again", Retry.FIX_INPUT),
        ("409 Conflict: please try again with another name", Retry.FIX_INPUT),
        ("409 Conflict: the name is already in use, please try again", Retry.FIX_INPUT),
    ],
)
def test_a_conflict_may_be_repeated_where_the_server_asks_for_it(text, retry):
    fault = failed(text)

    assert (fault.code, fault.retry) == (Code.CONFLICT, retry)


def test_why_a_connection_failed_says_more_than_that_it_did():
    assert failed("Failed to connect to the database: password is incorrect").retry is Retry.NEVER
    assert failed("Failed to connect to the database").retry is Retry.IF_HARMLESS


def test_an_opening_that_may_be_a_title_or_a_line_of_a_log_needs_words_that_tell_of_a_failure():
    assert returned("Error: A Novel, by Jane Roe") is None
    assert returned("ERROR: worker 3 is blue") is None
    assert returned("Error: Page Not Found").code is Code.NOT_FOUND
    assert returned("ERROR: no such branch") is None
    assert returned("Error: the moon is full") is None
    assert returned("Error: the request timed out").code is Code.TIMEOUT


def test_a_list_that_holds_one_failure_is_one_and_a_list_of_failures_is_a_result():
    assert returned(json.dumps([{"error": "Zone 9 does not exist"}])).code is Code.NOT_FOUND
    assert returned(json.dumps([{"error": "disk full"}] * 2)).code is Code.SERVICE_UNAVAILABLE
    assert returned(json.dumps([{"error": "disk full"}, {"error": "no such file"}])) is None


def test_a_servers_no_is_believed():
    fault = failed(json.dumps({"error": {"message": "Service unavailable", "retryable": False}}))

    assert (fault.code, fault.retry, fault.retry_declared) == (Code.SERVICE_UNAVAILABLE, Retry.NEVER, True)


def test_a_word_nobody_knows_in_a_known_shape_is_asked_of_the_tables():
    reading = recognise(
        {"content": [], "structuredContent": {"error": {"code": 404, "message": "gone fishing"}}, "isError": True}
    )

    assert (reading.fault.code, reading.fault.http_status, reading.dialect) == (Code.NOT_FOUND, 404, "none")


def test_a_result_that_breaks_its_schema_is_the_servers_fault():
    text = "Structured content does not match the tool's output schema: data must have required property 'temperature'"

    assert failed(text).code is Code.INTERNAL_ERROR


def test_an_argument_that_is_a_url_says_nothing():
    assert failed("Failed to fetch https://x.example/status/404/rate-limit: ReadError('')").code is Code.NETWORK_ERROR


def test_structured_content_that_says_it_failed_beside_a_text_that_sums_something_up_is_a_success():
    found = {"error": {"message": "disk full"}}

    assert returned("1 error was found.", structuredContent=found) is None
    assert returned(json.dumps(found), structuredContent=found).message == "disk full"
    assert errata.decode({"content": [], "structuredContent": found}).message == "disk full"


@pytest.mark.parametrize(
    "piece",
    [
        "Error: ",
        "{'a': ",
        '[{"',
        "must be ",
        "/a",
        "Invalid x at ",
        "  [type=",
        "a://",
        "```\n",
        "GET a",
        "A_",
        "Ab",
        "Error: A ",
        "a=b ",
        "[",
        "{Field:a Code:",
        "The a ",
    ],
)
@pytest.mark.parametrize("is_error", [True, False])
def test_a_long_text_is_read_no_further_than_it_tells(piece, is_error):
    text = piece * (2_000_000 // len(piece))

    fault = errata.decode({"content": [{"type": "text", "text": text}], "isError": is_error})

    assert (fault is not None) is is_error


def described(text="It failed", **failure):
    """Read a result that SEP-3313 describes in its metadata."""
    return failed(text, _meta={"io.modelcontextprotocol/toolFailure": failure})


@pytest.mark.parametrize(
    ("failure", "code", "retry"),
    [
        ({"class": "reliability", "code": "RATE_LIMITED", "retryable": True}, Code.RATE_LIMITED, Retry.IF_HARMLESS),
        ({"class": "reliability", "code": "UPSTREAM_TIMEOUT", "retryable": False}, Code.TIMEOUT, Retry.NEVER),
        ({"class": "governance", "code": "E17"}, Code.FORBIDDEN, Retry.NEVER),
        ({"class": "capability"}, Code.NOT_IMPLEMENTED, Retry.NEVER),
        ({"class": "reliability"}, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    ],
)
def test_the_failure_that_the_metadata_describes_is_read(failure, code, retry):
    fault = described(**failure)

    assert (fault.code, fault.retry) == (code, retry)


def test_what_the_metadata_advises_and_refers_to_is_kept():
    fault = described(code="QUOTA", agentGuidance="Ask for fewer rows.", correlationId="c-17")

    assert (fault.recovery.hint, fault.correlation_id) == ("Ask for fewer rows.", "c-17")


@given(json_values)
def test_any_description_of_a_failure_is_read(value):
    result = {"content": [], "isError": True, "_meta": {"io.modelcontextprotocol/toolFailure": value}}

    assert isinstance(errata.decode(result), Fault)
    assert errata.decode({**result, "isError": False}) is None


def test_what_mcp_ts_core_puts_behind_a_text_is_read_and_not_said_again():
    fault = failed(
        "No order 17.\n\nRecovery: Call list_orders first.\n\n(reason no_match · not retryable · request r-9)"
    )

    assert (fault.message, fault.code, fault.retry) == ("No order 17.", Code.NOT_FOUND, Retry.FIX_INPUT)
    assert (fault.reason, fault.correlation_id) == ("no_match", "r-9")
    assert fault.recovery is None  # A text proposes nothing; beside it, structured content does.


@pytest.mark.parametrize(
    "text", ["No order (reason unknown)", "f(x)\n\n(see above)", "a\n\n(request)", "x (not retryable)"]
)
def test_a_bracket_at_the_end_is_no_trailer(text):
    assert failed(text).message == text


def test_the_newer_numbers_and_references_of_mcp_ts_core_are_read():
    error = {"code": -32011, "message": "The client went away", "data": {"requestId": "r-9"}}

    fault = errata.decode({"content": [], "structuredContent": {"error": error}, "isError": True})

    assert (fault.code, fault.retry, fault.correlation_id) == (Code.CANCELLED, Retry.NEVER, "r-9")


@pytest.mark.parametrize(
    "content",
    [
        {"uri": "x://a", "isError": True, "text": "There is no session 17"},
        {"uri": "x://a", "text": '{"error": "There is no session 17"}'},
    ],
)
def test_a_resource_that_says_of_itself_that_it_is_none_is_a_failure(content):
    assert errata.decode({"contents": [content]}).code is Code.NOT_FOUND


def test_what_stands_in_a_file_is_no_failure():
    assert (
        errata.decode({"contents": [{"uri": "file:///srv/last.json", "text": '{"error": "There is no session 17"}'}]})
        is None
    )
    assert errata.decode({"contents": [{"uri": "x://a", "text": '{"error": "no such row", "rows": [1]}'}]}) is None


def test_blocks_of_a_type_of_their_own_are_errors():
    assert errata.decode({"content": [{"type": "error", "text": "There is no session 17"}]}).code is Code.NOT_FOUND


def test_what_stands_beside_empty_content_is_read():
    result = {"content": [], "isError": True, "errorMessage": "There is no session 17"}

    assert (errata.decode(result).code, errata.decode(result).message) == (Code.NOT_FOUND, "There is no session 17")


def test_the_names_of_open_telemetry_are_read():
    structured = {"error.type": "timeout", "exception.message": "Took too long", "http.response.status_code": 504}

    fault = errata.decode({"content": [], "structuredContent": structured, "isError": True})

    assert (fault.code, fault.message, fault.http_status) == (Code.TIMEOUT, "Took too long", 504)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("error parsing regexp: missing closing ]: `[a-`", Code.VALIDATION_FAILED),
        ("Invalid regular expression: /(/: Unterminated group", Code.VALIDATION_FAILED),
        ("error parsing glob '{a': unclosed alternate group", Code.VALIDATION_FAILED),
        ("Error tokenizing data. C error: Expected 2 fields in line 3, saw 4", Code.VALIDATION_FAILED),
        ("bad indentation of a mapping entry (3:5)", Code.VALIDATION_FAILED),
        ('Cannot query field "nam" on type "User". Did you mean "name"?', Code.VALIDATION_FAILED),
        ("division by zero", Code.VALIDATION_FAILED),
        ("Unknown or disabled tool: x", Code.NOT_FOUND),
        ("Access to private IP 127.0.0.1 is blocked", Code.FORBIDDEN),
        ("TransportError(503, 'Service Unavailable')", Code.SERVICE_UNAVAILABLE),
        ("UPDATE command denied to user 'ro'@'localhost' for table `t`", Code.FORBIDDEN),
        ("stat /root/.kube/config: no such file or directory", Code.CONFIGURATION_ERROR),
        ("Set SHOP_API_KEY in the environment of this server", Code.CONFIGURATION_ERROR),
        ("Data session abc not found", Code.NOT_FOUND),
        ("LISTEN is unavailable on pooled connections", Code.NOT_IMPLEMENTED),
    ],
)
def test_codes_are_told_from_their_neighbours(text, code):
    assert failed(text).code is code


@pytest.mark.parametrize("words", ["API error", "HTTP error while calling the shop"])
def test_a_vague_word_licenses_nothing(words):
    assert failed(f"{words}: something").retry is Retry.NEVER


@pytest.mark.parametrize(
    "error",
    [
        "已扣款。连接被拒绝",
        "Reembolso hecho. conexion rechazada",
        "Rückerstattung gebucht; Verbindung abgelehnt",
        "付款成功,邮件请求过于频繁,请稍后再试",
        "Import failed: 503 rows were rejected, 20 rows written",
        "limited number of seats: booking 4 of 6 went through",
        "circuit_breaking_exception: charged already",
        "Refund made. Then conflict: try again",
    ],
)
def test_no_words_beside_a_code_license_the_same_call(error):
    fault = errata.decode({"structuredContent": {"error": error, "code": "E"}, "content": [], "isError": True})

    assert fault.retry is not Retry.SAME_CALL


@settings(settings.get_profile("laws"), max_examples=500)
@given(st.from_regex(_prose_evidence._OPENINGS))
def test_the_quick_look_at_the_first_words_drops_no_text_that_the_patterns_accept(text):
    text = text.strip()
    if len(text) <= _prose_evidence._MOST and _prose_evidence._opens(text):
        assert _prose_evidence.opens_like_a_failure(text)


def test_what_requests_says_instead_of_an_answer_is_a_failure():
    reason = "(Caused by NewConnectionError('Failed to establish a new connection: [Errno 111] Connection refused'))"
    pool = "HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /v1/orders"
    assert returned(f"{pool} {reason}").code is Code.NETWORK_ERROR


def judged(text, tool="create_order", **notes):
    """Return the fault that an agent is shown for a failing answer of a tool."""
    entry = {"name": tool, "annotations": notes, "inputSchema": {"properties": {"email": {}, "items": {}}}}
    request = {"name": tool, "arguments": {"email": "bob@example.com", "items": [1]}}
    return repair_result(
        {"content": [{"type": "text", "text": text}], "isError": True}, request=request, tool=entry
    ).fault


PARTLY_DONE = [
    "Payment captured (ch_123), but sending the receipt failed: 400 invalid email address",
    "Created 3 of 5 users; row 4: email is invalid",
    'Issue #42 was created, but the label "x" does not exist',
    "Transferred 50 EUR; updating the ledger failed: validation error",
    "PR created at https://github.com/a/b/pull/3 but reviewers are invalid",
    "Charged $42.00. Error: invalid receipt email",
    'Invoice 7 created; tag "x": not found; reviewer: not found',
    "Email sent. Failed to archive it: folder not found",
    "Sent to 2 of 3 recipients: bob@x is invalid",
    "3 succeeded, 2 failed: email is invalid",
    "2 of 5 rows failed: email is invalid",
    "Request accepted, validation failed for the callback",
    "Wrote 10 rows before row 11 failed validation",
    "Event created with errors: attendee not found",
    "Rechnung wurde erstellt, aber die Adresse ist ung\u00fcltig",
    "E-Mail versendet, aber der Ordner wurde nicht gefunden",
    "La factura fue creada, pero el correo no es v\u00e1lido",
    "Se cre\u00f3 la factura, pero la etiqueta no existe",
    "La commande a \u00e9t\u00e9 cr\u00e9\u00e9e, mais l'adresse est invalide",
    "\u8ba2\u5355\u5df2\u521b\u5efa\uff0c\u4f46\u90ae\u7bb1\u65e0\u6548",
    "\u4ed8\u6b3e\u6210\u529f\uff0c\u4f46\u6536\u636e\u90ae\u7bb1\u65e0\u6548",
    '{"created": [1, 2], "failed": [{"row": 3, "error": "email is invalid"}]}',
    '{"created": 2, "errors": ["row 3: email is invalid"]}',
    '{"ok": true, "sent": 3, "errors": [{"field": "cc", "message": "is invalid"}]}',
    '{"results": [{"status": "ok"}, {"error": "email is invalid"}]}',
    '{"id": "inv_17", "created": true, "error": "label is invalid"}',
]
NOTHING_DONE = [
    "Order was not created: email is invalid",
    "No user created: email is invalid",
    "No rows were inserted: row 3 has an invalid email",
    "Created 0 of 5 users; row 1: email is invalid",
    "0 succeeded, 2 failed: email is invalid",
    "The order must be created before it can be paid: email is invalid",
    "Cannot be created, but the label is required",
    "Repository not found. It may have been deleted, renamed, or moved.",
    "status must be one of: created, paid, shipped",
    "Unknown event user.created. Use one of: user.updated",
    "Invalid value for `created`: expected a date",
    "Provide a city, a saved location, or coordinates: email is required",
    "'class' is a reserved word, choose another name: email is invalid",
    "File already created",
    "Die Rechnung wurde nicht erstellt, aber die Adresse ist ung\u00fcltig",
    "\u8ba2\u5355\u672a\u521b\u5efa\uff0c\u4f46\u90ae\u7bb1\u65e0\u6548",
    '{"error": "email is invalid", "created": 1700000000}',
    '{"created": [], "failed": [{"row": 3, "error": "email is invalid"}]}',
    '{"results": [{"error": "email is invalid"}, {"error": "email is invalid"}]}',
]


@pytest.mark.parametrize("text", PARTLY_DONE)
def test_no_other_arguments_are_wanted_where_a_part_was_done(text):
    assert judged(text).retry is Retry.VERIFY_FIRST
    assert judged(text, "frobnicate").retry is Retry.VERIFY_FIRST
    assert refused(text, -32602).retry is Retry.VERIFY_FIRST
    assert judged(text, "get_order", readOnlyHint=True).retry is Retry.FIX_INPUT


@given(
    st.lists(
        st.sampled_from(
            [
                *_half_done._DEEDS,
                *_half_done._TELLING,
                *["3", "of", "5", "2", "but", "rows", "email", "failed", "error"],
            ]
        )
    )
)
def test_the_quick_look_for_finished_work_drops_no_text_that_the_patterns_accept(words):
    text = f"{' '.join(words)}. It failed: email is invalid".removeprefix(". ")
    says_so = any(match["denied"] is None for match in _half_done._HALF_DONE.finditer(text))
    assert _half_done.mentions_finished_work(text) == says_so


def test_a_deed_in_the_letters_of_a_turkish_locale_is_one():
    assert _half_done.mentions_finished_work("It was sh\u0131pped, but the mail was refused")


@pytest.mark.parametrize("text", NOTHING_DONE)
def test_a_refusal_before_anything_was_done_is_one_of_the_arguments(text):
    assert judged(text).retry is Retry.FIX_INPUT


MISSING_ID = "\nid\n  Field required [type=missing, input_value={}, input_type=dict]"
OF_THE_RESULT = [
    "MCP error -32602: Output validation error: Tool create_order has an output schema but no structured content was provided",
    "Output validation error: outputSchema defined but no structured output returned",
    'validating tool output: validating root: required: missing properties: ["id"]',
    "1 validation error for create_orderOutput" + MISSING_ID,
    "1 validation error for OrderResponse" + MISSING_ID,
    'missing field "id" in response',
    "json: cannot unmarshal number into Go struct field Response.id of type string",
    "EOF while parsing a value at line 1 column 0",
    "Malformed HTTP response",
    "Failed to parse response: missing field `id` at line 1 column 2",
    "Response validation failed: id is required",
]
OF_THE_ARGUMENTS = [
    ("1 validation error for create_orderArguments" + MISSING_ID, "id"),
    ("1 validation error for call[create_order]" + MISSING_ID, "id"),
    ("missing field `id`", "id"),
    ("json: cannot unmarshal number into Go struct field Request.id of type string", "id"),
    ("response_format is invalid: expected one of json, text", "response_format"),
    ("output_path is required", "output_path"),
]


@pytest.mark.parametrize("text", OF_THE_RESULT)
def test_a_complaint_about_what_came_back_is_about_no_argument(text):
    for fault in (judged(text), judged(text, "frobnicate"), refused(text, -32602)):
        assert (fault.retry, fault.field, fault.issues) == (Retry.VERIFY_FIRST, None, ())
    assert judged(text, "get_order", readOnlyHint=True).retry in (Retry.NEVER, Retry.SAME_CALL)


@pytest.mark.parametrize(("text", "field"), OF_THE_ARGUMENTS)
def test_a_complaint_about_what_was_sent_still_names_the_argument(text, field):
    fault = failed(text)

    assert (fault.retry, fault.field) == (Retry.FIX_INPUT, field)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("No response received", Code.TIMEOUT),
        ("Error: No response received from the payment provider", Code.TIMEOUT),
        ("No answer", Code.TIMEOUT),
        ("No result was returned in time", Code.TIMEOUT),
        ("No data returned", Code.UPSTREAM_ERROR),
        ("No output", Code.UPSTREAM_ERROR),
        ("No more retries", Code.UPSTREAM_ERROR),
        ("No internet connection", Code.NETWORK_ERROR),
        ("No quota left", Code.RATE_LIMITED),
        ("No memory available", Code.SERVICE_UNAVAILABLE),
        ("No changes to apply", Code.OPERATION_NOT_ALLOWED),
    ],
)
def test_what_is_lacking_is_not_always_what_was_asked_for(text, code):
    fault = judged(text)

    assert fault.code is code
    assert fault.retry is (Retry.NEVER if code is Code.OPERATION_NOT_ALLOWED else Retry.VERIFY_FIRST)


@pytest.mark.parametrize(
    "text",
    [
        "No order with id 17",
        "No results for this query",
        "No response template named x",
        "No connection named crm",
        "No data found for symbol XYZ",
        "No changes request 17",
    ],
)
def test_what_was_asked_for_and_is_not_there_is_not_found(text):
    assert failed(text).code is Code.NOT_FOUND


@pytest.mark.parametrize(
    "text",
    [
        "Charge ch_3Lx has already been refunded.",
        "409 Conflict: payment already captured",
        "Invoice is already paid",
        "Message was already sent",
        "Table already booked",
        "Form already submitted",
        "Order already confirmed",
        "Refund already in progress",
        '{"error": {"code": "charge_already_refunded", "message": "Charge ch_3Lx has already been refunded."}}',
    ],
)
def test_what_was_done_before_is_not_done_again(text):
    fault = judged(text)

    assert (fault.code, fault.retry) == (Code.DUPLICATE_OPERATION, Retry.NEVER)


@pytest.mark.parametrize(
    "text",
    [
        "User already exists",
        "Name already taken",
        "Email has already been registered",
        "Time slot is already booked",
        "Port already in use",
    ],
)
def test_what_somebody_else_has_may_be_had_under_another_name(text):
    fault = judged(text)

    assert (fault.code, fault.retry) == (Code.CONFLICT, Retry.FIX_INPUT)


CODES_OF_GRAPHQL = [
    ("FORBIDDEN", Code.FORBIDDEN),
    ("NOT_FOUND", Code.NOT_FOUND),
    ("UNAUTHENTICATED", Code.UNAUTHORIZED),
    ("BAD_USER_INPUT", Code.VALIDATION_FAILED),
    ("THROTTLED", Code.RATE_LIMITED),
    ("GREEN_CHEESE", Code.UNKNOWN_ERROR),
]


@pytest.mark.parametrize("data", [{}, {"data": None}, {"data": {"order": None}}], ids=["none", "null", "null inside"])
@pytest.mark.parametrize(("word", "code"), CODES_OF_GRAPHQL)
def test_the_code_of_a_graphql_error_is_read(word, code, data):
    error = {"message": "Order 7", "path": ["order"], "extensions": {"code": word}}

    assert failed(json.dumps({**data, "errors": [error]})).code is code


def test_the_code_of_a_graphql_error_licenses_nothing_beside_data():
    """What has data was done, whatever happened to the rest."""
    errors = [{"message": "mailing", "path": ["mail"], "extensions": {"code": "THROTTLED"}}]
    structured = {"data": {"createOrder": {"id": 1}, "mail": None}, "errors": errors}
    fault = errata.decode({"content": [], "structuredContent": structured, "isError": True})

    assert fault.retryable is False


@pytest.mark.parametrize("wrap", [lambda body: body, lambda body: {"data": None, "error": body}])
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("42501", Code.FORBIDDEN),
        ("23505", Code.CONFLICT),
        ("23502", Code.VALIDATION_FAILED),
        ("40001", Code.UNKNOWN_ERROR),
        ("99999", Code.UNKNOWN_ERROR),
    ],
)
def test_an_sqlstate_in_a_body_is_read_and_licenses_nothing(wrap, code, expected):
    body = {"code": code, "details": None, "hint": None, "message": "row 7 of orders"}
    faults = [
        failed(json.dumps(wrap(body))),
        errata.decode({"content": [], "structuredContent": wrap(body), "isError": True}),
    ]

    assert [(fault.code, fault.retryable) for fault in faults] == [(expected, False)] * 2


@pytest.mark.parametrize(
    ("number", "message", "code"),
    [
        (401, "It did not work", Code.UNAUTHORIZED),
        (403, "It did not work", Code.FORBIDDEN),
        (404, "It did not work", Code.NOT_FOUND),
        (405, "It did not work", Code.OPERATION_NOT_ALLOWED),
        (429, "It did not work", Code.RATE_LIMITED),
        (500, "It did not work", Code.UPSTREAM_ERROR),
        (503, "It did not work", Code.SERVICE_UNAVAILABLE),
        (-32603, "MCP error 404: It did not work", Code.NOT_FOUND),
        (400, "email is required", Code.MISSING_REQUIRED_FIELD),
        (500, "Order not found", Code.NOT_FOUND),
        (7, "It did not work", Code.UNKNOWN_ERROR),
        (600, "It did not work", Code.UNKNOWN_ERROR),
    ],
)
def test_a_status_in_place_of_a_number_is_read_and_does_not_license_the_same_call(number, message, code):
    fault = refused(message, number)

    assert (fault.code, fault.retry is Retry.SAME_CALL) == (code, False)


MAIL = [
    ("535 5.7.8 Username and Password not accepted", Code.UNAUTHORIZED),
    ("(535, b'5.7.8 Username and Password not accepted')", Code.UNAUTHORIZED),
    ("Invalid login: 535-5.7.8 Username and Password not accepted", Code.UNAUTHORIZED),
    ("535 Authentication credentials invalid", Code.UNAUTHORIZED),
    ("Can't send mail: 550 5.1.1 <a@b.example>: Recipient address rejected", Code.NOT_FOUND),
    ("550 Requested action not taken: mailbox unavailable", Code.NOT_FOUND),
    ("550 5.7.1 Relaying denied", Code.FORBIDDEN),
    ("553 5.1.2 bad address syntax", Code.INVALID_FORMAT),
    ("450 4.2.1 The mailbox is busy", Code.SERVICE_UNAVAILABLE),
    ("452 4.2.2 The mailbox is full", Code.SERVICE_UNAVAILABLE),
    ("450 rows could not be imported", Code.UNKNOWN_ERROR),
    ("Import: 452 records", Code.UNKNOWN_ERROR),
    ("550 letters were not mailed", Code.UNKNOWN_ERROR),
]


@pytest.mark.parametrize(("text", "code"), MAIL)
def test_a_reply_of_a_mail_server_is_read(text, code):
    fault = failed(text)

    assert (fault.code, fault.retry is Retry.SAME_CALL) == (code, False)


@pytest.mark.parametrize(
    ("text", "code", "retry"),
    [
        # A bug of the server, whatever its words resemble.
        ("Object reference not set to an instance of an object.", Code.INTERNAL_ERROR, Retry.NEVER),
        ("called `Option::unwrap()` on a `None` value", Code.INTERNAL_ERROR, Retry.NEVER),
        ("java.lang.ClassCastException: A cannot be cast to B", Code.INTERNAL_ERROR, Retry.NEVER),
        ("Index was outside the bounds of the array.", Code.INTERNAL_ERROR, Retry.NEVER),
        ("The API key is not set", Code.CONFIGURATION_ERROR, Retry.NEVER),
        ("The index is out of bounds for this page", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        # Nothing there, and XML that ends too soon.
        ("No element found for selector: #submit", Code.NOT_FOUND, Retry.FIX_INPUT),
        ("no element found: line 1, column 0", Code.SERIALIZATION_ERROR, Retry.NEVER),
        # Who may not see it is told that it may not exist.
        ("Issue does not exist or you do not have permission to see it.", Code.NOT_FOUND, Retry.FIX_INPUT),
        ("The project was not found or you don't have access to it", Code.NOT_FOUND, Retry.FIX_INPUT),
        ("You don't have permission, or the board does not exist", Code.NOT_FOUND, Retry.FIX_INPUT),
        ("You do not have permission to see this issue.", Code.FORBIDDEN, Retry.NEVER),
        ("403 Forbidden: not found or you do not have access", Code.FORBIDDEN, Retry.NEVER),
        # No argument chooses the method.
        ('Method "DELETE" not allowed.', Code.OPERATION_NOT_ALLOWED, Retry.NEVER),
        ("405 Method Not Allowed", Code.OPERATION_NOT_ALLOWED, Retry.NEVER),
        ("DELETE https://api.example/v1/x: 405 Method Not Allowed", Code.OPERATION_NOT_ALLOWED, Retry.NEVER),
        ('405 Method Not Allowed: {"message": "405 Method Not Allowed"}', Code.OPERATION_NOT_ALLOWED, Retry.NEVER),
        ("You are not allowed to delete this", Code.FORBIDDEN, Retry.NEVER),
        # A limit of a plan passes with no time.
        ("Task limit reached (5/5). Upgrade your plan to create more.", Code.INSUFFICIENT_BALANCE, Retry.NEVER),
        ("Storage quota exceeded", Code.INSUFFICIENT_BALANCE, Retry.NEVER),
        ("Usage limit reached", Code.INSUFFICIENT_BALANCE, Retry.NEVER),
        ("Usage limit reached, try again in 3 hours", Code.RATE_LIMITED, Retry.IF_HARMLESS),
        ("Rate limit reached. Upgrade your plan for a higher one.", Code.RATE_LIMITED, Retry.IF_HARMLESS),
        ("Quota exceeded: read requests per minute", Code.RATE_LIMITED, Retry.IF_HARMLESS),
        # What lies behind words for a broken connection.
        ("error sending request for url (https://a.example/): operation timed out", Code.TIMEOUT, Retry.IF_HARMLESS),
        ("error sending request for url (https://a.example/)", Code.NETWORK_ERROR, Retry.IF_HARMLESS),
        ("An error occurred with our connection to Stripe.", Code.NETWORK_ERROR, Retry.IF_HARMLESS),
        # A kind of thing, an option and a notation are no things.
        ("unknown object type: foo", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        ("unknown flag: --all", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        ("unknown escape sequence", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        ("unknown object: foo", Code.NOT_FOUND, Retry.FIX_INPUT),
        ("Refund amount is greater than unrefunded amount on charge", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        ("End date is before start date", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
    ],
)
def test_a_common_failure_is_not_taken_for_its_neighbour(text, code, retry):
    fault = failed(text)

    assert (fault.code, fault.retry) == (code, retry)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("msg_too_long", None),
        ("Search failed: invalid_blocks", None),
        ("ch_123: Payment captured, but the receipt failed: required key missing", None),
        ("pi_3mt8kz2e: Payment captured, required key missing", None),
        ("The content_base64 is not valid base64", "content_base64"),
        ("The value of page_2 must match", "page_2"),
        ("Argument of type 'ID!' is required", None),
        ('Required field "to" (to) is missing.', "to"),
    ],
)
def test_a_code_and_an_id_are_no_names_of_arguments(text, field):
    assert failed(text).field == field
