"""The dialects: formats in which a fault is put on the wire. Each is one file here, and one line in `_ALL`."""

from errata.dialects._dialect import Dialect, add_meta as add_meta, apply_trust as apply_trust
from errata.dialects._elicitation import (
    QUESTION_KEY as QUESTION_KEY,
    build_elicitation as build_elicitation,
    build_input_required as build_input_required,
    decode_needs_input,
    encode_needs_input,
)
from errata.dialects._envelope import (
    CORRELATION_ID as CORRELATION_ID,
    PRESUMED as PRESUMED,
    QUESTION as QUESTION,
    RETRY as RETRY,
    TOOL_CALL_ID as TOOL_CALL_ID,
    ErrorObject as ErrorObject,
    ToolResult as ToolResult,
    Trust as Trust,
    drop_licence as drop_licence,
    has_verdict as has_verdict,
    json_text as json_text,
    lower_hearsay as lower_hearsay,
    open_message as open_message,
    plain_object as plain_object,
    to_error_object as to_error_object,
    to_wire as to_wire,
    write_verdict_meta as write_verdict_meta,
)
from errata.dialects._error_response import ErrorCategory, ErrorResponseCode, category_of, error_response
from errata.dialects._json_rpc import (
    BASELINE as BASELINE,
    JsonRpcErrorCode,
    http_status_to_error_code,
    json_rpc,
)
from errata.dialects._jsonrpc_error import as_jsonrpc_error
from errata.dialects._mcp_tool_error import McpToolErrorCode, mcp_tool_error
from errata.dialects._native import native
from errata.dialects._native_lines import (
    OWN_WORDS as OWN_WORDS,
    read_lines as read_lines,
    to_seconds as to_seconds,
    write_lines as write_lines,
    write_retry_sentence as write_retry_sentence,
)
from errata.dialects._outgoing import (
    redact_fault as redact_fault,
    redact_question as redact_question,
    redact_reference as redact_reference,
)
from errata.dialects._payload import (
    flag_in as flag_in,
    integer_in as integer_in,
    items_in as items_in,
    object_in as object_in,
    present as present,
    read_payload as read_payload,
    text_in as text_in,
    texts_in as texts_in,
    write_payload as write_payload,
)
from errata.dialects._protocol import (
    FAULT as FAULT,
    INTERNAL_ERROR as INTERNAL_ERROR,
    INVALID_PARAMS as INVALID_PARAMS,
    NUMBER_OF as NUMBER_OF,
    code_of_number as code_of_number,
    read_embedded_fault as read_embedded_fault,
)
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
    """Return the names of the dialects; a reader that does not know which one it looks at tries them in this order."""
    return tuple(_ALL)


def get(name: str) -> Dialect:
    """Return the dialect of a name."""
    if dialect := _ALL.get(name):
        return dialect
    import difflib  # noqa: PLC0415 - needed by nobody who spells it right.

    near = difflib.get_close_matches(str(name), _ALL, n=1)
    advice = f"Did you mean `{near[0]}`?" if near else f"Choose one of {', '.join(f'`{known}`' for known in _ALL)}."
    raise LookupError(f"There is no dialect `{name}`. {advice}")
