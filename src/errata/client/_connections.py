"""Open clients of the SDKs behind one protocol, and the connections that a caller gets them from.

No SDK is imported: whoever passes a client has imported its package.
"""

import inspect
import itertools
from collections.abc import Callable, Collection, Coroutine, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, cast
from weakref import WeakKeyDictionary

from errata.model import items_of
from errata.redaction import put_on_one_line

if TYPE_CHECKING:  # They need what the SDKs bring along.
    from errata.client._watched_http import Exchange
    from errata.client._watched_transport import ProgramState


_LONGEST_NAME = 100
_NO_META: Mapping[str, object] = MappingProxyType({})

ListKind: TypeAlias = Literal["tools", "resources", "resource_templates", "prompts"]
"""What a server lists, by the name in the SDK's clients: `list_tools`, and `tools` of its result."""
_CAPABILITIES: dict[ListKind, str] = {
    "tools": "tools",
    "resources": "resources",
    "resource_templates": "resources",
    "prompts": "prompts",
}
"""The capability by which a server declares in the handshake that it has such a list."""


class Page(NamedTuple):
    """One page of a list, with the objects of the client's own package."""

    items: tuple[Any, ...]
    next_cursor: str | None
    ttl_s: float | None
    """How long the page is good, as the server says; None if it does not."""


class OpenClient(Protocol):
    """An open client of an SDK."""

    @property
    def name(self) -> str | None:
        """The name that the server gives itself."""
        ...

    @property
    def session(self) -> object | None:
        """The open session, by which one connection is told from another; None if there is none."""
        ...

    @property
    def is_closed(self) -> bool | None:
        """Whether the connection has ended; None if the client does not show it."""
        ...

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - the result is that of the client's own package.
        """Call a tool; a result that is an error is returned, not raised."""
        ...

    def offers(self, kind: ListKind) -> bool | None:
        """Return whether the server has such a list; None if its handshake declares no lists at all."""
        ...

    def announces(self, kind: ListKind) -> bool:
        """Return whether the server declares that it announces changes of such a list."""
        ...

    async def page(self, kind: ListKind, cursor: str | None) -> Page:
        """Return the first page of a list, or the one behind a cursor, as it is now."""
        ...

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        ...

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        ...


class _ClientWrapper:
    """What all wrappers have in common: the client inside."""

    __slots__ = ("_client",)

    def __init__(self, client: Any) -> None:  # noqa: ANN401 - its package may not be installed.
        self._client = client

    @property
    def name(self) -> str | None:
        """The name that the server gives itself; None if the client is not open."""
        try:
            name: object = getattr(self._server_info, "name", None)
        except Exception:  # noqa: BLE001 - as above: it raises.
            return None
        return put_on_one_line(name)[:_LONGEST_NAME] or None if isinstance(name, str) else None

    @property
    def session(self) -> object | None:
        """The session of the client; a client that is not open raises instead of having one."""
        try:
            session: object = self._client.session
        except Exception:  # noqa: BLE001 - as above.
            return None
        return session

    @property
    def is_closed(self) -> bool | None:
        """Whether the session's dispatcher, which ends with the connection, is closed; other versions may lack it."""
        closed = getattr(getattr(self.session, "_dispatcher", None), "_closed", None)
        return closed if isinstance(closed, bool) else None

    def offers(self, kind: ListKind) -> bool | None:
        """Return what the server declares; None for a client that was given the version and made no handshake."""
        declared = {name: getattr(self._capabilities, name, None) is not None for name in _CAPABILITIES.values()}
        return declared[_CAPABILITIES[kind]] if any(declared.values()) else None

    def announces(self, kind: ListKind) -> bool:
        """Return what the server declares."""
        capability = getattr(self._capabilities, _CAPABILITIES[kind], None)
        return read_member(capability, "list_changed") is True

    async def page(self, kind: ListKind, cursor: str | None) -> Page:
        """Return a page without the client's own cache, because `ServerLists` keeps it."""
        result = await self._request_page(kind, cursor)
        following = read_member(result, "next_cursor")
        return Page(
            cast("tuple[Any, ...]", items_of(getattr(result, kind, None))),
            following if isinstance(following, str) else None,
            _ttl_s(result),
        )

    @property
    def _server_info(self) -> object:
        """What the server says of itself; a session of mcp 1.x does not keep it, but FastMCP's client on it does."""
        if hasattr(self._client, "server_info"):
            return cast("object", self._client.server_info)
        return read_member(getattr(self._client, "initialize_result", None), "server_info")

    @property
    def _capabilities(self) -> object:
        """What the server declares; mcp 1.x has a method for it, and its first versions have nothing."""
        get: object = getattr(self.session, "get_server_capabilities", None)
        return get() if callable(get) else getattr(self.session, "server_capabilities", None)

    async def _request_page(self, kind: ListKind, cursor: str | None) -> object:
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
        """The wrapped session itself."""
        return cast("object", self._client)

    async def _request_page(self, kind: ListKind, cursor: str | None) -> object:
        return await _request_session_page(self._client, kind, cursor)


