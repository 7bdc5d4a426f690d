"""The gate: every fault and every question is redacted and bounded here before it leaves, in any dialect."""

import dataclasses
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypedDict

from errata.model import Fault, FieldIssue, NeedsInput, Recovery, replace_fields, text_or_none
from errata.redaction import (
    are_harmless,
    as_object,
    defuse_markup,
    make_visible,
    prose_within,
    quote_labels,
    redact_visibly,
    text_of,
)

_MESSAGE = 8_000
_TEXT = 2_000
_ISSUES = 100
# A UUID, a trace id, a moment in UTC. To judge them costs more than all the rest of a small fault.
_OUR_FORM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
)


def redact_fault(fault: Fault) -> Fault:
    """Return a fault in the form in which it may leave: without secrets, and no longer than a reader can use.

    The reference and the time are judged as well: a caller's context or a foreign server may have set them. An
    identifier and a moment pass as they are, so that a log and an answer can be compared.
    """
    own = _OwnCopies(recovery=fault.recovery and _redact_recovery(fault.recovery), data=_redact_data(fault.data))
    is_short = own["recovery"] is fault.recovery and not fault.data and not fault.issues
    has_own_identity = _is_ours(fault.correlation_id) and _is_ours(fault.timestamp)
    if is_short and has_own_identity and _was_judged(fault.message, fault.reason, fault.field, fault.origin):
        return fault  # As for most failures: the same texts were judged before.
    changes = _changes(
        fault,
        message=prose_within(fault.message, _MESSAGE),
        reason=fault.reason and redact_field(fault.reason),
        field=fault.field and redact_field(fault.field),
        issues=_redact_issues(fault.issues) if fault.issues else (),
        origin=fault.origin and redact_field(fault.origin),
        correlation_id=redact_reference(fault.correlation_id),
        timestamp=redact_reference(fault.timestamp),
        **own,
    )
    if changes:
        return dataclasses.replace(fault, **{**own, **changes})
    # What is sent has copies of its own: whoever changes them does not change the fault.
    return replace_fields(fault, **own) if fault.data or own["recovery"] is not fault.recovery else fault


class _OwnCopies(TypedDict):
    recovery: Recovery | None
    data: dict[str, object]


def _was_judged(*texts: str | None) -> bool:
    """Return whether all texts are short and known to need no change before they leave."""
    return are_harmless(*texts) and all(text is None or _is_only_read(text) for text in texts)


@lru_cache(maxsize=512)
def _is_only_read(text: str) -> bool:
    """Return whether a text without secrets has nothing in it that must be made visible, inert or unlabelled."""
    return quote_labels(defuse_markup(make_visible(text))) == text


def redact_question(question: NeedsInput) -> NeedsInput:
    """Return a question in the form in which it may leave."""
    return NeedsInput(
        prose_within(question.message, _MESSAGE),
        fields=[prose_within(name, _TEXT) for name in question.fields[:_ISSUES]],
        reason=prose_within(question.reason, _TEXT),
        suggestions=_redact_data(question.suggestions),
        options=[_redact_data(option) for option in question.options],
    )


def _redact_issues(issues: tuple[FieldIssue, ...]) -> tuple[FieldIssue, ...]:
    if len(issues) > _ISSUES:
        rest = len(issues) - _ISSUES + 1
        issues = (*issues[: _ISSUES - 1], FieldIssue("…", f"{rest} more problems"))
    return tuple(map(_redact_issue, issues))


def _redact_issue(issue: FieldIssue) -> FieldIssue:
    """Return an issue without secrets; its field may announce one, as in `password: …`."""
    field = prose_within(issue.field, _TEXT)
    expected = issue.expected and _redact_announced(field, issue.expected)
    changes = _changes(issue, field=field, problem=_redact_announced(field, issue.problem), expected=expected)
    return dataclasses.replace(issue, **changes) if changes else issue


def _redact_announced(field: str, text: str) -> str:
    text = prose_within(text, _TEXT)
    return text_of(_redact_data({field: text}).get(field, text))


def _redact_recovery(recovery: Recovery) -> Recovery:
    """Return a recovery in the form in which it may leave; the same one if nothing in it has to change."""
    params = recovery.corrective_params
    texts = recovery.hint, recovery.fallback_tool, recovery.verify_tool, recovery.user_message
    if not recovery.actions and not params and _was_judged(*texts):
        return recovery
    params = _redact_data(params)
    changes = _changes(
        recovery,
        hint=recovery.hint and redact_field(recovery.hint),
        actions=tuple(prose_within(action, _TEXT) for action in recovery.actions),
        fallback_tool=recovery.fallback_tool and redact_field(recovery.fallback_tool),
        verify_tool=recovery.verify_tool and redact_field(recovery.verify_tool),
        user_message=recovery.user_message and redact_field(recovery.user_message),
    )
    return dataclasses.replace(recovery, corrective_params=params, **changes) if changes or params else recovery


def _changes(whole: object, **fields: object) -> dict[str, Any]:
    """Return the fields that are not what they were: for most faults, none."""
    return {name: after for name, after in fields.items() if after != getattr(whole, name)}


def redact_reference(text: str | None) -> str | None:
    """Return a reference or a time, redacted unless it has the form that errata gives it."""
    return text if _is_ours(text) else redact_field(text)


def _is_ours(text: str | None) -> bool:
    return text is None or _OUR_FORM.fullmatch(text) is not None


def _redact_data(data: Mapping[str, object]) -> dict[str, object]:
    return as_object(redact_visibly(data)) if data else {}


def redact_field(text: str | None) -> str | None:
    """Return a text of a field in the form in which it may leave; None where nothing of it is left."""
    return None if text is None else text_or_none(prose_within(text, _TEXT))
