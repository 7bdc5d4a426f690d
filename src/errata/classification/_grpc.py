"""What gRPC's statuses mean; Google's HTTP APIs use the same names."""

from errata.classification._answer import Classification
from errata.classification._reach import call_method, peek, read_text
from errata.model import Code, Retry

# fmt: off
GRPC: dict[str, Code | Classification] = {
    "CANCELLED": Code.CANCELLED,
    "UNKNOWN": Code.UPSTREAM_ERROR,
    "INVALID_ARGUMENT": Code.INVALID_PARAMS,
    "DEADLINE_EXCEEDED": Code.TIMEOUT,
    "NOT_FOUND": Code.NOT_FOUND,
    "ALREADY_EXISTS": Code.CONFLICT,
    "PERMISSION_DENIED": Code.FORBIDDEN,
    "RESOURCE_EXHAUSTED": Code.RATE_LIMITED,
    "FAILED_PRECONDITION": Code.CONFLICT,
    "ABORTED": Classification(Code.CONFLICT, Retry.SAME_CALL),  # "A sequencer check failure, transaction abort": begin again.
    "OUT_OF_RANGE": Code.VALIDATION_FAILED,
    "UNIMPLEMENTED": Code.NOT_IMPLEMENTED,
    "INTERNAL": Code.UPSTREAM_ERROR,
    "UNAVAILABLE": Code.SERVICE_UNAVAILABLE,
    "DATA_LOSS": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "UNAUTHENTICATED": Code.UNAUTHORIZED,
}
# fmt: on


def by_grpc_status(error: BaseException) -> Code | Classification | None:
    """The gRPC status it carries."""
    name = read_text(call_method(error, "code"), "name") or read_text(peek(error, "grpc_status_code"), "name")
    return GRPC.get(name or "")
