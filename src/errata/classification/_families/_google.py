"""Google's clouds and gRPC: the status says what happened, the details when to come back."""

from collections.abc import Iterator

from errata.classification._carried import by_status, read_wait
from errata.classification._error_codes import GRPC
from errata.classification._exception_rules import (
    WITHHELD,
    Classification,
    Otherwise,
    Rule,
    RuleResult,
    Table,
    first,
)
from errata.classification._families._network import broken_by, by_network_words, by_what_broke, held_at, in_arguments
from errata.classification._foreign import call_method, peek, read_number, read_text
from errata.classification._words import classify_words
from errata.http import parse_retry_after
from errata.model import Code, Retry, is_a, items_of, wait_ms

_RETRY_INFO = "google.rpc.RetryInfo"
_MOST = 200
"""How many details or metadata are looked at."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def wait_in_details(details: object) -> int | None:
    """Find the wait among the details of an error, be they messages or JSON."""
    waits = (_of_detail(detail) for detail in items_of(details)[:_MOST])
    return next((wait for wait in waits if wait is not None), None)


def _of_detail(detail: object) -> int | None:
    if _RETRY_INFO in (read_text(detail, "@type") or ""):
        return parse_retry_after(read_text(detail, "retryDelay"))
    seconds, nanos = read_number(detail, "retry_delay", "seconds"), read_number(detail, "retry_delay", "nanos")
    return None if seconds is None else _ms(seconds, nanos or 0)


def wait_in_metadata(error: BaseException) -> tuple[int | None, bool]:
    """Find the wait in the trailing metadata of a gRPC call, and whether the server asks not to call again."""
    wait, stop = None, False
    for key, value in _pairs(call_method(error, "trailing_metadata")):
        if key == "grpc-retry-pushback-ms":
            pushback = wait_ms(value)
            wait, stop = (pushback, False) if pushback is not None else (wait, True)  # A negative one means: do not.
        elif key == "grpc-status-details-bin" and is_a(value, bytes) and wait is None:
            wait = _of_status_message(value)
        elif key == "retry-after" and wait is None:
            wait = parse_retry_after(value)
    return wait, stop


def _pairs(metadata: object) -> Iterator[tuple[object, object]]:
    for pair in items_of(metadata)[:_MOST]:
        match items_of(pair):
            case (key, value):
                yield key, value
            case _:
                continue


def _of_status_message(message: bytes) -> int | None:
    """Read a `google.rpc.Status`: its details are `Any`s, one of them a RetryInfo."""
    for number, detail in _fields(message):
        if number != 3 or not is_a(detail, bytes):  # noqa: PLR2004 - `details`
            continue
        members = dict(_fields(detail))
        if is_a(url := members.get(1), bytes) and url.endswith(_RETRY_INFO.encode()):
            return _of_retry_info(members.get(2))
    return None


def _of_retry_info(message: object) -> int | None:
    delay = dict(_fields(message)).get(1)
    members = dict(_fields(delay))
    seconds, nanos = members.get(1, 0), members.get(2, 0)
    return _ms(seconds, nanos) if is_a(delay, bytes) and is_a(seconds, int) and is_a(nanos, int) else None


def _ms(seconds: int, nanos: int) -> int | None:
    return wait_ms(seconds + nanos / 1e9, unit_ms=1000)


def _fields(message: object) -> Iterator[tuple[int, int | bytes]]:
    """Read the fields of a protobuf message; ends where it is malformed."""
    data = message if is_a(message, bytes) else b""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
        elif kind == _BYTES:
            length, at = _varint(data, at)
            yield number, data[at : at + length]
            at += length
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:  # noqa: PLR2004 - ten bytes at most, by the format
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:  # noqa: PLR2004 - the last byte has no continuation bit
            break
    return value, at


_TOO_MANY = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "concurrentLimitExceeded"}
_USED_UP = {"quotaExceeded", "dailyLimitExceeded", "dailyLimitExceededUnreg", "QUOTA_EXCEEDED", "limitExceeded"}


def by_rpc_status(error: BaseException) -> Classification | None:
    """The gRPC status, and when its trailers say to come back."""
    name = read_text(call_method(error, "code"), "name") or read_text(peek(error, "status"), "name") or ""
    meant = GRPC.get(name)
    if meant is None:
        return None
    described = call_method(error, "details")
    details = described if isinstance(described, str) else read_text(error, "message") or ""
    wait, stop = wait_in_metadata(error)
    known = _sharper(name, details, meant if isinstance(meant, Classification) else Classification(meant))
    # Its own text is a page for debugging, of which the details are the part for people.
    return known._replace(text=details or WITHHELD, retry_after_ms=wait, retry=Retry.NEVER if stop else known.retry)


def _sharper(name: str, details: str, known: Classification) -> Classification:
    """Return what the details say where the client library itself failed, in the words of a server; else what is known."""
    if details.startswith(("Exception serializing", "Exception deserializing")):
        return Classification(Code.SERIALIZATION_ERROR)
    if name != "UNAVAILABLE":
        return known
    meant = classify_words(details)
    if meant is None or meant.code is not Code.NETWORK_ERROR:
        return known
    return meant if meant.retry is Retry.NEVER else known._replace(retry=meant.retry or Retry.IF_HARMLESS)


def _api_call(error: BaseException) -> RuleResult:
    """Its gRPC status, else its HTTP status, with the wait in its details."""
    quota = _quota(error)
    meant = quota or GRPC.get(read_text(error, "grpc_status_code", "name") or "") or by_status(error)
    known = Classification(meant) if isinstance(meant, Code) else meant
    return (
        None
        if known is None
        else _add_wait(known._replace(http_status=read_number(error, "code") or known.http_status), error)
    )


def _add_wait(known: Classification, error: BaseException) -> Classification:
    wait = wait_in_details(peek(error, "details"))
    if wait is None:
        wait = wait_in_details(peek(error, "details", "error", "details"))
    return known if wait is None else known._replace(retry_after_ms=wait)


def _quota(error: BaseException) -> Classification | None:
    """Whether it is a quota or a permission: both come as 403."""
    status = read_number(error, "code") or read_number(error, "resp", "status")
    if status != 403:  # noqa: PLR2004 - Forbidden
        return None
    details = [
        *items_of(peek(error, "errors")),
        *items_of(peek(error, "error_details")),
        peek(error, "error_info"),
    ]
    reasons = {read_text(each, "reason") for each in details[:20]}
    if reasons & _TOO_MANY:
        return Classification(Code.RATE_LIMITED, http_status=status, retry_after_ms=read_wait(error, status))
    return Classification(Code.RATE_LIMITED, Retry.NEVER, status) if reasons & _USED_UP else None


def _with(rule: Code | Classification) -> Rule:
    """Make a rule for a class whose kind is known, and whose details may have a wait."""

    def read(error: BaseException) -> RuleResult:
        known = Classification(rule) if isinstance(rule, Code) else rule
        return _add_wait(known._replace(http_status=read_number(error, "code")), error)

    read.__doc__ = f"{rule.code if isinstance(rule, Classification) else rule}, with the wait in its details"
    return read


def _firebase(error: BaseException) -> RuleResult:
    """Google's status name."""
    return GRPC.get(read_text(error, "code") or "")


