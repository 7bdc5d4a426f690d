"""errata.testing: what users write their own tests with."""

import asyncio
import subprocess
import sys

import anyio
import fastmcp
import mcp
import mcp_types as types
import pytest
from fastmcp.exceptions import ToolError
from hypothesis import assume, given
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from support.strategies import faults

import errata
from errata import Code, Contract, Failure, Fault, FaultError, FieldIssue, NeedsInput, dialects, raises
from errata.http import status_to_code
from errata.testing import assert_advice_names_tools, assert_fails, call_tool

pytestmark = pytest.mark.anyio
in_each_dialect = errata.testing.in_each_dialect
KEY = "sk-proj-" + "Ab3dEf6hIj9k" * 4


@pytest.fixture
def anyio_backend():
    return "asyncio"


class FetchErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No PMID returned data", recovery="Call search_articles first to find one.")
    moved = Failure(Code.CONFLICT, when="The article moved", recovery="Call search_articles to find its new PMID.")
    queue_full = Failure(Code.RATE_LIMITED, when="The queue is full", recovery="Wait 30 seconds and try it again.")


@raises(FetchErrors)
async def fetch(pmid: str, days: int = 1) -> str:
    if pmid == "moved":
        raise FetchErrors.moved("It moved.")
    if pmid == "busy":
        raise FetchErrors.queue_full("Busy.", retry_after_ms=30_000)
    if pmid == "upstream":
        raise FaultError(Code.UPSTREAM_ERROR, "NCBI is broken.", http_status=500)
    if pmid == "protocol":
        raise MCPError(-32602, "Meant for the protocol.", {"field": "pmid"})
    if pmid == "which":
        raise NeedsInput("Which of the two?", fields=["pmid"])
    if pmid != "1":
        raise FetchErrors.no_match(f"There is no {pmid}.")
    return f"On errors, {days}"


def mcp_server():
    server = MCPServer("pubmed", log_level="CRITICAL")
    server.tool()(fetch)
    return server


def fastmcp_server():
    server = fastmcp.FastMCP("pubmed")
    server.tool(fetch)
    return server


def low_level_server():
    async def call(_, params):
        return types.CallToolResult(content=[types.TextContent(type="text", text=await fetch(**params.arguments))])

    async def tools(*_):
        return types.ListToolsResult(tools=[types.Tool(name="fetch", input_schema={"type": "object"})])

    return Server("pubmed", on_call_tool=call, on_list_tools=tools)


SERVERS = [mcp_server, low_level_server, fastmcp_server]


def refused(*arguments, **keywords):
    with pytest.raises(AssertionError) as caught:
        assert_fails(*arguments, **keywords)
    return str(caught.value)


# Calling


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("make", SERVERS)
async def test_every_server_is_called_in_each_dialect_and_both_eras(make, era, in_each_dialect):
    server = make()

    result = await in_each_dialect(server, "fetch", {"pmid": "9"}, era=era)

    assert errata.reading.recognise(result).dialect == in_each_dialect.dialect
    assert assert_fails(result, FetchErrors.no_match, message="no 9").message == "There is no 9."


@pytest.mark.parametrize("make", SERVERS)
async def test_a_server_without_errata_has_none_after_the_call(make):
    server = make()
    bare = await call_tool(server, "fetch", {"pmid": "9"}) if make is not low_level_server else None

    await call_tool(server, "fetch", {"pmid": "9"}, dialect="taxonomy")

    assert "__errata__" not in vars(server)
    if bare:
        assert await call_tool(server, "fetch", {"pmid": "9"}) == bare


@pytest.mark.parametrize("make", SERVERS)
async def test_the_settings_of_an_installed_server_come_back(make):
    server = make()
    with errata.install(server, dialect="error-response", per_tool={"fetch": "tool-error-v1"}) as installed:
        spoken = [
            errata.reading.recognise(await call_tool(server, "fetch", {"pmid": "9"}, dialect=name)).dialect
            for name in (None, "taxonomy", None)
        ]
        assert errata.install(server, dialect="error-response", per_tool={"fetch": "tool-error-v1"}) is installed

    assert spoken == ["tool-error-v1", "taxonomy", "tool-error-v1"]


@pytest.mark.parametrize("make", SERVERS)
async def test_calls_at_the_same_time_do_not_disturb_each_other(make):
    server, results = make(), {}

    async def call(name):
        results[name] = await call_tool(server, "fetch", {"pmid": "9"}, dialect=name)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for name in dialects.names():
                group.start_soon(call, name)

    assert {name: errata.reading.recognise(result).dialect for name, result in results.items()} == {
        name: name for name in dialects.names()
    }
    assert "__errata__" not in vars(server)


