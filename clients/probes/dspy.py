"""DSPy's ReAct."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import dspy
from dspy.utils import DummyLM
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

DONE = {"next_thought": "Done.", "next_tool_name": "finish", "next_tool_args": {}}
ANSWER = {"reasoning": "Done.", "answer": "Done."}


@asynccontextmanager
async def connected(command: str, arguments: list[str]) -> AsyncGenerator[Callable]:
    async with Client(stdio_client(StdioServerParameters(command=command, args=arguments))) as client:
        tools = [dspy.Tool.from_mcp_tool(client, tool) for tool in (await client.list_tools()).tools]

        async def ask(tool: str, arguments: dict[str, object]) -> dict[str, object]:
            call = {"next_thought": "Go.", "next_tool_name": tool, "next_tool_args": arguments}
            model = DummyLM([call, DONE, ANSWER])
            with dspy.context(lm=model):
                await dspy.ReAct("question -> answer", tools).acall(question="Go.")
            content = model.history[1]["messages"][-1]["content"]
            return {"content": content, "marked": f"Execution error in {tool}" in content}

        yield ask
