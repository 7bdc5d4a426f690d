"""Calls that no client made: from somebody's test, and from inside a tool that is running."""

import logging

import anyio
import fastmcp
import pytest
from fastmcp import FastMCP
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent
from pydantic import BaseModel
from support.cancelled_tools import KINDS, lowest, serving

import errata

pytestmark = pytest.mark.anyio

every_mode = pytest.mark.parametrize("mode", ["auto", "legacy"])
both_kinds = pytest.mark.parametrize("kind", [MCPServer, FastMCP])


class Book(BaseModel):
    pages: int


async def succeeds(word: str) -> str:
    return word


async def breaks() -> str:
    raise KeyError("no")


async def refuses() -> str:
    raise ToolError("The vault is closed.")


async def speaks_protocol() -> str:
    raise MCPError(-32602, "Not like this.", {"why": "rule 3"})


async def fails_by_contract() -> str:
    raise errata.not_found("There is no book 17.", {"book": 17})


async def asks() -> str:
    raise errata.NeedsInput("Which book?", fields=["book"])


async def returns_nonsense() -> Book:
    return "no book"


TOOLS = (succeeds, breaks, refuses, speaks_protocol, fails_by_contract, asks, returns_nonsense)


def made(kind, *tools, layer="errata"):
    server = kind("nesting")
    for tool in (*TOOLS, *tools):
        server.tool()(tool)

    @server.resource("data://broken")
    async def broken() -> str:
        raise ConnectionError("The upstream hung up.")

    @server.resource("data://{book}/pages")
    async def pages(book: int) -> str:
        raise errata.not_found(f"There is no book {book}.")

    @server.prompt()
    async def ask(topic: str) -> str:
        raise ValueError(f"Nobody knows about {topic}.")

    if layer == "errata":
        errata.install(server)
    return server


DIRECT = (
    *(("call_tool", tool.__name__, {}) for tool in TOOLS),
    ("call_tool", "absent", {}),
    ("read_resource", "data://broken"),
    ("read_resource", "data://17/pages"),
    ("read_resource", "data://seventeen/pages"),
    ("read_resource", "data://absent"),
    ("get_prompt", "ask", {"topic": "tea"}),
    ("get_prompt", "ask", {}),
    ("get_prompt", "absent", {}),
)


async def raised_by(server, method, *arguments):
    """Call a method, as a user's test does, and tell what it raises, with its causes."""
    if isinstance(server, FastMCP) and method == "get_prompt":
        method = "render_prompt"
    try:
        result = await getattr(server, method)(*arguments)
    except Exception as error:  # noqa: BLE001 - which one it is, is what is asked.
        chain = []
        while error is not None:
            chain.append((type(error), str(error)))
            error = error.__cause__
        return chain
    return repr(result)


@pytest.mark.parametrize("call", DIRECT, ids=str)
@both_kinds
async def test_a_direct_call_gives_what_the_bare_server_gives(kind, call):
    assert await raised_by(made(kind), *call) == await raised_by(made(kind, layer="bare"), *call)


async def test_a_direct_call_with_a_context_made_by_hand_is_direct_too():
    server = made(MCPServer)
    with pytest.raises(ToolError, match="The vault is closed"):
        await server.call_tool("refuses", {}, Context(mcp_server=server))


def nested(kind):
    """Make two tools that call other tools and read resources: one lets failures pass, the other catches them."""

    async def do(ctx, what):
        if "://" in what:
            await ctx.read_resource(what)
        elif kind is FastMCP:
            await ctx.fastmcp.call_tool(what, {})
        else:
            await ctx.mcp_server.call_tool(what, {}, ctx)

    async def passes_on(what: str, ctx: CONTEXTS[kind]) -> str:
        await do(ctx, what)
        return "done"

    async def catches(what: str, ctx: CONTEXTS[kind]) -> str:
        try:
            await do(ctx, what)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told.
            return f"{type(error).__name__}: {error}"
        return "done"

    return passes_on, catches


