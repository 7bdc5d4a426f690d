"""The envelopes of MCP: results and errors are opened without trusting them; content blocks and `_meta` are written."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import NamedTuple, cast

from errata.dialects._outgoing import redact_field
from errata.dialects._payload import integer_in, items_in, object_in, present, text_in
from errata.model import (
    NO_RECOVERY,
    Fault,
    Retry,
    decide_retry,
    items_of,
    known_word,
    replace_fields,
    text_or_none,
    wait_ms,
)
from errata.redaction import as_object, defuse_json, jsonable, put_on_one_line, text_of

CORRELATION_ID = "errata/correlationId"
RETRY = "errata/retry"
PRESUMED = "errata/presumed"
"""Whether the verdict rests on the name of a tool or on the request that failed, and not on what its author declared."""
_WORTH_SAYING = frozenset({Retry.SAME_CALL, Retry.IF_HARMLESS, Retry.VERIFY_FIRST})
"""The verdicts that a dialect's words do not tell apart."""
_SIZE = 64 * 1024 * 1024
_DEPTH = 100
_MOST_BLOCKS = 100
_ALIASES = {"is_error": "isError", "structured_content": "structuredContent", "meta": "_meta"}
_ENVELOPE = frozenset({"jsonrpc", "id", "result", "error", "content", "structuredContent"})
_MEMBERS = _ENVELOPE.union(_ALIASES, _ALIASES.values())

TOOL_CALL_ID = "tool_call_id"
"""What a framework's tool message has, and a result does not."""
_FAILURE_OF_CREWAI = "ToolFailure"
QUESTION = "needsInput:v1"
"""The kind of a payload that asks the user (tool-error-v1)."""


class Trust(IntEnum):
    """How far a payload may be believed, by its position in a result: the higher, the harder it is to forge."""

    HEARSAY = 0
    """Text of a success, or a part of a text: a tool passes on what it was given, be it a page or an upstream's body."""
    TEXT = 1
    """The whole text of a result that calls itself an error."""
    DATA = 2
    """The structured content of a result that calls itself an error, or a bare payload."""
    VERDICT = 3
    """Data, and the verdict beside it: in errata's lines, or in the metadata. Nobody passes that on by accident."""


class Payload(NamedTuple):
    """An object that a dialect may recognise as its own, and how far it may be believed."""

    members: Mapping[str, object]
    trust: Trust


def lower_hearsay(fault: Fault) -> Fault:
    """Return what may be believed of a fault that a tool quotes: what happened, and no verdict that permits more than its code.

    By itself it licenses no repetition, and it proposes neither tools nor arguments.
    """
    own = decide_retry(fault.code, http_status=fault.http_status)
    retry = own if fault.retry.exceeds(own) else fault.retry
    return drop_licence(replace_fields(fault, retry=retry, retry_declared=False, recovery=None))


def drop_licence(fault: Fault) -> Fault:
    """Return a fault that proves nothing about the call: SAME_CALL becomes IF_HARMLESS."""
    return replace_fields(fault, retry=Retry.IF_HARMLESS) if fault.retry is Retry.SAME_CALL else fault


class ToolResult:
    """A tool's result, or an object that might be the payload of one."""

    __slots__ = ("_payloads", "correlation_id", "is_error", "meta", "raw", "texts")

    def __init__(self, raw: Mapping[str, object]) -> None:
        if "content" in raw:  # The SDK's Python names, in a dump that did not ask for those of the wire.
            raw = {_ALIASES[key]: value for key, value in raw.items() if key in _ALIASES} | dict(raw)
        self.raw: Mapping[str, object] = raw
        self.is_error: bool = raw.get("isError") is True
        self.texts: tuple[str, ...] = tuple(_texts(raw))
        self.meta: Mapping[str, object] = object_in(raw, "_meta")
        self.correlation_id: str | None = text_or_none(text_in(self.meta, CORRELATION_ID))
        self._payloads: list[Payload] = []

    def payloads(self) -> Iterator[Payload]:
        """Iterate over the objects that a dialect may recognise as its own, the most telling first.

        JSON blocks come last to first: where a message and a JSON block stand together, the
        message comes first, and it may quote JSON. Beside a question the text is the question.
        """
        if not self._payloads:
            structured = object_in(self.raw, "structuredContent")
            texts = () if structured.get("kind") == QUESTION else reversed(self.texts[-_MOST_BLOCKS:])
            of_data = Trust.DATA if self.is_error else Trust.HEARSAY
            is_bare = {"content", "structuredContent", "isError"}.isdisjoint(self.raw)
            of_whole = Trust.DATA if is_bare else of_data
            payloads = (Payload(structured, of_data), Payload(self.raw, of_whole), *map(self._payload_of_text, texts))
            self._payloads.extend(payload for payload in payloads if payload.members)
        return iter(self._payloads)

    def trust_in_text(self, text: str, message: object = None) -> Trust:
        """Return how far one of the texts may be believed: as the server's own, if there is no other but its message."""
        own = (message, put_on_one_line(message)) if isinstance(message, str) else ()
        others = [each for each in self.texts if each is not text and each not in own]
        return Trust.TEXT if self.is_error and not others else Trust.HEARSAY

    def _payload_of_text(self, text: str) -> Payload:
        members = _json(text)
        message = members.get("message", object_in(members, "error").get("message"))
        return Payload(members, self.trust_in_text(text, message))


