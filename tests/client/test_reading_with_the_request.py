"""An answer is read together with the call that it belongs to: which argument it is about, and which words are the caller's own."""

import fastmcp
import mcp
import pytest
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from errata import Code, Retry
from errata.client import Caller, CallFailed, FixArguments, decide

pytestmark = pytest.mark.anyio


def desk():
    """Make a server without errata, which says in prose what is wrong."""
    server = MCPServer("desk", log_level="CRITICAL")

    @server.tool()
    def find_ticket(title: str, project: str) -> str:
        raise ToolError(f"No ticket called {title} in the project{' ' * len(project)}.")

    @server.tool()
    def plan(days: int, city: str) -> str:
        raise ToolError(f"The value is not valid.{' ' * (days + len(city))}")

    return server


@pytest.fixture(params=["connect", "mcp.Client", "fastmcp.Client"])
async def caller(request):
    match request.param:
        case "connect":
            async with Caller.connect(desk(), retry=None) as caller:
                yield caller
        case "mcp.Client":
            async with mcp.Client(desk()) as client:
                yield Caller(client, retry=None)
        case _:
            async with fastmcp.Client(desk()) as client:
                yield Caller(client, retry=None)


async def failure(caller, tool, **arguments):
    with pytest.raises(CallFailed) as caught:
        await caller.call(tool, arguments)
    return caught.value


@pytest.mark.parametrize("title", ["503 Service Unavailable", "Payment timed out", "Too Many Requests"])
async def test_what_the_caller_sent_decides_nothing(caller, title):
    error = await failure(caller, "find_ticket", title=title, project="web")

    assert (error.code, error.fault.retry, error.fault.field) == (Code.NOT_FOUND, Retry.FIX_INPUT, "title")
    assert isinstance(decide(error), FixArguments)


async def test_the_schema_of_the_tool_tells_which_argument_was_refused(caller):
    await caller.tools()
    error = await failure(caller, "plan", days=3, city="Oslo")
    assert error.fault.field is None  # All fit it.

    error = await failure(caller, "plan", days="soon", city="Oslo")
    assert error.fault.field == "days"
