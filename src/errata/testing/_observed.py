"""What a test has in hand, read as an agent reads it."""

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


class Seen(NamedTuple):
    """A failure as it was read."""

    fault: Fault
    spoken: str
    """In which language, by name."""
    text: str
    """What an agent gets to see of it."""
    only_text: bool = False
    """Whether the text was all there was to read from."""

    def again(self, fault: Fault) -> Fault:
        """Say another fault as this one was said, and read it as this one was read."""
        if self.spoken not in dialects.names():
            return fault
        wire = dialects.get(self.spoken).encode(fault, format="json" if self.only_text else "both")
        reading = recognise(_text_result(ToolResult(wire).texts[0]) if self.only_text else wire)
        return reading.fault if reading else fault


def read(outcome: object) -> Seen | None:
    """Read what a test has in hand; None if it is no failure."""
    if inspect.iscoroutine(outcome):
        outcome.close()
        raise TypeError(
            "`assert_fails` was given a coroutine, which has not run yet. Give it the result: `await` it first."
        )
    if isinstance(outcome, NeedsInput):
        return None
    if isinstance(outcome, BaseException):
        return _read_exception(outcome)
    wire = _in_the_words_of_its_dialect(_wire(outcome))
    reading = recognise(wire)
    return Seen(reading.fault, reading.dialect, _shown(wire)) if reading else None


def _read_exception(error: BaseException) -> Seen:
    """Read an exception: what a client raised for what it was sent, and any other as errata would answer it."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "MCPError" in kinds:
        wire = {name: getattr(error, name, None) for name in ("code", "message", "data")}
        if reading := recognise(wire):
            return Seen(reading.fault, reading.dialect, _shown(wire))
    if "ToolError" in kinds:
        reading = recognise(_text_result(text := text_of(error)))
        if reading and reading.dialect in dialects.names():
            return Seen(reading.fault, reading.dialect, _indented(text), only_text=True)
    fault = classify(error)
    return Seen(fault, f"`{type(error).__name__}`", _indented(write_lines(redact_fault(fault))))


def _wire(outcome: object) -> object:
    """Take a result as JSON; FastMCP's client has a class of its own for it."""
    if not dataclasses.is_dataclass(outcome) or not hasattr(outcome, "is_error"):
        return outcome
    blocks = [block.model_dump(mode="json", by_alias=True) for block in getattr(outcome, "content", ())]
    return {
        "content": blocks,
        "structuredContent": getattr(outcome, "structured_content", None),
        "isError": getattr(outcome, "is_error", False),
        "_meta": getattr(outcome, "meta", None),
    }


def _in_the_words_of_its_dialect(wire: object) -> object:
    """Leave out the verdict beside a payload: no model gets to see it."""
    result = open_message(wire)
    if not isinstance(result, ToolResult) or RETRY not in result.meta:
        return wire
    return {**result.raw, "_meta": {key: value for key, value in result.meta.items() if key != RETRY}}


def _text_result(text: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def instead(outcome: object) -> str:
    """Say what happened where a failure was expected."""
    wire = _wire(outcome)
    if question := outcome if isinstance(outcome, NeedsInput) else decode_needs_input(wire):
        return f"the call asked for input: {redact_within(question.message, LONGEST_GLIMPSE)}"
    envelope = open_message(wire)
    texts = envelope.texts if isinstance(envelope, ToolResult) else ()
    glimpse = "\n".join(texts) or json.dumps(redact_data(jsonable(wire)), ensure_ascii=False)
    return f"the call succeeded: {redact_within(glimpse, LONGEST_GLIMPSE)}"


def _shown(wire: object) -> str:
    """Show what an agent gets to see of a failure."""
    match open_message(wire):
        case ErrorObject(body):
            return _indented(text_of(body.get("message", "")))
        case ToolResult() as result:
            return _indented("\n".join(result.texts))
        case None:
            return ""


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in redact_within(text, _LONGEST_TEXT).split("\n"))
