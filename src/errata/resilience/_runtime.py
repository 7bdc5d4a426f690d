"""What there is to await, under asyncio or trio, whichever runs; neither is imported for its own sake."""

import functools
import inspect
import sys
from contextlib import suppress
from types import CodeType, NoneType
from typing import Any, Final, cast

PLAIN: Final = frozenset({NoneType, bool, int, float, str, bytes, list, tuple, dict, set})
"""What a function returns as a rule, and nobody awaits: quicker than to look at it."""
GENERATOR: Final = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


async def sleep_here(seconds: float) -> None:
    """Sleep as the event loop does that runs this."""
    if _task() is not None:
        await sys.modules["asyncio"].sleep(seconds)
    elif (trio := sys.modules.get("trio")) is not None:
        await trio.sleep(seconds)
    else:
        raise RuntimeError("Neither asyncio nor trio runs this. Tell `retry` how to wait, with `sleep=`.")


def cancellations() -> int:
    """Count how often this task was asked to stop. It may have swallowed that and go on."""
    task = _task()
    return 0 if task is None else task.cancelling()


def is_in_a_loop() -> bool:
    """Whether an event loop runs in this thread, and would stand still while the thread sleeps."""
    return _answers("asyncio", "get_running_loop") or _answers("trio.lowlevel", "current_task")


def _answers(module: str, function: str) -> bool:
    ask = getattr(sys.modules.get(module), function, None)
    try:
        return ask is not None and ask() is not None
    except RuntimeError:
        return False


def _task() -> Any:  # noqa: ANN401 - asyncio's Task.
    """Find the task of asyncio that this is a part of; None under trio."""
    asyncio: Any = sys.modules.get("asyncio")
    try:
        return asyncio.current_task() if asyncio else None
    except RuntimeError:
        return None


def is_pending(outcome: object) -> bool:
    """Whether there is something to await. Remembered by class: to look in vain takes longer than all the rest."""
    kind = type(outcome)
    try:
        return _HAS_AWAIT[kind]
    except (KeyError, TypeError):  # A class whose metaclass cannot be hashed is asked every time.
        return _learned(kind)


def _learned(kind: type) -> bool:
    found = hasattr(kind, "__await__")
    if len(_HAS_AWAIT) >= _MOST_CLASSES:
        _HAS_AWAIT.clear()
    with suppress(TypeError):
        _HAS_AWAIT[kind] = found
    return found


_MOST_CLASSES = 512
_HAS_AWAIT: dict[type, bool] = {}


def flags_of(function: object) -> int:
    """Find out what kind of function it is, in a tenth of the time that `inspect` takes; an object is its `__call__`."""
    while isinstance(function, functools.partial):
        function = cast("functools.partial[object]", function).func
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)  # noqa: B004 - it is looked into.
    return code.co_flags if isinstance(code, CodeType) else 0
