"""From an exception to a Fault: who is asked, in which order. What is known is in the tables beside this file."""

import dataclasses
import logging
from enum import StrEnum
from functools import partial
from itertools import islice
from types import TracebackType
from typing import NamedTuple

from errata._log import indented_stack
from errata.classification._blame import (
    ENOUGH,
    ENOUGH_TO_NAME,
    SIGNALS,
    Blame,
    Evidence,
    find_blame,
    is_stop_wrapper,
    response_behind,
)
from errata.classification._call import SECRET, Call
from errata.classification._carried import by_carried, by_response, is_bare, read_retry_flag, read_wait
from errata.classification._judgement import concerns_arguments, guard_half_done, has_words, judge
from errata.classification._peek import peek
from errata.classification._registry import REGISTRY, dotted_name
from errata.classification._rules import WITHHELD, Classification, Rule, RuleResult, describe_rule
from errata.classification._unwrap import find_cause, list_earlier, walk_leaves
from errata.classification._upstream import complete_answer
from errata.classification._words import CALL, classify_words, speaks_of_a_failure, words_of
from errata.http import choose_wait
from errata.model import (
    Code,
    Fault,
    FaultError,
    FieldIssue,
    Retry,
    identified,
    is_a,
    new_correlation_id,
    now,
    rewritten,
    verdict,
)
from errata.redaction import text_of, type_text

_LOG = logging.getLogger("errata")
_DEEPEST = 16
"""How many exceptions inside one another are looked at."""
_MOST_ASKED = 300
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


