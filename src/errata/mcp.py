"""The official SDK's servers: `MCPServer`, and the low-level `Server` under it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple, TypeAlias, cast

from mcp import Client
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import HandlerEntry, Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import (
    ResourceError,
    ToolError,
    UnexpectedResourceError,
    UnexpectedToolError,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    TextContent,
    Tool,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from errata._fault import FaultError
from errata._jsonable import text_of
from errata._serving import (
    IN_WORK,
    Bug,
    CallTool,
    Failed,
    Group,
    Installation,
    Kind,
    Listed,
    MissingArguments,
    Offer,
    RefusedArguments,
    Request,
    RequestContext,
    Settings,
    Unknown,
    meant_in,
    unwrapped,
)

_Handler: TypeAlias = Callable[[ServerRequestContext[Any, Any], Any], Awaitable[HandlerResult]]
_Params: TypeAlias = CallToolRequestParams | ReadResourceRequestParams | GetPromptRequestParams
_WRAPPED = {
    "tools/call": Kind.TOOL,
    "resources/read": Kind.RESOURCE,
    "prompts/get": Kind.PROMPT,
    "tools/list": None,
}
_LISTS = {
    "tools/list": Group.TOOLS,
    "resources/list": Group.RESOURCES,
    "resources/templates/list": Group.TEMPLATES,
    "prompts/list": Group.PROMPTS,
}
_MOST_PAGES = 100
_MEANT = (FaultError, ToolError, ResourceError)
_CRASHED = (UnexpectedToolError, UnexpectedResourceError)
_WRAPPED_IN_WORDS = (ToolError, ResourceError, ValidationError)
_PREFIX = "Error executing tool "


class _Speaking(Installation):
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


class MCPServerInstallation(_Speaking):
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
        if context is None or (IN_WORK.get() and _is_nested(context)):
            return await self._call_tool(name, arguments, context)
        request = _Request(Kind.TOOL, name, arguments, context)
        answer: CallToolResult | InputRequiredResult
        answer = await self.attend(request, self._call_tool, name, arguments, context)
        return answer

    async def read_resource(self, uri: AnyUrl | str, context: Context[Any, Any] | None = None) -> object:
        """Read a resource; for a client, a failure is a JSON-RPC error."""
        if context is None or (IN_WORK.get() and _is_nested(context)):
            return await self._read_resource(uri, context)
        request = _Request(Kind.RESOURCE, str(uri), None, context)
        return await self.attend(request, self._read_resource, uri, context)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Render a prompt; for a client, a failure is a JSON-RPC error."""
        if context is None or (IN_WORK.get() and _is_nested(context)):
            return await self._get_prompt(name, arguments, context)
        request = _Request(Kind.PROMPT, name, arguments, context)
        answer: GetPromptResult | InputRequiredResult
        answer = await self.attend(request, self._get_prompt, name, arguments, context)
        return answer

    async def list_tools(self) -> list[Tool]:
        """List the tools, with their failures."""
        tools = await self._list_tools()
        self.look_for_typos(tool.name for tool in tools)
        return [self.with_errors(tool, _registered(self._server, Kind.TOOL, tool.name)) for tool in tools]

    async def judge(self, error: BaseException, request: Request) -> Failed | None:
        """Take the SDK's wrapping off an exception; an `MCPError` is for the protocol."""
        if isinstance(error, MCPError):
            return None
        if request.kind is Kind.PROMPT:
            return await self._judge_prompt(error, request)
        if type(error) is ToolError and isinstance(error.__cause__, ValidationError):
            return RefusedArguments(error.__cause__, on_purpose=True)
        inside = unwrapped(error, _is_wrapping, _MEANT)
        if isinstance(inside, ValidationError):
            refused = request.kind is Kind.RESOURCE and self._is_about_arguments(inside, request)
            return RefusedArguments(inside, on_purpose=True) if refused else Bug(inside)
        is_meant = isinstance(inside, _MEANT)
        if is_meant and inside is error and text_of(inside) == f"Unknown {request.kind}: {request.name}":
            return Unknown(inside, on_purpose=True, known=await self.names(request.kind))
        return Failed(inside, on_purpose=is_meant)

    async def _judge_prompt(self, error: BaseException, request: Request) -> Failed:
        """Look into the ValueErrors that the SDK makes of everything a prompt raises."""
        told = error.__cause__ or error
        inside = meant_in(told.__cause__ or told, _MEANT)
        if inside is told and text_of(told) == f"Unknown prompt: {request.name}":
            return Unknown(told, on_purpose=True, known=await self.names(Kind.PROMPT))
        if inside is told and text_of(told).startswith("Missing required arguments: "):
            return MissingArguments(told, on_purpose=True, names=await self._absent(request))
        if isinstance(inside, ValidationError):
            refused = self._is_about_arguments(inside, request)
            return RefusedArguments(inside, on_purpose=True) if refused else Bug(inside)
        return Failed(inside, on_purpose=isinstance(inside, _MEANT))

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
        return _schema_of(request.name, await self._list_tools())

    def function(self, request: Request) -> object:
        """Find the function that a request runs."""
        return _registered(self._server, request.kind, request.name)


