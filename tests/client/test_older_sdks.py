"""One client for every SDK that is installed: mcp 1.x and 2, FastMCP 2, 3 and 4. Nothing here needs a certain one."""

import importlib.metadata
import json
import socket
import sys
import threading
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import anyio
import mcp
import pytest
from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared import exceptions, memory
from support.sdk import HAS_OUTPUT_SCHEMAS, MCP

import errata
from errata.client import Caller, CallFailed
from errata.dialects import native
from errata.model import Code, Fault, Retry
from errata.resilience import retry

HAS_CLIENT = hasattr(mcp, "Client")
"""Whether the SDK has the client that `Caller.connect` makes; mcp 1.x has none."""
FAULT = Fault(code=Code.UPSTREAM_ERROR, message="The ledger sent no answer.", retry=Retry.IF_HARMLESS)
FAILURE = native.encode(FAULT)
SUCCESS = {"content": [{"type": "text", "text": "done"}]}
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(MCP < (1, 9), reason="`Caller` needs mcp 1.9."),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]  # FastMCP 2 and 3 import such.

checks_results = pytest.mark.skipif(not HAS_OUTPUT_SCHEMAS, reason="mcp before 1.10 holds nothing against a schema.")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def at_once():
    """Repeat as errata does, without waiting."""

    async def no_time(_):
        """Take none."""

    return retry(sleep=no_time, deadline_s=None, random=lambda: 0.0)


class Shop:
    """What a server answers to each call, and what it was asked; the last answer stays."""

    def __init__(self, *answers, lists=True):
        self.answers = list(answers)
        self.lists = lists
        self.names = []
        self.metas = []

    async def call(self, name, meta):
        self.names.append(name)
        self.metas.append(meta)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is None:
            await anyio.sleep_forever()
        if isinstance(answer, Exception):
            raise answer
        return types.CallToolResult.model_validate(answer)

    def page(self, cursor):
        """List one tool on each page; a session knows the output schemas of the first one."""
        if not self.lists:
            raise protocol_error(-32603, "The list is broken.", None)
        tools = [
            {"name": "count", "outputSchema": NUMBER},
            {"name": "pay"},
            {"name": "get_order", "annotations": {"readOnlyHint": True}},
        ]
        number = int(cursor or 0)
        wire = {"tools": [{"inputSchema": {"type": "object", "properties": {"idempotency_key": {}}}} | tools[number]]}
        return types.ListToolsResult.model_validate(wire | ({"nextCursor": str(number + 1)} if number < 2 else {}))


def protocol_error(code, message, data):
    if HAS_CLIENT:
        return exceptions.MCPError(code, message, data)
    return exceptions.McpError(types.ErrorData(code=code, message=message, data=data))


def serve(shop):
    """Return the shop as a low-level server."""
    if HAS_CLIENT:

        async def call(_, params):
            return await shop.call(params.name, dict(params.meta or {}))

        async def list_tools(_, params):
            return shop.page(params.cursor if params else None)

        return Server("shop", on_call_tool=call, on_list_tools=list_tools)

    async def call_1(request):
        meta = request.params.meta
        return types.ServerResult(await shop.call(request.params.name, meta.model_dump() if meta else {}))

    async def list_tools_1(request):
        return types.ServerResult(shop.page(request.params.cursor if request.params else None))

    server = Server("shop")
    server.request_handlers |= {types.CallToolRequest: call_1, types.ListToolsRequest: list_tools_1}
    return server


@asynccontextmanager
async def open_session(shop, limit_s=None):
    """Open a session of the SDK, which itself waits so long."""
    if HAS_CLIENT:
        async with mcp.Client(serve(shop), read_timeout_seconds=limit_s) as client:
            yield client.session
    else:
        limit = None if limit_s is None else timedelta(seconds=limit_s)
        async with memory.create_connected_server_and_client_session(serve(shop), limit) as session:
            yield session