_IN_WORDS = {
    Step.FAULT: "raised on purpose",
    Step.CLASS: "its class",
    Step.CARRIED: "a status or number that it carries",
    Step.CAUSE: "the exception it was raised from",
    Step.WORDS: "a phrase in its name or text",
    Step.FALLBACK: "nobody knows it",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Explanation:
    """How a fault came about."""

    fault: Fault
    step: Step
    rule: str
    """The row that decided, in words."""
    trail: tuple[str, ...]
    """The classes that were looked through to get there, outermost first; the last one was judged."""
    signals: tuple[str, ...] = ()
    """What spoke for and against an argument of the call, if the call was given."""


_Row = tuple[str, Rule]
_Errors = tuple[BaseException, ...]


class _Decision(NamedTuple):
    answer: Classification
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
        """Whose words the client is told, unless the answer has its own."""
        return self.here[-1]

    @property
    def rests_on_words(self) -> bool:
        """Whether the code would be another one without a text, which may quote anybody."""
        return self.is_prose or self.answer.is_prose

    @property
    def is_firm(self) -> bool:
        """Whether it rests on facts, and says more than that something is broken here."""
        return self.step in {Step.FAULT, Step.CLASS, Step.CARRIED} and self.answer.code not in _SAY_LITTLE


def classify(error: BaseException, call: Call | None = None) -> Fault:
    """Turn any exception into the Fault that says what happened. It never fails, whatever the exception does.

    With the call in which it was raised, the Fault also says whether an argument of that call is at fault, and which.
    """
    return _judged(error, call)[0]


def classify_with_ground(error: BaseException, call: Call | None = None) -> tuple[Fault, bool]:
    """Classify an exception, and say whether words are all there is to go by: those of whoever wrote the text.

    So it is also where nothing is known but a text that quotes such words, of a caller perhaps.
    """
    fault, decision, _ = _judged(error, call)
    try:
        return fault, decision is not None and _has_only_words(decision)
    except Exception:  # noqa: BLE001 - a foreign class, which may break whatever touches it.
        return fault, False


def _has_only_words(decision: _Decision) -> bool:
    if _is_of_an_upstream(decision.error):
        return False
    knows_nothing = decision.is_last_resort or decision.answer.code is Code.UNKNOWN_ERROR
    return decision.rests_on_words or (knows_nothing and speaks_of_a_failure(text_of(decision.error)))


def _is_of_an_upstream(error: BaseException) -> bool:
    """Whether the class alone says that something else failed, whatever its text adds to that."""
    if is_a(error, FaultError) or (last := REGISTRY.plan(type(error)).last) is None:
        return False
    said = _apply_rule(last[1], error)
    return (said.code if isinstance(said, Classification) else said) in _OF_UPSTREAMS


def explain(error: BaseException, call: Call | None = None) -> Explanation:
    """Classify an exception and say what decided; for debugging and for tests."""
    fault, decision, blame = _judged(error, call)
    if decision is None:
        return Explanation(fault, Step.FALLBACK, _IN_WORDS[Step.FALLBACK], ())
    rule = f"{decision.row[0]}: {describe_rule(decision.row[1])}" if decision.row else _IN_WORDS[decision.step]
    trail = tuple(dotted_name(type(each)) for each in decision.here)
    signals = tuple(_described_evidence(each) for each in blame.evidence) if blame else ()
    return Explanation(fault, decision.step, rule, trail, signals)


def _described_evidence(evidence: Evidence) -> str:
    about = f" ({', '.join(evidence.paths)})" if evidence.paths else ""
    return f"{evidence.signal}{about}: {SIGNALS[evidence.signal].why}"


def _judged(error: BaseException, call: Call | None) -> tuple[Fault, _Decision | None, Blame | None]:
    if not is_a(error, BaseException):
        raise TypeError(
            f"`classify` takes an exception, and was given a `{type(error).__name__}`. Pass what was raised."
        )
    try:
        return _with_what_came_before(error, *_judged_alone(error, call))
    except Exception as trouble:  # noqa: BLE001 - a foreign metaclass may break whatever touches the class: its hash, its name.
        _LOG.warning("An exception could not be classified; it is called INTERNAL_ERROR.\n%s", indented_stack(trouble))
        return Fault(code=Code.INTERNAL_ERROR, correlation_id=new_correlation_id(), timestamp=now()), None, None


def _judged_alone(error: BaseException, call: Call | None) -> tuple[Fault, _Decision, Blame | None]:
    inquiry = _Inquiry()
    if call is not None:
        return _judged_with_call(inquiry, error, call)
    decision = inquiry.ask(error)
    return inquiry.fault(decision), decision, None


def _with_what_came_before(
    error: BaseException, fault: Fault, decision: _Decision, blame: Blame | None
) -> tuple[Fault, _Decision, Blame | None]:
    """Lower the verdict if something failed before, of which nobody knows whether it happened.

    A second way that is refused says nothing about the first: "the bank did not answer, and the other bank is down".
    """
    if fault.retry is not Retry.SAME_CALL or decision.step is Step.FAULT:
        return fault, decision, blame
    if any(_is_open(each) for each in list_earlier(error) if _was_caught_by_the_program(each)):
        fault = rewritten(fault, retry=Retry.IF_HARMLESS)
    return fault, decision, blame


def _is_open(error: BaseException) -> bool:
    inquiry = _Inquiry()
    return inquiry.fault(inquiry.ask(error)).retry is Retry.IF_HARMLESS


def _was_caught_by_the_program(error: BaseException) -> bool:
    """Whether the code that caught it is the program's own: what a library wraps is one failure with its wrapping."""
    from errata.classification._blame._source import is_own_file  # noqa: PLC0415 - few need it.

    step = peek(error, "__traceback__")
    return is_a(step, TracebackType) and is_own_file(step.tb_frame.f_code.co_filename)


def _judged_with_call(inquiry: "_Inquiry", error: BaseException, call: Call) -> tuple[Fault, _Decision, Blame | None]:
    before = CALL.set(call)
    try:
        decision = inquiry.with_response(inquiry.ask(error), error, call)
        fault = inquiry.fault(decision)
        if decision.step is Step.FAULT:
            return fault, decision, None
        if not concerns_arguments(fault):
            return _without_secrets(guard_half_done(fault, call, error), call), decision, None
        blame = inquiry.blame(error, call, fault, decision)
        judged = guard_half_done(inquiry.with_call(fault, decision, blame, call), call, error)
        return _without_secrets(judged, call), decision, blame
    finally:
        CALL.reset(before)


def _without_secrets(fault: Fault, call: Call) -> Fault:
    """Take out of a fault what the caller sent as a secret: libraries and upstreams quote what they refuse."""
    body = fault.data.get("body")
    secrets = call.secrets_in(fault.message, *(each.problem for each in fault.issues), body if is_a(body, str) else "")
    if not secrets:
        return fault

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, SECRET)
        return text

    issues = tuple(FieldIssue(each.field, hide(each.problem), each.expected) for each in fault.issues)
    data = {**fault.data, "body": hide(body)} if is_a(body, str) else fault.data
    return rewritten(fault, message=hide(fault.message), issues=issues, data=data)


