"""A handler: a function that answers a client, with everything it reaches."""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from errata.linter._agreements import Agreement
from errata.linter._names import last_of
from errata.linter._summary import Asked, Raised, Registration
from errata.linter._trails import Located


class Reached(NamedTuple):
    """An error that a handler may raise, and the function that raises it."""

    where: Located
    raised: Raised


class AskedAt(NamedTuple):
    """What a function asks of a contract by name, and of which one; None if there is none to ask."""

    where: Located
    asked: Asked
    agreement: Agreement | None


@dataclasses.dataclass(frozen=True, slots=True)
class Handler:
    """A function that answers a client, with everything it reaches."""

    where: Located
    registration: Registration
    hints: Mapping[str, bool] | None
    """Its annotations; None if they stand where they cannot be seen."""
    reached: tuple[Located, ...]
    """Itself first, then what it calls."""
    agreement: Agreement | None
    """What it declares; None if it declares nothing."""
    errors: tuple[Reached, ...]
    """The errors of errata that leave it, as far as can be seen."""
    asked: tuple[AskedAt, ...] = ()
    """The reasons and failures that it asks for by name, itself or in what it calls."""
    shared: frozenset[int] = frozenset()
    """The ids of the functions that other handlers reach, too."""
    in_loop: tuple[Located, ...] = ()
    """What of it runs in the event loop, and not in a thread; nothing if it is no coroutine function."""

    @property
    def kind(self) -> str:
        """`tool`, `resource`, `prompt`, `listing` or `dispatcher`."""
        return self.registration.kind

    @property
    def name(self) -> str:
        """What the client calls it."""
        return self.registration.tool or last_of(self.where.function.name)

    @property
    def promise(self) -> Agreement | None:
        """What it declares, if all of that can be seen; what one function does for several tools promises nothing."""
        is_one = self.agreement is not None and self.agreement.is_legible and self.kind != "dispatcher"
        return self.agreement if is_one else None

    @property
    def subject(self) -> str:
        """Name it in a message."""
        kind = self.kind if self.kind in {"tool", "resource", "prompt"} else "handler"
        return f"{kind} `{self.name}`"

    @property
    def is_repeatable(self) -> bool:
        """Whether it says that doing it twice does no harm."""
        hints = self.hints or {}
        return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))
