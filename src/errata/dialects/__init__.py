"""The languages a fault is spoken in. A dialect is one file here, and one line in `_ALL`."""

from errata.dialects._dialect import Dialect
from errata.dialects._error_object import as_jsonrpc_error
from errata.dialects._error_response import ErrorCategory, ErrorResponseCode, category_of, error_response
from errata.dialects._json_rpc import JsonRpcErrorCode, http_status_to_error_code, json_rpc
from errata.dialects._mcp_tool_error import McpToolErrorCode, mcp_tool_error
from errata.dialects._native import native
from errata.dialects._needs_input import decode_needs_input, encode_needs_input
from errata.dialects._taxonomy import MCPErrorCode, get_default_recovery, taxonomy
from errata.dialects._tool_error_v1 import ToolErrorCode, tool_error_v1

__all__ = [
    "Dialect",
    "ErrorCategory",
    "ErrorResponseCode",
    "JsonRpcErrorCode",
    "MCPErrorCode",
    "McpToolErrorCode",
    "ToolErrorCode",
    "as_jsonrpc_error",
    "category_of",
    "decode_needs_input",
    "encode_needs_input",
    "error_response",
    "get",
    "get_default_recovery",
    "http_status_to_error_code",
    "json_rpc",
    "mcp_tool_error",
    "names",
    "native",
    "taxonomy",
    "tool_error_v1",
]

_ALL: dict[str, Dialect] = {
    dialect.name: dialect for dialect in (native, mcp_tool_error, error_response, tool_error_v1, json_rpc, taxonomy)
}


MARKS: frozenset[frozenset[str]] = frozenset(dialect.mark for dialect in _ALL.values())
"""The sets of keys of which every payload has one."""


def names() -> tuple[str, ...]:
    """List the dialects by name; a reader that does not know which one it looks at asks them in this order."""
    return tuple(_ALL)


def get(name: str) -> Dialect:
    """Look a dialect up by its name."""
    if dialect := _ALL.get(name):
        return dialect
    import difflib  # noqa: PLC0415 - needed by nobody who spells it right.

    near = difflib.get_close_matches(str(name), _ALL, n=1)
    advice = f"Did you mean `{near[0]}`?" if near else f"Choose one of {', '.join(f'`{known}`' for known in _ALL)}."
    raise LookupError(f"There is no dialect `{name}`. {advice}")
