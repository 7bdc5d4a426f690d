"""The one question that is asked of every result a client gets: did it fail, and how."""

from typing import NamedTuple, cast

from errata import dialects
from errata._fault import Fault
from errata._taxonomy import Code
from errata.dialects._dialect import with_reference
from errata.dialects._incoming import ErrorObject, ToolResult, incoming
from errata.dialects._members import object_in
from errata.dialects._protocol import read_error


class Reading(NamedTuple):
    """What a message turned out to be."""

    fault: Fault
    dialect: str
    """The name of a dialect, `JSON-RPC error`, or `none` for a failure that speaks no dialect we know."""


def decode(message: object) -> Fault | None:
    """Read a `CallToolResult`, a JSON-RPC response or a JSON-RPC error object; None when it is not a failure.

    Total: whatever the argument is, nothing is raised.
    """
    reading = recognise(message)
    return reading.fault if reading else None


def recognise(message: object) -> Reading | None:
    """Read a message as `decode` does, and say which dialect it was in."""
    return None if _is_success_at_a_glance(message) else _read_closely(message)


def _read_closely(message: object) -> Reading | None:
    match incoming(message):
        case ErrorObject(body):
            return Reading(read_error(body), "JSON-RPC error")
        case ToolResult() as result:
            return _in_a_dialect(result) or _in_none(result)
        case None:
            return None


def _in_a_dialect(result: ToolResult) -> Reading | None:
    for payload in result.payloads():  # The most telling payload decides, whoever it belongs to.
        for name in dialects.names():
            if fault := dialects.get(name).from_payload(payload, is_error=result.is_error):
                return Reading(with_reference(fault, result), name)
    fault = dialects.native.read(result)  # Its lines may have come through alone.
    return Reading(fault, dialects.native.name) if fault else None


def _in_none(result: ToolResult) -> Reading | None:
    """Keep what a server said that speaks no dialect; that it failed is all its isError tells."""
    if not result.is_error:
        return None
    fault = Fault(
        code=Code.UNKNOWN_ERROR,
        message="\n".join(result.texts),
        data=object_in(result.raw, "structuredContent"),
    )
    return Reading(with_reference(fault, result), "none")


def _is_success_at_a_glance(message: object) -> bool:
    """Tell an ordinary success without taking it apart, because this runs on every call."""
    try:
        return _has_no_mark(message)
    except Exception:  # noqa: BLE001 - an odd object somewhere inside deserves a closer look.
        return False


def _has_no_mark(message: object) -> bool:
    if type(message) is not dict:
        return False
    result = cast("dict[str, object]", message)
    if type(inner := result.get("result")) is dict and not {"content", "error"} & result.keys():
        result = cast("dict[str, object]", inner)
    blocks = result.get("content")
    if "is_error" in result or "structured_content" in result:
        return False
    if type(blocks) is not list or result.get("isError") is True or _may_be_payload(result):
        return False
    if _may_be_payload(result.get("structuredContent")):
        return False
    return not any(map(_may_be_block, cast("list[object]", blocks)))


def _may_be_payload(value: object) -> bool:
    if type(value) is not dict:
        return value is not None
    members = cast("dict[str, object]", value)
    if _MARK_KEYS.isdisjoint(members):
        return False
    return any(all(members.get(key) is not None for key in mark) for mark in dialects.MARKS)


def _may_be_block(block: object) -> bool:
    if type(block) is not dict:
        return True
    text = cast("dict[str, object]", block).get("text")
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return False
    return any(all(f'"{key}"' in text for key in mark) for mark in dialects.MARKS)


_MARK_KEYS = frozenset[str]().union(*dialects.MARKS)