async def test_a_context_made_by_hand_makes_a_call_direct_even_inside_of_a_tool():
    async def by_hand(ctx: Context) -> str:
        try:
            await ctx.mcp_server.call_tool("refuses", {}, Context(mcp_server=ctx.mcp_server))
        except ToolError as error:
            return str(error)
        return "done"

    server = made(MCPServer, by_hand, *nested(MCPServer))
    assert (await answer_to(server, "auto", "by_hand")).content[
        0
    ].text == "Error executing tool refuses: The vault is closed."
    with pytest.raises(ToolError, match="The vault is closed"):
        await server.call_tool("passes_on", {"what": "refuses"}, Context(mcp_server=server))


CONTEXTS = {MCPServer: Context, FastMCP: fastmcp.Context}
INNER = {
    "breaks": "INTERNAL_ERROR",
    "refuses": "UNKNOWN_ERROR",
    "fails_by_contract": "NOT_FOUND",
    "succeeds": "INTERNAL_ERROR",  # It was called without its argument, which is a mistake of the tool that calls.
    "absent": "NOT_FOUND",
    "data://broken": "NETWORK_ERROR",
    "data://17/pages": "NOT_FOUND",
    "data://absent": "NOT_FOUND",
}


async def answer_to(server, mode, tool, /, **arguments):
    with anyio.fail_after(60):
        async with Client(lowest(server), mode=mode) as client:
            return await client.call_tool(tool, arguments)


@pytest.mark.parametrize(("what", "code"), INNER.items())
@every_mode
@both_kinds
async def test_what_another_tool_or_a_resource_raises_is_one_failure_of_the_tool_that_asked(
    kind, mode, what, code, caplog
):
    result = await answer_to(made(kind, *nested(kind)), mode, "passes_on", what=what)
    assert result.is_error
    assert result.structured_content["error"]["code"] == code
    records = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [(record.name, record.errata["tool"]) for record in records] == [("errata", "passes_on")]


@pytest.mark.parametrize("what", INNER)
@every_mode
@both_kinds
async def test_a_tool_may_catch_what_another_tool_or_a_resource_raises(kind, mode, what):
    bare, ours = [
        await answer_to(made(kind, *nested(kind), layer=layer), mode, "catches", what=what)
        for layer in ("bare", "errata")
    ]
    assert ours.content == bare.content
    assert not ours.is_error


def outer_of(kind, inner, mode):
    """Make a server with a tool that is itself a client, of a server in the same process."""

    async def asks_elsewhere(tool: str) -> str:
        result = await answer_to(inner, mode, tool)
        return f"{result.is_error} {result.content[0].text}"

    server = serving(kind, [asks_elsewhere])
    errata.install(server)
    return server


@every_mode
@both_kinds
@pytest.mark.parametrize("outer", KINDS)
async def test_a_server_inside_of_a_tool_of_another_answers_for_itself(outer, kind, mode):
    result = await answer_to(outer_of(outer, made(kind), mode), mode, "asks_elsewhere", tool="breaks")
    assert result.content[0].text.startswith("True Error [INTERNAL_ERROR]: ")
    assert not result.is_error


class Names(logging.Handler):
    """Keeps the names of loggers that write."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def emit(self, record):
        self.seen.append(record.name)


@every_mode
@both_kinds
@pytest.mark.parametrize("outer", KINDS)
async def test_a_bare_server_inside_of_a_tool_stays_bare_and_goes_on_logging(outer, kind, mode):
    bare, names = made(kind, layer="bare"), Names()
    logger = logging.getLogger("fastmcp.server.server" if kind is FastMCP else "mcp.server.mcpserver.server")
    logger.addHandler(names)
    try:
        alone = await answer_to(bare, mode, "breaks")
        result = await answer_to(outer_of(outer, bare, mode), mode, "asks_elsewhere", tool="breaks")
    finally:
        logger.removeHandler(names)
    assert result.content[0].text == f"True {alone.content[0].text}"
    assert names.seen == [logger.name] * 2


async def test_a_low_level_handler_that_calls_itself_may_catch_what_it_raises():
    async def list_tools(_, __):
        return ListToolsResult(tools=[])

    async def call_tool(context, params):
        if params.name == "inner":
            raise ConnectionError("The upstream hung up.")
        handler = server.get_request_handler("tools/call").handler
        try:
            await handler(context, CallToolRequestParams(name="inner"))
        except ConnectionError as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))])

    server = Server("recursive", on_call_tool=call_tool, on_list_tools=list_tools)
    errata.install(server)
    result = await answer_to(server, "auto", "outer")
    assert result.content[0].text == "The upstream hung up."
