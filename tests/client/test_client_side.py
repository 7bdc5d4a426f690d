"""Is a failure on this side of the wire reported as one, and does it cost no more than the call it hits?"""

import os
import pickle
import sys

import anyio
import fastmcp
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from support.scripted_http_server import DESTROYS, DONE, READS, Reply, connect, hold_back

from errata import Code, Retry
from errata.client import AskUser, Caller, CallFailed, Stop, decide

pytestmark = pytest.mark.anyio

LONGEST_S = 60

DIES = """
import json, os, sys
log = os.environ["LOG"]
print("started", file=open(log, "a"))
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "server/discover":
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        case "tools/list":
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"},
                      "annotations": {"readOnlyHint": name == "look"}} for name in ("look", "pay", "die")]}
        case _ if message["params"]["name"] == "die" or os.path.exists(log + ".die"):
            if os.path.exists(log + ".die"):
                os.unlink(log + ".die")
            os._exit(3)
        case _:
            result = {"content": [{"type": "text", "text": "fine"}]}
    cache = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result | cache}), flush=True)
"""


@pytest.fixture
def mortal(tmp_path):
    """Say how to start a server over stdio that dies when it is asked to."""
    environment = {**os.environ, "LOG": str(tmp_path / "log")}
    return StdioServerParameters(command=sys.executable, args=["-c", DIES], env=environment)


def starts(mortal):
    with open(mortal.env["LOG"]) as log:  # noqa: PTH123 - its path is a text.
        return log.read().count("started")


async def test_a_server_that_dies_in_a_call_is_started_again_for_the_next_one(mortal):
    async with Caller.connect(mortal, retry=None) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("die")
        assert (await caller.call("look")).content[0].text == "fine"
    failed = caught.value
    assert (failed.code, failed.fault.retry, failed.is_local) == (Code.NETWORK_ERROR, Retry.IF_HARMLESS, True)
    assert "was lost before `die` was answered" in str(failed)
    assert starts(mortal) == 2


async def test_a_call_that_only_reads_is_repeated_on_a_new_connection(mortal, at_once):
    async with Caller.connect(mortal, retry=at_once) as caller:
        with open(mortal.env["LOG"] + ".die", "w"):  # noqa: ASYNC230, PTH123 - an empty file, made at once.
            pass
        assert (await caller.call("look")).content[0].text == "fine"
    assert starts(mortal) == 2


async def test_calls_that_lose_their_connection_at_the_same_time_open_one_new_one(mortal, at_once):
    answers = []

    async with Caller.connect(mortal, retry=at_once) as caller:

        async def look():
            answers.append((await caller.call("look")).content[0].text)

        with open(mortal.env["LOG"] + ".die", "w"):  # noqa: ASYNC230, PTH123 - as above.
            pass
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(look)
    assert answers == ["fine"] * 20
    assert starts(mortal) == 2


async def test_a_client_of_somebody_else_that_died_says_who_has_to_open_it_again(mortal, at_once):
    async with Client(mortal) as client:
        caller = Caller(client, retry=at_once)
        with pytest.raises(CallFailed) as first:
            await caller.call("die")
        with pytest.raises(CallFailed) as second:
            await caller.call("look")
    assert first.value.fault.retry is Retry.IF_HARMLESS
    assert second.value.fault.retry is Retry.NEVER
    assert "was not sent. Open a new client" in str(second.value)


async def test_a_transport_that_can_be_used_once_is_said_to_be(mortal):
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - the only one that needs it.

    async with Caller.connect(stdio_client(mortal), retry=None) as caller:
        with pytest.raises(CallFailed):
            await caller.call("die")
        with pytest.raises(CallFailed, match="A transport can be used once") as caught:
            await caller.call("look")
    assert caught.value.fault.retry is Retry.NEVER


async def test_a_call_after_the_block_says_that_it_has_ended(mortal):
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - as above.

    for server in (MCPServer("shelf"), mortal, stdio_client(mortal)):
        async with Caller.connect(server) as caller:
            pass
        with pytest.raises(
            CallFailed, match=r"has ended, .*so `look` was not sent\. Call inside of the block"
        ) as caught:
            await caller.call("look")
        assert (caught.value.fault.retry, caught.value.is_local) == (Retry.NEVER, True)


