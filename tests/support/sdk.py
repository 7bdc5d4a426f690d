"""The SDK that is installed, whichever era it is of: what tests of every era build servers and clients from."""

import inspect
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import anyio
from mcp.server.lowlevel.helper_types import ReadResourceContents
from pydantic import BaseModel

LONGEST_S = 60


def version_of(distribution):
    """Return the first two numbers of a version; nothing if it is not installed."""
    try:
        return tuple(int(number) for number in version(distribution).split(".")[:2])
    except PackageNotFoundError:
        return ()


MCP = version_of("mcp")
FASTMCP = version_of("fastmcp")
IS_MODERN = MCP >= (2,)
PROTOCOLS = {"2026-07-28": "auto", "2025-11-25": "legacy"} if IS_MODERN else {"2025-11-25": "legacy"}

if IS_MODERN:
    import mcp_types as types
    from mcp import Client
    from mcp.server.mcpserver import Context, MCPServer as OfficialServer
    from mcp.server.mcpserver.exceptions import ResourceError, ToolError
    from mcp.shared.exceptions import MCPError
else:
    from mcp import ClientSession, types
    from mcp.server.fastmcp import Context, FastMCP as OfficialServer
    from mcp.server.fastmcp.exceptions import ResourceError, ToolError
    from mcp.shared.exceptions import McpError as MCPError
    from mcp.shared.memory import create_connected_server_and_client_session as connect_in_memory

__all__ = ("Context", "OfficialServer", "ResourceError", "ToolError")  # Besides what is made here.
OFFICIAL = "MCPServer"
"""What tests call the official SDK's server of today; in mcp 1 its name is FastMCP."""
parse_message = types.jsonrpc_message_adapter.validate_python if IS_MODERN else types.JSONRPCMessage.model_validate
HAS_FASTMCP = find_spec("fastmcp") is not None
HAS_OUTPUT_SCHEMAS = MCP >= (1, 10)
HAS_ELICITATION = hasattr(types, "ElicitResult")
REPORTS_PROGRESS = MCP >= (1, 9)
"""Whether a client of the SDK can be told of progress."""


def protocol_error(code, message, data=None):
    """Build an error that its author means for the protocol."""
    return (
        MCPError(code, message, data) if IS_MODERN else MCPError(types.ErrorData(code=code, message=message, data=data))
    )


def tool_result(*texts, structured=None, is_error=False, meta=None):
    """Build a tool's result."""
    return types.CallToolResult.model_validate(
        {
            "content": [{"type": "text", "text": text} for text in texts],
            "structuredContent": structured,
            "isError": is_error,
            "_meta": meta,
        }
    )


def register(server, *, list_tools=None, call_tool=None, read_resource=None, get_prompt=None):
    """Register handlers that are written for mcp 2 with the decorators of mcp 1."""

    if list_tools:

        @server.list_tools()
        async def _():
            return (await list_tools(None, None)).tools

    if call_tool:

        @server.call_tool(**({"validate_input": False} if MCP >= (1, 10) else {}))
        async def _(name, arguments):
            params = types.CallToolRequestParams(name=name, arguments=arguments)
            result = await call_tool(server.request_context, params)
            return result if MCP >= (1, 20) else _take_apart(result)

    if read_resource:

        @server.read_resource()
        async def _(uri):
            contents = (await read_resource(None, types.ReadResourceRequestParams(uri=uri))).contents
            return [ReadResourceContents(content=each.text, mime_type="text/plain") for each in contents]

    if get_prompt:

        @server.get_prompt()
        async def _(name, arguments):
            return await get_prompt(None, types.GetPromptRequestParams(name=name, arguments=arguments))

    return server


def _take_apart(result):
    """Return a result as mcp before 1.20 takes it."""
    is_structured = HAS_OUTPUT_SCHEMAS and result.structuredContent
    return (result.content, result.structuredContent) if is_structured else result.content


@asynccontextmanager
async def connect(server, era="auto", **options):
    """A client in memory, whose results have the names that they have in mcp 2."""
    if IS_MODERN:
        async with Client(server, mode=era, **options) as client:
            yield client
    elif hasattr(server, "__aenter__"):  # A transport.
        async with server as streams, ClientSession(*streams[:2]) as session:
            await session.initialize()
            yield _Renamed(session)
    else:
        async with connect_in_memory(server, **options) as session:
            yield _Renamed(session)


class _Renamed:
    """An object of mcp 1 under the names of mcp 2: `isError` is `is_error`, and what it gives back is renamed, too."""

    def __init__(self, thing):
        self._thing = thing

    def __getattr__(self, name):
        first, *others = name.split("_")
        camel = first + "".join(map(str.capitalize, others))
        return _rename(getattr(self._thing, camel if first and hasattr(self._thing, camel) else name))

    def __eq__(self, other):
        return self._thing == getattr(other, "_thing", other)

    __hash__ = None


def _rename(thing):
    if inspect.iscoroutinefunction(thing):

        async def call(*args, **named):
            return _rename(await thing(*args, **named))

        return call
    if isinstance(thing, list):
        return [_rename(each) for each in thing]
    return _Renamed(thing) if isinstance(thing, BaseModel) else thing


@asynccontextmanager
async def connected_session(target):
    """A session of mcp 1, in memory or with a process of its own."""
    from mcp import StdioServerParameters  # noqa: PLC0415 - not for mcp 2.
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    with anyio.fail_after(LONGEST_S):
        if isinstance(target, StdioServerParameters):
            async with stdio_client(target) as streams, ClientSession(*streams) as session:
                await session.initialize()
                yield session
        else:
            async with connect_in_memory(getattr(target, "_mcp_server", target)) as session:
                yield session


async def send(session, request, result, note=None):
    """Send a request of mcp 1 as it is, `_meta` and all."""
    told = {"progress_callback": note} if REPORTS_PROGRESS else {}
    return await session.send_request(types.ClientRequest(request), result, **told)
