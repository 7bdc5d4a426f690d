"""What an answer means to whoever has the request, and the tool's schema, in hand."""

import pytest
from hypothesis import given, strategies as st
from mcp_types import CallToolRequestParams, Tool
from support.strategies import json_objects, json_values

import errata
from errata import Code, Fault, Retry


def answered(text, arguments, *, is_error=True, schema=None, tool="do_it"):
    """Read a text as the answer to a call."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    entry = {"name": tool, "inputSchema": schema} if schema else None
    result = {"content": [{"type": "text", "text": text}], "isError": is_error}
    return errata.decode({"jsonrpc": "2.0", "id": 1, "result": result}, request=request, tool=entry)


ABOUT_ONE = [
    # A value that is quoted, or a part of one.
    ("Unknown unit 'km' in weight. Supported units: kg, g", {"value": 1, "from": "kg", "to": "km"}, "to"),
    ('syntax error at or near "selec" (SQLSTATE 42601)', {"sql": "selec * from t", "limit": 5}, "sql"),
    ('relation "orders" does not exist', {"sql": "select * from orders", "database": "shop"}, "sql"),
    # A value that is mentioned, in the first sentence before all others.
    ("Unknown unit: parsec2. Supported units: m, km, kg", {"value": 1, "from": "parsec2", "to": "km"}, "from"),
    ("No such file or directory: /srv/a.txt", {"path": "/srv/a.txt", "mode": "read"}, "path"),
    # A name, in whatever way it is written, and the kind of thing that a name is about.
    ("Page size is out of range", {"pageSize": 500, "query": "x"}, "pageSize"),
    ("Session not found", {"session_id": "s-1", "limit": 3}, "session_id"),
    ("Invalid prefix length: 99", {"cidr": "10.0.0.0/99", "action": "range"}, "cidr"),
    # The language that it is written in.
    ("unterminated character set at position 1", {"pattern": "([A-", "column": "level"}, "pattern"),
    ("Expecting property name enclosed in double quotes: line 1", {"query": "{a", "indent": 2}, "query"),
    # An item stands for its list.
    ("The edge 'a' must be a pair", {"graph": "g", "edges": ["a"]}, "edges"),
]


@pytest.mark.parametrize(("text", "arguments", "field"), ABOUT_ONE, ids=[field for _, _, field in ABOUT_ONE])
def test_the_argument_is_named_that_an_answer_is_about(text, arguments, field):
    assert answered(text, arguments).field == field


@pytest.mark.parametrize("text", ["Invalid value", "The input is not valid", "Bad request"])
def test_what_does_not_fit_the_schema_is_what_was_refused(text):
    schema = {"properties": {"days": {"type": "integer", "maximum": 30}, "city": {"type": "string"}}}

    assert answered(text, {"days": 90, "city": "Oslo"}, schema=schema).field == "days"
    assert answered(text, {"days": "9", "city": "Oslo"}, schema=schema).field == "days"
    assert answered(text, {"days": 9, "city": "Oslo"}, schema=schema).field is None


def test_what_the_tool_requires_and_the_request_lacks_is_what_is_missing():
    schema = {"properties": {"title": {}, "body": {}}, "required": ["title", "body"]}

    fault = answered("A required argument was not provided", {"body": "x"}, schema=schema)

    assert (fault.field, fault.code) == ("title", Code.MISSING_REQUIRED_FIELD)
    assert [(issue.field, issue.problem) for issue in fault.issues] == [("title", "is required")]


@pytest.mark.parametrize(
    "text",
    [
        "Unknown tool: do_it",
        "Tool do_it not found",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "Invalid API key",
        "You do not have permission to read reports",
        "Cannot read properties of undefined (reading 'city')",
        "The service is temporarily unavailable",
        "403 Forbidden: the token lacks the scope for Oslo",
        "Something broke in Oslo",
        "SSL certificate file not found",
    ],
)
def test_no_argument_is_blamed_for_what_is_about_none(text):
    assert answered(text, {"city": "Oslo"}).field is None


@pytest.mark.parametrize("where", ["../../etc/passwd", "/etc/passwd", "http://127.0.0.1:9200/"])
def test_a_place_out_of_bounds_is_an_argument(where):
    fault = answered(f"Access denied: {where} is not allowed", {"target": where, "mode": "r"})

    assert (fault.code, fault.field) == (Code.FORBIDDEN, "target")


def test_who_is_blamed_may_correct_what_nobody_knew_whose_fault_it_was():
    text, arguments = 'column "colour" does not exist: database error', {"sql": "select colour from t", "limit": 1}

    assert (
        errata.decode({"content": [{"type": "text", "text": "database error"}], "isError": True}).retry is Retry.NEVER
    )
    assert answered(f"database error near 'colour': {text}", arguments).retry is Retry.FIX_INPUT


@pytest.mark.parametrize("text", ["No such order: {}", "Invalid prefix: {}", "Could not delete order {}"])
@pytest.mark.parametrize("number", [429, 502, 503])
def test_a_number_of_the_callers_is_no_status(text, number):
    fault = answered(text.format(number), {"order": number})

    assert (fault.retryable, fault.http_status) == (False, None)


LICENSING = ["503 Service Unavailable", "timed out", "Too Many Requests", "connection refused", "rate limit exceeded"]


@pytest.mark.parametrize("title", LICENSING)
@pytest.mark.parametrize("text", ["There is no ticket called {}.", "No ticket with the title {} was found"])
def test_what_the_caller_wrote_decides_nothing(text, title):
    fault = answered(text.format(title), {"title": title, "project": "web"})

    assert (fault.code, fault.retryable) == (Code.NOT_FOUND, False)


REPOSITORY = {"owner": "acme", "repo": "web"}


@pytest.mark.parametrize(
    ("text", "arguments", "code"),
    [
        ("POST https://api.example/repos/acme/web/issues: 410 Issues are off []", REPOSITORY, Code.GONE),
        ("GET https://api.example/repos/acme/web/issues: 401 []", REPOSITORY, Code.UNAUTHORIZED),
        ("GET https://api.example/repos/acme/web/issues: 404 []", REPOSITORY | {"method": "GET"}, Code.NOT_FOUND),
        ("GET https://api.example/timeout/x: 403 []", {"url": "https://api.example/timeout/x"}, Code.FORBIDDEN),
        ("Request timed out", {"sort": "time"}, Code.TIMEOUT),
        ("connect ETIMEDOUT 192.0.2.1:443", {"kind": "TIME"}, Code.TIMEOUT),
        ("fetch failed", {"status": "failed"}, Code.NETWORK_ERROR),
        ("connection refused", {"status": "refused", "q": "connection"}, Code.NETWORK_ERROR),
        ("timeout", {"setting": "timeout"}, Code.TIMEOUT),
    ],
)
def test_a_word_that_the_caller_sent_as_well_does_not_hide_what_the_server_says(text, arguments, code):
    assert answered(text, arguments).code is code


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("could not keep GET https://a.example/x: 503 here", {"title": "GET https://a.example/x: 503 here"}),
        ("could not GET https://a.example/x: 503 here", {"title": "https://a.example/x: 503 here"}),
        ("ticket OVER_QUERY_LIMIT: no", {"title": "OVER_QUERY_LIMIT"}),
        ("503 Service Unavailable", {"title": "503 Service Unavailable"}),
        ("'timeout'", {"key": "timeout"}),
        ("Invalid value for rate limit", {"name": "rate"}),
        ("Could not save the note (timeout)", {"note": "timeout"}),
    ],
)
def test_words_that_the_caller_sent_license_nothing_wherever_they_stand(text, arguments):
    assert answered(text, arguments).retryable is False


@pytest.mark.parametrize(
    ("text", "arguments", "field"),
    [
        ('{"details": [{"field": "email", "message": "is invalid"}]}', {"id": 3}, "email"),
        ('{"error": "Validation failed", "details": [{"field": "email", "message": "is bad"}]}', {"id": 3}, "email"),
        ("amount must be positive", {"id": 3}, "amount"),
        ('Required field "to" (to) is missing.', {"instructions": "x"}, "to"),
        ("Missing required parameter", {"instructions": "x"}, None),
        ("Invalid value", {"id": 3}, "id"),
        ("The value is out of range", {"id": 3}, "id"),
    ],
)
def test_the_only_argument_is_not_blamed_for_another_that_the_answer_names(text, arguments, field):
    assert answered(text, arguments).field == field


def test_an_answer_that_gives_the_callers_own_words_back_is_no_failure():
    text = "Error: could not connect to the database, please advise"

    assert answered(text, {"text": text}, is_error=False) is None
    assert answered(text, {"text": "another"}, is_error=False) is not None


@pytest.mark.parametrize("tool", ["translate", "translate_text"])
def test_a_translation_is_no_failure(tool):
    arguments = {"text": "File not found: a.txt"}

    assert answered("Datei nicht gefunden: a.txt", arguments, is_error=False, tool=tool) is None
    assert answered('{"success": false, "error": "Quota exceeded"}', arguments, is_error=False, tool=tool) is not None


def test_many_arguments_and_quotations_cost_little():
    """Which of a thousand is meant nobody can tell; a short answer must not keep the reader busy."""
    arguments = {f"arg_{number}": f"cab {number} ab" for number in range(1_000)}

    assert not answered("refused: " + "'ab' " * 400, arguments).field
    assert not answered("refused: " + "'ab' " * 400, dict(list(arguments.items())[:100])).field


def test_requests_and_tools_of_an_sdk_are_read_as_well():
    params = CallToolRequestParams(name="add", arguments={"a": "x", "b": 2})
    tool = Tool(
        name="add", inputSchema={"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
    )
    result = {"content": [{"type": "text", "text": "Invalid arguments"}], "isError": True}

    assert errata.decode(result, request=params, tool=tool).field == "a"


@given(json_values | json_objects, json_values | json_objects, json_values | json_objects)
def test_whatever_request_and_tool_are_nothing_is_raised(message, request, tool):
    assert isinstance(errata.decode(message, request=request, tool=tool), Fault | None)


names = st.sampled_from(["city", "path", "sql", "limit", "a.b", "", "é", "x" * 300])


@given(st.dictionaries(names, json_values), json_values, st.text(max_size=200))
def test_whatever_the_arguments_are_a_failure_stays_one(arguments, schema, text):
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    request = {"params": {"name": "t", "arguments": arguments}}
    entry = {"name": "t", "inputSchema": {"properties": schema, "required": schema}}

    assert isinstance(errata.decode(result, request=request, tool=entry), Fault)


@given(st.dictionaries(names, json_values), st.text(max_size=200))
def test_a_request_licenses_no_repetition(arguments, text):
    """With the request, a verdict may become that other arguments may work, and never that the same call does."""
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    plain = errata.decode(result)
    fault = errata.decode(result, request={"params": {"name": "t", "arguments": arguments}})

    if not any(isinstance(value, str) and value.strip() and value.strip() in text for value in arguments.values()):
        assert fault.retry in (plain.retry, Retry.FIX_INPUT)
    assert fault.retry is not Retry.SAME_CALL
