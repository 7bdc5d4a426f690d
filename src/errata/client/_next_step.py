"""`decide`: the next step, from the verdict of a fault, what is known about the tool, and what was tried before."""

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from errata.client._call_failed import LONGEST_WAIT_MS, MOST_IN_A_ROW, MOST_OF_A_TOOL, NO_STREAK, CallFailed, Streak
from errata.client._outcomes import read_fault, read_question
from errata.client._steps import AskUser, FixArguments, Repeat, Step, Stop, TellModel, UseTool
from errata.model import NO_RECOVERY, Code, Fault, FieldIssue, NeedsInput, Recovery, RecoveryHint, Retry, whole_seconds
from errata.redaction import line_of, quote_name
from errata.resilience import count_attempts, strip_attempts
from errata.tools import find_verb, has_effect, is_same_deed

MOST_TIMES = 3
"""How often the same call may fail in the same way before it counts as a loop."""
MOST_TIMES_AT_ALL = 10
"""How often the same call may fail in any way; the server chooses the code, and may choose another each time.

An outage shows some four codes: refused, busy, timed out, too many at once. Each may come twice, which makes eight.
"""
_HOUR_MS = 3_600_000
_TWO_DAYS = 48
_FIRST_WAIT_MS = 1_000
_MOST_OPTIONS = 100
_LONGEST_NAME = 200

_A_PERSON_DECIDES = frozenset(
    {
        Code.UNAUTHORIZED,
        Code.FORBIDDEN,
        Code.INSUFFICIENT_BALANCE,
        Code.BUSINESS_RULE_VIOLATION,
        Code.CANCELLED,
    }
)
"""Codes that a person can resolve: with credentials, a permission, money, or another request."""


class _FailureWay(NamedTuple):
    """A call and the way in which it failed; equal ones are a repetition."""

    call: str | None
    code: Code
    field: str | None
    reason: str | None
    message: str | None
    """Only if the call is not known, so that failures of different calls do not count as a loop."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A failure, and what is known about the failures before it."""

    fault: Fault
    times: int
    """How often the same call has failed in this way, including this time."""
    attempts: int
    """How often the same call was made, by whomever it was repeated; 1 if it was not."""
    failed: frozenset[str]
    """The tools that have failed, including this one; they are not proposed."""
    streak: Streak
    """The failures in a row, including this one."""
    has_effect: bool | None
    """Whether the tool changes something; None if that is not known."""
    listed: dict[str, bool | None]
    """The tools that may be proposed, and whether they have an effect."""
    tool: str = ""
    looking_tool: str | None = None
    """A tool that by its name can show whether the call took effect."""
    nearest: Mapping[str, bool | None] | None = None
    """The tools with the nearest names, if the server does not list this one."""

    @property
    def recovery(self) -> Recovery:
        return self.fault.recovery or NO_RECOVERY

    @property
    def may_have_happened(self) -> bool:
        """Whether the call may have taken effect, and making it again may do harm."""
        retry = self.fault.retry  # VERIFY_FIRST knows more than the name of the tool does.
        return retry is Retry.VERIFY_FIRST or (retry is Retry.IF_HARMLESS and self.has_effect is not False)

    @property
    def fallback(self) -> UseTool | None:
        """The tool to use instead, unless it has failed as well: two that name each other would take turns for ever.

        None also if it might do a second time what may have happened already.
        """
        tool = self.recovery.fallback_tool
        if tool is None or not self._is_left(tool):
            return None
        effects = {self.has_effect, self.listed[tool]}
        is_twice = self.may_have_happened and self.listed[tool] is not False and effects != {None}
        return None if is_twice else UseTool(tool, has_effect=self.listed[tool])

    @property
    def look(self) -> UseTool | None:
        """The tool by which the server lets one verify the call, unless that tool changes something itself."""
        tool = self.recovery.verify_tool
        if tool is None or not self._is_left(tool) or self.listed[tool]:
            return None
        return UseTool(tool, to_verify=True, has_effect=self.listed[tool])

    @property
    def presumed_look(self) -> UseTool | None:
        """A tool that can verify the call by its name only; None if the server has a message for a person instead."""
        tool = self.looking_tool
        is_wanted = self.may_have_happened and not self.recovery.verify_tool and not self.recovery.user_message
        if tool is None or not is_wanted or not self._is_left(tool) or self.listed[tool] is not False:
            return None
        return UseTool(tool, to_verify=True, has_effect=False, is_presumed=True)

    def _is_left(self, tool: str) -> bool:
        return tool in self.listed and tool not in self.failed