class OlderSdkSession(SdkSession):
    """The `mcp.ClientSession` of mcp 1.x."""

    __slots__ = ()

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - as above.
        """Call a tool; the request is built here if the session's own method takes no metadata."""
        limit = None if timeout_s is None else timedelta(seconds=timeout_s)
        call_tool = self._client.call_tool
        if not meta:
            return await call_tool(tool, arguments, read_timeout_seconds=limit)
        if "meta" in inspect.signature(call_tool).parameters:
            return await call_tool(tool, arguments, read_timeout_seconds=limit, meta=dict(meta))
        return await _call_with_meta(self._client, {"name": tool, "arguments": arguments, "_meta": dict(meta)}, limit)


class FastMCPClient(_ClientWrapper):
    """FastMCP's own `fastmcp.Client`."""

    __slots__ = ()

    async def call(
        self, tool: str, arguments: dict[str, Any], *, timeout_s: float | None, meta: Mapping[str, object] = _NO_META
    ) -> Any:  # noqa: ANN401 - as above.
        """Call a tool without raising: the exception would keep the first block of text and lose the rest.

        A client of the first versions of FastMCP 2 sends no metadata; its session does, and the result is then mcp's own.
        """
        call_tool = self._client.call_tool
        if not meta:
            return await call_tool(tool, arguments, timeout=timeout_s, raise_on_error=False)
        if "meta" not in inspect.signature(call_tool).parameters:
            return await OlderSdkSession(self._client.session).call(tool, arguments, timeout_s=timeout_s, meta=meta)
        return await call_tool(tool, arguments, timeout=timeout_s, raise_on_error=False, meta=dict(meta))

    async def read(self, uri: str) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        return await self._client.read_resource(uri)

    async def prompt(self, name: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        return await self._client.get_prompt(name, arguments)

    async def _request_page(self, kind: ListKind, cursor: str | None) -> object:
        list_page = getattr(self._client, f"list_{kind}_mcp")
        known = inspect.signature(list_page).parameters
        if "cursor" not in known:  # FastMCP 2 reads the first page only.
            return await _request_session_page(self._client.session, kind, cursor)
        given = {"cursor": cursor, "cache_mode": "refresh"}
        return await list_page(**{name: value for name, value in given.items() if name in known})


async def _request_session_page(session: Any, kind: ListKind, cursor: str | None) -> object:  # noqa: ANN401 - as above.
    """Request a page with a session of any version."""
    list_page = getattr(session, f"list_{kind}")
    if "params" not in inspect.signature(list_page).parameters:
        return await list_page(cursor)
    from mcp.types import PaginatedRequestParams  # noqa: PLC0415 - whoever has a session has the package.

    return await list_page(params=PaginatedRequestParams(cursor=cursor))


async def _call_with_meta(session: Any, params: Mapping[str, object], limit: timedelta | None) -> object:  # noqa: ANN401 - as above.
    """Call a tool with metadata, as later versions of mcp 1.x do: without them the server could not know the key."""
    import mcp.types  # noqa: PLC0415 - as above.

    types: Any = mcp.types  # Those of mcp 1.x.
    request = types.CallToolRequest(method="tools/call", params=types.CallToolRequestParams.model_validate(params))
    return await session.send_request(
        types.ClientRequest(request), types.CallToolResult, request_read_timeout_seconds=limit
    )


def read_member(source: object, name: str) -> object:
    """Return an attribute of an SDK's object, which mcp 1.x spells in camelCase; None if there is none."""
    if hasattr(source, name):
        return cast("object", getattr(source, name))
    first, *others = name.split("_")
    return getattr(source, first + "".join(map(str.capitalize, others)), None)


def _ttl_s(result: object) -> float | None:
    """Return how long a result is good, if the server says so and it is not the SDK's default."""
    fields_set: object = getattr(result, "model_fields_set", None)
    milliseconds: object = getattr(result, "ttl_ms", None)
    if not isinstance(fields_set, set) or "ttl_ms" not in fields_set or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000


def _wrap_session(session: Any) -> OpenClient:  # noqa: ANN401 - as above.
    """Return the wrapper for a session, by the kind of time limit that it takes."""
    limit = inspect.signature(session.call_tool).parameters.get("read_timeout_seconds")
    if limit is None:
        raise TypeError(
            "`Caller` needs mcp 1.9 or later: this session takes no time limit for a call. Update mcp within its major "
            "version, which changes nothing that the client uses: pip install 'mcp>=1.9,<2'"
        )
    return OlderSdkSession(session) if "timedelta" in str(limit.annotation) else SdkSession(session)


# By dotted name, so that nothing is imported.
_WRAPPERS: dict[str, Callable[[Any], OpenClient]] = {
    "mcp.client.client.Client": SdkClient,
    "mcp.client.session.ClientSession": _wrap_session,
    "fastmcp.client.client.Client": FastMCPClient,
}


def wrap_client(client: object) -> OpenClient:
    """Return the wrapper for a client; raise TypeError for an object that is none."""
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(client).__mro__]
    wrapper = next((_WRAPPERS[name] for name in names if name in _WRAPPERS), None)
    if wrapper is None:
        raise TypeError(
            f"`Caller` takes no `{type(client).__name__}`. Pass an open `mcp.Client`, `mcp.ClientSession` or "
            "`fastmcp.Client`, or let `Caller.connect(url)` make one."
        )
    return wrapper(client)


