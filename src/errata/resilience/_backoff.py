"""Whether a failure may be repeated, by what is known of the failure itself, and how long to wait before."""

import math
import re
from collections.abc import Callable, Iterator

from errata.classification import classify, find_cause
from errata.model import Code, Fault, FaultError, NeedsInput, Retry, is_a
from errata.resilience._effects import in_attempt

RETRY_ATTEMPTS = "retryAttempts"
"""The key of a fault's data that says how many attempts were made."""
_ATTEMPTS_NOTE = re.compile(r"\(failed after (\d{1,9}) attempts\)\s*\Z")
_MOST_ATTEMPTS = 10**9
_LONGEST_NOTE = 64
"""How much of a message is searched for that note, at its end."""

_LONGEST_DELAY_S = 20.0
_BASE_S = 0.05
_RATE_LIMIT_BASE_S = 1.0
_MOST_DOUBLINGS = 16  # Of either base: far beyond the longest delay.
_DEEPEST = 16
_GAVE_UP_ELSEWHERE = {"tenacity.RetryError", "google.api_core.exceptions.RetryError"}


def backoff_for(error: Exception, *, idempotent: bool | None = None) -> bool | float:
    """Decide for stamina: False to give up, True for its own backoff, seconds where the upstream named them.

        @stamina.retry(on=backoff_for)
        @stamina.retry(on=functools.partial(backoff_for, idempotent=True))    # doing it twice does no harm

    tenacity's `retry_if_exception` takes it as well. Inside an attempt of errata's own `retry` the answer is False: only
    one layer repeats.
    """
    if in_attempt() or is_a(error, NeedsInput):
        return False
    fault = classify(error)
    if not may_repeat(fault, harmless=idempotent) or was_repeated(error, fault):
        return False
    return fault.retry_after_ms / 1000 if fault.retry_after_ms else True


def may_repeat(fault: Fault, *, harmless: bool | None) -> bool:
    """Return whether a failure lets the same call be repeated; an open circuit does not, however soon it may close."""
    if fault.code is Code.CIRCUIT_OPEN:
        return False
    return fault.retry is Retry.SAME_CALL or (fault.retry is Retry.IF_HARMLESS and harmless is True)


def was_repeated(error: BaseException, fault: Fault) -> bool:
    """Return whether somebody closer to the failure has repeated the call already, and given up."""
    return says_repeated(fault) or any(map(_gave_up, _causes_of(error)))


def says_repeated(fault: Fault) -> bool:
    """Return whether a fault says that its call was repeated: in its data, or at the end of its message."""
    return count_attempts(fault) > 1


def count_attempts(fault: Fault) -> int:
    """Return how many attempts a fault says were made, in its data or at the end of its message; 1 if it says nothing."""
    made = fault.data.get(RETRY_ATTEMPTS)
    if isinstance(made, int | float) and not math.isnan(made):
        return int(max(1, min(made, _MOST_ATTEMPTS)))
    note = _ATTEMPTS_NOTE.search(fault.message[-_LONGEST_NOTE:])
    return max(1, int(note[1])) if note else 1


def strip_attempts(message: str) -> str:
    """Return a message without the note at its end that says how many attempts were made."""
    note = _ATTEMPTS_NOTE.search(message[-_LONGEST_NOTE:])
    return message[: -len(note[0])].rstrip() if note else message


def choose_delay_s(fault: Fault, repetition: int, random: Callable[[], float]) -> float:
    """Return a random delay before a repetition, the first being 0: full jitter, but never less than the upstream asked for."""
    base = _RATE_LIMIT_BASE_S if fault.code is Code.RATE_LIMITED else _BASE_S
    ceiling: float = min(base * 2.0 ** min(repetition, _MOST_DOUBLINGS), _LONGEST_DELAY_S)
    return max(random() * ceiling, (fault.retry_after_ms or 0) / 1000)


def _causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception, what it was raised from, and so on; causes may be cyclic."""
    cause: BaseException | None = error
    for _ in range(_DEEPEST):
        if cause is None:
            return
        yield cause
        cause = find_cause(cause)


def _gave_up(error: BaseException) -> bool:
    if is_a(error, FaultError):
        return says_repeated(error.fault)
    return any(f"{kind.__module__}.{kind.__qualname__}" in _GAVE_UP_ELSEWHERE for kind in type(error).__mro__)
