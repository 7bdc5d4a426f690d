"""A time limit and a thread, under asyncio or trio, whichever runs; neither is imported for its own sake."""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

_T = TypeVar("_T")


@asynccontextmanager
async def deadline(seconds: float) -> AsyncGenerator[None]:
    """Stop the block with `TimeoutError` after so long; a cancellation from outside passes untouched."""
    if asyncio := _running_asyncio():
        async with asyncio.timeout(seconds):
            yield
        return
    with _trio().move_on_after(seconds) as scope:
        yield
    if scope.cancelled_caught:
        raise TimeoutError


async def in_thread(work: Callable[[], _T]) -> _T:
    """Let blocking work block a thread. One that is given up holds nobody up, not even the end of the program."""
    if asyncio := _running_asyncio():
        return cast("_T", await asyncio.wrap_future(_start(work)))
    return cast("_T", await _trio().to_thread.run_sync(work, abandon_on_cancel=True))


def _start(work: Callable[[], _T]) -> object:
    from concurrent.futures import Future  # noqa: PLC0415 - asyncio, which is running, has imported both.
    from threading import Thread  # noqa: PLC0415

    outcome: Future[_T] = Future()

    def run() -> None:
        outcome.set_running_or_notify_cancel()
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where the work is waited for.
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()  # An executor's thread would be waited for when the loop ends.
    return outcome


def _running_asyncio() -> Any:  # noqa: ANN401 - a module; its type is its name.
    """Find asyncio if this is one of its tasks."""
    asyncio: Any = sys.modules.get("asyncio")
    try:
        return asyncio if asyncio and asyncio.current_task() else None
    except RuntimeError:
        return None


def _trio() -> Any:  # noqa: ANN401 - as above; there may be no trio to take the type from.
    return sys.modules["trio"]
