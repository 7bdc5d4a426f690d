"""The order in which an exception is asked what happened; the first that says something decides.

1. A `FaultError` carries its own fault.
2. A wrapper that says nothing of its own, and a group, is what it holds (a rule of the class returns the exception inside).
3. The class: the rows of its own and of its bases' dotted names (`_registry.py`, `_families/`).
4. What it carries, whatever its class: a status, a gRPC status, an SQLSTATE (`_carried.py`).
5. Words: the names of the class, then a cause that is known for sure, then the text (`_words.py`, `_patterns.py`).
6. Otherwise the row of a general built-in class that it inherits from, and in the end INTERNAL_ERROR.
"""

from enum import StrEnum
from functools import partial
from itertools import islice
from typing import NamedTuple

from errata.classification._carried import by_carried, is_bare, read_retry_flag, read_wait
from errata.classification._exception_rules import Classification, Rule, RuleResult
from errata.classification._foreign import find_cause, list_earlier, walk_leaves
from errata.classification._registry import REGISTRY
from errata.classification._upstream import complete_by_response
from errata.classification._words import classify_words, speaks_of_a_failure, words_of
from errata.http import choose_wait
from errata.model import Code, Fault, FaultError, Retry, add_identity, decide_retry, is_a, new_correlation_id, now
from errata.redaction import text_of, type_text

_DEEPEST = 16
"""How many exceptions inside one another are looked at."""
_MOST_EXCEPTIONS = 300
"""How many exceptions are looked at in all: groups may hold groups, and their causes more of them."""
_SHORTEST_QUOTE = 12
"""A shorter text may stand in another one by chance, or name a key on purpose."""
_TRACEBACK = "Traceback (most recent call last)"
_LEAST_FIRST = (Retry.NEVER, Retry.VERIFY_FIRST, Retry.FIX_INPUT, Retry.IF_HARMLESS, Retry.SAME_CALL)
_CODES = list(Code)
_OF_UPSTREAMS = {
    Code.DATABASE_ERROR,
    Code.NETWORK_ERROR,
    Code.SERIALIZATION_ERROR,
    Code.SERVICE_UNAVAILABLE,
    Code.TIMEOUT,
    Code.UPSTREAM_ERROR,
}
_SAY_LITTLE = {Code.INTERNAL_ERROR, Code.UNKNOWN_ERROR}


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


_Row = tuple[str, Rule]
_Errors = tuple[BaseException, ...]


class Decision(NamedTuple):
    """What was concluded about an exception, and what it rests on."""

    known: Classification
    step: Step
    row: _Row | None
    """The row of a table, if it was one."""
    here: _Errors
    """The exceptions that were looked through, outermost first."""
    is_prose: bool = False
    """Whether all that it rests on is a phrase in a text."""
    is_last_resort: bool = False
    """Whether it is what remains where nothing says anything."""

    @property
    def error(self) -> BaseException:
        """The exception whose words the client reads, unless the classification has its own."""
        return self.here[-1]

    @property
    def is_firm(self) -> bool:
        """Whether it rests on facts, and says more than that something is broken here."""
        return self.step in {Step.FAULT, Step.CLASS, Step.CARRIED} and self.known.code not in _SAY_LITTLE

    @property
    def is_hearsay(self) -> bool:
        """Whether words are all there is to go by, or nothing but a text that quotes such words."""
        if _is_of_an_upstream(self.error):
            return False
        if self.is_prose or self.known.is_prose:
            return True
        knows_nothing = self.is_last_resort or self.known.code is Code.UNKNOWN_ERROR
        return knows_nothing and speaks_of_a_failure(text_of(self.error))


