"""LangChain's agent, with langchain-mcp-adapters."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from langchain.agents import create_agent
from langchain.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.language_models import BaseChatModel
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


class Scripted(BaseChatModel):
    """Calls a tool, and keeps what comes of it."""

    call: dict
    given: list = []  # noqa: RUF012 - pydantic copies it.

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: object, **__: object) -> "Scripted":
        """Need no tools; the script knows the name."""
        return self

    def _generate(self, messages: list[AnyMessage], *_: object, **__: object) -> ChatResult:
        self.given[:] = [message for message in messages if isinstance(message, ToolMessage)]
        turn = AIMessage("Done.") if self.given else AIMessage("", tool_calls=[self.call])
        return ChatResult(generations=[ChatGeneration(message=turn)])


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    client = MultiServerMCPClient({"orders": {"transport": "stdio", "command": command, "args": arguments}})
    async with client.session("orders") as session:
        tools = await load_mcp_tools(session)

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            model = Scripted(call={"id": "1", "name": tool, "args": arguments})
            await create_agent(model, tools).ainvoke({"messages": [("user", "Go.")]})
            (message,) = model.given
            return {"content": message.content, "marked": message.status == "error"}

        yield ask
