"""The request that is being worked on: its trace, its answers, and the effects it has begun."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol


class Effects:
    """What a call has done to the world so far, as far as `effect` has marked it."""

    __slots__ = ("__weakref__", "begun", "closed", "declarations", "keyed", "open", "verify_tool")

    def __init__(self) -> None:
        self.declarations: set[object] = set()
        """The declarations of the functions that ran here and declare to mark all their effects."""
        self.begun: bool = False
        """Whether an effect has begun."""
        self.open: int = 0
        """How many effects were not refused: they are under way, or their outcome is unknown, or they have happened."""
        self.keyed: bool = True
        """Whether every effect that began has a key by which its receiver recognises a repetition."""
        self.verify_tool: str | None = None
        """The tool that tells whether the effect happened."""
        self.closed: bool = False
        """Whether the call was reported as not having happened, so that no effect may begin any more."""


class Current(Protocol):
    """What a request knows; each method is called only when its answer is needed."""

    effects: Effects | None

    def trace_id(self) -> str | None:
        """Return the id of the trace that the request belongs to."""
        ...

    def answers(self) -> Mapping[str, object]:
        """Return what the client answered, by the names of the questions."""
        ...


CURRENT: ContextVar[Current | None] = ContextVar("errata_request", default=None)
