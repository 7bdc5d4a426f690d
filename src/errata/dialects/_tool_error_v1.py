"""tool-error-v1: an object that names its kind, in content blocks that depend on the format the caller asked for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

from errata.dialects._dialect import Dialect
from errata.dialects._envelope import choose_blocks
from errata.dialects._payload import flag_in, integer_in, object_in, present, text_in
from errata.dialects._vocabulary import Vocabulary, may_flag_retryable, read_verdict
from errata.model import Code, Fault, http_status_or_none, replace_fields, wait_ms

KIND = "toolError:v1"


class ToolErrorCode(StrEnum):
    """tool-error-v1's six words."""

    NETWORK_ERROR = "NETWORK_ERROR"
    SERVER_ERROR = "SERVER_ERROR"
    CLIENT_ERROR = "CLIENT_ERROR"
    NOT_FOUND = "NOT_FOUND"
    AUTHENTICATION_ERROR = "AUTHENTICATION_ERROR"
    UNKNOWN_ERROR = "UNKNOWN_ERROR"

    @property
    def code(self) -> Code:
        """The code it is read as; `FaultError` accepts the word in place of it."""
        return _VOCABULARY.code_for(self) or Code.UNKNOWN_ERROR


_W = ToolErrorCode

# A 429 is a CLIENT_ERROR here, and those are not retryable.
_RETRYABLE = {_W.NETWORK_ERROR, _W.SERVER_ERROR}

# fmt: off
_VOCABULARY = Vocabulary[ToolErrorCode](
    words={
        Code.PARSE_ERROR:             _W.CLIENT_ERROR,
        Code.INVALID_REQUEST:         _W.CLIENT_ERROR,
        Code.METHOD_NOT_FOUND:        _W.NOT_FOUND,
        Code.INVALID_PARAMS:          _W.CLIENT_ERROR,
        Code.MISSING_REQUIRED_FIELD:  _W.CLIENT_ERROR,
        Code.INVALID_FORMAT:          _W.CLIENT_ERROR,
        Code.VALIDATION_FAILED:       _W.CLIENT_ERROR,
        Code.UNAUTHORIZED:            _W.AUTHENTICATION_ERROR,
        Code.FORBIDDEN:               _W.AUTHENTICATION_ERROR,
        Code.NOT_FOUND:               _W.NOT_FOUND,
        Code.GONE:                    _W.CLIENT_ERROR,
        Code.CONFLICT:                _W.CLIENT_ERROR,
        Code.RATE_LIMITED:            _W.CLIENT_ERROR,
        Code.TIMEOUT:                 _W.NETWORK_ERROR,
        Code.CANCELLED:               _W.NETWORK_ERROR,
        Code.NETWORK_ERROR:           _W.NETWORK_ERROR,
        Code.UPSTREAM_ERROR:          _W.SERVER_ERROR,
        Code.SERVICE_UNAVAILABLE:     _W.SERVER_ERROR,
        Code.CIRCUIT_OPEN:            _W.SERVER_ERROR,
        Code.CONFIGURATION_ERROR:     _W.UNKNOWN_ERROR,
        Code.INITIALIZATION_FAILED:   _W.UNKNOWN_ERROR,
        Code.DATABASE_ERROR:          _W.SERVER_ERROR,
        Code.SERIALIZATION_ERROR:     _W.UNKNOWN_ERROR,
        Code.NOT_IMPLEMENTED:         _W.CLIENT_ERROR,
        Code.BUSINESS_RULE_VIOLATION: _W.CLIENT_ERROR,
        Code.INSUFFICIENT_BALANCE:    _W.CLIENT_ERROR,
        Code.DUPLICATE_OPERATION:     _W.CLIENT_ERROR,
        Code.OPERATION_NOT_ALLOWED:   _W.CLIENT_ERROR,
        Code.INTERNAL_ERROR:          _W.UNKNOWN_ERROR,
        Code.UNKNOWN_ERROR:           _W.UNKNOWN_ERROR,
    },
    shared={
        _W.CLIENT_ERROR:         Code.INVALID_REQUEST,
        _W.AUTHENTICATION_ERROR: Code.UNAUTHORIZED,
        _W.NOT_FOUND:            Code.NOT_FOUND,
        _W.NETWORK_ERROR:        Code.NETWORK_ERROR,
        _W.SERVER_ERROR:         Code.UPSTREAM_ERROR,
        _W.UNKNOWN_ERROR:        Code.UNKNOWN_ERROR,
    },
    statuses={
        401: _W.AUTHENTICATION_ERROR,
        403: _W.AUTHENTICATION_ERROR,
        404: _W.NOT_FOUND,
    },
    status_classes={4: _W.CLIENT_ERROR, 5: _W.SERVER_ERROR},
)
# fmt: on