async def test_a_server_that_dies_in_its_handshake_is_not_asked_whether_that_took_effect():
    dies = StdioServerParameters(command=sys.executable, args=["-c", "input()"])
    with pytest.raises(CallFailed, match="ended with exit status 0 before it answered the handshake") as caught:
        async with Caller.connect(dies, retry=None):
            raise AssertionError
    assert "took effect" not in str(caught.value)


async def test_a_server_does_not_pass_for_another_one_because_it_was_started_again_under_another_name(server, at_once):
    server.era = "legacy"
    server.answers = [Reply(401)] * 4  # Two of them are not sent: the session is not known any more.
    async with connect(server.url, retry=at_once) as caller:
        for server.name in ("till", "other till"):
            server.session = server.name
            with pytest.raises(CallFailed):
                await caller.call("pay")
    first, second = caller.history
    assert (first.identity, first.server) == (second.identity, second.server)
    assert server.asked.count("initialize") == 3


async def test_nor_because_its_client_was_opened_again(server):
    server.answers = [Reply(401)] * 2
    client = fastmcp.Client(server.url)
    caller = Caller(client, retry=None)
    for server.name in ("till", "other till"):
        async with client:
            with pytest.raises(CallFailed):
                await caller.call("pay")
    first, second = caller.history
    assert first.identity == second.identity


@pytest.mark.parametrize("kind", [Client, fastmcp.Client])
async def test_a_client_that_nobody_opened_says_so(kind):
    with pytest.raises(CallFailed, match="not connected") as caught:
        await Caller(kind("http://127.0.0.1:1/mcp")).call("look")
    assert (caught.value.fault.retry, caught.value.is_local) == (Retry.NEVER, True)


SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
REFUSED = {
    "does not fit": {**DONE, "structuredContent": {"sum": "five", "password": "hunter2"}},
    "has no data": {"content": [{"type": "text", "text": "done, password=hunter2"}], "resultType": "complete"},
}
CONNECTIONS = [connect, Client, fastmcp.Client]


async def refusal(server, kind, answer, annotations, tool="pay"):
    """Make a call whose answer breaks the tool's output schema, which is known by then."""
    server.answers = [{**DONE, "structuredContent": {}}, answer]
    server.annotations, server.output_schema = {tool: annotations}, server.output_schema or SUM
    async with kind(server.url) as made:
        caller = made if isinstance(made, Caller) else Caller(made)
        for _ in range(2):
            with pytest.raises(CallFailed) as caught:
                await caller.call(tool)
    assert server.calls(tool) == 2
    return caught.value


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
async def test_an_answer_that_breaks_its_schema_does_not_say_whether_it_was_done(server, kind, answer):
    for annotations, verdict in (({}, Retry.VERIFY_FIRST), (DESTROYS, Retry.VERIFY_FIRST), (READS, Retry.NEVER)):
        failed = await refusal(server, kind, answer, annotations)
        server.asked.clear()
        assert (failed.code, failed.fault.retry, failed.is_local) == (Code.SERIALIZATION_ERROR, verdict, True)
        assert "does not fit the tool's own output schema. Whether it was done cannot be told from that." in str(failed)
        assert isinstance(decide(failed), Stop if verdict is Retry.NEVER else AskUser)
        assert failed.response["content"][0]["text"].startswith("done")
        assert "hunter2" not in f"{failed} {failed.response} {failed.fault!r}"


async def test_not_even_a_key_lets_it_be_repeated(server, at_once):
    server.output_schema, server.answers = SUM, [REFUSED["does not fit"]] * 2
    async with connect(server.url, retry=at_once) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay", key="order-17")
    assert (caught.value.fault.retry, caught.value.is_refused) == (Retry.VERIFY_FIRST, True)
    assert server.calls() == 1


async def test_what_only_reads_by_its_name_need_not_be_looked_at(server):
    failed = await refusal(server, connect, REFUSED["does not fit"], {}, "get_order")
    assert failed.fault.retry is Retry.NEVER


SAYS_SO = {
    "in a text": {"content": [{"type": "text", "text": "Error: no such order"}], "resultType": "complete"},
    "in its data": {**DONE, "structuredContent": {"error": "no such order"}},
    "in both": {
        "content": [{"type": "text", "text": '{"error": "no such order"}'}],
        "structuredContent": {"error": "no such order"},
        "resultType": "complete",
    },
}


