"""Sleeping, time limits and threads in whichever event loop runs: asyncio or trio.

Nothing is imported for it: what runs is loaded. On asyncio the time limits are anyio's where a program has loaded that, as
the SDKs do; else they are those of the standard library.
"""

import functools
import inspect
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from types import FunctionType, MethodType, NoneType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

if TYPE_CHECKING:
    from concurrent.futures import Future

_T = TypeVar("_T")

NEVER_AWAITED: Final = frozenset({NoneType, bool, int, float, str, bytes, list, tuple, dict, set})
"""The types that most functions return. To look a type up here is quicker than to look for its `__await__`."""


def is_awaitable(outcome: object) -> bool:
    """Return whether what a function has returned is to be awaited."""
    return type(outcome) not in NEVER_AWAITED and hasattr(type(outcome), "__await__")


def is_coroutine_function(function: object) -> bool:
    """Return whether calling this makes a coroutine: an `async def`, or an object with an async `__call__`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(_call_method_of(function))


def is_generator_function(function: object) -> bool:
    """Return whether calling this makes a generator, sync or async."""
    return any(
        inspect.isgeneratorfunction(body) or inspect.isasyncgenfunction(body)
        for body in (function, _call_method_of(function))
    )


def _call_method_of(function: object) -> object:
    if isinstance(function, FunctionType | MethodType | functools.partial):
        return None
    return getattr(type(function), "__call__", None)  # noqa: B004 - the method itself is wanted.


async def sleep(seconds: float) -> None:
    """Sleep in the event loop that runs this."""
    await (_find_trio() or sys.modules["asyncio"]).sleep(seconds)


@asynccontextmanager
async def deadline(seconds: float) -> AsyncGenerator[None]:
    """Stop the block with `TimeoutError` after this time; a cancellation from outside passes through."""
    if (trio := _find_trio()) is not None:
        with trio.CancelScope(deadline=trio.current_time() + seconds) as scope:
            yield
        if scope.cancelled_caught:
            raise TimeoutError
    elif (anyio := cast("Any", sys.modules.get("anyio"))) is not None:
        with anyio.fail_after(seconds):
            yield
    else:
        async with sys.modules["asyncio"].timeout(seconds):
            yield


async def run_in_thread(work: Callable[[], _T]) -> _T:
    """Run blocking work in a thread that nobody waits for once its caller was cancelled.

    The threads of asyncio and of anyio's asyncio backend are waited for when the program ends; these are not.
    """
    if (trio := _find_trio()) is not None:
        return cast("_T", await trio.to_thread.run_sync(work, abandon_on_cancel=True))
    return cast("_T", await sys.modules["asyncio"].wrap_future(_start_daemon(work)))


async def wait_for_future(future: "Future[_T]", seconds: float) -> _T:
    """Wait for a future of a thread; it is not cancelled when its caller is, or when the time is over."""
    if (trio := _find_trio()) is not None:
        wait = functools.partial(future.result, seconds)
        return cast("_T", await trio.to_thread.run_sync(wait, abandon_on_cancel=True))
    asyncio = sys.modules["asyncio"]
    async with asyncio.timeout(seconds):
        return cast("_T", await asyncio.shield(asyncio.wrap_future(future)))


def count_cancellations() -> int:
    """Return how often asyncio was asked to cancel the current task, which may have swallowed that."""
    asyncio = _find_asyncio()
    return 0 if asyncio is None else asyncio.current_task().cancelling()


def is_in_event_loop() -> bool:
    """Return whether an event loop runs in this thread, and would stand still while the thread sleeps."""
    try:
        return _find_trio() is not None or sys.modules["asyncio"].get_running_loop() is not None
    except (KeyError, RuntimeError):
        return False


def _start_daemon(work: Callable[[], _T]) -> "Future[_T]":
    from concurrent.futures import Future  # noqa: PLC0415 - asyncio, which is running, has imported both.
    from threading import Thread  # noqa: PLC0415

    outcome: Future[_T] = Future()

    def run() -> None:
        outcome.set_running_or_notify_cancel()
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where the work is waited for.
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    return outcome


def _find_asyncio() -> Any:  # noqa: ANN401 - a module; its type is its name.
    """Return asyncio if this is a part of one of its tasks, else None."""
    asyncio: Any = sys.modules.get("asyncio")
    try:
        return asyncio if asyncio and asyncio.current_task() else None
    except RuntimeError:
        return None


def _find_trio() -> Any:  # noqa: ANN401 - as above.
    """Return trio if this is a part of one of its tasks, else None. A loop of asyncio may run inside of such a task."""
    trio: Any = sys.modules.get("trio")
    if trio is None or _find_asyncio() is not None:
        return None
    try:
        return trio if trio.lowlevel.current_task() else None
    except (RuntimeError, AttributeError):  # It does not run, or another thread is importing it.
        return None
