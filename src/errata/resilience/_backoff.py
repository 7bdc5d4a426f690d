"""Whether a failure is repeated, by what is known of the failure itself, and how long to wait before."""

import math
import re
from collections.abc import Callable, Iterator

from errata.classification import classify, find_cause
from errata.model import ATTEMPT, Code, Fault, FaultError, NeedsInput, Retry, is_a

RETRY_ATTEMPTS = "retryAttempts"
"""Where the data of a fault says how many attempts were made (003)."""
_IN_WORDS = re.compile(r"\(failed after (\d{1,9}) attempts\)\s*\Z")
_MOST_ATTEMPTS = 10**9
_LAST_WORDS = 64
"""How much of a message is read to find those words at its end."""

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
    """Whether a failure lets the same call be repeated; an open circuit does not, however soon it may close."""
    if fault.code is Code.CIRCUIT_OPEN:
        return False
    return fault.retry is Retry.SAME_CALL or (fault.retry is Retry.IF_HARMLESS and harmless is True)


def was_repeated(error: BaseException, fault: Fault) -> bool:
    """Whether somebody closer to the failure has repeated the call already, and given up."""
    return says_it_was_repeated(fault) or any(map(_gave_up, _causes_of(error)))


def says_it_was_repeated(fault: Fault) -> bool:
    """Whether a fault says that its call was repeated: in its data, or in its last words where a dialect has no data."""
    return attempts_of(fault) > 1


def attempts_of(fault: Fault) -> int:
    """Return how often a call was made before its fault: as its data or its last words say, else once."""
    made = fault.data.get(RETRY_ATTEMPTS)
    if isinstance(made, int | float) and not math.isnan(made):
        return int(max(1, min(made, _MOST_ATTEMPTS)))
    words = _IN_WORDS.search(fault.message[-_LAST_WORDS:])
    return max(1, int(words[1])) if words else 1


def without_attempts(message: str) -> str:
    """Return a message without the last words that say how often the call was made."""
    words = _IN_WORDS.search(message[-_LAST_WORDS:])
    return message[: -len(words[0])].rstrip() if words else message


def delay_s(fault: Fault, repetition: int, random: Callable[[], float]) -> float:
    """Choose a delay before a repetition, the first being 0: full jitter, and never less than the upstream asked for."""
    base = _RATE_LIMIT_BASE_S if fault.code is Code.RATE_LIMITED else _BASE_S
    ceiling: float = min(base * 2.0 ** min(repetition, _MOST_DOUBLINGS), _LONGEST_DELAY_S)
    return max(random() * ceiling, (fault.retry_after_ms or 0) / 1000)


def in_attempt() -> bool:
    """Whether this is a part of an attempt that somebody else will repeat."""
    attempt = ATTEMPT.get()
    return attempt is not None and not attempt.over


def _causes_of(error: BaseException) -> Iterator[BaseException]:
    """Walk from an exception to what it was raised from; causes may be cyclic."""
    cause: BaseException | None = error
    for _ in range(_DEEPEST):
        if cause is None:
            return
        yield cause
        cause = find_cause(cause)


def _gave_up(error: BaseException) -> bool:
    if is_a(error, FaultError):
        return says_it_was_repeated(error.fault)
    return any(f"{kind.__module__}.{kind.__qualname__}" in _GAVE_UP_ELSEWHERE for kind in type(error).__mro__)
