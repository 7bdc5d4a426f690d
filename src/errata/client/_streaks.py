"""What fails on the way to a goal: a server may propose another call each time, so that counting equal calls is not enough."""

from typing import NamedTuple

from errata.model import Fault, Retry

MOST_IN_A_ROW = 10
"""So many calls may fail on the way to one goal, whatever they are."""
MOST_OF_A_TOOL = 20
"""So often a tool may fail with whatever arguments, if others succeed in between and it does not."""
LONGEST_WAIT_MS = 3_600_000
"""Of all waits on the way to one goal. Longer than an hour is no pause but another day: the quota of an API, a clock gone
wrong. Limits by the hour are usual."""
_MOST_TOOLS = 10_000


class Streak(NamedTuple):
    """How much has failed on the way to this failure, since a call last succeeded; it bounds what a goal may cost."""

    failures: int = 0
    """Failed calls, each begun after the one before it had failed: calls at the same time count once."""
    waits_ms: int = 0
    """The waits that those who may be repeated asked for, added up."""
    of_tool: int = 0
    """Failed calls of the same tool since one of it succeeded, whatever its arguments."""

    def and_one(self, fault: Fault) -> "Streak":
        """Return the streak with one more failure."""
        return Streak(self.failures + 1, self.waits_ms + _wait_ms(fault), self.of_tool + 1)


NO_STREAK = Streak()


def _wait_ms(fault: Fault) -> int:
    return fault.retry_after_ms or 0 if fault.retry is Retry.SAME_CALL else 0


class Streaks:
    """Counts the failures since a call last succeeded, and those of each tool since one of it did."""

    __slots__ = ("_failures", "_of_tools", "_waits_ms")

    def __init__(self) -> None:
        self._failures = 0
        self._waits_ms = 0
        self._of_tools: dict[str, int] = {}

    def so_far(self, tool: str) -> Streak:
        """Return what has failed when a call begins; what has led to a stop, or to a person, belongs to an earlier goal."""
        if self._failures >= MOST_IN_A_ROW or self._waits_ms > LONGEST_WAIT_MS:
            self._failures = self._waits_ms = 0
        if self._of_tools.get(tool, 0) >= MOST_OF_A_TOOL:
            del self._of_tools[tool]
        return Streak(self._failures, self._waits_ms, self._of_tools.get(tool, 0))

    def add(self, tool: str, before: Streak, fault: Fault) -> Streak:
        """Count a failure behind those that there were when the call began; return what there are now."""
        streak = before.and_one(fault)
        self._failures = max(self._failures, streak.failures)
        self._waits_ms = max(self._waits_ms, streak.waits_ms)
        if tool in self._of_tools or len(self._of_tools) < _MOST_TOOLS:
            self._of_tools[tool] = streak.of_tool
        return streak

    def end(self, tool: str) -> None:
        """Take note of a success."""
        self._failures = self._waits_ms = 0
        self._of_tools.pop(tool, None)
