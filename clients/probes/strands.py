"""Strands Agents."""

import json
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager

from mcp import StdioServerParameters, stdio_client
from strands import Agent
from strands.models import Model
from strands.tools.mcp import MCPClient


class Scripted(Model):
    """Calls a tool, and keeps what comes of it."""

    def __init__(self, tool: str, arguments: dict[str, object]) -> None:
        self.tool, self.arguments = tool, json.dumps(arguments)
        self.given: list[dict] = []

    def update_config(self, **_: object) -> None:
        """Have nothing to configure."""

    def get_config(self) -> dict:
        """Have nothing to configure."""
        return {}

    def structured_output(self, *_: object, **__: object) -> None:
        """Do without."""
        raise NotImplementedError

    async def stream(self, messages: list[dict], *_: object, **__: object) -> AsyncGenerator[dict]:
        """Answer one turn."""
        self.given = [part["toolResult"] for part in messages[-1]["content"] if "toolResult" in part]
        start = {} if self.given else {"toolUse": {"toolUseId": "1", "name": self.tool}}
        delta = {"text": "Done."} if self.given else {"toolUse": {"input": self.arguments}}
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": start}}
        yield {"contentBlockDelta": {"delta": delta}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if self.given else "tool_use"}}


@contextmanager
def connected(command: str, arguments: list[str]) -> Generator[Callable]:
    with MCPClient(lambda: stdio_client(StdioServerParameters(command=command, args=arguments))) as client:
        tools = client.list_tools_sync()

        def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            model = Scripted(tool, arguments)
            Agent(model=model, tools=tools, callback_handler=None)("Go.")
            (result,) = model.given
            # Of a result, the providers send these two to their models.
            return {"content": result["content"], "marked": result["status"] == "error"}

        yield ask
