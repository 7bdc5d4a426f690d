"""Does a caller list what a server has, once, and again when it has changed?"""

import itertools

import anyio
import fastmcp
import pytest
from mcp import Client, types
from mcp.server.mcpserver import MCPServer
from support.paused_time import SkippingLoop, skip, until
from support.scripted_http_server import DONE, LONGEST_S, Reply, connect, hold_back, listed
from support.undeclared_shop import shop

from errata import Code, Retry
from errata.client import Caller, CallFailed

pytestmark = pytest.mark.anyio

KINDS = ("tools", "resources", "resource_templates", "prompts")
ERAS = ("legacy", "auto")
WAYS = list(itertools.product(("stdio", "HTTP"), ERAS))
NO_METHOD = {"error": {"code": -32601, "message": "Method not found"}}


@pytest.fixture
def anyio_backend():
    return "asyncio", {"loop_factory": SkippingLoop}


async def names_of(caller, kind="tools", **options):
    return [
        item.uri_template if kind == "resource_templates" else item.name
        for item in await getattr(caller, kind)(**options)
    ]


async def eventually(condition):
    with anyio.fail_after(LONGEST_S):
        while not await condition():  # noqa: ASYNC110 - nobody tells.
            await anyio.sleep(0.001)


# What there is.

TYPES = {
    "tools": types.Tool,
    "resources": types.Resource,
    "resource_templates": types.ResourceTemplate,
    "prompts": types.Prompt,
}
FIRST = {
    "tools": "create_order",
    "resources": "hours",
    "resource_templates": "shop://orders/{order_id}",
    "prompts": "greet",
}


class Held:
    """The ways to a client that somebody else has opened."""

    def __init__(self, client, pick=lambda client: client):
        self._client, self._pick = client, pick

    async def __aenter__(self):
        return Caller(self._pick(await self._client.__aenter__()))

    async def __aexit__(self, *error):
        return await self._client.__aexit__(*error)


