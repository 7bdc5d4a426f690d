"""The official SDK's client as it was in version 1; there is no model, only its caller."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    parameters = StdioServerParameters(command=command, args=arguments)
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            result = await session.call_tool(tool, arguments)
            return {"content": result.model_dump(mode="json"), "marked": result.isError}

        yield ask
