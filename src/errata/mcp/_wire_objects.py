"""What both servers of the SDK have in common: its objects that go over the wire, and its exceptions."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

from mcp import Client
from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedResourceError, UnexpectedToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ContentBlock, InputRequiredResult, TextContent, Tool
from pydantic import ValidationError

from errata.model import FaultError
from errata.redaction import text_of
from errata.serving import IN_WORK, CallTool, Host, ListedTool, Request, is_plain

INTENDED = (FaultError, ToolError, ResourceError)
"""What somebody raises for the client."""
_CRASHED = (UnexpectedToolError, UnexpectedResourceError)
_WRAPPED_IN_WORDS = (ToolError, ResourceError, ValidationError)
_PREFIX = "Error executing tool "


@asynccontextmanager
async def connect(server: MCPServer[Any] | Server[Any], mode: str) -> AsyncGenerator[CallTool, None]:
    """Connect a client in memory."""
    async with Client(server, mode=mode) as client:
        yield client.call_tool


def build_result(request: Request, encoded: Mapping[str, object]) -> CallToolResult | InputRequiredResult:  # noqa: ARG001 - all kinds are asked alike.
    """Build a tool's result, or the result that asks."""
    if "inputRequests" in encoded:
        return InputRequiredResult.model_validate(encoded)
    if not is_plain(encoded):
        return CallToolResult.model_validate(encoded)
    result = cast("Any", encoded)  # To validate it takes as long as to encode it.
    blocks = [TextContent(type="text", text=block["text"]) for block in result["content"]]
    return CallToolResult(
        content=list[ContentBlock](blocks),
        structured_content=result["structuredContent"],
        is_error=result.get("isError", False),
        _meta=result.get("_meta"),
    )


def build_error(encoded: Mapping[str, object]) -> MCPError:
    """Build the exception that becomes a JSON-RPC error."""
    return MCPError(cast("int", encoded["code"]), str(encoded["message"]), encoded["data"])


def read_result(result: object) -> Mapping[str, object] | None:
    """Return the JSON of a result that reports a failure or asks; a handler may return plain JSON itself."""
    match result:
        case CallToolResult(is_error=True) | InputRequiredResult():
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)
        case {"isError": True}:
            return cast("Mapping[str, object]", result)
        case _:
            return None


def publish_tool(host: Host, tool: Tool, function: object = None) -> Tool:
    """Copy a listed tool, with its failures in it."""
    published = host.publish(tool.name, ListedTool(tool.description, tool.meta, tool.output_schema), function)
    return tool.model_copy(update=published._asdict())


def is_nested(origin: Any) -> bool:  # noqa: ANN401 - an Origin, as declared by the SDK.
    """Return whether a call comes from inside a tool that is running, and not from a client."""
    working = IN_WORK.get()
    if working is None:
        return False
    try:
        return working.context is origin.request_context
    except ValueError:  # Somebody made the context by hand.
        return True


def is_wrapper(error: BaseException, cause: BaseException) -> bool:
    """Return whether the SDK put an exception around another one."""
    if isinstance(error, _CRASHED):
        return True
    return isinstance(error, ToolError) and isinstance(cause, _WRAPPED_IN_WORDS) and text_of(error).startswith(_PREFIX)
