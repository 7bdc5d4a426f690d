"""From an exception to a Fault: who is asked, in which order. What is known is in the tables beside this file."""

import dataclasses
from enum import StrEnum
from typing import NamedTuple

from errata._fault import Fault, FaultError, identified
from errata._identity import new_correlation_id, now
from errata._jsonable import text_of
from errata._taxonomy import Code, Retry, verdict
from errata._values import is_a
from errata.classification._answer import Answer, Rule, Said, described
from errata.classification._carried import carried, flag_of, wait_of
from errata.classification._tables import REGISTRY, dotted_name
from errata.classification._unwrap import cause_of, leaves_of
from errata.classification._words import meaning_of, words_of

_DEEPEST = 16
"""How many exceptions inside one another are looked at."""
_LEAST_FIRST = (Retry.NEVER, Retry.VERIFY_FIRST, Retry.FIX_INPUT, Retry.IF_HARMLESS, Retry.SAME_CALL)
_CODES = list(Code)


class Step(StrEnum):
    """What decided."""

    FAULT = "the fault it carries"
    CLASS = "its class"
    CARRIED = "what it carries"
    CAUSE = "its cause"
    WORDS = "its words"
    FALLBACK = "nothing else"


@dataclasses.dataclass(frozen=True, slots=True)
class Explanation:
    """How a fault came about."""

    fault: Fault
    step: Step
    rule: str
    """The row that decided, in words."""
    trail: tuple[str, ...]
    """The classes that were looked through to get there, outermost first; the last one was judged."""


class _Decision(NamedTuple):
    answer: Answer
    step: Step
    rule: str
    error: BaseException
    """Whose words the client is told, unless the answer has its own."""
    trail: tuple[str, ...]

    @property
    def is_firm(self) -> bool:
        """Whether it rests on facts, and says more than that something is broken here."""
        return self.step in {Step.FAULT, Step.CLASS, Step.CARRIED} and self.answer.code not in _SAY_LITTLE


_SAY_LITTLE = {Code.INTERNAL_ERROR, Code.UNKNOWN_ERROR}


def classify(error: BaseException) -> Fault:
    """Turn any exception into the Fault that says what happened. It never fails, whatever it is given."""
    return explain(error).fault


def explain(error: BaseException) -> Explanation:
    """Classify an exception and say what decided; for debugging and for tests."""
    if is_a(error, FaultError):
        return Explanation(identified(error.fault), Step.FAULT, "raised on purpose", (dotted_name(type(error)),))
    decision = _ask(error, ())
    fault = decision.error.fault if is_a(decision.error, FaultError) and decision.step is Step.FAULT else None
    return Explanation(
        identified(fault) if fault else _fault(decision), decision.step, decision.rule, decision.trail
    )


def _fault(decision: _Decision) -> Fault:
    answer, error = decision.answer, decision.error
    wait = answer.retry_after_ms
    if wait is None and answer.code not in _SAY_LITTLE:
        wait = wait_of(error, answer.http_status)
    return Fault(
        code=answer.code,
        message=text_of(error) if answer.text is None else answer.text,
        retry=_verdict(answer, flag_of(error)),
        retry_after_ms=wait,
        http_status=answer.http_status,
        issues=answer.issues,
        correlation_id=new_correlation_id(),
        timestamp=now(),
    )


def _verdict(answer: Answer, flag: bool | None) -> Retry:
    """Let the exception's own yes or no count, as far as the code and the rule allow it."""
    own = answer.retry or verdict(answer.code, http_status=answer.http_status)
    if flag is None:
        return own
    told = verdict(answer.code, http_status=answer.http_status, flag=flag)
    return told if answer.retry is None or not flag else own


def _ask(error: BaseException, above: tuple[BaseException, ...]) -> _Decision:
    """Ask the class, then what the exception carries, then its cause and its words."""
    here = (*above, error)
    if is_a(error, FaultError):
        return _decision(_carried_fault(error.fault), Step.FAULT, "raised on purpose", here)
    if is_a(error, BaseExceptionGroup):
        return _ask_group(error, here)
    plan = REGISTRY.plan(type(error))
    for name, rule in plan.rules:
        if decision := _told(_said(rule, error), Step.CLASS, f"{name}: {described(rule)}", here):
            return decision
    return (
        _told(carried(error), Step.CARRIED, "what it carries", here)
        or _ask_words(error, here)
        or (_told(_said(plan.last[1], error), Step.CLASS, f"{plan.last[0]}: {described(plan.last[1])}", here) if plan.last else None)
        or _decision(Answer(Code.INTERNAL_ERROR), Step.FALLBACK, "nobody knows it", here)
    )


def _carried_fault(fault: Fault) -> Answer:
    return Answer(fault.code, fault.retry, fault.http_status, fault.retry_after_ms, fault.message, fault.issues)


def _ask_words(error: BaseException, here: tuple[BaseException, ...]) -> _Decision | None:
    """Believe the class's name before the cause, a cause that is sure before prose, and prose before nothing."""
    cause = cause_of(error)
    if cause is None or not _may_look(cause, here):
        return _told(meaning_of(words_of(error, text=text_of(error))), Step.WORDS, "…", here)
    by_name = meaning_of(words_of(error, text=None))
    if by_name:
        return _told(by_name, Step.WORDS, "…", here)
    deeper = _ask(cause, here)
    if deeper.is_firm:
        return deeper._replace(error=error, step=Step.CAUSE, answer=_own(deeper))
    return _told(meaning_of(words_of(error, text=text_of(error))), Step.WORDS, "…", here)


def _own(deeper: _Decision) -> Answer:
    """Take a cause's answer for the exception that was raised from it, which says it in its own words."""
    wait = deeper.answer.retry_after_ms
    return deeper.answer._replace(
        text=None,
        retry=_verdict(deeper.answer, flag_of(deeper.error)),
        retry_after_ms=wait_of(deeper.error, deeper.answer.http_status) if wait is None else wait,
    )


def _ask_group(group: BaseException, here: tuple[BaseException, ...]) -> _Decision:
    """Choose the member that an agent can do least about."""
    decisions = [_ask(leaf, here) for leaf in leaves_of(group) if _may_look(leaf, here)]
    if not decisions:
        return _decision(Answer(Code.INTERNAL_ERROR), Step.FALLBACK, "an empty group", here)
    return min(decisions, key=lambda each: (_LEAST_FIRST.index(_verdict(each.answer, flag_of(each.error))), _CODES.index(each.answer.code)))


def _told(said: Said, step: Step, rule: str, here: tuple[BaseException, ...]) -> _Decision | None:
    """Make a decision of what a rule said; None if it said nothing."""
    if said is None:
        return None
    if is_a(said, BaseException):
        return _ask(said, here) if _may_look(said, here) else None
    return _decision(said if isinstance(said, Answer) else Answer(said), step, rule, here)


def _decision(answer: Answer, step: Step, rule: str, here: tuple[BaseException, ...]) -> _Decision:
    return _Decision(answer, step, rule, here[-1], tuple(dotted_name(type(error)) for error in here))


def _said(rule: Rule, error: BaseException) -> Said:
    """Ask one rule; one that fails says nothing."""
    if not callable(rule):
        return rule
    try:
        return rule(error)
    except Exception:  # noqa: BLE001 - it reads a foreign object, which may be anything.
        return None


def _may_look(error: BaseException, here: tuple[BaseException, ...]) -> bool:
    return len(here) < _DEEPEST and not any(error is seen for seen in here)
