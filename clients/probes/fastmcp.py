"""FastMCP's client; there is no model, only its caller, who gets an exception."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with Client(StdioTransport(command, arguments)) as client:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            try:
                result = await client.call_tool(tool, arguments)
            except ToolError as error:
                return {"content": str(error), "marked": True}
            return {"content": str(result), "marked": False}

        yield ask
