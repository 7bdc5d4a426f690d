"""Is it known what a tool does before it matters: by the server's list, or by the program's own word?"""

import re

import fastmcp
import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from support.paused_time import until
from support.scripted_http_server import DESTROYS, READS, Reply, connect, hang_up, hold_back, listed

from errata import Retry
from errata.client import Caller, CallFailed

pytestmark = pytest.mark.anyio

BUSY = Reply(503, b"Busy.")

# Known from connecting on.

KNOWN = [(READS, None), ({"idempotentHint": True}, None), ({}, Retry.IF_HARMLESS), (DESTROYS, Retry.VERIFY_FIRST)]


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize(("annotations", "verdict"), KNOWN)
async def test_what_a_tool_declared_at_first_counts_for_a_server_that_dies(server, at_once, era, annotations, verdict):
    """It dies under the call, and whoever is started in its place lists nothing."""
    server.era, server.annotations = era, {"pay": annotations}

    def die(handler, message):
        server.listing = BUSY
        server.session = "session-2"
        hang_up(handler, message)

    async with connect(server.url, retry=at_once) as caller:
        await listed(caller)
        server.answers = [die]
        if verdict is None:
            await caller.call("pay")
        else:
            with pytest.raises(CallFailed) as caught:
                await caller.call("pay")
            assert caught.value.fault.retry is verdict
    refused = era == "legacy"  # The session, once.
    assert server.calls() == (2 + refused if verdict is None else 1)


@pytest.mark.parametrize("effect", ["read_only", "destructive"])
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_process_that_dies_was_known_and_is_started_again_only_for_what_does_no_harm(
    books, reach_shop, at_once, mode, effect
):
    books.annotate("create_order", effect)
    async with reach_shop("stdio", mode, retry=at_once) as caller:
        await caller.tools()
        await until(
            lambda: mode == "legacy" or caller._lists.current._announced
        )  # To end with the server is no change.
        books.let("tools", "unlisted")
        books.annotate("create_order", "read_only")  # What the next process says, it says too late.
        books.let("create_order", "dies")
        if effect == "destructive":
            with pytest.raises(CallFailed) as caught:
                await caller.call("create_order", {"reference": "PO-1"})
            assert caught.value.fault.retry is Retry.VERIFY_FIRST
        else:
            await caller.call("create_order", {"reference": "PO-1"})
    assert books.lines.count("does create_order") == (1 if effect == "destructive" else 2)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_list_is_asked_for_once_when_the_connection_is_open_and_again_after_a_change(books, reach_shop, mode):
    async with reach_shop("stdio", mode) as caller:
        await listed(caller)
        if mode == "legacy":
            await caller.call("hire")
            await until(lambda: caller._lists.current._is_outdated)
            await caller.call("run_report")
            await until(lambda: not caller._lists.current._is_outdated)
    assert books.lines.count("tools/list") == (2 if mode == "legacy" else 1)


@pytest.mark.parametrize(
    "listing", [BUSY, hang_up, hold_back, Reply(200, b"no")], ids=["busy", "cut", "hangs", "garbage"]
)
async def test_a_server_that_does_not_list_is_connected_to_and_called_as_fast(server, listing):
    server.listing = listing
    async with connect(server.url, retry=None) as caller:
        await caller.call("pay")
    assert server.calls() == 1


class Shop(MCPServer):
    """A server that may stop listing its tools."""

    lists = True

    async def list_tools(self):
        if not self.lists:
            raise RuntimeError("There is no list today.")
        return await super().list_tools()


def changing_shop(first, then, runs):
    """Make a server whose tool declares one thing at first, and then another."""
    shop = Shop("shop", log_level="CRITICAL")

    def look() -> str:
        runs.append("look")
        raise ToolError("503 Service Unavailable")

    @shop.tool()
    async def change(ctx: Context) -> str:
        shop.remove_tool("look")
        shop.add_tool(look, annotations=ToolAnnotations.model_validate(then))
        await ctx.session.send_tool_list_changed()
        return "changed"

    shop.add_tool(look, annotations=ToolAnnotations.model_validate(first))
    return shop


@pytest.mark.parametrize(
    ("first", "then", "times"), [(READS, READS, 3), (READS, DESTROYS, 1), (DESTROYS, READS, 1), ({}, READS, 1)]
)
async def test_a_list_that_changes_makes_a_tool_more_careful_and_none_bolder(at_once, first, then, times):
    runs = []
    async with Caller.connect(changing_shop(first, then, runs), retry=at_once, mode="legacy") as caller:
        await listed(caller)
        await caller.call("change")
        await until(lambda: caller._lists.current._changes["tools"])
        with pytest.raises(CallFailed):
            await caller.call("look")
    assert len(runs) == times


