"""json-rpc: a JSON-RPC number with data, and the same for people in `Error:` and `Recovery:` lines."""

from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar

from errata.dialects._dialect import Dialect
from errata.dialects._native_lines import to_seconds
from errata.dialects._outgoing import redact_fault
from errata.dialects._payload import (
    flag_in,
    integer_in,
    issue_objects,
    issues_in,
    object_in,
    present,
    text_in,
    write_payload,
)
from errata.dialects._protocol import FAULT
from errata.dialects._vocabulary import Vocabulary, may_flag_retryable, read_verdict
from errata.model import Code, Fault
from errata.redaction import as_object, jsonable_object, put_on_one_line


class JsonRpcErrorCode(IntEnum):
    """json-rpc's numbers. They mean this in a tool's result only; in a JSON-RPC error the protocol decides."""

    ParseError = -32700
    InvalidRequest = -32600
    MethodNotFound = -32601
    InvalidParams = -32602
    InternalError = -32603
    ServiceUnavailable = -32000
    NotFound = -32001
    Conflict = -32002
    RateLimited = -32003
    Timeout = -32004
    Forbidden = -32005
    Unauthorized = -32006
    ValidationError = -32007
    ConfigurationError = -32008
    InitializationFailed = -32009
    DatabaseError = -32010
    SerializationError = -32070
    UnknownError = -32099

    @property
    def code(self) -> Code:
        """The code it is read as; `FaultError` accepts the word in place of it."""
        return _VOCABULARY.code_for(self) or Code.UNKNOWN_ERROR


_W = JsonRpcErrorCode

# fmt: off
_VOCABULARY = Vocabulary[JsonRpcErrorCode](
    words={
        Code.PARSE_ERROR:             _W.ParseError,
        Code.INVALID_REQUEST:         _W.InvalidRequest,
        Code.METHOD_NOT_FOUND:        _W.MethodNotFound,
        Code.INVALID_PARAMS:          _W.InvalidParams,
        Code.MISSING_REQUIRED_FIELD:  _W.InvalidParams,
        Code.INVALID_FORMAT:          _W.InvalidParams,
        Code.VALIDATION_FAILED:       _W.ValidationError,
        Code.UNAUTHORIZED:            _W.Unauthorized,
        Code.FORBIDDEN:               _W.Forbidden,
        Code.NOT_FOUND:               _W.NotFound,
        Code.GONE:                    _W.InvalidRequest,
        Code.CONFLICT:                _W.Conflict,
        Code.RATE_LIMITED:            _W.RateLimited,
        Code.TIMEOUT:                 _W.Timeout,
        Code.CANCELLED:               _W.Timeout,
        Code.NETWORK_ERROR:           _W.ServiceUnavailable,
        Code.UPSTREAM_ERROR:          _W.ServiceUnavailable,
        Code.SERVICE_UNAVAILABLE:     _W.ServiceUnavailable,
        Code.CIRCUIT_OPEN:            _W.ServiceUnavailable,
        Code.CONFIGURATION_ERROR:     _W.ConfigurationError,
        Code.INITIALIZATION_FAILED:   _W.InitializationFailed,
        Code.DATABASE_ERROR:          _W.DatabaseError,
        Code.SERIALIZATION_ERROR:     _W.SerializationError,
        Code.NOT_IMPLEMENTED:         _W.InternalError,
        Code.BUSINESS_RULE_VIOLATION: _W.ValidationError,
        Code.INSUFFICIENT_BALANCE:    _W.Forbidden,
        Code.DUPLICATE_OPERATION:     _W.Conflict,
        Code.OPERATION_NOT_ALLOWED:   _W.Forbidden,
        Code.INTERNAL_ERROR:          _W.InternalError,
        Code.UNKNOWN_ERROR:           _W.UnknownError,
    },
    shared={
        _W.InvalidRequest:     Code.INVALID_REQUEST,
        _W.InvalidParams:      Code.INVALID_PARAMS,
        _W.ValidationError:    Code.VALIDATION_FAILED,
        _W.Forbidden:          Code.FORBIDDEN,
        _W.Conflict:           Code.CONFLICT,
        _W.Timeout:            Code.TIMEOUT,
        _W.ServiceUnavailable: Code.SERVICE_UNAVAILABLE,
        _W.InternalError:      Code.INTERNAL_ERROR,
    },
    statuses={
        400: _W.InvalidParams,
        401: _W.Unauthorized,
        402: _W.Forbidden,
        403: _W.Forbidden,
        404: _W.NotFound,
        408: _W.Timeout,
        409: _W.Conflict,
        422: _W.ValidationError,
        423: _W.Conflict,
        424: _W.Conflict,
        425: _W.Timeout,
        429: _W.RateLimited,
        500: _W.InternalError,
        501: _W.InternalError,
        504: _W.Timeout,
    },
    status_classes={4: _W.InvalidRequest, 5: _W.ServiceUnavailable},
)
# fmt: on


_NEWER = {-32011: Code.CANCELLED}
"""Numbers that mcp-ts-core has added since; they are read and never sent."""

