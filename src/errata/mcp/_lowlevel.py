"""The adapter for the low-level `Server`: its request handlers are wrapped, those to come as well."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
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
from errata.serving import (
    CallTool,
    Group,
    Handler,
    Host,
    Kind,
    Offer,
    RefusedArguments,
    RefusedModel,
    Request,
    RequestFailure,
    refuses_arguments,
    remove_wrappers,
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


class LowLevelAdapter:
    """One low-level `Server`, seen through its SDK."""

    masks = False
    build_error = staticmethod(build_error)
    build_result = staticmethod(build_result)
    read_result = staticmethod(read_result)
    _host: Host

    def __init__(self, server: Server[Any]) -> None:
        self._server = server
        self._handlers: dict[str, HandlerEntry[Any]] = {}
        self._register = server.add_request_handler
        self._listed: dict[str, Tool] = {}
        """The tools as they were listed last, by their names."""

    def hook(self, host: Host) -> None:
        """Put errata around the request handlers that are there, and those to come."""
        self._host = host
        host.call_on_uninstall(self._restore)
        for method in _WRAPPED:
            if entry := self._server.get_request_handler(method):
                self.add_request_handler(method, entry.params_type, entry.handler)
        host.replace_attribute(self._server, "add_request_handler", self.add_request_handler)

    def add_request_handler(self, method: str, params_type: type[BaseModel], handler: _Handler) -> None:
        """Register a handler, with errata around it."""
        if method not in _WRAPPED:
            self._register(method, params_type, handler)
            return
        self._handlers[method] = HandlerEntry(params_type, handler)
        kind = _WRAPPED[method]
        self._register(method, params_type, self._wrap(kind, handler) if kind else self._wrap_list(handler))

    def _restore(self) -> None:
        for method, entry in self._handlers.items():
            self._register(method, entry.params_type, entry.handler)

    def _wrap(self, kind: Kind, handler: _Handler) -> _Handler:
        async def attend(context: ServerRequestContext[Any, Any], params: _Params) -> HandlerResult:
            origin = _Received(context, params)
            if is_nested(origin):
                return await handler(context, params)
            if isinstance(params, ReadResourceRequestParams):
                request = Request(kind, str(params.uri), None, origin)
            else:
                request = Request(kind, params.name, params.arguments, origin)
            return cast("HandlerResult", await self._host.attend(request, handler, context, params))

        return attend

    def _wrap_list(self, handler: _Handler) -> _Handler:
        async def list_tools(context: ServerRequestContext[Any, Any], params: object) -> HandlerResult:
            result = await handler(context, params)
            if not isinstance(result, ListToolsResult):
                return result
            if getattr(params, "cursor", None) is None:
                self._listed.clear()
                if result.next_cursor is None:  # It is the whole list.
                    self._host.note_tools([Offer.from_listed(Group.TOOLS, tool) for tool in result.tools])
            self._listed |= {tool.name: tool for tool in result.tools}
            return result.model_copy(update={"tools": [publish_tool(self._host, tool) for tool in result.tools]})

        return list_tools

    async def unwrap(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return the failure inside the SDK's wrapping; an `MCPError` is for the protocol."""
        if isinstance(error, MCPError):
            return None
        inside = remove_wrappers(error, is_wrapper, INTENDED)
        if isinstance(inside, ValidationError):
            refused = refuses_arguments(inside, request.arguments)
            return RefusedArguments(inside, is_intended=True) if refused else RefusedModel(inside)
        return RequestFailure(inside, isinstance(inside, INTENDED))

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return what a tool declares. Its function is not known: one handler of the author's runs them all."""
        if request.kind is not Kind.TOOL:
            return None
        name = tool or request.name
        if name not in self._listed:
            for each in await self._list_tools(request, until=name):
                if each.name == name:
                    self._listed[name] = each
        listed = self._listed.get(name)
        return None if listed is None else Handler(None, listed.annotations, listed.input_schema)

    async def list_visible(self, request: Request) -> list[Offer]:
        """Return the tools that the request's client may see; other clients may see other tools."""
        if request.kind is not Kind.TOOL:
            return []
        return [Offer.from_listed(Group.TOOLS, tool) for tool in await self._list_tools(request)]

    async def _list_tools(self, request: Request, *, until: str | None = None) -> list[Tool]:
        """Return the server's own list of tools, page after page; with `until`, no further than that tool."""
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

    async def list_offers(self) -> list[Offer]:
        """Read the server's lists as a client does; only its handlers know the functions behind them."""
        async with Client(self._server) as client:
            return [
                Offer.from_listed(group, listed)
                for method, group in _LISTS.items()
                if self._server.get_request_handler(method)
                for listed in await _read_pages(client, group)
            ]

    def connect(self, mode: str) -> AbstractAsyncContextManager[CallTool]:
        """Connect a client in memory."""
        return connect(self._server, mode)


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


async def _read_pages(client: Client, group: Group) -> list[object]:
    """Return the entries of all pages of a list; an endless list is cut off."""
    listed: list[object] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await getattr(client, f"list_{group}")(cursor=cursor)
        listed += getattr(page, group)
        if (cursor := page.next_cursor) is None:
            break
    return listed
