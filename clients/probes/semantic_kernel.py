"""Semantic Kernel."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import ClassVar

from semantic_kernel.agents import ChatCompletionAgent
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.mcp import MCPStdioPlugin
from semantic_kernel.contents import ChatHistory, ChatMessageContent, FunctionCallContent, FunctionResultContent


class Scripted(ChatCompletionClientBase):
    """Calls a tool, and keeps what comes of it."""

    SUPPORTS_FUNCTION_CALLING: ClassVar[bool] = True
    call: FunctionCallContent
    given: list = []  # noqa: RUF012 - pydantic copies it.

    async def _inner_get_chat_message_contents(self, chat_history: ChatHistory, _: object) -> list[ChatMessageContent]:
        items = [item for message in chat_history.messages for item in message.items]
        self.given[:] = [item for item in items if isinstance(item, FunctionResultContent)]
        if self.given:
            return [ChatMessageContent("assistant", content="Done.")]
        return [ChatMessageContent("assistant", items=[self.call])]

    def _verify_function_choice_settings(self, settings: object) -> None:
        pass

    def _update_function_choice_settings_callback(self) -> Callable:
        return lambda *_: None

    def _reset_function_choice_settings(self, settings: object) -> None:
        pass


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with MCPStdioPlugin("orders", command, args=arguments, load_prompts=False) as plugin:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            call = FunctionCallContent(id="1", name=f"orders-{tool}", arguments=json.dumps(arguments))
            model = Scripted(ai_model_id="scripted", call=call)
            await ChatCompletionAgent(service=model, name="agent", plugins=[plugin]).get_response("Go.")
            (result,) = model.given
            content = str(result.result)
            return {"content": content, "marked": "is_error=True" in content}

        yield ask