@asynccontextmanager
async def open_fastmcp(shop, limit_s=None):
    """Open FastMCP's client, with any server of the SDK behind it."""
    import fastmcp  # noqa: PLC0415 - it may be missing.
    from fastmcp.client.transports import ClientTransport  # noqa: PLC0415 - as above.

    class Transport(ClientTransport):
        @asynccontextmanager
        async def connect_session(self, *, transport_options=None, **options):  # noqa: ARG002 - FastMCP 4 passes some.
            server = serve(shop)
            async with (
                memory.create_client_server_memory_streams() as (ours, theirs),
                anyio.create_task_group() as tasks,
            ):
                tasks.start_soon(server.run, *theirs, server.create_initialization_options())
                async with mcp.ClientSession(*ours, **options) as session:
                    yield session
                tasks.cancel_scope.cancel()

    async with fastmcp.Client(Transport(), timeout=limit_s) as client:
        yield client


@pytest.fixture(params=[open_session, *([open_fastmcp] if find_spec("fastmcp") else [])])
def opened(request):
    return request.param


async def test_a_tool_that_only_reads_is_called_again(opened, at_once):
    shop = Shop(FAILURE, SUCCESS)
    async with opened(shop) as client:
        result = await Caller(client, retry=at_once).call("get_order", {"order_id": "17"})
    assert shop.names == ["get_order", "get_order"]
    assert result.content[0].text == "done"


async def test_a_tool_that_declares_nothing_is_not(opened, at_once):
    shop = Shop(FAILURE)
    async with opened(shop) as client:
        with pytest.raises(CallFailed) as caught:
            await Caller(client, retry=at_once).call("pay")
    assert shop.names == ["pay"]
    assert caught.value.fault.code is Code.UPSTREAM_ERROR
    assert caught.value.has_effect


async def test_an_idempotency_key_in_the_schema_licenses_a_repetition(opened, at_once):
    shop = Shop(FAILURE, SUCCESS)
    async with opened(shop) as client:
        await Caller(client, retry=at_once).call("pay", {"idempotency_key": "order-17"})
    assert shop.names == ["pay", "pay"]


async def test_a_key_arrives_with_every_attempt(opened, at_once):
    shop = Shop(FAILURE, SUCCESS)
    async with opened(shop) as client:
        await Caller(client, retry=at_once).call("pay", key="order-17")
    assert [meta.get("errata/idempotencyKey") for meta in shop.metas] == ["order-17", "order-17"]


async def test_all_pages_are_listed(opened):
    async with opened(Shop(SUCCESS)) as client:
        tools = await Caller(client).tools()
    assert [tool.name for tool in tools] == ["count", "pay", "get_order"]


async def test_a_list_that_the_server_lacks_is_empty(opened):
    async with opened(Shop(SUCCESS)) as client:
        assert await Caller(client).prompts() == ()


async def test_an_error_of_the_protocol_keeps_its_number_and_its_data(opened):
    shop = Shop(protocol_error(-32602, "Invalid params", {"field": "order_id"}))
    async with opened(shop) as client:
        with pytest.raises(CallFailed) as caught:
            await Caller(client, retry=None).call("pay")
    assert (caught.value.fault.code, caught.value.fault.field) == (Code.INVALID_PARAMS, "order_id")


async def test_the_limit_of_a_call_is_a_timeout(opened):
    async with opened(Shop(None)) as client:
        with pytest.raises(CallFailed, match=r"waited 0\.05 s") as caught:
            await Caller(client, retry=None, timeout_s=0.05).call("pay")
    assert caught.value.fault.code is Code.TIMEOUT


async def test_the_limit_of_the_session_is_one_on_this_side(opened):
    async with opened(Shop(None), limit_s=0.5) as client:
        with pytest.raises(CallFailed, match="This client waited") as caught:
            await Caller(client, retry=None, timeout_s=None).call("pay")
    assert caught.value.fault.code is Code.TIMEOUT
    assert caught.value.fault.retry is not Retry.SAME_CALL


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_read_that_hangs_is_repeated_if_its_tool_is_known_and_nothing_is_listed_for_it(
    opened, at_once, is_listed
):
    """The server may be gone, and to ask it would cancel the block of whoever has opened the client."""
    shop = Shop(None)
    async with opened(shop) as client:
        caller = Caller(client, retry=at_once, timeout_s=0.2)
        if is_listed:
            await caller.tools(timeout_s=20)
        with pytest.raises(CallFailed) as caught:
            await caller.call("get_order")
    assert len(shop.names) == (3 if is_listed else 1)
    assert caught.value.fault.retry is (Retry.SAME_CALL if is_listed else Retry.IF_HARMLESS)