class BlockEndedError(Exception):
    """A call was made after the block of its connection had ended."""


class Connection(Protocol):
    """Where a caller gets its open client from."""

    @property
    def server(self) -> str | None:
        """The name that the server gives itself, else its address; None if neither is known."""
        ...

    opens: bool
    """Whether it opens clients itself."""

    @property
    def key(self) -> str | None:
        """The key under which callers of the same server share a retry budget; None if there is none."""
        ...

    @property
    def advice(self) -> str | None:
        """What to do about a connection that is lost for good; None if it is open, or can be opened again."""
        ...

    async def open_client(self) -> OpenClient:
        """Return the open client, after opening it if necessary."""
        ...

    def lose(self, client: OpenClient) -> None:
        """Note that a client has lost its connection."""
        ...

    def keep(self, client: OpenClient) -> None:
        """Note that a client works."""
        ...

    def take_failed_exchange(self, error: BaseException) -> "Exchange | None":
        """Return the HTTP exchange behind an error of the client, once; None if there was none."""
        ...

    def program(self, client: OpenClient | None = None) -> "ProgramState | None":
        """Return the state of the program that was started for a client, or for the last one; None if none was."""
        ...

    def discovery(self) -> Exception | None:
        """Return the error of `server/discover` before the older handshake was tried; None if there was none."""
        ...

    def run_in_background(self, client: OpenClient, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run some work in the background while a client is open, if the connection has a task for that."""
        ...

    def listen(self, client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Subscribe to the changes of the server's lists; `announce` gets the lists that the server agrees to."""
        ...


_NAMES_OF_SESSIONS: WeakKeyDictionary[object, str] = WeakKeyDictionary()
_NUMBERS = itertools.count(1)


def _name_session(session: object | None) -> str | None:
    """Return a key for the session of a server without a name: the same for each caller of it, as long as it lives."""
    try:
        return None if session is None else _NAMES_OF_SESSIONS.setdefault(session, f"session {next(_NUMBERS)}")
    except TypeError:  # No weak reference to it is possible.
        return None


class HeldConnection:
    """A client that somebody else has opened, and will close."""

    __slots__ = ("_client", "_is_lost", "_lost_session", "_name", "opens")

    def __init__(self, client: object) -> None:
        self._client = wrap_client(client)
        self._name: str | None = None
        self._is_lost = False
        self._lost_session: object | None = None
        self.opens: bool = False

    @property
    def server(self) -> str | None:
        """The name that the server gave itself first; a closed client no longer has one."""
        self._name = self._name or self._client.name
        return self._name

    @property
    def key(self) -> str | None:
        """The same name; a session of mcp 1.x has none, and shares a budget with itself only."""
        return self.server or _name_session(self._client.session)

    @property
    def advice(self) -> str | None:
        """Who has to open it again, once it is lost; None if its owner has done so."""
        if not self._is_lost or self._is_open_again:
            return None
        return "Open a new client, or let `Caller.connect` make one that is opened again by itself."

    @property
    def _is_open_again(self) -> bool:
        """Whether the client has another session than the one that was lost."""
        session = self._client.session
        return session is not None and session is not self._lost_session

    async def open_client(self) -> OpenClient:
        """Return the client."""
        return self._client

    def lose(self, client: OpenClient) -> None:  # noqa: ARG002 - there is only one.
        """Note it; the client is still tried, because its owner may open it again."""
        self._is_lost, self._lost_session = True, self._client.session

    def keep(self, client: OpenClient) -> None:  # noqa: ARG002 - as above.
        """Note that its owner has opened it again."""
        self._is_lost, self._lost_session = False, None

    def take_failed_exchange(self, error: BaseException) -> "Exchange | None":  # noqa: ARG002 - nothing was kept.
        """Return None: this connection keeps no exchanges."""
        return None

    def program(self, client: OpenClient | None = None) -> "ProgramState | None":  # noqa: ARG002 - as above.
        """Return None: somebody else has started the program."""
        return None

    def discovery(self) -> Exception | None:
        """Return None: the handshake was over when the client was passed."""
        return None

    def run_in_background(self, client: OpenClient, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do nothing: there is no task to run it in."""

    def listen(self, client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Do nothing: announcements go to the handler that the owner has given to the client."""
