"""The adapters for mcp 1.6 to 1.30, for its `FastMCP` and the low-level `Server` under it.

The request handlers are wrapped, those to come as well. The SDK makes text of whatever a tool raises, before anybody
else sees it; while errata has a request in work, that is raised again instead. FastMCP 2 and 3 stand on the same
low-level server, and their adapter on this one.

Type checkers see mcp 2, where much of this has other names: all that comes from mcp 1 is `Any` here.
"""

import inspect
import logging
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, TypeAlias, cast

import anyio
from anyio.lowlevel import checkpoint_if_cancelled
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
    find_cause,
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
_IS_BEFORE_OUTPUT_SCHEMAS = "outputSchema" not in _types.Tool.model_fields
"""Whether it is mcp before 1.10."""
_MOST_PAGES = 100
_MOST_NAMES = 10_000
_LONGEST_LIST_S = 2.0
"""How long a reply waits for the author's list of tools, which may be another server's."""
_DEEPEST = 32
_DOING = ("Error reading ", "Error rendering ", "Error creating ", "Error executing ")
_MISSING = "Missing required arguments: "
_INPUT, _OUTPUT = "Input validation error: ", "Output validation error: "
THEIR_RECORDS = (
    *("Error calling ", "Error creating ", "Error getting ", "Error reading ", "Error rendering ", "Error validating "),
    "Invalid arguments for tool ",
)
NOT_LISTED = "Tool '%s' not listed"
"""What the low-level server says of a tool: in front of a server that lists all its tools, of an unknown one."""
_TIMED_OUT = "' timed out after "
_BROKEN = ("Unexpected return type", "Could not convert prompt result")
"""How the SDK begins what it says of a handler that gave back what it must not."""
_URL_ELICITATION_REQUIRED = -32042


