"""taxonomy: a flat object with recovery actions, a reference and a time."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import ClassVar

from errata.dialects._dialect import Dialect
from errata.dialects._outgoing import redact_field
from errata.dialects._payload import object_in, present, text_in, texts_in
from errata.dialects._vocabulary import Vocabulary, may_flag_retryable, read_verdict
from errata.model import (
    Code,
    Fault,
    Recovery,
    RecoveryHint,
    Retry,
    add_identity,
    known_word,
    new_correlation_id,
    now,
    wait_ms,
)
from errata.redaction import jsonable_object


class MCPErrorCode(StrEnum):
    """taxonomy's fifteen words."""

    INVALID_INPUT = "INVALID_INPUT"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    RATE_LIMITED = "RATE_LIMITED"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    TIMEOUT = "TIMEOUT"
    CIRCUIT_OPEN = "CIRCUIT_OPEN"
    DEPENDENCY_FAILED = "DEPENDENCY_FAILED"
    BUSINESS_RULE_VIOLATION = "BUSINESS_RULE_VIOLATION"
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE"
    DUPLICATE_OPERATION = "DUPLICATE_OPERATION"
    OPERATION_NOT_ALLOWED = "OPERATION_NOT_ALLOWED"

    @property
    def code(self) -> Code:
        """The code it is read as; `FaultError` accepts the word in place of it."""
        return _VOCABULARY.code_for(self) or Code.UNKNOWN_ERROR


_W = MCPErrorCode

# fmt: off
_RECOVERY_MAP = {
    _W.RATE_LIMITED:            ("wait_and_retry", "use_cached_data"),
    _W.CIRCUIT_OPEN:            ("use_fallback_service", "check_service_status"),
    _W.TIMEOUT:                 ("retry_with_timeout", "reduce_request_scope"),
    _W.VALIDATION_FAILED:       ("check_input_format", "get_schema_info"),
    _W.NOT_FOUND:               ("verify_resource_id", "list_available_resources"),
    _W.UNAUTHORIZED:            ("refresh_token", "reauthenticate"),
    _W.FORBIDDEN:               ("check_permissions", "escalate_to_human"),
    _W.INVALID_INPUT:           ("check_input_format", "get_schema_info"),
    _W.INTERNAL_ERROR:          ("retry_once", "contact_support"),
    _W.SERVICE_UNAVAILABLE:     ("wait_and_retry", "use_fallback"),
    _W.DEPENDENCY_FAILED:       ("use_fallback_service", "retry_later"),
    _W.BUSINESS_RULE_VIOLATION: ("review_business_rules", "escalate_to_human"),
    _W.INSUFFICIENT_BALANCE:    ("check_balance", "add_funds"),
    _W.DUPLICATE_OPERATION:     ("get_existing_result", "skip_operation"),
    _W.OPERATION_NOT_ALLOWED:   ("check_permissions", "escalate_to_human"),
}
_FALLBACK_ACTIONS = ("contact_support",)

