"""May it be repeated? A tool's annotations and the effects it marks decide what its code leaves open."""

import anyio
import mcp_types as wire
import pytest
from fastmcp import FastMCP
from fastmcp.server import create_proxy
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from support.three_servers import connected

import errata
from errata import Code, FaultError, Retry, dialects
from errata.resilience import effect, marks_effects

pytestmark = pytest.mark.anyio

NOTHING = None
READS = wire.ToolAnnotations(read_only_hint=True)
IDEMPOTENT = wire.ToolAnnotations(idempotent_hint=True)
DESTROYS = wire.ToolAnnotations(destructive_hint=True)
TWICE_IS_TWO = wire.ToolAnnotations(idempotent_hint=False)
LOOK = "get_payment"


async def marks_nothing() -> str:
    raise TimeoutError("The bank timed out.")


@marks_effects
async def fails_before() -> str:
    if LOOK:
        raise TimeoutError("The bank timed out.")
    with effect(LOOK):
        return "paid"


async def fails_inside() -> str:
    with effect(LOOK):
        raise TimeoutError("The bank timed out.")


async def fails_after() -> str:
    with effect(LOOK):
        pass
    raise TimeoutError("The ledger timed out.")


async def is_refused_after() -> str:
    async with effect(LOOK):
        pass
    raise FaultError(Code.RATE_LIMITED, "The ledger is busy.", retry_after_ms=2_000)


async def is_refused_before() -> str:
    if LOOK:
        raise FaultError(Code.RATE_LIMITED, "The bank is busy.", retry_after_ms=2_000)
    with effect(LOOK):
        return "paid"


async def fails_with_a_key() -> str:
    with effect(LOOK, key="payment-17"):
        raise TimeoutError("The bank timed out.")


def fails_in_a_thread() -> str:
    with effect(LOOK):
        raise TimeoutError("The bank timed out.")


async def was_declared_lower() -> str:
    raise FaultError(Code.TIMEOUT, "The bank timed out.", retry=Retry.NEVER)


TOOLS = (
    marks_nothing,
    fails_before,
    fails_inside,
    fails_after,
    is_refused_after,
    is_refused_before,
    fails_with_a_key,
    fails_in_a_thread,
    was_declared_lower,
)


def on_mcp_server(annotations, *tools):
    server = MCPServer("settling")
    for tool in tools:
        server.tool(annotations=annotations)(tool)
    return server


def on_fast_mcp(annotations, *tools):
    server = FastMCP("settling")
    for tool in tools:
        server.tool(tool, annotations=annotations)
    return server


def on_low_level(annotations, *tools):
    """It lists one tool a page: a long list comes in several."""
    functions = {tool.__name__: tool for tool in tools}

    async def call_tool(_, params):
        function = functions[params.name]
        answer = await (anyio.to_thread.run_sync(function) if function is fails_in_a_thread else function())
        if not isinstance(answer, str):
            return answer
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=answer)])

    async def list_tools(_, params):
        at = int(params.cursor or 0) if params else 0
        tool = wire.Tool(name=list(functions)[at], input_schema={"type": "object"}, annotations=annotations)
        return wire.ListToolsResult(tools=[tool], next_cursor=str(at + 1) if at + 1 < len(functions) else None)

    return Server("settling", on_call_tool=call_tool, on_list_tools=list_tools)


SERVERS = {"MCPServer": on_mcp_server, "Server": on_low_level, "FastMCP": on_fast_mcp}


def native_fault(result):
    fault = errata.decode(result.model_dump(by_alias=True, exclude_none=True))
    assert fault is not None
    return fault


async def verdicts(server):
    """Call every tool once; gives each one's verdict, and the tool it names to look with."""
    told = {}
    async with connected(server) as client:
        for tool in TOOLS:
            fault = native_fault(await client.call_tool(tool.__name__, {}))
            told[tool.__name__] = fault.retry, fault.recovery and fault.recovery.verify_tool
    return told


