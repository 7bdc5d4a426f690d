"""A reverse proxy for one upstream, as an ASGI application: bytes in, bytes out, and no address but the one it was given."""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from importlib.util import find_spec
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, unquote_plus
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx2
from anyio.lowlevel import RunVar

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
RawHeaders: TypeAlias = list[tuple[bytes, bytes]]

LARGEST_BODY = 1 << 27
_TIMEOUTS_S = {"connect": 10.0, "read": None, "write": None, "pool": None}
"""A tool may take its time, and a stream may be silent for hours."""
_WELL_KNOWN = "/.well-known/"
_OF_ONE_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_TEXT = [(b"content-type", b"text/plain; charset=utf-8")]
_DEEPEST_ENCODING = 4
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\ufffd]|%u[0-9a-f]{4}", re.IGNORECASE)
"""What servers read in different ways: control characters, what is no UTF-8 (an overlong dot), an encoding of old IIS."""
_ORIGIN = re.compile(r"https?://([^/?#]*)", re.IGNORECASE)
_LAST_PORT = 65_535
_STATUSES, _BAD_GATEWAY = range(200, 600), 502
# Servers close a connection after 5 s without a request (uvicorn, Node); a call must not meet that.
_LIMITS = httpx2.Limits(max_connections=None, keepalive_expiry=2.5)


class UpstreamError(Exception):
    """The server could not be reached, or broke off its answer; the cause says how."""

    def __init__(self, was_sent: bool) -> None:  # noqa: FBT001 - there is nothing else to be said of it.
        super().__init__(was_sent)
        self.was_sent = was_sent
        """Whether the request may have arrived."""


class UnsendableError(UpstreamError):
    """A request that is none of HTTP; the server has heard nothing of it."""


class OversizedBodyError(Exception):
    """A request has a body that is larger than the gate takes."""


class ClientGoneError(Exception):
    """The client hung up before its request was whole."""


