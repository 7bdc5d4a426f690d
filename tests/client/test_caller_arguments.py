"""Is what a caller cannot use refused at once, in words that say what it can?"""

import math
import re

import fastmcp
import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from support.scripted_http_server import Reply, connect

from errata import Code, NeedsInput, Retry, not_found
from errata.client import AskUser, Caller, CallFailed, FixArguments, Stop, decide

pytestmark = pytest.mark.anyio

BIG = "x" * 10_000_000
SOME_KB = 100_000


@pytest.mark.parametrize("given", [(5, {}), ("", {}), (None,), ("pay", [1]), ("pay", "x"), ("pay", 5)])
async def test_a_call_that_is_none_is_a_mistake_of_the_program_and_is_not_sent(server, given):
    async with connect(server.url) as caller:
        with pytest.raises(TypeError, match="Nothing was sent"):
            await caller.call(*given)
        with pytest.raises(TypeError, match="Nothing was sent"):
            await caller.prompt(*given)
    assert server.calls() == 0


@pytest.mark.parametrize(
    ("limit", "error"), [(-1, ValueError), (0, ValueError), (math.nan, ValueError), ("x", TypeError), (True, TypeError)]
)
async def test_a_time_limit_that_is_none_is_refused(server, limit, error):
    with pytest.raises(error, match="`timeout_s` is "):
        Caller(Client(server.url), timeout_s=limit)
    with pytest.raises(error, match="`timeout_s` is "):
        async with connect(server.url, timeout_s=limit):
            raise AssertionError
    async with connect(server.url) as caller:
        with pytest.raises(error, match="`timeout_s` is "):
            await caller.call("pay", timeout_s=limit)


@pytest.mark.parametrize("key", [["x"], 5, True, b"order-17"])
async def test_a_key_that_is_no_text_is_refused(server, key):
    async with connect(server.url) as caller:
        with pytest.raises(TypeError, match=r"The key of a call is a text.*Nothing was sent"):
            await caller.call("pay", key=key)
    assert server.calls() == 0


SERVERS = {
    "mcp": lambda: MCPServer("shelf"),
    "fastmcp": lambda: fastmcp.FastMCP("shelf"),
    "address": lambda: "http://127.0.0.1:1/mcp",
    "command": lambda: StdioServerParameters(command="no-such-command"),
}


@pytest.mark.parametrize("make", SERVERS.values(), ids=SERVERS)
@pytest.mark.parametrize(
    ("option", "advice"), [("timeout_ss", "Did you mean `timeout_s`"), ("nonsense", "It takes `headers`")]
)
async def test_an_option_that_nobody_knows_is_refused_by_name(make, option, advice):
    with pytest.raises(TypeError, match=rf"`Caller.connect` takes no `{option}`\. {re.escape(advice)}"):
        async with Caller.connect(make(), **{option: 1}):
            raise AssertionError


async def test_a_value_that_the_client_refuses_is_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="mode must be"):
        async with Caller.connect(MCPServer("shelf"), mode="nonsense"):
            raise AssertionError


async def test_a_caller_that_is_used_as_a_block_says_what_to_write():
    with pytest.raises(TypeError, match=r"Write `async with client:` and then `Caller\(client\)`"):
        async with Caller(Client(MCPServer("shelf"))):
            raise AssertionError


async def test_a_connection_that_nobody_has_entered_says_what_to_write():
    advice = r"Write `async with Caller.connect\(…\) as caller:`"
    with pytest.raises(AttributeError, match=rf"{advice}, and use `caller.call`"):
        await Caller.connect(MCPServer("shelf")).call("look")
    with pytest.raises(TypeError, match=advice):
        await Caller.connect(MCPServer("shelf"))


class Uncopied(str):
    """A text that cannot be copied."""

    __slots__ = ()

    def __deepcopy__(self, _):
        raise ZeroDivisionError


async def test_what_was_sent_stays_what_was_sent_whatever_is_done_with_it_later(server):
    server.answers = [Reply(401)] * 2
    order = {"lines": [1]}
    async with connect(server.url) as caller:
        for line in (2, 3):
            with pytest.raises(CallFailed):
                await caller.call("pay", {"order": order, "note": Uncopied("x")})
            order["lines"].append(line)
    assert [each.arguments for each in caller.history] == [
        {"order": {"lines": lines}, "note": "x"} for lines in ([1], [1, 2])
    ]


@pytest.mark.parametrize("retry", [5, True, "often"])
async def test_a_policy_that_is_none_is_refused(server, retry):
    with pytest.raises(TypeError, match="`retry` is "):
        Caller(Client(server.url), retry=retry)


async def test_a_prompt_takes_texts_and_others_are_not_sent(server):
    async with connect(server.url) as caller:
        with pytest.raises(CallFailed, match="could not be sent") as caught:
            await caller.prompt("greet", {"times": 3})
    assert (caught.value.code, caught.value.is_local) == (Code.INVALID_PARAMS, True)
    assert "greet" not in server.asked


@pytest.mark.parametrize("command", ["no-such-command", "/"])
async def test_a_command_that_cannot_be_started_is_named_and_not_tried_again(command):
    with pytest.raises(CallFailed, match=f"could not start `{command}`") as caught:
        async with Caller.connect(StdioServerParameters(command=command)):
            raise AssertionError
    assert (caught.value.code, caught.value.fault.retry) == (Code.CONFIGURATION_ERROR, Retry.NEVER)


def test_no_history_is_an_empty_one():
    assert decide(not_found("No order."), None) == decide(not_found("No order."))


class Wordless(Exception):  # noqa: N818 - as people name them.
    """An exception that cannot say what it is."""

    def __str__(self):
        raise ZeroDivisionError


@pytest.mark.parametrize("error", [SystemExit(), Wordless(), KeyError("x")])
def test_what_this_program_raised_is_not_said_of_the_server(error):
    assert decide(error) == Stop(
        f"`{type(error).__name__}` was raised in this program, and not by the server. Look for the cause here."
    )


def test_a_step_is_short_whatever_it_is_about():
    question = decide(NeedsInput(BIG, fields=[BIG], options=[{"label": BIG, "value": 1}]))
    assert isinstance(question, AskUser)
    step = decide(not_found(BIG))
    assert isinstance(step, FixArguments)
    assert max(len(repr(question)), len(repr(step))) < SOME_KB


async def test_the_text_of_a_failure_is_short_and_its_response_whole(server):
    server.answers = [{"content": [{"type": "text", "text": BIG}], "isError": True, "resultType": "complete"}] * 2
    async with connect(server.url, retry=None) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay")
        with pytest.raises(CallFailed) as unsent:
            await caller.call(BIG, {"amount": math.nan})
    assert len(str(caught.value)) < SOME_KB
    assert len(str(unsent.value)) < SOME_KB
    assert caught.value.response["content"][0]["text"] == BIG
