"""error-response: a number in ranges, a `retryable` flag, and details with the adapter's own identifier."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import ClassVar

from errata.dialects._dialect import Dialect
from errata.dialects._outgoing import redact_fault
from errata.dialects._payload import flag_in, integer_in, object_in, present, text_in
from errata.dialects._vocabulary import Vocabulary, may_flag_retryable, read_verdict
from errata.model import Code, Fault, Recovery
from errata.redaction import jsonable_object


class ErrorCategory(StrEnum):
    """The categories of error-response's codes."""

    PROTOCOL = "Protocol"
    VALIDATION = "Validation"
    BUSINESS = "Business"
    SYSTEM = "System"
    ADAPTER = "Adapter"


class ErrorResponseCode(IntEnum):
    """error-response's standard codes."""

    VALIDATION_ERROR = 2001
    MISSING_REQUIRED_FIELD = 2002
    INVALID_FORMAT = 2003
    RATE_LIMIT_EXCEEDED = 3001
    TIMEOUT = 3002
    ADAPTER_ERROR = 4001
    BACKEND_UNAVAILABLE = 4002
    NOT_IMPLEMENTED = 5001

    @property
    def code(self) -> Code:
        """The code it is read as; `FaultError` accepts the word in place of it."""
        return _VOCABULARY.code_for(self) or Code.UNKNOWN_ERROR

    @property
    def category(self) -> "ErrorCategory":
        """The category that the table of codes gives it, which is not always that of its range."""
        return _CATEGORY[self]


_W = ErrorResponseCode

_RETRYABLE = {_W.RATE_LIMIT_EXCEEDED, _W.TIMEOUT, _W.ADAPTER_ERROR, _W.BACKEND_UNAVAILABLE}

# fmt: off
_VOCABULARY = Vocabulary[ErrorResponseCode](
    words={
        Code.PARSE_ERROR:             _W.VALIDATION_ERROR,
        Code.INVALID_REQUEST:         _W.VALIDATION_ERROR,
        Code.METHOD_NOT_FOUND:        _W.NOT_IMPLEMENTED,
        Code.INVALID_PARAMS:          _W.VALIDATION_ERROR,
        Code.MISSING_REQUIRED_FIELD:  _W.MISSING_REQUIRED_FIELD,
        Code.INVALID_FORMAT:          _W.INVALID_FORMAT,
        Code.VALIDATION_FAILED:       _W.VALIDATION_ERROR,
        Code.UNAUTHORIZED:            _W.ADAPTER_ERROR,
        Code.FORBIDDEN:               _W.ADAPTER_ERROR,
        Code.NOT_FOUND:               _W.ADAPTER_ERROR,
        Code.GONE:                    _W.ADAPTER_ERROR,
        Code.CONFLICT:                _W.ADAPTER_ERROR,
        Code.RATE_LIMITED:            _W.RATE_LIMIT_EXCEEDED,
        Code.TIMEOUT:                 _W.TIMEOUT,
        Code.CANCELLED:               _W.TIMEOUT,
        Code.NETWORK_ERROR:           _W.BACKEND_UNAVAILABLE,
        Code.UPSTREAM_ERROR:          _W.ADAPTER_ERROR,
        Code.SERVICE_UNAVAILABLE:     _W.BACKEND_UNAVAILABLE,
        Code.CIRCUIT_OPEN:            _W.BACKEND_UNAVAILABLE,
        Code.CONFIGURATION_ERROR:     _W.ADAPTER_ERROR,
        Code.INITIALIZATION_FAILED:   _W.ADAPTER_ERROR,
        Code.DATABASE_ERROR:          _W.ADAPTER_ERROR,
        Code.SERIALIZATION_ERROR:     _W.ADAPTER_ERROR,
        Code.NOT_IMPLEMENTED:         _W.NOT_IMPLEMENTED,
        Code.BUSINESS_RULE_VIOLATION: _W.ADAPTER_ERROR,
        Code.INSUFFICIENT_BALANCE:    _W.ADAPTER_ERROR,
        Code.DUPLICATE_OPERATION:     _W.ADAPTER_ERROR,
        Code.OPERATION_NOT_ALLOWED:   _W.ADAPTER_ERROR,
        Code.INTERNAL_ERROR:          _W.ADAPTER_ERROR,
        Code.UNKNOWN_ERROR:           _W.ADAPTER_ERROR,
    },
    shared={
        _W.VALIDATION_ERROR:    Code.VALIDATION_FAILED,
        _W.TIMEOUT:             Code.TIMEOUT,
        _W.ADAPTER_ERROR:       Code.UPSTREAM_ERROR,
        _W.BACKEND_UNAVAILABLE: Code.SERVICE_UNAVAILABLE,
        _W.NOT_IMPLEMENTED:     Code.NOT_IMPLEMENTED,
    },
)

