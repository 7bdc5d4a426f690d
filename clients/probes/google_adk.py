"""Google's Agent Development Kit."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai.types import Content, FunctionCall, Part
from mcp import StdioServerParameters


class Scripted(BaseLlm):
    """Calls a tool, and keeps what comes of it."""

    call: FunctionCall
    given: list = []  # noqa: RUF012 - pydantic copies it.

    async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse]:  # noqa: ARG002, FBT001, FBT002 - ADK's.
        """Answer one turn."""
        parts = [part for content in request.contents for part in content.parts]
        self.given[:] = [part.function_response for part in parts if part.function_response]
        part = Part(text="Done.") if self.given else Part(function_call=self.call)
        yield LlmResponse(content=Content(role="model", parts=[part]))


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    parameters = StdioServerParameters(command=command, args=arguments)
    tools = McpToolset(connection_params=StdioConnectionParams(server_params=parameters, timeout=30))

    async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
        model = Scripted(model="scripted", call=FunctionCall(name=tool, args=arguments))
        runner = InMemoryRunner(LlmAgent(name="agent", model=model, tools=[tools]))
        await runner.run_debug("Go.", quiet=True)
        (answer,) = model.given
        return {"content": answer.response, "marked": answer.response.get("isError") is True}

    yield ask
    await tools.close()
