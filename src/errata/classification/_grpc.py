"""What gRPC's statuses mean; Google's HTTP APIs use the same names."""

from errata.classification._answer import Answer
from errata.classification._reach import called, peek, text_at
from errata.model import Code, Retry

# fmt: off
GRPC: dict[str, Code | Answer] = {
    "CANCELLED": Code.CANCELLED,
    "UNKNOWN": Code.UPSTREAM_ERROR,
    "INVALID_ARGUMENT": Code.INVALID_PARAMS,
    "DEADLINE_EXCEEDED": Code.TIMEOUT,
    "NOT_FOUND": Code.NOT_FOUND,
    "ALREADY_EXISTS": Code.CONFLICT,
    "PERMISSION_DENIED": Code.FORBIDDEN,
    "RESOURCE_EXHAUSTED": Code.RATE_LIMITED,
    "FAILED_PRECONDITION": Code.CONFLICT,
    "ABORTED": Answer(Code.CONFLICT, Retry.SAME_CALL),  # "A sequencer check failure, transaction abort": begin again.
    "OUT_OF_RANGE": Code.VALIDATION_FAILED,
    "UNIMPLEMENTED": Code.NOT_IMPLEMENTED,
    "INTERNAL": Code.UPSTREAM_ERROR,
    "UNAVAILABLE": Code.SERVICE_UNAVAILABLE,
    "DATA_LOSS": Answer(Code.UPSTREAM_ERROR, Retry.NEVER),
    "UNAUTHENTICATED": Code.UNAUTHORIZED,
}
# fmt: on


def by_grpc_status(error: BaseException) -> Code | Answer | None:
    """The gRPC status it carries."""
    name = text_at(called(error, "code"), "name") or text_at(peek(error, "grpc_status_code"), "name")
    return GRPC.get(name or "")
