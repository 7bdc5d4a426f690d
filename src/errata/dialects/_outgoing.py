"""The gate: every fault passes here on its way to any wire, in any dialect."""

import dataclasses

from errata._fault import Fault, FieldIssue, Recovery
from errata._jsonable import cut
from errata._needs_input import NeedsInput

_MESSAGE = 8_000
_TEXT = 2_000
_ISSUES = 100


def outgoing(fault: Fault) -> Fault:
    """Copy a fault in the form in which it may leave: nothing in it longer than a reader can use."""
    return dataclasses.replace(
        fault,
        message=cut(fault.message, _MESSAGE),
        reason=_short(fault.reason),
        field=_short(fault.field),
        issues=_issues(fault.issues),
        recovery=_recovery(fault.recovery) if fault.recovery else None,
        origin=_short(fault.origin),
        correlation_id=_short(fault.correlation_id),
        timestamp=_short(fault.timestamp),
    )


def outgoing_question(question: NeedsInput) -> NeedsInput:
    """Copy a question in the form in which it may leave."""
    return NeedsInput(
        cut(question.message, _MESSAGE),
        fields=[cut(name, _TEXT) for name in question.fields[:_ISSUES]],
        reason=cut(question.reason, _TEXT),
        suggestions=question.suggestions,
        options=question.options,
    )


def _issues(issues: tuple[FieldIssue, ...]) -> tuple[FieldIssue, ...]:
    if len(issues) > _ISSUES:
        rest = len(issues) - _ISSUES + 1
        issues = (*issues[: _ISSUES - 1], FieldIssue("…", f"{rest} more problems"))
    return tuple(
        FieldIssue(cut(issue.field, _TEXT), cut(issue.problem, _TEXT), _short(issue.expected)) for issue in issues
    )


def _recovery(recovery: Recovery) -> Recovery:
    return dataclasses.replace(
        recovery,
        hint=_short(recovery.hint),
        actions=tuple(cut(action, _TEXT) for action in recovery.actions),
        fallback_tool=_short(recovery.fallback_tool),
        verify_tool=_short(recovery.verify_tool),
        user_message=_short(recovery.user_message),
    )


def _short(text: str | None) -> str | None:
    return None if text is None else cut(text, _TEXT)
