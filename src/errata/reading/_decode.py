"""The one question that is asked of every result a client gets: did it fail, and how."""

from typing import NamedTuple, cast

from errata import dialects
from errata._fault import Fault
from errata._taxonomy import Code
from errata.dialects._dialect import with_reference
from errata.dialects._incoming import Answer, ErrorObject, incoming
from errata.dialects._members import object_in
from errata.dialects._protocol import read_error


class Reading(NamedTuple):
    """What a message turned out to be."""

    fault: Fault
    language: str
    """The name of a dialect, `JSON-RPC error`, or `none` for a failure that speaks no language we know."""


def decode(message: object) -> Fault | None:
    """Read a `CallToolResult`, a JSON-RPC response or a JSON-RPC error object; None when it is not a failure.

    Total: whatever the argument is, nothing is raised.
    """
    reading = recognise(message)
    return reading.fault if reading else None


def recognise(message: object) -> Reading | None:
    """Read a message as `decode` does, and say which language it was in."""
    if _is_plain_success(message):
        return None
    match incoming(message):
        case ErrorObject(body):
            return Reading(read_error(body), "JSON-RPC error")
        case Answer() as answer:
            return _in_a_dialect(answer) or _in_none(answer)
        case None:
            return None


def _in_a_dialect(answer: Answer) -> Reading | None:
    for name in dialects.names():
        if fault := dialects.get(name).read(answer):
            return Reading(fault, name)
    return None


def _in_none(answer: Answer) -> Reading | None:
    """Keep what a server said that speaks no dialect; that it failed is all its isError tells."""
    if not answer.is_error:
        return None
    fault = Fault(
        code=Code.UNKNOWN_ERROR,
        message="\n".join(answer.texts),
        data=object_in(answer.raw, "structuredContent"),
    )
    return Reading(with_reference(fault, answer), "none")


def _is_plain_success(message: object) -> bool:
    """Tell an ordinary success at a glance: this runs on every call, and every payload has a code and a message."""
    if type(message) is not dict:
        return False
    result = cast("dict[str, object]", message)
    if type(inner := result.get("result")) is dict and "error" not in result:
        result = cast("dict[str, object]", inner)
    blocks = result.get("content")
    if type(blocks) is not list or result.get("isError") is True or _may_be_payload(result.get("structuredContent")):
        return False
    return not any(map(_may_be_block, cast("list[object]", blocks)))


def _may_be_payload(structured: object) -> bool:
    return structured is not None and (type(structured) is not dict or "error" in structured or "code" in structured)


def _may_be_block(block: object) -> bool:
    if type(block) is not dict:
        return False
    text = cast("dict[str, object]", block).get("text")
    return isinstance(text, str) and text.lstrip().startswith("{") and '"code"' in text and '"message"' in text
