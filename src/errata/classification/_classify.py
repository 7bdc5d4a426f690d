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
from errata.classification._carried import carried, flag_of, is_bare, wait_of
from errata.classification._tables import REGISTRY, dotted_name
from errata.classification._unwrap import cause_of, earlier_than, leaves_of
from errata.classification._words import meaning_of, words_of

_DEEPEST = 16
"""How many exceptions inside one another are looked at."""
_LEAST_FIRST = (Retry.NEVER, Retry.VERIFY_FIRST, Retry.FIX_INPUT, Retry.IF_HARMLESS, Retry.SAME_CALL)
_CODES = list(Code)


class Step(StrEnum):
    """What decided."""

    FAULT = "fault"
    """It carries a fault: somebody raised it on purpose."""
    CLASS = "class"
    """Its class has a row in a table."""
    CARRIED = "carried"
    """It carries a status, an SQLSTATE, an errno."""
    CAUSE = "cause"
    """It was raised from something that is known."""
    WORDS = "words"
    """Its name or its text has a phrase from the tables of patterns."""
    FALLBACK = "fallback"
    """Nothing is known about it."""


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
    row: tuple[str, Rule] | None
    """The row of a table, if it was one."""
    here: tuple[BaseException, ...]
    """The exceptions that were looked through, outermost first."""

    @property
    def error(self) -> BaseException:
        """Whose words the client is told, unless the answer has its own."""
        return self.here[-1]

    @property
    def is_firm(self) -> bool:
        """Whether it rests on facts, and says more than that something is broken here."""
        return self.step in {Step.FAULT, Step.CLASS, Step.CARRIED} and self.answer.code not in _SAY_LITTLE


_IN_WORDS = {
    Step.FAULT: "raised on purpose",
    Step.CARRIED: "a status or number that it carries",
    Step.CAUSE: "the exception it was raised from",
    Step.WORDS: "a phrase in its name or text",
    Step.FALLBACK: "nobody knows it",
}
_SAY_LITTLE = {Code.INTERNAL_ERROR, Code.UNKNOWN_ERROR}


def classify(error: BaseException) -> Fault:
    """Turn any exception into the Fault that says what happened. It never fails, whatever it is given."""
    return _fault(_ask(error, ()))


def explain(error: BaseException) -> Explanation:
    """Classify an exception and say what decided; for debugging and for tests."""
    decision = _ask(error, ())
    trail = tuple(dotted_name(type(each)) for each in decision.here)
    return Explanation(_fault(decision), decision.step, _rule_text(decision), trail)


def _rule_text(decision: _Decision) -> str:
    if decision.row:
        name, rule = decision.row
        return f"{name}: {described(rule)}"
    return _IN_WORDS[decision.step]


def _fault(decision: _Decision) -> Fault:
    answer, error = decision.answer, decision.error
    if decision.step is Step.FAULT and is_a(error, FaultError):
        return identified(error.fault)
    return Fault(
        code=answer.code,
        message=_text(error) if answer.text is None else answer.text,
        retry=_verdict(decision),
        retry_after_ms=_wait(decision),
        http_status=answer.http_status,
        issues=answer.issues,
        correlation_id=new_correlation_id(),
        timestamp=now(),
    )


def _text(error: BaseException) -> str:
    """Read an exception's text; where it quotes another exception whose text is not told, it does not quote it either."""
    text = text_of(error)
    for quoted in earlier_than(error):
        words = text_of(quoted)
        if words and words in text and (instead := _ask(quoted, ()).answer.text):
            text = text.replace(words, instead)
    return text


def _verdict(decision: _Decision) -> Retry:
    """Let the exception's own yes or no count, as far as the code and the rule allow it."""
    answer, error = decision.answer, decision.error
    flag = None if is_bare(error) else flag_of(error)
    if flag is None or (flag and answer.retry):
        return answer.retry or verdict(answer.code, http_status=answer.http_status)
    return verdict(answer.code, http_status=answer.http_status, flag=flag)


def _wait(decision: _Decision) -> int | None:
    answer, error = decision.answer, decision.error
    if answer.retry_after_ms is not None or is_bare(error):
        return answer.retry_after_ms
    return wait_of(error, answer.http_status)


def _ask(error: BaseException, above: tuple[BaseException, ...]) -> _Decision:
    """Ask the class, then what the exception carries, then its cause and its words."""
    here = (*above, error)
    if is_a(error, FaultError):
        return _Decision(_carried_fault(error.fault), Step.FAULT, None, here)
    plan = REGISTRY.plan(type(error))
    for row in plan.rules:
        if decision := _told(_said(row[1], error), Step.CLASS, row, here):
            return decision
    if is_a(error, BaseExceptionGroup):
        return _ask_group(error, here)
    return (
        (None if is_bare(error) else _told(carried(error), Step.CARRIED, None, here))
        or _ask_words(error, plan.names, here)
        or (_told(_said(plan.last[1], error), Step.CLASS, plan.last, here) if plan.last else None)
        or _Decision(Answer(Code.INTERNAL_ERROR), Step.FALLBACK, None, here)
    )


def _carried_fault(fault: Fault) -> Answer:
    return Answer(fault.code, fault.retry, fault.http_status, fault.retry_after_ms, fault.message, fault.issues)


def _ask_words(error: BaseException, names: tuple[str, ...], here: tuple[BaseException, ...]) -> _Decision | None:
    """Believe the class's name before the cause, a cause that is sure before prose, and prose before nothing."""
    cause = cause_of(error)
    if cause is not None and _may_look(cause, here):
        if by_name := meaning_of(words_of(error, names=names, text=None)):
            return _told(by_name, Step.WORDS, None, here)
        deeper = _ask(cause, here)
        if deeper.is_firm:
            return _Decision(_own(deeper), Step.CAUSE, deeper.row, here)
    return _told(meaning_of(words_of(error, names=names, text=text_of(error))), Step.WORDS, None, here)


def _own(deeper: _Decision) -> Answer:
    """Take a cause's answer for the exception that was raised from it, which says it in its own words."""
    return deeper.answer._replace(text=None, retry=_verdict(deeper), retry_after_ms=_wait(deeper))


def _ask_group(group: BaseException, here: tuple[BaseException, ...]) -> _Decision:
    """Choose the member that an agent can do least about."""
    decisions = [_ask(leaf, here) for leaf in leaves_of(group) if _may_look(leaf, here)]
    if not decisions:
        return _Decision(Answer(Code.INTERNAL_ERROR), Step.FALLBACK, None, here)
    return min(decisions, key=_hope)


def _hope(decision: _Decision) -> tuple[int, int]:
    """How much an agent can do about it: by the verdict, then by the order of the codes."""
    return _LEAST_FIRST.index(_verdict(decision)), _CODES.index(decision.answer.code)


def _told(said: Said, step: Step, row: tuple[str, Rule] | None, here: tuple[BaseException, ...]) -> _Decision | None:
    """Make a decision of what a rule said; None if it said nothing."""
    if said is None:
        return None
    if isinstance(said, BaseException):
        return _ask(said, here) if _may_look(said, here) else None
    return _Decision(said if isinstance(said, Answer) else Answer(said), step, row, here)


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
