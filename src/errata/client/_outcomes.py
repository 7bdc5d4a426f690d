"""What came of a call, in whatever form somebody has it in hand, read as a failure, a question or neither."""

import dataclasses
from typing import NamedTuple, cast

from errata.classification import classify
from errata.client._call_failed import CallFailed
from errata.dialects import Word, decode_needs_input, native, outgoing, outgoing_question, without_licence
from errata.http import attribute
from errata.model import Code, Fault, FaultError, NeedsInput, is_a, items_of, with_next_step
from errata.reading import recognise
from errata.redaction import text_of


class Read(NamedTuple):
    """A failure, without the secrets that a foreign server may have told with it, and in whose words it was told."""

    fault: Fault
    dialect: str
    word: Word


def fault_of(outcome: object) -> Fault | None:
    """Find the fault in an outcome; None where there is none. Total, like all that it asks."""
    match outcome:
        case Fault():
            return outgoing(outcome)
        case FaultError():
            return outgoing(outcome.fault)
        case NeedsInput():
            return None
        case BaseException():
            read = read_error(outcome)
            return _believed(read) if read else outgoing(_of_this_program(outcome))
        case _:
            read = read_result(outcome)
            return _believed(read) if read else None


def _believed(read: Read) -> Fault:
    """Return a fault of which nobody knows the tool: only a server's own verdict licenses a repetition of whatever it is."""
    return read.fault if read.word is Word.VERDICT else without_licence(read.fault)


def question_in(outcome: object) -> NeedsInput | None:
    """Find the question in an outcome: a tool that asks before it acts has not failed."""
    if isinstance(outcome, NeedsInput):
        return outgoing_question(outcome)
    found = None if isinstance(outcome, Fault | BaseException) else decode_needs_input(wire_of(outcome))
    return found and outgoing_question(found)


def _of_this_program(error: BaseException) -> Fault:
    """Classify an exception that no server has sent: what would be a bug of the server there is one of this side here."""
    fault = classify(error)
    if fault.message != Code.INTERNAL_ERROR.sentence:
        return fault
    return dataclasses.replace(
        fault,
        message=f"`{type(error).__name__}` was raised in this program, and not by the server. Look for the cause here.",
    )


def read_result(result: object, *, request: object = None, tool: object = None) -> Read | None:
    """Read a result, with its request and the tool's entry in the list if they are known; None for a success."""
    wire = _dumped(wire_of(result))
    reading = recognise(wire, request=request, tool=tool)  # As JSON, which tells a success at a glance.
    if reading is None:
        return None
    return Read(outgoing(reading.fault), reading.dialect, reading.word)


def read_error(error: BaseException, *, request: object = None, tool: object = None) -> Read | None:
    """Read the JSON-RPC error that a client of an SDK raised; None for an exception that is none."""
    wire = error_object(error)
    reading = None if wire is None else recognise(wire, request=request, tool=tool)
    return Read(outgoing(reading.fault), reading.dialect, reading.word) if reading else None


def error_object(error: BaseException) -> dict[str, object] | None:
    """Take the SDK's MCPError for the JSON that it was."""
    if not any(kind.__name__ in {"MCPError", "McpError"} for kind in type(error).__mro__):
        return None
    told = attribute(error, "error") or error
    found = {name: attribute(told, name) for name in ("code", "message", "data")}
    return {name: value for name, value in found.items() if value is not None}


def wire_of(result: object) -> object:
    """Take a result as it was on the wire; FastMCP's client has a class of its own for it."""
    if not dataclasses.is_dataclass(result) or attribute(result, "is_error") is None:
        return result
    return {
        "content": [_dumped(block) for block in items_of(attribute(result, "content"))],
        "structuredContent": attribute(result, "structured_content"),
        "isError": attribute(result, "is_error") is True,
        "_meta": attribute(result, "meta"),
    }


def plain(result: object) -> object:
    """Copy what came back into plain JSON, to be kept."""
    return _dumped(wire_of(result))


def _dumped(value: object) -> object:
    dump = getattr(type(value), "model_dump", None)
    try:
        return dump(value, mode="json", by_alias=True, exclude_none=True) if callable(dump) else value
    except Exception:  # noqa: BLE001 - what cannot be written as JSON is kept in words.
        return text_of(value)


def leaf_of(error: BaseException) -> BaseException:
    """Take an exception out of the groups that hold nothing else."""
    while is_a(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = cast("BaseException", error.exceptions[0])
    return error


def rendered(outcome: object) -> str:
    """Say a fault or an error as a server with errata would have; "" for what is no failure."""
    fault = fault_of(outcome)
    if fault is None:
        return ""
    is_native = isinstance(outcome, CallFailed) and outcome.dialect == native.name
    told = native.encode(fault if is_native else with_next_step(fault))
    blocks = cast("list[dict[str, str]]", told["content"])
    return blocks[0]["text"]
