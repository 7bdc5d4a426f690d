"""The adapter for FastMCP's server: errata is its outermost middleware, so that all others see what they always saw."""

import functools
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias, TypeVar, cast

from fastmcp import FastMCP
from fastmcp.prompts.base import InputRequiredPromptResult, Prompt
from fastmcp.resources.base import InputRequiredResourceResult
from fastmcp.resources.template import ResourceTemplate
from fastmcp.server.context import reset_transport, set_transport
from fastmcp.server.dependencies import fastmcp_request_ctx
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.server.middleware.middleware import CallNext
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec, dedupe_with_versions
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, InputRequiredResult, TextContent

from errata.fastmcp._fastmcp_errors import (
    ABSENT,
    INTENDED,
    MASKED,
    is_from_core,
    is_wrapper,
    look_behind_middleware,
    read_protocol_error,
    read_refusal,
)
from errata.fastmcp._mounts import find_behind, is_proxy
from errata.mcp.schemas import BrokenResultError, ResultChecker
from errata.redaction import text_of
from errata.serving import (
    IN_WORK,
    CallTool,
    Group,
    Handler,
    Host,
    Kind,
    ListedTool,
    Offer,
    Origin,
    Request,
    RequestContext,
    RequestFailure,
    ServerBug,
    UnknownName,
    is_plain,
    read_name,
    remove_wrappers,
)

_Message: TypeAlias = MiddlewareContext[Any]
_T = TypeVar("_T")
_KINDS = {"tools/call": Kind.TOOL, "resources/read": Kind.RESOURCE, "prompts/get": Kind.PROMPT}
_QUESTIONS = {
    Kind.TOOL: InputRequiredToolResult,
    Kind.RESOURCE: InputRequiredResourceResult,
    Kind.PROMPT: InputRequiredPromptResult,
}
_THEIR_RECORDS = (
    "Error calling tool ",
    "Error reading resource ",
    "Error rendering prompt ",
    "Invalid arguments for tool ",
    "Tool '",
)
_THEIR_LOGGERS = ("fastmcp.server.server", "fastmcp.prompts.function_prompt", "fastmcp.tools.function_tool")