@checks_results
async def test_an_answer_that_breaks_its_own_schema_is_kept(opened):
    answer = SUCCESS | {"structuredContent": {"number": "many"}}
    async with opened(Shop(answer)) as client:
        with pytest.raises(CallFailed, match="does not fit the tool's own output schema") as caught:
            await Caller(client, retry=None).call("count")
    assert caught.value.response["structuredContent"] == {"number": "many"}


@checks_results
async def test_an_answer_that_cannot_be_checked_licenses_no_repetition(opened, at_once):
    shop = Shop(SUCCESS | {"structuredContent": {"number": 17}}, lists=False)
    async with opened(shop) as client:
        with pytest.raises(CallFailed, match="could not check it"):
            await Caller(client, retry=at_once).call("get_order")
    assert shop.names == ["get_order"]


async def test_fastmcps_client_knows_the_name_of_the_server():
    pytest.importorskip("fastmcp")
    async with open_fastmcp(Shop(SUCCESS)) as client:
        assert Caller(client).server == "shop"


async def test_the_result_of_a_session_is_decoded():
    async with open_session(Shop(FAILURE)) as session:
        assert errata.decode(await session.call_tool("pay", {})) == errata.decode(FAILURE)


async def test_the_result_of_fastmcps_client_is_decoded():
    pytest.importorskip("fastmcp")
    async with open_fastmcp(Shop(FAILURE)) as client:
        result = await client.call_tool("pay", {}, raise_on_error=False)
        raw = await client.call_tool_mcp("pay", {})
    assert errata.decode(result) == errata.decode(raw) == errata.decode(FAILURE)


async def test_a_success_of_fastmcps_client_is_no_failure():
    pytest.importorskip("fastmcp")
    async with open_fastmcp(Shop(SUCCESS)) as client:
        assert errata.decode(await client.call_tool("pay", {}, raise_on_error=False)) is None


@pytest.mark.skipif(HAS_CLIENT, reason="It works there.")
async def test_without_a_client_in_the_sdk_connect_says_how_to_go_on():
    with pytest.raises(ImportError, match=r"mcp 1\.\d+\.\d+ does not have.* pass it: `Caller\(session\)`"):
        async with Caller.connect("https://example.com/mcp"):
            """Nothing is reached."""


async def test_without_an_sdk_connect_proposes_one_that_changes_no_version(monkeypatch):
    def is_missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setitem(sys.modules, "errata.client._targets", None)
    monkeypatch.setattr(importlib.metadata, "version", is_missing)
    with pytest.raises(ImportError, match=r"Install it with: pip install mcp$"):
        async with Caller.connect("https://example.com/mcp"):
            """Nothing is reached."""


# Connections that end, through a client of the program's own.

STDIO_SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "shop", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": []}
    elif method == "tools/call":
        with open(sys.argv[1], "a") as log:
            log.write(message["params"]["name"] + "\\n")
        if message["params"]["name"] == "die":
            os._exit(3)
        continue
    else:
        if "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@asynccontextmanager
async def start_for_session(log):
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415 - only here.

    parameters = StdioServerParameters(command=sys.executable, args=["-c", STDIO_SERVER, str(log)])
    async with stdio_client(parameters) as (reading, writing), mcp.ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def start_for_fastmcp(log):
    import fastmcp  # noqa: PLC0415 - it may be missing.
    from fastmcp.client.transports import StdioTransport  # noqa: PLC0415 - as above.

    transport = StdioTransport(sys.executable, ["-c", STDIO_SERVER, str(log)], keep_alive=False)
    async with fastmcp.Client(transport) as client:
        yield client


