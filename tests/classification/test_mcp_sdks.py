"""MCP's SDKs: what their wrappers hold comes out, what an author wrote stays, numbers mean what the protocol says."""

import asyncio

import pytest
from support.library_tables import Library, check_decided, check_names, module

from errata import Code, NeedsInput, Retry, classify
from errata.classification import explain

LIBRARIES = [
    Library(
        "mcp",
        (
            "mcp",
            "mcp.shared.exceptions",
            "mcp.shared.auth",
            "mcp.shared.path_security",
            "mcp.shared.uri_template",
            "mcp.server.mcpserver.exceptions",
            "mcp.server.mcpserver.resources.templates",
            "mcp.server.auth.middleware.client_auth",
            "mcp.server.auth.provider",
            "mcp.server.request_state",
            "mcp.client._input_required",
            "mcp.client.auth.exceptions",
            "mcp.client.extension",
            "mcp.client.streamable_http",
            "mcp.client.subscriptions",
        ),
        telling=frozenset({"builtins.Warning"}),
        former=frozenset(
            {
                "mcp.shared.exceptions.McpError",
                "mcp.server.fastmcp.exceptions.FastMCPError",
                "mcp.server.mcpserver.exceptions.PromptError",
                "mcp.server.mcpserver.exceptions.ValidationError",
            }
        ),
    ),
    Library(
        "fastmcp",
        (
            "fastmcp.exceptions",
            "fastmcp.client.auth.oauth",
            "fastmcp.server.auth.cimd",
            "fastmcp.server.auth.identity_assertion",
            "fastmcp.server.auth.ssrf",
            "fastmcp.server.middleware.rate_limiting",
            "fastmcp.server.sessions",
            "fastmcp.tools.function_tool",
        ),
        telling=frozenset({"builtins.Warning"}),
        former=frozenset({"fastmcp.exceptions.MCPError"}),
    ),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_exception_of_a_library_is_decided_about(library):
    check_decided(library)


def official():
    return module("mcp.server.mcpserver").MCPServer("test")


def fast(**options):
    return module("fastmcp").FastMCP("test", **options)


SERVERS = [official, fast]


def failing(server, tool, arguments=None):
    """Register a tool, call it, and give what the server raises for hooks to see."""
    server.tool()(tool)
    try:
        asyncio.run(server.call_tool(tool.__name__, arguments or {}))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the sample
        return error
    raise AssertionError


def books(title: str, edition: int) -> str:
    return f"{title} {edition}"


@pytest.mark.parametrize("server", SERVERS)
def test_a_crash_in_a_tool_is_what_crashed(server):
    def crash() -> str:
        raise PermissionError(13, "Permission denied")

    error = failing(server(), crash)
    assert classify(error).code is Code.FORBIDDEN
    assert explain(error).trail[-1] == "builtins.PermissionError"


@pytest.mark.parametrize("server", SERVERS)
def test_bad_arguments_name_their_fields_and_not_their_values(server):
    fault = classify(failing(server(), books, {"title": "A", "edition": "hunter2"}))
    assert (fault.code, [issue.field for issue in fault.issues]) == (Code.INVALID_PARAMS, ["edition"])
    assert "hunter2" not in fault.message


@pytest.mark.parametrize("server", SERVERS)
def test_an_argument_that_is_not_there_is_missing(server):
    fault = classify(failing(server(), books, {"title": "A"}))
    assert (fault.code, [issue.field for issue in fault.issues]) == (Code.MISSING_REQUIRED_FIELD, ["edition"])


@pytest.mark.parametrize("server", SERVERS)
def test_a_model_that_breaks_in_the_body_is_a_bug_and_no_bad_argument(server):
    pydantic = module("pydantic")

    class Order(pydantic.BaseModel):
        number: int

    def crash() -> str:
        return str(Order(number="hunter2"))

    fault = classify(failing(server(), crash))
    assert (fault.code, fault.message) == (Code.INTERNAL_ERROR, Code.INTERNAL_ERROR.sentence)


def test_a_result_that_breaks_its_own_schema_is_a_bug():
    def count() -> int:
        return "hunter2"

    assert classify(failing(official(), count)).code is Code.INTERNAL_ERROR


@pytest.mark.parametrize("name", ["mcp.server.mcpserver.exceptions", "fastmcp.exceptions"])
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Invoice 12 is already paid", Code.CONFLICT),
        ("The moon is in the wrong phase.", Code.UNKNOWN_ERROR),
        ("Unknown tool: nope", Code.NOT_FOUND),
    ],
)
def test_what_an_author_wrote_keeps_its_words(name, text, code):
    fault = classify(module(name).ToolError(text))
    assert (fault.code, fault.message, fault.retryable) == (code, text, False)


