"""The clients people have, called in one way. None of their packages is imported: whoever has one has imported it."""

from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, cast

from errata._foreign_text import one_line

_MOST_PAGES = 100
"""A server that never stops listing must not keep a call waiting."""
_LONGEST_NAME = 100
_NO_META: Mapping[str, object] = MappingProxyType({})


class Listed(NamedTuple):
    """A tool as a server lists it."""

    name: str
    annotations: object
    input_schema: object


class Port(Protocol):
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

    def tools(self) -> AsyncIterator[Listed]:
        """List the tools of the server."""
        ...

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        ...

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        ...


class _Wrapped:
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
        return one_line(name)[:_LONGEST_NAME] or None if isinstance(name, str) else None

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


class ClientPort(_Wrapped):
    """The SDK's `mcp.Client`."""

    __slots__ = ()

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - as above.
        """Call a tool."""
        return await self._client.call_tool(
            tool, arguments, read_timeout_seconds=timeout_s, meta=dict(meta) if meta else None
        )

    async def tools(self) -> AsyncIterator[Listed]:
        """List the tools, page by page."""
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self._page(cursor)
            for tool in page.tools:
                yield Listed(tool.name, tool.annotations, tool.input_schema)
            cursor = cast("str | None", page.next_cursor)
            if cursor is None:
                return

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        return await self._client.read_resource(uri)

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        return await self._client.get_prompt(name, arguments)

    async def _page(self, cursor: str | None) -> Any:  # noqa: ANN401 - as above.
        return await self._client.list_tools(cursor=cursor)


class SessionPort(ClientPort):
    """The session inside of it, `mcp.ClientSession`."""

    __slots__ = ()

    @property
    def session(self) -> object | None:
        """Be it oneself."""
        return cast("object", self._client)

    async def _page(self, cursor: str | None) -> Any:  # noqa: ANN401 - as above.
        from mcp.types import PaginatedRequestParams  # noqa: PLC0415 - whoever has a session has the package.

        return await self._client.list_tools(params=PaginatedRequestParams(cursor=cursor))


class FastMCPPort(_Wrapped):
    """FastMCP's own `fastmcp.Client`."""

    __slots__ = ()

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - as above.
        """Call a tool; its own exception would keep the first block of text and lose the rest."""
        return await self._client.call_tool(
            tool, arguments, timeout=timeout_s, raise_on_error=False, meta=dict(meta) if meta else None
        )

    async def tools(self) -> AsyncIterator[Listed]:
        """List the tools; the client turns the pages."""
        for tool in await self._client.list_tools():
            yield Listed(tool.name, tool.annotations, tool.input_schema)

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        return await self._client.read_resource(uri)

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        return await self._client.get_prompt(name, arguments)


# By dotted name, so that nothing is imported.
_PORTS: dict[str, type[ClientPort | FastMCPPort]] = {
    "mcp.client.client.Client": ClientPort,
    "mcp.client.session.ClientSession": SessionPort,
    "fastmcp.client.client.Client": FastMCPPort,
}


def port_for(client: object) -> Port:
    """Find out how to call a client."""
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(client).__mro__]
    found = next((_PORTS[name] for name in names if name in _PORTS), None)
    if found is None:
        raise TypeError(
            f"`Caller` takes no `{type(client).__name__}`. Pass an open `mcp.Client` or `fastmcp.Client`, or let "
            "`Caller.connect(url)` make one."
        )
    return found(client)
