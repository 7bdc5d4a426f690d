"""The error layer for MCP: what happened, whether the same call may be repeated, and what to do next."""

from errata._factories import (
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
from errata._fault import AdapterError, Fault, FaultError, FieldIssue, Recovery
from errata._guard import guard, try_catch
from errata._needs_input import NeedsInput
from errata._redaction import redact, redact_data, register_secret
from errata._taxonomy import Code, RecoveryHint, Retry
from errata.classification import classify, register
from errata.dialects import decode_needs_input
from errata.reading import decode

__all__ = [
    "AdapterError",
    "Code",
    "Fault",
    "FaultError",
    "FieldIssue",
    "NeedsInput",
    "Recovery",
    "RecoveryHint",
    "Retry",
    "business_rule_violation",
    "circuit_open",
    "classify",
    "configuration_error",
    "conflict",
    "database_error",
    "decode",
    "decode_needs_input",
    "duplicate_operation",
    "forbidden",
    "gone",
    "guard",
    "insufficient_balance",
    "internal_error",
    "invalid_params",
    "invalid_request",
    "network_error",
    "not_found",
    "not_implemented",
    "operation_not_allowed",
    "rate_limited",
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
