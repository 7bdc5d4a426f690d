"""What to do next, decided by the verdict of a fault, by what is known of the tool, and by what was tried before."""

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
from errata.resilience import attempts_of, without_attempts
from errata.tools import has_effect, is_same_deed, verb_of

MOST_TIMES = 3
"""So often the same call may fail in the same way; after that, more of the same is a loop."""
MOST_TIMES_AT_ALL = 10
"""So often the same call may fail in whatever way. What a way is called, the server says, and may say anew each time.

An outage passes through some four: refused, busy, timed out, too many at once. Each may be met twice, which makes eight.
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
    attempts: int
    """How often the same call was made if it was repeated before this was asked, wherever that was; else 1."""
    failed: frozenset[str]
    """The tools that have failed, this one included: the way out of a failure does not lead back into it."""
    streak: Streak
    """What failed on the way here, this failure included."""
    has_effect: bool | None
    """Whether the tool changes something; None where nobody knows."""
    listed: dict[str, bool | None]
    """The tools that may be proposed, and whether they have an effect."""
    tool: str = ""
    looking_tool: str | None = None
    """A tool that shows by its name whether the call took effect."""
    nearest: Mapping[str, bool | None] | None = None
    """The tools that are nearest by name if the server does not list this one."""

    @property
    def recovery(self) -> Recovery:
        return self.fault.recovery or NO_RECOVERY

    @property
    def may_have_happened(self) -> bool:
        """Whether the call may have taken effect, and doing it once more may do harm."""
        retry = self.fault.retry  # Whoever says VERIFY_FIRST knows more than the name of the tool does.
        return retry is Retry.VERIFY_FIRST or (retry is Retry.IF_HARMLESS and self.has_effect is not False)

    @property
    def fallback(self) -> UseTool | None:
        """The tool to use instead, unless it has failed as well: two that name each other would take turns for ever.

        Nor is it one that may do a second time what may have happened.
        """
        tool = self.recovery.fallback_tool
        if tool is None or not self._is_left(tool):
            return None
        effects = {self.has_effect, self.listed[tool]}
        is_twice = self.may_have_happened and self.listed[tool] is not False and effects != {None}
        return None if is_twice else UseTool(tool, has_effect=self.listed[tool])

    @property
    def look(self) -> UseTool | None:
        """The tool that tells whether the call took effect; one that changes something tells nothing safely."""
        tool = self.recovery.verify_tool
        if tool is None or not self._is_left(tool) or self.listed[tool]:
            return None
        return UseTool(tool, to_verify=True, has_effect=self.listed[tool])

    @property
    def presumed_look(self) -> UseTool | None:
        """A tool of which only the name says that it tells; who has words for a person wants one asked."""
        tool = self.looking_tool
        is_wanted = self.may_have_happened and not self.recovery.verify_tool and not self.recovery.user_message
        if tool is None or not is_wanted or not self._is_left(tool) or self.listed[tool] is not False:
            return None
        return UseTool(tool, to_verify=True, has_effect=False, is_presumed=True)

    def _is_left(self, tool: str) -> bool:
        return tool in self.listed and tool not in self.failed


def decide(outcome: object, history: Iterable[object] | None = ()) -> Step | None:
    """Say what to do after a call; None after a success.

        match decide(outcome, caller.history):
            case Repeat(after_ms): ...

    `outcome` is a result, a Fault or an exception; `history` are the earlier ones, and may hold this one. It ends: a call
    that was repeated already is not repeated again, the third failure of the same kind is a loop, and ten calls that fail
    one after the other, whatever they are, are to be stopped. Whatever the outcome is, nothing is raised.
    """
    if history is not None and not isinstance(history, Iterable):
        raise TypeError(
            f"`history` is of type `{type(history).__name__}`. Pass the outcomes before this one, as in "
            "`decide(outcome, caller.history)`."
        )
    if question := read_question(outcome):
        return _asked(question)
    fault = read_fault(outcome)
    if fault is None:
        return None
    earlier = [each for each in history or () if not _is_the_same(each, outcome)]
    case = _case(outcome, fault, earlier)
    return _end(case, outcome, earlier) or _unlisted(case) or _as_advised(case) or _BY_VERDICT[fault.retry](case)


def _case(outcome: object, fault: Fault, earlier: Sequence[object]) -> _Case:
    return _Case(
        fault=fault,
        times=1 + _times(outcome, fault, earlier),
        attempts=_attempts(outcome, fault, earlier),
        failed=frozenset(map(_tool_of, [*earlier, outcome])) - {""},
        streak=_streak(outcome, fault, earlier),
        has_effect=outcome.has_effect if isinstance(outcome, CallFailed) else None,
        listed=_listed(outcome, fault.recovery or NO_RECOVERY),
        tool=_tool_of(outcome),
        looking_tool=outcome.looking_tool if isinstance(outcome, CallFailed) else None,
        nearest=outcome.nearest if isinstance(outcome, CallFailed) else None,
    )


def _end(case: _Case, outcome: object, earlier: Sequence[object]) -> Stop | None:
    """Stop what has failed too often, in one way or another."""
    message, streak = case.fault.message, case.streak
    if case.times >= MOST_TIMES:
        return Stop(f"The same call has failed {case.times} times in the same way: {message}")
    if (times := 1 + _times_at_all(outcome, earlier)) >= MOST_TIMES_AT_ALL:
        return Stop(f"The same call has failed {times} times in different ways, the last time with: {message}")
    if streak.failures >= MOST_IN_A_ROW:
        return Stop(f"{streak.failures} calls have failed one after the other, the last one with: {message}")
    if streak.of_tool >= MOST_OF_A_TOOL:
        return Stop(f"The tool has failed {streak.of_tool} times without a success, the last time with: {message}")
    return None


def _asked(question: NeedsInput) -> AskUser:
    return AskUser(question.message, question.fields, question.options[:_MOST_OPTIONS])


def _is_the_same(remembered: object, outcome: object) -> bool:
    if isinstance(remembered, CallFailed) and isinstance(outcome, CallFailed) and outcome.occurrence:
        return remembered.occurrence == outcome.occurrence
    return remembered is outcome


def _times(outcome: object, fault: Fault, earlier: Sequence[object]) -> int:
    this = _way(outcome, fault)
    return sum(_way(each, before) == this for each in earlier if (before := read_fault(each)) is not None)


def _times_at_all(outcome: object, earlier: Sequence[object]) -> int:
    """Count how often the same call has failed before, in whatever way; of one that nobody can name, that is not known."""
    call = _call_of(outcome)
    return sum(_call_of(each) == call for each in earlier) if call else 0


def _attempts(outcome: object, fault: Fault, earlier: Sequence[object]) -> int:
    """Count how often the same call was made if somebody has repeated it, whoever that was; else it was made once."""
    call = _call_of(outcome)
    same = [each.attempts for each in (*earlier, outcome) if isinstance(each, CallFailed) and each.identity == call]
    made = max([*same, attempts_of(fault)])
    return sum(same) if made in same and made > 1 else made


def _streak(outcome: object, fault: Fault, earlier: Sequence[object]) -> Streak:
    """Return what failed on the way here: as the caller has counted it, else as the history tells."""
    if isinstance(outcome, CallFailed) and outcome.streak.failures:
        return outcome.streak
    faults = itertools.takewhile(lambda before: before is not None, map(read_fault, reversed(earlier)))
    return functools.reduce(Streak.and_one, filter(None, faults), NO_STREAK.and_one(fault))


def _listed(outcome: object, recovery: Recovery) -> dict[str, bool | None]:
    """Return the tools that may be proposed: those that the server lists; where nobody has looked, those that are named."""
    if isinstance(outcome, CallFailed) and outcome.listed is not None:
        return dict(outcome.listed)
    return {tool: has_effect(tool) for tool in (recovery.fallback_tool, recovery.verify_tool) if tool}


def _call_of(outcome: object) -> str | None:
    return outcome.identity if isinstance(outcome, CallFailed) else None


def _way(outcome: object, fault: Fault) -> _Way:
    call = _call_of(outcome)
    return _Way(call, fault.code, fault.first_field, fault.reason, None if call else fault.message)


def _tool_of(outcome: object) -> str:
    return (outcome.tool if isinstance(outcome, CallFailed) else None) or ""


def _unlisted(case: _Case) -> Step | None:
    """Name the nearest tools if the server does not list the one that was called, whatever it said about it.

    What may have happened all the same is looked at first, what was not taken on may be repeated, and a permission is for a
    person: some servers hide what one may not do.
    """
    is_settled = case.fault.retry in {Retry.FIX_INPUT, Retry.NEVER} and case.fault.code not in _A_PERSON_DECIDES
    if case.nearest is None or not is_settled:
        return None
    match [*case.nearest.items()]:
        case [(tool, effect)] if tool not in case.failed and _does_the_same(case.tool, tool, effect):
            return UseTool(tool, has_effect=effect, is_presumed=True)
        case near:
            others = " or ".join(_with_effect(tool, effect) for tool, effect in near)
            proposal = f"Did you mean {others}?" if others else "Choose one of those that it lists."
            return TellModel(f"The server has no tool {quote_name(line_of(case.tool, _LONGEST_NAME))}. {proposal}")


def _does_the_same(called: str, other: str, effect: bool | None) -> bool:  # noqa: FBT001 - three answers.
    """Whether one tool may stand for another: one that changes something stands only for what changes it in the same way."""
    meant, verb = has_effect(called), verb_of(called)
    if effect is False or effect is not meant:
        return effect is False and meant is not True
    return effect is None or (verb is not None and is_same_deed(verb, verb_of(other) or ""))


def _with_effect(tool: str, effect: bool | None) -> str:  # noqa: FBT001 - as above.
    return f"{quote_name(line_of(tool))} (which changes something)" if effect else quote_name(line_of(tool))


def _as_advised(case: _Case) -> Step | None:
    """Follow the kind of next step that the server names; what may have happened is looked at first, whatever it names."""
    recovery, may_have_happened = case.recovery, case.may_have_happened
    match recovery.hint_class:
        case RecoveryHint.REPORT_TO_USER:
            return _look_first(case) if may_have_happened else AskUser(recovery.user_message or case.fault.message)
        case RecoveryHint.CHECK_INPUT if recovery.corrective_params and not may_have_happened:
            return _fix(case)
        case RecoveryHint.TRY_ALTERNATIVE if not may_have_happened:
            return case.fallback
        case _:
            return None


def _again(case: _Case) -> Step:
    """Repeat it, in another way if there is one, and more slowly each time; for how long to wait, a person may decide."""
    if case.fallback:
        return case.fallback
    if case.attempts > 1:
        return _used_up(case)
    wait, waits = case.fault.retry_after_ms, case.streak.waits_ms
    message = (case.recovery.user_message or case.fault.message).rstrip(".!?")
    if wait is not None and wait > LONGEST_WAIT_MS:
        return AskUser(f"{message}. It can be repeated in {_in_hours(wait)}. Decide whether to wait for that.")
    if waits > LONGEST_WAIT_MS:
        return AskUser(f"{message}. With this wait it would be {_in_hours(waits)} in all. Decide whether to go on.")
    return Repeat(_FIRST_WAIT_MS * case.times if wait is None else wait)


def _used_up(case: _Case) -> Step:
    """Give up a call that was repeated enough; a model may find another way to what it wanted to read."""
    if case.has_effect is False and case.times == 1:
        return TellModel(case.fault.message)
    return Stop(f"The same call was made {case.attempts} times: {without_attempts(case.fault.message)}")


def _in_hours(wait_ms: int) -> str:
    """Say a wait that nobody counts in seconds; one that has begun counts as a whole."""
    hours = -(-wait_ms // _HOUR_MS)
    return f"{hours} hours" if hours <= _TWO_DAYS else f"{-(-hours // 24)} days"


def _if_harmless(case: _Case) -> Step:
    """Nobody said that it does no harm, and it may have happened: a look, an author's other way, or a person."""
    look = case.look if case.may_have_happened else None
    return look or case.fallback or _look_first(case)


def _look_first(case: _Case) -> Step:
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


def _fix(case: _Case) -> Step:
    """Correct what is named; where nothing is, another tool may know what would be right."""
    fault, recovery = case.fault, case.recovery
    if case.fallback and not fault.issues and not fault.field and not recovery.corrective_params:
        return case.fallback
    return FixArguments(_issues(fault), recovery.corrective_params, fault.message, recovery.hint, case.has_effect)


def _issues(fault: Fault) -> tuple[FieldIssue, ...]:
    """List what is wrong with which argument; where only the argument is named, the message says what."""
    return fault.issues or ((FieldIssue(fault.field, fault.message),) if fault.field else ())


def _give_up(case: _Case) -> Step:
    fault, recovery = case.fault, case.recovery
    if case.fallback:
        return case.fallback
    words = recovery.user_message or fault.message
    return AskUser(words) if fault.code in _A_PERSON_DECIDES else Stop(words)


_BY_VERDICT: dict[Retry, Callable[[_Case], Step]] = {
    Retry.SAME_CALL: _again,
    Retry.IF_HARMLESS: _if_harmless,
    Retry.FIX_INPUT: _fix,
    Retry.VERIFY_FIRST: _look_first,
    Retry.NEVER: _give_up,
}
