"""The gate as a program that listens: `errata gate --listen … --to …`."""

import contextlib
import errno
import ipaddress
import signal
import socket
import sys
from collections.abc import Collection, Generator
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from errata.gate._asgi import RepairingApp
from errata.gate._gatekeeper import Gatekeeper
from errata.gate._reverse_proxy import ReverseProxy
from errata.gate._serving import HostGuard

_BACKLOG = 2_048
_GRACE_S = 3
"""How long calls may take to be answered when the gate is told to end; a stream that waits for news ends then."""
_KEEP_ALIVE_S = 75
"""Longer than load balancers keep a connection without a request (60 s), so that they never meet one that is closing."""
_ALL_ADDRESSES = frozenset({"0.0.0.0", "::"})  # noqa: S104 - they are no names by which anybody has to reach the gate.
_NOT_OF_THIS_MACHINE = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
_ADVICE = {
    errno.EADDRINUSE: "choose another port, or end the program that has this one",
    errno.EACCES: "choose a port from 1024 on",
}


class ListenError(Exception):
    """The gate cannot listen where it was told to; `what` says why, `advice` what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


def serve(
    keeper: Gatekeeper, url: str, listen: str, *, hosts: Collection[str] = (), origins: Collection[str] = ()
) -> None:
    """Serve the gate in front of an address until the process is told to end.

    Raise a ListenError if it cannot listen, and a ValueError for an address or a name that cannot be right.
    """
    host, port = _read_address(listen)
    if not _is_loopback(host) and not hosts:
        what = f"`{listen}` can be reached from other machines, and nothing says under which name"
        raise ListenError(what, "name it with --allow-host, or listen on 127.0.0.1")
    names = hosts if host in _ALL_ADDRESSES else {*hosts, host}
    app = HostGuard(RepairingApp(ReverseProxy(url), keeper), names, origins)
    sockets = _bind(host, port, listen)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="critical",  # What goes wrong is answered, or is the server's own; nothing is said of it twice.
        lifespan="on",
        ws="none",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
        timeout_keep_alive=_KEEP_ALIVE_S,
    )
    server = _HttpServer(config, urlsplit(url).path or "/")
    with contextlib.suppress(KeyboardInterrupt), _interrupted_by_sigterm():
        server.run(sockets)


@contextlib.contextmanager
def _interrupted_by_sigterm() -> Generator[None]:
    """Let SIGTERM end the gate as Ctrl+C does.

    uvicorn raises a signal again when it has ended, and SIGTERM would end the process before it has written its last line.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _HttpServer(uvicorn.Server):
    """uvicorn's server, which says where it listens."""

    def __init__(self, config: uvicorn.Config, path: str) -> None:
        super().__init__(config)
        self._path = path

    async def startup(self, sockets: Any = None) -> None:  # noqa: ANN401 - as uvicorn has it.
        """Begin to listen, and say where."""
        await super().startup(sockets)
        for server in self.servers if self.started else ():
            for listening in server.sockets:
                host, port = listening.getsockname()[:2]
                shown = f"[{host}]" if ":" in host else host
                print(f"errata gate: http://{shown}:{port}{self._path}", file=sys.stderr, flush=True)  # noqa: T201 - it is what its user waits for.


def _read_address(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port is None:
        raise ListenError(f"`{text}` is no address to listen on", "write it as in --listen 127.0.0.1:8700")
    return host, port


def _bind(host: str, port: int, listen: str) -> list[socket.socket]:
    """Return a socket for each address of a host; port 0 is any free one, the same for all of them."""
    sockets: list[socket.socket] = []
    try:
        for family, *_, address in sorted(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)):
            port = port or (sockets[0].getsockname()[1] if sockets else 0)
            sockets.append(socket.create_server((str(address[0]), port), family=family, backlog=_BACKLOG))
    except (OSError, UnicodeError) as error:
        if sockets and getattr(error, "errno", None) in _NOT_OF_THIS_MACHINE:  # `localhost` is ::1, too, with IPv6.
            return sockets
        for opened in sockets:
            opened.close()
        raise _explain(error, listen) from None
    return sockets


def _explain(error: Exception, listen: str) -> ListenError:
    reason = str(getattr(error, "strerror", None) or error).partition(" (while")[0].lower()
    advice = _ADVICE.get(getattr(error, "errno", 0), "choose an address of this machine, such as 127.0.0.1:8700")
    return ListenError(f"cannot listen on `{listen}`: {reason}", advice)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
