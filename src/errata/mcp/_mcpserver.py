"""The adapter for `MCPServer`: its public methods are wrapped, on this one server."""

from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, GetPromptResult, InputRequiredResult, Tool
from pydantic import AnyUrl, ValidationError

from errata.mcp._managers import find_function, find_tool, is_about_result
from errata.mcp._wire_objects import (
    INTENDED,
    build_error,
    build_result,
    connect,
    is_nested,
    is_wrapper,
    publish_tool,
    read_result,
)
from errata.redaction import text_of
from errata.serving import (
    IN_WORK,
    CallTool,
    Group,
    Handler,
    Host,
    Kind,
    MissingArguments,
    Offer,
    RefusedArguments,
    RefusedModel,
    Request,
    RequestContext,
    RequestFailure,
    ServerBug,
    UnknownName,
    find_intended,
    read_name,
    remove_wrappers,
)


class MCPServerAdapter:
    """One `MCPServer`, seen through its SDK."""

    masks = False
    build_error = staticmethod(build_error)
    build_result = staticmethod(build_result)
    read_result = staticmethod(read_result)
    _host: Host

    def __init__(self, server: MCPServer[Any]) -> None:
        self._server = server
        self._call_tool = server.call_tool
        self._read_resource = server.read_resource
        self._get_prompt = server.get_prompt
        self._list_tools = server.list_tools

    def hook(self, host: Host) -> None:
        """Replace the server's own methods."""
        self._host = host
        for replacement in (self.call_tool, self.read_resource, self.get_prompt, self.list_tools):
            host.replace_attribute(self._server, replacement.__name__, replacement)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; for a client, a failure is a result."""
        if context is None or (IN_WORK.get() and is_nested(context)):
            return await self._call_tool(name, arguments, context)
        request = _Request(Kind.TOOL, name, arguments, context)
        reply: CallToolResult | InputRequiredResult
        reply = await self._host.attend(request, self._call_tool, name, arguments, context)
        return reply

    async def read_resource(self, uri: AnyUrl | str, context: Context[Any, Any] | None = None) -> object:
        """Read a resource; for a client, a failure is a JSON-RPC error."""
        if context is None or (IN_WORK.get() and is_nested(context)):
            return await self._read_resource(uri, context)
        request = _Request(Kind.RESOURCE, str(uri), None, context)
        return await self._host.attend(request, self._read_resource, uri, context)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Render a prompt; for a client, a failure is a JSON-RPC error."""
        if context is None or (IN_WORK.get() and is_nested(context)):
            return await self._get_prompt(name, arguments, context)
        request = _Request(Kind.PROMPT, name, arguments, context)
        reply: GetPromptResult | InputRequiredResult
        reply = await self._host.attend(request, self._get_prompt, name, arguments, context)
        return reply

    async def list_tools(self) -> list[Tool]:
        """List the tools, with their failures."""
        tools = await self._list_tools()
        self._host.note_tools([Offer.from_listed(Group.TOOLS, tool) for tool in tools])
        return [publish_tool(self._host, tool, find_function(self._server, Kind.TOOL, tool.name)) for tool in tools]

    async def unwrap(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return the failure inside the SDK's wrapping; an `MCPError` is for the protocol."""
        if isinstance(error, MCPError):
            return None
        if request.kind is Kind.PROMPT:
            return await self._unwrap_prompt(error, request)
        if type(error) is ToolError and isinstance(error.__cause__, ValidationError):
            return RefusedArguments(error.__cause__, is_intended=True)
        inside = remove_wrappers(error, is_wrapper, INTENDED)
        if isinstance(inside, ValidationError):
            return self._read_refusal(inside, request)
        is_intended = isinstance(inside, INTENDED)
        if is_intended and inside is error and text_of(inside) == f"Unknown {request.kind}: {request.name}":
            return UnknownName(inside, is_intended=True)
        return RequestFailure(inside, is_intended)

    def _read_refusal(self, error: ValidationError, request: Request) -> RequestFailure:
        """Return what Pydantic refused: the result, the arguments, or a model in the body of the handler."""
        if is_about_result(error):
            return ServerBug(error)
        refused = request.kind is not Kind.TOOL and self._is_about_arguments(error, request)
        return RefusedArguments(error, is_intended=True) if refused else RefusedModel(error)

    async def _unwrap_prompt(self, error: BaseException, request: Request) -> RequestFailure:
        """Return the failure inside the ValueError that the SDK makes of everything a prompt raises."""
        outer = error.__cause__ or error
        inside = find_intended(outer.__cause__ or outer, INTENDED)
        if inside is outer and text_of(outer) == f"Unknown prompt: {request.name}":
            return UnknownName(outer, is_intended=True)
        if inside is outer and text_of(outer).startswith("Missing required arguments: "):
            return MissingArguments(outer, is_intended=True, names=await self._list_absent(request))
        if isinstance(inside, ValidationError):
            return self._read_refusal(inside, request)
        return RequestFailure(inside, isinstance(inside, INTENDED))

    def _is_about_arguments(self, error: ValidationError, request: Request) -> bool:
        """Return whether Pydantic refused the arguments of the function, whose name is its title then."""
        return error.title == getattr(find_function(self._server, request.kind, request.name), "__name__", None)

    async def _list_absent(self, request: Request) -> tuple[str, ...]:
        for prompt in await self._server.list_prompts():
            if prompt.name == request.name:
                wanted = (argument.name for argument in prompt.arguments or () if argument.required)
                return tuple(name for name in wanted if name not in request.arguments)
        return ()

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return a handler from the SDK's registry, or as far as its list of tools describes it."""
        name = tool or request.name
        if request.kind is not Kind.TOOL:
            return Handler(find_function(self._server, request.kind, name))
        registered = find_tool(self._server, name)
        function, schema = getattr(registered, "fn", None), getattr(registered, "parameters", None)
        if isinstance(schema, dict):
            return Handler(function, getattr(registered, "annotations", None), cast("dict[str, object]", schema))
        listed = next((each for each in await self._list_tools() if each.name == name), None)
        return None if listed is None else Handler(function, listed.annotations, listed.input_schema)

    async def list_visible(self, request: Request) -> list[Offer]:
        """List what the server has; every client sees the same tools."""
        groups = Group.of_kind(request.kind)
        return [Offer.from_listed(group, each) for group in groups for each in await self._list(group)]

    async def list_offers(self) -> list[Offer]:
        """List what the server offers, with the functions that the SDK keeps for it."""
        return [
            Offer.from_listed(group, listed, find_function(self._server, group.kind, read_name(group, listed)))
            for group in Group
            for listed in await self._list(group)
        ]

    async def _list(self, group: Group) -> list[object]:
        return cast("list[object]", await getattr(self._server, f"list_{group}")())

    def connect(self, mode: str) -> AbstractAsyncContextManager[CallTool]:
        """Connect a client in memory."""
        return connect(self._server, mode)


class _Request(Request):
    """A request that an MCPServer's context knows about."""

    def find_context(self) -> RequestContext | None:
        """Read the context where Pydantic keeps it; the SDK's property takes as long as all else about a failure."""
        private = cast("Context[Any, Any]", self.origin).__pydantic_private__ or {}
        return private.get("_request_context") or super().find_context()
