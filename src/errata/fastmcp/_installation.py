"""errata in a FastMCP server: as its outermost middleware, so that all others see what they always saw."""

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
from mcp_types import CallToolResult, InputRequiredResult

from errata.fastmcp._judging import ABSENT, MASKED, MEANT, is_from_core, is_wrapping, of_the_protocol, refused
from errata.fastmcp._mounts import found_behind
from errata.fastmcp._results import BrokenResultError, Results
from errata.redaction import text_of
from errata.serving import (
    IN_WORK,
    Bug,
    CallTool,
    Failed,
    Group,
    Installation,
    Kind,
    Listed,
    Nature,
    Offer,
    Origin,
    Request,
    RequestContext,
    Settings,
    Unknown,
    nature_of,
    unwrapped,
)

_Message: TypeAlias = MiddlewareContext[Any]
_Found = TypeVar("_Found")
_KINDS = {"tools/call": Kind.TOOL, "resources/read": Kind.RESOURCE, "prompts/get": Kind.PROMPT}
_ASKED = {
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


class FastMCPInstallation(Installation):
    """errata in a FastMCP server: as its outermost middleware, so that all others see what they always saw."""

    def __init__(self, server: FastMCP[Any], settings: Settings) -> None:
        super().__init__(server, settings)
        self._server = server
        self._mask = settings.get("mask", getattr(server, "_mask_error_details", None) or None)
        self._results = Results()
        self._edge = _Edge(self)
        self._get_tool = server.get_tool
        self._get_prompt = server.get_prompt
        self._get_resource_template = server.get_resource_template

    def hook(self) -> None:
        """Become the outermost middleware, look over the server's shoulder, and quiet its own records."""
        self._server.middleware.insert(0, self._edge)
        self._undo.callback(self._step_back)
        for replacement in (self.get_tool, self.get_prompt, self.get_resource_template):
            self._replace(self._server, replacement.__name__, replacement)
        for name in _THEIR_LOGGERS:
            logger = logging.getLogger(name)
            logger.addFilter(quiet := _Quiet())
            self._undo.callback(logger.removeFilter, quiet)

    def _step_back(self) -> None:
        with suppress(ValueError):  # Somebody has cleared the list.
            self._server.middleware.remove(self._edge)

    @staticmethod
    async def offered(server: FastMCP[Any]) -> list[Offer]:
        """List what the server and those mounted in it offer, to whomever; with the functions behind it."""
        before = set_transport("stdio")  # There, FastMCP asks nobody who they are.
        try:
            return [
                Offer.of(group, listed, getattr(await found_behind(listed), "fn", None))
                for group in Group
                for listed in await _latest(server, group)
            ]
        finally:
            reset_transport(before)

    @staticmethod
    @asynccontextmanager
    async def calling(server: FastMCP[Any], mode: str) -> AsyncGenerator[CallTool, None]:
        """Connect a client in memory."""
        from fastmcp import Client  # noqa: PLC0415 - a server runs without it.

        async with Client(server, mode=mode) as client:
            yield client.call_tool_mcp

    async def get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        """Look a tool up, and remember it for the request that asked for it."""
        return _remembered(await self._get_tool(name, version))

    async def get_prompt(self, name: str, version: VersionSpec | None = None) -> Prompt | None:
        """Look a prompt up, and remember it for the request that asked for it."""
        return _remembered(await self._get_prompt(name, version))

    async def get_resource_template(self, uri: str, version: VersionSpec | None = None) -> ResourceTemplate | None:
        """Look a template up, and remember it for the request that asked for it."""
        return _remembered(await self._get_resource_template(uri, version))

    async def handle(self, kind: Kind, message: _Message, call_next: CallNext[Any, Any]) -> object:
        """Do what a client asks for; a call from somebody's test or from inside a tool goes on as it did."""
        request = _request(kind, message)
        if request is None:
            return await self._pass_on(message, call_next)

        async def run() -> object:
            return self._results.checked(await call_next(message), request.found)

        return await self.attend(request, run)

    async def _pass_on(self, message: _Message, call_next: CallNext[Any, Any]) -> object:
        """Let a call inside of another one raise; what this server withholds, the one around it is to withhold, too."""
        try:
            return await call_next(message)
        except Exception:
            working = IN_WORK.get()
            if self._mask and working is not None:
                working.masks = True
            raise

    async def with_errors(self, message: _Message, call_next: CallNext[Any, Sequence[Tool]]) -> list[Tool]:
        """List copies of the tools, with their failures in them."""
        tools = await call_next(message)
        self.look_for_typos({tool.name: tool.parameters for tool in tools})
        return [await self._with_errors(tool) for tool in tools]

    async def _with_errors(self, tool: Tool) -> Tool:
        given = Listed(tool.description, tool.meta, tool.output_schema)
        told = self.listed(tool.name, given, getattr(await found_behind(tool), "fn", None))
        return tool.model_copy(
            update={"description": told.description, "meta": told.meta, "output_schema": told.output_schema}
        )

    async def judge(self, error: BaseException, request: Request) -> Failed | None:
        """Take FastMCP's wrapping off an exception; what it hid in there of the protocol's is raised again."""
        if isinstance(error, BrokenResultError):
            return Bug(error)
        if not is_from_core(error) or isinstance(error, MCPError):
            return None
        inside, behind = unwrapped(error, is_wrapping, MEANT), await found_behind(request.found)
        request.masks = request.masks or MASKED.fullmatch(text_of(error)) is not None
        if isinstance(behind, Tool):
            request.found = behind
        if isinstance(inside, MCPError):
            return of_the_protocol(inside, behind)
        if isinstance(inside, ABSENT) and text_of(inside).startswith(f"Unknown {request.kind}: {request.name!r}"):
            return Unknown(inside, on_purpose=True, known=await self.names(request.kind))
        return refused(inside, request, behind) or Failed(inside, on_purpose=isinstance(inside, MEANT))

    def function(self, request: Request) -> object:
        """Find the function that a request runs."""
        return getattr(request.found, "fn", None)

    async def offers(self, tool: str) -> bool:
        """Whether a tool is there for the client that asks now: FastMCP may hide it from some."""
        return await self._get_tool(tool) is not None

    async def nature_ahead(self, request: Request) -> Nature:
        """Look the tool up before FastMCP does."""
        return await self.looked_up(self._nature_ahead(request.name)) or Nature()

    async def _nature_ahead(self, name: str) -> Nature:
        tool = await self._get_tool(name)
        return nature_of(getattr(tool, "annotations", None), getattr(await found_behind(tool), "fn", None))

    async def annotations(self, request: Request) -> object:
        """Find what a tool declares of itself."""
        return getattr(request.found, "annotations", None)

    async def input_schema(self, request: Request) -> Mapping[str, object]:
        """Find the schema of a tool's arguments."""
        return request.found.parameters if isinstance(request.found, Tool) else {}

    def result(self, encoded: Mapping[str, object]) -> ToolResult:
        """Make the result of a tool, exactly as encoded."""
        return ToolResult.from_mcp_result(CallToolResult.model_validate(encoded))

    def failure_in(self, result: object) -> Mapping[str, object] | None:
        """Give a result as JSON, if it says that the tool failed."""
        if not isinstance(result, ToolResult) or not result.is_error:
            return None
        return cast("CallToolResult", result.to_mcp_result()).model_dump(mode="json", by_alias=True, exclude_none=True)

    def asks(self, result: object) -> bool:
        """Whether a result is a question to the client."""
        return isinstance(result, InputRequiredToolResult)

    def question(self, kind: Kind, encoded: Mapping[str, object]) -> object:
        """Make the result that asks, each kind of request its own."""
        return _ASKED[kind](InputRequiredResult.model_validate(encoded))

    def protocol_error(self, encoded: Mapping[str, object]) -> MCPError:
        """Make the exception that becomes a JSON-RPC error."""
        code = cast("int", encoded["code"])
        return _numbered(code)(code, str(encoded["message"]), encoded["data"])


class _Edge(Middleware):
    """The outermost middleware. It answers for what the server itself ran, and for nobody else's exceptions."""

    def __init__(self, installation: FastMCPInstallation) -> None:
        self._installation = installation

    async def __call__(self, context: _Message, call_next: CallNext[Any, Any]) -> object:
        if kind := _KINDS.get(context.method or ""):
            return await self._installation.handle(kind, context, call_next)
        if context.method == "tools/list":
            return await self._installation.with_errors(context, call_next)
        return await call_next(context)


class _Quiet(logging.Filter):
    """Keeps FastMCP from logging, traceback and all, what errata logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop a record about a request that errata answers; one of a server without errata, called from there, stays."""
        working = IN_WORK.get()
        is_ours = working is not None and working.context is fastmcp_request_ctx.get()
        return not is_ours or not str(record.msg).startswith(_THEIR_RECORDS)


def _request(kind: Kind, message: _Message) -> Request | None:
    """Read a client's request; None for a call that no client made, that a running tool makes, or that is malformed."""
    context = message.fastmcp_context
    if context is None or (client := context.request_context) is None:
        return None
    working = IN_WORK.get()
    if working is not None and working.context is client:
        return None
    asked = message.message
    if isinstance(asked, dict):  # Malformed, and refused already: FastMCP only shows it to its middleware.
        return None
    name, arguments = (str(asked.uri), None) if kind is Kind.RESOURCE else (asked.name, asked.arguments)
    return Request(kind, name, arguments, cast("Origin", context), cast("RequestContext", client))


@functools.cache
def _numbered(code: int) -> type[MCPError]:
    """Name a class after a number: FastMCP tells the span of a request the class of its error, and not the number."""
    return cast("type[MCPError]", type(str(code), (MCPError,), {}))


def _remembered(found: _Found) -> _Found:
    """Note what a request is about, for the time when it fails."""
    request = IN_WORK.get()
    if request is not None and request.found is None:
        is_meant = isinstance(found, ResourceTemplate) or getattr(found, "name", None) == request.name
        request.found = found if is_meant else None
    return found


async def _latest(server: FastMCP[Any], group: Group) -> Sequence[object]:
    """List the latest version of each, without any middleware: that may want to know who asks."""
    listed = await getattr(server, f"list_{group}")(run_middleware=False)
    return dedupe_with_versions(listed, group.name_of)