# The ranges file rate limits and timeouts under "business", the table under "system": the table decides.
_CATEGORY: Mapping[int, ErrorCategory] = {
    _W.VALIDATION_ERROR:       ErrorCategory.VALIDATION,
    _W.MISSING_REQUIRED_FIELD: ErrorCategory.VALIDATION,
    _W.INVALID_FORMAT:         ErrorCategory.VALIDATION,
    _W.RATE_LIMIT_EXCEEDED:    ErrorCategory.SYSTEM,
    _W.TIMEOUT:                ErrorCategory.SYSTEM,
    _W.ADAPTER_ERROR:          ErrorCategory.ADAPTER,
    _W.BACKEND_UNAVAILABLE:    ErrorCategory.SYSTEM,
    _W.NOT_IMPLEMENTED:        ErrorCategory.ADAPTER,
}
_CATEGORY_OF_RANGE = {
    1: ErrorCategory.PROTOCOL,
    2: ErrorCategory.VALIDATION,
    3: ErrorCategory.BUSINESS,
    4: ErrorCategory.SYSTEM,
    5: ErrorCategory.ADAPTER,
}
_CODE_OF_RANGE = {
    1: Code.INVALID_REQUEST,
    2: Code.VALIDATION_FAILED,
    3: Code.BUSINESS_RULE_VIOLATION,
    4: Code.UPSTREAM_ERROR,
    5: Code.UPSTREAM_ERROR,
}
# fmt: on


def category_of(number: int) -> ErrorCategory | None:
    """Return the category of a number: that of the standard code, else of its range; None outside of 1000-5999."""
    return _CATEGORY.get(number) or _CATEGORY_OF_RANGE.get(number // 1000)


class ErrorResponse(Dialect):
    """`{"error": {code, message, retryable, details?}}`, and its JSON as text."""

    name: ClassVar[str] = "error-response"
    about: ClassVar[str] = "numbers in ranges, and the adapter's identifier"
    mark: ClassVar[frozenset[str]] = frozenset({"error"})
    vocabulary: ClassVar[Vocabulary[ErrorResponseCode]] = _VOCABULARY

    def payload(self, fault: Fault) -> dict[str, object]:
        """Return the error object, in an envelope."""
        return {"error": _error(fault)}

    def as_jsonrpc_result(self, fault: Fault) -> dict[str, object]:
        """Return the bare `result` as error-response has it, for a server that writes its JSON-RPC responses itself."""
        return self.payload(redact_fault(fault))

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read the object, in its envelope or bare; without isError it has to have the flag, and bare a number of the table."""
        enveloped = object_in(payload, "error")
        error = enveloped or payload
        number, message = integer_in(error, "code"), text_in(error, "message")
        if number is None or message is None:
            return None
        sure = is_error or bool(enveloped) or _VOCABULARY.code_for(number) is not None
        if not sure or not _is_ours(number, error, is_error=is_error):
            return None
        return _fault(number, message, error)

    def error_schema(self) -> dict[str, object]:
        """Return the JSON Schema of the payload."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "ErrorResponse",
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {"type": "integer", "minimum": 1000, "maximum": 5999},
                        "message": {"type": "string"},
                        "retryable": {"type": "boolean"},
                        "details": {
                            "type": "object",
                            "properties": {
                                "field": {"type": "string"},
                                "reason": {"type": "string"},
                                "suggestion": {"type": "string"},
                                "context": {},
                                "originalError": {"type": "string"},
                            },
                        },
                    },
                    "required": ["code", "message", "retryable"],
                }
            },
            "required": ["error"],
        }


def _error(fault: Fault) -> dict[str, object]:
    word = _VOCABULARY.word_for(fault)
    details = present(
        field=fault.first_field,
        reason=fault.reason,
        suggestion=fault.recovery and fault.recovery.hint,
        context=fault.data or None,
        originalError=fault.origin or (fault.code.value if word is _W.ADAPTER_ERROR else None),
    )
    code = _VOCABULARY.code_for(word) or fault.code
    return present(
        code=word.value,
        message=fault.message,
        retryable=word in _RETRYABLE and may_flag_retryable(fault, code),
        details=details or None,
    )


def _is_ours(number: int, error: Mapping[str, object], *, is_error: bool) -> bool:
    if "retryable" in error:
        return number > 0 and flag_in(error, "retryable") is not None
    return is_error and number // 1000 in _CODE_OF_RANGE


def _fault(number: int, message: str, error: Mapping[str, object]) -> Fault:
    details = object_in(error, "details")
    code, origin = _code_and_origin(number, text_in(details, "originalError"))
    return Fault(
        code=code,
        message=message,
        retry=read_verdict(code, flag=flag_in(error, "retryable")),
        reason=text_in(details, "reason"),
        field=text_in(details, "field"),
        recovery=Recovery(hint=text_in(details, "suggestion")),
        origin=origin,
        data=jsonable_object(details.get("context")),
    )


def _code_and_origin(number: int, original: str | None) -> tuple[Code, str | None]:
    """Read the number; beside 4001 the identifier may be one of our own codes, spelled out for want of a number."""
    code = _VOCABULARY.code_for(number)
    if code is None:
        return _CODE_OF_RANGE.get(number // 1000, Code.UNKNOWN_ERROR), str(number)
    if number == _W.ADAPTER_ERROR and original in _VOCABULARY.codes_for(number):
        return Code(original), None
    return code, original


error_response: ErrorResponse = ErrorResponse()
