"""The clients people have, called in one way, and where a caller gets its open one from.

None of their packages is imported: whoever has one has imported it.
"""

from collections.abc import Callable, Collection, Coroutine, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, cast

from errata.model import items_of
from errata.redaction import put_on_one_line

if TYPE_CHECKING:  # They need what the SDKs bring along.
    from errata.client._watched_http import Exchange
    from errata.client._watched_transport import ProgramState


_LONGEST_NAME = 100
_NO_META: Mapping[str, object] = MappingProxyType({})

ListKind: TypeAlias = Literal["tools", "resources", "resource_templates", "prompts"]
"""What a server lists, by the name that the SDK's clients have for it: `list_tools`, and `tools` of its result."""
_CAPABILITIES: dict[ListKind, str] = {
    "tools": "tools",
    "resources": "resources",
    "resource_templates": "resources",
    "prompts": "prompts",
}
"""Under which name a server says in the handshake that it has such a list."""


class Page(NamedTuple):
    """One page of a list, with the objects of the client's own package."""

    items: tuple[Any, ...]
    next_cursor: str | None
    ttl_s: float | None
    """For how long the server says that it is good; None where it does not say."""


class OpenClient(Protocol):
    """A client that is open."""

    @property
    def name(self) -> str | None:
        """What the server calls itself."""
        ...

    @property
    def session(self) -> object | None:
        """The connection that is open now, to be told from any other; None for none."""
        ...

    @property
    def is_closed(self) -> bool | None:
        """Whether the connection has ended; None where the client does not say."""
        ...

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - the result is that of the client's own package.
        """Call a tool; a result that is an error is returned like any other."""
        ...

    def offers(self, kind: ListKind) -> bool | None:
        """Return whether the server has such a list; None where its handshake tells of none at all."""
        ...

    def announces(self, kind: ListKind) -> bool:
        """Return whether the server has said that it tells when such a list changes."""
        ...

    async def page(self, kind: ListKind, cursor: str | None) -> Page:
        """List what the server has, the first page or the one behind a cursor, and as it is now."""
        ...

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        ...

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        ...


class _ClientWrapper:
    """What the ports have in common: the client inside."""

    __slots__ = ("_client",)

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - its package may not be installed.
        self._client = client

    @property
    def name(self) -> str | None:
        """What the server calls itself; a client that is not open does not know."""
        try:
            name: object = getattr(self._client.server_info, "name", None)
        except Exception:  # noqa: BLE001 - as above: it raises.
            return None
        return put_on_one_line(name)[:_LONGEST_NAME] or None if isinstance(name, str) else None

    @property
    def session(self) -> object | None:
        """The session of the client; one that is not open has none, and says so by raising."""
        try:
            session: object = self._client.session
        except Exception:  # noqa: BLE001 - as above.
            return None
        return session

    @property
    def is_closed(self) -> bool | None:
        """Ask the part of the session that ends with the connection; another version may keep it elsewhere."""
        closed = getattr(getattr(self.session, "_dispatcher", None), "_closed", None)
        return closed if isinstance(closed, bool) else None

    def offers(self, kind: ListKind) -> bool | None:
        """Look at what the server has declared; a client that was told the version beforehand has asked for nothing."""
        declared = {name: getattr(self._capabilities, name, None) is not None for name in _CAPABILITIES.values()}
        return declared[_CAPABILITIES[kind]] if any(declared.values()) else None

    def announces(self, kind: ListKind) -> bool:
        """Look at what the server has declared."""
        capability = getattr(self._capabilities, _CAPABILITIES[kind], None)
        return getattr(capability, "list_changed", None) is True

    async def page(self, kind: ListKind, cursor: str | None) -> Page:
        """List it, past the cache that a client may have: what is listed here is kept here."""
        result = await self._listed(kind, cursor)
        following: object = getattr(result, "next_cursor", None)
        return Page(
            cast("tuple[Any, ...]", items_of(getattr(result, kind, None))),
            following if isinstance(following, str) else None,
            _ttl_s(result),
        )

    @property
    def _capabilities(self) -> object:
        return getattr(self.session, "server_capabilities", None)

    async def _listed(self, kind: ListKind, cursor: str | None) -> object:
        return await getattr(self._client, f"list_{kind}")(cursor=cursor, cache_mode="refresh")


class SdkClient(_ClientWrapper):
    """The SDK's `mcp.Client`."""

    __slots__ = ()

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - as above.
        """Call a tool."""
        return await self._client.call_tool(
            tool, arguments, read_timeout_seconds=timeout_s, meta=dict(meta) if meta else None
        )

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        return await self._client.read_resource(uri)

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        return await self._client.get_prompt(name, arguments)


