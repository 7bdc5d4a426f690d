"""AutoGen's AssistantAgent, with the workbench of autogen-ext."""

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, FunctionExecutionResultMessage, LLMMessage, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams

INFO = ModelInfo(vision=False, function_calling=True, json_output=False, family="unknown", structured_output=False)
NO_USAGE = RequestUsage(prompt_tokens=0, completion_tokens=0)


class Scripted(ReplayChatCompletionClient):
    """Calls a tool, and keeps what comes of it."""

    def __init__(self, tool: str, arguments: dict[str, object]) -> None:
        call = FunctionCall(id="1", name=tool, arguments=json.dumps(arguments))
        turn = CreateResult(finish_reason="function_calls", content=[call], usage=NO_USAGE, cached=False)
        super().__init__([turn, "Done."], model_info=INFO)
        self.given: list = []

    async def create(self, messages: Sequence[LLMMessage], **others: object) -> CreateResult:
        """Answer one turn."""
        self.given = [message for message in messages if isinstance(message, FunctionExecutionResultMessage)]
        return await super().create(messages, **others)


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with McpWorkbench(StdioServerParams(command=command, args=arguments, read_timeout_seconds=30)) as workbench:

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            model = Scripted(tool, arguments)
            await AssistantAgent("agent", model, workbench=workbench, reflect_on_tool_use=True).run(task="Go.")
            (result,) = model.given[0].content
            return {"content": result.content, "marked": bool(result.is_error)}

        yield ask
