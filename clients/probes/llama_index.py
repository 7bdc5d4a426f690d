"""LlamaIndex's FunctionAgent, with llama-index-tools-mcp."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    tools = await McpToolSpec(BasicMCPClient(command, args=arguments)).to_tool_list_async()

    async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
        given: list[ChatMessage] = []
        call = ToolCallBlock(tool_call_id="1", tool_name=tool, tool_kwargs=arguments)

        def scripted(messages: Sequence[ChatMessage], **_: object) -> ChatMessage:
            given[:] = [message for message in messages if message.role is MessageRole.TOOL]
            return ChatMessage("Done.", role="assistant") if given else ChatMessage(blocks=[call], role="assistant")

        model = MockFunctionCallingLLM(response_generator=scripted)
        await FunctionAgent(tools=tools, llm=model).run("Go.")
        (message,) = given
        return {"content": message.content, "marked": "is_error=True" in message.content}

    yield ask
