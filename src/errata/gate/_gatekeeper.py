"""What both transports do with a call: know it, judge its answer, write the better one, count it."""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from errata._log import format_indented_stack
from errata.gate._gate_options import GateOptions
from errata.gate._record import GateRecord
from errata.gate._repair import (
    Judged,
    judge,
    judge_loss_of_answer,
    may_be_task,
    may_fail,
    redact_success,
    write_attempts,
    write_failure,
    write_response,
)
from errata.gate._verdicts import KnownCall
from errata.model import Code, Fault, FaultError, Retry, add_identity, replace_fields
from errata.redaction import redact_within
from errata.resilience import Permit
from errata.wire import Message, Pending, ToolTable, edit_object, member_text, members_of, write_json

_LOG = logging.getLogger("errata")
_INTERNAL_ERROR = -32603
_NEWER = "2026"
_LONGEST_MESSAGE = 2_000
_DOWN = Fault(code=Code.SERVICE_UNAVAILABLE, message="The status of the answer says that the server is down.")


class Failed(NamedTuple):
    """The answer to a call that failed."""

    pending: Pending
    call: KnownCall
    judged: Judged
    message: Message | None
    """The answer as the server sent it; None where it sent none."""
    attempts: int = 1


class AttemptError(FaultError):
    """Tells a policy that an attempt has failed; only the verdict `SAME_CALL` lets it repeat the call."""

    failed: Failed

    @classmethod
    def of(cls, failed: Failed, *, is_last: bool = False) -> "AttemptError":
        """Return the error of a failed attempt; after the last one there is none, whatever the verdict."""
        fault = failed.judged.fault
        if is_last or fault.retry is not Retry.SAME_CALL:
            fault = replace_fields(fault, retry=Retry.NEVER, retry_declared=True)
        error = cls.from_fault(fault)
        error.failed = failed
        error.is_hearsay = failed.judged.is_hearsay
        return error


class Gatekeeper:
    """Judges the answers of one server."""

    def __init__(self, options: GateOptions, record: GateRecord) -> None:
        self.options = options
        self.record = record

    def know(self, pending: Pending, tools: ToolTable) -> KnownCall:
        """Return a call with what is known of its tool."""
        call = pending.call or pending
        name = call.tool or ""
        return KnownCall(call.params, tools.get(name), tools.entries(), self.options.effects.get(name))

    def has_to_read(self, frame: bytes, pending: Pending) -> bool:
        """Return whether an answer to a call has to be read; most successes need not be."""
        options = self.options
        return (
            pending.task_of is not None
            or options.soft
            or options.redact_success
            or may_fail(frame)
            or may_be_task(frame)
        )

    def examine(self, message: Message, pending: Pending, tools: ToolTable) -> Failed | None:
        """Return what failed, by the answer to a call; None for a success, and if errata itself fails at reading it."""
        began = time.perf_counter_ns()
        try:
            call = self.know(pending, tools)
            judged = judge(message.members, call, self.options, is_task=pending.task_of is not None)
        except Exception as mistake:  # noqa: BLE001 - whatever the answer is, it is passed on.
            _log_mistake(mistake)
            return None
        finally:
            self.record.note_time(time.perf_counter_ns() - began)
        return None if judged is None else Failed(pending, call, judged, message)

    def pass_success(self, message: Message) -> str | None:
        """Return the text of a success that has to change; None for one that passes as it is."""
        if not (self.options.redact_success and self.options.repair):
            return None
        shown = redact_success(message)
        return None if shown == message.text else shown

    def refuse(self, pending: Pending, tools: ToolTable, fault: Fault, *, is_hearsay: bool = False) -> Failed:
        """Return the failure of a call that the server has not answered."""
        call = self.know(pending, tools)
        try:
            judged = judge_loss_of_answer(fault, call, is_hearsay=is_hearsay)
        except Exception as mistake:  # noqa: BLE001 - whoever waits gets an answer.
            _log_mistake(mistake)
            judged = Judged(add_identity(fault), "none", is_kept=False, is_hearsay=is_hearsay)
        return Failed(pending, call, judged, None)

    def write(self, failed: Failed, attempts: int = 1) -> str | None:
        """Return the text of the answer to a failed call; None if the server's own passes as it is. It is recorded, too."""
        began = time.perf_counter_ns()
        pending, call, judged, _, _ = failed
        is_kept = judged.is_kept and attempts == 1
        text: str | None = None
        if not is_kept:
            try:
                text = self._write(failed, attempts)
            except Exception as mistake:  # noqa: BLE001 - as above.
                _log_mistake(mistake)
        self.record.note_failure(
            judged.fault,
            call,
            dialect=judged.dialect,
            is_repaired=text is not None,
            is_soft=judged.is_soft,
            attempts=attempts,
            began_s=pending.sent_s,
            spent_ns=time.perf_counter_ns() - began,
        )
        return text

    def write_success(self, message: Message, attempts: int) -> str:
        """Return the text of the answer to a call that succeeded when it was repeated."""
        self.record.note_success(attempts)
        shown = self.pass_success(message)
        return write_attempts(message if shown is None else Message(shown, message.members), attempts)

    def _write(self, failed: Failed, attempts: int) -> str:
        pending, call, judged, message, _ = failed
        version = pending.version
        if message is not None:
            return write_response(message, judged, call, self.options, version=version, attempts=attempts)
        number = member_text(pending.message.text, "id") or "null"
        result = write_failure(judged, call, self.options, version=version, attempts=attempts)
        return f'{{"jsonrpc":"2.0","id":{number},"result":{result}}}'

    def permit(self) -> Permit | None:
        """Take a permit of the breaker; raise the FaultError of an open circuit."""
        return None if self.options.breaker is None else self.options.breaker.permit()

    async def apermit(self) -> Permit | None:
        """Take a permit in a task."""
        return None if self.options.breaker is None else await self.options.breaker.apermit()

    def settle(self, permit: Permit | None, failed: Failed | None, *, is_down: bool = False) -> None:
        """Report to the breaker how a call went.

        A server that answers is up, whatever one of its tools says; unless the status of its answer says that it is down.
        """
        breaker = self.options.breaker
        if permit is None or breaker is None:
            return
        if is_down:
            breaker.settle(permit, _DOWN)
        elif failed is None or failed.message is not None:
            breaker.settle(permit)
        elif failed.judged.is_hearsay:
            breaker.release(permit)
        else:
            breaker.settle(permit, failed.judged.fault)

    def release(self, permit: Permit | None) -> None:
        """Give back the permit of a call that came to nothing."""
        if permit is not None and self.options.breaker is not None:
            self.options.breaker.release(permit)

    def may_repeat(self, failed: Failed) -> bool:
        """Return whether a failed call is to be repeated; what the server says of it is not enough.

        Where the server has answered, the tool itself has to be one that may be called twice.
        """
        judged = failed.judged
        is_final = judged.is_soft or judged.fault.code is Code.CIRCUIT_OPEN or failed.pending.task_of is not None
        is_proven = failed.message is None or failed.call.harmless is True
        return self.options.retry is not None and judged.fault.retry is Retry.SAME_CALL and is_proven and not is_final


