"""The same tools on three servers, and a client of either era that talks to each."""

import inspect
from contextlib import asynccontextmanager

import anyio
import mcp_types as wire
from fastmcp import FastMCP
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from pydantic import TypeAdapter

KINDS = ("MCPServer", "Server", "FastMCP")
ERAS = ("auto", "legacy")
_LONGEST = 60


def mcp_server(*tools, resources=None, prompts=(), **options):
    server = MCPServer("errata-tests", **options)
    for tool in tools:
        server.tool()(tool)
    for uri, read in (resources or {}).items():
        server.resource(uri)(read)
    for prompt in prompts:
        server.prompt()(prompt)
    return server


def fast_mcp(*tools, resources=None, prompts=(), **options):
    server = FastMCP("errata-tests", **options)
    for tool in tools:
        server.tool(tool)
    for uri, read in (resources or {}).items():
        server.resource(uri)(read)
    for prompt in prompts:
        server.prompt(prompt)
    return server


def low_level(*tools, resources=None, prompts=()):
    tools = {tool.__name__: tool for tool in tools}
    prompts = {prompt.__name__: prompt for prompt in prompts}

    async def call_tool(_, params):
        result = await _run(tools[params.name], params.arguments or {})
        if isinstance(result, wire.CallToolResult):
            return result
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=str(result))])

    async def list_tools(_, __):
        return wire.ListToolsResult(tools=[_listed(tool) for tool in tools.values()])

    async def read_resource(_, params):
        text = await _run(resources[str(params.uri)], {})
        return wire.ReadResourceResult(contents=[wire.TextResourceContents(uri=params.uri, text=text)])

    async def get_prompt(_, params):
        text = await _run(prompts[params.name], params.arguments or {})
        message = wire.PromptMessage(role="user", content=wire.TextContent(type="text", text=text))
        return wire.GetPromptResult(messages=[message])

    return Server(
        "errata-tests",
        on_call_tool=call_tool,
        on_list_tools=list_tools,
        on_read_resource=read_resource if resources else None,
        on_get_prompt=get_prompt if prompts else None,
    )


async def _run(function, arguments):
    if inspect.iscoroutinefunction(function):
        return await function(**arguments)
    return await anyio.to_thread.run_sync(lambda: function(**arguments))


def _listed(tool):
    schema = TypeAdapter(tool).json_schema(mode="validation")
    return wire.Tool(name=tool.__name__, description=tool.__doc__, input_schema=schema)


MAKERS = {"MCPServer": mcp_server, "Server": low_level, "FastMCP": fast_mcp}


@asynccontextmanager
async def connected(server, era="auto", **options):
    """A client of the official SDK, for whichever server; nothing it does lasts longer than a few seconds."""
    with anyio.fail_after(_LONGEST):
        async with Client(getattr(server, "_mcp_server", server), mode=era, **options) as client:
            yield client