class Version1Adapter:
    """One low-level `Server` of mcp 1, or a server that is built on one."""

    masks = False
    intended: tuple[type[BaseException], ...] = (FaultError, _exceptions.ToolError, _exceptions.ResourceError)
    """What somebody raises for the client."""
    packages: tuple[str, ...] = ("mcp.server",)
    """Whose code puts its own exceptions around those of handlers."""
    loggers: tuple[str, ...] = ("mcp.server.fastmcp.server", "mcp.server.lowlevel.server")
    """Where it logs what errata logs."""
    records: tuple[str, ...] = THEIR_RECORDS
    """How such records begin."""
    _host: Host

    def __init__(self, server: object) -> None:
        self._server: Any = server
        self._low_level: Any = getattr(server, "_mcp_server", server)
        self._make_text: Callable[[str], object] | None = getattr(self._low_level, "_make_error_result", None)
        self._handlers = _Handlers(self._low_level.request_handlers, self._wrap)
        self._listed = dict[str, Any]()
        """The tools on the pages that were listed."""
        self._unlisted = set[str]()
        """Names that a list did not have, until a client lists the tools again."""
        self._pages = dict[str, list[Any]]()
        """The tools on the pages before a cursor."""

    def hook(self, host: Host) -> None:
        """Put errata around the request handlers that are there and those to come, and quiet the server's own log records."""
        self._host = host
        host.replace_attribute(self._low_level, "request_handlers", self._handlers)
        if self._make_text is not None:  # Without it a failure stays the text that the SDK makes of it.
            host.replace_attribute(self._low_level, "_make_error_result", self._raise_again)
        for name in self.loggers:
            logger = logging.getLogger(name)
            logger.addFilter(quiet := _Silence(self.records))
            host.call_on_uninstall(logger.removeFilter, quiet)

    def _wrap(self, request_type: type, handle: Handle) -> Handle:
        kind = KINDS.get(request_type)
        if kind is Kind.TOOL and _IS_BEFORE_OUTPUT_SCHEMAS:
            handle = _leave_exceptions(handle)
        if kind is None:
            return self._wrap_list(handle) if request_type is _LISTS[Group.TOOLS] else handle

        async def attend(received: Any) -> object:  # noqa: ANN401 - a request of mcp 1.
            context = _request_ctx.get(None)
            if context is None:
                return await handle(received)
            if working := _find_work(context):
                return await working.answer_inside(handle, received)
            params = received.params
            name = str(params.uri) if kind is Kind.RESOURCE else params.name
            origin = _Origin(context, self)
            request = Request(kind, name, getattr(params, "arguments", None), origin)
            try:
                return await self._host.attend(request, origin.raise_again, handle, received)
            finally:  # mcp has answered a cancelled request already; a second answer would end the server.
                origin.is_done = True
                await checkpoint_if_cancelled()

        return attend

    @property
    def answers_in_json(self) -> bool:
        """Whether a request over HTTP gets one JSON document, so that no question reaches the client before it."""
        return False

    def _wrap_list(self, handle: Handle) -> Handle:
        async def list_tools(received: Any) -> object:  # noqa: ANN401 - as above.
            reply = await handle(received)
            listed: Any = getattr(reply, "root", None)
            if received is None or not isinstance(listed, _types.ListToolsResult):  # None: the SDK fills its cache.
                return reply
            self._note_page(getattr(received.params, "cursor", None), listed)
            tools = [await self._publish(tool) for tool in listed.tools]
            return _types.ServerResult(listed.model_copy(update={"tools": tools}))

        return list_tools

    def _note_page(self, cursor: str | None, page: Any) -> None:  # noqa: ANN401 - as above.
        """Take note of a page that a client is sent; with the last one, of the whole list."""
        if cursor is None:
            self._listed.clear()
            self._unlisted.clear()
        self._keep(page.tools)
        before = [] if cursor is None else self._pages.pop(cursor, None)
        if before is None:  # Somebody begins in the middle.
            return
        tools = [*before, *page.tools]
        if page.nextCursor is None:
            self._host.note_tools([Offer.from_listed(Group.TOOLS, tool) for tool in tools])
        else:
            self._pages[page.nextCursor] = tools
            if len(self._pages) > _MOST_PAGES:
                del self._pages[next(iter(self._pages))]

    def _keep(self, tools: Iterable[Any]) -> None:
        if len(self._listed) < _MOST_NAMES:
            self._listed |= {tool.name: tool for tool in tools}

    async def _publish(self, tool: Any) -> object:  # noqa: ANN401 - a tool of mcp 1.
        listed = ListedTool(tool.description, getattr(tool, "meta", None), getattr(tool, "outputSchema", None))
        published = self._host.publish(tool.name, listed, await self.find_function(Kind.TOOL, tool.name))
        if not hasattr(tool, "meta"):  # Before mcp 1.10; what it does not know, it passes on.
            return tool.model_copy(update={"description": published.description, "_meta": published.meta})
        update = {"description": published.description, "meta": published.meta, "outputSchema": published.output_schema}
        return tool.model_copy(update=update)

    def _raise_again(self, text: str) -> object:
        """Raise what the SDK is about to make text of; where errata has no request in work, let it."""
        working, error = _find_work(_request_ctx.get(None)), sys.exc_info()[1]
        if self._make_text is not None and (working is None or working.is_inside):
            made = self._make_text(text)
            if working and error:
                working.replies += ((made, _name_schema(error, text)),)
            return made
        if error is None:
            raise BrokenResultError(text)
        if working:
            working.as_text = error
        raise _name_schema(error, text)

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
            if (inside := find_cause(error) or _find_replaced(error)) is None:
                break
            error = inside
        return await self.read_failure(find_intended(error, (*self.intended, McpError)), request)

    def _is_the_sdks(self, error: BaseException) -> bool:
        return any(was_raised_in(package, error) for package in self.packages)

    async def _read_own(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return what an exception of the SDK's own says about a request; None if it says nothing."""
        text = text_of(error)
        if text in {f"Unknown {request.kind}: {request.name}", f"Unknown {request.kind}: {request.name!r}"}:
            return UnknownName(error, is_intended=True)
        if text.startswith(_BROKEN):
            return ServerBug(error)
        if request.kind is Kind.PROMPT and text.startswith(_MISSING):
            return MissingArguments(error, is_intended=True, names=await self._list_absent(request))
        return None

    async def read_failure(self, error: BaseException, request: Request) -> RequestFailure:
        """Return what an exception means that is not in any wrapping."""
        if isinstance(error, McpError):
            if not _is_of_another_session(error, request):
                return ProtocolFailure(_number(error))
            # Its number and data are a peer's: as words they inform, and license no repetition.
            return RequestFailure(_PeerError(text_of(error)).with_traceback(error.__traceback__))
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
        broken = list_broken_rules(handler.input_schema or {}, request.arguments) if handler else []
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
        if (listed := await self._find_listed(name)) is None:
            return None
        annotations = getattr(listed, "annotations", None)
        return Handler(await self.find_function(Kind.TOOL, name), annotations, as_object(listed.inputSchema))

    async def _find_listed(self, name: str) -> Any:  # noqa: ANN401 - a tool of mcp 1.
        """Return a tool as it is listed; None if it is not, and then until a client lists the tools again."""
        cache = getattr(self._low_level, "_tool_cache", {})  # The SDK keeps what it has listed.
        if name not in cache and name not in self._listed and name not in self._unlisted:
            with anyio.move_on_after(_LONGEST_LIST_S):
                self._keep(await self._list(Group.TOOLS, until=name))
            if name not in self._listed and len(self._unlisted) < _MOST_NAMES:
                self._unlisted.add(name)
        return cache.get(name) or self._listed.get(name)

    async def find_function(self, kind: Kind, name: str) -> object:
        """Return the function behind a name, or behind a URI; None if it cannot be found."""
        return find_function(self._server, kind, name)

    async def list_visible(self, request: Request) -> list[Offer]:
        """List what the request's client may see; other clients may see other tools."""
        groups, offers = Group.of_kind(request.kind), list[Offer]()
        with anyio.move_on_after(_LONGEST_LIST_S):
            for group in groups:
                offers += [Offer.from_listed(group, each) for each in await self._list(group)]
        return offers

    async def list_offers(self) -> list[Offer]:
        """List what the server offers, with the functions behind it."""
        return [
            Offer.from_listed(group, listed, await self.find_function(group.kind, read_name(group, listed)))
            for group in Group
            for listed in await self._list(group)
        ]

    async def _list(self, group: Group, until: str | None = None) -> list[Any]:
        """Return one of the server's own lists, page after page, or up to a name; an endless one is cut off."""
        handle, listed = self._handlers.plain.get(_LISTS[group]), list[Any]()
        cursor: str | None = None
        for _ in range(_MOST_PAGES if handle else 0):
            params = None if cursor is None else _types.PaginatedRequestParams(cursor=cursor)
            page = (await cast("Handle", handle)(_LISTS[group](method=_METHODS[group], params=params))).root
            listed += getattr(page, "resourceTemplates" if group is Group.TEMPLATES else group.value)
            cursor = page.nextCursor
            if cursor is None or (until is not None and any(each.name == until for each in listed)):
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
        built = _types.CallToolResult.model_construct(
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

    records: tuple[str, ...] = (*THEIR_RECORDS, NOT_LISTED)

    @property
    def answers_in_json(self) -> bool:
        """Whether its settings say so."""
        return bool(getattr(self._server.settings, "json_response", None))

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


def _leave_exceptions(handle: Handle) -> Handle:
    """Return the handler of tools of mcp before 1.10 without its last step, in which it makes text of any exception."""
    function: Any = inspect.getclosurevars(handle).nonlocals.get("func") if _is_made_by_decorator(handle) else None
    if function is None:
        return handle

    async def call(received: Any) -> object:  # noqa: ANN401 - a request of mcp 1.
        working = _find_work(_request_ctx.get(None))
        if working is None:
            return await handle(received)
        try:
            content = await function(received.params.name, received.params.arguments or {})
        except Exception as error:
            if not working.is_inside:
                working.as_text = error
                raise
            text = _types.TextContent(type="text", text=text_of(error))
            made = _types.ServerResult(_types.CallToolResult(content=[text], isError=True))
            working.replies += ((made, error),)
            return made
        return _types.ServerResult(_types.CallToolResult(content=list(content), isError=False))

    return call


def _is_made_by_decorator(handle: Handle) -> bool:
    """Return whether a handler was made by a decorator of the SDK."""
    return getattr(handle, "__module__", None) == "mcp.server.lowlevel.server"


class _PeerError(Exception):
    """What the client, or another server, answered to a request that a tool made: foreign words, and no more."""


class _RefusedBySchemaError(Exception):
    """The arguments break the tool's schema; the cause says where, for one of them."""


class _Handlers(MutableMapping[type, Handle]):
    """A view of a server's request handlers, each with errata around it; whoever holds `plain` may go on changing it."""

    def __init__(self, plain: dict[type, Handle], wrap: Callable[[type, Handle], Handle]) -> None:
        self.plain = plain
        self._wrap = wrap
        self._wrapped = dict[type, tuple[Handle, Handle]]()

    def __getitem__(self, request: type) -> Handle:
        plain = self.plain[request]
        known = self._wrapped.get(request)
        if known is None or known[0] is not plain:
            known = self._wrapped[request] = plain, self._wrap(request, plain)
        return known[1]

    def __setitem__(self, request: type, handle: Handle) -> None:
        self.plain[request] = handle

    def __delitem__(self, request: type) -> None:
        del self.plain[request]

    def __iter__(self) -> Iterator[type]:
        return iter(self.plain)

    def __len__(self) -> int:
        return len(self.plain)

    def copy(self) -> dict[type, Handle]:
        """Return what is here as the dict that a server has without errata."""
        return dict(self)

    def __or__(self, other: Mapping[type, Handle]) -> dict[type, Handle]:
        return {**self, **other}

    def __ior__(self, other: Mapping[type, Handle]) -> "_Handlers":  # noqa: PYI034 - `Self` needs no other name here.
        self.update(other)
        return self


class _Origin:
    """A request's context, as its origin; this protocol knows no second round."""

    input_responses = None
    request_state = None
    is_done = False
    is_inside = False
    """Whether a handler is called from inside of the request, by its author's own code."""
    replies: tuple[tuple[object, BaseException], ...] = ()
    """What such a handler was given for an exception, and the exception."""
    as_text: BaseException | None = None
    """The exception that the SDK would have made text of."""

    def __init__(self, context: object, adapter: Version1Adapter) -> None:
        self.received = context
        self._adapter = adapter

    @property
    def request_context(self) -> "_Context":
        is_http = getattr(self.received, "request", None) is not None
        return _Context(self.received, can_ask=not (is_http and self._adapter.answers_in_json))

    async def answer_inside(self, handle: Handle, received: object) -> object:
        """Call a handler for code that has wrapped it, or that calls it itself: it gets the reply that it would get."""
        outer, self.is_inside = self.is_inside, True
        try:
            return await handle(received)
        finally:
            self.is_inside = outer

    async def raise_again(self, handle: Handle, received: object) -> object:
        """Call a handler; where it passes on the reply to an exception, raise that."""
        result = await handle(received)
        error = next((error for reply, error in self.replies if reply is result), None) if self.replies else None
        if error is not None:
            self.as_text = error
            raise error
        return result


class _Context:
    """A request's context under the names that it has today."""

    protocol_version: str = _types.LATEST_PROTOCOL_VERSION

    def __init__(self, context: Any, *, can_ask: bool) -> None:  # noqa: ANN401 - of mcp 1.
        self.request_id: str | int | None = context.request_id
        self.session = _ClientSide(context.session, can_ask=can_ask)
        self._meta = context.meta

    @property
    def meta(self) -> Mapping[str, object] | None:
        dump = getattr(self._meta, "model_dump", None)
        return cast("Mapping[str, object] | None", dump(by_alias=True) if dump else self._meta)


class _ClientSide:
    """The connection to a client under the names that it has today."""

    def __init__(self, session: Any, *, can_ask: bool) -> None:  # noqa: ANN401 - of mcp 1.
        self._session = session
        self._can_ask = can_ask

    @property
    def client_capabilities(self) -> object:
        return getattr(self._session.client_params, "capabilities", None) if self._can_ask else None

    async def elicit_form(
        self, message: str, requested_schema: dict[str, object], related_request_id: str | int | None = None
    ) -> Any:  # noqa: ANN401 - the client's reply.
        elicit = getattr(self._session, "elicit_form", None) or self._session.elicit
        return await elicit(message, requested_schema, related_request_id)


class _Silence(logging.Filter):
    """Keeps a server from logging, traceback and all, what errata logs."""

    def __init__(self, records: tuple[str, ...]) -> None:
        super().__init__()
        self._records = records

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop a record of the failure of a request in work; one of a server without errata stays."""
        message = record.msg if isinstance(record.msg, str) else ""  # Anything may be logged.
        is_about_failure = message.startswith(self._records) or _TIMED_OUT in message
        return not is_about_failure or _find_work(_request_ctx.get(None)) is None


def _find_work(context: object) -> _Origin | None:
    """Return the origin of the request in work that a context belongs to, if errata has it in work."""
    working = IN_WORK.get()
    origin = working.origin if working is not None else None
    is_here = isinstance(origin, _Origin) and origin.received is context and not origin.is_done
    return cast("_Origin", origin) if context is not None and is_here else None


def _name_schema(error: BaseException, text: str) -> BaseException:
    """Return an exception; of one that the SDK got from a schema, one that says whose schema it was."""
    if not text.startswith((_INPUT, _OUTPUT)) or not was_raised_in("jsonschema", error):
        return error
    if text.startswith(_INPUT):
        named: Exception = _RefusedBySchemaError()
    else:
        named = BrokenResultError("the result breaks the tool's own output schema")
    named.__cause__ = error
    return named


def _number(error: Any) -> Exception:  # noqa: ANN401 - of mcp 1.
    """Return an error for the protocol; one with 0, which is what mcp 1 sends for want of a number, with a legal one."""
    if error.error.code != 0:
        return cast("Exception", error)
    legal = McpError(error.error.model_copy(update={"code": _types.INTERNAL_ERROR}))
    return legal.with_traceback(error.__traceback__)


def _is_of_another_session(error: Any, request: Request) -> bool:  # noqa: ANN401 - of mcp 1.
    """Return whether a tool's own request, to its client or to another server, failed; the SDK makes text of that."""
    is_text = isinstance(request.origin, _Origin) and request.origin.as_text is not None
    is_requests = was_raised_in("mcp.shared.session", error) and error.error.code != _URL_ELICITATION_REQUIRED
    return request.kind is Kind.TOOL and is_text and is_requests


def _find_replaced(error: BaseException) -> BaseException | None:
    """Return the exception that one of the SDK's replaced without `from`: it quotes it, or says what it was doing."""
    inside, text = error.__context__, text_of(error)
    quoted = text_of(inside) if inside is not None else ""
    return inside if text.startswith(_DOING) or (quoted and text.endswith(quoted)) else None
