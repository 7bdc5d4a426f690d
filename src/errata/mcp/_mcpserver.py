"""errata in an `MCPServer`."""

from collections.abc import Mapping
from typing import Any, cast

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, GetPromptResult, InputRequiredResult, Tool
from pydantic import AnyUrl, ValidationError

from errata.mcp._speaking import MEANT, Speaking, is_nested, is_wrapping, schema_of
from errata.redaction import text_of
from errata.serving import (
    IN_WORK,
    Failed,
    Group,
    Kind,
    MissingArguments,
    Offer,
    RefusedArguments,
    RefusedModel,
    Request,
    RequestContext,
    Settings,
    Unknown,
    meant_in,
    unwrapped,
)


class MCPServerInstallation(Speaking):
    """errata in an `MCPServer`: its public methods are wrapped, on this one server."""

    def __init__(self, server: MCPServer[Any], settings: Settings) -> None:
        super().__init__(server, settings)
        self._server = server
        self._call_tool = server.call_tool
        self._read_resource = server.read_resource
        self._get_prompt = server.get_prompt
        self._list_tools = server.list_tools

    def hook(self) -> None:
        """Take the place of the server's own methods."""
        for replacement in (self.call_tool, self.read_resource, self.get_prompt, self.list_tools):
            self._replace(self._server, replacement.__name__, replacement)

    @staticmethod
    async def offered(server: MCPServer[Any]) -> list[Offer]:
        """List what the server offers, with the functions that the SDK keeps for it."""
        return [
            Offer.of(group, listed, _registered(server, group.kind, group.name_of(listed)))
            for group in Group
            for listed in await getattr(server, f"list_{group}")()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; for a client, a failure is a result."""
        if context is None or (IN_WORK.get() and is_nested(context)):
            return await self._call_tool(name, arguments, context)
        request = _Request(Kind.TOOL, name, arguments, context)
        answer: CallToolResult | InputRequiredResult
        answer = await self.attend(request, self._call_tool, name, arguments, context)
        return answer

    async def read_resource(self, uri: AnyUrl | str, context: Context[Any, Any] | None = None) -> object:
        """Read a resource; for a client, a failure is a JSON-RPC error."""
        if context is None or (IN_WORK.get() and is_nested(context)):
            return await self._read_resource(uri, context)
        request = _Request(Kind.RESOURCE, str(uri), None, context)
        return await self.attend(request, self._read_resource, uri, context)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Render a prompt; for a client, a failure is a JSON-RPC error."""
        if context is None or (IN_WORK.get() and is_nested(context)):
            return await self._get_prompt(name, arguments, context)
        request = _Request(Kind.PROMPT, name, arguments, context)
        answer: GetPromptResult | InputRequiredResult
        answer = await self.attend(request, self._get_prompt, name, arguments, context)
        return answer

    async def list_tools(self) -> list[Tool]:
        """List the tools, with their failures."""
        tools = await self._list_tools()
        self.look_for_typos({tool.name: tool.input_schema for tool in tools})
        return [self.with_errors(tool, _registered(self._server, Kind.TOOL, tool.name)) for tool in tools]

    async def judge(self, error: BaseException, request: Request) -> Failed | None:
        """Take the SDK's wrapping off an exception; an `MCPError` is for the protocol."""
        if isinstance(error, MCPError):
            return None
        if request.kind is Kind.PROMPT:
            return await self._judge_prompt(error, request)
        if type(error) is ToolError and isinstance(error.__cause__, ValidationError):
            return RefusedArguments(error.__cause__, on_purpose=True)
        inside = unwrapped(error, is_wrapping, MEANT)
        if isinstance(inside, ValidationError):
            refused = request.kind is Kind.RESOURCE and self._is_about_arguments(inside, request)
            return RefusedArguments(inside, on_purpose=True) if refused else RefusedModel(inside)
        is_meant = isinstance(inside, MEANT)
        if is_meant and inside is error and text_of(inside) == f"Unknown {request.kind}: {request.name}":
            return Unknown(inside, on_purpose=True, known=await self.names(request.kind))
        return Failed(inside, on_purpose=is_meant)

    async def _judge_prompt(self, error: BaseException, request: Request) -> Failed:
        """Look into the ValueErrors that the SDK makes of everything a prompt raises."""
        told = error.__cause__ or error
        inside = meant_in(told.__cause__ or told, MEANT)
        if inside is told and text_of(told) == f"Unknown prompt: {request.name}":
            return Unknown(told, on_purpose=True, known=await self.names(Kind.PROMPT))
        if inside is told and text_of(told).startswith("Missing required arguments: "):
            return MissingArguments(told, on_purpose=True, names=await self._absent(request))
        if isinstance(inside, ValidationError):
            refused = self._is_about_arguments(inside, request)
            return RefusedArguments(inside, on_purpose=True) if refused else RefusedModel(inside)
        return Failed(inside, on_purpose=isinstance(inside, MEANT))

    def _is_about_arguments(self, error: ValidationError, request: Request) -> bool:
        """Tell by its title whether Pydantic refused the arguments of the function or something inside of it."""
        return error.title == getattr(self.function(request), "__name__", None)

    async def _absent(self, request: Request) -> tuple[str, ...]:
        for prompt in await self._server.list_prompts():
            if prompt.name == request.name:
                wanted = (argument.name for argument in prompt.arguments or () if argument.required)
                return tuple(name for name in wanted if name not in request.arguments)
        return ()

    async def input_schema(self, request: Request) -> Mapping[str, object]:
        """Find the schema of a tool's arguments."""
        known = getattr(_registered_tool(self._server, request.name), "parameters", None)
        if isinstance(known, dict):
            return cast("dict[str, object]", known)
        return schema_of(request.name, await self._list_tools())

    async def annotations(self, request: Request) -> object:
        """Find what a tool declares of itself."""
        if (tool := _registered_tool(self._server, request.name)) is not None:
            return getattr(tool, "annotations", None)
        return next((tool.annotations for tool in await self._list_tools() if tool.name == request.name), None)

    def function(self, request: Request) -> object:
        """Find the function that a request runs."""
        return _registered(self._server, request.kind, request.name)


class _Request(Request):
    """A request that an MCPServer's context knows about."""

    __slots__ = ()

    def find_context(self) -> RequestContext | None:
        """Look where Pydantic keeps it: the property gives the same, and takes as long as all else about a failure."""
        private = cast("Context[Any, Any]", self.origin).__pydantic_private__ or {}
        return private.get("_request_context") or super().find_context()


def _registered(server: MCPServer[Any], kind: Kind, name: str) -> object:
    """Find the function behind a name. The SDK keeps it to itself, so this looks where it has been since 2.1.

    `install(server, contracts={…})` is the way that does not need this.
    """
    try:
        if kind is Kind.TOOL:
            return getattr(_registered_tool(server, name), "fn", None)
        if kind is Kind.PROMPT:
            return cast("Any", server)._prompt_manager.get_prompt(name).fn  # noqa: SLF001 - see above.
        resources = cast("Any", server)._resource_manager  # noqa: SLF001
        found = resources._resources.get(name) or next(  # noqa: SLF001
            template
            for template in resources.list_templates()
            if name == template.uri_template or template.matches(name) is not None
        )
    except (AttributeError, StopIteration, ValueError):
        return None
    return getattr(found, "fn", None)


def _registered_tool(server: MCPServer[Any], name: str) -> object:
    """Find the SDK's own object for a tool. A list of all tools holds the same, and takes a thousand times as long."""
    try:
        return cast("Any", server)._tool_manager.get_tool(name)  # noqa: SLF001 - as above.
    except AttributeError:
        return None