REACHES = {
    "connect": Caller.connect,
    "mcp.Client": lambda server, **options: Held(Client(server, **options)),
    "mcp.ClientSession": lambda server, **options: Held(Client(server, **options), lambda client: client.session),
    "fastmcp.Client": lambda server, **options: Held(fastmcp.Client(server, **options)),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("reach", REACHES.values(), ids=REACHES)
async def test_every_client_lists_what_there_is_as_objects_of_the_sdk(books, reach, era):
    async with reach(shop(books), mode=era) as caller:
        for kind in KINDS:
            first = (await getattr(caller, kind)())[0]
            assert isinstance(first, TYPES[kind])
            assert FIRST[kind] in await names_of(caller, kind)
        tool = (await caller.tools())[0]
    assert (tool.name, tool.description) == ("create_order", "Make an order.")
    assert tool.input_schema["required"] == ["reference"]


@pytest.mark.parametrize("reach", [REACHES[name] for name in ("mcp.Client", "mcp.ClientSession", "fastmcp.Client")])
async def test_a_client_of_ones_own_is_asked_again_if_one_says_so(books, reach):
    async with reach(shop(books), mode="legacy") as caller:
        before = await caller.tools()
        await caller.call("hire")
        assert await caller.tools() is before
        assert "pack_order" in await names_of(caller, refresh=True)
        assert "pack_order" in await names_of(caller)


# When it changes.


@pytest.mark.parametrize(("way", "era"), WAYS)
async def test_a_list_is_kept_until_the_server_says_that_it_has_changed(books, reach_shop, way, era):
    heard = []

    async def hear(message):
        heard.append(message.method)

    async with reach_shop(way, era, message_handler=hear) as caller:
        before = {kind: await getattr(caller, kind)() for kind in KINDS}
        if era == "auto":  # What was listed before the server has promised to tell of changes may have changed since.
            await until(lambda: is_announced(caller))
        await caller.call("run_report")
        before = {kind: await getattr(caller, kind)() for kind in KINDS}
        times = books.lines.count("tools/list")
        await caller.call("run_report")
        for kind in KINDS:
            assert await getattr(caller, kind)() is before[kind]
        assert books.lines.count("tools/list") == times

        await caller.call("hire")
        for kind, name in (("tools", "pack_order"), ("resources", "menu"), ("prompts", "thank")):
            await eventually(lambda kind=kind, name=name: holds(caller, kind, name))
        assert await caller.resource_templates() is not before["resource_templates"]
    assert sorted({*heard}) == [f"notifications/{kind}/list_changed" for kind in ("prompts", "resources", "tools")]


def is_announced(caller):
    return "tools" in caller._lists.current._announced


async def holds(caller, kind, name):
    return name in await names_of(caller, kind)


@pytest.mark.parametrize("refusing", [NO_METHOD, Reply(503), Reply(200, b"no")], ids=["unknown", "busy", "garbage"])
async def test_where_nobody_tells_of_changes_a_list_is_good_for_as_long_as_the_server_says(server, refusing):
    server.capabilities, server.ttl_ms = {"tools": {"listChanged": True}}, 60_000
    server.other = refusing
    async with connect(server.url) as caller:
        assert await names_of(caller) == ["pay"]
        server.annotations = {"refund": {}}
        await caller.call("pay")
        assert await names_of(caller) == ["pay"]
        skip(61)
        assert await names_of(caller) == ["pay", "refund"]


async def test_a_list_that_is_good_for_no_time_is_good_until_a_tool_is_called(server):
    async with connect(server.url) as caller:
        first = await caller.tools()
        assert await caller.tools() is first
        assert server.asked.count("tools/list") == 1
        await caller.call("pay")
        assert await caller.tools() is not first
        skip(61)
        await caller.tools()
    assert server.asked.count("tools/list") == 3


async def test_a_connection_that_is_opened_anew_lists_anew(server):
    server.era = "legacy"
    async with connect(server.url) as caller:
        assert await names_of(caller) == ["pay"]
        server.annotations = {"refund": {}}
        assert await names_of(caller) == ["pay"]
        server.session = "session-2"
        await caller.call("pay")
        assert await names_of(caller) == ["pay", "refund"]


async def test_a_subscription_that_breaks_off_is_taken_out_again_and_what_was_listed_before_is_old(reach_shop):
    async with reach_shop("HTTP", "auto") as caller:
        await caller.tools()
        await until(lambda: is_announced(caller))
        await caller.call("run_report")
        kept = await caller.tools()
        await caller.call("run_report")
        assert await caller.tools() is kept
        caller._connection._session.client.session._settle_listen_routes_closed()  # As if the stream had ended.
        await until(lambda: not is_announced(caller))
        await caller.call("run_report")
        assert await caller.tools() is not kept
        await until(lambda: is_announced(caller))


async def test_answers_of_a_tool_that_came_later_are_held_against_its_schema_each_time(server):
    server.output_schema = {"type": "object", "properties": {"sum": {"type": "integer"}}}
    async with connect(server.url, retry=None) as caller:
        await caller.tools()
        server.annotations = {"refund": {}}
        await caller.tools(refresh=True)
        for _ in range(2):
            server.answers = [DONE | {"structuredContent": {"sum": "five"}}]
            with pytest.raises(CallFailed, match="output schema"):
                await caller.call("refund")


# Hostile and poor servers.


def paged(pages):
    """List a tool a page, for so many pages; the cursor is the number of the next one."""

    def answer(handler, message):
        number = int(message["params"].get("cursor", 0))
        tool = {"name": f"look_{number}", "inputSchema": {"type": "object"}}
        following = {"nextCursor": str(number + 1)} if number + 1 < pages else {}
        result = {"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private", **following}
        handler.answer(result, message)

    return answer


async def test_all_pages_are_read_and_of_a_list_without_end_a_part(server, caplog):
    server.listing = paged(3)
    async with connect(server.url) as caller:
        assert await names_of(caller) == ["look_0", "look_1", "look_2"]
        assert not caplog.records
        server.listing = paged(10**9)
        assert len(await caller.tools(refresh=True)) == 100
    assert "more tools than are read" in caplog.text


async def test_a_list_that_goes_round_is_read_once(server):
    def answer(handler, message):
        cursor = message["params"].get("cursor")
        tool = {"name": f"after_{cursor}", "inputSchema": {"type": "object"}}
        result = {"tools": [tool], "nextCursor": "again", "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        handler.answer(result, message)

    server.listing = answer
    async with connect(server.url) as caller:
        assert await names_of(caller) == ["after_None", "after_again"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_server_that_has_no_such_list_gives_none_and_is_not_asked(server, kind):
    server.capabilities = {"completions": {}, "tools" if kind == "prompts" else "prompts": {}}
    server.listing = hold_back
    async with connect(server.url) as caller:
        assert await getattr(caller, kind)() == ()
        await caller.call("pay")
    assert server.calls() == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_one_that_was_never_asked_what_it_has_may_say_it_now(server, kind):
    server.listing = server.other = NO_METHOD
    async with connect(server.url, mode="2026-07-28") as caller:
        assert await getattr(caller, kind)() == ()


async def test_one_that_has_tools_and_does_not_list_them_fails(server, at_once):
    server.listing = NO_METHOD
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.tools()
    assert caught.value.code is Code.METHOD_NOT_FOUND


async def test_a_list_that_fails_is_asked_for_again_as_it_does_no_harm_and_then_told(server, at_once):
    busy = Reply(503, b"Busy.")
    server.listing = busy
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.tools()
        server.listing = None
        assert await names_of(caller) == ["pay"]
        assert caller.history == ()
    failed = caught.value
    assert (failed.code, failed.tool, failed.attempts) == (Code.SERVICE_UNAVAILABLE, None, 3)


async def test_a_list_that_does_not_come_is_waited_for_as_long_as_one_says(server):
    server.listing = hold_back
    async with Client(server.url) as client:
        with pytest.raises(CallFailed) as caught:
            await Caller(client, retry=None).tools(timeout_s=0.05)
    assert str(caught.value) == "This client waited 0.05 s for the list of tools and got no answer from `till`."
    assert (caught.value.code, caught.value.is_local) == (Code.TIMEOUT, True)


async def test_a_list_says_nothing_about_the_way_to_a_goal(server):
    """To look at the tools after every failure must not hide that everything fails."""
    wrong = {"content": [{"type": "text", "text": "Wrong."}], "isError": True, "resultType": "complete"}
    server.answers = [wrong] * 3
    async with connect(server.url, retry=None) as caller:
        for amount in range(3):
            with pytest.raises(CallFailed) as caught:
                await caller.call("pay", {"amount": amount})
            await caller.tools(refresh=True)
    assert caught.value.streak.failures == 3


@pytest.mark.parametrize("refresh", [False, True])
async def test_those_who_ask_at_the_same_time_share_one_list(server, refresh):
    async with connect(server.url) as caller:
        await listed(caller)
        await caller.call("pay")
        async with anyio.create_task_group() as group:
            for _ in range(10):
                group.start_soon(lambda: caller.tools(refresh=refresh))
    assert server.asked.count("tools/list") == 2


async def test_who_gives_up_does_not_take_the_list_from_those_who_wait(server):
    begun = anyio.Event()
    server.capabilities = {"tools": {}}
    async with connect(server.url) as caller:
        await listed(caller)
        await caller.call("pay")
        listing = []

        async def first():
            begun.set()
            await caller.tools()

        async def second():
            listing.extend(await names_of(caller))

        async with anyio.create_task_group() as group, anyio.create_task_group() as hasty:
            hasty.start_soon(first)
            await begun.wait()
            group.start_soon(second)
            hasty.cancel_scope.cancel()
    assert listing == ["pay"]


async def test_a_name_that_is_no_text_or_a_schema_that_is_none_ends_nothing():
    server = MCPServer("odd", log_level="CRITICAL")
    server.tool("x" * 10_000)(lambda: "long")
    server.tool("a b\nc")(lambda: "lines")
    async with Caller.connect(server) as caller:
        assert len(await caller.tools()) == 2
        with pytest.raises(CallFailed):
            await caller.call("unknown")
    assert caller.history[0].fault.retry is Retry.FIX_INPUT
