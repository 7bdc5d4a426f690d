"""What ties an answer to the log: a reference and a time."""

from datetime import UTC, datetime


def now() -> str:
    """Tell the time as 004 writes it: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_correlation_id() -> str:
    """Make a reference: a UUID, version 4."""
    import uuid  # noqa: PLC0415 - it is a fifth of what `import errata` would cost.

    return str(uuid.uuid4())
