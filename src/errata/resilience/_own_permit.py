"""A permit in the hands of somebody who asked for it, and will say what came of it."""

from types import FrameType
from typing import Final, Self

from errata.resilience._circuit import Circuit, Permit
from errata.resilience._counting import COUNTED, was_counted
from errata.resilience._nesting import Leave

OF_THE_OUTER: Final = Permit(-1)
"""What a call has that goes by the permit of the one around it. It is of no generation, so it decides nothing."""


class OwnPermit(Permit):
    """A permit that counts once, however often it is settled. The circuit's own is the same for everybody."""

    _circuit: Circuit
    _given: list[Permit]
    _leave: Leave | None
    since: int
    """How many failures had been counted when it was given."""

    @classmethod
    def of(cls, given: Permit, circuit: Circuit) -> Self:
        """Hand out what the circuit has given."""
        permit = cls(*given)
        permit._circuit, permit._given, permit._leave, permit.since = circuit, [given], None, COUNTED.so_far
        return permit

    def hold(self, frame: FrameType | None) -> None:
        """Let what is called from here on go by it until it is settled; in a generator, while that runs."""
        if self.is_probe:
            self._leave = Leave(self._circuit, frame).__enter__()

    def taken(self) -> Permit | None:
        """Give it back to the circuit; None for one that was given back before."""
        leave, self._leave = self._leave, None
        if leave is not None:
            leave.__exit__(None, None, None)
        try:
            return self._given.pop()
        except IndexError:
            return None

    def counted(self, error: BaseException) -> bool:
        """Whether an error was counted by the circuit already, in a call inside of this one."""
        return was_counted(error, self._circuit, self.since)


def held(permit: Permit, frame: FrameType | None = None) -> Permit:
    """Begin a block: what is called in it goes by its permit."""
    if isinstance(permit, OwnPermit):
        permit.hold(frame)
    return permit


def is_counted_within(permit: Permit, error: BaseException) -> bool:
    """Whether an error was counted by a call inside of the one that the permit is for."""
    return isinstance(permit, OwnPermit) and permit.counted(error)