class ToolErrorV1(Dialect):
    """`{kind, code, message, retryable, details?}`; which content blocks there are depends on the format."""

    name: ClassVar[str] = "tool-error-v1"
    about: ClassVar[str] = "names its kind, and calls a 429 final"
    mark: ClassVar[frozenset[str]] = frozenset({"kind", "code", "message"})
    follows_format: ClassVar[bool] = True
    vocabulary: ClassVar[Vocabulary[ToolErrorCode]] = _VOCABULARY

    def payload(self, fault: Fault) -> dict[str, object]:
        """Return the error object."""
        attached, _ = _facts_and_data(fault.data)
        facts = present(
            statusCode=attached.get("statusCode") if fault.http_status is None else fault.http_status,
            retryAfterMs=attached.get("retryAfterMs") if fault.retry_after_ms is None else fault.retry_after_ms,
        )
        details = {key: value for key, value in fault.data.items() if key not in facts} | facts
        status = integer_in(facts, "statusCode")
        word = _VOCABULARY.word_for(replace_fields(fault, http_status=status))
        code = _VOCABULARY.code_for(word, status) or fault.code
        return present(
            kind=KIND,
            code=word.value,
            message=fault.message,
            retryable=word in _RETRYABLE and may_flag_retryable(fault, code, status=status),
            details=details or None,
        )

    def content(self, fault: Fault, payload: Mapping[str, object], format: str) -> list[dict[str, str]]:
        """Return the message, the JSON or both."""
        return choose_blocks(fault.message, payload, format)

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:  # noqa: ARG002 - not needed.
        """Read the object; its `kind` cannot be anything else, so isError is not needed."""
        word, message = text_in(payload, "code"), text_in(payload, "message")
        if payload.get("kind") != KIND or word is None or message is None:
            return None
        facts, data = _facts_and_data(object_in(payload, "details"))
        status = integer_in(facts, "statusCode")
        code = _VOCABULARY.code_for(word, status)
        return Fault(
            code=code or Code.UNKNOWN_ERROR,
            message=message,
            retry=read_verdict(code or Code.UNKNOWN_ERROR, flag=flag_in(payload, "retryable"), status=status),
            retry_after_ms=integer_in(facts, "retryAfterMs"),
            http_status=status,
            origin=None if code else word,
            data=data,
        )

    def error_schema(self) -> dict[str, object]:
        """Return the JSON Schema of the payload."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": KIND,
            "type": "object",
            "properties": {
                "kind": {"const": KIND},
                "code": {"type": "string", "enum": [word.value for word in ToolErrorCode]},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
                "details": {"type": "object"},
            },
            "required": ["kind", "code", "message"],
        }


def _facts_and_data(details: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Separate `statusCode` and `retryAfterMs` from the rest of the details; authors put them into their data as well."""
    facts = present(
        statusCode=http_status_or_none(details.get("statusCode")),
        retryAfterMs=wait_ms(details.get("retryAfterMs")),
    )
    return facts, {key: value for key, value in details.items() if key not in facts}


tool_error_v1: ToolErrorV1 = ToolErrorV1()
