"""What ties an answer to the log: a reference and a time."""

from datetime import UTC, datetime


def now() -> str:
    """Tell the time."""
    return written(datetime.now(UTC))


def written(moment: datetime) -> str:
    """Write a moment as 004 does: ISO 8601, UTC, milliseconds; one without a time zone is taken for UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_correlation_id() -> str:
    """Make a reference: a UUID, version 4."""
    import uuid  # noqa: PLC0415 - it is a fifth of what `import errata` would cost.

    return str(uuid.uuid4())