@pytest.mark.parametrize("kind", CONNECTIONS)
@pytest.mark.parametrize("answer", SAYS_SO.values(), ids=SAYS_SO)
async def test_a_failure_that_breaks_the_schema_of_successes_is_told_as_what_it_is(server, kind, answer):
    failed = await refusal(server, kind, answer, {}, "find")
    assert (failed.code, failed.is_local, str(failed)) == (Code.NOT_FOUND, False, "no such order")
    assert failed.response["content"] == answer["content"]
    assert failed.fault.retry is Retry.FIX_INPUT


@pytest.mark.parametrize("answer", SAYS_SO.values(), ids=SAYS_SO)
async def test_such_a_failure_proves_nothing_of_a_tool_that_changes_something(server, answer):
    failed = await refusal(server, connect, answer, DESTROYS)
    assert (failed.code, failed.fault.retry) == (Code.NOT_FOUND, Retry.VERIFY_FIRST)


@pytest.mark.parametrize("kind", CONNECTIONS)
async def test_a_schema_that_is_none_is_not_the_fault_of_the_answer(server, kind):
    server.output_schema = {**SUM, "properties": {"sum": {"$ref": "#/$defs/nowhere"}}}
    failed = await refusal(server, kind, {**DONE, "structuredContent": {"sum": 5}}, {})
    assert (failed.code, failed.fault.retry) == (Code.SERIALIZATION_ERROR, Retry.VERIFY_FIRST)
    assert "the tool's own output schema is no valid one" in str(failed)
    assert failed.response["structuredContent"] == {"sum": 5}


NOT_JSON = {
    "not a number": float("nan"),
    "half a character": "\ud800",
    "endless": float("inf"),
    "an object": object(),
    "bytes that are no text": b"\xff",
}


@pytest.mark.parametrize("value", NOT_JSON.values(), ids=NOT_JSON)
async def test_arguments_that_are_no_json_are_refused_before_they_can_end_the_connection(server, value):
    async with connect(server.url) as caller:
        with pytest.raises(CallFailed, match="cannot be written as JSON") as caught:
            await caller.call("pay", {"amount": value})
        await caller.call("pay")
    assert (caught.value.code, caught.value.fault.retry) == (Code.INVALID_PARAMS, Retry.FIX_INPUT)
    assert server.calls() == 1


async def test_arguments_that_contain_themselves_or_have_no_names_are_refused(server):
    circle = {}
    circle["circle"] = circle
    async with connect(server.url) as caller:
        for arguments in (circle, {17: "cents"}):
            with pytest.raises(CallFailed, match="cannot be written as JSON"):
                await caller.call("pay", arguments)


async def test_a_connection_that_is_opened_for_a_call_that_is_given_up_serves_the_next_one(mortal):
    async with Caller.connect(mortal, retry=None) as caller:
        with pytest.raises(CallFailed):
            await caller.call("die", key="1")  # With it, nothing is left to be learned, and nothing is opened for that.
        with pytest.raises(CallFailed) as caught:
            await caller.call("look", timeout_s=0.000_001)
        assert (await caller.call("look")).content[0].text == "fine"
    assert (caught.value.code, caught.value.is_local) == (Code.TIMEOUT, True)
    assert starts(mortal) == 2


async def test_a_cancellation_passes_and_is_no_failure(server):
    server.answers = [hold_back]
    with anyio.fail_after(LONGEST_S):
        async with connect(server.url) as caller, anyio.create_task_group() as group:
            group.start_soon(caller.call, "pay")
            await anyio.to_thread.run_sync(server.arrival.wait, LONGEST_S)
            group.cancel_scope.cancel()
    assert caller.history == ()


@pytest.mark.parametrize("own", [KeyError("mine"), KeyboardInterrupt(), ExceptionGroup("mine", [ValueError()])])
async def test_what_the_block_raises_leaves_it_as_it_is(server, own):
    async def block():
        async with connect(server.url) as caller:
            await caller.call("pay")
            raise own

    with pytest.raises(type(own)) as caught:
        await block()
    assert caught.value is own


