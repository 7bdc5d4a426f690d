"""The adapter for FastMCP 2.10 to 3.4, which stand on the low-level server of mcp 1.

errata goes around that server's request handlers, and so around FastMCP's middleware: what a middleware raises is a
failure of the request, and a tool's `McpError` reaches the client as a JSON-RPC error.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

from fastmcp import FastMCP, settings
from fastmcp.exceptions import FastMCPError, NotFoundError, ToolError
from pydantic import ValidationError

from errata.fastmcp._mounts import find_behind, is_proxy
from errata.fastmcp._signatures import is_own_time_limit, read_missing, read_transformed, validate
from errata.mcp.schemas import BrokenResultError, ResultChecker
from errata.mcp.version_1 import KINDS, NOT_LISTED, THEIR_RECORDS, Handle, Version1Adapter
from errata.model import FaultError
from errata.redaction import as_object, redact_within, text_of
from errata.serving import (
    CallTool,
    Handler,
    Kind,
    MissingArguments,
    RefusedArguments,
    RefusedModel,
    Request,
    RequestFailure,
    was_raised_in,
    was_raised_under,
)

_MASKED = re.compile(r"""Error (?:calling tool|reading resource|rendering prompt) (?:'[^']*'|"[^"]*")""")
"""What FastMCP says for a server that withholds the rest."""
_WRAPPED = ("Error reading resource ", "Error rendering prompt ")
_PROXIES = ("fastmcp.server.proxy", "fastmcp.server.providers.proxy")
_RAISING_FOR_THEM = (*_PROXIES, "fastmcp.client")
"""Where a failure that a server behind this one has answered with is made an exception."""
_CALLING = ("run", "call_tool")
_LONGEST_TEXT = 16_000
_TASKS = "modelcontextprotocol.io/"
"""How the metadata of a reply begin that says that the tool has only been started."""
_OF_THE_BODY = "_ToolBodyError"
_LOGGERS = (
    "fastmcp.server.server",
    "fastmcp.tools.tool_manager",
    "fastmcp.tools.function_tool",
    "fastmcp.resources.resource_manager",
    "fastmcp.prompts.prompt_manager",
    "fastmcp.prompts.prompt",
    "fastmcp.prompts.function_prompt",
)


