"""The error layer for MCP: what happened, whether the same call may be repeated, and what to do next."""

from importlib import import_module
from typing import TYPE_CHECKING

from errata import _fork as _fork  # It is there before anything is loaded late.
from errata._version import __version__ as __version__
from errata.dialects import decode_needs_input
from errata.model import (
    AdapterError,
    Code,
    Fault,
    FaultError,
    FieldIssue,
    NeedsInput,
    Recovery,
    RecoveryHint,
    Retry,
    answers,
    business_rule_violation,
    circuit_open,
    configuration_error,
    conflict,
    database_error,
    duplicate_operation,
    forbidden,
    gone,
    insufficient_balance,
    internal_error,
    invalid_params,
    invalid_request,
    network_error,
    not_found,
    not_implemented,
    operation_not_allowed,
    rate_limited,
    serialization_error,
    service_unavailable,
    timeout,
    unauthorized,
    upstream_error,
    validation_error,
)
from errata.reading import decode
from errata.redaction import redact, redact_data, register_secret

if TYPE_CHECKING:
    from errata import http as http  # Not in `__all__`: Python has an http, too.
    from errata._guard import guard, try_catch
    from errata._install import install
    from errata.classification import classify, register
    from errata.contracts import Contract, Failure, fail, raises, recovery_for

__all__ = [
    "AdapterError",
    "Code",
    "Contract",
    "Failure",
    "Fault",
    "FaultError",
    "FieldIssue",
    "NeedsInput",
    "Recovery",
    "RecoveryHint",
    "Retry",
    "answers",
    "business_rule_violation",
    "circuit_open",
    "classify",
    "configuration_error",
    "conflict",
    "database_error",
    "decode",
    "decode_needs_input",
    "duplicate_operation",
    "fail",
    "forbidden",
    "gone",
    "guard",
    "install",
    "insufficient_balance",
    "internal_error",
    "invalid_params",
    "invalid_request",
    "network_error",
    "not_found",
    "not_implemented",
    "operation_not_allowed",
    "raises",
    "rate_limited",
    "recovery_for",
    "redact",
    "redact_data",
    "register",
    "register_secret",
    "serialization_error",
    "service_unavailable",
    "timeout",
    "try_catch",
    "unauthorized",
    "upstream_error",
    "validation_error",
]

# The tables of exceptions take longer to load than all the rest, and a client may never need them.
_LOADED_LATE = {
    "Contract": "errata.contracts",
    "Failure": "errata.contracts",
    "classify": "errata.classification",
    "fail": "errata.contracts",
    "guard": "errata._guard",
    "http": "errata.http",
    "install": "errata._install",
    "raises": "errata.contracts",
    "recovery_for": "errata.contracts",
    "register": "errata.classification",
    "try_catch": "errata._guard",
}


def __getattr__(name: str) -> object:
    if name not in _LOADED_LATE:
        raise AttributeError(f"module `errata` has no attribute `{name}`")
    module = import_module(_LOADED_LATE[name])
    value = globals()[name] = module if name == "http" else getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