class SdkSession(SdkClient):
    """The session inside of it, `mcp.ClientSession`."""

    __slots__ = ()

    @property
    def session(self) -> object | None:
        """Be it oneself."""
        return cast("object", self._client)

    async def _listed(self, kind: ListKind, cursor: str | None) -> object:
        from mcp.types import PaginatedRequestParams  # noqa: PLC0415 - whoever has a session has the package.

        return await getattr(self._client, f"list_{kind}")(params=PaginatedRequestParams(cursor=cursor))


class FastMCPClient(_ClientWrapper):
    """FastMCP's own `fastmcp.Client`."""

    __slots__ = ()

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - as above.
        """Call a tool; its own exception would keep the first block of text and lose the rest."""
        return await self._client.call_tool(
            tool, arguments, timeout=timeout_s, raise_on_error=False, meta=dict(meta) if meta else None
        )

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        return await self._client.read_resource(uri)

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        return await self._client.get_prompt(name, arguments)

    async def _listed(self, kind: ListKind, cursor: str | None) -> object:
        return await getattr(self._client, f"list_{kind}_mcp")(cursor=cursor, cache_mode="refresh")


def _ttl_s(result: object) -> float | None:
    """Read for how long a result is good; the SDK has a default for those who do not say."""
    said: object = getattr(result, "model_fields_set", None)
    milliseconds: object = getattr(result, "ttl_ms", None)
    if not isinstance(said, set) or "ttl_ms" not in said or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000


# By dotted name, so that nothing is imported.
_WRAPPERS: dict[str, type[SdkClient | FastMCPClient]] = {
    "mcp.client.client.Client": SdkClient,
    "mcp.client.session.ClientSession": SdkSession,
    "fastmcp.client.client.Client": FastMCPClient,
}


def wrap_client(client: object) -> OpenClient:
    """Find out how to call a client."""
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(client).__mro__]
    found = next((_WRAPPERS[name] for name in names if name in _WRAPPERS), None)
    if found is None:
        raise TypeError(
            f"`Caller` takes no `{type(client).__name__}`. Pass an open `mcp.Client` or `fastmcp.Client`, or let "
            "`Caller.connect(url)` make one."
        )
    return found(client)


class BlockEndedError(Exception):
    """A call through a connection whose block has been left."""


class Connection(Protocol):
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

    async def open_client(self) -> OpenClient:
        """Give the client; open it if that is still to be done."""
        ...

    def lose(self, client: OpenClient) -> None:
        """Take note that a client has lost its connection."""
        ...

    def keep(self, client: OpenClient) -> None:
        """Take note that a client works."""
        ...

    def take_failed_exchange(self, error: BaseException) -> "Exchange | None":
        """Find out what an error of the client stands for, if that was kept."""
        ...

    def program(self, client: OpenClient | None = None) -> "ProgramState | None":
        """Tell how the program is that was started for a client, or for the last one; None where none was."""
        ...

    def discovery(self) -> Exception | None:
        """Tell what `server/discover` failed with before the older handshake was tried; None where it did not."""
        ...

    def run_in_background(self, client: OpenClient, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something in the background, for as long as a client is open, if there is a background to do it in."""
        ...

    def listen(self, client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Have the server tell from now on which of its lists have changed, unless it does; `announce` is told which it will."""
        ...


class HeldConnection:
    """A client that somebody else has opened, and will close."""

    __slots__ = ("_client", "_is_lost", "_name", "opens")

    def __init__(self, client: object) -> None:
        self._client = wrap_client(client)
        self._name: str | None = None
        self._is_lost = False
        self.opens: bool = False

    @property
    def server(self) -> str | None:
        """What the server calls itself; a client that is closed no longer knows, and the first name stays."""
        self._name = self._name or self._client.name
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

    async def open_client(self) -> OpenClient:
        """Give the client."""
        return self._client

    def lose(self, client: OpenClient) -> None:  # noqa: ARG002 - there is only one.
        """Take note; it is tried all the same, because its owner may open it again."""
        self._is_lost = True

    def keep(self, client: OpenClient) -> None:  # noqa: ARG002 - as above.
        """Take note that its owner has."""
        self._is_lost = False

    def take_failed_exchange(self, error: BaseException) -> "Exchange | None":  # noqa: ARG002 - nothing was kept.
        """Know no more than the client says."""
        return None

    def program(self, client: OpenClient | None = None) -> "ProgramState | None":  # noqa: ARG002 - as above.
        """Know of none: somebody else has started it."""
        return None

    def discovery(self) -> Exception | None:
        """Know of none: it was open when it came."""
        return None

    def run_in_background(self, client: OpenClient, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do nothing: there is no task here that could."""

    def listen(self, client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Do nothing: what the server tells goes to the handler that the owner gave to the client."""
