"""MCP's own SDKs: mcp 2.x and 1.x, FastMCP. What a server's author wrote keeps its words; what the SDK wrapped comes out.

A number means what the protocol says (as in `dialects/_protocol.py`); one that several peers use for different things
is settled by the words beside it.
"""

from typing import cast

from errata.classification._carried import classify_status
from errata.classification._exception_rules import BUG, Classification, RuleResult, Table, first
from errata.classification._families._pydantic import by_arguments
from errata.classification._foreign import peek, read_exception, read_number, read_text
from errata.classification._words import classify_words
from errata.model import Code, FieldIssue, is_a
from errata.redaction import text_of

# fmt: off
_BY_NUMBER = {
    -32700: Code.PARSE_ERROR,
    -32600: Code.INVALID_REQUEST,
    -32601: Code.METHOD_NOT_FOUND,
    -32602: Code.INVALID_PARAMS,
    -32002: Code.NOT_FOUND,        # Resource not found, until 2025-11-25
    -32020: Code.INVALID_REQUEST,  # HeaderMismatch
    -32021: Code.INVALID_REQUEST,  # MissingRequiredClientCapability
    -32022: Code.INVALID_REQUEST,  # UnsupportedProtocolVersion
    -32042: Code.UNAUTHORIZED,     # URLElicitationRequired: the user is to sign in, or to consent, elsewhere
}
_UNLESS_WORDS_SAY_MORE = {
    -32603: Code.INTERNAL_ERROR,   # Whatever went wrong over there
    -32001: Code.TIMEOUT,          # The SDK's own; NotFound in the json-rpc dialect and in FastMCP's middleware
    -32000: Code.NETWORK_ERROR,    # The SDK's own; FastMCP's time limit and its rate limit, too
}
_OAUTH = {
    "access_denied": Code.FORBIDDEN,
    "invalid_client": Code.UNAUTHORIZED,
    "invalid_grant": Code.UNAUTHORIZED,
    "invalid_target": Code.INVALID_PARAMS,
    "server_error": Code.UPSTREAM_ERROR,
    "temporarily_unavailable": Code.SERVICE_UNAVAILABLE,
    "unauthorized_client": Code.UNAUTHORIZED,
}
# fmt: on

_WRAPPED = (
    "Error executing tool ",
    "Error calling tool ",
    "Error reading resource ",
    "Error creating resource ",
    "Error rendering prompt ",
    "Error reading file ",
    "Error listing directory ",
    "Error reading directory ",
    "Rate limited by upstream API, please retry later",
    "Upstream request timed out, please retry",
)
"""How the texts begin that the SDKs put around somebody else's exception."""


def _by_number(error: BaseException) -> Classification | Code:
    """The JSON-RPC number it carries, and its words where the number says little."""
    number = read_number(error, "error", "code") or read_number(error, "code") or 0
    if number == -32602 and read_text(error, "error", "data", "uri"):  # noqa: PLR2004 - SEP-2164: no such resource
        return Code.NOT_FOUND
    if code := _BY_NUMBER.get(number):
        return code
    if 400 <= number <= 599:  # noqa: PLR2004 - mcp 1.x and FastMCP send HTTP's 408
        return classify_status(number, error)
    return _by_words(error) or _UNLESS_WORDS_SAY_MORE.get(number, Code.UNKNOWN_ERROR)


def _by_words(error: BaseException) -> Classification | None:
    """What its text says, which a person wrote, or another server."""
    meant = classify_words(text_of(error))
    return None if meant is None else meant._replace(is_prose=not meant.is_declared)


def _by_wrapped(error: BaseException) -> RuleResult:
    """What the SDK put its own words around."""
    cause = read_exception(error, "__cause__")
    if cause is None or not text_of(error).startswith(_WRAPPED):
        return None
    return _bad_arguments(cause) or (BUG if _is_a_model(cause) else cause)


def _is_a_model(error: BaseException) -> bool:
    """Return whether a model in the body of a tool, or of its result, did not fit: the caller sent nothing wrong."""
    kind = type(error)
    return kind.__name__ == "ValidationError" and kind.__module__.startswith("pydantic")


