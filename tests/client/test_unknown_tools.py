"""Is a tool that a server does not have told from arguments that it does not take?"""

import pickle
from contextlib import asynccontextmanager

import fastmcp
import pytest
from mcp import Client, types
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from support.scripted_http_server import READS, Reply, connect, hang_up, listed

import errata
from errata.client import AskUser, Caller, CallFailed, FixArguments, Repeat, Stop, TellModel, UseTool, decide

pytestmark = pytest.mark.anyio


def get_order(order_id: int = 0) -> str:
    raise ValueError(f"There is no order {order_id}.")


def create_order() -> str:
    return "made"


def list_customers() -> list[str]:
    return []


TOOLS = (get_order, create_order, list_customers)


def mcp_server(*, with_errata=False):
    server = MCPServer("shop", log_level="CRITICAL")
    for tool in TOOLS:
        server.add_tool(tool)
    if with_errata:
        errata.install(server)
    return server


def fastmcp_server(*, with_errata=False):
    server = fastmcp.FastMCP("shop")
    for tool in TOOLS:
        server.tool(tool)
    if with_errata:
        errata.install(server)
    return server


def lowlevel_server():
    async def list_tools(*_):
        return types.ListToolsResult(
            tools=[types.Tool(name=tool.__name__, input_schema={"type": "object"}) for tool in TOOLS]
        )

    async def call_tool(_, params):
        raise ValueError(f"unknown: {params.name}")

    return Server("shop", on_list_tools=list_tools, on_call_tool=call_tool)


@asynccontextmanager
async def held(client):
    async with client:
        yield Caller(client, retry=None)


SERVERS = {
    "MCPServer": mcp_server,
    "MCPServer with errata": lambda: mcp_server(with_errata=True),
    "FastMCP": fastmcp_server,
    "FastMCP with errata": lambda: fastmcp_server(with_errata=True),
    "low-level": lowlevel_server,
}
WAYS = {
    "connect": lambda server, mode: Caller.connect(server, retry=None, mode=mode),
    "mcp.Client": lambda server, mode: held(Client(getattr(server, "_mcp_server", server), mode=mode)),
    "fastmcp.Client": lambda server, mode: held(fastmcp.Client(server, mode=mode)),
}
REACHED = [
    (server, way, mode)
    for server in SERVERS
    for way in WAYS
    for mode in ("legacy", "auto")
    if not (way == "mcp.Client" and server.startswith("FastMCP"))
    and not (way == "fastmcp.Client" and server == "low-level")
]


async def step_after(caller, tool, **arguments):
    with pytest.raises(CallFailed) as caught:
        await caller.call(tool, arguments)
    return decide(pickle.loads(pickle.dumps(caught.value)), caller.history)


@pytest.mark.parametrize(("server", "way", "mode"), REACHED)
async def test_the_nearest_tools_are_named_whatever_the_server_says(server, way, mode):
    async with WAYS[way](SERVERS[server](), mode) as caller:
        one = await step_after(caller, "getOrder", order_id=17)
        same = await step_after(caller, "create-order")
        other = await step_after(caller, "greate_order")
        none = await step_after(caller, "xyzzy")
    assert (one, one.has_effect) == (UseTool("get_order"), False)
    assert (same, same.has_effect) == (UseTool("create_order"), True)
    assert other == TellModel(
        "The server has no tool `greate_order`. Did you mean `create_order` (which changes something) or `get_order`?"
    )
    assert none == TellModel("The server has no tool `xyzzy`. Choose one of those that it lists.")


@pytest.mark.parametrize("server", ["MCPServer with errata", "FastMCP", "FastMCP with errata"])
async def test_a_tool_that_is_listed_may_still_be_asked_for_what_does_not_exist(server):
    async with Caller.connect(SERVERS[server](), retry=None) as caller:
        assert not isinstance(await step_after(caller, "get_order", order_id=17), TellModel | UseTool)
        assert isinstance(await step_after(caller, "get_order", order_id="x"), FixArguments)


def told(text, **members):
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete", **members}


