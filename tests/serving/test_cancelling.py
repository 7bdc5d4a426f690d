"""A tool that stumbles over something cancelled is answered; a request that was cancelled is not."""

import anyio
import pytest
from mcp.server.lowlevel import Server
from support.cancelled_tools import (
    CANCELLABLE,
    FAILING,
    KINDS,
    STUMBLING,
    UNHURT,
    Diary,
    awaits_a_cancelled_future,
    echo,
    lowest,
    prepared,
    serving,
    tools,
)
from support.raw_wire_client import ERAS, assert_still_there, cancelled_by_the_client, code_in, in_memory, over_http
from support.sdk import FASTMCP, IS_MODERN, MCP, connect, register

import errata

pytestmark = pytest.mark.anyio

every_kind = pytest.mark.parametrize("kind", KINDS)
every_era = pytest.mark.parametrize("era", ERAS)
of_today = pytest.mark.skipif(not IS_MODERN, reason="mcp 1 itself does it in another way.")
cancels_well = pytest.mark.skipif(MCP < (1, 26), reason="A client that cancels ends this SDK's server, errata or not.")
MODES = {"modern": "auto", "legacy": "legacy"}


def cancellable(kind):
    """List the tools that can be cancelled: mcp 1's own server and FastMCP 2 run what is not async in the event loop."""
    in_the_loop = {"MCPServer": not IS_MODERN, "Server": False, "FastMCP": FASTMCP < (3,)}
    return CANCELLABLE[:-1] if in_the_loop[kind] else CANCELLABLE


def answers(connection, requests):
    """List the answers to requests, without what mcp 1 itself says to those who cancel."""
    own = {"code": 0, "message": "Request cancelled"}
    answered = [message for message in connection.received if message.get("id") in requests]
    return [message for message in answered if IS_MODERN or message.get("error") != own]


@of_today
@every_era
@every_kind
async def test_without_errata_a_tool_that_stumbles_over_something_cancelled_ends_the_server(kind, era):
    async with in_memory(prepared(kind, "bare"), era) as connection:
        await connection.call("awaits_a_cancelled_future")
        assert await connection.call("echo", text="Still there?") is None


@every_era
@every_kind
async def test_a_tool_that_stumbles_over_something_cancelled_is_answered_and_the_server_goes_on(kind, era):
    async with in_memory(prepared(kind, "errata"), era) as connection:
        for tool in STUMBLING:
            assert code_in(await connection.call(tool.__name__)) == "CANCELLED", tool
            await assert_still_there(connection)


@every_era
@every_kind
async def test_a_tool_that_cancels_for_itself_succeeds_or_fails_as_it_likes(kind, era):
    async with in_memory(prepared(kind, "errata"), era) as connection:
        for tool in UNHURT:
            answer = await connection.call(tool.__name__)
            assert answer["result"]["content"][0]["text"] == "done", tool
        for tool, code in FAILING.items():
            assert code_in(await connection.call(tool.__name__)) == code, tool
        await assert_still_there(connection)


def readable(kind):
    """Make a server whose resource, template and prompt stumble over something cancelled."""

    async def stumbles(*_) -> str:
        return await awaits_a_cancelled_future()

    async def stumbles_over(name: str) -> str:  # noqa: ARG001 - the template has it.
        return await awaits_a_cancelled_future()

    if kind == "Server":
        if not IS_MODERN:
            return register(Server("readable"), read_resource=stumbles, get_prompt=stumbles)
        return Server("readable", on_read_resource=stumbles, on_get_prompt=stumbles)
    server = serving(kind, [])
    server.resource("data://one")(awaits_a_cancelled_future)
    server.resource("data://{name}/one")(stumbles_over)
    server.prompt(name="one")(awaits_a_cancelled_future)
    return server


