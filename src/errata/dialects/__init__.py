"""The languages a fault is spoken in. A dialect is one file here, and one line in `_ALL`."""

from errata.dialects._beside import (
    CORRELATION_ID as CORRELATION_ID,
    PRESUMED as PRESUMED,
    RETRY as RETRY,
    has_verdict as has_verdict,
    verdict_beside as verdict_beside,
)
from errata.dialects._canonical import to_object as to_object
from errata.dialects._content import json_text as json_text
from errata.dialects._dialect import Dialect, believed as believed, with_what_is_beside as with_what_is_beside
from errata.dialects._elicitation import (
    QUESTION_KEY as QUESTION_KEY,
    elicitation as elicitation,
    input_required as input_required,
)
from errata.dialects._error_object import as_jsonrpc_error
from errata.dialects._error_response import ErrorCategory, ErrorResponseCode, category_of, error_response
from errata.dialects._incoming import (
    QUESTION as QUESTION,
    ErrorObject as ErrorObject,
    ToolResult as ToolResult,
    Word as Word,
    incoming as incoming,
    lower_hearsay as lower_hearsay,
    plain_object as plain_object,
    without_licence as without_licence,
)
from errata.dialects._json_rpc import BASELINE as BASELINE, JsonRpcErrorCode, http_status_to_error_code, json_rpc
from errata.dialects._lines import from_lines as from_lines, lines_of as lines_of
from errata.dialects._mcp_tool_error import McpToolErrorCode, mcp_tool_error
from errata.dialects._members import (
    flag_in as flag_in,
    integer_in as integer_in,
    items_in as items_in,
    object_in as object_in,
    present as present,
    text_in as text_in,
    texts_in as texts_in,
)
from errata.dialects._native import native
from errata.dialects._needs_input import decode_needs_input, encode_needs_input
from errata.dialects._outgoing import (
    outgoing as outgoing,
    outgoing_question as outgoing_question,
    outgoing_reference as outgoing_reference,
)
from errata.dialects._protocol import (
    INTERNAL_ERROR as INTERNAL_ERROR,
    INVALID_PARAMS as INVALID_PARAMS,
    NUMBER_OF as NUMBER_OF,
    code_of_number as code_of_number,
    fault_in as fault_in,
)
from errata.dialects._sentences import retry_sentence as retry_sentence, seconds as seconds
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