@pytest.mark.parametrize("make", SERVERS)
async def test_a_success_is_the_json_of_its_result(make, in_each_dialect):
    result = await in_each_dialect(make(), "fetch", {"pmid": "1", "days": 3})

    assert result["content"] == [{"type": "text", "text": "On errors, 3"}]
    assert not result["isError"]


@pytest.mark.parametrize("make", SERVERS[:2])
async def test_what_is_meant_for_the_protocol_is_raised_as_it_is(make):
    with pytest.raises(MCPError, match="Meant for the protocol") as caught:
        await call_tool(make(), "fetch", {"pmid": "protocol"}, dialect="native")

    assert_fails(caught.value, Code.INVALID_PARAMS, field="pmid")


async def test_a_call_that_cannot_be_made_says_why_and_leaves_nothing_behind():
    server = mcp_server()
    with pytest.raises(LookupError, match="Did you mean `taxonomy`"):
        await call_tool(server, "fetch", dialect="taxonmy")
    with pytest.raises(ValueError, match="Choose `modern` or `legacy`"):
        await call_tool(server, "fetch", era="ancient")
    with pytest.raises(TypeError, match="Pass a FastMCP server"):
        await call_tool(object(), "fetch")

    assert "__errata__" not in vars(server)


def test_who_has_no_event_loop_uses_one_of_asyncio():
    assert_fails(asyncio.run(call_tool(mcp_server(), "fetch", {"pmid": "9"}, dialect="native")), FetchErrors.no_match)


# Asserting


@pytest.mark.parametrize("name", dialects.names())
@given(fault=faults)
def test_every_failure_is_the_one_it_is_in_every_dialect(name, fault):
    # In 001, an adapter's identifier that is one of our codes is read as that code.
    assume(name != "error-response" or fault.origin not in set(Code))
    wire = dialects.get(name).encode(fault)

    assert_fails(wire)
    assert_fails(wire, fault.code)
    assert_fails(wire, Failure(fault.code, reason=errata.redact(fault.reason or "")))


@pytest.mark.parametrize("name", dialects.names())
def test_no_code_passes_for_one_that_the_dialect_tells_from_it(name):
    dialect = dialects.get(name)
    words = {code: {dialect.vocabulary.words[code]} for code in Code}
    for status in range(400, 600):
        code = status_to_code(status)
        words[code].add(dialect.vocabulary.word_for(Fault(code=code, http_status=status)))
    codes = list(Code)
    for position, code in enumerate(codes):
        wire = dialect.encode(Fault(code=code))
        for other in codes[position % 5 :: 5]:  # Each code meets six others, and each other meets six codes.
            if dialect.vocabulary.words[code] not in words[other]:
                with pytest.raises(AssertionError):
                    assert_fails(wire, other)


@pytest.mark.parametrize("name", ["native", "error-response", "json-rpc"])
def test_a_dialect_that_says_the_reason_is_held_to_it(name):
    wire = dialects.get(name).encode(FetchErrors.no_match().fault)
    other = Failure(Code.NOT_FOUND, reason="no_mach")

    assert_fails(wire, "no_match")
    assert "`no_mach` (NOT_FOUND), but the call failed with `no_match` (NOT_FOUND). Did you mean" in refused(
        wire, other
    )
    assert "Expected the reason `other`" in refused(wire, "other")


@pytest.mark.parametrize("name", ["mcp-tool-error", "tool-error-v1", "taxonomy"])
def test_a_reason_alone_cannot_be_expected_of_a_dialect_that_says_none(name):
    wire = dialects.get(name).encode(FetchErrors.no_match().fault)

    assert f"the dialect `{name}` has no place for a reason" in refused(wire, "no_match")


async def test_a_word_that_several_codes_share_is_taken_for_each_of_them(in_each_dialect):
    assert_fails(await in_each_dialect(mcp_server(), "fetch", {"pmid": "moved"}), FetchErrors.moved)
    assert_fails(await in_each_dialect(mcp_server(), "fetch", {"pmid": "upstream"}), Code.UPSTREAM_ERROR)


async def test_a_refused_argument_is_named_wherever_the_dialect_has_a_place_for_it(in_each_dialect):
    result = await in_each_dialect(mcp_server(), "fetch", {"pmid": "9", "days": "many"})

    assert_fails(result, Code.INVALID_PARAMS, field="days")
    if in_each_dialect.dialect in {"native", "error-response", "json-rpc"}:
        assert "Expected the field `pmid` to be at fault, but it is `days`." in refused(result, field="pmid")


