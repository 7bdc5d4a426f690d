"""What arrives: the envelopes of MCP, opened without trusting any of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import NamedTuple, cast

from errata.dialects._beside import CORRELATION_ID
from errata.dialects._members import integer_in, items_in, object_in, text_in
from errata.model import Fault, Retry, verdict
from errata.redaction import as_object, jsonable, put_on_one_line

_SIZE = 64 * 1024 * 1024
_DEPTH = 100
_MOST_BLOCKS = 100
_ALIASES = {"is_error": "isError", "structured_content": "structuredContent", "meta": "_meta"}
_ENVELOPE = frozenset({"jsonrpc", "id", "result", "error", "content", "structuredContent"})
_MEMBERS = _ENVELOPE.union(_ALIASES, _ALIASES.values())

QUESTION = "needsInput:v1"
"""The kind of a payload that asks (002)."""


class Word(IntEnum):
    """Whose word a payload is, by where it stands in a result: the higher, the harder it is for anybody else to write it."""

    HEARSAY = 0
    """Text of a success, or a part of a text: a tool passes on what it was given, be it a page or an upstream's body."""
    TEXT = 1
    """The whole text of a result that calls itself an error."""
    DATA = 2
    """The structured content of a result that calls itself an error, or a bare payload."""
    VERDICT = 3
    """Data, and the verdict beside it: in errata's lines, or in the metadata. Nobody passes that on by accident."""


class Payload(NamedTuple):
    """An object that a dialect may recognise as its own, and whose word it is."""

    members: Mapping[str, object]
    word: Word


def lower_hearsay(fault: Fault) -> Fault:
    """Return what may be believed of a fault that a tool quotes: what happened, and no more leave to repeat than its code gives.

    By itself it licenses no repetition, and it proposes neither tools nor arguments.
    """
    own = verdict(fault.code, http_status=fault.http_status)
    retry = own if fault.retry.exceeds(own) else fault.retry
    return without_licence(replace(fault, retry=retry, retry_declared=False, recovery=None))


def without_licence(fault: Fault) -> Fault:
    """Return a fault that does not prove that nothing has happened: the call may be repeated where that does no harm."""
    return replace(fault, retry=Retry.IF_HARMLESS) if fault.retry is Retry.SAME_CALL else fault


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
        self.correlation_id: str | None = text_in(self.meta, CORRELATION_ID)
        self._payloads: list[Payload] = []

    def payloads(self) -> Iterator[Payload]:
        """Offer the objects a dialect may recognise as its own, the most telling first.

        JSON blocks come last to first: where a message and a JSON block stand together, the
        message comes first, and it may quote JSON. Beside a question the text is the question.
        """
        if not self._payloads:
            structured = object_in(self.raw, "structuredContent")
            texts = () if structured.get("kind") == QUESTION else reversed(self.texts[-_MOST_BLOCKS:])
            of_data = Word.DATA if self.is_error else Word.HEARSAY
            is_bare = {"content", "structuredContent", "isError"}.isdisjoint(self.raw)
            of_whole = Word.DATA if is_bare else of_data
            found = (Payload(structured, of_data), Payload(self.raw, of_whole), *map(self._payload_of_text, texts))
            self._payloads.extend(payload for payload in found if payload.members)
        return iter(self._payloads)

    def word_of_text(self, text: str, message: object = None) -> Word:
        """Return whose word one of the texts is: the server's, if there is no other text but the message that it has."""
        own = (message, put_on_one_line(message)) if isinstance(message, str) else ()
        others = [each for each in self.texts if each is not text and each not in own]
        return Word.TEXT if self.is_error and not others else Word.HEARSAY

    def _payload_of_text(self, text: str) -> Payload:
        members = _json(text)
        message = members.get("message", object_in(members, "error").get("message"))
        return Payload(members, self.word_of_text(text, message))


class ErrorObject:
    """The `error` member of a JSON-RPC response."""

    __slots__ = ("body",)
    __match_args__ = ("body",)

    def __init__(self, body: Mapping[str, object]) -> None:
        self.body: Mapping[str, object] = body


def incoming(message: object) -> ToolResult | ErrorObject | None:
    """Open a message: a CallToolResult, a JSON-RPC response or a JSON-RPC error object."""
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
        dump = getattr(type(message), "model_dump", None)
        found = dump(message, mode="json", by_alias=True) if callable(dump) else message
        if not isinstance(found, Mapping):
            return {}
    except Exception:  # noqa: BLE001 - it only looked like one, or does not even say what it is.
        return {}
    plain = _copied(cast("object", found), spare="result")
    if plain.get("result") is not None:
        plain["result"] = _copied(plain["result"])
    return plain


def _copied(found: object, *, spare: str = "") -> dict[str, object]:
    """Copy an envelope, each member for itself, so that a large one costs no other; the spared one is for later."""
    if type(found) is not dict:
        return as_object(_json_of(found))
    members = dict(cast("dict[str, object]", found))
    if not all(type(key) is str for key in members):
        return as_object(_json_of(members))
    others = as_object(_json_of({key: value for key, value in members.items() if key not in _MEMBERS}))
    ours = {key: value for key, value in members.items() if key in _MEMBERS}
    return others | {key: value if key == spare else _json_of(value) for key, value in ours.items()}


def _json_of(value: object) -> object:
    return jsonable(value, size=_SIZE, depth=_DEPTH)


def _is_response(plain: Mapping[str, object]) -> bool:
    """Tell a JSON-RPC response from 001's literal result, which is an object with an `error` as well."""
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
    """Parse a block that holds a JSON object; an empty one for any other."""
    text = text.removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        return {}
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return as_object(_json_of(parsed))