class _Inquiry:
    """One exception being judged: how many may still be asked, and the texts that were read."""

    __slots__ = ("_left", "_texts")

    def __init__(self) -> None:
        self._left = _MOST_ASKED
        self._texts: dict[int, tuple[BaseException, str]] = {}

    def fault(self, decision: _Decision) -> Fault:
        """Make the Fault of a decision."""
        answer, error = decision.answer, decision.error
        if decision.step is Step.FAULT and is_a(error, FaultError):
            return identified(error.fault)
        retry = _verdict(decision)
        message = self._message(error) if answer.text is None else answer.text
        wait = _wait(decision) if retry.retryable else answer.retry_after_ms
        return Fault(
            code=answer.code,
            message=message,
            retry=retry,
            retry_after_ms=choose_wait(answer.code, wait, message) if retry.retryable else wait,
            http_status=answer.http_status,
            issues=answer.issues,
            recovery=answer.recovery,
            data={} if answer.body is None else {"body": answer.body},
            correlation_id=new_correlation_id(),
            timestamp=now(),
        )

    def with_response(self, decision: _Decision, error: BaseException, call: Call) -> _Decision:
        """Decide by the response that the server had in hand as it raised, if words are all there is otherwise."""
        if decision.step not in {Step.WORDS, Step.FALLBACK}:
            return decision
        try:
            response = response_behind(error, call)
            answer = None if response is None else by_response(response)
        except Exception:  # noqa: BLE001 - a foreign object, which may do anything.
            return decision
        return decision._replace(answer=answer, step=Step.CARRIED, is_prose=False) if answer else decision

    def blame(self, error: BaseException, call: Call, fault: Fault, decision: _Decision) -> Blame:
        """Find out whether an argument is at fault; what goes wrong there leaves the Fault as it is without the call."""
        try:
            texts = {id(each): fault.message for each in decision.here} if decision.answer.text else {}
            enough = ENOUGH_TO_NAME if fault.retry is Retry.FIX_INPUT else ENOUGH
            has_group = any(is_a(each, BaseExceptionGroup) for each in decision.here)
            subject = decision.error if has_group and self._is_one_of_several(error) else error
            return find_blame(
                subject, call, texts, [issue.field for issue in fault.issues], enough=enough, status=fault.http_status
            )
        except Exception as trouble:  # noqa: BLE001 - it reads foreign frames, source and values, which may be anything.
            _LOG.debug("The call was left out of account.\n%s", indented_stack(trouble))
            return Blame()

    def _is_one_of_several(self, error: BaseException) -> bool:
        return is_a(error, BaseExceptionGroup) and len(list(islice(walk_leaves(error), 2))) > 1

    def with_call(self, fault: Fault, decision: _Decision, blame: Blame, call: Call) -> Fault:
        """Return the fault as the call changes it."""
        subject = blame.error or decision.error
        is_withheld = decision.answer.text == WITHHELD
        if subject is not decision.error and not is_withheld:
            is_withheld = is_stop_wrapper(decision.error)
        speaker = decision.error if blame.is_reworded and has_words(self._text_of(decision.error)) else subject
        text = self._text_of(speaker)
        return judge(fault, blame, call, self._message(speaker) if has_words(text) else text, is_withheld=is_withheld)

    def ask(self, error: BaseException, above: _Errors = ()) -> _Decision:
        """Ask the class, then what the exception carries, then its cause and its words."""
        self._left -= 1
        here = (*above, error)
        if is_a(error, FaultError):
            return _Decision(_answer_of(error), Step.FAULT, None, here)
        plan = REGISTRY.plan(type(error))
        for row in plan.rules:
            if decision := self._told(_apply_rule(row[1], error), Step.CLASS, row, here):
                return decision
        if is_a(error, BaseExceptionGroup):
            return self._ask_group(error, here)
        return (
            (None if is_bare(error) else self._told(by_carried(error), Step.CARRIED, None, here))
            or self._ask_words(error, plan.names, here)
            or (self._remaining(plan.last, error, here) if plan.last else None)
            or _Decision(Classification(Code.INTERNAL_ERROR), Step.FALLBACK, None, here, is_last_resort=True)
        )

    def _remaining(self, row: _Row, error: BaseException, here: _Errors) -> _Decision | None:
        decision = self._told(_apply_rule(row[1], error), Step.CLASS, row, here)
        return decision and decision._replace(is_last_resort=True)

    def _ask_words(self, error: BaseException, names: tuple[str, ...], here: _Errors) -> _Decision | None:
        """Believe the class's name before the cause, a cause that is sure before prose, and prose before nothing."""
        cause = find_cause(error)
        if cause is not None and self._may_look(cause, here):
            if by_name := classify_words(words_of(error, names=names, text=None)):
                return _Decision(by_name, Step.WORDS, None, here)
            deeper = self.ask(cause, here)
            if deeper.is_firm:
                return _Decision(_own(deeper), Step.CAUSE, deeper.row, here)
        meaning = classify_words(words_of(error, names=names, text=self._text_of(error)))
        if meaning is None:
            return None
        is_prose = not meaning.is_declared and classify_words(words_of(error, names=names, text=None)) != meaning
        return _Decision(meaning, Step.WORDS, None, here, is_prose)

    def _ask_group(self, group: BaseException, here: _Errors) -> _Decision:
        """Choose the member that an agent can do least about."""
        decisions = [self.ask(leaf, here) for leaf in walk_leaves(group) if self._may_look(leaf, here)]
        if not decisions:
            return _Decision(Classification(Code.INTERNAL_ERROR), Step.FALLBACK, None, here)
        return min(decisions, key=_hope)

    def _told(self, said: RuleResult, step: Step, row: _Row | None, here: _Errors) -> _Decision | None:
        """Make a decision of what a rule said; None if it said nothing."""
        if said is None:
            return None
        if isinstance(said, BaseException):
            return self.ask(said, here) if self._may_look(said, here) else None
        answer = said if isinstance(said, Classification) else Classification(said)
        own_text = None if step is Step.CLASS else partial(self._message, here[-1])
        return _Decision(complete_answer(answer, here[-1], own_text), step, row, here)

    def _may_look(self, error: BaseException, here: _Errors) -> bool:
        return self._left > 0 and len(here) < _DEEPEST and not any(error is seen for seen in here)

    def _message(self, error: BaseException) -> str:
        """Read an exception's text, without the text of another one that would not tell its own, and without tracebacks."""
        text = self._text_of(error).partition(_TRACEBACK)[0]
        for quoted in list_earlier(error):
            words = self._text_of(quoted)
            if words == text or (len(words) >= _SHORTEST_QUOTE and words in text):
                answer = self.ask(quoted).answer
                text = text if answer.text is None else text.replace(words, answer.text or answer.code.sentence, 1)
        return text

    def _text_of(self, error: BaseException) -> str:
        """Read a text once: it may be slow, and another one the next time. One that cannot be read is none."""
        known = self._texts.get(id(error))
        if known is None:
            text = text_of(error)
            known = self._texts[id(error)] = (error, "" if text == type_text(error) else text)
        return known[1]


