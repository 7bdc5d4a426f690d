"""A fault as a JSON object, and back without loss; and the members of a JSON object, read by kind.

A member that is not of the wanted kind counts as absent.
"""

from collections.abc import Iterable, Mapping
from typing import cast

from errata.model import Code, Fault, FieldIssue, Recovery, RecoveryHint, Retry, known_word, wait_ms
from errata.redaction import as_object

_ISSUE_KEYS = frozenset({"field", "problem", "expected"})


def present(**members: object) -> dict[str, object]:
    """Return a JSON object of the members that have a value; in JSON, undefined means absent."""
    return {name: value for name, value in members.items() if value is not None}


def text_in(payload: Mapping[str, object], key: str) -> str | None:
    """Return a text; None for any other value."""
    value = payload.get(key)
    return value if isinstance(value, str) else None


def flag_in(payload: Mapping[str, object], key: str) -> bool | None:
    """Return a boolean; None for any other value."""
    value = payload.get(key)
    return value if isinstance(value, bool) else None


def integer_in(payload: Mapping[str, object], key: str) -> int | None:
    """Return a whole number; None for any other value."""
    value = payload.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def object_in(payload: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Return an object; an empty one for any other value."""
    return as_object(payload.get(key))


def items_in(payload: Mapping[str, object], key: str) -> list[object]:
    """Return a list; an empty one for any other value."""
    value = payload.get(key)
    return cast("list[object]", value) if isinstance(value, list) else []


def texts_in(payload: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return the texts in a list."""
    return tuple(item for item in items_in(payload, key) if isinstance(item, str))


def issues_in(payload: Mapping[str, object], key: str) -> tuple[FieldIssue, ...]:
    """Return the issues in a list; none of them unless every item is one."""
    items = items_in(payload, key)
    issues = [issue for item in items if (issue := _issue(as_object(item)))]
    return tuple(issues) if len(issues) == len(items) else ()


def issue_objects(issues: Iterable[FieldIssue]) -> list[dict[str, object]]:
    """Return issues as JSON objects."""
    return [present(field=issue.field, problem=issue.problem, expected=issue.expected) for issue in issues]


def _issue(item: Mapping[str, object]) -> FieldIssue | None:
    match item:
        case {"field": str(field), "problem": str(problem)} if item.keys() <= _ISSUE_KEYS:
            return FieldIssue(field, problem, text_in(item, "expected"))
        case _:
            return None


def write_payload(fault: Fault) -> dict[str, object]:
    """Return every field that has a value, in camelCase."""
    return present(
        code=fault.code.value,
        message=fault.message,
        retry=fault.retry.value,
        retryDeclared=fault.retry_declared or None,
        retryAfterMs=fault.retry_after_ms,
        reason=fault.reason,
        field=fault.field,
        issues=issue_objects(fault.issues) or None,
        recovery=_recovery_object(fault.recovery) if fault.recovery else None,
        httpStatus=fault.http_status,
        origin=fault.origin,
        data=fault.data or None,
        correlationId=fault.correlation_id,
        timestamp=fault.timestamp,
    )


def read_payload(payload: Mapping[str, object]) -> Fault | None:
    """Read what `write_payload` wrote; None for an object without code, message and verdict."""
    match payload:
        case {"code": str(code), "message": str(message), "retry": str(retry)}:
            return Fault(
                code=cast("Code", code),  # A Fault knows what to do with a code from the future.
                message=message,
                retry=known_word(Retry, retry) or Retry.NEVER,
                retry_declared=payload.get("retryDeclared") is True,
                retry_after_ms=wait_ms(payload.get("retryAfterMs")),
                reason=text_in(payload, "reason"),
                field=text_in(payload, "field"),
                issues=issues_in(payload, "issues"),
                recovery=_recovery(object_in(payload, "recovery")),
                http_status=integer_in(payload, "httpStatus"),
                origin=text_in(payload, "origin"),
                data=object_in(payload, "data"),
                correlation_id=text_in(payload, "correlationId"),
                timestamp=text_in(payload, "timestamp"),
            )
        case _:
            return None


def _recovery_object(recovery: Recovery) -> dict[str, object]:
    return present(
        hint=recovery.hint,
        hintClass=recovery.hint_class and recovery.hint_class.value,
        actions=list(recovery.actions) or None,
        fallbackTool=recovery.fallback_tool,
        verifyTool=recovery.verify_tool,
        correctiveParams=recovery.corrective_params or None,
        userMessage=recovery.user_message,
    )


def _recovery(payload: Mapping[str, object]) -> Recovery:
    return Recovery(
        hint=text_in(payload, "hint"),
        hint_class=cast("RecoveryHint | None", text_in(payload, "hintClass")),
        actions=texts_in(payload, "actions"),
        fallback_tool=text_in(payload, "fallbackTool"),
        verify_tool=text_in(payload, "verifyTool"),
        corrective_params=object_in(payload, "correctiveParams"),
        user_message=text_in(payload, "userMessage"),
    )


def payload_schema() -> dict[str, object]:
    """Return the JSON Schema of what `write_payload` writes."""
    return {
        "type": "object",
        "properties": {
            "code": {"enum": [code.value for code in Code]},
            "message": {"type": "string", "minLength": 1},
            "retry": {"enum": [retry.value for retry in Retry]},
            "retryDeclared": {"const": True},
            "retryAfterMs": {"type": "integer", "minimum": 0},
            "reason": {"type": "string"},
            "field": {"type": "string"},
            "issues": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "field": {"type": "string"},
                        "problem": {"type": "string"},
                        "expected": {"type": "string"},
                    },
                    "required": ["field", "problem"],
                },
            },
            "recovery": {
                "type": "object",
                "properties": {
                    "hint": {"type": "string"},
                    "hintClass": {"enum": [hint.value for hint in RecoveryHint]},
                    "actions": {"type": "array", "items": {"type": "string"}},
                    "fallbackTool": {"type": "string"},
                    "verifyTool": {"type": "string"},
                    "correctiveParams": {"type": "object"},
                    "userMessage": {"type": "string"},
                },
            },
            "httpStatus": {"type": "integer", "minimum": 100, "maximum": 599},
            "origin": {"type": "string"},
            "data": {"type": "object"},
            "correlationId": {"type": "string"},
            "timestamp": {"type": "string"},
        },
        "required": ["code", "message", "retry"],
    }
