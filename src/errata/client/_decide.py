"""What to do next, decided by the verdict of a fault and by what was tried before."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from errata._fault import NO_RECOVERY, Fault, FieldIssue, Recovery
from errata._needs_input import NeedsInput
from errata._taxonomy import Code, Retry
from errata.client._failed import CallFailed
from errata.client._outcome import fault_of, question_in
from errata.client._steps import AskUser, FixArguments, Repeat, Step, Stop, UseTool

MOST_TIMES = 3
"""So often the same call may fail in the same way; after that, more of the same is a loop."""
MOST_TIMES_AT_ALL = 10
"""So often the same call may fail in whatever way. What a way is called, the server says, and may say anew each time.

An outage passes through some four: refused, busy, timed out, too many at once. Each may be met twice, which makes eight.
"""
_HOUR_MS = 3_600_000
_TWO_DAYS = 48
LONGEST_WAIT_MS = _HOUR_MS
"""Longer than an hour is no pause but another day: the quota of an API, a clock gone wrong. Limits by the hour are usual."""
_FIRST_WAIT_MS = 1_000
_MOST_OPTIONS = 100

_A_PERSON_DECIDES = frozenset(
    {
        Code.UNAUTHORIZED,
        Code.FORBIDDEN,
        Code.INSUFFICIENT_BALANCE,
        Code.BUSINESS_RULE_VIOLATION,
        Code.CANCELLED,
    }
)
"""Where repeating does not help, and a person can: with credentials, a permission, money, or another wish."""


class _Way(NamedTuple):
    """A call, and the way in which it failed."""

    call: str | None
    code: Code
    field: str | None
    reason: str | None
    message: str | None
    """Only where nobody knows which call it was: failures of different calls are not taken for a loop."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A failure, and what is known of those before it."""

    fault: Fault
    times: int
    """How often the same call has failed in this way, this time included."""
    failed: frozenset[str]
    """The tools that have failed, this one included: the way out of a failure does not lead back into it."""

    @property
    def recovery(self) -> Recovery:
        return self.fault.recovery or NO_RECOVERY

    @property
    def fallback(self) -> str | None:
        """The tool to use instead, unless it has failed as well: two that name each other would take turns for ever."""
        tool = self.recovery.fallback_tool
        return tool if tool not in self.failed else None


def decide(outcome: object, history: Iterable[object] | None = ()) -> Step | None:
    """Say what to do after a call; None after a success.

        match decide(outcome, caller.history):
            case Repeat(after_ms): ...

    `outcome` is a result, a Fault or an exception; `history` are the earlier ones, and may hold this one. The same call
    that fails in the same way for the third time, or in whatever ways for the tenth, is to be stopped. Whatever the
    outcome is, nothing is raised.
    """
    if history is not None and not isinstance(history, Iterable):
        raise TypeError(
            f"`history` is of type `{type(history).__name__}`. Pass the outcomes before this one, as in "
            "`decide(outcome, caller.history)`."
        )
    if question := question_in(outcome):
        return _asked(question)
    fault = fault_of(outcome)
    if fault is None:
        return None
    earlier = [each for each in history or () if not _is_the_same(each, outcome)]
    failed = frozenset(map(_tool_of, [*earlier, outcome])) - {""}
    case = _Case(fault, 1 + _times(outcome, fault, earlier), failed)
    if case.times >= MOST_TIMES:
        return Stop(f"The same call has failed {case.times} times in the same way: {fault.message}")
    if (times := 1 + _times_at_all(outcome, earlier)) >= MOST_TIMES_AT_ALL:
        return Stop(f"The same call has failed {times} times in different ways, the last time with: {fault.message}")
    return _BY_VERDICT[fault.retry](case)


def _asked(question: NeedsInput) -> AskUser:
    return AskUser(question.message, question.fields, question.options[:_MOST_OPTIONS])


def _is_the_same(remembered: object, outcome: object) -> bool:
    if isinstance(remembered, CallFailed) and isinstance(outcome, CallFailed) and outcome.occurrence:
        return remembered.occurrence == outcome.occurrence
    return remembered is outcome


def _times(outcome: object, fault: Fault, earlier: list[object]) -> int:
    this = _way(outcome, fault)
    return sum(_way(each, before) == this for each in earlier if (before := fault_of(each)) is not None)


def _times_at_all(outcome: object, earlier: list[object]) -> int:
    """Count how often the same call has failed before, in whatever way; of one that nobody can name, that is not known."""
    call = _call_of(outcome)
    return sum(_call_of(each) == call for each in earlier) if call else 0


def _call_of(outcome: object) -> str | None:
    return outcome.identity if isinstance(outcome, CallFailed) else None


def _way(outcome: object, fault: Fault) -> _Way:
    call = _call_of(outcome)
    return _Way(call, fault.code, fault.first_field, fault.reason, None if call else fault.message)


def _tool_of(outcome: object) -> str:
    return (outcome.tool if isinstance(outcome, CallFailed) else None) or ""


def _again(case: _Case) -> Step:
    """Repeat it, in another way if there is one, and more slowly each time; for how long to wait, a person may decide."""
    if case.fallback:
        return UseTool(case.fallback)
    wait = case.fault.retry_after_ms
    if wait is not None and wait > LONGEST_WAIT_MS:
        said = (case.recovery.user_message or case.fault.message).rstrip(".!?")
        return AskUser(f"{said}. It can be repeated in {_in_hours(wait)}. Decide whether to wait for that.")
    return Repeat(_FIRST_WAIT_MS * case.times if wait is None else wait)


def _in_hours(wait_ms: int) -> str:
    """Say a wait that nobody counts in seconds; one that has begun counts as a whole."""
    hours = -(-wait_ms // _HOUR_MS)
    return f"{hours} hours" if hours <= _TWO_DAYS else f"{-(-hours // 24)} days"


def _if_harmless(case: _Case) -> Step:
    """Nobody said that it does no harm, and it may have happened: an author's other way, a look, or a person."""
    return UseTool(case.fallback) if case.fallback else _look_first(case)


def _look_first(case: _Case) -> Step:
    tool = case.recovery.verify_tool
    if tool and tool not in case.failed:
        return UseTool(tool, to_verify=True)
    said = case.fault.message.rstrip(".!?")
    return AskUser(case.recovery.user_message or f"{said}. Check whether it happened before it is done again.")


def _fix(case: _Case) -> Step:
    """Correct what is named; where nothing is, another tool may know what would be right."""
    fault, recovery = case.fault, case.recovery
    if case.fallback and not fault.issues and not fault.field and not recovery.corrective_params:
        return UseTool(case.fallback)
    return FixArguments(_issues(fault), recovery.corrective_params, fault.message, recovery.hint)


def _issues(fault: Fault) -> tuple[FieldIssue, ...]:
    """List what is wrong with which argument; where only the argument is named, the message says what."""
    return fault.issues or ((FieldIssue(fault.field, fault.message),) if fault.field else ())


def _give_up(case: _Case) -> Step:
    fault, recovery = case.fault, case.recovery
    if case.fallback:
        return UseTool(case.fallback)
    words = recovery.user_message or fault.message
    return AskUser(words) if fault.code in _A_PERSON_DECIDES else Stop(words)


_BY_VERDICT: dict[Retry, Callable[[_Case], Step]] = {
    Retry.SAME_CALL: _again,
    Retry.IF_HARMLESS: _if_harmless,
    Retry.FIX_INPUT: _fix,
    Retry.VERIFY_FIRST: _look_first,
    Retry.NEVER: _give_up,
}
