"""mcp-tool-error: a flat object with one of ten words, a `retriable` flag and the upstream's own answer."""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

from errata.dialects._dialect import Dialect
from errata.dialects._payload import flag_in, object_in, present
from errata.dialects._vocabulary import Vocabulary, is_decided_by_status, may_flag_retryable, read_verdict
from errata.model import Code, Fault, http_status_or_none


class McpToolErrorCode(StrEnum):
    """mcp-tool-error's ten words."""

    BAD_REQUEST = "BAD_REQUEST"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    GONE = "GONE"
    RATE_LIMITED = "RATE_LIMITED"
    UPSTREAM_ERROR = "UPSTREAM_ERROR"
    NETWORK_ERROR = "NETWORK_ERROR"
    TIMEOUT = "TIMEOUT"
    INTERNAL_ERROR = "INTERNAL_ERROR"

    @property
    def code(self) -> Code:
        """The code it is read as; `FaultError` accepts the word in place of it."""
        return _VOCABULARY.code_for(self) or Code.UNKNOWN_ERROR


_W = McpToolErrorCode

_KEYS = frozenset({"code", "message", "retriable", "original"})
_RETRIABLE = {_W.RATE_LIMITED, _W.UPSTREAM_ERROR, _W.NETWORK_ERROR, _W.TIMEOUT}

# fmt: off
_VOCABULARY = Vocabulary[McpToolErrorCode](
    words={
        Code.PARSE_ERROR:             _W.BAD_REQUEST,
        Code.INVALID_REQUEST:         _W.BAD_REQUEST,
        Code.METHOD_NOT_FOUND:        _W.NOT_FOUND,
        Code.INVALID_PARAMS:          _W.BAD_REQUEST,
        Code.MISSING_REQUIRED_FIELD:  _W.BAD_REQUEST,
        Code.INVALID_FORMAT:          _W.BAD_REQUEST,
        Code.VALIDATION_FAILED:       _W.BAD_REQUEST,
        Code.UNAUTHORIZED:            _W.UNAUTHORIZED,
        Code.FORBIDDEN:               _W.FORBIDDEN,
        Code.NOT_FOUND:               _W.NOT_FOUND,
        Code.GONE:                    _W.GONE,
        Code.CONFLICT:                _W.BAD_REQUEST,
        Code.RATE_LIMITED:            _W.RATE_LIMITED,
        Code.TIMEOUT:                 _W.TIMEOUT,
        Code.CANCELLED:               _W.TIMEOUT,
        Code.NETWORK_ERROR:           _W.NETWORK_ERROR,
        Code.UPSTREAM_ERROR:          _W.UPSTREAM_ERROR,
        Code.SERVICE_UNAVAILABLE:     _W.UPSTREAM_ERROR,
        Code.CIRCUIT_OPEN:            _W.UPSTREAM_ERROR,
        Code.CONFIGURATION_ERROR:     _W.INTERNAL_ERROR,
        Code.INITIALIZATION_FAILED:   _W.INTERNAL_ERROR,
        Code.DATABASE_ERROR:          _W.INTERNAL_ERROR,
        Code.SERIALIZATION_ERROR:     _W.INTERNAL_ERROR,
        Code.NOT_IMPLEMENTED:         _W.INTERNAL_ERROR,
        Code.BUSINESS_RULE_VIOLATION: _W.BAD_REQUEST,
        Code.INSUFFICIENT_BALANCE:    _W.BAD_REQUEST,
        Code.DUPLICATE_OPERATION:     _W.BAD_REQUEST,
        Code.OPERATION_NOT_ALLOWED:   _W.FORBIDDEN,
        Code.INTERNAL_ERROR:          _W.INTERNAL_ERROR,
        Code.UNKNOWN_ERROR:           _W.INTERNAL_ERROR,
    },
    shared={
        _W.BAD_REQUEST:    Code.INVALID_REQUEST,
        _W.FORBIDDEN:      Code.FORBIDDEN,
        _W.NOT_FOUND:      Code.NOT_FOUND,
        _W.UPSTREAM_ERROR: Code.UPSTREAM_ERROR,
        _W.TIMEOUT:        Code.TIMEOUT,
        _W.INTERNAL_ERROR: Code.INTERNAL_ERROR,
    },
    statuses={
        401: _W.UNAUTHORIZED,
        403: _W.FORBIDDEN,
        404: _W.NOT_FOUND,
        410: _W.GONE,
        429: _W.RATE_LIMITED,
    },
    status_classes={4: _W.BAD_REQUEST, 5: _W.UPSTREAM_ERROR},
)
# fmt: on


class McpToolError(Dialect):
    """`{code, message, retriable, original?}`, and the same JSON as text."""

    name: ClassVar[str] = "mcp-tool-error"
    about: ClassVar[str] = "ten words, a flag, the upstream's own answer"
    mark: ClassVar[frozenset[str]] = frozenset({"code", "message"})
    publishes_schema: ClassVar[bool] = True
    vocabulary: ClassVar[Vocabulary[McpToolErrorCode]] = _VOCABULARY

    def payload(self, fault: Fault) -> dict[str, object]:
        """Return the error object, with the upstream's own answer where its status decided."""
        word = _VOCABULARY.word_for(fault)
        status = fault.http_status if is_decided_by_status(fault) else None
        code = _VOCABULARY.code_for(word, status) or fault.code
        return present(
            code=word.value,
            message=fault.message,
            retriable=word in _RETRIABLE and may_flag_retryable(fault, code, status=status),
            original=_original(fault) if status else None,
        )

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read the object; without the `retriable` flag, which no other dialect has, everything else has to fit."""
        match payload:
            case {"code": str(word), "message": str(message)}:
                pass
            case _:
                return None
        original = object_in(payload, "original")
        status, flag = http_status_or_none(original.get("status")), flag_in(payload, "retriable")
        code = _VOCABULARY.code_for(word, status)
        if code is None and not (is_error and flag is not None):
            return None
        if flag is None and not (is_error and payload.keys() <= _KEYS):
            return None
        if "original" in payload and "status" not in original:
            original = {"original": payload["original"]}
        return Fault(
            code=code or Code.UNKNOWN_ERROR,
            message=message,
            retry=read_verdict(code or Code.UNKNOWN_ERROR, flag=bool(flag), status=status),  # Absent means false here.
            http_status=status,
            origin=None if code else word,
            data={key: value for key, value in original.items() if key != "status"},
        )

    def error_schema(self) -> dict[str, object]:
        """Return the JSON Schema of the payload."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "McpToolError",
            "type": "object",
            "properties": {
                "code": {"type": "string", "enum": [word.value for word in McpToolErrorCode]},
                "message": {"type": "string", "minLength": 1},
                "retriable": {"type": "boolean", "default": False},
                "original": {},
            },
            "required": ["code", "message"],
        }


def _original(fault: Fault) -> dict[str, object]:
    body = {"body": fault.data["body"]} if "body" in fault.data else {}
    return {"status": fault.http_status, **body}


mcp_tool_error: McpToolError = McpToolError()