def decide(outcome: object, history: Iterable[object] | None = ()) -> Step | None:
    """Return the next step after a call; None after a success.

        match decide(outcome, caller.history):
            case Repeat(after_ms): ...

    `outcome` is a result, a Fault or an exception; `history` holds the earlier ones, and may hold this one. The steps come to
    an end: a call that was repeated already is not repeated again, the third failure of the same kind counts as a loop, and
    ten failures in a row lead to `Stop`. Nothing is raised, whatever the outcome is.
    """
    if history is not None and not isinstance(history, Iterable):
        raise TypeError(
            f"`history` is of type `{type(history).__name__}`. Pass the outcomes before this one, as in "
            "`decide(outcome, caller.history)`."
        )
    if question := read_question(outcome):
        return _ask(question)
    fault = read_fault(outcome)
    if fault is None:
        return None
    earlier = [each for each in history or () if not _is_same_failure(each, outcome)]
    case = _build_case(outcome, fault, earlier)
    return (
        _stop_if_looping(case, outcome, earlier)
        or _suggest_listed_tool(case)
        or _follow_advice(case)
        or _BY_VERDICT[fault.retry](case)
    )


def _build_case(outcome: object, fault: Fault, earlier: Sequence[object]) -> _Case:
    return _Case(
        fault=fault,
        times=1 + _count_same_way(outcome, fault, earlier),
        attempts=_count_attempts(outcome, fault, earlier),
        failed=frozenset(map(_tool_of, [*earlier, outcome])) - {""},
        streak=_find_streak(outcome, fault, earlier),
        has_effect=outcome.has_effect if isinstance(outcome, CallFailed) else None,
        listed=_proposable_tools(outcome, fault.recovery or NO_RECOVERY),
        tool=_tool_of(outcome),
        looking_tool=outcome.looking_tool if isinstance(outcome, CallFailed) else None,
        nearest=outcome.nearest if isinstance(outcome, CallFailed) else None,
    )


def _stop_if_looping(case: _Case, outcome: object, earlier: Sequence[object]) -> Stop | None:
    """Return a stop if calls have failed too often, in one way or another."""
    message, streak = case.fault.message, case.streak
    if case.times >= MOST_TIMES:
        return Stop(f"The same call has failed {case.times} times in the same way: {message}")
    if (times := 1 + _count_same_call(outcome, earlier)) >= MOST_TIMES_AT_ALL:
        return Stop(f"The same call has failed {times} times in different ways, the last time with: {message}")
    if streak.failures >= MOST_IN_A_ROW:
        return Stop(f"{streak.failures} calls have failed one after the other, the last one with: {message}")
    if streak.of_tool >= MOST_OF_A_TOOL:
        return Stop(f"The tool has failed {streak.of_tool} times without a success, the last time with: {message}")
    return None


def _ask(question: NeedsInput) -> AskUser:
    return AskUser(question.message, question.fields, question.options[:_MOST_OPTIONS])


def _is_same_failure(remembered: object, outcome: object) -> bool:
    if isinstance(remembered, CallFailed) and isinstance(outcome, CallFailed) and outcome.occurrence:
        return remembered.occurrence == outcome.occurrence
    return remembered is outcome


def _count_same_way(outcome: object, fault: Fault, earlier: Sequence[object]) -> int:
    this = _failure_way(outcome, fault)
    return sum(_failure_way(each, before) == this for each in earlier if (before := read_fault(each)) is not None)


