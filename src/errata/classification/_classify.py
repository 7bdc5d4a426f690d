"""From an exception to a Fault: decide what happened, then let the call in which it was raised have its say.

Without a call, a fault is what `_inquiry.py` concludes. With one, three things are added: the response that the server had
in hand as it raised counts before mere words, an argument that is at fault is named (`_blame/`, `_amend.py`), and what the
caller sent as a secret is taken out again.
"""

import dataclasses
import logging
from types import TracebackType

from errata._log import format_indented_stack
from errata.classification._amend import amend_fault, concerns_arguments, guard_half_done, has_words
from errata.classification._blame import (
    ENOUGH,
    ENOUGH_TO_NAME,
    SIGNALS,
    Blame,
    Evidence,
    find_blame,
    is_own_file,
    is_stop_wrapper,
    response_behind,
)
from errata.classification._call import SECRET, Call
from errata.classification._carried import by_response
from errata.classification._exception_rules import WITHHELD, describe_rule
from errata.classification._foreign import list_earlier, peek
from errata.classification._inquiry import Decision, Inquiry, Step, is_one_of_several
from errata.classification._registry import dotted_name
from errata.classification._words import CALL
from errata.model import Code, Fault, FieldIssue, Retry, is_a, new_correlation_id, now, replace_fields

_LOG = logging.getLogger("errata")
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


def classify(error: BaseException, call: Call | None = None) -> Fault:
    """Turn any exception into the Fault that says what happened. It never fails, whatever the exception does.

    With the call in which it was raised, the Fault also says whether an argument of that call is at fault, and which.
    """
    return _judge(error, call)[0]


def classify_with_ground(error: BaseException, call: Call | None = None) -> tuple[Fault, bool]:
    """Return the Fault of an exception, and whether it is hearsay: words of whoever wrote the text are all there is."""
    fault, decision, _ = _judge(error, call)
    try:
        return fault, decision is not None and decision.is_hearsay
    except Exception:  # noqa: BLE001 - a foreign class, which may break whatever touches it.
        return fault, False


def explain(error: BaseException, call: Call | None = None) -> Explanation:
    """Classify an exception and say what decided; for debugging and for tests."""
    fault, decision, blame = _judge(error, call)
    if decision is None:
        return Explanation(fault, Step.FALLBACK, _IN_WORDS[Step.FALLBACK], ())
    rule = f"{decision.row[0]}: {describe_rule(decision.row[1])}" if decision.row else _IN_WORDS[decision.step]
    trail = tuple(dotted_name(type(each)) for each in decision.here)
    signals = tuple(_describe_evidence(each) for each in blame.evidence) if blame else ()
    return Explanation(fault, decision.step, rule, trail, signals)


def _describe_evidence(evidence: Evidence) -> str:
    about = f" ({', '.join(evidence.paths)})" if evidence.paths else ""
    return f"{evidence.signal}{about}: {SIGNALS[evidence.signal].why}"


_Judged = tuple[Fault, Decision, Blame | None]


def _judge(error: BaseException, call: Call | None) -> tuple[Fault, Decision | None, Blame | None]:
    if not is_a(error, BaseException):
        raise TypeError(
            f"`classify` takes an exception, and was given a `{type(error).__name__}`. Pass what was raised."
        )
    try:
        inquiry = Inquiry()
        if call is not None:
            fault, decision, blame = _judge_with_call(inquiry, error, call)
        else:
            decision, blame = inquiry.decide(error), None
            fault = inquiry.build_fault(decision)
        return _heed_earlier(fault, decision, error), decision, blame
    except Exception as failure:  # noqa: BLE001 - a foreign metaclass may break whatever touches the class: its hash, its name.
        _LOG.warning(
            "An exception could not be classified; it is called INTERNAL_ERROR.\n%s", format_indented_stack(failure)
        )
        return Fault(code=Code.INTERNAL_ERROR, correlation_id=new_correlation_id(), timestamp=now()), None, None


