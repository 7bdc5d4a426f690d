"""What ties a reply to the log: a correlation id and a timestamp."""

import os
import time
from datetime import UTC, datetime
from functools import lru_cache

from errata.model._coercion import is_a, text_or_none
from errata.model._current import CURRENT


def now() -> str:
    """Return the current time in ISO 8601, UTC, milliseconds."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return f"{_to_the_second(seconds)}.{nanoseconds // 1_000_000:03}Z"


@lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def write_timestamp(moment: datetime) -> str:
    """Return a moment in ISO 8601, UTC, milliseconds; one without a time zone is taken for UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def timestamp_or_none(value: object) -> str | None:
    """Return a value as a timestamp; a datetime is written in ISO 8601, UTC."""
    if type(value) is str:
        return text_or_none(value)
    try:
        return write_timestamp(value) if is_a(value, datetime) else text_or_none(value)
    except Exception:  # noqa: BLE001 - a foreign time zone may raise anything.
        return None


def new_correlation_id() -> str:
    """Return a new correlation id: the trace id of the current request if it has one, else a UUID, version 4."""
    request = CURRENT.get()
    if request is not None and (trace_id := request.trace_id()):
        return trace_id
    random = bytearray(os.urandom(16))
    random[6] = random[6] & 0x0F | 0x40  # The version
    random[8] = random[8] & 0x3F | 0x80  # The variant
    text = random.hex()  # As `uuid.uuid4` does it, in a third of the time and without loading it.
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