async def test_what_has_changed_and_is_not_listed_any_more_is_not_known_to_do_no_harm(at_once):
    runs = []
    shop = changing_shop(READS, READS, runs)
    async with Caller.connect(shop, retry=at_once, mode="legacy") as caller:
        await listed(caller)
        await caller.call("change")
        await until(lambda: caller._lists.current._changes["tools"])
        shop.lists = False
        with pytest.raises(CallFailed) as caught:
            await caller.call("look")
    assert (caught.value.fault.retry, len(runs)) == (Retry.IF_HARMLESS, 1)


# The program's own word.

WORDS = [
    (DESTROYS, "read_only"),
    (DESTROYS, "idempotent"),
    ({}, "read_only"),
    ({}, "idempotent"),
    ({}, "destructive"),
    (READS, "destructive"),
]


async def call_and_lose(caller, effect):
    """Make a call whose first answer gets lost; a destructive one is not repeated."""
    if effect != "destructive":
        await caller.call("pay")
        return
    with pytest.raises(CallFailed) as caught:
        await caller.call("pay")
    assert (caught.value.fault.retry, caught.value.has_effect) == (Retry.VERIFY_FIRST, True)


@pytest.mark.parametrize("listing", [None, BUSY], ids=["listed", "unlisted"])
@pytest.mark.parametrize(("annotations", "effect"), WORDS)
async def test_the_word_of_the_program_outweighs_that_of_the_server(server, at_once, annotations, effect, listing):
    server.annotations, server.answers, server.listing = {"pay": annotations}, [hang_up], listing
    async with connect(server.url, retry=at_once, effects={"pay": effect}) as caller:
        await call_and_lose(caller, effect)
    assert server.calls() == (1 if effect == "destructive" else 2)


@pytest.mark.parametrize("kind", [Client, fastmcp.Client])
@pytest.mark.parametrize(("annotations", "effect"), WORDS)
async def test_also_through_a_client_of_ones_own(server, at_once, kind, annotations, effect):
    server.annotations, server.answers = {"pay": annotations}, [Reply(500)]
    async with kind(server.url) as client:
        await call_and_lose(Caller(client, retry=at_once, effects={"pay": effect}), effect)
    assert server.calls() == (1 if effect == "destructive" else 2)


async def test_a_policy_does_not_speak_for_a_tool_of_which_the_program_speaks(server, at_once):
    server.answers = [hang_up]
    async with connect(server.url, retry=at_once(idempotent=True), effects={"pay": "destructive"}) as caller:
        with pytest.raises(CallFailed):
            await caller.call("pay")
    assert server.calls() == 1


async def test_a_key_counts_also_where_the_program_calls_a_tool_destructive(server, at_once):
    server.properties, server.answers = {"pay": {"idempotency_key": {}}}, [hang_up, hang_up]
    async with connect(server.url, retry=at_once, effects={"pay": "destructive"}) as caller:
        await caller.call("pay", {"idempotency_key": "order-17"})
    assert server.calls() == 3


@pytest.mark.parametrize(
    ("effects", "error", "words"),
    [
        (["pay"], TypeError, "`effects` are a mapping of names to words, and a list is none"),
        ({5: "read_only"}, TypeError, "names the tool `5`, which is no text"),
        ({"": "read_only"}, TypeError, "which is no text"),
        (
            {"pay": "destroys"},
            ValueError,
            'The effect of `pay` is \'destroys\'. Say "read_only" or "idempotent" or "destructive"',
        ),
        ({"pay": "read"}, ValueError, "Did you mean `read_only`"),
        ({"pay": True}, ValueError, "The effect of `pay` is True"),
    ],
)
async def test_a_word_that_is_none_is_refused(server, effects, error, words):
    with pytest.raises(error, match=re.escape(words)):
        Caller(Client(server.url), effects=effects)
    with pytest.raises(error, match=re.escape(words)):
        async with connect(server.url, effects=effects):
            raise AssertionError


async def test_a_word_about_a_tool_that_is_not_there_is_warned_of_once(server, caplog):
    server.annotations = {"refund": {}, "list_refunds": {}}
    async with connect(server.url, effects={"pya": "read_only", "refund": "destructive"}) as caller:
        await listed(caller)
        await caller.tools(refresh=True)
    warnings = [record.getMessage() for record in caplog.records if record.name == "errata"]
    assert warnings == ["`effects` names the tool `pya`, which the server does not list. Did you mean `pay`?"]