SAME = (Retry.SAME_CALL, None)
OPEN = (Retry.IF_HARMLESS, None)
CHECK = (Retry.VERIFY_FIRST, None)
CHECK_WITH = (Retry.VERIFY_FIRST, LOOK)
NEVER = (Retry.NEVER, None)
# fmt: off
EXPECTED = {
    "marks_nothing":      {"nothing": OPEN,       "harmless": SAME,  "harmful": CHECK},
    "fails_before":       {"nothing": SAME,       "harmless": SAME,  "harmful": SAME},
    "fails_inside":       {"nothing": CHECK_WITH, "harmless": SAME,  "harmful": CHECK_WITH},
    "fails_after":        {"nothing": CHECK_WITH, "harmless": SAME,  "harmful": CHECK_WITH},
    "is_refused_after":   {"nothing": CHECK_WITH, "harmless": SAME,  "harmful": CHECK_WITH},
    "is_refused_before":  {"nothing": SAME,       "harmless": SAME,  "harmful": SAME},
    "fails_with_a_key":   {"nothing": SAME,       "harmless": SAME,  "harmful": SAME},
    "fails_in_a_thread":  {"nothing": CHECK_WITH, "harmless": SAME,  "harmful": CHECK_WITH},
    "was_declared_lower": {"nothing": NEVER,      "harmless": NEVER, "harmful": NEVER},
}
# One handler serves all tools: what it marks for one says nothing about another that has marked nothing yet.
ON_LOW_LEVEL = {"fails_before": {"nothing": OPEN, "harmless": SAME, "harmful": CHECK}}
DECLARED = {"nothing": NOTHING, "read-only": READS, "idempotent": IDEMPOTENT, "destructive": DESTROYS, "not twice": TWICE_IS_TWO}
MEANING = {"nothing": "nothing", "read-only": "harmless", "idempotent": "harmless", "destructive": "harmful", "not twice": "harmful"}
# fmt: on


@pytest.mark.parametrize("declared", DECLARED)
async def test_annotations_and_marked_effects_settle_the_verdict(kind, declared):
    server = SERVERS[kind](DECLARED[declared], *TOOLS)
    errata.install(server)

    expected = EXPECTED | (ON_LOW_LEVEL if kind == "Server" else {})
    assert await verdicts(server) == {name: row[MEANING[declared]] for name, row in expected.items()}


@pytest.mark.parametrize("dialect", dialects.names())
async def test_every_dialect_says_what_it_can_about_a_timeout_before_and_in_an_effect(kind, dialect):
    server = SERVERS[kind](NOTHING, fails_before, fails_inside)
    errata.install(server, dialect=dialect)

    async with connected(server) as client:
        before, inside = [
            (await client.call_tool(tool.__name__, {})).model_dump(by_alias=True, exclude_none=True)
            for tool in (fails_before, fails_inside)
        ]
    assert dialects.get(dialect).decode(before).retryable
    assert not dialects.get(dialect).decode(inside).retryable
    if dialect == "taxonomy":
        assert inside["structuredContent"]["fallback_tool"] == LOOK
        assert inside["structuredContent"]["recovery_hint"] == "TRY_ALTERNATIVE"


async def test_the_text_says_with_which_tool_to_look(kind):
    server = SERVERS[kind](DESTROYS, marks_nothing, fails_inside)
    errata.install(server)

    async with connected(server) as client:
        undeclared = (await client.call_tool("marks_nothing", {})).content[0].text
        marked = (await client.call_tool("fails_inside", {})).content[0].text
    assert "Recovery: Check whether it happened before you call again." in undeclared
    assert "Recovery: Call `get_payment` to see whether it happened before you call this tool again." in marked
    assert "Retry: not before checking with `get_payment` whether it happened." in marked


async def test_the_same_words_of_two_tools_are_settled_for_each(kind):
    async def first() -> str:
        raise RuntimeError("The connection timed out.")

    async def second() -> str:
        with effect():
            raise RuntimeError("The connection timed out.")

    async def third() -> str:
        raise RuntimeError("The connection timed out.")

    server = SERVERS[kind](NOTHING, first, second, third)
    errata.install(server)

    async with connected(server) as client:
        said = [native_fault(await client.call_tool(name, {})).retry for name in ("first", "second", "third") * 2]
    assert said == [Retry.IF_HARMLESS, Retry.VERIFY_FIRST, Retry.IF_HARMLESS] * 2


async def test_what_a_request_marked_is_forgotten_by_the_next(kind):
    calls = []

    @marks_effects
    async def pays() -> str:
        calls.append(1)
        if len(calls) == 1:
            with effect(LOOK):
                raise TimeoutError("The bank timed out.")
        raise TimeoutError("The bank timed out.")

    server = SERVERS[kind](READS if kind == "Server" else NOTHING, pays)
    errata.install(server)

    async with connected(server) as client:
        first, second = [native_fault(await client.call_tool("pays", {})).retry for _ in range(2)]
    assert (first, second) == (Retry.SAME_CALL if kind == "Server" else Retry.VERIFY_FIRST, Retry.SAME_CALL)


async def test_a_list_that_fails_costs_no_answer():
    server = on_low_level(DESTROYS, marks_nothing)

    async def broken(_, __):
        raise RuntimeError("no list today")

    server.add_request_handler("tools/list", wire.PaginatedRequestParams, broken)
    errata.install(server)

    async with connected(server) as client:
        fault = native_fault(await client.call_tool("marks_nothing", {}))
    assert (fault.code, fault.retry) == (Code.TIMEOUT, Retry.IF_HARMLESS)


