"""The same tools on three servers, and a client of either era that talks to each."""

import inspect
from contextlib import asynccontextmanager

import anyio
from mcp.server.lowlevel import Server
from pydantic import TypeAdapter

from support.sdk import (
    HAS_FASTMCP,
    IS_MODERN,
    LONGEST_S,
    OFFICIAL,
    PROTOCOLS,
    OfficialServer,
    connect,
    register,
    types as wire,
)

if HAS_FASTMCP:
    from fastmcp import FastMCP

KINDS = (OFFICIAL, "Server", *(("FastMCP",) if HAS_FASTMCP else ()))
ERAS = tuple(PROTOCOLS.values())


def mcp_server(*tools, resources=None, prompts=(), **options):
    server = OfficialServer("errata-tests", **options)
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

    if not IS_MODERN:
        return register(
            Server("errata-tests"),
            list_tools=list_tools,
            call_tool=call_tool,
            read_resource=read_resource if resources else None,
            get_prompt=get_prompt if prompts else None,
        )
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
    return wire.Tool.model_validate({"name": tool.__name__, "description": tool.__doc__, "inputSchema": schema})


MAKERS = dict(zip(KINDS, (mcp_server, low_level, fast_mcp), strict=False))


@asynccontextmanager
async def connected(server, era="auto", **options):
    """A client of the official SDK, for whichever server; nothing it does lasts longer than a few seconds."""
    with anyio.fail_after(LONGEST_S):
        async with connect(getattr(server, "_mcp_server", server), era, **options) as client:
            yield client