def read_outcome(error: FaultError) -> Failed:
    """Return how the last attempt ended, with the message that says how many there were."""
    last = error if isinstance(error, AttemptError) else error.__cause__
    if not isinstance(last, AttemptError):
        raise error
    failed = last.failed
    if error is last:
        return failed
    fault = replace(failed.judged.fault, message=error.fault.message, data=error.fault.data)
    return failed._replace(judged=failed.judged._replace(fault=fault, is_kept=False))


def write_repeated_request(pending: Pending, number: str) -> str:
    """Return the text of a request that is made again: with an id of its own, and without a token for its progress."""
    text = pending.message.text
    changes = {"id": number}
    meta = members_of(pending.params.get("_meta"))
    if "progressToken" in meta:
        params = member_text(text, "params") or "{}"
        rest = write_json({name: value for name, value in meta.items() if name != "progressToken"})
        changes["params"] = edit_object(params, {"_meta": rest})
    return edit_object(text, changes)


def write_error(pending: Pending, message: str) -> str:
    """Return the text of a JSON-RPC error for a request that gets no answer."""
    number = member_text(pending.message.text, "id") or "null"
    error = write_json({"code": _INTERNAL_ERROR, "message": redact_within(message, _LONGEST_MESSAGE)})
    return f'{{"jsonrpc":"2.0","id":{number},"error":{error}}}'


def write_plainly(failed: Failed) -> str:
    """Return the text of the answer to a failed call as the server sent it, or with no more than what has happened.

    It is for calls that would have no answer otherwise, because writing a better one has failed.
    """
    if failed.message is not None:
        return failed.message.text
    what = redact_within(failed.judged.fault.message, _LONGEST_MESSAGE)
    kind = {"resultType": "complete"} if (failed.pending.version or "") >= _NEWER else {}
    result = kind | {"content": [{"type": "text", "text": f"Error: {what}"}], "isError": True}
    number = member_text(failed.pending.message.text, "id") or "null"
    return f'{{"jsonrpc":"2.0","id":{number},"result":{write_json(result)}}}'


def rename_answer(text: str, pending: Pending) -> str:
    """Return an answer with the id of the client's request instead of that of a repetition."""
    return edit_object(text, {"id": member_text(pending.message.text, "id") or "null"})


def rename_cancellation(cancellation: Message, number: str) -> str:
    """Return the text of a cancellation for the same request under another id."""
    params = edit_object(member_text(cancellation.text, "params") or "{}", {"requestId": number})
    return edit_object(cancellation.text, {"params": params})


def read_result_of(message: Message) -> Mapping[str, object]:
    """Return the result of a response, for those who learn from it."""
    return members_of(message.members.get("result"))


def _log_mistake(mistake: Exception) -> None:
    _LOG.error("The gate could not repair an answer, and passes it on as it is.\n%s", format_indented_stack(mistake))
