"""Does a caller understand whatever server it talks to, and say it all in one style?"""

from contextlib import asynccontextmanager

import fastmcp
import pytest
from fastmcp.exceptions import ToolError
from mcp import Client
from mcp.server.mcpserver import MCPServer
from support.scripted_http_server import connect

import errata
from errata import Code, Fault, FaultError, NeedsInput, Recovery, Retry, dialects
from errata.client import AskUser, Caller, CallFailed, UseTool, decide

pytestmark = pytest.mark.anyio

RECOVERY = Recovery(hint="Call list_orders first to see which orders there are.", fallback_tool="list_orders")


def fails_well(order_id: str) -> str:
    raise FaultError(Code.NOT_FOUND, f"There is no order {order_id}.", recovery=RECOVERY)


def crashes() -> str:
    return {}["order"]


def is_busy() -> str:
    raise FaultError(Code.RATE_LIMITED, "Too many calls.", retry_after_ms=30_000)


def asks() -> str:
    raise NeedsInput("Which style?", fields=["style"])


def works() -> str:
    return "12:00 INFO started\n12:01 ERROR disk full\n12:02 INFO stopped"


def list_orders() -> list[str]:
    return ["18", "19"]


TOOLS = (fails_well, crashes, is_busy, asks, works, list_orders)


def mcp_server(**options):
    server = MCPServer("orders", log_level="CRITICAL")
    for tool in TOOLS:
        server.tool()(tool)
    errata.install(server, **options)
    return server


def fastmcp_server(**options):
    server = fastmcp.FastMCP("orders")
    for tool in TOOLS:
        server.tool(tool)
    errata.install(server, **options)
    return server


@asynccontextmanager
async def held(client):
    async with client:
        yield Caller(client, retry=None)


WAYS = {
    "connect": lambda **options: Caller.connect(mcp_server(**options), retry=None),
    "older protocol": lambda **options: Caller.connect(mcp_server(**options), retry=None, mode="legacy"),
    "mcp.Client": lambda **options: held(Client(mcp_server(**options))),
    "fastmcp.Client": lambda **options: held(fastmcp.Client(fastmcp_server(**options))),
}


@pytest.fixture(params=WAYS)
def reach(request):
    return WAYS[request.param]


async def failure(caller, tool, **arguments):
    with pytest.raises(CallFailed) as caught:
        await caller.call(tool, arguments)
    return caught.value


@pytest.mark.parametrize("dialect", dialects.names())
async def test_each_dialect_is_understood_through_each_client(reach, dialect):
    async with reach(dialect=dialect) as caller:
        missing = await failure(caller, "fails_well", order_id="17")
        busy = await failure(caller, "is_busy")
        bug = await failure(caller, "crashes")
        read = await caller.call("works")
    spoken = dialects.get(dialect)
    assert missing.dialect == busy.dialect == bug.dialect == dialect
    assert missing.code is spoken.decode(spoken.encode(Fault(code=Code.NOT_FOUND))).code
    assert (missing.tool, missing.arguments, missing.server) == ("fails_well", {"order_id": "17"}, "orders")
    assert "no order 17" in str(missing)
    assert bug.fault.retry is Retry.NEVER
    assert "ERROR disk full" in read.content[0].text
    assert not missing.is_local
    assert missing.response["isError"] is True
    assert [failed.tool for failed in caller.history] == ["fails_well", "is_busy", "crashes"]


async def test_a_native_server_is_rendered_in_its_own_words(reach):
    async with reach() as caller:
        failures = [await failure(caller, tool) for tool in ("is_busy", "crashes")]
        failures.append(await failure(caller, "fails_well", order_id="17"))
    for failed in failures:
        assert caller.render(failed) == failed.response["content"][0]["text"]


@pytest.mark.parametrize("dialect", dialects.names())
async def test_every_server_is_rendered_in_the_words_of_a_native_one(dialect):
    async with Caller.connect(mcp_server(dialect=dialect)) as caller:
        missing = await failure(caller, "fails_well", order_id="17")
    lines = caller.render(missing).split("\n")
    assert lines[0] == f"Error [{missing.code}]: There is no order 17."
    assert any(line.startswith(("Recovery: ", "Alternative: ")) for line in lines)
    assert any(line.startswith("Retry: ") for line in lines)


async def test_servers_without_errata_are_understood_as_well():
    server = fastmcp.FastMCP("prose")

    @server.tool
    def search() -> str:
        raise ToolError("429 Too Many Requests: try again in 17 seconds")

    async with fastmcp.Client(server) as client:
        caller = Caller(client, retry=None)
        failed = await failure(caller, "search")
    assert failed.code is Code.RATE_LIMITED
    assert caller.render(failed).startswith("Error [RATE_LIMITED]: ")


async def test_a_question_is_a_result_and_is_put_to_the_user(reach):
    async with reach() as caller:
        result = await caller.call("asks")
    assert decide(result) == AskUser("Which style?", ("style",))
    assert caller.history == ()


async def test_the_way_out_that_a_server_names_is_the_next_step():
    async with Caller.connect(mcp_server()) as caller:
        missing = await failure(caller, "fails_well", order_id="17")
    assert decide(missing) == UseTool("list_orders")


async def test_a_secret_of_a_foreign_server_is_not_rendered():
    server = fastmcp.FastMCP("leaky")

    @server.tool
    def leak() -> str:
        raise ToolError("no access for Bearer sk-live-51H8xK2eZvKYlo2C0aXyQwErT")

    async with fastmcp.Client(server) as client:
        caller = Caller(client)
        failed = await failure(caller, "leak")
    assert "sk-live" not in caller.render(failed)


URL = "postgresql://app:hunter2@db.internal/orders"
LEAKS = {
    "prose": {"content": [{"type": "text", "text": f"could not connect to {URL}"}], "isError": True},
    "native": dialects.get("native").encode(Fault(code=Code.NETWORK_ERROR, message="No database."))
    | {"content": [], "structuredContent": {"error": {"code": "NETWORK_ERROR", "message": URL, "retry": "never"}}},
    "003": {
        "content": [],
        "isError": True,
        "structuredContent": {"error": {"code": -32002, "message": URL, "data": {"dsn": URL}}},
    },
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
async def test_nothing_but_the_response_of_a_foreign_server_holds_its_secrets(server, leak):
    server.answers = [leak | {"resultType": "complete"}]
    async with connect(server.url, retry=None) as caller:
        failed = await failure(caller, "pay")
    told = (caller.render(failed), str(failed), str(failed.fault), str(decide(failed)), str(decide(leak)))
    assert not any("hunter2" in text for text in told)
    assert "hunter2" in str(failed.response)


@pytest.mark.parametrize("outcome", [None, {"content": []}, NeedsInput("Which?", fields=["which"])])
async def test_what_is_no_failure_has_no_rendering(outcome):
    async with Caller.connect(mcp_server()) as caller:
        assert not caller.render(outcome)


async def test_a_call_that_succeeds_is_forgotten_as_a_failure():
    server = MCPServer("moody", log_level="CRITICAL")
    moods = iter([True, False, True])

    @server.tool()
    def mood(of: str) -> str:
        if next(moods):
            raise ValueError("not now")
        return of

    async with Caller.connect(server) as caller:
        await failure(caller, "mood", of="ada")
        await caller.call("mood", {"of": "ada"})
        assert caller.history == ()
        await failure(caller, "mood", of="bo")
        assert len(caller.history) == 1


async def test_the_history_is_bounded():
    async with Caller.connect(mcp_server()) as caller:
        for number in range(150):
            await failure(caller, "fails_well", order_id=str(number))
    assert len(caller.history) == 100
