"""One client for every SDK that is installed: mcp 1.x and 2, FastMCP 2, 3 and 4. Nothing here needs a certain one."""

import importlib.metadata
import sys
from contextlib import asynccontextmanager
from datetime import timedelta
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
