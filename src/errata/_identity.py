"""What ties an answer to the log: a reference and a time."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_REFERENCE: ContextVar[str | None] = ContextVar("errata_reference", default=None)


def now() -> str:
    """Tell the time."""
    return written(datetime.now(UTC))


def written(moment: datetime) -> str:
    """Write a moment as 004 does: ISO 8601, UTC, milliseconds; one without a time zone is taken for UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_correlation_id() -> str:
    """Make a reference: that of the request in work, if it came with one, else a UUID, version 4."""
    if reference := _REFERENCE.get():
        return reference
    import uuid  # noqa: PLC0415 - it is a fifth of what `import errata` would cost.

    return str(uuid.uuid4())


@contextmanager
def referring_to(reference: str | None) -> Generator[None]:
    """Give every failure in the block the same reference: that of the trace the request belongs to."""
    token = _REFERENCE.set(reference)
    try:
        yield
    finally:
        _REFERENCE.reset(token)
