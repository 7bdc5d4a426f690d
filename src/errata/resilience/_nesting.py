"""A call inside of the one that tries the upstream goes by the same permit: it would wait for ever for its own.

Only a call that tries says so to what it calls: to say so in every call would cost a healthy upstream as much again as
the whole breaker does. While the circuit is closed nobody is refused, and `_counting` sees to the rest.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from sys import _getframe  # pyright: ignore[reportPrivateUsage] - the block of a generator lasts only while it runs.
from types import FrameType, TracebackType
from typing import Any, Final, ParamSpec, Self, TypeVar, cast

from errata.resilience._circuit import Circuit
from errata.resilience._runtime import GENERATOR, is_pending

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Leave:
    """Leave to try an upstream, for as long as a call lasts; what runs in its context has it, too: tasks, `to_thread`.

    A generator rests in the context of whoever reads from it, who is not in its block: such leave holds only while the
    frame of the generator is among those that run.
    """

    __slots__ = ("_circuit", "_frame", "is_over")

    def __init__(self, circuit: Circuit, frame: FrameType | None = None) -> None:
        self._circuit = circuit
        self._frame = id(frame) if frame and frame.f_code.co_flags & GENERATOR else None
        self.is_over: bool = True

    def __enter__(self) -> Self:
        self.is_over = False
        others = tuple(leave for leave in _LEAVES.get() if not leave.is_over)
        _LEAVES.set((self, *others))
        return self

    def __exit__(self, _: object, __: BaseException | None, ___: TracebackType | None) -> None:
        """End it, in whatever order blocks end, and in whatever context a coroutine or a block was left."""
        self.is_over = True
        _LEAVES.set(tuple(leave for leave in _LEAVES.get() if not leave.is_over))

    def covers(self, circuit: Circuit) -> bool:
        """Whether a call of a circuit may go by it, here and now."""
        return not self.is_over and self._circuit is circuit and (self._frame is None or _is_running(self._frame))


_LEAVES: Final[ContextVar[tuple[Leave, ...]]] = ContextVar("errata_leaves", default=())


def is_within(circuit: Circuit) -> bool:
    """Whether this is a part of the call that tries the upstream."""
    return any(leave.covers(circuit) for leave in _LEAVES.get())


def _is_running(frame: int) -> bool:
    here: FrameType | None = _getframe(1)
    while here is not None and id(here) != frame:
        here = here.f_back
    return here is not None


def trying(circuit: Circuit, function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Make a function the call that tries the upstream; so is what it gives to be awaited."""
    leave = Leave(circuit)

    def tried(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with leave:
            outcome = function(*args, **kwargs)
        return cast("_T", _awaited(leave, cast("Awaitable[Any]", outcome))) if is_pending(outcome) else outcome

    return tried


async def _awaited(leave: Leave, outcome: Awaitable[_T]) -> _T:
    with leave:
        return await outcome
