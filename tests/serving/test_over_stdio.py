"""A server in a process of its own, which a cancelled future used to end."""

import pytest
from support.cancelled_tools import CANCELLABLE, STUMBLING
from support.raw_wire_client import cancelled_by_the_client, code_in, over_stdio

pytestmark = pytest.mark.anyio

DIAGONAL = [("MCPServer", "modern"), ("Server", "legacy"), ("FastMCP", "modern"), ("FastMCP", "legacy")]
"""Every kind, and both eras; all products of them are asked in memory and over HTTP."""


@pytest.mark.parametrize(("kind", "era"), DIAGONAL)
async def test_over_stdio_the_server_outlives_every_cancellation_and_ends_when_the_client_hangs_up(kind, era):
    async with over_stdio(kind, "errata", era) as (connection, process):
        for tool in STUMBLING:
            assert code_in(await connection.call(tool.__name__)) == "CANCELLED", tool
        cancelled = [await cancelled_by_the_client(connection, tool) for tool in CANCELLABLE]
    assert [message for message in connection.received if message.get("id") in cancelled] == []
    assert process.returncode == 0