@pytest.fixture(params=[start_for_session, *([start_for_fastmcp] if find_spec("fastmcp") else [])])
def started(request):
    return request.param


async def test_a_call_whose_connection_ended_is_not_said_to_be_unsent(started, tmp_path, at_once):
    log = tmp_path / "calls"
    async with started(log) as client:
        caller = Caller(client, retry=at_once, timeout_s=20)
        with pytest.raises(CallFailed, match=r"Whether it took effect is not known\..* Open a new client") as caught:
            await caller.call("die", key="order-17")
        with pytest.raises(CallFailed, match="`die` was not sent") as after:
            await caller.call("die", key="order-17")
    assert log.read_text().split() == ["die"]
    assert (caught.value.attempts, caught.value.fault.retry, caught.value.is_unsent) == (1, Retry.SAME_CALL, False)
    assert (after.value.fault.retry, after.value.is_unsent) == (Retry.NEVER, True)


@pytest.mark.skipif(MCP < (1, 11), reason="Its session breaks if two calls are waiting.")
async def test_every_call_that_was_waiting_says_that_it_may_have_taken_effect(started, tmp_path, at_once):
    log, failures = tmp_path / "calls", {}

    async def call(tool):
        with pytest.raises(CallFailed) as caught:
            await caller.call(tool, key="order-17")
        failures[tool] = caught.value

    async with started(log) as client:
        caller = Caller(client, retry=at_once, timeout_s=20)
        async with anyio.create_task_group() as group:
            group.start_soon(call, "wait")
            while not log.exists():  # noqa: ASYNC110 - another process writes it.
                await anyio.sleep(0.01)
            group.start_soon(call, "die")
    assert log.read_text().split() == ["wait", "die"]
    assert ["Whether it took effect is not known" in str(failed) for failed in failures.values()] == [True, True]


async def test_a_client_that_its_owner_has_opened_again_is_not_taken_for_lost(tmp_path, at_once):
    fastmcp = pytest.importorskip("fastmcp")
    from fastmcp.client.transports import StdioTransport  # noqa: PLC0415 - it may be missing.

    log = tmp_path / "calls"
    client = fastmcp.Client(StdioTransport(sys.executable, ["-c", STDIO_SERVER, str(log)], keep_alive=False))
    caller = Caller(client, retry=at_once, timeout_s=20)
    for _ in range(2):
        async with client:
            with pytest.raises(CallFailed, match="Whether it took effect is not known"):
                await caller.call("die", key="order-17")
    assert log.read_text().split() == ["die", "die"]


@pytest.mark.skipif(not HAS_CLIENT, reason="There is nothing to connect with.")
async def test_a_transport_that_can_be_used_once_is_not_tried_again(tmp_path, at_once):
    from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: PLC0415 - only here.

    log = tmp_path / "calls"
    transport = stdio_client(StdioServerParameters(command=sys.executable, args=["-c", STDIO_SERVER, str(log)]))
    async with Caller.connect(transport, retry=at_once, timeout_s=20) as caller:
        with pytest.raises(CallFailed, match=r"Whether it took effect is not known\..* can be used once") as caught:
            await caller.call("die", key="order-17")
    assert (log.read_text().split(), caught.value.attempts) == (["die"], 1)


