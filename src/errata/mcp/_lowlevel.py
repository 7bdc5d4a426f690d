"""errata in a low-level `Server`."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias, cast

from mcp import Client
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import HandlerEntry, Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequestParams,
    GetPromptRequestParams,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    Tool,
)
from pydantic import BaseModel, ValidationError

from errata.mcp._speaking import MEANT, Speaking, is_nested, is_wrapping
from errata.serving import Failed, Group, Kind, Offer, RefusedArguments, RefusedModel, Request, Settings, unwrapped

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


class ServerInstallation(Speaking):
    """errata in a low-level `Server`: its request handlers are wrapped, those to come as well."""

    def __init__(self, server: Server[Any], settings: Settings) -> None:
        super().__init__(server, settings)
        self._server = server
        self._handlers: dict[str, HandlerEntry[Any]] = {}
        self._register = server.add_request_handler
        self._declarations: dict[str, Tool] = {}
        """The tools as they were listed last, by their names."""

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
            if is_nested(origin):
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
            if getattr(params, "cursor", None) is None:
                self._declarations.clear()
                if result.next_cursor is None:  # It is the whole list.
                    self.look_for_typos({tool.name: tool.input_schema for tool in result.tools})
            self._declarations |= {tool.name: tool for tool in result.tools}
            return result.model_copy(update={"tools": [self.with_errors(tool) for tool in result.tools]})

        return list_tools

    async def judge(self, error: BaseException, request: Request) -> Failed | None:
        """Take the SDK's wrapping off an exception; an `MCPError` is for the protocol."""
        if isinstance(error, MCPError):
            return None
        inside = unwrapped(error, is_wrapping, MEANT)
        if isinstance(inside, ValidationError):
            refused = _is_about(request.arguments, inside)
            return RefusedArguments(inside, on_purpose=True) if refused else RefusedModel(inside)
        return Failed(inside, on_purpose=isinstance(inside, MEANT))

    async def input_schema(self, request: Request) -> Mapping[str, object]:
        """Find the schema of a tool's arguments."""
        tool = await self._declared(request)
        return tool.input_schema if tool else {}

    async def annotations(self, request: Request) -> object:
        """Find what a tool declares of itself."""
        tool = await self._declared(request)
        return tool.annotations if tool else None

    async def _declared(self, request: Request) -> Tool | None:
        """Look a tool up in the list that was sent last; if it is not in there, the server is asked for it."""
        if request.name not in self._declarations and (tool := await self._listed(request)):
            self._declarations[tool.name] = tool
        return self._declarations.get(request.name)

    async def tools(self, request: Request) -> Mapping[str, Mapping[str, object]]:
        """Ask the server's own list, on behalf of the client that asks now."""
        return {tool.name: tool.input_schema for tool in await self._listed_tools(request)}

    async def _listed(self, request: Request) -> Tool | None:
        tools = await self._listed_tools(request, until=request.name)
        return next((tool for tool in tools if tool.name == request.name), None)

    async def _listed_tools(self, request: Request, *, until: str | None = None) -> list[Tool]:
        """Read the server's own list, page after page, perhaps only until a tool is there."""
        entry, listed = self._handlers.get("tools/list"), list[Tool]()
        if entry is None:
            return listed
        context, params = cast("ServerRequestContext[Any, Any]", request.context), PaginatedRequestParams()
        for _ in range(_MOST_PAGES):
            page = await entry.handler(context, params)
            listed += page.tools if isinstance(page, ListToolsResult) else ()
            cursor = getattr(page, "next_cursor", None)
            if cursor is None or any(tool.name == until for tool in listed):
                break
            params = PaginatedRequestParams(cursor=cursor)
        return listed

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