@every_era
@every_kind
async def test_a_resource_or_a_prompt_that_stumbles_is_answered_too(kind, era):
    server = readable(kind)
    errata.install(server)
    async with in_memory(server, era) as connection:
        for method, params in (
            ("resources/read", {"uri": "data://one"}),
            ("resources/read", {"uri": "data://number/one"}),
            ("prompts/get", {"name": "one"}),
        ):
            answer = await connection.ask(method, params)
            assert answer["error"]["data"]["code"] == "CANCELLED"


@cancels_well
@every_era
@every_kind
async def test_nothing_is_sent_for_a_request_that_the_client_cancelled(kind, era):
    async with in_memory(prepared(kind, "errata"), era) as connection:
        cancelled = [await cancelled_by_the_client(connection, tool) for tool in cancellable(kind)]
    assert answers(connection, cancelled) == []


@of_today
@every_era
@every_kind
async def test_a_tool_that_the_server_takes_down_with_it_is_answered_as_by_the_bare_server(kind, era):
    said = {}
    for layer in ("bare", "errata"):
        diary = Diary()
        server = serving(kind, tools(diary))
        if layer == "errata":
            errata.install(server)
        async with in_memory(server, era) as connection:
            request = await connection.begin_call("waits")
            await diary.until("waits began")
            await connection.hang_up()
            await diary.until("waits ended")
            said[layer] = await connection.answer_to(request)
    assert said["errata"] == said["bare"]


@cancels_well
@pytest.mark.parametrize("anyio_backend", ["trio"])
@every_era
@every_kind
async def test_under_trio_it_is_all_the_same(kind, era):
    if kind == "FastMCP" and FASTMCP < (3,):
        pytest.skip("FastMCP 2.14 starts only with asyncio.")
    async with in_memory(prepared(kind, "errata"), era) as connection:
        assert code_in(await connection.call("runs_out_of_time_in_a_scope")) == "TIMEOUT"
        assert code_in(await connection.call("raises_cancelled")) == "CANCELLED"
        assert (await connection.call("cancels_a_group"))["result"]["content"][0]["text"] == "done"
        cancelled = [await cancelled_by_the_client(connection, tool) for tool in cancellable(kind)]
    assert answers(connection, cancelled) == []


@of_today
@every_era
@every_kind
async def test_a_client_of_the_sdk_that_gives_up_gets_nothing_and_can_go_on(kind, era):
    diary = Diary()
    server = serving(kind, tools(diary))
    errata.install(server)
    with anyio.fail_after(60):
        async with connect(lowest(server), MODES[era]) as client:
            await give_up(client, diary)
            result = await client.call_tool("awaits_a_cancelled_future")
            assert result.structured_content["error"]["code"] == "CANCELLED"


@of_today
@every_era
@every_kind
async def test_over_http_a_client_that_gives_up_gets_nothing_and_a_tool_that_stumbles_is_answered(kind, era):
    diary = Diary()
    server = serving(kind, tools(diary))
    errata.install(server)
    async with over_http(server) as url, connect(url, MODES[era]) as client:
        await give_up(client, diary)
        for tool in ("awaits_a_cancelled_future", "collects_cancellations"):
            result = await client.call_tool(tool)
            assert result.structured_content["error"]["code"] == "CANCELLED"
        assert (await client.call_tool("echo", {"text": "x"})).content[0].text == "x"


@of_today
@every_era
@every_kind
async def test_a_client_may_give_up_while_it_is_asked(kind, era):
    asked = anyio.Event()

    async def hesitate(_, __):
        asked.set()
        await anyio.sleep_forever()

    async def asks() -> str:
        raise errata.NeedsInput("Which book?", fields=["book"])

    server = serving(kind, [asks, echo])
    errata.install(server)
    with anyio.fail_after(60):
        async with connect(lowest(server), MODES[era], elicitation_callback=hesitate) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "asks")
                await asked.wait()
                group.cancel_scope.cancel()
            assert (await client.call_tool("echo", {"text": "x"})).content[0].text == "x"


async def give_up(client, diary):
    """Call a tool that never comes back, and stop waiting for it; returns once the tool has noticed."""
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "waits")
        await diary.until("waits began")
        group.cancel_scope.cancel()
    await diary.until("waits ended")