class ErrorObject:
    """The `error` member of a JSON-RPC response."""

    __slots__ = ("body",)
    __match_args__ = ("body",)

    def __init__(self, body: Mapping[str, object]) -> None:
        self.body: Mapping[str, object] = body


def open_message(message: object) -> ToolResult | ErrorObject | None:
    """Open a message: a CallToolResult, a JSON-RPC response or a JSON-RPC error object; None for anything else.

    What agent frameworks make of a failed call is a result as well: a tool message, an exception, an object of their own.
    """
    plain = {key: value for key, value in plain_object(message).items() if value is not None}
    match plain:
        case {"message": str()} if _is_error_object(plain):
            return ErrorObject(plain)
        case {"error": error} if _is_response(plain):
            return ErrorObject(object_in(plain, "error") or {"message": error})
        case {"result": dict()} if "content" not in plain:
            return ToolResult(object_in(plain, "result"))
        case _:
            return ToolResult(plain) if plain else None


def _is_error_object(plain: Mapping[str, object]) -> bool:
    return integer_in(plain, "code") is not None and "retryable" not in plain and _ENVELOPE.isdisjoint(plain)


def plain_object(message: object) -> dict[str, object]:
    """Copy a message into plain JSON; one of the SDK's own objects says itself what it looks like on the wire."""
    try:
        dumped = _dump(to_wire(message))
        if not isinstance(dumped, Mapping):
            return {}
    except Exception:  # noqa: BLE001 - it only looked like one, or does not even say what it is.
        return {}
    plain = _open_tool_message(_copy_envelope(cast("object", dumped), spare="result"))
    if plain.get("result") is not None:
        plain["result"] = _copy_envelope(plain["result"])
    return plain


def to_wire(result: object) -> object:
    """Return a result as it was on the wire: FastMCP's client has a dataclass of its own for it.

    Of an exception and of CrewAI's `ToolFailure`, nothing but a text is left: it is that of a result that is an error.
    """
    if isinstance(result, BaseException) and (error := to_error_object(result)) is not None:
        return error
    if (text := _text_of_failure(result)) is not None:
        return {"content": [text_block(text)], "isError": True}
    if isinstance(getattr(result, TOOL_CALL_ID, None), str):
        return {name: getattr(result, name, None) for name in (TOOL_CALL_ID, "status", "content")}
    is_error: object = getattr(result, "is_error", None)
    if not dataclasses.is_dataclass(result) or is_error is None:
        return result
    return {
        "content": [_dump(block, exclude_none=True) for block in items_of(getattr(result, "content", None))],
        "structuredContent": getattr(result, "structured_content", None),
        "isError": is_error is True,
        "_meta": getattr(result, "meta", None),
    }


def to_error_object(error: BaseException) -> dict[str, object] | None:
    """Return the JSON-RPC error that the SDK's MCPError was made from; None for any other exception."""
    if not any(kind.__name__ in {"MCPError", "McpError"} for kind in type(error).__mro__):
        return None
    source = _attribute(error, "error") or error
    members = {name: _attribute(source, name) for name in ("code", "message", "data")}
    return {name: value for name, value in members.items() if value is not None}


def _attribute(source: object, name: str) -> object:
    try:
        return cast("object", getattr(source, name, None))
    except Exception:  # noqa: BLE001 - a property may raise anything.
        return None


def _text_of_failure(value: object) -> str | None:
    """Return the text of an object that stands for a failure by its class; None for any other."""
    if isinstance(value, BaseException):
        return text_of(value).strip() or type(value).__name__
    message = getattr(value, "message", None) if type(value).__name__ == _FAILURE_OF_CREWAI else None
    return message if isinstance(message, str) else None


