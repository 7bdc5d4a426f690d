"""One short name for each kind of failure that authors raise: `raise not_found("No order 17.")`."""

from typing import Protocol, Unpack

from errata.model._codes import Code
from errata.model._fault import FaultError, FaultFields


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


# 003's fourteen.
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

# And what the other documents know.
gone: Factory = _factory(Code.GONE)
network_error: Factory = _factory(Code.NETWORK_ERROR)
upstream_error: Factory = _factory(Code.UPSTREAM_ERROR)
circuit_open: Factory = _factory(Code.CIRCUIT_OPEN)
not_implemented: Factory = _factory(Code.NOT_IMPLEMENTED)
business_rule_violation: Factory = _factory(Code.BUSINESS_RULE_VIOLATION)
insufficient_balance: Factory = _factory(Code.INSUFFICIENT_BALANCE)
duplicate_operation: Factory = _factory(Code.DUPLICATE_OPERATION)
operation_not_allowed: Factory = _factory(Code.OPERATION_NOT_ALLOWED)