def _answer_of(error: FaultError) -> Classification:
    """Take the fault that an exception carries. One that a client has read in a server's prose says so itself."""
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


def _own(deeper: _Decision) -> Classification:
    """Take a cause's answer for the exception that was raised from it, which says it in its own words."""
    return deeper.answer._replace(text=None, retry=_verdict(deeper), retry_after_ms=_wait(deeper))


def _hope(decision: _Decision) -> tuple[int, int]:
    """How much an agent can do about it: by the verdict, then by the order of the codes."""
    return _LEAST_FIRST.index(_verdict(decision)), _CODES.index(decision.answer.code)


def _apply_rule(rule: Rule, error: BaseException) -> RuleResult:
    """Ask one rule; one that fails says nothing."""
    if not callable(rule):
        return rule
    try:
        return rule(error)
    except Exception:  # noqa: BLE001 - it reads a foreign object, which may be anything.
        return None


def _verdict(decision: _Decision) -> Retry:
    """Return the verdict. To repeat the same call takes a fact: prose says at most that it may be repeated if that is harmless."""
    retry = _flagged_verdict(decision)
    return Retry.IF_HARMLESS if retry is Retry.SAME_CALL and decision.is_prose else retry


def _flagged_verdict(decision: _Decision) -> Retry:
    """Let the exception's own yes or no count, as far as the code and the rule allow it."""
    answer, error = decision.answer, decision.error
    flag = None if is_bare(error) else read_retry_flag(error)
    if flag is None or (flag and answer.retry):
        return answer.retry or verdict(answer.code, http_status=answer.http_status)
    return verdict(answer.code, http_status=answer.http_status, flag=flag)


def _wait(decision: _Decision) -> int | None:
    answer, error = decision.answer, decision.error
    if answer.retry_after_ms is not None or is_bare(error):
        return answer.retry_after_ms
    return read_wait(error, answer.http_status)
