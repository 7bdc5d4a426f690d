"""The gate as an ASGI application: `asgi`."""

from collections.abc import Collection, MutableMapping
from typing import Any, Unpack
from urllib.parse import urlsplit

from errata.gate._asgi import RepairingApp
from errata.gate._gate_options import GateOptions, GateSettings
from errata.gate._gatekeeper import Gatekeeper
from errata.gate._record import GateRecord
from errata.gate._reverse_proxy import App, Receive, ReverseProxy, Scope, Send, authority_in_target, respond

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY = "*"
_OF_A_PAGE = frozenset({"http", "https"})


class HostGuard:
    """Refuses requests that a web page has sent under another name: only known hosts and origins pass."""

    def __init__(self, app: App, hosts: Collection[str], origins: Collection[str]) -> None:
        _refuse_text("hosts", hosts)
        _refuse_text("origins", origins)
        self._app = app
        self._hosts = {*_LOCAL, *map(_read_host, hosts)}
        self._origins = {origin.lower().rstrip("/") for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and (problem := self._find_problem(scope)) is not None:
            await respond(send, *problem)
            return
        await self._app(scope, receive, send)

    def _find_problem(self, scope: MutableMapping[str, Any]) -> tuple[int, str] | None:
        hosts, origins = _values_of(scope, b"host"), _values_of(scope, b"origin")
        if len(hosts) > 1 or len(origins) > 1:
            return 400, "A request has one Host, and one Origin at most."
        names = [_host_of(name) for name in (*hosts, authority_in_target(scope)) if name is not None]
        if _ANY not in self._hosts and not (hosts and self._hosts.issuperset(names)):
            return 421, "This gate does not answer to that name. Start it with --allow-host, or use its address."
        if not origins or self._is_allowed(origins[0].rstrip("/")):
            return None
        return 403, "This gate is not for that web page. Start it with --allow-origin."

    def _is_allowed(self, origin: str) -> bool:
        if _ANY in self._origins or origin in self._origins:
            return True
        scheme, sign, authority = origin.partition("://")
        return bool(sign) and scheme in _OF_A_PAGE and _host_of(authority) in self._hosts - {_ANY}


def asgi(
    server: App | str,
    *,
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    log: str | None = None,
    **settings: Unpack[GateSettings],
) -> App:
    """Return an ASGI application that repairs the errors of a server over streamable HTTP.

        app = asgi(mcp.streamable_http_app())                    # around an application, in the same process
        app = asgi("https://example.org/mcp", retry=True)        # in front of a server anywhere

    Mount it in Starlette or FastAPI, or run it under uvicorn. In front of an address, it answers to the names of this
    machine, and to `hosts`; a web page has to come from one of `origins`. An application is left to check both itself,
    unless one of them is given. `log` is a file that gets a line of JSON for each failure.
    """
    if not isinstance(server, str) and not callable(server):
        raise TypeError(f"A {type(server).__name__} is no ASGI application. Give one, or the address of a server.")
    app = ReverseProxy(server) if isinstance(server, str) else server
    options = GateOptions.of(settings, name=app.name if isinstance(app, ReverseProxy) else "the server")
    gate = RepairingApp(app, Gatekeeper(options, GateRecord(options.name, log)))
    if isinstance(app, ReverseProxy):
        return HostGuard(gate, hosts, origins)
    return HostGuard(gate, hosts or {_ANY}, origins) if hosts or origins else gate


def _refuse_text(name: str, values: Collection[str]) -> None:
    if isinstance(values, str):
        raise TypeError(f"`{name}` is a text, and has to be a list of texts. Write it as in {name}=[{values!r}].")


def _read_host(host: str) -> str:
    """Return a host without its port, as requests are compared with it."""
    name = _ANY if host == _ANY else _host_of(f"[{host}]" if host.count(":") > 1 and "[" not in host else host)
    if name is None:
        raise ValueError(f"`{host}` is no name of a host. Write it without a scheme, as in gate.example.org.")
    return name


def _values_of(scope: MutableMapping[str, Any], name: bytes) -> list[str]:
    return [value.decode("latin-1").lower() for key, value in scope["headers"] if key.lower() == name]


def _host_of(authority: str) -> str | None:
    """Return the host in `host:port`; None if there is none."""
    if not authority or not set(authority).isdisjoint("/@?#\\"):
        return None
    try:
        return urlsplit(f"//{authority}").hostname
    except ValueError:
        return None
