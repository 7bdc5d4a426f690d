"""The official SDK's own client; there is no model, only its caller."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with Client(stdio_client(StdioServerParameters(command=command, args=arguments))) as client:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            result = await client.call_tool(tool, arguments)
            return {"content": result.model_dump(mode="json"), "marked": result.is_error}

        yield ask