_ALWAYS_POSSIBLE = {_W.InternalError, _W.ServiceUnavailable, _W.Timeout, _W.ValidationError, _W.SerializationError}
_OF_THE_DOMAIN = {Code.BUSINESS_RULE_VIOLATION, Code.NOT_IMPLEMENTED}
BASELINE: frozenset[Code] = frozenset(
    code for code in Code if _VOCABULARY.words[code] in _ALWAYS_POSSIBLE and code not in _OF_THE_DOMAIN
)
"""The codes that any tool may fail with, declared or not: those that json-rpc calls by one of its five baseline words.

Two codes share such a word and are left out: an agent can plan for a rule of the domain, and for a missing feature.
"""


def http_status_to_error_code(status: int) -> JsonRpcErrorCode:
    """Return json-rpc's number for an upstream's HTTP status; UnknownError outside of 400-599."""
    return _VOCABULARY.word_of_status(status) or JsonRpcErrorCode.UnknownError


class JsonRpc(Dialect):
    """`{"error": {code, message, data?}}`, and as text `Error: …` with `Recovery: …`."""

    name: ClassVar[str] = "json-rpc"
    about: ClassVar[str] = "JSON-RPC numbers with data, and two surfaces"
    mark: ClassVar[frozenset[str]] = frozenset({"error"})
    vocabulary: ClassVar[Vocabulary[JsonRpcErrorCode]] = _VOCABULARY

    def payload(self, fault: Fault) -> dict[str, object]:
        """Return the error object for programs."""
        error = present(code=_VOCABULARY.word_for(fault).value, message=fault.message, data=_data(fault) or None)
        return {"error": error}

    def text(self, fault: Fault, payload: Mapping[str, object]) -> str:  # noqa: ARG002 - people get words.
        """Return the `Error:` and `Recovery:` lines for people."""
        hint = fault.recovery and fault.recovery.hint
        first = f"Error: {put_on_one_line(fault.message)}"
        return f"{first}\n\nRecovery: {put_on_one_line(hint)}" if hint else first

    def error_data(self, fault: Fault) -> dict[str, object]:
        """Return what the author attached as json-rpc has it, and the fault itself beside it."""
        return _data(fault) | {FAULT: write_payload(fault)}

    def from_payload(self, payload: Mapping[str, object], *, is_error: bool) -> Fault | None:
        """Read the object; without isError it has to be alone, with one of the dialect's own numbers."""
        error = object_in(payload, "error")
        number, message = integer_in(error, "code"), text_in(error, "message")
        if number is None or message is None or "retryable" in error:
            return None
        known = _VOCABULARY.code_for(number) or _NEWER.get(number)
        if not is_error and (known is None or len(payload) > 1):
            return None
        data = error.get("data")
        fields, rest = _fields_and_rest(as_object(data))
        flag = flag_in(rest, "retryable")
        code = known or Code.UNKNOWN_ERROR
        return Fault(
            code=code,
            message=message,
            retry=read_verdict(code, flag=flag),
            retry_declared=flag is not None,
            field=text_in(fields, "field"),
            issues=issues_in(fields, "issues"),
            origin=None if known else str(number),
            correlation_id=text_in(rest, "requestId"),
            data=rest if isinstance(data, dict) else jsonable_object(data),
        )

    def error_schema(self) -> dict[str, object]:
        """Return the JSON Schema of the payload."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "McpError",
            "type": "object",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "code": {"type": "integer", "enum": [word.value for word in JsonRpcErrorCode]},
                        "message": {"type": "string"},
                        "data": {"type": "object"},
                    },
                    "required": ["code", "message"],
                }
            },
            "required": ["error"],
        }


def _data(fault: Fault) -> dict[str, object]:
    """Return the author's data, then what the fault knows; the reason comes last and cannot be overridden."""
    data = dict(fault.data)
    hint = fault.recovery and fault.recovery.hint
    if hint:
        others = {key: value for key, value in object_in(data, "recovery").items() if key != "hint"}
        data["recovery"] = others | {"hint": hint}
    data |= present(
        retryable=_retryable(fault),
        retryAfter=None if fault.retry_after_ms is None else to_seconds(fault.retry_after_ms),
        field=fault.field,
        issues=issue_objects(fault.issues) or None,
        reason=fault.reason,
    )
    order = ("recovery", "retryable", "retryAfter", "field", "issues", "reason")
    return data | {key: data.pop(key) for key in order if key in data}


def _retryable(fault: Fault) -> bool | None:
    """Return the flag that a person declared, and False wherever the number alone would be read as a yes."""
    code = _VOCABULARY.code_for(_VOCABULARY.word_for(fault)) or fault.code
    if fault.retry_declared:
        return may_flag_retryable(fault, code)
    return False if read_verdict(code).exceeds(fault.retry) else None


def _fields_and_rest(data: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """Separate `field` and `issues` from the rest of the data, unless a fault would write them differently."""
    read = redact_fault(Fault(code=Code.UNKNOWN_ERROR, field=text_in(data, "field"), issues=issues_in(data, "issues")))
    fields = present(field=read.field, issues=issue_objects(read.issues) or None)
    fields = {key: value for key, value in fields.items() if data[key] == value}
    return fields, {key: value for key, value in data.items() if key not in fields}


json_rpc: JsonRpc = JsonRpc()
