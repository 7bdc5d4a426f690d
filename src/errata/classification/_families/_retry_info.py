"""How long Google's APIs ask us to wait: a `google.rpc.RetryInfo`, as an object, as JSON or as bytes.

The bytes are read without protobuf, which need not be installed where gRPC is, and which nobody should have to import
to name an error. What is not as it should be is passed over.
"""

from collections.abc import Iterator

from errata.classification._reach import call_method, read_number, read_text
from errata.http import parse_retry_after
from errata.model import is_a, items_of, wait_ms

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
