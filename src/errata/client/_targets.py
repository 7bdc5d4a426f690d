"""What `Caller.connect` was given, as something that can be connected to."""

import inspect
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import urlsplit

from errata.client._launch_command import find_secrets, name_program
from errata.http import body_limit_of
from errata.model import refuse_unknown
from errata.redaction import redact

if TYPE_CHECKING:  # It needs what the SDK brings along.
    from errata.client._managed_connection import ManagedConnection, Target


_LONGEST_CONNECT_S = 30.0
_LONGEST_READ_S = 300.0
_FASTMCP = "fastmcp.server.server.FastMCP"
_MAX_BODY_BYTES = 16 * 1024 * 1024
"""Sixteen times what the SDK takes of one event. JSON that was made for it is a hundred times as large once it is parsed."""
_FOR_HTTP = frozenset({"headers", "auth", "http_options", "max_body_bytes"})
_KNOWN = {
    "mcp.client.stdio.StdioServerParameters",
    "mcp.server.mcpserver.server.MCPServer",
    "mcp.server.lowlevel.server.Server",
}


class HttpSettings(TypedDict):
    """How to speak HTTP."""

    headers: Mapping[str, str] | None
    auth: object
    timeout_s: float | None
    http_options: Mapping[str, Any] | None
    max_body_bytes: int | None


def connect_to(
    server: object, settings: HttpSettings, options: Mapping[str, Any]
) -> "AbstractAsyncContextManager[ManagedConnection]":
    """Prepare a connection; nothing is opened yet."""
    try:
        from errata.client._managed_connection import keep_connected  # noqa: PLC0415 - only who connects needs the SDK.
    except ImportError as missing:
        raise ImportError(
            '`errata.client.Caller.connect` needs mcp, which is not installed. Install it with: pip install "errata-mcp[mcp]"'
        ) from missing
    target = _target(server, settings, dict(options))
    target.client()  # None is opened: what its class refuses is told to whoever chose it.
    if (limit := settings["timeout_s"]) is not None:
        target.opens_within_s = limit
    return keep_connected(target)


def _target(server: object, settings: HttpSettings, options: dict[str, Any]) -> "Target":
    if isinstance(server, str):
        return _address(server, settings, options)
    if unused := [name for name, value in settings.items() if value is not None and name in _FOR_HTTP]:
        raise TypeError(
            f"`{unused[0]}` is for HTTP, and `server` is a {type(server).__name__}. Pass a URL, or leave it out."
        )
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(server).__mro__}
    if _FASTMCP in names:
        return _in_fastmcp(server, settings, options)
    single_use = isinstance(server, AbstractAsyncContextManager)
    if not single_use and names.isdisjoint(_KNOWN):
        raise TypeError(
            f"`Caller.connect` takes no `{type(server).__name__}`. Pass a URL, StdioServerParameters, a server of mcp or "
            "FastMCP, or a transport of mcp."
        )
    return _in_mcp(server, settings, options, single_use=single_use)


def _in_mcp(server: Any, settings: HttpSettings, options: dict[str, Any], *, single_use: bool) -> "Target":  # noqa: ANN401 - as `mcp.Client` takes it.
    from mcp import Client, StdioServerParameters  # noqa: PLC0415 - as above.

    from errata.client._managed_connection import Target  # noqa: PLC0415 - as above.
    from errata.client._watched_transport import WatchedTransport  # noqa: PLC0415 - as above.

    _refuse_unknown(Client, options)
    given: dict[str, Any] = {"read_timeout_seconds": settings["timeout_s"], **options}
    if isinstance(server, StdioServerParameters):
        name = name_program(server.command, server.args)
        secrets = tuple(find_secrets(server.args, server.env or {}))
        return Target(lambda: Client(WatchedTransport(server), **given), name, secrets=secrets)
    if single_use:
        return Target(lambda: Client(WatchedTransport(server), **given), _name_of(server), single_use=True)
    return Target(lambda: Client(server, **given), _name_of(server))


def _in_fastmcp(server: Any, settings: HttpSettings, options: dict[str, Any]) -> "Target":  # noqa: ANN401 - as `fastmcp.Client` takes it.
    from fastmcp import Client  # noqa: PLC0415 - whoever has such a server has the package.

    from errata.client._managed_connection import Target  # noqa: PLC0415 - as above.

    _refuse_unknown(Client, options)
    given: dict[str, Any] = {"timeout": settings["timeout_s"], **options}
    return Target(lambda: Client(server, **given), _name_of(server))


def _address(url: str, settings: HttpSettings, options: dict[str, Any]) -> "Target":
    from mcp import Client  # noqa: PLC0415 - as above.
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - as above.

    from errata.client._managed_connection import Target  # noqa: PLC0415 - as above.
    from errata.client._watched_http import WatchedClient  # noqa: PLC0415 - as above.
    from errata.client._watched_transport import WatchedTransport  # noqa: PLC0415 - as above.

    _refuse_unknown(Client, options)
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(
            f"`{redact(url)}` is no address of an MCP server. Pass one that starts with `https://` or `http://`."
        )
    name = parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")
    limit = _MAX_BODY_BYTES if settings["max_body_bytes"] is None else body_limit_of(settings["max_body_bytes"])
    http_options = _http_settings(settings) | dict(settings["http_options"] or {})
    watched = WatchedClient(server=name, max_body_bytes=limit, **http_options)
    given: dict[str, Any] = {"read_timeout_seconds": settings["timeout_s"], **options}

    def client() -> Client:
        transport = streamable_http_client(url, http_client=watched, max_sse_event_size=limit)
        return Client(WatchedTransport(transport), **given)

    return Target(client, name, name, watched)


def _refuse_unknown(client: type, options: Mapping[str, object]) -> None:
    """Refuse options that neither `connect` nor the client knows; the first parameter is what is connected to."""
    of_the_client = [*inspect.signature(client).parameters][1:]
    refuse_unknown("Caller.connect", options, [*HttpSettings.__annotations__, "retry", "effects", *of_the_client])


def _http_settings(settings: HttpSettings) -> dict[str, Any]:
    """Let a connection that cannot be opened be noticed as such, before the call as a whole runs out of time."""
    import httpx2  # noqa: PLC0415 - as above.

    limit = settings["timeout_s"]
    connect = _LONGEST_CONNECT_S if limit is None else min(_LONGEST_CONNECT_S, limit / 2)
    read = None if limit is None else max(_LONGEST_READ_S, 2 * limit)
    timeout = httpx2.Timeout(_LONGEST_CONNECT_S, connect=connect, read=read)
    given = {"headers": settings["headers"], "auth": settings["auth"], "timeout": timeout}
    return {name: value for name, value in given.items() if value is not None}


def _name_of(server: object) -> str | None:
    """Name a server in this process; a transport has no name."""
    name: object = getattr(server, "name", None)
    return name if isinstance(name, str) and name else None