async def test_a_failed_call_leaves_the_block_as_it_is(server):
    server.answers = [Reply(401)]
    with pytest.raises(CallFailed) as caught:
        async with connect(server.url) as caller:
            await caller.call("pay")
    assert caught.value.occurrence == caller.history[-1].occurrence
    assert caller.history[-1].response is None


async def test_a_failure_can_be_pickled_with_all_that_was_in_hand(server):
    server.answers = [Reply(403, b"No.")]
    async with connect(server.url) as caller:
        with pytest.raises(CallFailed) as caught:
            await caller.call("pay", {"to": "ada", "cents": 5})
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is CallFailed
    assert (copy.tool, copy.arguments, copy.server) == ("pay", {"to": "ada", "cents": 5}, "till")
    assert (copy.response, copy.is_local, copy.identity) == (caught.value.response, False, caught.value.identity)
    assert (copy.fault, str(copy)) == (caught.value.fault, str(caught.value))


async def test_resources_and_prompts_fail_alike():
    server = MCPServer("shelf", log_level="CRITICAL")
    async with Caller.connect(server) as caller:
        with pytest.raises(CallFailed) as read:
            await caller.read("shelf://nothing")
        with pytest.raises(CallFailed) as prompted:
            await caller.prompt("nothing")
    assert read.value.code is Code.NOT_FOUND
    assert not read.value.is_local
    assert prompted.value.server == "shelf"


def test_what_is_no_client_is_refused():
    with pytest.raises(TypeError, match="`Caller` takes no `dict`"):
        Caller({})


async def test_what_is_no_address_is_refused():
    with pytest.raises(ValueError, match="`localhost:8000` is no address"):
        async with Caller.connect("localhost:8000"):
            raise AssertionError


async def test_the_password_in_what_is_no_address_is_not_shown():
    with pytest.raises(ValueError, match="is no address") as refused:
        async with Caller.connect("htp://ann:hunter2@shelf"):
            raise AssertionError
    assert "hunter2" not in str(refused.value)


async def test_a_block_is_entered_once():
    block = Caller.connect(MCPServer("shelf"))
    async with block:
        pass
    with pytest.raises(RuntimeError, match=r"Write `Caller.connect\(…\)` again"):
        async with block:
            raise AssertionError


async def test_headers_for_what_is_no_address_are_refused():
    with pytest.raises(TypeError, match="`headers` is for HTTP"):
        async with Caller.connect(MCPServer("shelf"), headers={"a": "b"}):
            raise AssertionError


# What the SDK says about its own connection, said by a server about one further away.
HEARSAY = {-32000: "Connection closed", -32001: "Request 'tools/call' timed out"}


@pytest.mark.parametrize("kind", [connect, Client, fastmcp.Client])
async def test_what_a_server_says_about_another_connection_is_not_trouble_of_this_one(server, kind):
    server.answers = [{"error": {"code": code, "message": message}} for code, message in HEARSAY.items()]
    async with kind(server.url) as made:
        caller = made if isinstance(made, Caller) else Caller(made)
        opened = len(server.asked)
        for code, message in HEARSAY.items():
            with pytest.raises(CallFailed) as caught:
                await caller.call("pay", timeout_s=LONGEST_S)
            assert (caught.value.is_local, caught.value.response) == (False, {"code": code, "message": message})
        await caller.call("pay", timeout_s=LONGEST_S)
    assert not {"server/discover", "initialize"} & {*server.asked[opened:]}


async def test_a_server_in_this_process_loses_no_other_call_by_such_words():
    server = MCPServer("proxy", log_level="CRITICAL")
    begun, go_on = anyio.Event(), anyio.Event()

    @server.tool()
    async def slow() -> str:
        begun.set()
        await go_on.wait()
        return "done"

    @server.tool()
    async def relay() -> str:
        raise MCPError(-32000, "Connection closed")

    answers = []

    async def call_slow(caller):
        answers.append((await caller.call("slow")).content[0].text)

    async with Caller.connect(server, retry=None) as caller, anyio.create_task_group() as group:
        group.start_soon(call_slow, caller)
        await begun.wait()
        with pytest.raises(CallFailed) as caught:
            await caller.call("relay")
        go_on.set()
    assert answers == ["done"]
    assert not caught.value.is_local