async def test_retryable_is_what_the_agent_reads():
    result = await call_tool(mcp_server(), "fetch", {"pmid": "busy"}, dialect="native")
    final = await call_tool(mcp_server(), "fetch", {"pmid": "busy"}, dialect="tool-error-v1")

    assert assert_fails(result, FetchErrors.queue_full, retryable=True).retry_after_ms == 30_000
    assert_fails(final, FetchErrors.queue_full, retryable=False)
    assert "Expected `retryable` to be False, but it is True (`same_call`)" in refused(result, retryable=False)


async def test_a_failure_in_another_way_shows_what_was_expected_what_came_and_what_the_agent_reads():
    result = await call_tool(mcp_server(), "fetch", {"pmid": "busy"}, dialect="native")

    text = refused(result, FetchErrors.no_match, message="no 9")

    assert text.startswith("Expected `no_match` (NOT_FOUND), but the call failed with `queue_full` (RATE_LIMITED).\n")
    assert "Expected a message with 'no 9' in it, but it is 'Busy.'." in text
    assert "The agent reads (native):\n    Error [RATE_LIMITED]: Busy.\n" in text
    assert "    Retry: yes, the same call, after 30 s." in text


async def test_a_success_is_shown_in_part_and_without_secrets():
    text = refused(await call_tool(mcp_server(), "fetch", {"pmid": "1"}), FetchErrors.no_match)
    long = refused({"content": [{"type": "text", "text": f"the key is {KEY}, " + "and so on " * 500}]})

    assert text == "Expected `no_match` (NOT_FOUND), but the call succeeded: On errors, 1"
    assert long.startswith("Expected a failure, but the call succeeded: the key is ")
    assert KEY not in long
    assert len(long) < 500


@pytest.mark.parametrize("outcome", [None, [], {}, {"token": KEY}, 17, "x", object()])
def test_what_a_function_returns_is_a_success(outcome):
    text = refused(outcome)

    assert text.startswith("Expected a failure, but the call succeeded: ")
    assert KEY not in text


async def test_a_question_is_no_failure():
    result = await call_tool(mcp_server(), "fetch", {"pmid": "which"}, dialect="native")

    for outcome in (result, NeedsInput("Which of the two?", fields=["pmid"])):
        assert refused(outcome) == "Expected a failure, but the call asked for input: Which of the two?"


async def test_a_call_that_was_not_awaited_is_a_mistake_of_the_test():
    with pytest.raises(TypeError, match="`await` it first"):
        assert_fails(call_tool(mcp_server(), "fetch"))


async def test_a_server_without_errata_is_told_from_one_that_fails_in_another_way():
    result = await call_tool(mcp_server(), "fetch", {"pmid": "9"})

    assert_fails(result)
    assert "It speaks no dialect. Call `errata.install` on the server" in refused(result, FetchErrors.no_match)


async def test_the_objects_of_both_sdks_are_read():
    with errata.install(server := fastmcp_server()):
        async with fastmcp.Client(server) as client:
            parsed = await client.call_tool("fetch", {"pmid": "9"}, raise_on_error=False)
            raw = await client.call_tool_mcp("fetch", {"pmid": "9"})
            with pytest.raises(ToolError) as caught:
                await client.call_tool("fetch", {"pmid": "9"})
            succeeded = await client.call_tool("fetch", {"pmid": "1"})
    with errata.install(official := mcp_server()):
        async with mcp.Client(official) as client:
            result = await client.call_tool("fetch", {"pmid": "9"})
    returned = fastmcp.tools.ToolResult(**_python_names(raw))

    for outcome in (
        parsed,
        raw,
        caught.value,
        result,
        returned,
        result.model_dump(),
        {"id": 1, "result": raw.model_dump()},
    ):
        assert_fails(outcome, FetchErrors.no_match, message="There is no 9.")
        assert "failed with" in refused(outcome, FetchErrors.queue_full)
    assert "succeeded: On errors, 1" in refused(succeeded)


def _python_names(result):
    return {"content": result.content, "structured_content": result.structured_content, "is_error": result.is_error}


@pytest.mark.parametrize("name", ["native", "mcp-tool-error", "error-response", "taxonomy"])
async def test_an_exception_with_the_text_alone_is_read_as_far_as_the_text_goes(name):
    with errata.install(server := fastmcp_server(), dialect=name):
        async with fastmcp.Client(server) as client:
            with pytest.raises(ToolError) as caught:
                await client.call_tool("fetch", {"pmid": "moved"})

    assert_fails(caught.value, FetchErrors.moved)