def _open_tool_message(message: dict[str, object]) -> dict[str, object]:
    """Return the result in the tool message of a framework (LangChain's, for example); anything else unchanged.

    Its content may be a plain text, and it has a status instead of `isError`.
    """
    if not isinstance(message.get(TOOL_CALL_ID), str) or "isError" in message:
        return message
    content = message.get("content")
    parts = [content] if isinstance(content, str) else items_in(message, "content")
    blocks = [text_block(part) if isinstance(part, str) else part for part in parts]
    return {"content": blocks, "isError": message.get("status") == "error"}


def _dump(value: object, *, exclude_none: bool = False) -> object:
    dump = getattr(type(value), "model_dump", None)
    return dump(value, mode="json", by_alias=True, exclude_none=exclude_none) if callable(dump) else value


def _copy_envelope(envelope: object, *, spare: str = "") -> dict[str, object]:
    """Copy an envelope member by member, so that a large one leaves room for the others; `spare` is copied later."""
    if type(envelope) is not dict:
        return as_object(_json_of(envelope))
    members = dict(cast("dict[str, object]", envelope))
    if not all(type(key) is str for key in members):
        return as_object(_json_of(members))
    others = as_object(_json_of({key: value for key, value in members.items() if key not in _MEMBERS}))
    ours = {key: value for key, value in members.items() if key in _MEMBERS}
    return others | {key: value if key == spare else _json_of(value) for key, value in ours.items()}


def _json_of(value: object) -> object:
    return jsonable(value, size=_SIZE, depth=_DEPTH)


def _is_response(plain: Mapping[str, object]) -> bool:
    """Return whether it is a JSON-RPC response: error-response's literal result is an object with an `error` as well."""
    if "jsonrpc" in plain:
        return True
    if not _ENVELOPE.isdisjoint(plain.keys() - {"id", "error"}):
        return False
    return (integer_in(object_in(plain, "error"), "code") or 0) < 0


def _texts(result: Mapping[str, object]) -> Iterator[str]:
    for block in map(as_object, items_in(result, "content")):
        match block:
            case {"type": "text" | "error", "text": str(text)}:  # Some have made a type of their own for it.
                yield text
            case _:
                pass


def _json(text: str) -> Mapping[str, object]:
    """Return the JSON object in a text; an empty one for any other text."""
    text = text.removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        return {}
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return as_object(_json_of(parsed))


def write_verdict_meta(fault: Fault) -> dict[str, object] | None:
    """Return the verdict for `_meta`: whether a call may be repeated, when, and what to call before or instead.

    None for the verdicts that are understood from every dialect.
    """
    if fault.retry not in _WORTH_SAYING:
        return None
    recovery = fault.recovery or NO_RECOVERY
    return present(
        verdict=fault.retry.value,
        afterMs=fault.retry_after_ms,
        fallbackTool=redact_field(recovery.fallback_tool),
        verifyTool=redact_field(recovery.verify_tool),
    )


def has_verdict(meta: Mapping[str, object]) -> bool:
    """Return whether there is a verdict in `_meta` that is not only presumed."""
    return meta.get(PRESUMED) is not True and known_word(Retry, text_in(object_in(meta, RETRY), "verdict")) is not None


def add_verdict_meta(fault: Fault, meta: Mapping[str, object]) -> Fault:
    """Return a fault with the verdict from `_meta`: the server's own, before a dialect put it into fewer words."""
    members = object_in(meta, RETRY)
    retry = known_word(Retry, text_in(members, "verdict"))
    if retry is None:
        return fault
    recovery = replace(
        fault.recovery or NO_RECOVERY,
        fallback_tool=text_in(members, "fallbackTool"),
        verify_tool=text_in(members, "verifyTool"),
    )
    return replace(fault, retry=retry, retry_after_ms=wait_ms(members.get("afterMs")), recovery=recovery)


def text_block(text: str) -> dict[str, str]:
    """Return a content block of text."""
    return {"type": "text", "text": text}


def choose_blocks(message: str, payload: Mapping[str, object], format: str) -> list[dict[str, str]]:
    """Return the content that a `format` asks for: the message on one line, the JSON, or both; else "markdown"."""
    human = text_block(put_on_one_line(message)) | {"mimeType": "text/markdown"}
    machine = text_block(json_text(payload)) | {"mimeType": "application/json"}
    if format == "json":
        return [machine]
    return [human, machine] if format == "both" else [human]


def json_text(payload: Mapping[str, object]) -> str:
    """Write JSON with two spaces of indentation and characters as they are.

    All but those that would make a link, an image or a tag of a value where a client renders the text: they are written
    as JSON's escapes, so that the value stays what it is.
    """
    return defuse_json(json.dumps(payload, indent=2, ensure_ascii=False))
