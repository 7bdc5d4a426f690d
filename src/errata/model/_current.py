"""What is in work right now: for a failure that wants its trace, a tool that asked something, an effect that begins."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol


class Effects:
    """What a call has done to the world so far, as far as it was marked."""

    __slots__ = ("__weakref__", "begun", "closed", "keyed", "open", "verify_tool")

    def __init__(self) -> None:
        self.begun: bool = False
        """Whether an effect has begun."""
        self.open: int = 0
        """How many of them were not refused: they are under way, or nobody knows, or they have happened."""
        self.keyed: bool = True
        """Whether every effect that began has a key by which its receiver recognises a repetition."""
        self.verify_tool: str | None = None
        """The tool that tells whether it happened."""
        self.closed: bool = False
        """The call failed and was said not to have happened: an effect that has not begun must not begin any more."""


class Current(Protocol):
    """What a request knows. It is asked only when it is needed: most requests never are."""

    effects: Effects | None

    def trace_id(self) -> str | None:
        """Find the trace that the request belongs to."""
        ...

    def answers(self) -> Mapping[str, object]:
        """Collect what the client answered."""
        ...


class Attempt:
    """One attempt of a call that may be repeated. Whoever retries inside of it leaves the repeating to the outer one."""

    # Values of the class, not slots: an attempt is made for every call, and most are over before either is looked at.
    effects: Effects | None = None
    over: bool = False
    """Whether it has ended; what it has started may still be running."""


CURRENT: ContextVar[Current | None] = ContextVar("errata_request", default=None)
ATTEMPT: ContextVar[Attempt | None] = ContextVar("errata_attempt", default=None)
