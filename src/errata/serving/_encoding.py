"""Step 5, encode: the JSON of the reply, in the words of a dialect and with what goes around them."""

from collections.abc import Mapping
from typing import NamedTuple, cast

from errata.dialects import (
    CORRELATION_ID,
    PRESUMED,
    RETRY,
    Dialect,
    as_jsonrpc_error,
    native,
    redact_reference,
    write_verdict_meta,
)
from errata.model import Code, Fault, Retry, add_identity, replace_fields
from errata.redaction import as_object, put_on_one_line
from errata.serving._adapter import NO_HANDLER, Adapter, look_up_handler
from errata.serving._requests import Kind, Request
from errata.serving._settling import Settled

_MARKDOWN = "markdown"


class ServerReply(NamedTuple):
    """What a server sends for a failed request, and the fault that it is about."""

    fault: Fault
    encoded: dict[str, object]
    """The JSON of a `CallToolResult`, or of a JSON-RPC error."""
    correlation_id: str | None
    timestamp: str | None

    def identify_fault(self) -> Fault:
        """Return the fault with this reply's reference and time: a reply from memory has the fault of an earlier one."""
        return replace_fields(self.fault, correlation_id=self.correlation_id, timestamp=self.timestamp)


async def encode_reply(
    settled: Settled, advised: Fault, request: Request, dialect: Dialect, adapter: Adapter
) -> ServerReply:
    """Encode a tool's failure in its dialect, and any other as a JSON-RPC error."""
    fault = settled.fault
    if request.kind is not Kind.TOOL:
        return encode_protocol_error(fault, advised, dialect)
    handler = await look_up_handler(adapter, request) if dialect.follows_format else NO_HANDLER
    encoded = dialect.encode(advised, format=choose_format(request, handler.input_schema))
    encoded = add_meta(encoded, fault, dialect, is_presumed=settled.presumed_by is not None)
    return ServerReply(fault, encoded, fault.correlation_id, fault.timestamp)


def encode_protocol_error(fault: Fault, advised: Fault, dialect: Dialect = native) -> ServerReply:
    """Encode a fault as a JSON-RPC error. Its data reaches no model, so the message has the reference, too."""
    encoded = as_jsonrpc_error(advised, dialect=dialect)
    if reference := redact_reference(fault.correlation_id):
        encoded["message"] = f"{encoded['message']} Reference: {put_on_one_line(reference)}."
    return ServerReply(fault, encoded, fault.correlation_id, fault.timestamp)


def encode_bare_reply(request: Request) -> ServerReply:
    """Encode an internal error without words: for when working out the reply has failed as well."""
    fault = add_identity(Fault(code=Code.INTERNAL_ERROR))
    if request.kind is not Kind.TOOL:
        return encode_protocol_error(fault, fault)
    return ServerReply(fault, native.encode(fault), fault.correlation_id, fault.timestamp)


def choose_format(request: Request, schema: Mapping[str, object]) -> str:
    """Return the format that a tool's caller wants: by the tool's own `format` argument, if it has one."""
    declared = as_object(as_object(schema.get("properties")).get("format"))
    if not declared:
        return _MARKDOWN
    wanted = request.arguments.get("format", declared.get("default"))
    return wanted if isinstance(wanted, str) else _MARKDOWN


def add_meta(
    encoded: dict[str, object], fault: Fault, dialect: Dialect, *, is_presumed: bool = False
) -> dict[str, object]:
    """Put into `_meta` what the dialect has no field for: the correlation id, and the verdict to the letter.

    Where leave to repeat is only presumed, that is there as well, so that no client of errata's repeats because of it.
    """
    meta: dict[str, object] = {PRESUMED: True} if is_presumed and fault.retry is Retry.SAME_CALL else {}
    if not dialect.carries_reference and (reference := redact_reference(fault.correlation_id)):
        meta[CORRELATION_ID] = reference
    if not dialect.carries_verdict and (verdict := write_verdict_meta(fault)):
        meta[RETRY] = verdict
    return encoded | {"_meta": meta} if meta else encoded


def is_plain(encoded: Mapping[str, object]) -> bool:
    """Return whether a result is text blocks with data, as errata's own dialects write it; others need validation."""
    content = encoded.get("content")
    if not isinstance(content, list) or not isinstance(encoded.get("structuredContent"), dict):
        return False
    return all(map(_is_plain_text, cast("list[object]", content)))


def _is_plain_text(block: object) -> bool:
    members = cast("dict[str, object]", block) if isinstance(block, dict) else {}
    is_text = members.get("type") == "text" and isinstance(members.get("text"), str)
    return is_text and members.keys() <= _TEXT_MEMBERS


_TEXT_MEMBERS = {"type", "text", "mimeType"}
"""Of a text block that can be built without validation; MCP's have no `mimeType`, so it is left out."""
