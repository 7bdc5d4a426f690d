"""CrewAI's Agent, with its own MCP client."""

import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false", "OTEL_SDK_DISABLED": "true"}

from crewai import Agent, BaseLLM
from crewai.mcp import MCPServerStdio, create_static_tool_filter


class Scripted(BaseLLM):
    """Calls a tool, and keeps what comes of it."""

    arguments: str
    given: list = []  # noqa: RUF012 - pydantic copies it.

    def supports_function_calling(self) -> bool:
        """Say yes."""
        return True

    def call(self, messages: list[dict], tools: list[dict] | None = None, **_: object) -> object:
        """Answer one turn."""
        self.given[:] = [message for message in messages if message["role"] == "tool"]
        if self.given:
            return "Done."
        (tool,) = tools
        function = {"name": tool["function"]["name"], "arguments": self.arguments}
        return [{"id": "1", "type": "function", "function": function}]


@contextmanager
def connected(command: str, arguments: list[str]) -> Generator[Callable]:
    def ask(tool: str, values: dict[str, object]) -> dict[str, object]:
        # Only this one: CrewAI gives its model other names for the tools, made from the command.
        only = create_static_tool_filter(allowed_tool_names=[tool])
        server = MCPServerStdio(command=command, args=arguments, tool_filter=only)
        model = Scripted(model="scripted", arguments=json.dumps(values))
        Agent(role="agent", goal="Go.", backstory="None.", llm=model, mcps=[server]).kickoff("Go.")
        (message,) = model.given
        return {"content": message["content"], "marked": any("error" in key for key in message)}

    yield ask