class FastMCP2And3Adapter(Version1Adapter):
    """One FastMCP server of version 2 or 3."""

    intended = (FaultError, FastMCPError)
    packages = ("fastmcp", "mcp.server")
    records: tuple[str, ...] = (*THEIR_RECORDS, NOT_LISTED)
    loggers = ("mcp.server.lowlevel.server", *_LOGGERS, *(f"FastMCP.{name}" for name in _LOGGERS))

    def __init__(self, server: FastMCP[Any]) -> None:
        super().__init__(server)
        self._results = ResultChecker()
        managers = (server, getattr(server, "_tool_manager", None))  # FastMCP 3 keeps it itself.
        self.masks = any(
            bool(getattr(each, name, None))
            for each in managers
            for name in ("_mask_error_details", "mask_error_details")
        )

    @property
    def answers_in_json(self) -> bool:
        """Whether FastMCP's settings say so."""
        return bool(getattr(settings, "json_response", None))

    def _wrap(self, request_type: type, handle: Handle) -> Handle:
        is_tool = KINDS.get(request_type) is Kind.TOOL
        return super()._wrap(request_type, self._look_behind(handle) if is_tool else handle)

    def _look_behind(self, handle: Handle) -> Handle:
        """Give back what a server behind this one says, and check what FastMCP 3.4 sends past mcp's own check."""

        async def call_tool(received: Any) -> object:  # noqa: ANN401 - a request of mcp 1.
            try:
                reply = await handle(received)
            except ToolError as error:
                if self._make_text is None or not _was_answered(error):
                    raise
                return self._make_text(redact_within(text_of(error), _LONGEST_TEXT))
            result = getattr(reply, "root", None)
            is_begun = any(str(key).startswith(_TASKS) for key in getattr(result, "meta", None) or ())
            if getattr(result, "meta", None) and not is_begun and not getattr(result, "isError", True):
                await self._check_whole(result, received.params.name)
            return reply

        return call_tool

    async def _check_whole(self, result: Any, name: str) -> None:  # noqa: ANN401 - a result of mcp 1.
        schema = getattr(getattr(self._low_level, "_tool_cache", {}).get(name), "outputSchema", None)
        try:
            if schema is not None:
                self._results.check(result.structuredContent, schema)
        except BrokenResultError:
            if not is_proxy(
                await self._find_component(Kind.TOOL, name)
            ):  # What that promised is not this one's to keep.
                raise

    async def unwrap(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return the failure inside FastMCP's wrapping; a server on the way that withholds texts is obeyed."""
        request.masks = request.masks or _MASKED.fullmatch(text_of(error)) is not None
        return await super().unwrap(error, request)

    async def read_failure(self, error: BaseException, request: Request) -> RequestFailure:
        """Return what an exception means that is not in any wrapping."""
        if is_own_time_limit(error):
            return RequestFailure(TimeoutError(text_of(error)))
        is_of_body = type(error).__name__ == _OF_THE_BODY
        refusal = error.__cause__ if is_of_body else error
        if isinstance(refusal, ValidationError):
            tool = await find_behind(await self._find_component(request.kind, request.name))
            if renamed := read_transformed(refusal, tool, request):
                return RefusedArguments(renamed, is_intended=True)
            if is_of_body:
                return RefusedModel(refusal)
        if isinstance(error, TypeError) and (names := read_missing(error, request)):
            return MissingArguments(error, is_intended=True, names=names)
        return await super().read_failure(error, request)

    async def _read_own(self, error: BaseException, request: Request) -> RequestFailure | None:
        """Return what an exception of FastMCP's own says about a request; None if it says nothing."""
        if request.kind is not Kind.TOOL and not text_of(error).startswith(_WRAPPED):
            function = await self.find_function(request.kind, request.name)
            if refusal := validate(function, await self._read_given(request)):
                return RefusedArguments(refusal, is_intended=True)
        return await super()._read_own(error, request)

    async def is_about_arguments(self, error: ValidationError, request: Request) -> bool:
        """Return whether Pydantic refused the arguments of the function, whose name is in its title then."""
        function = await self.find_function(request.kind, request.name)
        name = getattr(function, "__name__", None)
        return error.title in {f"call[{name}]", name} or (name is None and error.title.startswith("call["))

    async def find_handler(self, request: Request, tool: str | None = None) -> Handler | None:
        """Return the handler of a request, or that of a tool."""
        if request.kind is not Kind.TOOL and tool is None:
            return await super().find_handler(request)
        component = await self._find_component(Kind.TOOL, tool or request.name)
        if component is None:  # FastMCP may hide a tool from some clients; mcp remembers it.
            return None
        function = getattr(await find_behind(component), "fn", None)
        return Handler(
            function, getattr(component, "annotations", None), as_object(getattr(component, "parameters", None))
        )

    async def find_function(self, kind: Kind, name: str) -> object:
        """Return the function behind a name, or behind a URI; None if it cannot be found."""
        return getattr(await find_behind(await self._find_component(kind, name)), "fn", None)

    async def _read_given(self, request: Request) -> dict[str, object]:
        """Return what a prompt was given, or what the URI of a template holds."""
        if request.kind is Kind.PROMPT:
            return dict(request.arguments)
        component: Any = await self._find_component(request.kind, request.name)
        return dict(component.matches(request.name) or {}) if hasattr(component, "matches") else {}

    async def _find_component(self, kind: Kind, name: str) -> object:
        """Return FastMCP's own object for a name; of a URI, the resource or the template that it fits."""
        server = self._server
        try:
            if kind is not Kind.RESOURCE:
                return await (server.get_tool if kind is Kind.TOOL else server.get_prompt)(name)
            return await _find_resource(server, name)
        except (NotFoundError, AttributeError, ValueError):
            return None

    @asynccontextmanager
    async def connect(self, mode: str) -> AsyncGenerator[CallTool, None]:  # noqa: ARG002 - there is one protocol.
        """Connect a client in memory."""
        from fastmcp import Client  # noqa: PLC0415 - a server runs without it.

        async with cast("Any", Client)(self._server) as client:
            yield client.call_tool_mcp


async def _find_resource(server: Any, uri: str) -> object:  # noqa: ANN401 - of FastMCP 2 or 3.
    if not hasattr(server, "get_resources"):  # FastMCP 3.
        return await server.get_resource(uri) or await server.get_resource_template(uri)
    if uri in (resources := await server.get_resources()):
        return resources[uri]
    templates = (await server.get_resource_templates()).values()
    fitting = (each for each in templates if uri == each.uri_template or each.matches(uri) is not None)
    return next(fitting, None)


def _was_answered(error: BaseException) -> bool:
    """Return whether an exception is what a server behind this one has answered."""
    is_a_clients = any(was_raised_in(package, error) for package in _RAISING_FOR_THEM)
    return is_a_clients and any(was_raised_under(package, name, error) for package in _PROXIES for name in _CALLING)