class ServerInstallation(_Speaking):
    """errata in a low-level `Server`: its request handlers are wrapped, those to come as well."""

    def __init__(self, server: Server[Any], settings: Settings) -> None:
        super().__init__(server, settings)
        self._server = server
        self._handlers: dict[str, HandlerEntry[Any]] = {}
        self._register = server.add_request_handler

    def hook(self) -> None:
        """Put errata around the handlers that are there, and those that come."""
        self._undo.callback(self._restore)
        for method in _WRAPPED:
            if entry := self._server.get_request_handler(method):
                self.add_request_handler(method, entry.params_type, entry.handler)
        self._replace(self._server, "add_request_handler", self.add_request_handler)

    @staticmethod
    async def offered(server: Server[Any]) -> list[Offer]:
        """Ask the server for its lists, as a client does; the functions behind them only its handlers know."""
        async with Client(server) as client:
            return [
                Offer.of(group, listed, None)
                for method, group in _LISTS.items()
                if server.get_request_handler(method)
                for listed in await _all_pages(client, group)
            ]

    def add_request_handler(self, method: str, params_type: type[BaseModel], handler: _Handler) -> None:
        """Register a handler, with errata around it."""
        if method not in _WRAPPED:
            self._register(method, params_type, handler)
            return
        self._handlers[method] = HandlerEntry(params_type, handler)
        kind = _WRAPPED[method]
        self._register(method, params_type, self._around(kind, handler) if kind else self._around_list(handler))

    def _restore(self) -> None:
        for method, entry in self._handlers.items():
            self._register(method, entry.params_type, entry.handler)

    def _around(self, kind: Kind, handler: _Handler) -> _Handler:
        async def attended(context: ServerRequestContext[Any, Any], params: _Params) -> HandlerResult:
            origin = _Received(context, params)
            if _is_nested(origin):
                return await handler(context, params)
            if isinstance(params, ReadResourceRequestParams):
                request = Request(kind, str(params.uri), None, origin)
            else:
                request = Request(kind, params.name, params.arguments, origin)
            return cast("HandlerResult", await self.attend(request, handler, context, params))

        return attended

    def _around_list(self, handler: _Handler) -> _Handler:
        async def list_tools(context: ServerRequestContext[Any, Any], params: object) -> HandlerResult:
            result = await handler(context, params)
            if not isinstance(result, ListToolsResult):
                return result
            self.look_for_typos(tool.name for tool in result.tools)
            return result.model_copy(update={"tools": [self.with_errors(tool) for tool in result.tools]})

        return list_tools

    async def judge(self, error: BaseException, request: Request) -> Failed | None:
        """Take the SDK's wrapping off an exception; an `MCPError` is for the protocol."""
        if isinstance(error, MCPError):
            return None
        inside = unwrapped(error, _is_wrapping, _MEANT)
        if isinstance(inside, ValidationError):
            refused = _is_about(request.arguments, inside)
            return RefusedArguments(inside, on_purpose=True) if refused else Bug(inside)
        return Failed(inside, on_purpose=isinstance(inside, _MEANT))

    async def input_schema(self, request: Request) -> Mapping[str, object]:
        """Ask the server's own list for the schema of a tool's arguments."""
        entry = self._handlers.get("tools/list")
        if entry is None:
            return {}
        result = await entry.handler(cast("ServerRequestContext[Any, Any]", request.context), PaginatedRequestParams())
        tools = result.tools if isinstance(result, ListToolsResult) else ()
        return _schema_of(request.name, tools)

    def function(self, request: Request) -> object:  # noqa: ARG002 - one handler does it all.
        """Find nothing: a low-level server does not know its functions."""
        return None


