"""What an exception carries, whatever its class: a status, a wait, a yes or no to repeating."""

from weakref import WeakKeyDictionary

from errata._headers import header_fields
from errata._http_verdict import http_verdict, should_retry
from errata._jsonable import as_object
from errata._taxonomy import Code
from errata._values import is_a, wait_ms
from errata._waits import parse_retry_after, wait_from_headers
from errata.classification._answer import Answer, Said
from errata.classification._grpc import by_grpc_status
from errata.classification._reach import number_at, peek
from errata.classification._sqlstate import by_sqlstate

_STATUS_AT = (
    ("status_code",),
    ("statusCode",),
    ("status",),
    ("http_status",),
    ("http_status_code",),
    ("http_code",),
    ("httpStatus",),
    ("response_code",),
    ("response", "status_code"),
    ("response", "statusCode"),
    ("response", "status"),
    ("meta", "status"),
    ("resp", "status"),
    ("response", "ResponseMetadata", "HTTPStatusCode"),
)
_USED_BY_HTTP = {*range(400, 419), *range(421, 430), 431, 451, 499, *range(500, 512), *range(520, 528), 529, 530, 598}
_HEADERS_AT = (
    ("headers",),
    ("response", "headers"),
    ("meta", "headers"),
    ("response", "ResponseMetadata", "HTTPHeaders"),
    ("response_headers",),
    ("http_headers",),
    ("resp",),
)
_SECONDS_AT = (
    ("retry_after",),
    ("retry_after_seconds",),
    ("retry_after_secs",),
    ("retryAfter",),
    ("retry_delay",),
    ("body", "retry_after"),
    ("body", "error", "retry_after"),
    ("parameters", "retry_after"),
    ("result_json", "parameters", "retry_after"),
)
_MS_AT = (("retry_after_ms",), ("retryAfterMs",))
# nginx's "client closed request", and timeouts between a proxy and its origin. HTTP knows none of them.
_MADE_UP_BY_PROXIES = {499: Code.CANCELLED, 522: Code.TIMEOUT, 524: Code.TIMEOUT, 598: Code.TIMEOUT}
WORDS_AT = ("code", "error_code", "error", "type", "reason", "status", "error_type", "errcode")
"""Where libraries keep a word for what went wrong: `rate_limit_exceeded`."""
_FLAGS = ("retryable", "retriable", "is_retryable", "should_retry", "transient", "is_transient")

_READ = frozenset(path[0] for path in (*_STATUS_AT, *_HEADERS_AT, *_SECONDS_AT, *_MS_AT)) | {
    *_FLAGS,
    *WORDS_AT,
    "__getattr__",
    "__getattribute__",
    "grpc_status_code",
    "pgcode",
    "sqlstate",
}
_bare_classes: WeakKeyDictionary[type, bool] = WeakKeyDictionary()


def is_bare(error: BaseException) -> bool:
    """Whether it has nothing that would be read here; most exceptions have not, and forty look-ups are saved."""
    kind = type(error)
    bare = _bare_classes.get(kind)
    if bare is None:
        bare = _bare_classes[kind] = not any(_gives_away(cls) for cls in kind.__mro__)
    return bare and _READ.isdisjoint(error.__dict__)


def _gives_away(cls: type) -> bool:
    return cls.__module__ != "builtins" and not _READ.isdisjoint(vars(cls))


def carried(error: BaseException) -> Said:
    """An HTTP status, a gRPC status or an SQLSTATE."""
    return by_status(error) or by_grpc_status(error) or by_sqlstate(error)


def by_status(error: BaseException) -> Answer | None:
    """The HTTP status it carries."""
    status = status_of(error)
    return None if status is None else of_status(status, error)


def of_status(status: int, error: BaseException) -> Answer:
    """Say what an HTTP status means, given the headers that came with it."""
    headers = next((fields for path in _HEADERS_AT if (fields := header_fields(peek(error, *path)))), None)
    known, wait = _MADE_UP_BY_PROXIES.get(status), wait_of(error, status)
    code, retry, wait_ms = http_verdict(status, headers, code=known, wait_ms=wait)
    return Answer(code, retry, status, wait_ms)


def status_of(error: BaseException) -> int | None:
    """Find the HTTP status of a failure."""
    for path in _STATUS_AT:
        status = number_at(error, *path)
        if status is not None and 400 <= status <= 599:  # noqa: PLR2004 - HTTP's range of failures
            return status
    code = number_at(error, "code")  # Many things are called that; only a number that HTTP uses is taken for one.
    return code if code in _USED_BY_HTTP else None


def wait_of(error: BaseException, status: int | None = None) -> int | None:
    """Find how long to wait, in milliseconds."""
    for path in _HEADERS_AT:
        headers = peek(error, *path)
        if headers is not None and (wait := wait_from_headers(headers, status=status)) is not None:
            return wait
    for path in _MS_AT:
        if (wait := wait_ms(peek(error, *path))) is not None:
            return wait
    for path in _SECONDS_AT:
        if (value := peek(error, *path)) is not None and (wait := parse_retry_after(value)) is not None:
            return wait
    return None


def flag_of(error: BaseException) -> bool | None:
    """Find what it says itself about repeating the call."""
    for name in _FLAGS:
        flag = peek(error, name)
        if is_a(flag, bool) and (flag or _is_meant(error, name)):
            return flag
    told = (should_retry(peek(error, *path)) for path in (("response", "headers"), ("headers",)))
    return next((flag for flag in told if flag is not None), None)


def _is_meant(error: BaseException, name: str) -> bool:
    """Whether a no is about this failure: one that a library's root class has for all of its errors is not."""
    return name in as_object(peek(error, "__dict__")) or name in vars(type(error))
