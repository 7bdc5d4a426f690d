"""The exceptions that carry a fault, and a factory of one for each kind: `raise not_found("No order 17.")`.

Exception
├── FaultError          carries a Fault
│   └── AdapterError    … that an adapter knows by an identifier of its own
└── NeedsInput          is no failure: the tool asks before it acts (`_needs_input.py`)
"""

from collections.abc import Callable, Iterable
from typing import Protocol, Self, TypedDict, Unpack, cast

from errata.model._codes import Code, Retry
from errata.model._coercion import is_a, known_word, text_or_none
from errata.model._fault import Fault, FieldIssue, Recovery, replace_fields
from errata.model._identity import new_correlation_id, now, timestamp_or_none
from errata.redaction import LONGEST_SHOWN, redact_within, text_of


class FaultFields(TypedDict, total=False):
    """The fields of a Fault that may be given by keyword wherever one is raised."""

    retry: Retry
    retry_declared: bool
    retry_after_ms: int | None
    reason: str | None
    field: str | None
    issues: Iterable[FieldIssue]
    recovery: Recovery | None
    http_status: int | None
    origin: str | None
    correlation_id: str | None
    timestamp: str | None


class CodeWord(Protocol):
    """A word that stands for a code: a member of a dialect's enumeration, or of your own."""

    @property
    def code(self) -> Code:
        """The code it stands for."""
        ...


class FaultError(Exception):
    """An exception that carries a Fault: raise it, and the client gets everything in it.

        raise FaultError(Code.NOT_FOUND, "No order 17.", {"order": 17}, recovery=Recovery(hint="…"))

    The text is the message, without secrets. A verdict given here (`retry=…`) counts as declared by a person. A dialect's word
    (`JsonRpcErrorCode.NotFound`) is taken for the code that it is read as.
    """

    fault: Fault
    is_classified: bool = False
    """Whether errata made it of its cause, as `guard` and `retry` do: its words are those of the cause."""
    is_hearsay: bool = False
    """Whether only words say what it is, which anybody may have written: they prove nothing about an upstream."""

    def __init__(
        self,
        code: Code | CodeWord,
        message: str = "",
        data: object = None,
        *,
        cause: object = None,
        **fields: Unpack[FaultFields],
    ) -> None:
        fault = _build_fault(code, message, data, fields)
        super().__init__(fault.message)
        self.fault = fault
        _chain(self, cause)

    @classmethod
    def from_fault(cls, fault: Fault, *, cause: object = None) -> Self:
        """Return an exception around a Fault that exists already, unchanged."""
        error = Exception.__new__(cls, fault.message)
        error.fault = fault
        _chain(error, cause)
        return error

    @property
    def code(self) -> Code:
        """The code of the fault."""
        return self.fault.code

    def __str__(self) -> str:
        return redact_within(super().__str__(), LONGEST_SHOWN)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return _revive, (type(self), self.fault), self.__dict__


class AdapterError(FaultError):
    """A backend's own failure, known by the identifier its adapter gives it.

        raise AdapterError("ORDER_NOT_FOUND", "There is no order 17.")

    Such a failure is a fact about the domain, so without a `code` that says more it is not called retryable,
    unless `retry=` or `data["retryable"]` says so.
    """

    def __init__(
        self,
        identifier: str,
        message: str = "",
        data: object = None,
        *,
        code: Code | CodeWord = Code.UPSTREAM_ERROR,
        cause: object = None,
        **fields: Unpack[FaultFields],
    ) -> None:
        fields["origin"] = identifier
        super().__init__(code, message, data, cause=cause, **fields)
        if not self.fault.retry_declared and self.fault.code is Code.UPSTREAM_ERROR:
            self.fault: Fault = replace_fields(self.fault, retry=Retry.NEVER)


def wrap_classified(cause: BaseException, fault: Fault, *, is_hearsay: bool = False) -> FaultError:
    """Return a FaultError around what errata concluded about another exception, with that one as its cause."""
    error = FaultError.from_fault(fault, cause=cause)
    error.is_classified = cause.is_classified if is_a(cause, FaultError) else True
    error.is_hearsay = is_hearsay
    return error


def _build_fault(code: Code | CodeWord, message: str, data: object, fields: FaultFields) -> Fault:
    given: dict[str, object] = {"retry_declared": known_word(Retry, fields.get("retry")) is not None, **fields}
    given["correlation_id"] = text_or_none(given.get("correlation_id")) or new_correlation_id()
    given["timestamp"] = timestamp_or_none(given.get("timestamp")) or now()
    build = cast("Callable[..., Fault]", Fault)
    return build(code=code, message=message, data=data, **given)


def _revive(kind: type[FaultError], fault: Fault) -> FaultError:
    return kind.from_fault(fault)


def _chain(error: BaseException, cause: object) -> None:
    """Set the cause as `raise … from …` does; one that is no exception becomes a note."""
    if is_a(cause, BaseException):
        error.__cause__ = cause
    elif cause is not None:
        error.add_note(f"Cause: {text_of(cause)}")


class Factory(Protocol):
    """Makes the exception of one code."""

    def __call__(
        self,
        message: str = "",
        data: object = None,
        *,
        cause: object = None,
        **fields: Unpack[FaultFields],
    ) -> FaultError:
        """Make the exception; every field of a Fault may be given by keyword."""
        ...


FACTORY_NAMES: dict[Code, str] = {}
"""The name of the factory of each code that has one; for the others there is `FaultError(code, …)`."""


def _factory(code: Code, name: str | None = None) -> Factory:
    def make(
        message: str = "", data: object = None, *, cause: object = None, **fields: Unpack[FaultFields]
    ) -> FaultError:
        return FaultError(code, message, data, cause=cause, **fields)

    FACTORY_NAMES[code] = make.__name__ = make.__qualname__ = name or code.lower()
    make.__doc__ = f"{code.sentence}\n\n{code.use_when}"
    return make


invalid_params: Factory = _factory(Code.INVALID_PARAMS)
invalid_request: Factory = _factory(Code.INVALID_REQUEST)
not_found: Factory = _factory(Code.NOT_FOUND)
forbidden: Factory = _factory(Code.FORBIDDEN)
unauthorized: Factory = _factory(Code.UNAUTHORIZED)
validation_error: Factory = _factory(Code.VALIDATION_FAILED, "validation_error")
conflict: Factory = _factory(Code.CONFLICT)
rate_limited: Factory = _factory(Code.RATE_LIMITED)
timeout: Factory = _factory(Code.TIMEOUT)
service_unavailable: Factory = _factory(Code.SERVICE_UNAVAILABLE)
configuration_error: Factory = _factory(Code.CONFIGURATION_ERROR)
internal_error: Factory = _factory(Code.INTERNAL_ERROR)
serialization_error: Factory = _factory(Code.SERIALIZATION_ERROR)
database_error: Factory = _factory(Code.DATABASE_ERROR)
gone: Factory = _factory(Code.GONE)
network_error: Factory = _factory(Code.NETWORK_ERROR)
upstream_error: Factory = _factory(Code.UPSTREAM_ERROR)
circuit_open: Factory = _factory(Code.CIRCUIT_OPEN)
not_implemented: Factory = _factory(Code.NOT_IMPLEMENTED)
business_rule_violation: Factory = _factory(Code.BUSINESS_RULE_VIOLATION)
insufficient_balance: Factory = _factory(Code.INSUFFICIENT_BALANCE)
duplicate_operation: Factory = _factory(Code.DUPLICATE_OPERATION)
operation_not_allowed: Factory = _factory(Code.OPERATION_NOT_ALLOWED)