def _by_author(error: BaseException) -> RuleResult:
    """What its author wrote, unless its cause tells more."""
    return None if read_exception(error, "__cause__") else _by_words(error) or Code.UNKNOWN_ERROR


def _of_arguments(error: BaseException) -> RuleResult:
    """The arguments that do not fit."""
    cause = read_exception(error, "__cause__")
    return None if cause is None else _bad_arguments(cause)


# The titles are those of the SDK's model (`get_orderArguments`) and of FastMCP's (`call[get_order]`).
def _bad_arguments(error: BaseException) -> Classification | None:
    """Return what is wrong with each argument of a tool; None for an exception that is not about its arguments."""
    title = read_text(error, "title") or ""
    if title.endswith("Arguments"):
        return by_arguments(error, title.removesuffix("Arguments"))
    if title.startswith("call["):
        return by_arguments(error, title.removeprefix("call[").removesuffix("]"))
    return None


def _by_oauth_word(error: BaseException) -> Classification:
    """OAuth's word for it, and its description."""
    word = read_text(error, "error") or ""
    return Classification(
        _OAUTH.get(word, Code.INVALID_REQUEST), text=read_text(error, "error_description") or word or None
    )


def _sign_in(error: BaseException) -> Classification | Code:
    """Whether the authorization server was down, or did not let us in."""
    meant = _by_words(error)
    return meant if meant is not None and meant.code in _DOWN else Code.UNAUTHORIZED


_DOWN = {Code.TIMEOUT, Code.NETWORK_ERROR, Code.SERVICE_UNAVAILABLE, Code.UPSTREAM_ERROR, Code.RATE_LIMITED}


def _with_message(error: BaseException) -> Classification:
    """The message it carries, which `str()` does not show."""
    return Classification(Code.INVALID_PARAMS, text=read_text(error, "message"))


def _question(error: BaseException) -> Classification:
    """Not a failure: the tool asks for something before it acts. Who cannot ask the user must add it to the call."""
    fields = peek(error, "fields")
    names = cast("tuple[object, ...]", fields) if is_a(fields, tuple) else ()
    issues = tuple(FieldIssue(field=text_of(name), problem="is needed") for name in names)
    return Classification(Code.MISSING_REQUIRED_FIELD, issues=issues)


# fmt: off
TABLE: Table = {
    "errata.model._needs_input.NeedsInput": _question,

    "mcp.shared.exceptions.MCPError": _by_number,
    "mcp.shared.exceptions.McpError": _by_number,  # 1.x
    "mcp.server.mcpserver.exceptions.PromptError": _by_wrapped,
    "mcp.server.mcpserver.exceptions.ResourceError": _by_wrapped,
    "mcp.server.mcpserver.exceptions.ToolError": _by_wrapped,
    "mcp.server.mcpserver.exceptions.UnexpectedResourceError": first(_by_wrapped, Code.INTERNAL_ERROR),
    "mcp.server.mcpserver.exceptions.UnexpectedToolError": first(_by_wrapped, Code.INTERNAL_ERROR),
    "mcp.server.fastmcp.exceptions.FastMCPError": first(_by_wrapped, _by_author),  # 1.x
    "mcp.server.auth.provider.AuthorizeError": _by_oauth_word,
    "mcp.server.auth.provider.RegistrationError": _by_oauth_word,
    "mcp.server.auth.provider.TokenError": _by_oauth_word,
    "mcp.shared.auth.InvalidRedirectUriError": _with_message,
    "mcp.shared.auth.InvalidScopeError": _with_message,
    "mcp.client.auth.exceptions.OAuthFlowError": _sign_in,
    "mcp.client.auth.exceptions.OAuthRegistrationError": _sign_in,
    "mcp.client.auth.exceptions.OAuthTokenError": _sign_in,

    "fastmcp.exceptions.MCPError": _by_number,  # Its stand-in where mcp is not installed
    "fastmcp.exceptions.PromptError": _by_wrapped,
    "fastmcp.exceptions.ResourceError": _by_wrapped,
    "fastmcp.exceptions.ToolError": _by_wrapped,
    "fastmcp.exceptions.ValidationError": first(_of_arguments, Code.INVALID_PARAMS),
    "fastmcp.server.auth.cimd.CIMDFetchError": _sign_in,
}
# fmt: on