def _heed_earlier(fault: Fault, decision: Decision, error: BaseException) -> Fault:
    """Lower the verdict if something failed before, of which nobody knows whether it happened.

    A second way that is refused says nothing about the first: "the bank did not answer, and the other bank is down".
    """
    if fault.retry is not Retry.SAME_CALL or decision.step is Step.FAULT:
        return fault
    is_unsettled = any(_is_unsettled(each) for each in list_earlier(error) if _was_caught_by_the_program(each))
    return replace_fields(fault, retry=Retry.IF_HARMLESS) if is_unsettled else fault


def _is_unsettled(error: BaseException) -> bool:
    inquiry = Inquiry()
    return inquiry.build_fault(inquiry.decide(error)).retry is Retry.IF_HARMLESS


def _was_caught_by_the_program(error: BaseException) -> bool:
    """Return whether the code that caught it is the program's own: what a library wraps is one failure with its wrapping."""
    step = peek(error, "__traceback__")
    return is_a(step, TracebackType) and is_own_file(step.tb_frame.f_code.co_filename)


def _judge_with_call(inquiry: Inquiry, error: BaseException, call: Call) -> _Judged:
    before = CALL.set(call)
    try:
        decision = _prefer_response(inquiry.decide(error), error, call)
        fault = inquiry.build_fault(decision)
        if decision.step is Step.FAULT:
            return fault, decision, None
        blame = None
        if concerns_arguments(fault):
            blame = _find_blame(error, call, fault, decision)
            fault = _amend(inquiry, fault, decision, blame, call)
        return _hide_secrets(guard_half_done(fault, call, error), call), decision, blame
    finally:
        CALL.reset(before)


def _prefer_response(decision: Decision, error: BaseException, call: Call) -> Decision:
    """Decide by the response that the server had in hand as it raised, if words are all there is otherwise."""
    if decision.step not in {Step.WORDS, Step.FALLBACK}:
        return decision
    try:
        response = response_behind(error, call)
        known = None if response is None else by_response(response)
    except Exception:  # noqa: BLE001 - a foreign object, which may do anything.
        return decision
    return decision._replace(known=known, step=Step.CARRIED, is_prose=False) if known else decision


def _find_blame(error: BaseException, call: Call, fault: Fault, decision: Decision) -> Blame:
    """Return whether an argument is at fault; a failure of this search leaves the fault as it is without the call."""
    try:
        texts = {id(each): fault.message for each in decision.here} if decision.known.text else {}
        enough = ENOUGH_TO_NAME if fault.retry is Retry.FIX_INPUT else ENOUGH
        has_group = any(is_a(each, BaseExceptionGroup) for each in decision.here)
        subject = decision.error if has_group and is_one_of_several(error) else error
        return find_blame(
            subject, call, texts, [issue.field for issue in fault.issues], enough=enough, status=fault.http_status
        )
    except Exception as failure:  # noqa: BLE001 - it reads foreign frames, source and values, which may be anything.
        _LOG.debug("The call was left out of account.\n%s", format_indented_stack(failure))
        return Blame()


def _amend(inquiry: Inquiry, fault: Fault, decision: Decision, blame: Blame, call: Call) -> Fault:
    """Return the fault as the call changes it."""
    subject = blame.error or decision.error
    is_withheld = decision.known.text == WITHHELD
    if subject is not decision.error and not is_withheld:
        is_withheld = is_stop_wrapper(decision.error)
    speaker = decision.error if blame.is_reworded and has_words(inquiry.read_text(decision.error)) else subject
    text = inquiry.read_text(speaker)
    message = inquiry.read_message(speaker) if has_words(text) else text
    return amend_fault(fault, blame, call, message, is_withheld=is_withheld)


def _hide_secrets(fault: Fault, call: Call) -> Fault:
    """Take out of a fault what the caller sent as a secret: libraries and upstreams quote what they refuse."""
    body = fault.data.get("body")
    texts = [fault.message, *(each.problem for each in fault.issues), *([body] if isinstance(body, str) else [])]
    secrets = call.secrets_in(*texts)
    if not secrets:
        return fault

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, SECRET)
        return text

    issues = tuple(FieldIssue(each.field, hide(each.problem), each.expected) for each in fault.issues)
    data = {**fault.data, "body": hide(body)} if isinstance(body, str) else fault.data
    return replace_fields(fault, message=hide(fault.message), issues=issues, data=data)