_VOCABULARY = Vocabulary[MCPErrorCode](
    words={
        Code.PARSE_ERROR:             _W.INVALID_INPUT,
        Code.INVALID_REQUEST:         _W.INVALID_INPUT,
        Code.METHOD_NOT_FOUND:        _W.NOT_FOUND,
        Code.INVALID_PARAMS:          _W.INVALID_INPUT,
        Code.MISSING_REQUIRED_FIELD:  _W.INVALID_INPUT,
        Code.INVALID_FORMAT:          _W.INVALID_INPUT,
        Code.VALIDATION_FAILED:       _W.VALIDATION_FAILED,
        Code.UNAUTHORIZED:            _W.UNAUTHORIZED,
        Code.FORBIDDEN:               _W.FORBIDDEN,
        Code.NOT_FOUND:               _W.NOT_FOUND,
        Code.GONE:                    _W.NOT_FOUND,
        Code.CONFLICT:                _W.OPERATION_NOT_ALLOWED,
        Code.RATE_LIMITED:            _W.RATE_LIMITED,
        Code.TIMEOUT:                 _W.TIMEOUT,
        Code.CANCELLED:               _W.TIMEOUT,
        Code.NETWORK_ERROR:           _W.SERVICE_UNAVAILABLE,
        Code.UPSTREAM_ERROR:          _W.DEPENDENCY_FAILED,
        Code.SERVICE_UNAVAILABLE:     _W.SERVICE_UNAVAILABLE,
        Code.CIRCUIT_OPEN:            _W.CIRCUIT_OPEN,
        Code.CONFIGURATION_ERROR:     _W.INTERNAL_ERROR,
        Code.INITIALIZATION_FAILED:   _W.INTERNAL_ERROR,
        Code.DATABASE_ERROR:          _W.DEPENDENCY_FAILED,
        Code.SERIALIZATION_ERROR:     _W.INTERNAL_ERROR,
        Code.NOT_IMPLEMENTED:         _W.OPERATION_NOT_ALLOWED,
        Code.BUSINESS_RULE_VIOLATION: _W.BUSINESS_RULE_VIOLATION,
        Code.INSUFFICIENT_BALANCE:    _W.INSUFFICIENT_BALANCE,
        Code.DUPLICATE_OPERATION:     _W.DUPLICATE_OPERATION,
        Code.OPERATION_NOT_ALLOWED:   _W.OPERATION_NOT_ALLOWED,
        Code.INTERNAL_ERROR:          _W.INTERNAL_ERROR,
        Code.UNKNOWN_ERROR:           _W.INTERNAL_ERROR,
    },
    shared={
        _W.INVALID_INPUT:         Code.INVALID_PARAMS,
        _W.NOT_FOUND:             Code.NOT_FOUND,
        _W.TIMEOUT:               Code.TIMEOUT,
        _W.DEPENDENCY_FAILED:     Code.UPSTREAM_ERROR,
        _W.SERVICE_UNAVAILABLE:   Code.SERVICE_UNAVAILABLE,
        _W.OPERATION_NOT_ALLOWED: Code.OPERATION_NOT_ALLOWED,
        _W.INTERNAL_ERROR:        Code.INTERNAL_ERROR,
    },
)
# fmt: on


class Taxonomy(Dialect):
    """`{code, message, details?, retry_after_ms?, recovery_actions, fallback_tool?, correlation_id, timestamp, …}`."""

    name: ClassVar[str] = "taxonomy"
    about: ClassVar[str] = "recovery actions, a reference, a time"
    mark: ClassVar[frozenset[str]] = frozenset({"code", "message", "recovery_actions"})
    carries_reference: ClassVar[bool] = True
    vocabulary: ClassVar[Vocabulary[MCPErrorCode]] = _VOCABULARY

    def __init__(self, *, new_id: Callable[[], str] = new_correlation_id, clock: Callable[[], str] = now) -> None:
        """Take the sources of the reference and the time for faults that lack them; a test gives its own."""
        self._new_id = new_id
        self._clock = clock

    def payload(self, fault: Fault) -> dict[str, object]:
        """Return the error object; a fault without reference and time gets both."""
        fault = add_identity(fault, new_id=self._new_id, clock=self._clock)
        recovery = fault.recovery or Recovery()
        word = _VOCABULARY.word_for(fault)
        hint = _hint(fault, recovery, word)
        verify_tool = recovery.verify_tool if fault.retry is Retry.VERIFY_FIRST else None
        return present(
            code=word.value,
            message=fault.message,
            details=fault.data or None,
            retry_after_ms=fault.retry_after_ms,
            recovery_actions=list(recovery.actions or _default_actions(word, fault.retry)),
            fallback_tool=verify_tool or recovery.fallback_tool,
            correlation_id=fault.correlation_id,
            timestamp=fault.timestamp,
            recovery_hint=hint and hint.value,
            userMessage=recovery.user_message or _for_the_user(fault, recovery, hint),
            corrective_params=recovery.corrective_params or None,
        )

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read the object; without isError it has to be complete and its word one of the dialect's."""
        match payload:
            case {"code": str(word), "message": str(message), "recovery_actions": list()}:
                pass
            case _:
                return None
        known = _VOCABULARY.code_for(word)
        if not is_error and (known is None or text_in(payload, "correlation_id") is None):
            return None
        code = known or Code.UNKNOWN_ERROR
        hint = known_word(RecoveryHint, text_in(payload, "recovery_hint"))
        actions = texts_in(payload, "recovery_actions")
        return Fault(
            code=code,
            message=message,
            retry=read_verdict(code, flag=None if hint is None else hint is RecoveryHint.RETRY_LATER),
            retry_after_ms=wait_ms(payload.get("retry_after_ms")),
            recovery=Recovery(
                hint_class=hint,
                actions=() if known and actions == _default_actions(MCPErrorCode(word)) else actions,
                fallback_tool=text_in(payload, "fallback_tool"),
                corrective_params=object_in(payload, "corrective_params"),
                user_message=text_in(payload, "userMessage"),
            ),
            origin=None if known else word,
            data=jsonable_object(payload.get("details")),
            correlation_id=text_in(payload, "correlation_id"),
            timestamp=text_in(payload, "timestamp"),
        )

    def error_schema(self) -> dict[str, object]:
        """Return the JSON Schema of the payload."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "MCPError",
            "type": "object",
            "properties": {
                "code": {"type": "string", "enum": [word.value for word in MCPErrorCode]},
                "message": {"type": "string"},
                "details": {"type": "object"},
                "retry_after_ms": {"type": "integer", "minimum": 0},
                "recovery_actions": {"type": "array", "items": {"type": "string"}},
                "fallback_tool": {"type": "string"},
                "correlation_id": {"type": "string"},
                "timestamp": {"type": "string"},
                "recovery_hint": {"type": "string", "enum": [hint.value for hint in RecoveryHint]},
                "userMessage": {"type": "string"},
                "corrective_params": {"type": "object"},
            },
            "required": ["code", "message", "recovery_actions", "correlation_id", "timestamp"],
        }


def get_default_recovery(code: MCPErrorCode) -> list[str]:
    """Return the recovery actions for one of taxonomy's words; `contact_support` for one that it does not have."""
    return list(_RECOVERY_MAP.get(code, _FALLBACK_ACTIONS))