# fmt: off
_API_CORE: dict[str, Rule | Otherwise] = {
    "GoogleAPICallError": first(_api_call, Code.UPSTREAM_ERROR),
    "RetryError": first(held_at("cause"), Code.TIMEOUT),
    "Aborted": _with(GRPC["ABORTED"]),
    "AlreadyExists": _with(Code.CONFLICT),
    "BadRequest": _with(Code.INVALID_PARAMS),
    "Conflict": _with(Code.CONFLICT),
    "DataLoss": _with(GRPC["DATA_LOSS"]),
    "DeadlineExceeded": _with(Code.TIMEOUT),
    "FailedPrecondition": _with(Code.CONFLICT),
    "InvalidArgument": _with(Code.INVALID_PARAMS),
    "OutOfRange": _with(Code.VALIDATION_FAILED),
    "PreconditionFailed": _with(Code.CONFLICT),
    "ResourceExhausted": _with(Code.RATE_LIMITED),
    "Unknown": _with(Code.UPSTREAM_ERROR),
    "ResumableTransferError": first(by_what_broke, _api_call, Code.NETWORK_ERROR),
}
_AUTH: dict[str, Rule | Otherwise] = {
    "TransportError": first(in_arguments, broken_by, by_network_words, Code.NETWORK_ERROR),
    "RefreshError": first(broken_by, Code.UNAUTHORIZED),
}
TABLE: Table = {
    "grpc.RpcError": first(by_rpc_status, Code.UPSTREAM_ERROR),
    "grpclib.exceptions.GRPCError": first(by_rpc_status, Code.UPSTREAM_ERROR),

    **{f"google.api_core.exceptions.{name}": rule for name, rule in _API_CORE.items()},
    **{f"google.auth.exceptions.{name}": rule for name, rule in _AUTH.items()},
    "google.resumable_media.common.InvalidResponse": first(by_status, Code.UPSTREAM_ERROR),
    "googleapiclient.errors.HttpError": first(_api_call, Code.UPSTREAM_ERROR),
    "googleapiclient.errors.ResumableUploadError": first(_api_call, Code.UPSTREAM_ERROR),

    "firebase_admin.exceptions.FirebaseError": first(_firebase, by_status, Code.UPSTREAM_ERROR),
    "gcsfs.retry.HttpError": first(by_status, Code.UPSTREAM_ERROR),
}
# fmt: on
