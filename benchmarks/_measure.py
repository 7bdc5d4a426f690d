"""How long something takes beside something else, in one run."""

import time
from collections.abc import Callable
from typing import Literal, NamedTuple

_LONGEST_S = 5


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    ours: float
    beside: str
    theirs: float
    budget: float | None = None
    least: float | None = None
    """For a ratio that is to be large."""
    unit: Literal["µs", "kB"] = "µs"

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def figure(
    what: str, ours: Callable[[], object], beside: str, theirs: Callable[[], object], budget: float | None = None
) -> Figure:
    """Measure one line of the table."""
    ours_us, theirs_us = _compare(ours, theirs)
    return Figure(what, ours_us, beside, theirs_us, budget)


def _compare(ours: Callable[[], object], theirs: Callable[[], object], *, rounds: int = 40) -> tuple[float, float]:
    """Time two calls in turns, and take the best of many rounds of each: noise only ever adds."""
    best_ours = best_theirs = float("inf")
    begun = time.perf_counter()
    for _ in range(rounds):
        best_ours = min(best_ours, _microseconds(ours))
        best_theirs = min(best_theirs, _microseconds(theirs))
        if time.perf_counter() - begun > _LONGEST_S:
            break
    return best_ours, best_theirs


def _microseconds(call: Callable[[], object], seconds: float = 0.01) -> float:
    count, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        batch = 10 if count else 1  # One that takes long is not called ten times to find out.
        for _ in range(batch):
            call()
        count += batch
    return elapsed / count * 1e6
