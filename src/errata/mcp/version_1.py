"""The adapters for mcp 1.10 to 1.30, for its `FastMCP` and the low-level `Server` under it.

The request handlers are wrapped, those to come as well. The SDK makes text of whatever a tool raises, before anybody
else sees it; while errata has a request in work, that is raised again instead. FastMCP 2 and 3 stand on the same
low-level server, and their adapter on this one.

Type checkers see mcp 2, where much of this has other names: all that comes from mcp 1 is `Any` here.
"""

import logging
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, TypeAlias, cast

from anyio.lowlevel import checkpoint_if_cancelled
from jsonschema import ValidationError as SchemaBroken
from pydantic import ValidationError

from errata.mcp._managers import find_function, find_tool, is_about_result
from errata.mcp.schemas import BrokenResultError, list_broken_rules
from errata.model import FaultError
from errata.redaction import as_object, text_of
from errata.serving import (
    IN_WORK,
    CallTool,
    Group,
    Handler,
    Host,
    Kind,
    ListedTool,
    MissingArguments,
    Offer,
    ProtocolFailure,
    RefusedArguments,
    RefusedModel,
    Request,
    RequestFailure,
    ServerBug,
    UnknownName,
    find_intended,
    is_plain,
    read_name,
    refuses_arguments,
    was_raised_in,
)

_types: Any = import_module("mcp.types")
_exceptions: Any = import_module("mcp.server.fastmcp.exceptions")
_request_ctx: Any = cast("Any", import_module("mcp.server.lowlevel.server")).request_ctx
McpError: type[Exception] = cast("Any", import_module("mcp.shared.exceptions")).McpError

Handle: TypeAlias = Callable[[Any], Awaitable[Any]]
KINDS = {
    _types.CallToolRequest: Kind.TOOL,
    _types.ReadResourceRequest: Kind.RESOURCE,
    _types.GetPromptRequest: Kind.PROMPT,
}
_LISTS = {
    Group.TOOLS: _types.ListToolsRequest,
    Group.RESOURCES: _types.ListResourcesRequest,
    Group.TEMPLATES: _types.ListResourceTemplatesRequest,
    Group.PROMPTS: _types.ListPromptsRequest,
}
_METHODS = {
    Group.TOOLS: "tools/list",
    Group.RESOURCES: "resources/list",
    Group.TEMPLATES: "resources/templates/list",
    Group.PROMPTS: "prompts/list",
}
_MOST_PAGES = 100
_DEEPEST = 32
_DOING = ("Error reading ", "Error rendering ", "Error creating ", "Error executing ")
_MISSING = "Missing required arguments: "
_INPUT = "Input validation error: "


