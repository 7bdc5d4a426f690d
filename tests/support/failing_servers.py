"""The same failing tools on the three kinds of servers, over every transport, and clients of both eras.

`python failing_servers.py KIND` serves one kind over stdio.
"""

import inspect
import json
import logging
import re
import socket
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import mcp
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from pydantic import TypeAdapter, create_model

import errata
from support import failing_tools
from support.failing_tools import (
    ASKED,
    FAILING,
    KNOWN_TO_THE_SERVER,
    PROGRESSING,
    PROMPTS,
    RESOURCES,
    TEMPLATES,
    UNKNOWN,
    Call,
    Own,
    Read,
)
from support.sdk import (
    FASTMCP,
    HAS_FASTMCP,
    HAS_OUTPUT_SCHEMAS,
    IS_MODERN,
    LONGEST_S,
    OFFICIAL,
    PROTOCOLS as ERAS,
    REPORTS_PROGRESS,
    Context,
    MCPError,
    OfficialServer,
    ToolError,
    connected_session,
    register,
    send,
    tool_result,
    types,
)

if HAS_FASTMCP:
    import fastmcp
    from fastmcp.exceptions import ToolError as FastMCPToolError

_PATH = "/mcp"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ")


_BY_SCHEMA = {
    "arguments_several",
    "arguments_enum",
    "arguments_union",
    "arguments_union_inside",
    "arguments_wrong_kind",
}
_LATER = {
    *(() if HAS_OUTPUT_SCHEMAS else ("broken_result",)),
    *(case for case, asked in FAILING.items() if asked in PROGRESSING and not REPORTS_PROGRESS),
}
CANNOT = {
    OFFICIAL: _LATER,
    "Server": _LATER,
    "FastMCP": _BY_SCHEMA if (2,) < FASTMCP < (2, 13) else set(),
}
"""What an SDK cannot, and what it says in other words: FastMCP before 2.13 lets mcp hold arguments against the JSON Schema."""


def official_server() -> OfficialServer:
    server = OfficialServer("failing", log_level="CRITICAL")
    for tool in failing_tools.tools(Own(ToolError, Context)):
        server.tool()(tool)
    for uri, function in {**RESOURCES, **TEMPLATES}.items():
        server.resource(uri)(function)
    for function in PROMPTS:
        server.prompt()(function)
    return server


def fastmcp_server():
    server = fastmcp.FastMCP("failing")
    for tool in failing_tools.tools(Own(FastMCPToolError, fastmcp.Context)):
        server.tool(tool)
    for uri, function in {**RESOURCES, **TEMPLATES}.items():
        server.resource(uri)(function)
    for function in PROMPTS:
        server.prompt(function)
    return server


def low_level_server() -> Server[Any]:
    """Do by hand what the other two do, as far as people do it by hand: arguments are held against a model."""
    tools = {tool.__name__: tool for tool in failing_tools.tools(Own(ToolError, ServerSession))}
    prompts = {prompt.__name__: prompt for prompt in PROMPTS}

    async def list_tools(_context, _params):
        listed = [
            types.Tool.model_validate({"name": name, "inputSchema": _model(tool).model_json_schema()})
            for name, tool in tools.items()
        ]
        return types.ListToolsResult(tools=listed)

    async def call_tool(context, params):
        tool = tools[params.name]
        arguments = _model(tool).model_validate(params.arguments or {})
        session = context.session if IS_MODERN else _Progress(context)
        result = await _run(tool, session, **{name: getattr(arguments, name) for name in type(arguments).model_fields})
        return result if isinstance(result, types.CallToolResult) else _as_result(result)

    async def read_resource(_context, params):
        function, arguments = _routed(str(params.uri))
        read = await _run(function, **arguments)
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, text=read)])

    async def get_prompt(_context, params):
        rendered = await _run(prompts[params.name], **_converted(prompts[params.name], params.arguments))
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=types.TextContent(type="text", text=rendered))]
        )

    if not IS_MODERN:
        return register(
            Server("failing"),
            list_tools=list_tools,
            call_tool=call_tool,
            read_resource=read_resource,
            get_prompt=get_prompt,
        )
    return Server(
        "failing",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_read_resource=read_resource,
        on_get_prompt=get_prompt,
    )


class _Progress:
    """Tells a client of mcp 1 how far a tool has come."""

    def __init__(self, context):
        self._context = context

    async def report_progress(self, done, total, message=None):
        token = self._context.meta.progressToken
        await self._context.session.send_progress_notification(token, done, total, message)


SERVERS = {OFFICIAL: official_server, "Server": low_level_server}
if HAS_FASTMCP:
    SERVERS["FastMCP"] = fastmcp_server


def asked_of(kind: str):
    """List what can be asked of a kind of server; the low-level one has no opinion about some of it."""
    left_out = CANNOT[kind] | ({*KNOWN_TO_THE_SERVER, *UNKNOWN} if kind == "Server" else set())
    return {case: asked for case, asked in {**FAILING, **ASKED}.items() if case not in left_out}


CONNECTIONS = [(kind, era) for kind in SERVERS for era in ERAS]


def _model(tool):
    """Make the model of a tool's arguments, as its author would write it."""
    parameters = inspect.signature(tool).parameters.values()
    fields = {
        parameter.name: (parameter.annotation, ... if parameter.default is parameter.empty else parameter.default)
        for parameter in parameters
        if parameter.name != "ctx"
    }
    return create_model(tool.__name__, **fields)


async def _run(function, session=None, **arguments):
    given = {"ctx": session} if "ctx" in inspect.signature(function).parameters else {}
    if inspect.iscoroutinefunction(function):
        return await function(**given, **arguments)
    return await anyio.to_thread.run_sync(lambda: function(**given, **arguments))


