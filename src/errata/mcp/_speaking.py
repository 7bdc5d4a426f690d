"""What both servers have in common: the SDK's objects that go over the wire, and its exceptions."""

from collections.abc import AsyncGenerator, Iterable, Mapping
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
from errata.serving import IN_WORK, CallTool, Installation, Kind, Listed

MEANT = (FaultError, ToolError, ResourceError)
"""What somebody raises on purpose."""
_CRASHED = (UnexpectedToolError, UnexpectedResourceError)
_WRAPPED_IN_WORDS = (ToolError, ResourceError, ValidationError)
_PREFIX = "Error executing tool "


class Speaking(Installation):
    """What both servers have in common: the objects of the SDK that go over the wire."""

    @staticmethod
    @asynccontextmanager
    async def calling(server: MCPServer[Any] | Server[Any], mode: str) -> AsyncGenerator[CallTool, None]:
        """Connect a client in memory."""
        async with Client(server, mode=mode) as client:
            yield client.call_tool

    def result(self, encoded: Mapping[str, object]) -> CallToolResult:
        """Make the result of a tool."""
        told = cast("Any", encoded)  # Checked by our own tests; to validate it here takes as long as to encode it.
        blocks = [TextContent(type="text", text=block["text"]) for block in told["content"]]
        return CallToolResult(
            content=list[ContentBlock](blocks),
            structured_content=told["structuredContent"],
            is_error=told.get("isError", False),
            _meta=told.get("_meta"),
        )

    def failure_in(self, result: object) -> Mapping[str, object] | None:
        """Give a result as JSON, if it says that the tool failed; a handler may return plain JSON itself."""
        match result:
            case CallToolResult(is_error=True):
                return result.model_dump(mode="json", by_alias=True, exclude_none=True)
            case {"isError": True}:
                return cast("Mapping[str, object]", result)
            case _:
                return None

    def asks(self, result: object) -> bool:
        """Whether a result is a question to the client."""
        return isinstance(result, InputRequiredResult)

    def question(self, kind: Kind, encoded: Mapping[str, object]) -> InputRequiredResult:  # noqa: ARG002 - all kinds are asked alike.
        """Make the result that asks."""
        return InputRequiredResult.model_validate(encoded)

    def protocol_error(self, encoded: Mapping[str, object]) -> MCPError:
        """Make the exception that becomes a JSON-RPC error."""
        return MCPError(cast("int", encoded["code"]), str(encoded["message"]), encoded["data"])

    def with_errors(self, tool: Tool, function: object = None) -> Tool:
        """Copy a listed tool, with its failures in it."""
        told = self.listed(tool.name, Listed(tool.description, tool.meta, tool.output_schema), function)
        return tool.model_copy(
            update={"description": told.description, "meta": told.meta, "output_schema": told.output_schema}
        )


def is_nested(origin: Any) -> bool:  # noqa: ANN401 - an Origin, as declared by the SDK.
    """Whether a call comes from inside a tool that is running, and not from a client."""
    working = IN_WORK.get()
    if working is None:
        return False
    try:
        return working.context is origin.request_context
    except ValueError:  # Somebody made the context by hand.
        return True


def schema_of(name: str, tools: Iterable[Tool]) -> Mapping[str, object]:
    """Find the schema of a tool's arguments in a list of tools; an empty one if it is not there."""
    for tool in tools:
        if tool.name == name:
            return tool.input_schema
    return {}


def is_wrapping(error: BaseException, cause: BaseException) -> bool:
    """Whether the SDK put an exception around another one."""
    if isinstance(error, _CRASHED):
        return True
    return isinstance(error, ToolError) and isinstance(cause, _WRAPPED_IN_WORDS) and text_of(error).startswith(_PREFIX)