class ReverseProxy:
    """Passes every request on to one server; raises an UpstreamError where that cannot be done.

    Redirects are the client's business, and so are cookies and credentials: nothing is kept, and nothing is added.
    """

    def __init__(self, url: str) -> None:
        self._url = _read_address(url)
        self.name: str = self._url.netloc.decode("ascii")
        self._root = _path_in(self._url)
        self._path = self._root.rstrip("/")
        self._proxy = _find_proxy(self._url)
        self._transport: RunVar[httpx2.AsyncHTTPTransport] = RunVar("transport")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and what the server answers back, as it comes."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            path = self._path_at_server(_path_of(scope))
            if self._is_ours(path):
                await self._pass(scope, path, receive, send)
            else:
                await respond(send, 404, "This gate passes on its server's address and what is below it.")

    def _path_at_server(self, path: str) -> str:
        """Return the path to ask for; the root of the gate, or the place where it is mounted, is the server's address."""
        return path if path.strip("/") else self._root

    def _is_ours(self, path: str) -> bool:
        if path.startswith(_WELL_KNOWN):
            return not _leads_elsewhere(path)
        below = path.removeprefix(self._path)
        return f"{path}/".startswith(f"{self._path}/") and not _leads_elsewhere(below)

    async def _live(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        if (transport := self._transport.get(None)) is not None:
            await transport.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _pass(self, scope: Scope, path: str, receive: Receive, send: Send) -> None:
        try:
            body = await read_body(receive, LARGEST_BODY)
        except OversizedBodyError:
            await respond(send, 413, f"A message may have {LARGEST_BODY} bytes at most.")
            return
        except ClientGoneError:
            return
        error: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(_watch, receive, group.cancel_scope)
            try:
                await self._relay(scope, path, body, send)
            except Exception as raised:  # noqa: BLE001 - out of the group it would come in another one.
                error = raised
            group.cancel_scope.cancel()
        if error is not None:
            raise error

    async def _relay(self, scope: Scope, path: str, body: bytes, send: Send) -> None:
        response = await self._request(self._write_request(scope, path, body))
        try:
            status = response.status_code if response.status_code in _STATUSES else _BAD_GATEWAY
            headers = self._write_headers(response, scope, path)
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await _relay_body(response, send)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()

    async def _request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await self._connections().handle_async_request(request)
        except httpx2.LocalProtocolError as error:
            raise UnsendableError(was_sent=False) from error
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.UnsupportedProtocol) as error:
            raise UpstreamError(was_sent=False) from error
        except Exception as error:
            raise UpstreamError(was_sent=True) from error

    def _write_request(self, scope: Scope, path: str, body: bytes) -> httpx2.Request:
        headers = [
            (b"host", self._url.netloc),
            *_without_hop(scope["headers"], drop=frozenset({b"host", b"content-length", b"expect"})),
        ]
        if body or scope["method"] not in {"GET", "HEAD", "OPTIONS", "DELETE"}:
            headers.append((b"content-length", str(len(body)).encode()))
        query = b"&".join(filter(None, [self._url.query, scope["query_string"]]))
        target = path.encode("latin-1") + (b"?" + query if query else b"")
        extensions = {"target": target, "timeout": _TIMEOUTS_S}
        return httpx2.Request(scope["method"], self._url, headers=headers, content=body or None, extensions=extensions)

    def _write_headers(self, response: httpx2.Response, scope: Scope, path: str) -> RawHeaders:
        """Return the headers of a response: with one length of the body, and a redirect to this server through the gate."""
        lengths = frozenset({b"content-length"}) if "transfer-encoding" in response.headers else frozenset[bytes]()
        kept = _without_hop(response.headers.raw, drop=lengths)
        mount = quote(scope.get("root_path", "").rstrip("/"))
        return [
            (key, self._lead_back(value, path, mount) if key.lower() == b"location" else value) for key, value in kept
        ]

    def _lead_back(self, location: bytes, path: str, mount: str) -> bytes:
        """Return where a redirect leads to; the query of the server's own address is the gate's, and is not shown."""
        try:
            url = self._url.copy_with(raw_path=path.encode("latin-1")).join(location.decode("utf-8", "replace"))
        except (httpx2.InvalidURL, ValueError):
            return location
        own = {unquote_plus(pair) for pair in self._url.query.decode("ascii").split("&")}
        pairs = url.query.decode("ascii").split("&")
        kept = "&".join(pair for pair in pairs if unquote_plus(pair) not in own)
        shown = url.copy_with(query=kept.encode() or None)
        target = _path_in(url)
        is_here = (url.scheme, url.netloc) == (self._url.scheme, self._url.netloc)
        if is_here and self._is_ours(target) and not target.startswith("//"):  # That would be the name of a host.
            fragment = f"#{quote(url.fragment)}" if url.fragment else ""
            return f"{mount}{shown.raw_path.decode('ascii')}{fragment}".encode()
        return location if url.query == shown.query else str(shown).encode()

    def _connections(self) -> httpx2.AsyncHTTPTransport:
        """Return the connections of this event loop; another one cannot use them."""
        transport = self._transport.get(None)
        if transport is None:
            transport = httpx2.AsyncHTTPTransport(limits=_LIMITS, proxy=self._proxy)
            self._transport.set(transport)
        return transport


async def _relay_body(response: httpx2.Response, send: Send) -> None:
    try:
        async for chunk in response.aiter_raw():
            if chunk:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except httpx2.TransportError as error:
        raise UpstreamError(was_sent=True) from error
    await send({"type": "http.response.body", "body": b""})


async def _watch(receive: Receive, scope: anyio.CancelScope) -> None:
    """Close the connection to the server as soon as the client has gone.

    To a server of 2026 that is the cancellation it is; to an older one it is none, and it goes on, as without the gate.
    """
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _read_address(url: str) -> httpx2.URL:
    advice = "Give one that begins with http:// or https://, with a port below 65536 if it has one."
    try:
        address = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise ValueError(f"This is no address of a server. {advice}") from None
    if address.userinfo:
        raise ValueError(
            "The address has a password in it, which is not sent. Let the client send its own credentials."
        )
    if address.scheme not in {"http", "https"} or not address.host or not _has_port(address):
        raise ValueError(f"`{address.scheme}://{address.netloc.decode('ascii')}` is no address of a server. {advice}")
    return address