def test_exceptions_are_read_as_errata_would_answer_them():
    wrapped = ToolError("Error calling tool 'fetch': It moved.")
    wrapped.__cause__ = FetchErrors.moved("It moved.")

    assert_fails(FetchErrors.moved("It moved."), FetchErrors.moved)
    assert_fails(wrapped, FetchErrors.moved, message="It moved.")
    assert_fails(TimeoutError("late"), Code.TIMEOUT)
    assert_fails(FaultError(Code.INVALID_PARAMS, issues=[FieldIssue("days", "is required")]), field="days")
    assert "The agent reads (`FaultError`):\n    Error [CONFLICT]: The article moved" in refused(
        FetchErrors.moved(), FetchErrors.no_match
    )


async def test_a_resource_fails_with_the_canonical_code():
    server = mcp_server()

    @server.resource("articles://{pmid}")
    @raises(FetchErrors)
    def article(pmid: str) -> str:
        raise FetchErrors.moved(f"{pmid} moved.")

    with errata.install(server):
        async with mcp.Client(server) as client:
            with pytest.raises(MCPError) as caught:
                await client.read_resource("articles://moved")

    assert_fails(caught.value, FetchErrors.moved)
    assert "but the call failed with `moved` (CONFLICT)" in refused(caught.value, Code.NOT_FOUND)


# Somebody else's project


CONFTEST = """
import errata.testing
pytest_plugins = ["errata.testing"]
"""
PROJECT = """
import asyncio
from mcp.server.mcpserver import MCPServer
from errata import Code, not_found
from errata.testing import assert_fails

server = MCPServer("shop", log_level="CRITICAL")

@server.tool()
def get_order(number: int) -> str:
    raise not_found(f"There is no order {number}.")

def test_an_order_that_is_not_there(in_each_dialect):
    assert_fails(asyncio.run(in_each_dialect(server, "get_order", {"number": 17})), Code.NOT_FOUND)

def test_that_fails():
    assert_fails(asyncio.run(get_it()), Code.CONFLICT)

async def get_it():
    from errata.testing import call_tool
    return await call_tool(server, "get_order", {"number": 17}, dialect="native")
"""


@pytest.mark.parametrize("conftest", [CONFTEST, "from errata.testing import in_each_dialect\n"])
def test_a_project_gets_the_fixture_as_a_plugin_or_by_an_import(tmp_path, conftest):
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "test_shop.py").write_text(PROJECT)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "--rootdir", "."],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )

    assert f"1 failed, {len(dialects.names())} passed" in done.stdout
    assert "AssertionError: Expected CONFLICT, but the call failed with NOT_FOUND." in done.stdout
    assert "_asserting.py" not in done.stdout  # The line that is shown is the test's own.


def test_without_pytest_and_the_sdks_all_but_the_fixture_works():
    code = """
import sys
for name in ("pytest", "mcp", "fastmcp", "anyio", "pydantic"):
    sys.modules[name] = None
import errata.testing
from errata import Code, not_found
errata.testing.assert_fails(not_found("x"), Code.NOT_FOUND)
try:
    from errata.testing import in_each_dialect
except ImportError as error:
    print(error)
print(hasattr(errata.testing, "other"))
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert done.stdout.splitlines() == [
        "`errata.testing.in_each_dialect` needs pytest, which is not installed. Install it with: pip install pytest",
        "False",
    ]


# Advice


def advising(make, recovery):
    server = make()
    failure = Failure(Code.GONE, reason="gone", when="The article is gone", recovery=recovery)
    errata.install(server, contracts={"fetch": failure})
    return server


@pytest.mark.parametrize("make", SERVERS)
async def test_advice_that_names_tools_passes(make):
    await assert_advice_names_tools(advising(make, "Call `fetch` with another PMID, or wait 30 seconds."))


@pytest.mark.parametrize("make", SERVERS)
async def test_advice_that_names_no_tool_fails_with_the_nearest_name(make):
    with pytest.raises(AssertionError) as caught:
        await assert_advice_names_tools(advising(make, "Call `fetsh` with another PMID instead."))

    assert str(caught.value) == (
        "Reason `gone` of tool `fetch` names the tool `fetsh`, which the server does not list. Did you mean `fetch`?"
    )


@pytest.mark.parametrize("make", [mcp_server, fastmcp_server])
async def test_advice_is_read_where_errata_is_not_installed(make):
    with pytest.raises(AssertionError, match="`moved` of tool `fetch` names the tool `search_articles`"):
        await assert_advice_names_tools(make())
