"""What did not fail is sent as it was: the same server without errata sends the same."""

import fastmcp
import pytest
from fastmcp.tools import ToolResult
from support.failing_servers import ERAS, SERVERS, ask
from support.failing_tools import ANSWERED, SUCCEEDING, Call

import errata

every_era = pytest.mark.parametrize("era", ERAS)


@every_era
@pytest.mark.parametrize("kind", SERVERS)
def test_a_result_is_sent_as_it_was(kind, era):
    bare, installed = SERVERS[kind](), SERVERS[kind]()
    errata.install(installed)

    before = ask(bare, era, {**SUCCEEDING, **ANSWERED})

    assert ask(installed, era, {**SUCCEEDING, **ANSWERED}) == before
    assert not before["text"].whole["isError"]
    assert before["failing_itself"].whole["isError"]


@every_era
def test_an_error_that_a_tool_made_of_fastmcps_own_class_is_sent_as_it_was(era):
    server = fastmcp.FastMCP("own")

    @server.tool
    def failing_itself() -> ToolResult:
        return ToolResult(content="It did not work.", structured_content={"why": None}, meta={"mine": 1}, is_error=True)

    asked = {"own": Call("failing_itself")}
    before = ask(server, era, asked)
    errata.install(server)

    assert ask(server, era, asked) == before
    assert before["own"].whole["isError"]
