"""A Fault as a JSON object with all its fields in camelCase, and back without loss."""

from collections.abc import Mapping
from typing import cast

from errata.dialects._members import (
    integer_in,
    issue_objects,
    issues_in,
    object_in,
    present,
    text_in,
    texts_in,
)
from errata.model import Code, Fault, Recovery, RecoveryHint, Retry, known_word, wait_ms


def to_object(fault: Fault) -> dict[str, object]:
    """Write every field that says something."""
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


def from_object(payload: Mapping[str, object]) -> Fault | None:
    """Read what `to_object` wrote; an object without code, message and verdict is none of ours."""
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


def canonical_schema() -> dict[str, object]:
    """Describe what `to_object` writes."""
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