class Version1Adapter:
    """One low-level `Server` of mcp 1, or a server that is built on one."""

    masks = False
    intended: tuple[type[BaseException], ...] = (FaultError, _exceptions.ToolError, _exceptions.ResourceError)
    """What somebody raises for the client."""
    packages: tuple[str, ...] = ("mcp.server",)
    """Whose code puts its own exceptions around those of handlers."""
    loggers: tuple[str, ...] = ("mcp.server.fastmcp.server", "mcp.server.lowlevel.server")
    """Where it logs what errata logs."""
    _host: Host

    def __init__(self, server: object) -> None:
        self._server: Any = server
        self._low_level: Any = getattr(server, "_mcp_server", server)
        self._handlers = _Handlers(self._low_level.request_handlers, self._wrap)
        self._make_text: Callable[[str], object] | None = getattr(self._low_level, "_make_error_result", None)

    def hook(self, host: Host) -> None:
        """Put errata around the request handlers that are there and those to come, and quiet the server's own log records."""
        self._host = host
        host.replace_attribute(self._low_level, "request_handlers", self._handlers)
        if self._make_text is not None:  # Without it a failure stays the text that the SDK makes of it.
            host.replace_attribute(self._low_level, "_make_error_result", self._raise_again)
        for name in self.loggers:
            logger = logging.getLogger(name)
            logger.addFilter(quiet := _Silence())
            host.call_on_uninstall(logger.removeFilter, quiet)

    def _wrap(self, request_type: type, handle: Handle) -> Handle:
        kind = KINDS.get(request_type)
        if kind is None:
            return self._wrap_list(handle) if request_type is _LISTS[Group.TOOLS] else handle

        async def attend(received: Any) -> object:  # noqa: ANN401 - a request of mcp 1.
            context = _request_ctx.get(None)
            if context is None or _is_in_work(context):
                return await handle(received)
            params = received.params
            name = str(params.uri) if kind is Kind.RESOURCE else params.name
            request = Request(kind, name, getattr(params, "arguments", None), _Origin(context))
            try:
                return await self._host.attend(request, handle, received)
            finally:  # mcp has answered a cancelled request already; a second answer would end the server.
                await checkpoint_if_cancelled()

        return attend

    def _wrap_list(self, handle: Handle) -> Handle:
        async def list_tools(received: Any) -> object:  # noqa: ANN401 - as above.
            reply = await handle(received)
            listed: Any = getattr(reply, "root", None)
            if received is None or not isinstance(listed, _types.ListToolsResult):  # None: the SDK fills its cache.
                return reply
            if getattr(received.params, "cursor", None) is None and listed.nextCursor is None:  # It is the whole list.
                self._host.note_tools([Offer.from_listed(Group.TOOLS, tool) for tool in listed.tools])
            tools = [await self._publish(tool) for tool in listed.tools]
            return _types.ServerResult(listed.model_copy(update={"tools": tools}))

        return list_tools

    async def _publish(self, tool: Any) -> object:  # noqa: ANN401 - a tool of mcp 1.
        listed = ListedTool(tool.description, tool.meta, tool.outputSchema)
        published = self._host.publish(tool.name, listed, await self.find_function(Kind.TOOL, tool.name))
        update = {"description": published.description, "meta": published.meta, "outputSchema": published.output_schema}
        return tool.model_copy(update=update)

    def _raise_again(self, text: str) -> object:
        """Raise what the SDK is about to make text of; where errata has no request in work, let it."""
        if self._make_text is not None and not _is_in_work(_request_ctx.get(None)):
            return self._make_text(text)
        error = sys.exc_info()[1]
        if error is None:
            raise BrokenResultError(text)
        if isinstance(error, SchemaBroken) and was_raised_in("jsonschema", error) and text.startswith(_INPUT):
            raise _RefusedBySchemaError from error
        if isinstance(error, SchemaBroken) and text.startswith("Output validation error: "):
            raise BrokenResultError("the result breaks the tool's own output schema") from error
        raise error

    async def unwrap(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return the failure inside the SDK's wrapping; an `McpError` is for the protocol."""
        if isinstance(error, _RefusedBySchemaError):
            return await self._itemise(error, request)
        if isinstance(error, BrokenResultError):
            return ServerBug(error)
        for _ in range(_DEEPEST):  # An exception may be its own cause.
            if not self._is_the_sdks(error):
                break
            if failure := await self._read_own(error, request):
                return failure
            if (inside := error.__cause__ or _find_replaced(error)) is None:
                break
            error = inside
        return await self.read_failure(find_intended(error, self.intended), request)

    def _is_the_sdks(self, error: BaseException) -> bool:
        return any(was_raised_in(package, error) for package in self.packages)

    async def _read_own(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return what an exception of the SDK's own says about a request; None if it says nothing."""
        text = text_of(error)
        if text.startswith(f"Unknown {request.kind}: ") and request.name in text:
            return UnknownName(error, is_intended=True)
        if request.kind is Kind.PROMPT and text.startswith(_MISSING):
            return MissingArguments(error, is_intended=True, names=await self._list_absent(request))
        return None

    async def read_failure(self, error: BaseException, request: Request) -> RequestFailure:
        """Return what an exception means that is not in any wrapping."""
        if isinstance(error, McpError):
            return ProtocolFailure(error)
        if isinstance(error, ValidationError):
            if is_about_result(error):
                return ServerBug(error)
            refused = await self.is_about_arguments(error, request)
            return RefusedArguments(error, is_intended=True) if refused else RefusedModel(error)
        return RequestFailure(error, isinstance(error, self.intended))

    async def is_about_arguments(self, error: ValidationError, request: Request) -> bool:
        """Return whether Pydantic refused the arguments of the handler."""
        return refuses_arguments(error, request.arguments)

    async def _itemise(self, error: BaseException, request: Request) -> RequestFailure:
        """Return all that is wrong with arguments: the SDK stops at what seems the worst to it."""
        handler = await self.find_handler(request)
        broken = list_broken_rules(handler.input_schema, request.arguments) if handler else []
        issues = broken or [cast("Exception", error.__cause__)]
        return RefusedArguments(ExceptionGroup("the arguments do not fit the tool's schema", issues), is_intended=True)

    async def _list_absent(self, request: Request) -> tuple[str, ...]:
        for prompt in await self._list(Group.PROMPTS):
            if prompt.name == request.name:
                wanted = (argument.name for argument in prompt.arguments or () if argument.required)
                return tuple(name for name in wanted if name not in request.arguments)
        return ()

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return what a tool declares. Its function is not known: one handler of the author's runs them all."""
        if tool is None and request.kind is not Kind.TOOL:
            return Handler(await self.find_function(request.kind, request.name))
        name = tool or request.name
        cache = getattr(self._low_level, "_tool_cache", {})  # The SDK keeps what it has listed.
        listed = cache.get(name) or next((each for each in await self._list(Group.TOOLS) if each.name == name), None)
        if listed is None:
            return None
        return Handler(await self.find_function(Kind.TOOL, name), listed.annotations, as_object(listed.inputSchema))

    async def find_function(self, kind: Kind, name: str) -> object:
        """Return the function behind a name, or behind a URI; None if it cannot be found."""
        return find_function(self._server, kind, name)

    async def list_visible(self, request: Request) -> list[Offer]:
        """List what the request's client may see; other clients may see other tools."""
        groups = Group.of_kind(request.kind)
        return [Offer.from_listed(group, each) for group in groups for each in await self._list(group)]

    async def list_offers(self) -> list[Offer]:
        """List what the server offers, with the functions behind it."""
        return [
            Offer.from_listed(group, listed, await self.find_function(group.kind, read_name(group, listed)))
            for group in Group
            for listed in await self._list(group)
        ]

    async def _list(self, group: Group) -> list[Any]:
        """Return one of the server's own lists, page after page; an endless one is cut off."""
        handle, listed = self._handlers.plain.get(_LISTS[group]), list[Any]()
        cursor: str | None = None
        for _ in range(_MOST_PAGES if handle else 0):
            params = None if cursor is None else _types.PaginatedRequestParams(cursor=cursor)
            page = (await cast("Handle", handle)(_LISTS[group](method=_METHODS[group], params=params))).root
            listed += getattr(page, "resourceTemplates" if group is Group.TEMPLATES else group.value)
            if (cursor := page.nextCursor) is None:
                break
        return listed

    @asynccontextmanager
    async def connect(self, mode: str) -> AsyncGenerator[CallTool, None]:  # noqa: ARG002 - there is one protocol.
        """Connect a client in memory."""
        memory: Any = import_module("mcp.shared.memory")
        async with memory.create_connected_server_and_client_session(self._low_level) as session:
            yield session.call_tool

    def read_result(self, result: object) -> Mapping[str, object] | None:
        """Return the JSON of a result that reports a failure; nothing asks."""
        root = getattr(result, "root", result)
        if not isinstance(root, _types.CallToolResult) or not cast("Any", root).isError:
            return None
        return cast("dict[str, object]", cast("Any", root).model_dump(mode="json", by_alias=True, exclude_none=True))

    def build_result(self, request: Request, encoded: Mapping[str, object]) -> object:  # noqa: ARG002 - all kinds are asked alike.
        """Build a tool's result."""
        if not is_plain(encoded):
            return _types.ServerResult(_types.CallToolResult.model_validate(encoded))
        result = cast("Any", encoded)  # To validate it takes as long as to encode it.
        built = _types.CallToolResult(
            content=[_types.TextContent(type="text", text=block["text"]) for block in result["content"]],
            structuredContent=result["structuredContent"],
            isError=result.get("isError", False),
            _meta=result.get("_meta"),
        )
        return _types.ServerResult.model_construct(built)

    def build_error(self, encoded: Mapping[str, object]) -> Exception:
        """Build the exception that becomes a JSON-RPC error."""
        error = _types.ErrorData(code=encoded["code"], message=str(encoded["message"]), data=encoded["data"])
        return McpError(error)


class FastMCP1Adapter(Version1Adapter):
    """One `FastMCP` of mcp 1."""

    async def is_about_arguments(self, error: ValidationError, request: Request) -> bool:
        """Return whether Pydantic refused the arguments of the function: their model is the title of its error then."""
        if request.kind is not Kind.TOOL:
            return error.title == getattr(find_function(self._server, request.kind, request.name), "__name__", None)
        metadata: Any = getattr(find_tool(self._server, request.name), "fn_metadata", None)
        return error.title == getattr(getattr(metadata, "arg_model", None), "__name__", None)

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return a handler from the SDK's registry, or as far as its list of tools describes it."""
        is_tool = tool is not None or request.kind is Kind.TOOL
        registered: Any = find_tool(self._server, tool or request.name) if is_tool else None
        if not isinstance(getattr(registered, "parameters", None), dict):
            return await super().find_handler(request, tool)
        return Handler(registered.fn, getattr(registered, "annotations", None), registered.parameters)


class _RefusedBySchemaError(Exception):
    """The arguments break the tool's schema; the cause says where, for one of them."""


class _Handlers(MutableMapping[type, Handle]):
    """A server's request handlers, each with errata around it; `plain` are those without, and go on as they were."""

    def __init__(self, plain: dict[type, Handle], wrap: Callable[[type, Handle], Handle]) -> None:
        self.plain = plain
        self._wrap = wrap
        self._wrapped = {request: wrap(request, handle) for request, handle in plain.items()}

    def __getitem__(self, request: type) -> Handle:
        return self._wrapped[request]

    def __setitem__(self, request: type, handle: Handle) -> None:
        self.plain[request] = handle
        self._wrapped[request] = self._wrap(request, handle)

    def __delitem__(self, request: type) -> None:
        del self.plain[request], self._wrapped[request]

    def __iter__(self) -> Iterator[type]:
        return iter(self._wrapped)

    def __len__(self) -> int:
        return len(self._wrapped)


class _Origin:
    """A request's context, as its origin; this protocol knows no second round."""

    input_responses = None
    request_state = None

    def __init__(self, context: object) -> None:
        self.received = context

    @property
    def request_context(self) -> "_Context":
        return _Context(self.received)


class _Context:
    """A request's context under the names that it has today."""

    protocol_version: str = _types.LATEST_PROTOCOL_VERSION

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - of mcp 1.
        self.request_id: str | int | None = context.request_id
        self.session = _ClientSide(context.session)
        self._meta = context.meta

    @property
    def meta(self) -> Mapping[str, object] | None:
        dump = getattr(self._meta, "model_dump", None)
        return cast("Mapping[str, object] | None", dump(by_alias=True) if dump else self._meta)


class _ClientSide:
    """The connection to a client under the names that it has today."""

    def __init__(self, session: Any) -> None:  # noqa: ANN401 - of mcp 1.
        self._session = session

    @property
    def client_capabilities(self) -> object:
        return getattr(self._session.client_params, "capabilities", None)

    async def elicit_form(
        self, message: str, requested_schema: dict[str, object], related_request_id: str | int | None = None
    ) -> Any:  # noqa: ANN401 - the client's reply.
        elicit = getattr(self._session, "elicit_form", None) or self._session.elicit
        return await elicit(message, requested_schema, related_request_id)


class _Silence(logging.Filter):
    """Keeps a server from logging, traceback and all, what errata logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop a record of an error that belongs to a request in work; one of a server without errata stays."""
        return record.levelno < logging.WARNING or not _is_in_work(_request_ctx.get(None))


def _is_in_work(context: object) -> bool:
    """Return whether errata has the request in work that a context belongs to."""
    working = IN_WORK.get()
    return context is not None and working is not None and getattr(working.origin, "received", None) is context


def _find_replaced(error: BaseException) -> BaseException | None:
    """Return the exception that one of the SDK's replaced without `from`: it quotes it, or says what it was doing."""
    inside, text = error.__context__, text_of(error)
    return inside if inside is not None and (text.startswith(_DOING) or text.endswith(text_of(inside))) else None
