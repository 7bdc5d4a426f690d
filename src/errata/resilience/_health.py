"""What a failure says about the health of the upstream that was called."""

from asyncio import CancelledError, Task, current_task
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from errata.classification import classify_with_ground, read_exception
from errata.model import Code, Fault, NeedsInput, Retry, is_a

_MOST_CAUSES: Final = 100
_CANCELLATIONS_SEEN: Final[WeakKeyDictionary[Task[Any], int]] = WeakKeyDictionary()
"""How often a task had been cancelled when it had its last error."""

_ILL: Final = frozenset(
    {
        Code.TIMEOUT,
        Code.NETWORK_ERROR,
        Code.UPSTREAM_ERROR,
        Code.SERVICE_UNAVAILABLE,
        Code.DATABASE_ERROR,
        Code.SERIALIZATION_ERROR,
        Code.INITIALIZATION_FAILED,
        Code.INTERNAL_ERROR,
        Code.UNKNOWN_ERROR,
    }
)


def code_against_upstream(failure: Fault | BaseException) -> Code | None:
    """Return the code of a failure that speaks against the upstream; None for one that does not.

    A cancellation, an interrupt and a question are no failures, and what the caller has to change is the caller's. What
    only words say does not count either: they may quote whoever called, and would close the upstream to everybody.
    """
    fault = failure if is_a(failure, Fault) else _classify_facts(cast("BaseException", failure))
    if fault is None or fault.code not in _ILL or fault.retry is Retry.FIX_INPUT:
        return None
    return fault.code


def _classify_facts(error: BaseException) -> Fault | None:
    if not is_a(error, Exception) or is_a(error, NeedsInput) or _comes_from_cancellation(error):
        return None
    fault, rests_on_words = classify_with_ground(error)
    return None if rests_on_words else fault


def _comes_from_cancellation(error: Exception) -> bool:
    """Return whether a library made an ordinary error of a cancellation of this task.

    To count cancellations before every call would take as long as all else that a breaker does. So the first error
    since the task was cancelled is taken for that, and a later one if a cancellation is among its causes.
    """
    task = _current_task()
    if task is None:
        return False
    cancellations, seen = task.cancelling(), _CANCELLATIONS_SEEN.pop(task, 0)
    if not cancellations:
        return False
    _CANCELLATIONS_SEEN[task] = cancellations
    return cancellations > seen or is_caused_by_cancellation(error)


def _current_task() -> Task[Any] | None:
    try:
        return current_task()
    except RuntimeError:  # There is no event loop, or it is not asyncio's.
        return None


def is_caused_by_cancellation(error: BaseException) -> bool:
    """Return whether a cancellation is among the causes of an error."""
    causes: list[BaseException] = [error]
    for cause in causes:  # It grows while it is read.
        if is_a(cause, CancelledError):
            return True
        if len(causes) < _MOST_CAUSES:
            causes += filter(None, (read_exception(cause, "__cause__"), read_exception(cause, "__context__")))
    return False
