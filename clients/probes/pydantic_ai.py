"""Pydantic AI."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.function import AgentInfo, FunctionModel


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with MCPToolset(StdioTransport(command, arguments)) as tools:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            given: list[ToolReturnPart] = []

            def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
                given[:] = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
                return ModelResponse([TextPart("Done.") if given else ToolCallPart(tool, arguments)])

            await Agent(FunctionModel(scripted), toolsets=[tools]).run("Go.")
            (part,) = given
            return {"content": part.model_response_str(), "marked": part.outcome != "success"}

        yield ask
