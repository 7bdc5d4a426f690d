"""What an error says about the upstream that was called."""

from asyncio import CancelledError, Task, current_task
from typing import Any, Final
from weakref import WeakKeyDictionary

from errata.classification import classify_with_ground, read_exception
from errata.model import Fault, NeedsInput, is_a

_MOST_CAUSES: Final = 100
_STOPS_SEEN: Final[WeakKeyDictionary[Task[Any], int]] = WeakKeyDictionary()
"""How often a task had been asked to stop when it had its last error."""


def fault_of(failure: Fault | BaseException) -> Fault | None:
    """Find out what failed; a cancellation, an interrupt and a question are no failures.

    Nor is what only words say: they may quote whoever called, and would close the upstream to everybody.
    """
    if is_a(failure, Fault):
        return failure
    if not is_a(failure, Exception) or is_a(failure, NeedsInput) or _comes_of_a_stop(failure):
        return None
    fault, rests_on_words = classify_with_ground(failure)
    return None if rests_on_words else fault


def _comes_of_a_stop(error: Exception) -> bool:
    """Whether a library made an ordinary error of a cancellation of this task; one that it swallowed before is none.

    To count them before every call would take as long as all else that a breaker does. So the first error since the task
    was asked to stop is taken for that, and a later one if a cancellation is among its causes.
    """
    task = _task()
    if task is None:
        return False
    stops, seen = task.cancelling(), _STOPS_SEEN.pop(task, 0)
    if not stops:
        return False
    _STOPS_SEEN[task] = stops
    return stops > seen or is_of_a_cancellation(error)


def _task() -> Task[Any] | None:
    try:
        return current_task()
    except RuntimeError:  # There is no event loop, or it is not asyncio's.
        return None


def is_of_a_cancellation(error: BaseException) -> bool:
    """Whether a cancellation is among the causes of an error."""
    causes: list[BaseException] = [error]
    for cause in causes:  # It grows while it is read.
        if is_a(cause, CancelledError):
            return True
        if len(causes) < _MOST_CAUSES:
            causes += filter(None, (read_exception(cause, "__cause__"), read_exception(cause, "__context__")))
    return False
