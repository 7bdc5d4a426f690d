"""OpenAI Agents SDK."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(disabled=True)


class Scripted(Model):
    """Calls a tool, and keeps what comes of it."""

    def __init__(self, tool: str, arguments: dict[str, object]) -> None:
        self.call = ResponseFunctionToolCall(
            type="function_call", call_id="1", name=tool, arguments=json.dumps(arguments)
        )
        self.given: list = []

    async def get_response(self, *, input: list, **_: object) -> ModelResponse:
        """Answer one turn."""
        self.given = [item for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"]
        text = ResponseOutputText(type="output_text", text="Done.", annotations=[])
        done = ResponseOutputMessage(id="2", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[done if self.given else self.call], usage=Usage(), response_id=None)

    def stream_response(self, *_: object, **__: object) -> None:
        """Do not stream."""
        raise NotImplementedError


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with MCPServerStdio({"command": command, "args": arguments}, client_session_timeout_seconds=30) as server:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            model = Scripted(tool, arguments)
            await Runner.run(Agent(name="agent", model=model, mcp_servers=[server]), "Go.")
            (output,) = model.given
            return {"content": output["output"], "marked": "error" in output}

        yield ask
