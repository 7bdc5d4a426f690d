"""A shop without errata, of the official SDK or of FastMCP, whose tools fail in the ways that the gate is about.

`app` is what uvicorn and gunicorn serve: the shop behind a gate, mounted in an application of Starlette.
"""

import contextlib
import os
import threading
from collections import Counter

import anyio
import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.streamable_http import EventMessage, EventStore
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount

from errata.gate import asgi

READS, PAYS = types.ToolAnnotations(read_only_hint=True), types.ToolAnnotations(destructive_hint=True)


class Size(BaseModel):
    """What a person is asked for."""

    size: int


class Replaying(EventStore):
    """Keeps all events, to be sent again."""

    def __init__(self):
        self._events = []

    async def store_event(self, stream_id, message):
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(self, last_event_id, send_callback):
        last = int(last_event_id)
        stream = self._events[last - 1][0]
        for number, (stream_id, message) in enumerate(self._events[last:], last + 1):
            if stream_id == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class Shop:
    """What the tools have done, and what they wait for."""

    def __init__(self):
        self.calls = Counter()
        self.began = threading.Event()
        self.ended = threading.Event()

    def tools(self):
        return [
            (self.echo, READS),
            (self.get_price, READS),
            (self.pay, PAYS),
            (self.deliver, PAYS),
            (self.wait, READS),
        ]

    async def echo(self, number: int) -> str:
        """Say it again; every third one fails."""
        if number % 3 == 0:
            raise ToolError(f"There is no order {number}.")
        return str(number)

    async def get_price(self) -> str:
        """Be busy twice."""
        self.calls["get_price"] += 1
        if self.calls["get_price"] % 3:
            raise ToolError("HTTP 429 Too Many Requests")
        return "7"

    async def pay(self) -> str:
        """Be busy, after whatever was done."""
        self.calls["pay"] += 1
        raise ToolError("HTTP 503 Service Unavailable: password=hunter2-4711")

    async def wait(self) -> str:
        """Wait until somebody cancels it."""
        self.began.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.ended.set()

    async def deliver(self) -> str:
        """Say which process it is."""
        raise ToolError(f"process {os.getpid()}")


def official(shop):
    server = MCPServer("shop", log_level="CRITICAL")
    for tool, annotations in shop.tools():
        server.add_tool(tool, annotations=annotations)

    @server.tool()
    async def count(context: Context) -> str:
        """Tell of the progress, and fail."""
        for number in (1, 2):
            await context.report_progress(number, 2, f"{number} of 2")
        raise ToolError("It is out of stock.")

    @server.tool()
    async def ask(context: Context) -> str:
        """Ask the person, and fail with what they say."""
        answer = await context.elicit("Which size?", Size)
        raise ToolError(f"There is none in size {answer.data.size}.")

    @server.tool()
    async def sample(context: Context) -> str:
        """Ask the model, and fail with what it says."""
        message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Which one?"))
        answer = await context.session.create_message([message], max_tokens=9)
        raise ToolError(f"There is no {answer.content.text}.")

    @server.tool()
    async def restock(context: Context) -> str:
        """Announce another list of tools."""
        await context.notify_tools_changed()
        await context.session.send_tool_list_changed()
        return "announced"

    return server


def fastmcp(shop):
    from fastmcp import FastMCP  # noqa: PLC0415 - only its own tests need it.

    server = FastMCP("shop")
    for tool, annotations in shop.tools():
        server.tool(tool, annotations=annotations)
    return server


def mounted(application, **settings):
    """Return an application of Starlette with the gate in it; what is gated runs with it."""

    @contextlib.asynccontextmanager
    async def lifespan(_):
        async with application.router.lifespan_context(application):
            yield

    return Starlette(routes=[Mount("/", asgi(application, name="shop", **settings))], lifespan=lifespan)


app = mounted(official(Shop()).streamable_http_app(stateless_http=True, json_response=True))