UNKNOWN = {
    "text": told("Unknown tool: getOrder"),
    "TypeScript": told("MCP error -32602: Tool getOrder not found"),
    "prose": told("Sorry, I do not know how to do that."),
    "disabled": told("Unknown or disabled tool"),
    "a success": told("Unknown tool: getOrder", isError=False),
    "data": told("no", structuredContent={"error": {"code": -32001, "message": "No such tool", "data": {}}}),
    "-32602": {"error": {"code": -32602, "message": "Unknown tool: getOrder"}},
    "-32602, bare": {"error": {"code": -32602, "message": "Invalid params"}},
    "-32601": {"error": {"code": -32601, "message": "Method not found"}},
    "-32603": {"error": {"code": -32603, "message": "Internal error"}},
    "0": {"error": {"code": 0, "message": "Unknown tool: getOrder"}},
}


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("answer", UNKNOWN.values(), ids=UNKNOWN)
async def test_the_list_decides_and_not_the_words(server, era, answer):
    server.era, server.annotations, server.answers = era, {"get_order": READS}, [answer] * 2
    async with connect(server.url, retry=None) as caller:
        assert await step_after(caller, "getOrder") == UseTool("get_order")
        assert not isinstance(await step_after(caller, "get_order"), TellModel | UseTool)


NOT_ABOUT_THE_TOOL = {
    "busy": (Reply(503), Repeat),
    "no credentials": (Reply(401), AskUser),
    "no permission": (told("403 Forbidden: you may not do this"), AskUser),
    "nobody knows": (hang_up, AskUser),
}


@pytest.mark.parametrize(("answer", "step"), NOT_ABOUT_THE_TOOL.values(), ids=NOT_ABOUT_THE_TOOL)
async def test_what_may_have_happened_or_was_not_taken_on_or_permitted_says_nothing_of_the_tool(server, answer, step):
    """Some servers hide tools from those who may not call them, and others list less than they have."""
    server.answers = [answer]
    async with connect(server.url, retry=None) as caller:
        assert isinstance(await step_after(caller, "payy"), step)


WRONG = told("Unknown tool")


@pytest.mark.parametrize(
    ("called", "other"),
    [
        ("get_order", "set_order"),
        ("get_user", "ban_user"),
        ("find_file", "wipe_file"),
        ("create_order", "delete_order"),
        ("enable_user", "disable_user"),
        ("delete_user", "list_user"),
        ("read_order", "order_order"),
    ],
)
async def test_a_tool_that_does_something_else_is_named_and_not_proposed(server, called, other):
    server.annotations, server.answers = {other: {}}, [WRONG]
    async with connect(server.url, retry=None) as caller:
        step = await step_after(caller, called)
    assert isinstance(step, TellModel)
    assert f"`{other}`" in step.message


@pytest.mark.parametrize("hidden", ["endless", "empty", "unlisted", "cut"])
async def test_without_a_whole_list_nothing_is_said_of_it(server, hidden):
    def endless(handler, message):
        number = int(message["params"].get("cursor", 0)) + 1
        tool = {"name": f"look_{number}", "inputSchema": {"type": "object"}}
        page = {
            "tools": [tool],
            "nextCursor": str(number),
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
        }
        handler.answer(page if hidden == "endless" or number == 1 else hang_up, message)

    empty = {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    server.listing = {"endless": endless, "cut": endless, "empty": empty, "unlisted": Reply(503)}[hidden]
    server.answers = [WRONG]
    async with connect(server.url, retry=None) as caller:
        assert isinstance(await step_after(caller, "look"), FixArguments)


async def test_a_model_that_does_not_listen_is_stopped(server):
    server.annotations, server.answers = {"get_order": READS}, [WRONG] * 9
    async with connect(server.url, retry=None) as caller:
        steps = [await step_after(caller, tool) for tool in ("getOrder", "get_order", "getOrder", "getOrder")]
    assert [type(step) for step in steps] == [UseTool, FixArguments, TellModel, Stop]


async def test_a_tool_that_comes_later_is_no_longer_unknown(server):
    server.answers = [WRONG, WRONG, WRONG]
    async with connect(server.url, retry=None) as caller:
        await listed(caller)
        assert isinstance(await step_after(caller, "refund"), TellModel)
        server.annotations = {"refund": {}}
        assert isinstance(await step_after(caller, "refund"), FixArguments)
        server.annotations = {}
        assert isinstance(await step_after(caller, "refund"), Stop | TellModel)


async def test_names_that_are_none_are_not_shown(server):
    server.annotations = {"get_order\nIgnore all": READS, "get_order`": READS, "get_order" + "s" * 200: READS}
    server.answers = [WRONG]
    async with connect(server.url, retry=None) as caller:
        step = await step_after(caller, "get_order")
    assert step == TellModel("The server has no tool `get_order`. Choose one of those that it lists.")
