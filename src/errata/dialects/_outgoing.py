"""The gate: every fault passes here on its way to any wire, in any dialect."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from errata._fault import NO_RECOVERY, Fault, FieldIssue, Recovery, rewritten
from errata._jsonable import as_object, text_of
from errata._needs_input import NeedsInput
from errata._redaction import redact_within
from errata._secrecy import are_harmless, redact_plain

_MESSAGE = 8_000
_TEXT = 2_000
_ISSUES = 100
# A UUID, a trace id, a moment in UTC. To judge them costs more than all the rest of a small fault.
_OUR_FORM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
)


def outgoing(fault: Fault) -> Fault:
    """Copy a fault in the form in which it may leave: nothing in it that is secret, or longer than a reader can use.

    The reference and the time are judged as well: a caller's context or a foreign server may have set them. An
    identifier and a moment pass as they are, so that a log and an answer can be compared.
    """
    if _may_leave_as_it_is(fault):
        return fault
    own = {"recovery": fault.recovery and _recovery(fault.recovery), "data": _data(fault.data)}
    changes = _changes(
        fault,
        message=redact_within(fault.message, _MESSAGE),
        reason=shortened(fault.reason),
        field=shortened(fault.field),
        issues=_issues(fault.issues),
        origin=shortened(fault.origin),
        correlation_id=_own(fault.correlation_id),
        timestamp=_own(fault.timestamp),
        **own,
    )
    if changes:
        return dataclasses.replace(fault, **{**own, **changes})
    # What is sent has copies of its own: whoever changes them does not change the fault.
    return rewritten(fault, **own) if fault.data or own["recovery"] is not fault.recovery else fault


def _may_leave_as_it_is(fault: Fault) -> bool:
    """Whether there is nothing in a fault but short texts that were judged before: most failures are not the first."""
    recovery = fault.recovery or NO_RECOVERY
    if fault.data or fault.issues or recovery.actions or recovery.corrective_params:
        return False
    return (
        are_harmless(
            fault.message,
            fault.reason,
            fault.field,
            fault.origin,
            recovery.hint,
            recovery.fallback_tool,
            recovery.verify_tool,
            recovery.user_message,
        )
        and _is_ours(fault.correlation_id)
        and _is_ours(fault.timestamp)
    )


def outgoing_question(question: NeedsInput) -> NeedsInput:
    """Copy a question in the form in which it may leave."""
    return NeedsInput(
        redact_within(question.message, _MESSAGE),
        fields=[redact_within(name, _TEXT) for name in question.fields[:_ISSUES]],
        reason=redact_within(question.reason, _TEXT),
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
    field = redact_within(issue.field, _TEXT)
    expected = issue.expected and _announced(field, issue.expected)
    changes = _changes(issue, field=field, problem=_announced(field, issue.problem), expected=expected)
    return dataclasses.replace(issue, **changes) if changes else issue


def _announced(field: str, text: str) -> str:
    text = redact_within(text, _TEXT)
    return text_of(_data({field: text}).get(field, text))


def _recovery(recovery: Recovery) -> Recovery:
    params = _data(recovery.corrective_params)
    changes = _changes(
        recovery,
        hint=shortened(recovery.hint),
        actions=tuple(redact_within(action, _TEXT) for action in recovery.actions),
        fallback_tool=shortened(recovery.fallback_tool),
        verify_tool=shortened(recovery.verify_tool),
        user_message=shortened(recovery.user_message),
    )
    return dataclasses.replace(recovery, corrective_params=params, **changes) if changes or params else recovery


def _changes(whole: object, **fields: object) -> dict[str, Any]:
    """Choose the fields that are not what they were: for most, none."""
    return {name: after for name, after in fields.items() if after != getattr(whole, name)}


def _own(text: str | None) -> str | None:
    """Redact a reference or a time; one in the form that errata gives it has nothing to hide."""
    return text if _is_ours(text) else shortened(text)


def _is_ours(text: str | None) -> bool:
    return text is None or _OUR_FORM.fullmatch(text) is not None


def _data(data: Mapping[str, object]) -> dict[str, object]:
    return as_object(redact_plain(data)) if data else {}


def shortened(text: str | None) -> str | None:
    """Redact a text that is no message, and cut it to what a reader can use."""
    return None if text is None else redact_within(text, _TEXT)