def _count_same_call(outcome: object, earlier: Sequence[object]) -> int:
    """Return how often the same call has failed before, in any way; 0 if the call is not known."""
    call = _call_of(outcome)
    return sum(_call_of(each) == call for each in earlier) if call else 0


def _count_attempts(outcome: object, fault: Fault, earlier: Sequence[object]) -> int:
    """Return how often the same call was made, by whomever it was repeated; 1 if it was not."""
    call = _call_of(outcome)
    same = [each.attempts for each in (*earlier, outcome) if isinstance(each, CallFailed) and each.identity == call]
    made = max([*same, count_attempts(fault)])
    return sum(same) if made in same and made > 1 else made


def _find_streak(outcome: object, fault: Fault, earlier: Sequence[object]) -> Streak:
    """Return the failures in a row: as the caller has counted them, else by the history."""
    if isinstance(outcome, CallFailed) and outcome.streak.failures:
        return outcome.streak
    faults = itertools.takewhile(lambda before: before is not None, map(read_fault, reversed(earlier)))
    return functools.reduce(Streak.and_one, filter(None, faults), NO_STREAK.and_one(fault))


def _proposable_tools(outcome: object, recovery: Recovery) -> dict[str, bool | None]:
    """Return the tools that may be proposed: those that the server lists or, without a list, those that the fault names."""
    if isinstance(outcome, CallFailed) and outcome.listed is not None:
        return dict(outcome.listed)
    return {tool: has_effect(tool) for tool in (recovery.fallback_tool, recovery.verify_tool) if tool}


def _call_of(outcome: object) -> str | None:
    return outcome.identity if isinstance(outcome, CallFailed) else None


def _failure_way(outcome: object, fault: Fault) -> _FailureWay:
    call = _call_of(outcome)
    return _FailureWay(call, fault.code, fault.first_field, fault.reason, None if call else fault.message)


def _tool_of(outcome: object) -> str:
    return (outcome.tool if isinstance(outcome, CallFailed) else None) or ""


def _suggest_listed_tool(case: _Case) -> Step | None:
    """Suggest the nearest tools if the server does not list the one that was called, whatever its answer was.

    Other verdicts come first: a call that may have happened is verified, and one that was not taken on may be repeated. A
    permission is for a person: some servers hide tools that the user may not call.
    """
    is_settled = case.fault.retry in {Retry.FIX_INPUT, Retry.NEVER} and case.fault.code not in _A_PERSON_DECIDES
    if case.nearest is None or not is_settled:
        return None
    match [*case.nearest.items()]:
        case [(tool, effect)] if tool not in case.failed and _may_stand_for(case.tool, tool, effect):
            return UseTool(tool, has_effect=effect, is_presumed=True)
        case near:
            others = " or ".join(_describe_tool(tool, effect) for tool, effect in near)
            proposal = f"Did you mean {others}?" if others else "Choose one of those that it lists."
            return TellModel(f"The server has no tool {quote_name(line_of(case.tool, _LONGEST_NAME))}. {proposal}")


def _may_stand_for(called: str, other: str, effect: bool | None) -> bool:  # noqa: FBT001 - three answers.
    """Return whether one tool may stand for another; one that changes something must do the same thing."""
    meant, verb = has_effect(called), find_verb(called)
    if effect is False or effect is not meant:
        return effect is False and meant is not True
    return effect is None or (verb is not None and is_same_deed(verb, find_verb(other) or ""))


def _describe_tool(tool: str, effect: bool | None) -> str:  # noqa: FBT001 - as above.
    return f"{quote_name(line_of(tool))} (which changes something)" if effect else quote_name(line_of(tool))


