"""Haystack's Agent, with mcp-haystack."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage, ToolCall
from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo


@contextmanager
def connected(command: str, arguments: list[str]) -> Generator[Callable]:
    tools = MCPToolset(StdioServerInfo(command=command, args=arguments), eager_connect=True)

    def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
        given: list[ChatMessage] = []

        def scripted(messages: list[ChatMessage]) -> ChatMessage:
            given[:] = [message for message in messages if message.tool_call_result]
            calls = None if given else [ToolCall(tool, arguments)]
            return ChatMessage.from_assistant("Done." if given else None, tool_calls=calls)

        Agent(chat_generator=MockChatGenerator(response_fn=scripted), tools=tools).run([ChatMessage.from_user("Go.")])
        (message,) = given
        return {"content": message.tool_call_result.result, "marked": message.tool_call_result.error}

    try:
        yield ask
    finally:
        tools.close()
