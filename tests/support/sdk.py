"""The SDK that is installed, whichever era it is of: what tests of every era build servers and clients from."""

from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import anyio

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
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.shared.exceptions import MCPError
else:
    from mcp import types
    from mcp.server.fastmcp import Context, FastMCP as OfficialServer
    from mcp.server.fastmcp.exceptions import ToolError
    from mcp.shared.exceptions import McpError as MCPError
    from mcp.shared.memory import create_connected_server_and_client_session as connect_in_memory

OFFICIAL = OfficialServer.__name__ if IS_MODERN else "FastMCP of mcp 1"
HAS_FASTMCP = find_spec("fastmcp") is not None


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


@asynccontextmanager
async def connected_session(target):
    """A session of mcp 1, in memory or with a process of its own."""
    from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415 - not for mcp 2.
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
    return await session.send_request(types.ClientRequest(request), result, progress_callback=note)
