"""Does an attempt end when its time is over, whatever it was waiting for?"""

import functools
import math
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from support.scripted_http_server import DONE, connect, hold_back, listed

from errata import Code, Retry
from errata._runtime import deadline
from errata.client import Caller, CallFailed
from errata.client._call_failed import ClientRequest
from errata.client._client_side import explain_timeout
from errata.client._connections import HeldConnection
from errata.client._failure_context import FailureContext, format_duration
from errata.client._managed_connection import Target, keep_connected
from errata.client._server_lists import ServerLists

pytestmark = pytest.mark.anyio

LONGEST_S = 60
"""No outcome depends on it: it ends what would hang."""


def till(*, answers=True):
    server = MCPServer("till", log_level="CRITICAL")

    @server.tool()
    async def pay() -> str:
        if not answers:
            await anyio.sleep_forever()
        return "done"

    return server


@asynccontextmanager
async def unlisted(server):
    """Open a client whose server never lists its tools; gives also what is set when it was asked to."""
    asked = anyio.Event()

    async def list_tools(**_):
        asked.set()
        await anyio.sleep_forever()

    async with Client(server) as client:
        client.list_tools = list_tools
        yield client, asked


async def test_a_list_that_never_comes_costs_no_more_than_the_limit_of_the_call():
    with anyio.fail_after(LONGEST_S):
        async with unlisted(till(answers=False)) as (client, _):
            with pytest.raises(CallFailed) as caught:
                await Caller(client, retry=None, timeout_s=None).call("pay", timeout_s=0.05)
    assert (caught.value.code, caught.value.is_local) == (Code.TIMEOUT, True)


async def test_a_call_in_a_hurry_does_not_wait_for_the_list_that_another_one_waits_for():
    with anyio.fail_after(LONGEST_S):
        async with unlisted(till()) as (client, asked), anyio.create_task_group() as group:
            lists, link = ServerLists({}), HeldConnection(client)
            group.start_soon(functools.partial(lists.learn, "pay", link, limit_s=None))
            await asked.wait()
            assert (await lists.learn("pay", link, limit_s=0.01)).declaration("pay") is None
            group.cancel_scope.cancel()


async def test_a_list_that_does_not_come_is_not_waited_for_for_ever():
    async with unlisted(till()) as (client, _):
        lists = ServerLists({})
        for _ in range(4):
            assert (await lists.learn("pay", HeldConnection(client), limit_s=0.001)).declaration("pay") is None
        assert lists.current.knows("any other")  # By now nobody waits for it any more.


async def test_an_endless_limit_is_none():
    server = till()
    async with Caller.connect(server, retry=None, timeout_s=math.inf) as caller:
        await caller.call("pay")
        caller._connection._session.client._client.session._dispatcher.close()
        with pytest.raises(CallFailed, match="was lost before `pay` was answered"):
            await caller.call("pay")


@pytest.mark.parametrize("kind", ["read", "prompt"])
async def test_a_resource_and_a_prompt_are_waited_for_as_long(server, kind):
    server.answers = [hold_back]
    async with Client(server.url) as client:
        caller = Caller(client, retry=None)
        with pytest.raises(CallFailed) as caught:
            await getattr(caller, kind)("shelf://1", timeout_s=0.05)
    assert (caught.value.code, caught.value.is_local) == (Code.TIMEOUT, True)


async def test_the_limit_of_a_client_counts_where_the_caller_has_none(server):
    server.answers = [hold_back]
    async with Client(server.url) as client:
        client.session._session_read_timeout_seconds = 0.05  # Not before: the handshake may take its time.
        with pytest.raises(CallFailed, match="This client waited for `pay`") as caught:
            await Caller(client, retry=None, timeout_s=None).call("pay")
    assert (caught.value.code, caught.value.is_local) == (Code.TIMEOUT, True)


class _Handshakes:
    """A server whose first handshake never ends."""

    def __init__(self):
        self.begun = 0

    @asynccontextmanager
    async def client(self):
        self.begun += 1
        if self.begun == 1:
            await anyio.sleep_forever()
        async with Client(till()) as client:
            yield client


@asynccontextmanager
async def stuck(**options):
    handshakes = _Handshakes()
    async with keep_connected(Target(handshakes.client, "till", **options)) as connection:
        caller = Caller.__new__(Caller)
        caller._start(connection, None, LONGEST_S, ServerLists({}))
        yield caller, handshakes


async def test_a_handshake_that_hangs_is_given_up_and_the_next_attempt_opens_anew():
    async with stuck(opens_within_s=0.0) as (caller, handshakes):
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay", timeout_s=0.01)
        assert (await caller.call("pay")).content[0].text == "done"
    assert handshakes.begun == 2
    assert (caught.value.code, caught.value.fault.retry, caught.value.is_local) == (Code.TIMEOUT, Retry.SAME_CALL, True)
    assert "could not connect to `till` within 0.01 s, so `pay` was not sent. Check" in str(caught.value)


async def test_a_handshake_that_has_time_left_is_not_begun_again_by_those_in_a_hurry():
    async with stuck(opens_within_s=3_600.0) as (caller, handshakes):
        for _ in range(2):
            with pytest.raises(CallFailed):
                await caller.call("pay", timeout_s=0.01)
    assert handshakes.begun == 1


@pytest.mark.parametrize(
    ("limit_s", "said"), [(60, "60 s"), (0.05, "0.05 s"), (0.001, "0.001 s"), (0.0002, "0.2 ms"), (1e-7, "0.0001 ms")]
)
def test_a_time_is_never_said_to_be_none(limit_s, said):
    assert format_duration(limit_s) == said


async def test_a_connection_that_is_not_opened_in_time_says_so_in_one_sentence():
    async with stuck() as (caller, _):
        caller._timeout_s = 0.01
        with pytest.raises(CallFailed) as caught:
            await caller._open()
    assert str(caught.value).startswith("This client could not connect to `till` within 0.01 s. ")


async def test_an_answer_that_is_being_checked_when_the_time_is_over_is_not_asked_for_again():
    async def validate_tool_result():  # As the SDK's session calls it.
        await anyio.sleep_forever()

    with pytest.raises(TimeoutError) as caught:
        async with deadline(0):
            await validate_tool_result()
    fault = explain_timeout(FailureContext(ClientRequest("tool", "pay"), "till", 5), caught.value)
    assert fault.retry is Retry.NEVER
    assert fault.message.startswith("`pay` was answered, ")


async def test_a_success_asks_for_no_list(server):
    async with connect(server.url, retry=None) as caller:
        await listed(caller)
        for _ in range(2):
            assert (await caller.call("pay")).content[0].text == "done"
    assert server.asked.count("tools/list") == 1


async def test_a_list_that_never_comes_does_not_cost_the_answer(server):
    server.output_schema = {"type": "object"}
    server.answers = [DONE | {"structuredContent": {}}] * 2
    server.listing = hold_back
    async with keep_connected(Target(lambda: Client(server.url), "till", opens_within_s=0.0)) as connection:
        caller = Caller.__new__(Caller)
        caller._start(connection, None, LONGEST_S, ServerLists({}))
        for _ in range(2):
            assert (await caller.call("pay", key="order-17")).content[0].text == "done"
