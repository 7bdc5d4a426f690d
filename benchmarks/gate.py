"""What the gate adds to a call over stdio and over HTTP, beside the same call without it and through other proxies.

The client is a raw one that writes a line, or a request on a connection that stays open, and waits for the answer: what an
SDK's client costs would make every proxy look better. The server is an `MCPServer` without errata. All ways are called in
turns, in one run, and the best of many rounds counts.

    python benchmarks/gate.py ROLE [PORT [ADDRESS]]     # the programs that are measured, each a process of its own
"""

import asyncio
import contextlib
import http.client
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final, Protocol, Self
from urllib.parse import urlsplit

from _measure import Figure

ROUNDS, BATCH, WARM_UP = 40, 25, 50
SLOW: Final = "FastMCP"
"""Takes part in every fourth round only; it would take minutes."""
IDLE = 200
"""Connections that stay open and say nothing."""
START_S = 60
VERSION: Final = "2025-11-25"
NUMBERS: Final = itertools.count()
"""No failure comes in the words of another, so that nothing is known of it from before."""
REFUSED: Final = "`limit` is 500; the highest allowed is 100"


class Way(Protocol):
    """A connected client."""

    def call(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        """Call a tool, and return its result."""
        ...


def figures() -> Iterator[Figure]:
    yield from _stdio_figures()
    yield from _http_figures()


def _stdio_figures() -> Iterator[Figure]:
    server = _role("stdio-server")
    commands = {
        "direct": server,
        "gate": [sys.executable, "-m", "errata", "gate", "--quiet", "--", *server],
        SLOW: _role("stdio-proxy"),
    }
    with ExitStack() as stack:
        ways = {name: stack.enter_context(StdioWay(command)) for name, command in commands.items()}
        success = _best_of(ways, "greet")
        failure = _best_of({name: ways[name] for name in ("direct", "gate")}, "refuse")
        sizes = {name: _resident_kb(way.process.pid) for name, way in ways.items()}
    yield Figure("gate over stdio: a call that succeeds", success["gate"], "without it", success["direct"], budget=1.5)
    yield Figure("… through FastMCP's `create_proxy`", success[SLOW], "without it", success["direct"])
    yield Figure(
        "… what it adds to a failing call", failure["gate"] - failure["direct"], "a millisecond", 1000, budget=1
    )
    yield Figure("… its memory", sizes["gate"], "FastMCP's `create_proxy`", sizes[SLOW], unit="kB")


def _http_figures() -> Iterator[Figure]:
    with ExitStack() as stack:
        server = stack.enter_context(_listening(lambda port: _role("http-server", port)))
        programs = {
            "direct": server,
            "gate": stack.enter_context(_listening(lambda port: _role("gate", port, server.address))),
            "proxy": stack.enter_context(_listening(lambda port: _role("bare-proxy", port, server.address))),
            SLOW: stack.enter_context(_listening(lambda port: _role("http-proxy", port, server.address))),
        }
        ways = {name: stack.enter_context(HttpWay(program.address)) for name, program in programs.items()}
        success = _best_of(ways, "greet")
        failure = _best_of({name: ways[name] for name in ("proxy", "gate")}, "refuse")
        idle = {name: _idle_kb(programs[name]) for name in ("gate", "proxy")}
    bare = "a reverse proxy of Starlette and httpx2"
    yield Figure("gate over HTTP: a call that succeeds", success["gate"], bare, success["proxy"], budget=1.3)
    yield Figure("… beside no proxy at all", success["gate"], "without it", success["direct"])
    yield Figure("… through FastMCP's `create_proxy`", success[SLOW], bare, success["proxy"])
    yield Figure(
        "… what it adds to a failing call", failure["gate"] - failure["proxy"], "a millisecond", 1000, budget=1
    )
    yield Figure("… memory per idle stream", idle["gate"], bare, idle["proxy"], unit="kB")


def _role(name: str, *words: object) -> list[str]:
    return [sys.executable, str(Path(__file__)), name, *map(str, words)]


def _best_of(ways: Mapping[str, Way], tool: str) -> dict[str, float]:
    """Return the microseconds of a call in each way, the best of rounds in turns: noise only ever adds."""
    for way in ways.values():
        _time(way, tool, WARM_UP)
    best = dict.fromkeys(ways, float("inf"))
    for number in range(ROUNDS):
        taking_part = [name for name in ways if name != SLOW or number % 4 == 0]
        for name in taking_part[:: 1 if number % 2 else -1]:
            best[name] = min(best[name], _time(ways[name], tool, BATCH))
    return best


def _time(way: Way, tool: str, times: int) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        way.call(tool, name=f"limit{next(NUMBERS)}")
    return (time.perf_counter() - begun) / times * 1e6


def _resident_kb(process_id: int) -> float:
    """Return the memory of a process, without that of the processes that it has started; where /proc tells."""
    status = Path(f"/proc/{process_id}/status").read_text(encoding="ascii")
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def _idle_kb(program: "_Program") -> float:
    """Return what each of many sessions costs that has an open stream on which nothing happens."""
    with ExitStack() as stack:
        for _ in range(IDLE // 10):
            stack.enter_context(HttpWay(program.address)).open_stream()
        before = _resident_kb(program.process.pid)
        for _ in range(IDLE):
            stack.enter_context(HttpWay(program.address)).open_stream()
        return max(_resident_kb(program.process.pid) - before, 1) / IDLE


def _write_request(method: str, number: int | None = None, **params: object) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
    return json.dumps(message).encode()


HELLO: Final = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class StdioWay:
    """A raw client of a program over stdio."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._number = 0

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ask("initialize", **HELLO)
        self._input.write(_write_request("notifications/initialized") + b"\n")
        self._ask("tools/list")
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()
        self.process.wait(START_S)

    def call(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        """Call a tool, and return its result."""
        return self._ask("tools/call", name=tool, arguments=arguments)

    @property
    def _input(self) -> IO[bytes]:
        assert self.process.stdin is not None  # noqa: S101 - it is a pipe.
        return self.process.stdin

    def _ask(self, method: str, **params: object) -> Mapping[str, Any]:
        assert self.process.stdout is not None  # noqa: S101 - as above.
        self._number += 1
        self._input.write(_write_request(method, self._number, **params) + b"\n")
        self._input.flush()
        while True:
            message: dict[str, Any] = json.loads(self.process.stdout.readline())
            if message.get("id") == self._number:
                result: dict[str, Any] = message["result"]
                return result


class HttpWay:
    """A raw client of an address, with a session on one connection that stays open."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname and parts.port  # noqa: PT018, S101 - it is an address of this machine.
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path
        self._connection = http.client.HTTPConnection(self._host, self._port, timeout=START_S)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
        }
        self._number = 0
        self._streams: list[http.client.HTTPConnection] = []

    def __enter__(self) -> Self:
        self._connection.connect()
        _send_at_once(self._connection)
        self._ask("initialize", **HELLO)
        self._post(_write_request("notifications/initialized"))
        self._ask("tools/list")
        return self

    def __exit__(self, *_: object) -> None:
        for connection in (*self._streams, self._connection):
            connection.close()

    def open_stream(self) -> None:
        """Open the stream on which the server may speak of itself."""
        stream = http.client.HTTPConnection(self._host, self._port, timeout=START_S)
        stream.request("GET", self._path, headers={**self._headers, "Accept": "text/event-stream"})
        stream.getresponse()
        self._streams.append(stream)

    def call(self, tool: str, **arguments: object) -> Mapping[str, Any]:
        """Call a tool, and return its result."""
        return self._ask("tools/call", name=tool, arguments=arguments)

    def _ask(self, method: str, **params: object) -> Mapping[str, Any]:
        self._number += 1
        body = self._post(_write_request(method, self._number, **params))
        lines = [line[6:] for line in body.splitlines() if line.startswith(b"data: ")] or [body]
        return next(each["result"] for each in map(json.loads, lines) if each.get("id") == self._number)

    def _post(self, body: bytes) -> bytes:
        self._connection.request("POST", self._path, body, self._headers)
        response = self._connection.getresponse()
        if session := response.headers.get("mcp-session-id"):
            self._headers["Mcp-Session-Id"] = session
        return response.read()


def _send_at_once(connection: http.client.HTTPConnection) -> None:
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Program:
    """A program that listens."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self.address = f"http://127.0.0.1:{port}/mcp"


@contextlib.contextmanager
def _listening(command_for: Any) -> Iterator[_Program]:  # noqa: ANN401 - a function of the port.
    port = _free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command_for(port), stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + START_S
            while not _accepts(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"{process.args!r} does not listen: {log.read()[-2000:].decode()}")
                time.sleep(0.05)
            yield _Program(process, port)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


# The programs that are measured.


def _server() -> Any:  # noqa: ANN401 - of an SDK that only these processes need.
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415

    server = MCPServer("bench")

    @server.tool(structured_output=False)
    async def greet(name: str) -> str:
        return f"Hello, {name}"

    @server.tool(structured_output=False)
    async def refuse(name: str) -> str:
        raise ToolError(REFUSED.replace("limit", name))

    return server


def _bare_proxy(address: str) -> Any:  # noqa: ANN401 - as above.
    """Return a reverse proxy as one writes it by hand: it streams both ways, and looks at nothing."""
    import httpx2  # noqa: PLC0415
    from starlette.applications import Starlette  # noqa: PLC0415
    from starlette.background import BackgroundTask  # noqa: PLC0415
    from starlette.requests import Request  # noqa: PLC0415
    from starlette.responses import StreamingResponse  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    client = httpx2.AsyncClient(timeout=None, limits=httpx2.Limits(max_connections=None))

    async def pass_on(request: Request) -> StreamingResponse:
        headers = [(key, value) for key, value in request.headers.raw if key not in {b"host", b"content-length"}]
        content = await request.body()
        sent = client.build_request(request.method, address, headers=headers, content=content)
        response = await client.send(sent, stream=True)
        kept = {key: value for key, value in response.headers.items() if key not in {"content-length", "connection"}}
        closing = BackgroundTask(response.aclose)
        return StreamingResponse(response.aiter_raw(), response.status_code, kept, background=closing)

    return Starlette(routes=[Route("/mcp", pass_on, methods=["GET", "POST", "DELETE"])])


def _serve(app: Any, port: int) -> None:  # noqa: ANN401 - as above.
    import uvicorn  # noqa: PLC0415

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="critical", ws="none", timeout_keep_alive=600)


def _play(role: str, port: str = "0", address: str = "") -> None:
    if role == "stdio-server":
        asyncio.run(_server().run_stdio_async())
    elif role == "http-server":
        _serve(_server().streamable_http_app(), int(port))
    elif role == "bare-proxy":
        _serve(_bare_proxy(address), int(port))
    elif role == "gate":
        from errata.gate import asgi  # noqa: PLC0415

        _serve(asgi(address), int(port))
    else:
        _play_fastmcp(role, int(port), address)


def _play_fastmcp(role: str, port: int, address: str) -> None:
    os.environ["FASTMCP_LOG_LEVEL"] = "CRITICAL"
    from fastmcp.client.transports import StdioTransport  # noqa: PLC0415
    from fastmcp.server import create_proxy  # noqa: PLC0415

    if role == "stdio-proxy":
        command, *words = _role("stdio-server")
        create_proxy(StdioTransport(command, words)).run(show_banner=False)
    else:
        _serve(create_proxy(address).http_app(path="/mcp"), port)


if __name__ == "__main__":
    _play(*sys.argv[1:])
