"""The answers of the last two minutes, or however long it is looked back."""

from collections import deque
from typing import Final

from errata.resilience._circuit import Limits

_SLOTS: Final = 12
_MOST_FAILURES: Final = 10_000  # Of a busy upstream that keeps failing, but not often enough.


class Window:
    """How many calls succeeded and failed lately.

    Failures are kept one by one, because their number opens a circuit, and each with the successes there had been. Those
    are only counted, in slots of a twelfth of the window: a busy upstream has a million of them. They take no lock: two
    threads that count at the very same moment may count one, which no rate is so exact as to notice.
    """

    __slots__ = (
        "_before", "_failures", "_length", "_limits", "_slot_ends", "_slots", "last_failure", "last_success",
        "succeeded_yet",
    )  # fmt: skip

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._length = limits.window_s
        self._failures: deque[tuple[float, int]] = deque(maxlen=max(_MOST_FAILURES, limits.weighed))
        self._slots: deque[tuple[float, int]] = deque(maxlen=_SLOTS)
        self._slot_ends = -float("inf")
        self._before = 0
        self.succeeded_yet = 0
        """All successes there ever were."""
        self.last_success: float | None = None
        self.last_failure: float | None = None

    def succeeded(self, now: float) -> None:
        """Count a success."""
        if now >= self._slot_ends:
            self._slots.append((self._slot_ends, self.succeeded_yet - self._before))
            self._slot_ends = now + self._length / _SLOTS
            self._before = self.succeeded_yet
        self.succeeded_yet += 1
        self.last_success = now

    def failed(self, now: float) -> bool:
        """Count a failure, and tell whether those within the window are too many."""
        self._failures.append((now, self.succeeded_yet))
        self.last_failure = now
        weighed = min(self.failures(now), self._limits.weighed)
        if weighed < self._limits.failures:
            return False
        _, succeeded_before = self._failures[-weighed]
        return weighed / (weighed + self.succeeded_yet - succeeded_before) >= self._limits.failure_rate

    def failures(self, now: float) -> int:
        """Tell how many failures there were within the window."""
        while self._failures and self._failures[0][0] <= now - self._length:
            self._failures.popleft()
        return len(self._failures)

    def successes(self, now: float) -> int:
        """Tell how many successes there were within the window, to a twelfth of it."""
        slots = (*self._slots, (self._slot_ends, self.succeeded_yet - self._before))
        return sum(count for ends, count in slots if ends > now - self._length)

    def clear(self) -> None:
        """Forget what was counted; the last moments are kept."""
        self._failures.clear()
        self._slots.clear()
        self._slot_ends, self._before = -float("inf"), self.succeeded_yet
