"""The gate: every fault and every question is redacted and bounded here before it leaves, in any dialect."""

import dataclasses
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from errata.model import NO_RECOVERY, Fault, FieldIssue, NeedsInput, Recovery, rewritten, text_or_none
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
    if _may_leave_as_it_is(fault):
        return fault
    own = {"recovery": fault.recovery and _recovery(fault.recovery), "data": _data(fault.data)}
    changes = _changes(
        fault,
        message=prose_within(fault.message, _MESSAGE),
        reason=redact_field(fault.reason),
        field=redact_field(fault.field),
        issues=_issues(fault.issues),
        origin=redact_field(fault.origin),
        correlation_id=redact_reference(fault.correlation_id),
        timestamp=redact_reference(fault.timestamp),
        **own,
    )
    if changes:
        return dataclasses.replace(fault, **{**own, **changes})
    # What is sent has copies of its own: whoever changes them does not change the fault.
    return rewritten(fault, **own) if fault.data or own["recovery"] is not fault.recovery else fault


def _may_leave_as_it_is(fault: Fault) -> bool:
    """Return whether a fault holds nothing but short texts that were judged before: most failures are not the first."""
    recovery = fault.recovery or NO_RECOVERY
    if fault.data or fault.issues or recovery.actions or recovery.corrective_params:
        return False
    texts = (
        fault.message,
        fault.reason,
        fault.field,
        fault.origin,
        recovery.hint,
        recovery.fallback_tool,
        recovery.verify_tool,
        recovery.user_message,
    )
    return (
        are_harmless(*texts)
        and all(text is None or _is_only_read(text) for text in texts)
        and _is_ours(fault.correlation_id)
        and _is_ours(fault.timestamp)
    )


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
        suggestions=_data(question.suggestions),
        options=[_data(option) for option in question.options],
    )


def _issues(issues: tuple[FieldIssue, ...]) -> tuple[FieldIssue, ...]:
    if len(issues) > _ISSUES:
        rest = len(issues) - _ISSUES + 1
        issues = (*issues[: _ISSUES - 1], FieldIssue("…", f"{rest} more problems"))
    return tuple(map(_issue, issues))


def _issue(issue: FieldIssue) -> FieldIssue:
    """Redact an issue. A reader sees `password: …`, so that the field announces what is said of it."""
    field = prose_within(issue.field, _TEXT)
    expected = issue.expected and _redact_announced(field, issue.expected)
    changes = _changes(issue, field=field, problem=_redact_announced(field, issue.problem), expected=expected)
    return dataclasses.replace(issue, **changes) if changes else issue


def _redact_announced(field: str, text: str) -> str:
    text = prose_within(text, _TEXT)
    return text_of(_data({field: text}).get(field, text))


def _recovery(recovery: Recovery) -> Recovery:
    params = _data(recovery.corrective_params)
    changes = _changes(
        recovery,
        hint=redact_field(recovery.hint),
        actions=tuple(prose_within(action, _TEXT) for action in recovery.actions),
        fallback_tool=redact_field(recovery.fallback_tool),
        verify_tool=redact_field(recovery.verify_tool),
        user_message=redact_field(recovery.user_message),
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


def _data(data: Mapping[str, object]) -> dict[str, object]:
    return as_object(redact_visibly(data)) if data else {}


def redact_field(text: str | None) -> str | None:
    """Return a text of a field in the form in which it may leave; None where nothing of it is left."""
    return None if text is None else text_or_none(prose_within(text, _TEXT))
