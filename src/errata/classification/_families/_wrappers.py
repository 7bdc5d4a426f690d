"""Rules for classes that say nothing of their own: the exception inside them is asked instead."""

from errata.classification._answer import Reader, RuleResult
from errata.classification._reach import read_exception


def by_cause(error: BaseException) -> RuleResult:
    """The exception it was raised from."""
    return read_exception(error, "__cause__")


def by_cause_or_context(error: BaseException) -> RuleResult:
    """The exception that was being handled when it was raised."""
    return read_exception(error, "__cause__") or read_exception(error, "__context__")


def wrapped_at(*path: str) -> Reader:
    """Make a rule that asks the exception at a path."""

    def read(error: BaseException) -> RuleResult:
        return read_exception(error, *path)

    read.__doc__ = f"The exception in `{'.'.join(path)}`"
    return read