class FastMCPAdapter:
    """One FastMCP server, seen through its SDK."""

    _host: Host

    def __init__(self, server: FastMCP[Any]) -> None:
        self._server = server
        self.masks = bool(getattr(server, "_mask_error_details", None))
        self._results = ResultChecker()
        self._edge = _Edge(self)
        self._get_tool = server.get_tool
        self._get_prompt = server.get_prompt
        self._get_resource_template = server.get_resource_template

    def hook(self, host: Host) -> None:
        """Become the outermost middleware, watch what the server looks up, and quiet its own log records."""
        self._host = host
        self._server.middleware.insert(0, self._edge)
        host.call_on_uninstall(self._remove_edge)
        for replacement in (self.get_tool, self.get_prompt, self.get_resource_template):
            host.replace_attribute(self._server, replacement.__name__, replacement)
        for name in _THEIR_LOGGERS:
            logger = logging.getLogger(name)
            logger.addFilter(quiet := _Quiet())
            host.call_on_uninstall(logger.removeFilter, quiet)

    def _remove_edge(self) -> None:
        with suppress(ValueError):  # Somebody has cleared the list.
            self._server.middleware.remove(self._edge)

    async def get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        """Look a tool up, and note it for the request in work."""
        return _note_component(await self._get_tool(name, version))

    async def get_prompt(self, name: str, version: VersionSpec | None = None) -> Prompt | None:
        """Look a prompt up, and note it for the request in work."""
        return _note_component(await self._get_prompt(name, version))

    async def get_resource_template(self, uri: str, version: VersionSpec | None = None) -> ResourceTemplate | None:
        """Look a template up, and note it for the request in work."""
        return _note_component(await self._get_resource_template(uri, version))

    async def handle(self, kind: Kind, message: _Message, call_next: CallNext[Any, Any]) -> object:
        """Handle a client's request; a call from somebody's test or from inside a tool goes on as it did."""
        request = _read_request(kind, message)
        if request is None:
            return await self._pass_on(message, call_next)

        async def run() -> object:
            return self._check(await call_next(message), request.component)

        return await self._host.attend(request, run)

    def _check(self, result: object, tool: object) -> object:
        """Return a result, if it keeps what the tool promises: FastMCP would send anything as a success."""
        schema = getattr(tool, "output_schema", None)
        # What a server behind this one promised is that server's to keep.
        if schema is not None and type(result) is ToolResult and not result.is_error and not is_proxy(tool):
            self._results.check(result.structured_content, schema)
        return result

    async def _pass_on(self, message: _Message, call_next: CallNext[Any, Any]) -> object:
        """Let a call inside of another one raise; what this server withholds, the server around it withholds, too."""
        try:
            return await call_next(message)
        except Exception:
            working = IN_WORK.get()
            if self._host.mask and working is not None:
                working.masks = True
            raise

    async def list_tools(self, message: _Message, call_next: CallNext[Any, Sequence[Tool]]) -> list[Tool]:
        """List copies of the tools, with their failures in them."""
        tools = await call_next(message)
        self._host.note_tools([Offer.from_listed(Group.TOOLS, tool) for tool in tools])
        return [await self._publish(tool) for tool in tools]

    async def _publish(self, tool: Tool) -> Tool:
        function = getattr(await find_behind(tool), "fn", None)
        listed = ListedTool(tool.description, tool.meta, tool.output_schema)
        return tool.model_copy(update=self._host.publish(tool.name, listed, function)._asdict())

    async def unwrap(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return the failure inside FastMCP's wrapping; an error of the protocol that it hid there is raised again."""
        if isinstance(error, BrokenResultError):
            return ServerBug(error)
        error = look_behind_middleware(error)
        if not is_from_core(error) or isinstance(error, MCPError):
            return None
        inside, behind = remove_wrappers(error, is_wrapper, INTENDED), await find_behind(request.component)
        request.masks = request.masks or MASKED.fullmatch(text_of(error)) is not None
        if isinstance(behind, Tool):
            request.component = behind
        if isinstance(inside, MCPError):
            return read_protocol_error(inside, behind)
        if isinstance(inside, ABSENT) and text_of(inside).startswith(f"Unknown {request.kind}: {request.name!r}"):
            return UnknownName(inside, is_intended=True)
        return read_refusal(inside, request, behind) or RequestFailure(inside, isinstance(inside, INTENDED))

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return the handler that the server looked up for a request, or look up that of a tool."""
        component = request.component if tool is None else await self._get_tool(tool)
        if component is None:  # FastMCP may hide a tool from some clients.
            return None
        behind = component if tool is None else await find_behind(component)
        schema = component.parameters if isinstance(component, Tool) else {}
        return Handler(getattr(behind, "fn", None), getattr(component, "annotations", None), schema)

    async def list_visible(self, request: Request) -> list[Offer]:
        """List what the request's client may see; FastMCP may hide tools from some clients."""
        groups = Group.of_kind(request.kind)
        return [
            Offer.from_listed(group, each)
            for group in groups
            for each in await getattr(self._server, f"list_{group}")()
        ]

    async def list_offers(self) -> list[Offer]:
        """List what the server and those mounted in it offer, to whomever; with the functions behind it."""
        before = set_transport("stdio")  # There, FastMCP asks nobody who they are.
        try:
            return [
                Offer.from_listed(group, listed, getattr(await find_behind(listed), "fn", None))
                for group in Group
                for listed in await _list_latest(self._server, group)
            ]
        finally:
            reset_transport(before)

    @asynccontextmanager
    async def connect(self, mode: str) -> AsyncGenerator[CallTool, None]:
        """Connect a client in memory."""
        from fastmcp import Client  # noqa: PLC0415 - a server runs without it.

        async with Client(self._server, mode=mode) as client:
            yield client.call_tool_mcp

    def read_result(self, result: object) -> Mapping[str, object] | None:
        """Return the JSON of a result that reports a failure or asks."""
        match result:
            case InputRequiredToolResult():
                return {"resultType": "input_required"}
            case ToolResult(is_error=True):
                encoded = cast("CallToolResult", result.to_mcp_result())
                return encoded.model_dump(mode="json", by_alias=True, exclude_none=True)
            case _:
                return None

    def build_result(self, request: Request, encoded: Mapping[str, object]) -> object:
        """Build a tool's result, exactly as encoded, or the question in the form that the kind of request has for it."""
        if "inputRequests" in encoded:
            return _QUESTIONS[request.kind](InputRequiredResult.model_validate(encoded))
        if not is_plain(encoded):
            return ToolResult.from_mcp_result(CallToolResult.model_validate(encoded))
        # To validate and convert it as FastMCP does takes as long as all else about a failure.
        result = cast("Any", encoded)
        return ToolResult.model_construct(
            content=[TextContent(type="text", text=block["text"]) for block in result["content"]],
            structured_content=result["structuredContent"],
            meta=result.get("_meta"),
            is_error=result.get("isError", False),
        )

    def build_error(self, encoded: Mapping[str, object]) -> MCPError:
        """Build the exception that becomes a JSON-RPC error."""
        code = cast("int", encoded["code"])
        return _name_class(code)(code, str(encoded["message"]), encoded["data"])


class _Edge(Middleware):
    """The outermost middleware. It answers for what the server itself ran, and for nobody else's exceptions."""

    def __init__(self, adapter: FastMCPAdapter) -> None:
        self._adapter = adapter

    async def __call__(self, context: _Message, call_next: CallNext[Any, Any]) -> object:
        if kind := _KINDS.get(context.method or ""):
            return await self._adapter.handle(kind, context, call_next)
        if context.method == "tools/list":
            return await self._adapter.list_tools(context, call_next)
        return await call_next(context)


class _Quiet(logging.Filter):
    """Keeps FastMCP from logging, traceback and all, what errata logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop a record about a request that errata answers; one of a server without errata, called from there, stays."""
        working = IN_WORK.get()
        is_ours = working is not None and working.context is fastmcp_request_ctx.get()
        return not is_ours or not (isinstance(record.msg, str) and record.msg.startswith(_THEIR_RECORDS))


def _read_request(kind: Kind, message: _Message) -> Request | None:
    """Return a client's request; None for a call that no client made, that a running tool makes, or that is malformed."""
    context = message.fastmcp_context
    if context is None or (client := context.request_context) is None:
        return None
    working = IN_WORK.get()
    if working is not None and working.context is client:
        return None
    params = message.message
    if isinstance(params, dict):  # Malformed, and refused already: FastMCP only shows it to its middleware.
        return None
    name, arguments = (str(params.uri), None) if kind is Kind.RESOURCE else (params.name, params.arguments)
    return Request(kind, name, arguments, cast("Origin", context), cast("RequestContext", client))


@functools.cache
def _name_class(code: int) -> type[MCPError]:
    """Name a class after a number: FastMCP tells the span of a request the class of its error, and not the number."""
    return cast("type[MCPError]", type(str(code), (MCPError,), {}))


def _note_component(component: _T) -> _T:
    """Note what a request is about, for the time when it fails."""
    request = IN_WORK.get()
    if request is not None and request.component is None:
        is_meant = isinstance(component, ResourceTemplate) or getattr(component, "name", None) == request.name
        request.component = component if is_meant else None
    return component


async def _list_latest(server: FastMCP[Any], group: Group) -> Sequence[object]:
    """List the latest version of each, without any middleware: that may want to know who asks."""
    listed = await getattr(server, f"list_{group}")(run_middleware=False)
    return dedupe_with_versions(listed, functools.partial(read_name, group))
