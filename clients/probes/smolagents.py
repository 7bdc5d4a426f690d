"""Smolagents' ToolCallingAgent, with mcpadapt."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from mcp import StdioServerParameters
from smolagents import ChatMessage, MCPClient, Model, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction
from smolagents.monitoring import LogLevel

ANSWER = "final_answer"


class Scripted(Model):
    """Calls a tool, and keeps what comes of it."""

    def __init__(self, tool: str, arguments: dict[str, object]) -> None:
        super().__init__(model_id="scripted")
        self.calls = [(ANSWER, {"answer": "Done."}), (tool, arguments)]
        self.given: list[ChatMessage] = []

    def generate(self, messages: list[ChatMessage], **_: object) -> ChatMessage:
        """Answer one turn."""
        self.given = messages
        function = ChatMessageToolCallFunction(*self.calls.pop()[::-1])
        return ChatMessage("assistant", "", tool_calls=[ChatMessageToolCall(function, "1", "function")])


@contextmanager
def connected(command: str, arguments: list[str]) -> Generator[Callable]:
    with MCPClient(StdioServerParameters(command=command, args=arguments), structured_output=False) as tools:

        def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            model = Scripted(tool, arguments)
            ToolCallingAgent(tools, model, verbosity_level=LogLevel.OFF).run("Go.")
            content = model.given[-1].content
            return {"content": content, "marked": content[0]["text"].startswith("Error:")}

        yield ask
