"""One short name for each kind of failure that authors raise: `raise not_found("No order 17.")`."""

from typing import Protocol, Unpack

from errata._fault import FaultError, FaultFields
from errata._taxonomy import Code


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


def factory_name(code: Code) -> str | None:
    """Name the factory of a code; None for a code that authors have no business raising."""
    return _name(code) if _name(code) in globals() else None


def _name(code: Code) -> str:
    return "validation_error" if code is Code.VALIDATION_FAILED else code.lower()


def _factory(code: Code) -> Factory:
    def make(
        message: str = "", data: object = None, *, cause: object = None, **fields: Unpack[FaultFields]
    ) -> FaultError:
        return FaultError(code, message, data, cause=cause, **fields)

    make.__name__ = make.__qualname__ = _name(code)
    make.__doc__ = f"{code.sentence}\n\n{code.use_when}"
    return make


# 003's fourteen.
invalid_params = _factory(Code.INVALID_PARAMS)
invalid_request = _factory(Code.INVALID_REQUEST)
not_found = _factory(Code.NOT_FOUND)
forbidden = _factory(Code.FORBIDDEN)
unauthorized = _factory(Code.UNAUTHORIZED)
validation_error = _factory(Code.VALIDATION_FAILED)
conflict = _factory(Code.CONFLICT)
rate_limited = _factory(Code.RATE_LIMITED)
timeout = _factory(Code.TIMEOUT)
service_unavailable = _factory(Code.SERVICE_UNAVAILABLE)
configuration_error = _factory(Code.CONFIGURATION_ERROR)
internal_error = _factory(Code.INTERNAL_ERROR)
serialization_error = _factory(Code.SERIALIZATION_ERROR)
database_error = _factory(Code.DATABASE_ERROR)

# And what the other documents know.
gone = _factory(Code.GONE)
network_error = _factory(Code.NETWORK_ERROR)
upstream_error = _factory(Code.UPSTREAM_ERROR)
circuit_open = _factory(Code.CIRCUIT_OPEN)
not_implemented = _factory(Code.NOT_IMPLEMENTED)
business_rule_violation = _factory(Code.BUSINESS_RULE_VIOLATION)
insufficient_balance = _factory(Code.INSUFFICIENT_BALANCE)
duplicate_operation = _factory(Code.DUPLICATE_OPERATION)
operation_not_allowed = _factory(Code.OPERATION_NOT_ALLOWED)