class Inquiry:
    """One exception being judged: how many more may be looked at, and the texts that were read."""

    __slots__ = ("_left", "_texts")

    def __init__(self) -> None:
        self._left = _MOST_EXCEPTIONS
        self._texts: dict[int, tuple[BaseException, str]] = {}

    def decide(self, error: BaseException, above: _Errors = ()) -> Decision:
        """Return what the first step that says something says."""
        self._left -= 1
        here = (*above, error)
        if is_a(error, FaultError):
            return Decision(_classification_of(error), Step.FAULT, None, here)
        plan = REGISTRY.plan(type(error))
        for row in plan.rules:
            if decision := self._conclude(_apply_rule(row[1], error), Step.CLASS, row, here):
                return decision
        if is_a(error, BaseExceptionGroup):
            return self._decide_group(error, here)
        return (
            (None if is_bare(error) else self._conclude(by_carried(error), Step.CARRIED, None, here))
            or self._decide_by_words(error, plan.names, here)
            or (self._decide_by_last_row(plan.last, error, here) if plan.last else None)
            or Decision(Classification(Code.INTERNAL_ERROR), Step.FALLBACK, None, here, is_last_resort=True)
        )

    def _conclude(self, result: RuleResult, step: Step, row: _Row | None, here: _Errors) -> Decision | None:
        """Return the decision that a rule's result stands for; None if the rule returned nothing."""
        if result is None:
            return None
        if isinstance(result, BaseException):
            return self.decide(result, here) if self._may_look(result, here) else None
        known = result if isinstance(result, Classification) else Classification(result)
        if known.http_status is not None:
            own_text = None if step is Step.CLASS else partial(self.read_message, here[-1])
            known = complete_by_response(known, known.http_status, here[-1], own_text)
        return Decision(known, step, row, here)

    def _decide_by_last_row(self, row: _Row, error: BaseException, here: _Errors) -> Decision | None:
        decision = self._conclude(_apply_rule(row[1], error), Step.CLASS, row, here)
        return decision and decision._replace(is_last_resort=True)

    def _decide_by_words(self, error: BaseException, names: tuple[str, ...], here: _Errors) -> Decision | None:
        """Believe the class's name before the cause, a cause that is sure before prose, and prose before nothing."""
        cause = find_cause(error)
        if cause is not None and self._may_look(cause, here):
            if by_name := classify_words(words_of(error, names=names, text=None)):
                return Decision(by_name, Step.WORDS, None, here)
            deeper = self.decide(cause, here)
            if deeper.is_firm:
                return Decision(_take_over(deeper), Step.CAUSE, deeper.row, here)
        meaning = classify_words(words_of(error, names=names, text=self.read_text(error)))
        if meaning is None:
            return None
        is_prose = not meaning.is_declared and classify_words(words_of(error, names=names, text=None)) != meaning
        return Decision(meaning, Step.WORDS, None, here, is_prose)

    def _decide_group(self, group: BaseException, here: _Errors) -> Decision:
        """Choose the member that an agent can do least about."""
        decisions = [self.decide(leaf, here) for leaf in walk_leaves(group) if self._may_look(leaf, here)]
        if not decisions:
            return Decision(Classification(Code.INTERNAL_ERROR), Step.FALLBACK, None, here)
        return min(decisions, key=_rank_hope)

    def _may_look(self, error: BaseException, here: _Errors) -> bool:
        return self._left > 0 and len(here) < _DEEPEST and not any(error is seen for seen in here)

    def build_fault(self, decision: Decision) -> Fault:
        """Return the fault of a decision."""
        known, error = decision.known, decision.error
        if decision.step is Step.FAULT and is_a(error, FaultError):
            return add_identity(error.fault)
        retry = _settle_verdict(decision)
        message = self.read_message(error) if known.text is None else known.text
        wait = known.retry_after_ms
        if retry.retryable:
            wait = choose_wait(known.code, _find_wait(decision), message)
        return Fault(
            code=known.code,
            message=message,
            retry=retry,
            retry_after_ms=wait,
            http_status=known.http_status,
            issues=known.issues,
            recovery=known.recovery,
            data={} if known.body is None else {"body": known.body},
            correlation_id=new_correlation_id(),
            timestamp=now(),
        )

    def read_message(self, error: BaseException) -> str:
        """Return an exception's text without tracebacks, and without the text of an earlier one that is to be withheld."""
        text = self.read_text(error).partition(_TRACEBACK)[0]
        for quoted in list_earlier(error):
            words = self.read_text(quoted)
            if words == text or (len(words) >= _SHORTEST_QUOTE and words in text):
                known = self.decide(quoted).known
                text = text if known.text is None else text.replace(words, known.text or known.code.sentence, 1)
        return text

    def read_text(self, error: BaseException) -> str:
        """Return an exception's text, read once: it may be slow, and another one the next time. "" if it cannot be read."""
        known = self._texts.get(id(error))
        if known is None:
            text = text_of(error)
            known = self._texts[id(error)] = (error, "" if text == type_text(error) else text)
        return known[1]


def is_one_of_several(error: BaseException) -> bool:
    """Return whether an exception is a group of more than one."""
    return is_a(error, BaseExceptionGroup) and len(list(islice(walk_leaves(error), 2))) > 1


def _is_of_an_upstream(error: BaseException) -> bool:
    """Return whether the class alone says that something else failed, whatever its text adds to that."""
    if is_a(error, FaultError) or (last := REGISTRY.plan(type(error)).last) is None:
        return False
    result = _apply_rule(last[1], error)
    return (result.code if isinstance(result, Classification) else result) in _OF_UPSTREAMS


def _classification_of(error: FaultError) -> Classification:
    """Return the fault that an exception carries. One that a client has read in a server's prose says so itself."""
    fault = error.fault
    return Classification(
        fault.code,
        fault.retry,
        fault.http_status,
        fault.retry_after_ms,
        fault.message,
        fault.issues,
        is_prose=error.is_hearsay,
    )


def _take_over(deeper: Decision) -> Classification:
    """Return what is known of a cause for the exception that was raised from it, which has its own words."""
    return deeper.known._replace(text=None, retry=_settle_verdict(deeper), retry_after_ms=_find_wait(deeper))


def _rank_hope(decision: Decision) -> tuple[int, int]:
    """Return how much an agent can do about a decision: by its verdict, then by the order of the codes."""
    return _LEAST_FIRST.index(_settle_verdict(decision)), _CODES.index(decision.known.code)


def _apply_rule(rule: Rule, error: BaseException) -> RuleResult:
    """Return what a rule returns for an exception; a rule that fails returns nothing."""
    if not callable(rule):
        return rule
    try:
        return rule(error)
    except Exception:  # noqa: BLE001 - it reads a foreign object, which may be anything.
        return None


def _settle_verdict(decision: Decision) -> Retry:
    """Return the verdict. To repeat the same call takes a fact: prose says at most that it may be repeated if harmless."""
    known, error = decision.known, decision.error
    flag = None if is_bare(error) else read_retry_flag(error)
    if flag is None or (flag and known.retry):
        retry = known.retry or decide_retry(known.code, http_status=known.http_status)
    else:
        # The exception's own yes or no counts, as far as the code and the rule allow it.
        retry = decide_retry(known.code, http_status=known.http_status, flag=flag)
    return Retry.IF_HARMLESS if retry is Retry.SAME_CALL and decision.is_prose else retry


def _find_wait(decision: Decision) -> int | None:
    known, error = decision.known, decision.error
    if known.retry_after_ms is not None or is_bare(error):
        return known.retry_after_ms
    return read_wait(error, known.http_status)