def _follow_advice(case: _Case) -> Step | None:
    """Return the kind of step that the server names; a call that may have happened is verified first."""
    recovery, may_have_happened = case.recovery, case.may_have_happened
    match recovery.hint_class:
        case RecoveryHint.REPORT_TO_USER:
            return _look_or_ask(case) if may_have_happened else AskUser(recovery.user_message or case.fault.message)
        case RecoveryHint.CHECK_INPUT if recovery.corrective_params and not may_have_happened:
            return _fix_arguments(case)
        case RecoveryHint.TRY_ALTERNATIVE if not may_have_happened:
            return case.fallback
        case _:
            return None


def _repeat(case: _Case) -> Step:
    """Repeat the call, or use the fallback; wait longer each time, and let a person decide on a very long wait."""
    if case.fallback:
        return case.fallback
    if case.attempts > 1:
        return _give_up_repeating(case)
    wait, waits = case.fault.retry_after_ms, case.streak.waits_ms
    message = (case.recovery.user_message or case.fault.message).rstrip(".!?")
    if wait is not None and wait > LONGEST_WAIT_MS:
        return AskUser(f"{message}. It can be repeated in {_format_hours(wait)}. Decide whether to wait for that.")
    if waits > LONGEST_WAIT_MS:
        return AskUser(f"{message}. With this wait it would be {_format_hours(waits)} in all. Decide whether to go on.")
    return Repeat(_FIRST_WAIT_MS * case.times if wait is None else wait)


def _give_up_repeating(case: _Case) -> Step:
    """Give up a call that was repeated enough; a model may find another way to read what it wanted."""
    if case.has_effect is False and case.times == 1:
        return TellModel(case.fault.message)
    return Stop(f"The same call was made {case.attempts} times: {strip_attempts(case.fault.message)}")


def _format_hours(wait_ms: int) -> str:
    """Return a long wait in whole hours or days, rounded up."""
    hours = -(-wait_ms // _HOUR_MS)
    return f"{hours} hours" if hours <= _TWO_DAYS else f"{-(-hours // 24)} days"


def _handle_if_harmless(case: _Case) -> Step:
    """Handle a call that may have happened and may do harm twice: verify it, use the fallback, or ask a person."""
    look = case.look if case.may_have_happened else None
    return look or case.fallback or _look_or_ask(case)


def _look_or_ask(case: _Case) -> Step:
    if case.look:
        return case.look
    message = case.fault.message.rstrip(".!?")
    wait = f"wait {whole_seconds(case.fault.retry_after_ms)} s" if case.fault.retry_after_ms else ""
    if case.presumed_look:
        return case.presumed_look
    if not case.may_have_happened:
        return TellModel(f"{message}. To call it again, {wait} first." if wait else case.fault.message)
    checks = f"Check whether it happened, and {wait}," if wait else "Check whether it happened"
    return AskUser(case.recovery.user_message or f"{message}. {checks} before it is done again.")


def _fix_arguments(case: _Case) -> Step:
    """Change the arguments that are named; if none are, the fallback may know what is right."""
    fault, recovery = case.fault, case.recovery
    if case.fallback and not fault.issues and not fault.field and not recovery.corrective_params:
        return case.fallback
    return FixArguments(_name_issues(fault), recovery.corrective_params, fault.message, recovery.hint, case.has_effect)


def _name_issues(fault: Fault) -> tuple[FieldIssue, ...]:
    """Return what is wrong with which argument; if only the argument is named, the message says what."""
    return fault.issues or ((FieldIssue(fault.field, fault.message),) if fault.field else ())


def _give_up(case: _Case) -> Step:
    fault, recovery = case.fault, case.recovery
    if case.fallback:
        return case.fallback
    words = recovery.user_message or fault.message
    return AskUser(words) if fault.code in _A_PERSON_DECIDES else Stop(words)


_BY_VERDICT: dict[Retry, Callable[[_Case], Step]] = {
    Retry.SAME_CALL: _repeat,
    Retry.IF_HARMLESS: _handle_if_harmless,
    Retry.FIX_INPUT: _fix_arguments,
    Retry.VERIFY_FIRST: _look_or_ask,
    Retry.NEVER: _give_up,
}