class Till(BaseHTTPRequestHandler):
    """A server over HTTP that answers calls with a status, or with its own end."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            result = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "till", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": [{"name": "pay", "inputSchema": {"type": "object"}}]}
        elif method == "tools/call":
            self.server.calls += 1
            self.fail()
            return
        else:
            error = {"code": -32601, "message": "Method not found"}
            self.answer(202 if number is None else 200, {"jsonrpc": "2.0", "id": number, "error": error})
            return
        self.answer(200, {"jsonrpc": "2.0", "id": number, "result": result})

    def do_GET(self):
        self.answer(405, {})

    do_DELETE = do_GET  # noqa: N815 - as the base class names it.

    def fail(self):
        if self.server.status is not None:
            self.answer(self.server.status, {})
            return
        self.server.socket.close()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()  # Without them, some clients cancel the block of whoever has opened them.
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def answer(self, status, members):
        body = b"" if status in {202, 405} else json.dumps(members).encode()
        self.send_response(status)
        for name, value in (
            ("content-type", "application/json"),
            ("mcp-session-id", "1"),
            ("content-length", len(body)),
        ):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def listen(status):
    till = ThreadingHTTPServer(("127.0.0.1", 0), Till)
    till.daemon_threads, till.status, till.calls = True, status, 0
    thread = threading.Thread(target=till.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield till, f"http://127.0.0.1:{till.server_address[1]}/mcp"
    finally:
        till.shutdown()
        till.server_close()
        thread.join(60)


@asynccontextmanager
async def reach_with_session(url):
    from mcp.client import streamable_http  # noqa: PLC0415 - only here.

    name = "streamable_http_client" if hasattr(streamable_http, "streamable_http_client") else "streamablehttp_client"
    async with (
        getattr(streamable_http, name)(url) as (reading, writing, *_),
        mcp.ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        yield session


@asynccontextmanager
async def reach_with_fastmcp(url):
    import fastmcp  # noqa: PLC0415 - it may be missing.

    async with fastmcp.Client(url) as client:
        yield client


REACHING = [reach_with_session, *([reach_with_fastmcp] if find_spec("fastmcp") else [])]


@pytest.mark.parametrize("reached", REACHING)
async def test_the_failure_arrives_although_the_server_is_gone_and_its_tools_are_not_known(reached, at_once):
    failed = None
    with listen(None) as (till, url), suppress(Exception):  # A client may fail to say goodbye.
        async with reached(url) as client:
            with pytest.raises(CallFailed) as caught:
                await Caller(client, retry=at_once, timeout_s=1).call("pay")
            failed = caught.value
    assert failed is not None
    assert (till.calls, failed.is_local, failed.fault.retry) == (1, True, Retry.IF_HARMLESS)


@pytest.mark.parametrize("status", [401, 429, 500, 503])
@pytest.mark.parametrize("reached", REACHING if HAS_CLIENT else REACHING[1:])  # A session of mcp 1 cancels the block.
async def test_a_status_that_ends_the_connection_is_not_replaced_by_unsent_repetitions(reached, status, at_once):
    failed = None
    with listen(status) as (till, url), suppress(Exception):
        async with reached(url) as client:
            with pytest.raises(CallFailed) as caught:
                await Caller(client, retry=at_once, timeout_s=1).call("pay", key="order-17")
            failed = caught.value
    assert failed is not None
    assert (failed.attempts, failed.is_unsent) == (till.calls, False)
    assert "not sent" not in str(failed)


async def test_callers_of_one_session_share_a_budget(at_once):
    """The session of mcp 1 does not know the name of the server, by which others share one."""
    shop = Shop(FAILURE)
    async with open_session(shop) as session:
        for number in range(50):
            with pytest.raises(CallFailed):
                await Caller(session, retry=at_once).call("get_order", {"order_id": number})
    assert len(shop.names) < 100


async def test_the_exception_of_fastmcps_client_is_read_as_the_failure_in_its_text():
    pytest.importorskip("fastmcp")
    async with open_fastmcp(Shop(FAILURE)) as client:
        with pytest.raises(Exception, match="The ledger sent no answer") as caught:
            await client.call_tool("pay", {})
        rendered = Caller(client).render(caught.value)
    assert errata.decode(caught.value).code is Code.UPSTREAM_ERROR
    assert rendered.splitlines()[0] == "Error [UPSTREAM_ERROR]: The ledger sent no answer."
    assert rendered.count("Error [") == 1


def test_a_session_that_takes_no_time_limits_is_refused_with_a_way_out():
    class ClientSession:
        """As it was before mcp 1.9."""

        async def call_tool(self, name, arguments=None): ...

    ClientSession.__module__ = "mcp.client.session"
    ClientSession.__qualname__ = "ClientSession"

    with pytest.raises(TypeError, match=r"needs mcp 1\.9 or later.*pip install 'mcp>=1\.9,<2'"):
        Caller(ClientSession())
