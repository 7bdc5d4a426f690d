"""A server in a process of its own: what ends it, and what no longer does."""

import pytest
from raw_wire import ERAS, cancelled_by_the_client, code_in, over_stdio
from stumbling import CANCELLABLE, KINDS, STUMBLING

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_without_errata_a_tool_that_awaits_something_cancelled_ends_the_whole_server():
    async with over_stdio("MCPServer", "bare", "modern") as (connection, process):
        await connection.call("awaits_a_cancelled_future")
        assert await connection.call("echo", text="Still there?") is None
        await process.wait()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
async def test_over_stdio_the_server_outlives_every_cancellation_and_ends_when_the_client_hangs_up(kind, era):
    async with over_stdio(kind, "errata", era) as (connection, process):
        for tool in STUMBLING:
            assert code_in(await connection.call(tool.__name__)) == "CANCELLED", tool
        cancelled = [await cancelled_by_the_client(connection, tool) for tool in CANCELLABLE]
    assert [message for message in connection.received if message.get("id") in cancelled] == []
    assert process.returncode == 0


@pytest.mark.parametrize("layer", ["bare", "errata"])
async def test_a_tool_that_exits_still_ends_its_server(layer):
    async with over_stdio("MCPServer", layer, "modern") as (connection, process):
        assert await connection.call("exits") is None
        await process.wait()
    assert process.returncode == 7
