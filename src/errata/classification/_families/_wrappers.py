"""Rules for classes that say nothing of their own: the exception inside them is asked instead."""

from errata.classification._answer import Reader, Said
from errata.classification._reach import inner


def by_cause(error: BaseException) -> Said:
    """The exception it was raised from."""
    return inner(error, "__cause__")


def by_cause_or_context(error: BaseException) -> Said:
    """The exception that was being handled when it was raised."""
    return inner(error, "__cause__") or inner(error, "__context__")


def wrapped_at(*path: str) -> Reader:
    """Make a rule that asks the exception at a path."""

    def read(error: BaseException) -> Said:
        return inner(error, *path)

    read.__doc__ = f"The exception in `{'.'.join(path)}`"
    return read
