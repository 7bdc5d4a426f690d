"""The request in work, for those who need to know of it: a failure that wants its trace, a tool that asked something."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Protocol


class Current(Protocol):
    """What a request knows. It is asked only when it is needed: most requests never are."""

    def trace_id(self) -> str | None:
        """Find the trace that the request belongs to."""
        ...

    def answers(self) -> Mapping[str, object]:
        """Collect what the client answered."""
        ...


CURRENT: ContextVar[Current | None] = ContextVar("errata_request", default=None)