def _default_actions(word: MCPErrorCode, retry: Retry | None = None) -> tuple[str, ...]:
    """Return the actions for a word; what must be verified first gets the fallback, which repeats nothing."""
    return _FALLBACK_ACTIONS if retry is Retry.VERIFY_FIRST else _RECOVERY_MAP.get(word, _FALLBACK_ACTIONS)


def _hint(fault: Fault, recovery: Recovery, word: MCPErrorCode) -> RecoveryHint | None:
    """Return the kind of next step; None unless somebody gave one, or the word alone would be read as a yes.

    The author's is sent as it was set, unless it tells to repeat what the verdict says must not be repeated.
    """
    code = _VOCABULARY.code_for(word) or fault.code
    if recovery.hint_class in _list_allowed_hints(fault, code):
        return recovery.hint_class
    if fault.retry is Retry.VERIFY_FIRST:
        return RecoveryHint.TRY_ALTERNATIVE if recovery.verify_tool else RecoveryHint.REPORT_TO_USER
    given = bool(recovery.hint_class or recovery.user_message or recovery.corrective_params)
    if not given and not read_verdict(code).exceeds(fault.retry):
        return None
    if fault.code.hint_class in _list_allowed_hints(fault, code):
        return fault.code.hint_class
    return RecoveryHint.CHECK_INPUT if fault.retry is Retry.FIX_INPUT else RecoveryHint.REPORT_TO_USER


def _list_allowed_hints(fault: Fault, code: Code) -> set[RecoveryHint]:
    """Return the hints that lead to no call which the verdict forbids: fixing the arguments repeats it as well."""
    if fault.retry is Retry.VERIFY_FIRST:
        return {RecoveryHint.TRY_ALTERNATIVE, RecoveryHint.REPORT_TO_USER}
    return set(RecoveryHint) if may_flag_retryable(fault, code) else set(RecoveryHint) - {RecoveryHint.RETRY_LATER}


def _for_the_user(fault: Fault, recovery: Recovery, hint: RecoveryHint | None) -> str | None:
    """Return the message for the user where only this dialect says that a person has to be told."""
    is_ours = hint is RecoveryHint.REPORT_TO_USER and recovery.hint_class is not hint
    return redact_field(fault.message) if is_ours else None


taxonomy: Taxonomy = Taxonomy()