class _Received(NamedTuple):
    """A low-level handler's two arguments, as one origin."""

    request_context: Any
    params: _Params

    @property
    def input_responses(self) -> Mapping[str, object] | None:
        return self.params.input_responses

    @property
    def request_state(self) -> str | None:
        return self.params.request_state


class _Request(Request):
    """A request that an MCPServer's context knows about."""

    def find_context(self) -> RequestContext | None:
        """Look where Pydantic keeps it: the property gives the same, and takes as long as all else about a failure."""
        private = cast("Context[Any, Any]", self.origin).__pydantic_private__ or {}
        return private.get("_request_context") or super().find_context()


def _is_nested(origin: Context[Any, Any] | _Received) -> bool:
    """Whether a call comes from inside a tool that is running, and not from a client."""
    working = IN_WORK.get()
    if working is None:
        return False
    try:
        return working.context is origin.request_context
    except ValueError:  # Somebody made the context by hand.
        return True


async def _all_pages(client: Client, group: Group) -> list[object]:
    """Read a list to its end; one that has none is read for a while."""
    listed: list[object] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await getattr(client, f"list_{group}")(cursor=cursor)
        listed += getattr(page, group)
        if (cursor := page.next_cursor) is None:
            break
    return listed


def _schema_of(name: str, tools: Iterable[Tool]) -> Mapping[str, object]:
    for tool in tools:
        if tool.name == name:
            return tool.input_schema
    return {}


def _is_wrapping(error: BaseException, cause: BaseException) -> bool:
    if isinstance(error, _CRASHED):
        return True
    return isinstance(error, ToolError) and isinstance(cause, _WRAPPED_IN_WORDS) and text_of(error).startswith(_PREFIX)


def _is_about(arguments: Mapping[str, object], error: ValidationError) -> bool:
    """Whether a handler that validates for itself found fault with what the client sent, and not with its own data."""
    try:
        return all(_value_at(arguments, detail["loc"], detail["type"]) == detail["input"] for detail in error.errors())
    except Exception:  # noqa: BLE001 - it compares foreign objects, which may do anything; then nobody can say.
        return False


def _value_at(arguments: object, place: tuple[int | str, ...], problem: str) -> object:
    """Follow a place; the name of a union's member is in it, too, and leads nowhere."""
    for part in place[:-1] if problem == "missing" else place:
        with suppress(LookupError, TypeError):
            arguments = cast("Any", arguments)[part]
    return arguments


def _registered(server: MCPServer[Any], kind: Kind, name: str) -> object:
    """Find the function behind a name. The SDK keeps it to itself, so this looks where it has been since 2.1.

    `install(server, contracts={…})` is the way that does not need this.
    """
    try:
        if kind is Kind.TOOL:
            return cast("Any", server)._tool_manager.get_tool(name).fn  # noqa: SLF001 - see above.
        if kind is Kind.PROMPT:
            return cast("Any", server)._prompt_manager.get_prompt(name).fn  # noqa: SLF001
        resources = cast("Any", server)._resource_manager  # noqa: SLF001
        found = resources._resources.get(name) or next(  # noqa: SLF001
            template
            for template in resources.list_templates()
            if name == template.uri_template or template.matches(name) is not None
        )
    except (AttributeError, StopIteration, ValueError):
        return None
    return getattr(found, "fn", None)
