"""Where a caller gets its open client from."""

from collections.abc import Callable, Collection, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

from errata.client._ports import ListKind, Port, port_for

if TYPE_CHECKING:  # They need what the SDKs bring along.
    from errata.client._exchange import Exchange
    from errata.client._transport import ProgramState


class BlockEndedError(Exception):
    """A call through a connection whose block has been left."""


class Link(Protocol):
    """A way to an open client."""

    @property
    def server(self) -> str | None:
        """What the server calls itself, or where it is; None where neither is known."""
        ...

    opens: bool
    """Whether it opens a client itself that is not open."""

    @property
    def key(self) -> str | None:
        """By what name callers of the same server share a budget; None for one that nobody can name."""
        ...

    @property
    def advice(self) -> str | None:
        """What to do about a connection that is lost for good; None for one that is open, or can be opened again."""
        ...

    async def port(self) -> Port:
        """Give the client; open it if that is still to be done."""
        ...

    def lose(self, port: Port) -> None:
        """Take note that a client has lost its connection."""
        ...

    def keep(self, port: Port) -> None:
        """Take note that a client works."""
        ...

    def redeem(self, error: BaseException) -> "Exchange | None":
        """Find out what an error of the client stands for, if that was kept."""
        ...

    def program(self, port: Port | None = None) -> "ProgramState | None":
        """Tell how the program is that was started for a client, or for the last one; None where none was."""
        ...

    def discovery(self) -> Exception | None:
        """Tell what `server/discover` failed with before the older handshake was tried; None where it did not."""
        ...

    def do_beside(self, port: Port, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something in the background, for as long as a client is open, if there is a background to do it in."""
        ...

    def listen(self, port: Port, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Have the server tell from now on which of its lists have changed, unless it does; `announce` is told which it will."""
        ...


class HeldLink:
    """A client that somebody else has opened, and will close."""

    __slots__ = ("_is_lost", "_name", "_port", "opens")

    def __init__(self, client: object) -> None:
        self._port = port_for(client)
        self._name: str | None = None
        self._is_lost = False
        self.opens: bool = False

    @property
    def server(self) -> str | None:
        """What the server calls itself; a client that is closed no longer knows, and the first name stays."""
        self._name = self._name or self._port.name
        return self._name

    @property
    def key(self) -> str | None:
        """Know it by that name, too."""
        return self.server

    @property
    def advice(self) -> str | None:
        """Say who has to open it again, once it is lost."""
        if not self._is_lost:
            return None
        return "Open a new client, or let `Caller.connect` make one that is opened again by itself."

    async def port(self) -> Port:
        """Give the client."""
        return self._port

    def lose(self, port: Port) -> None:  # noqa: ARG002 - there is only one.
        """Take note; it is tried all the same, because its owner may open it again."""
        self._is_lost = True

    def keep(self, port: Port) -> None:  # noqa: ARG002 - as above.
        """Take note that its owner has."""
        self._is_lost = False

    def redeem(self, error: BaseException) -> "Exchange | None":  # noqa: ARG002 - nothing was kept.
        """Know no more than the client says."""
        return None

    def program(self, port: Port | None = None) -> "ProgramState | None":  # noqa: ARG002 - as above.
        """Know of none: somebody else has started it."""
        return None

    def discovery(self) -> Exception | None:
        """Know of none: it was open when it came."""
        return None

    def do_beside(self, port: Port, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do nothing: there is no task here that could."""

    def listen(self, port: Port, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Do nothing: what the server tells goes to the handler that the owner gave to the client."""
