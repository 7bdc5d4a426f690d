"""Microsoft's Agent Framework."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, MCPStdioTool, Message


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """Calls a tool, and keeps what comes of it."""

    def __init__(self, tool: str, arguments: dict[str, object], settings: dict[str, object]) -> None:
        super().__init__(function_invocation_configuration=settings)
        self.call = Content.from_function_call("1", tool, arguments=arguments)
        self.given: list[Content] = []

    def _inner_get_response(self, *, messages: list[Message], **_: object) -> object:
        contents = [content for message in messages for content in message.contents]
        self.given = [content for content in contents if content.type == "function_result"]

        async def turn() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", ["Done." if self.given else self.call])])

        return turn()


@asynccontextmanager
async def connected(command: str, arguments: list[str], **settings: object) -> AsyncGenerator[Callable]:
    async with MCPStdioTool("orders", command, args=arguments) as tools:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            client = Scripted(tool, arguments, settings)
            await Agent(client=client, tools=tools).run("Go.")
            (content,) = client.given
            # Of a result, the providers send this to their models.
            return {"content": content.result, "marked": content.result.startswith("Error: Function failed.")}

        yield ask
