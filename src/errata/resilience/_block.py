"""Leave to call an upstream for as long as a `with` lasts."""

from types import TracebackType
from typing import Protocol, Self

from errata._fork import LockOfModule
from errata.resilience._circuit import Permit
from errata.resilience._own_permit import held


class Gate(Protocol):
    """Who gives permits, and hears what came of them."""

    def permit(self) -> Permit:
        """Give a permit, or raise."""
        ...

    async def apermit(self) -> Permit:
        """Give a permit in a task, or raise."""
        ...

    def settle(self, permit: Permit, failure: BaseException | None = None) -> None:
        """Hear how the call went."""
        ...


class Block:
    """One block of calls, with a permit of its own; made by `Breaker.block()`. It may be entered here and left there."""

    __slots__ = ("_gate", "_permit")

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._permit: Permit | None = None

    def __enter__(self) -> Self:
        self._require_left()
        self._permit = held(self._gate.permit())
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        self._require_left()
        self._permit = held(await self._gate.apermit())
        return self

    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        self._leave(error)

    def _require_left(self) -> None:
        if self._permit is not None:
            raise RuntimeError("This block has been entered already. Make another one with `breaker.block()`.")

    def _leave(self, error: BaseException | None) -> None:
        permit, self._permit = self._permit, None
        if permit is not None:
            self._gate.settle(permit, error)


class OpenBlocks:
    """The permits of those who are inside of `with breaker:`, by the frame that the `with` stands in.

    A frame stays the same however often it rests and whoever goes on with it, as generators and tasks do; a context does
    not. What enters in one frame and leaves in another, as an `ExitStack` does, takes the permit that was given first.
    """

    __slots__ = ("_of_frame",)

    def __init__(self) -> None:
        self._of_frame: dict[int, list[Permit]] = {}

    def enter(self, frame: int, permit: Permit) -> None:
        """Keep a permit until the frame leaves its block."""
        with _LOCK.now:
            self._of_frame.setdefault(frame, []).append(permit)

    def leave(self, frame: int) -> Permit | None:
        """Give the permit of the block that the frame entered last."""
        with _LOCK.now:
            if frame in self._of_frame:
                return self._taken(frame, -1)
            return self._taken(next(iter(self._of_frame)), 0) if self._of_frame else None

    def _taken(self, frame: int, at: int) -> Permit:
        permits = self._of_frame[frame]
        permit = permits.pop(at)
        if not permits:
            del self._of_frame[frame]
        return permit


_LOCK = LockOfModule()
