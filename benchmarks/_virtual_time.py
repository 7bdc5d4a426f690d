"""An event loop in which waiting takes no time: where nothing is to be done, its clock goes on to the next timer."""

import asyncio
import selectors
from collections.abc import Coroutine, Iterable


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with a clock of its own, which begins at 0. Whoever sleeps in it sleeps in the right order."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Impatient(self))

    def time(self) -> float:
        return self._now

    def pass_over(self, seconds: float) -> None:
        self._now += seconds


class _Impatient(selectors.SelectSelector):
    """A selector that does not wait, and tells the clock how long it would have."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("Everything in this loop waits for something that no timer will bring.")
        self._loop.pass_over(max(timeout, 0))
        return []


def run_all(loop: VirtualLoop, timetable: Iterable[tuple[float, Coroutine[object, object, None]]]) -> None:
    """Start each coroutine at its moment, and run until the last of them is done."""

    async def begun_at(moment: float, work: Coroutine[object, object, None]) -> None:
        await asyncio.sleep(moment)
        await work

    async def all_of_them() -> None:
        await asyncio.gather(*(begun_at(moment, work) for moment, work in timetable))

    try:
        loop.run_until_complete(all_of_them())
    finally:
        loop.close()