def _find_proxy(url: httpx2.URL) -> httpx2.Proxy | None:
    """Return the proxy through which this machine reaches a server; None if it does so directly."""
    known = {} if proxy_bypass(url.host) else getproxies()
    address = known.get(url.scheme) or known.get("all")
    if not address:
        return None
    try:
        proxy = httpx2.Proxy(address if "://" in address else f"http://{address}")
    except (httpx2.InvalidURL, ValueError):
        proxy = None
    if proxy is None or not proxy.url.host or not _has_port(proxy.url):
        raise ValueError(
            f"The proxy for {url.scheme} that the environment names has no address that can be used. "
            "Write it as in http://proxy.example.org:3128, or name the server in no_proxy."
        )
    if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ValueError(
            f"The proxy for {url.scheme} that the environment names speaks SOCKS, which needs socksio, not installed here. "
            "Install it with: pip install socksio"
        )
    return proxy


def _has_port(url: httpx2.URL) -> bool:
    return url.port is None or 0 <= url.port <= _LAST_PORT


def _path_in(url: httpx2.URL) -> str:
    return url.raw_path.partition(b"?")[0].decode("ascii")


def _path_of(scope: Scope) -> str:
    """Return the path as the client wrote it, below the place where the gate is mounted."""
    raw = scope.get("raw_path")
    path: str = quote(scope["path"]) if raw is None else raw.decode("latin-1").partition("?")[0]
    if (match := _ORIGIN.match(path)) is not None:
        path = path[match.end() :]
    mount = scope.get("root_path", "").rstrip("/")
    head = "/".join(path.split("/", mount.count("/") + 1)[: mount.count("/") + 1])
    return path.removeprefix(head) if mount and unquote(head) == mount else path


def authority_in_target(scope: Scope) -> str | None:
    """Return the authority that a request has in its target, as it is sent to a proxy; it weighs as much as its Host."""
    match = _ORIGIN.match((scope.get("raw_path") or b"").decode("latin-1"))
    return match[1].lower() if match else None


def _leads_elsewhere(path: str) -> bool:
    """Return whether a path goes up, in any of the ways to write that, or is read by servers in different ways."""
    for _ in range(_DEEPEST_ENCODING):
        encoded, path = path, unquote(path).replace("\\", "/")
        if path == encoded:
            break
    else:
        return True
    steps = {part.partition(";")[0].strip() for part in path.split("/")}
    return not steps.isdisjoint({".", ".."}) or _UNREADABLE.search(path) is not None


def _without_hop(headers: RawHeaders, *, drop: frozenset[bytes] = frozenset()) -> RawHeaders:
    """Return header fields but for those that are between two neighbours only."""
    named = {
        name.strip().lower() for key, value in headers if key.lower() == b"connection" for name in value.split(b",")
    }
    unwanted = _OF_ONE_HOP | named | drop
    return [(key, value) for key, value in headers if key.lower() not in unwanted]


async def read_body(receive: Receive, limit: int) -> bytes:
    """Return the whole body of a request; raise for one that is larger than the limit, or that does not come to its end."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            raise OversizedBodyError
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def with_length(scope: Scope, body: bytes) -> Scope:
    """Return a request with the length of its body."""
    framing = {b"content-length", b"transfer-encoding"}
    kept = [(key, value) for key, value in scope["headers"] if key.lower() not in framing]
    return {**scope, "headers": [*kept, (b"content-length", str(len(body)).encode())]}


async def respond(send: Send, status: int, text: str, headers: RawHeaders | None = None) -> None:
    """Send a short response."""
    body = text.encode("utf-8", "surrogateescape")
    start = [*(headers or _TEXT), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