def _as_result(result):
    structured = None if result is None else {"result": TypeAdapter(type(result)).dump_python(result, mode="json")}
    return tool_result(str(result), structured=structured)


def _routed(uri):
    if uri in RESOURCES:
        return RESOURCES[uri], {}
    start, _, last = uri.rpartition("/")
    ((template, function),) = ((name, found) for name, found in TEMPLATES.items() if name.startswith(f"{start}/"))
    return function, _converted(function, {template.partition("{")[2].rstrip("}"): last})


def _converted(function, arguments):
    kinds = {name: parameter.annotation for name, parameter in inspect.signature(function).parameters.items()}
    return {name: kinds[name](value) for name, value in (arguments or {}).items()}


class Seen(NamedTuple):
    """What a client got: what errata promises to be the same everywhere, everything, and what was told before."""

    answer: dict[str, Any]
    whole: dict[str, Any]
    progress: list[tuple[float, float | None, str | None]]


def answers(seen):
    """Keep what is promised to be the same everywhere."""
    return {case: each.answer for case, each in seen.items()}


def ask(target, era, asked) -> dict[str, Seen]:
    """Connect once, and ask for everything."""

    async def main():
        with anyio.fail_after(LONGEST_S):
            async with _client(target, ERAS[era]) as client:
                return {name: await _seen(client, each) for name, each in asked.items()}

    return anyio.run(main)


def is_fastmcp(target):
    """Return whether a server is one of the package fastmcp."""
    return HAS_FASTMCP and isinstance(target, fastmcp.FastMCP)


def _client(target, mode):
    if not IS_MODERN:
        return connected_session(target)
    return (fastmcp.Client if is_fastmcp(target) else mcp.Client)(target, mode=mode)


async def _seen(client, asked):
    progress, finished = [], anyio.Event()

    async def note(done, total, message):
        progress.append((done, total, message))
        if done == total:
            finished.set()

    try:
        whole = _json(await _send(client, asked, note))
    except MCPError as error:
        whole = {"error": error.error.model_dump(mode="json", by_alias=True)}
    if asked in PROGRESSING and REPORTS_PROGRESS:
        await finished.wait()  # It is told on its own way, which may be the longer one.
    return Seen(normalised(promised(whole)), whole, progress)


async def _send(client, asked, note):
    if not IS_MODERN:
        return await _send_before_2(client, asked, note)
    official = isinstance(client, mcp.Client)
    if isinstance(asked, Call):
        call = client.call_tool if official else client.call_tool_mcp
        told = {"progress_callback" if official else "progress_handler": note}
        return await call(asked.tool, dict(asked.arguments), meta=asked.meta and dict(asked.meta), **told)
    if isinstance(asked, Read):
        return await (client.read_resource if official else client.read_resource_mcp)(asked.uri)
    return await (client.get_prompt if official else client.get_prompt_mcp)(asked.prompt, dict(asked.arguments))


async def _send_before_2(session, asked, note):
    if isinstance(asked, Call):
        params = {"name": asked.tool, "arguments": dict(asked.arguments), "_meta": asked.meta and dict(asked.meta)}
        return await send(session, _request("CallTool", "tools/call", params), types.CallToolResult, note)
    if isinstance(asked, Read):
        return await send(
            session, _request("ReadResource", "resources/read", {"uri": asked.uri}), types.ReadResourceResult
        )
    params = {"name": asked.prompt, "arguments": dict(asked.arguments)}
    return await send(session, _request("GetPrompt", "prompts/get", params), types.GetPromptResult)


def _request(name, method, params):
    return getattr(types, f"{name}Request").model_validate({"method": method, "params": params})


def _json(message):
    told = message.model_dump(mode="json", by_alias=True, exclude_none=True)
    structured = getattr(message, "structured_content" if IS_MODERN else "structuredContent", None)
    return told if structured is None else {**told, "structuredContent": structured}


def promised(whole):
    """Keep what is the same on all servers: not what each SDK stamps on everything it sends."""
    meta = {key: value for key, value in (whole.get("_meta") or {}).items() if key.startswith("errata/")}
    kept = {key: whole[key] for key in ("content", "structuredContent", "isError", "error") if key in whole}
    return kept | ({"_meta": meta} if meta else {})


def normalised(message):
    """Put the same reference and the same time into every answer."""
    text = _TIME.sub("2026-11-15T12:00:00.000Z", _UUID.sub("0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11", json.dumps(message)))
    return json.loads(text)


def over_stdio(kind) -> mcp.StdioServerParameters:
    """Return how to start one kind of server as a process."""
    return mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "support.failing_servers", kind], cwd=Path(__file__).parents[1]
    )


@contextmanager
def over_http(server):
    """Serve over streamable HTTP on a free port of this machine, and yield the address."""
    app = server.http_app(path=_PATH) if is_fastmcp(server) else server.streamable_http_app()
    serving = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
    # Named as TCP, it is not held back for the client's acknowledgement, which takes 40 ms an answer.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        thread = threading.Thread(target=serving.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}{_PATH}"
        finally:
            serving.should_exit = True
            thread.join(LONGEST_S)


def main() -> None:
    logging.disable()
    server = SERVERS[sys.argv[1]]()
    errata.install(server)
    if isinstance(server, Server):
        anyio.run(_serve_by_hand, server)
    elif isinstance(server, OfficialServer):
        server.run("stdio")
    else:
        server.run("stdio", show_banner=False)


async def _serve_by_hand(server):
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    main()
