"""What came of a call, in whatever form a program has it: read as a failure, a question or neither."""

import dataclasses
from typing import cast

from errata.classification import classify
from errata.client._call_failed import CallFailed
from errata.dialects import (
    Trust,
    decode_needs_input,
    drop_licence,
    native,
    redact_fault,
    redact_question,
    to_error_object,
    to_wire,
)
from errata.model import Code, Fault, FaultError, NeedsInput, add_next_step, is_a
from errata.reading import Reading, recognise
from errata.redaction import text_of

_OF_FAILED_TOOLS = frozenset({"ToolError", "ToolException"})
"""FastMCP's exception for a tool that failed, and LangChain's."""


def read_fault(outcome: object) -> Fault | None:
    """Return the fault in an outcome; None where there is none. Never raises."""
    match outcome:
        case Fault():
            return redact_fault(outcome)
        case FaultError():
            return redact_fault(outcome.fault)
        case NeedsInput():
            return None
        case BaseException():
            reading = read_error(outcome)
            return _limit_trust_in(reading) if reading else redact_fault(_classify_own_error(outcome))
        case _:
            reading = read_result(outcome)
            return _limit_trust_in(reading) if reading else None


def read_question(outcome: object) -> NeedsInput | None:
    """Return the question in an outcome: a tool that asks before it acts has not failed."""
    if isinstance(outcome, NeedsInput):
        return redact_question(outcome)
    question = None if isinstance(outcome, Fault | BaseException) else decode_needs_input(outcome)
    return question and redact_question(question)


def read_result(result: object, *, request: object = None, tool: object = None) -> Reading | None:
    """Read a result, without secrets in what is read; None for a success.

    `request` and `tool`, the tool's entry in the list, help where they are known.
    """
    # As JSON, in which a success is recognised at a glance.
    return _hide_secrets(recognise(to_plain(result), request=request, tool=tool))


def read_error(error: BaseException, *, request: object = None, tool: object = None) -> Reading | None:
    """Read the answer in an exception that a client raised for it; None for an exception that holds none.

    It is the JSON-RPC error of an SDK's client, or the text of a failed tool, which FastMCP and LangChain raise.
    """
    if to_error_object(error) is None and not any(kind.__name__ in _OF_FAILED_TOOLS for kind in type(error).__mro__):
        return None
    return _hide_secrets(recognise(error, request=request, tool=tool))


def render_failure(outcome: object) -> str:
    """Return the text that a server with errata would have sent for a fault or an error; "" if there is no failure."""
    fault = read_fault(outcome)
    if fault is None:
        return ""
    is_native = isinstance(outcome, CallFailed) and outcome.dialect == native.name
    result = native.encode(fault if is_native else add_next_step(fault))
    blocks = cast("list[dict[str, str]]", result["content"])
    return blocks[0]["text"]


def to_plain(result: object) -> object:
    """Return a result as plain JSON, as it was on the wire."""
    try:
        wire = to_wire(result)
        dump = getattr(type(wire), "model_dump", None)
        return dump(wire, mode="json", by_alias=True, exclude_none=True) if callable(dump) else wire
    except Exception:  # noqa: BLE001 - what cannot be written as JSON is kept as text.
        return text_of(result)


def unwrap_group(error: BaseException) -> BaseException:
    """Return the one exception inside nested groups that hold nothing else."""
    while is_a(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = cast("BaseException", error.exceptions[0])
    return error


def _limit_trust_in(reading: Reading) -> Fault:
    """Return the fault of an unknown tool: only the server's own verdict licenses a repetition of whatever it does."""
    return reading.fault if reading.word is Trust.VERDICT else drop_licence(reading.fault)


def _hide_secrets(reading: Reading | None) -> Reading | None:
    return reading._replace(fault=redact_fault(reading.fault)) if reading else None


def _classify_own_error(error: BaseException) -> Fault:
    """Classify an exception that no server has sent: an internal error is one of this program."""
    fault = classify(error)
    if fault.message != Code.INTERNAL_ERROR.sentence:
        return fault
    return dataclasses.replace(
        fault,
        message=f"`{type(error).__name__}` was raised in this program, and not by the server. Look for the cause here.",
    )
