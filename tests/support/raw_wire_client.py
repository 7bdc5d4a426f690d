"""A client that hides nothing: it sends what it is told to, and keeps every message that comes back."""

import json
import os
import socket
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import DEVNULL

import anyio
import pytest
import uvicorn
from mcp.shared.memory import create_client_server_memory_streams

from support import cancelled_tools
from support.sdk import IS_MODERN, parse_message

SessionMessage = pytest.importorskip("mcp.shared.message", reason="mcp before 1.8 sends other objects.").SessionMessage
ERAS = ("modern", "legacy") if IS_MODERN else ("legacy",)
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


class Wire:
    """One connection. `received` is all that the server has said, in order."""

    def __init__(self, era, send, hang_up):
        self._era = era
        self._send = send
        self.hang_up = hang_up
        self._last = 0
        self._news = anyio.Condition()
        self.received = []
        self.is_over = False

    async def open(self):
        if self._era == "legacy":
            await self.ask("initialize", _HANDSHAKE)
            await self.notify("notifications/initialized")

    async def begin(self, method, params):
        """Send a request without waiting for the answer, and return its id."""
        self._last += 1
        if self._era == "modern":
            params = {**params, "_meta": _ENVELOPE}
        await self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        return self._last

    async def begin_call(self, tool, **arguments):
        return await self.begin("tools/call", {"name": tool, "arguments": arguments})

    async def notify(self, method, **params):
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def cancel(self, request):
        await self.notify("notifications/cancelled", requestId=request, reason="The user changed their mind.")

    async def ask(self, method, params):
        return await self.answer_to(await self.begin(method, params))

    async def call(self, tool, **arguments):
        return await self.answer_to(await self.begin_call(tool, **arguments))

    async def answer_to(self, request):
        """Wait for the answer to a request; None if the server hangs up without one."""
        async with self._news:
            while not (answers := self.answers_to(request)) and not self.is_over:
                await self._news.wait()
        return answers[0] if answers else None

    def answers_to(self, request):
        return [message for message in self.received if message.get("id") == request and "method" not in message]

    async def listen(self, messages):
        async for message in messages:
            async with self._news:
                self.received.append(message)
                self._news.notify_all()
        async with self._news:
            self.is_over = True
            self._news.notify_all()


def code_in(answer):
    return answer["result"]["structuredContent"]["error"]["code"]


async def assert_still_there(connection):
    answer = await connection.call("echo", text="Still there?")
    assert answer["result"]["content"][0]["text"] == "Still there?"


async def cancelled_by_the_client(connection, tool):
    """Begin a call, cancel it while the tool is at it, and wait until the tool has noticed; return the id."""
    request = await connection.begin_call(tool)
    await connection.call("until", what=f"{tool} began")
    await connection.cancel(request)
    if tool == "waits_in_a_thread":
        await connection.call("release")
    await connection.call("until", what=f"{tool} ended")
    await assert_still_there(connection)
    return request


@asynccontextmanager
async def in_memory(server, era):
    """Talk to a server in this process, through the same loop that stdio has."""
    server = cancelled_tools.lowest(server)
    with anyio.fail_after(cancelled_tools.LONGEST_S):
        async with create_client_server_memory_streams() as (ours, theirs), anyio.create_task_group() as group:

            async def send(message):
                await ours[1].send(SessionMessage(parse_message(message)))

            async def messages():
                async for message in ours[0]:
                    yield message.message.model_dump(by_alias=True, exclude_none=True, mode="json")

            connection = Wire(era, send, ours[1].aclose)
            group.start_soon(server.run, *theirs, server.create_initialization_options())
            group.start_soon(connection.listen, messages())
            await connection.open()
            yield connection
            group.cancel_scope.cancel()


@asynccontextmanager
async def over_stdio(kind, layer, era):
    """Talk to a server in a process of its own; gives the process, too."""
    command = [sys.executable, str(Path(cancelled_tools.__file__)), kind, layer]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with anyio.fail_after(3 * cancelled_tools.LONGEST_S):
        async with (
            await anyio.open_process(command, stderr=DEVNULL, env=environment) as process,
            anyio.create_task_group() as group,
        ):

            async def send(message):
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await process.stdin.send(json.dumps(message).encode() + b"\n")

            connection = Wire(era, send, process.stdin.aclose)
            group.start_soon(connection.listen, _lines(process.stdout))
            try:
                await connection.open()
                yield connection, process
                await connection.hang_up()
                await process.wait()
            finally:
                if process.returncode is None:
                    process.kill()
                group.cancel_scope.cancel()


@asynccontextmanager
async def over_http(server):
    """Serve on this machine; gives the address."""
    app = server.http_app() if hasattr(server, "http_app") else server.streamable_http_app()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        web = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
        with anyio.fail_after(cancelled_tools.LONGEST_S):
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: web.serve(sockets=[listening]))
                yield f"http://127.0.0.1:{port}/mcp"
                web.should_exit = True


async def _lines(stream):
    rest = b""
    async for chunk in stream:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield json.loads(line)
