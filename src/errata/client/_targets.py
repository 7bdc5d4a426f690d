"""What `Caller.connect` was given, turned into a target for a managed connection. It needs the SDK."""

import inspect
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from errata.client._caller_arguments import HttpSettings
from errata.client._launch_command import find_secrets, name_program
from errata.client._managed_connection import ManagedConnection, Target, keep_connected
from errata.client._watched_http import WatchedClient
from errata.client._watched_transport import WatchedTransport
from errata.http import body_limit_of
from errata.model import refuse_unknown
from errata.redaction import redact

_LONGEST_CONNECT_S = 30.0
_LONGEST_READ_S = 300.0
_FASTMCP = "fastmcp.server.server.FastMCP"
_MAX_BODY_BYTES = 16 * 1024 * 1024
"""Sixteen times what the SDK accepts as one event. Hostile JSON may take a hundred times as much memory once parsed."""
_FOR_HTTP = frozenset({"headers", "auth", "http_options", "max_body_bytes"})
_KNOWN = {
    "mcp.client.stdio.StdioServerParameters",
    "mcp.server.mcpserver.server.MCPServer",
    "mcp.server.lowlevel.server.Server",
}


def connect_to(
    server: object, settings: HttpSettings, options: Mapping[str, Any]
) -> AbstractAsyncContextManager[ManagedConnection]:
    """Return a connection to a server; nothing is opened yet."""
    target = _choose_target(server, settings, dict(options))
    target.make_client()  # It is not opened, but options that its class refuses are reported here.
    if (limit := settings["timeout_s"]) is not None:
        target.opens_within_s = limit
    return keep_connected(target)


def _choose_target(server: object, settings: HttpSettings, options: dict[str, Any]) -> Target:
    if isinstance(server, str):
        return _target_url(server, settings, options)
    if unused := [name for name, value in settings.items() if value is not None and name in _FOR_HTTP]:
        raise TypeError(
            f"`{unused[0]}` is for HTTP, and `server` is a {type(server).__name__}. Pass a URL, or leave it out."
        )
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(server).__mro__}
    if _FASTMCP in names:
        return _target_fastmcp(server, settings, options)
    single_use = isinstance(server, AbstractAsyncContextManager)
    if not single_use and names.isdisjoint(_KNOWN):
        raise TypeError(
            f"`Caller.connect` takes no `{type(server).__name__}`. Pass a URL, StdioServerParameters, a server of mcp or "
            "FastMCP, or a transport of mcp."
        )
    return _target_mcp(server, settings, options, single_use=single_use)


def _target_mcp(server: Any, settings: HttpSettings, options: dict[str, Any], *, single_use: bool) -> Target:  # noqa: ANN401 - as `mcp.Client` takes it.
    _refuse_unknown(Client, options)
    given: dict[str, Any] = {"read_timeout_seconds": settings["timeout_s"], **options}
    if isinstance(server, StdioServerParameters):
        name = name_program(server.command, server.args)
        secrets = tuple(find_secrets(server.args, server.env or {}))
        return Target(lambda: Client(WatchedTransport(server), **given), name, secrets=secrets)
    if single_use:
        return Target(lambda: Client(WatchedTransport(server), **given), _name_of(server), single_use=True)
    return Target(lambda: Client(server, **given), _name_of(server))


def _target_fastmcp(server: Any, settings: HttpSettings, options: dict[str, Any]) -> Target:  # noqa: ANN401 - as `fastmcp.Client` takes it.
    import fastmcp  # noqa: PLC0415 - whoever has such a server has the package.

    _refuse_unknown(fastmcp.Client, options)
    given: dict[str, Any] = {"timeout": settings["timeout_s"], **options}
    return Target(lambda: fastmcp.Client(server, **given), _name_of(server))


def _target_url(url: str, settings: HttpSettings, options: dict[str, Any]) -> Target:
    _refuse_unknown(Client, options)
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(
            f"`{redact(url)}` is no address of an MCP server. Pass one that starts with `https://` or `http://`."
        )
    name = parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")
    limit = _MAX_BODY_BYTES if settings["max_body_bytes"] is None else body_limit_of(settings["max_body_bytes"])
    http_options = _http_options(settings) | dict(settings["http_options"] or {})
    watched = WatchedClient(server=name, max_body_bytes=limit, **http_options)
    given: dict[str, Any] = {"read_timeout_seconds": settings["timeout_s"], **options}

    def client() -> Client:
        transport = streamable_http_client(url, http_client=watched, max_sse_event_size=limit)
        return Client(WatchedTransport(transport), **given)

    return Target(client, name, name, watched)


def _refuse_unknown(client: type, options: Mapping[str, object]) -> None:
    """Raise TypeError for options that neither `connect` nor the client knows."""
    of_the_client = [*inspect.signature(client).parameters][1:]  # The first one is the server.
    refuse_unknown("Caller.connect", options, [*HttpSettings.__annotations__, "retry", "effects", *of_the_client])


def _http_options(settings: HttpSettings) -> dict[str, Any]:
    """Return the options of the HTTP client; connecting fails before the call as a whole runs out of time."""
    limit = settings["timeout_s"]
    connect = _LONGEST_CONNECT_S if limit is None else min(_LONGEST_CONNECT_S, limit / 2)
    read = None if limit is None else max(_LONGEST_READ_S, 2 * limit)
    timeout = httpx2.Timeout(_LONGEST_CONNECT_S, connect=connect, read=read)
    given = {"headers": settings["headers"], "auth": settings["auth"], "timeout": timeout}
    return {name: value for name, value in given.items() if value is not None}


def _name_of(server: object) -> str | None:
    """Return the name of a server in this process; a transport has none."""
    name: object = getattr(server, "name", None)
    return name if isinstance(name, str) and name else None