@pytest.mark.parametrize("server", SERVERS)
def test_an_author_s_error_keeps_its_words_inside_the_sdk_s(server):
    kind = module("mcp.server.mcpserver.exceptions" if server is official else "fastmcp.exceptions").ToolError

    def refuse() -> str:
        raise kind("The moon is in the wrong phase.")

    fault = classify(failing(server(), refuse))
    assert (fault.code, fault.message) == (Code.UNKNOWN_ERROR, "The moon is in the wrong phase.")


def test_a_protocol_error_comes_out_of_the_tool_error_around_it():
    protocol_error = module("mcp").MCPError

    def refuse() -> str:
        raise protocol_error(-32602, "Unknown resource", {"uri": "x://nope"})

    assert classify(failing(fast(), refuse)).code is Code.NOT_FOUND


@pytest.mark.parametrize("masked", [True, False])
def test_fastmcp_hides_neither_a_timeout_nor_a_refused_connection(masked):
    def slow() -> str:
        raise TimeoutError

    def refused() -> str:
        raise ConnectionRefusedError(111, "Connection refused")

    assert classify(failing(fast(mask_error_details=masked), slow)).code is Code.TIMEOUT
    assert classify(failing(fast(mask_error_details=masked), refused)).retry is Retry.SAME_CALL


@pytest.mark.parametrize(
    ("number", "message", "code"),
    [
        (-32700, "Parse error", Code.PARSE_ERROR),
        (-32600, "Session terminated", Code.INVALID_REQUEST),
        (-32601, "Method not found", Code.METHOD_NOT_FOUND),
        (-32601, "Not Found", Code.METHOD_NOT_FOUND),
        (-32602, "Invalid request parameters", Code.INVALID_PARAMS),
        (-32603, "Server returned an error response", Code.INTERNAL_ERROR),
        (-32603, "Rate limit exceeded", Code.RATE_LIMITED),
        (-32002, "Resource not found", Code.NOT_FOUND),
        (-32001, "Request 'tools/call' timed out", Code.TIMEOUT),
        (-32001, "Order 7 does not exist", Code.NOT_FOUND),
        (-32000, "Connection closed", Code.NETWORK_ERROR),
        (-32000, "Tool 'x' execution timed out after 5.0s", Code.TIMEOUT),
        (-32022, "Unsupported protocol version", Code.INVALID_REQUEST),
        (-32042, "URL elicitation required", Code.UNAUTHORIZED),
        (408, "Timed out while waiting for response.", Code.TIMEOUT),
        (7, "?", Code.UNKNOWN_ERROR),
    ],
)
def test_a_number_means_what_the_protocol_says_and_else_what_stands_beside_it(number, message, code):
    fault = classify(module("mcp").MCPError(number, message))
    assert fault.code is code


def test_a_number_is_found_where_the_first_sdk_kept_it():
    data = type("ErrorData", (), {"code": -32601, "message": "Method not found", "data": None})()
    error = type("McpError", (Exception,), {"__module__": "mcp.shared.exceptions"})("Method not found")
    error.error = data
    assert classify(error).code is Code.METHOD_NOT_FOUND


def test_a_server_that_does_not_let_us_in_is_told_from_one_that_is_down():
    errors = module("mcp.client.auth.exceptions")
    assert classify(errors.OAuthTokenError("Token exchange failed (400): invalid_grant")).code is Code.UNAUTHORIZED
    assert classify(errors.OAuthTokenError("Token exchange failed: HTTP 503")).code is Code.SERVICE_UNAVAILABLE


def test_a_question_is_no_bug():
    fault = classify(NeedsInput("Which pattern?", fields=["pattern_id"]))
    assert (fault.code, fault.message) == (Code.MISSING_REQUIRED_FIELD, "Which pattern?")
    assert [issue.field for issue in fault.issues] == ["pattern_id"]
