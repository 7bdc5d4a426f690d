"""The outcome of a call in a test, read as an agent reads it."""

import dataclasses
import inspect
import json
from typing import NamedTuple

from errata import dialects
from errata.classification import classify
from errata.dialects import RETRY, ErrorObject, ToolResult, decode_needs_input, open_message, redact_fault, write_lines
from errata.model import Fault, NeedsInput
from errata.reading import recognise
from errata.redaction import jsonable, redact_data, redact_within, text_of

LONGEST_GLIMPSE = 300
_LONGEST_TEXT = 2_000


class ObservedFailure(NamedTuple):
    """A failure as an agent reads it."""

    fault: Fault
    language: str
    """The name of its dialect, or of its exception class."""
    text: str
    """What an agent sees of it."""
    only_text: bool = False
    """Whether only its text was read."""

    def round_trip(self, fault: Fault) -> Fault:
        """Return another fault after a trip through the same dialect and back."""
        if self.language not in dialects.names():
            return fault
        wire = dialects.get(self.language).encode(fault, format="json" if self.only_text else "both")
        reading = recognise(_build_text_result(ToolResult(wire).texts[0]) if self.only_text else wire)
        return reading.fault if reading else fault


def observe(outcome: object) -> ObservedFailure | None:
    """Return the failure in the outcome of a call; None if there is none."""
    if inspect.iscoroutine(outcome):
        outcome.close()
        raise TypeError(
            "`assert_fails` was given a coroutine, which has not run yet. Give it the result: `await` it first."
        )
    if isinstance(outcome, NeedsInput):
        return None
    if isinstance(outcome, BaseException):
        return _observe_exception(outcome)
    wire = _drop_verdict(_to_wire(outcome))
    reading = recognise(wire)
    return ObservedFailure(reading.fault, reading.dialect, _show(wire)) if reading else None


def _observe_exception(error: BaseException) -> ObservedFailure:
    """Return the failure in an exception: a client's as it was sent, any other as errata would send it."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "MCPError" in kinds:
        wire = {name: getattr(error, name, None) for name in ("code", "message", "data")}
        if reading := recognise(wire):
            return ObservedFailure(reading.fault, reading.dialect, _show(wire))
    if "ToolError" in kinds:
        reading = recognise(_build_text_result(text := text_of(error)))
        if reading and reading.dialect in dialects.names():
            return ObservedFailure(reading.fault, reading.dialect, _indent(text), only_text=True)
    fault = classify(error)
    return ObservedFailure(fault, f"`{type(error).__name__}`", _indent(write_lines(redact_fault(fault))))


def _to_wire(outcome: object) -> object:
    """Return a result as JSON; FastMCP's client has its own class for it."""
    if not dataclasses.is_dataclass(outcome) or not hasattr(outcome, "is_error"):
        return outcome
    blocks = [block.model_dump(mode="json", by_alias=True) for block in getattr(outcome, "content", ())]
    return {
        "content": blocks,
        "structuredContent": getattr(outcome, "structured_content", None),
        "isError": getattr(outcome, "is_error", False),
        "_meta": getattr(outcome, "meta", None),
    }


def _drop_verdict(wire: object) -> object:
    """Return a result without the verdict in its metadata, which no model sees."""
    result = open_message(wire)
    if not isinstance(result, ToolResult) or RETRY not in result.meta:
        return wire
    return {**result.raw, "_meta": {key: value for key, value in result.meta.items() if key != RETRY}}


def _build_text_result(text: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def describe_instead(outcome: object) -> str:
    """Return a description of an outcome that is no failure."""
    wire = _to_wire(outcome)
    if question := outcome if isinstance(outcome, NeedsInput) else decode_needs_input(wire):
        return f"the call asked for input: {redact_within(question.message, LONGEST_GLIMPSE)}"
    envelope = open_message(wire)
    texts = envelope.texts if isinstance(envelope, ToolResult) else ()
    glimpse = "\n".join(texts) or json.dumps(redact_data(jsonable(wire)), ensure_ascii=False)
    return f"the call succeeded: {redact_within(glimpse, LONGEST_GLIMPSE)}"


def _show(wire: object) -> str:
    """Return what an agent sees of a failure, indented."""
    match open_message(wire):
        case ErrorObject(body):
            return _indent(text_of(body.get("message", "")))
        case ToolResult() as result:
            return _indent("\n".join(result.texts))
        case None:
            return ""


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in redact_within(text, _LONGEST_TEXT).split("\n"))
