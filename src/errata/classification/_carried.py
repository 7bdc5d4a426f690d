"""What an exception carries, whatever its class: a status, a wait, a yes or no to repeating."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import cast
from weakref import WeakKeyDictionary

from errata.classification._error_codes import by_grpc_status, by_sqlstate
from errata.classification._exception_rules import Classification, RuleResult
from errata.classification._foreign import AttributeNames, peek, read_number
from errata.http import ResponseHeaders, interpret_status, parse_retry_after, read_headers, status_to_code
from errata.model import Code, is_a, wait_ms
from errata.redaction import as_object

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
_FLAGGED_AT = (("response", "headers"), ("headers",))
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
_NOT_TAKEN_ON = {429, 503}
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
_ATTRIBUTES = AttributeNames(_READ)

_FLAGGING = ("should-retry",)
_TELLING = ("retry", "limit")
"""What the name of every header has in it that says more than the status: a wait, a quota, a yes or no."""
_MOST_HEADERS = 1000


def is_bare(error: BaseException) -> bool:
    """Return whether an exception has nothing that would be read here: most have not, and forty look-ups are saved."""
    kind = type(error)
    bare = _bare_classes.get(kind)
    if bare is None:
        bare = _bare_classes[kind] = not any(_gives_away(cls) for cls in kind.__mro__)
    return bare and _READ.isdisjoint(error.__dict__)


def _gives_away(cls: type) -> bool:
    return cls.__module__ != "builtins" and not _READ.isdisjoint(vars(cls))


def _read_paths(error: BaseException, paths: Iterable[tuple[str, ...]]) -> Iterator[object]:
    """Yield what is at some paths. Most begin with a name that the exception does not have, and are skipped."""
    names = _ATTRIBUTES.on(error)
    for path in paths:
        if path[0] in names and (value := peek(error, *path)) is not None:
            yield value


def by_carried(error: BaseException) -> RuleResult:
    """An HTTP status, a gRPC status or an SQLSTATE."""
    return by_status(error) or by_grpc_status(error) or by_sqlstate(error)


def by_status(error: BaseException) -> Classification | None:
    """The HTTP status it carries."""
    status = read_status(error)
    return None if status is None else classify_status(status, error)


def classify_status(status: int, error: BaseException) -> Classification:
    """Return what an HTTP status means, given the headers that came with it."""
    known, headers = _MADE_UP_BY_PROXIES.get(status), [*_read_paths(error, _HEADERS_AT)]
    may_say_more = any(map(_may_tell, headers))
    read = [*map(read_headers, headers)] if may_say_more else []
    waits = (each.wait_ms(status=status) for each in read)
    wait = next((each for each in waits if each is not None), None)
    wait = _own_wait(error) if wait is None else wait
    if wait is None and not may_say_more:
        return Classification(known or status_to_code(status), http_status=status)
    fields = next(filter(None, read), ResponseHeaders({}))
    code, retry, wait_ms, _ = interpret_status(status, fields, code=known, wait_ms=wait)
    return Classification(code, retry, status, wait_ms)


def by_response(response: object) -> Classification | None:
    """Return what the status of a response means, given its headers; None for a success."""
    status = next(
        (number for name in ("status_code", "status") if (number := read_number(response, name)) is not None), None
    )
    if status is None or not 400 <= status <= 599:  # noqa: PLR2004 - HTTP's range of failures
        return None
    code, retry, wait_ms, _ = interpret_status(status, read_headers(peek(response, "headers")))
    return Classification(code, retry, status, wait_ms)


def _may_tell(headers: object, words: tuple[str, ...] = _TELLING) -> bool:
    """Return whether headers may say more than the status. Looking at their names is cheap, reading them is not."""
    if not issubclass(type(headers), Mapping):
        return True
    try:
        names = " ".join(islice(cast("Mapping[str, object]", headers), _MOST_HEADERS)).lower()
    except Exception:  # noqa: BLE001 - foreign headers may raise anything, and names may be bytes.
        return True
    return any(word in names for word in words)


def read_status(error: BaseException) -> int | None:
    """Return the HTTP status of a failure; of several, the first that leaves open whether something was done."""
    numbers = map(read_number, _read_paths(error, _STATUS_AT))
    statuses = [number for number in numbers if number is not None and 400 <= number <= 599]  # noqa: PLR2004 - HTTP's range of failures
    if statuses:
        return next((each for each in statuses if each not in _NOT_TAKEN_ON), statuses[0])
    code = read_number(error, "code")  # Many things are called that; only a number that HTTP uses is taken for one.
    return code if code in _USED_BY_HTTP else None


def read_wait(error: BaseException, status: int | None = None) -> int | None:
    """Return the wait that an exception asks for, in milliseconds."""
    for headers in _read_paths(error, _HEADERS_AT):
        if _may_tell(headers) and (wait := read_headers(headers).wait_ms(status=status)) is not None:
            return wait
    return _own_wait(error)


def _own_wait(error: BaseException) -> int | None:
    for value in _read_paths(error, _MS_AT):
        if (wait := wait_ms(value)) is not None:
            return wait
    for value in _read_paths(error, _SECONDS_AT):
        if (wait := parse_retry_after(value)) is not None:
            return wait
    return None


def read_retry_flag(error: BaseException) -> bool | None:
    """Return the exception's own yes or no to repeating the call; None where it has none."""
    names = _ATTRIBUTES.on(error)
    for name in _FLAGS:
        flag = peek(error, name) if name in names else None
        if is_a(flag, bool) and (flag or _is_meant(error, name)):
            return flag
    may_say_more = (
        read_headers(headers).should_retry
        for headers in _read_paths(error, _FLAGGED_AT)
        if _may_tell(headers, _FLAGGING)
    )
    return next((flag for flag in may_say_more if flag is not None), None)


def _is_meant(error: BaseException, name: str) -> bool:
    """Return whether a no is about this failure, and not one that a library's root class has for all of its errors."""
    return name in as_object(peek(error, "__dict__")) or name in vars(type(error))