async def test_a_low_level_server_is_asked_once_for_what_its_tools_declare():
    server, asked = on_low_level(READS, marks_nothing), []
    listing = server.get_request_handler("tools/list").handler

    async def counted(context, params):
        asked.append(params)
        return await listing(context, params)

    server.add_request_handler("tools/list", wire.PaginatedRequestParams, counted)
    errata.install(server)

    async with connected(server) as client:
        for _ in range(3):
            assert native_fault(await client.call_tool("marks_nothing", {})).retry is Retry.SAME_CALL
    assert len(asked) == 1


async def waits_in_an_effect() -> str:
    with effect(LOOK):
        await anyio.sleep_forever()
    return "paid"


@marks_effects
async def waits_before_an_effect() -> str:
    await anyio.sleep_forever()
    with effect(LOOK):
        return "paid"


async def waits() -> str:
    await anyio.sleep_forever()
    return "paid"


async def test_the_time_limit_of_fast_mcp_is_settled_too():
    server = FastMCP("settling")
    for tool in (waits_in_an_effect, waits_before_an_effect, waits):
        server.tool(tool, timeout=0.01, annotations=DESTROYS)
    errata.install(server)

    async with connected(server) as client:
        faults = [
            native_fault(await client.call_tool(tool.__name__, {}))
            for tool in (waits_in_an_effect, waits_before_an_effect, waits)
        ]
    assert [fault.code for fault in faults] == [Code.TIMEOUT] * 3
    assert [fault.retry for fault in faults] == [Retry.VERIFY_FIRST, Retry.SAME_CALL, Retry.VERIFY_FIRST]
    assert faults[0].recovery.verify_tool == LOOK


async def test_a_mounted_tool_is_settled_by_its_own_words():
    server = FastMCP("outside")
    server.mount(on_fast_mcp(NOTHING, marks_nothing, fails_before, fails_inside), namespace="inner")
    server.mount(on_fast_mcp(DESTROYS, marks_nothing), namespace="harmful")
    errata.install(server)

    async with connected(server) as client:
        faults = {
            name: native_fault(await client.call_tool(name, {})).retry
            for name in ("inner_marks_nothing", "inner_fails_before", "inner_fails_inside", "harmful_marks_nothing")
        }
    assert faults == {
        "inner_marks_nothing": Retry.IF_HARMLESS,
        "inner_fails_before": Retry.SAME_CALL,
        "inner_fails_inside": Retry.VERIFY_FIRST,
        "harmful_marks_nothing": Retry.VERIFY_FIRST,
    }


@pytest.mark.parametrize(("annotations", "verdict"), [(READS, Retry.SAME_CALL), (DESTROYS, Retry.VERIFY_FIRST)])
async def test_a_lost_answer_of_a_proxied_tool_is_settled_by_what_it_declares(annotations, verdict):
    async def lost() -> str:
        raise MCPError(-32001, "Request timed out")

    server = create_proxy(on_mcp_server(annotations, lost))
    errata.install(server)

    async with connected(server) as client:
        fault = native_fault(await client.call_tool("lost", {}))
    assert (fault.code, fault.retry) == (Code.TIMEOUT, verdict)


async def test_a_tool_that_calls_another_is_settled_by_what_that_one_marked():
    server = MCPServer("settling")
    server.tool()(fails_inside)

    @server.tool()
    async def calls_another() -> str:
        await server.call_tool("fails_inside", {})
        return "never"

    errata.install(server)
    async with connected(server) as client:
        fault = native_fault(await client.call_tool("calls_another", {}))
    assert (fault.retry, fault.recovery.verify_tool) == (Retry.VERIFY_FIRST, LOOK)


async def test_refused_arguments_are_not_a_matter_of_effects(kind):
    async def pays(amount: int) -> str:
        return f"paid {amount}"

    if kind == "Server":
        pytest.skip("the low-level Server validates nothing")
    server = SERVERS[kind](DESTROYS, pays)
    errata.install(server)
    async with connected(server) as client:
        fault = native_fault(await client.call_tool("pays", {"amount": "much"}))
    assert fault.retry is Retry.FIX_INPUT


async def test_hostile_functions_and_annotations_cost_no_answer():
    class Hostile:
        __name__ = "hostile"

        def __getattr__(self, name):
            raise ConnectionError(f"no {name} today")

    server = on_fast_mcp(NOTHING, marks_nothing)
    tool = await server.get_tool("marks_nothing")
    errata.install(server)
    object.__setattr__(tool, "annotations", Hostile())

    async with connected(server) as client:
        fault = native_fault(await client.call_tool("marks_nothing", {}))
    assert fault.code is Code.TIMEOUT


def test_every_tool_is_in_the_table():
    assert EXPECTED.keys() == {tool.__name__ for tool in TOOLS}
