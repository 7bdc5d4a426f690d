"""One record per failure, and nobody else's beside it."""

import asyncio
import logging
import os
import sys
import textwrap

import anyio
import pytest
from fastmcp.exceptions import ToolError as FastToolError
from mcp.client.stdio import StdioServerParameters, stdio_client
from support.sdk import MCPError, ToolError, connect
from support.three_servers import ERAS, KINDS, MAKERS, connected, fast_mcp, mcp_server

import errata
from errata import Code, Contract, Failure, raises

pytestmark = pytest.mark.anyio
_SECRET = "sk-proj-Zb91kLmQ7xTt40vWcY8aRr2dNf6hJs3e"  # noqa: S105 - a secret is what it is about.


class _Everything(logging.Handler):
    def __init__(self):
        super().__init__(logging.DEBUG)
        self.records = []

    def emit(self, record):
        if record.levelno >= logging.WARNING and record not in self.records:
            self.records.append(record)


@pytest.fixture
def records():
    """Every warning or error, of whichever logger; those of FastMCP do not reach the root."""
    handler = _Everything()
    loggers = [logging.getLogger(name) for name in ("", "fastmcp", "errata", "mcp")]
    for logger in loggers:
        logger.addHandler(handler)
    yield handler.records
    for logger in loggers:
        logger.removeHandler(handler)


class OrderErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No order matched", recovery="Look for other orders before that.")


async def crashing() -> str:
    password = _SECRET
    return {}[password]


def crashing_in_a_thread() -> str:
    raise ZeroDivisionError


async def wrapping() -> str:
    raise RuntimeError("no luck with the upstream") from OSError(f"refused, api_key={_SECRET}")


@raises(OrderErrors)
async def declared() -> str:
    raise OrderErrors.no_match("No order 7")


async def quoting(symbol: str, days: int) -> str:
    return f"{symbol} {days}"


async def report() -> str:
    raise LookupError("the report is gone")


async def writing(about: str = "orders") -> str:
    raise LookupError(f"nothing about {about}")


def _every_tool(kind, **options):
    tools = (crashing, crashing_in_a_thread, wrapping, declared, quoting)
    return MAKERS[kind](*tools, resources={"data://report": report}, prompts=[writing], **options)


def _facts(records):
    (record,) = records
    assert record.name == "errata"
    assert record.exc_info is None
    assert record.exc_text is None
    assert record.stack_info is None
    return record.errata


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_crash_is_one_error_with_the_cause_and_the_reference_of_the_answer(kind, era, records):
    server = _every_tool(kind)
    errata.install(server)
    async with connected(server, era) as client:
        result = await client.call_tool("crashing", {})
    facts = _facts(records)
    assert records[0].levelno == logging.ERROR
    assert facts["tool"] == "crashing"
    assert facts["code"] == "INTERNAL_ERROR"
    assert facts["error"] == "KeyError"
    assert facts["correlation_id"] == result.structured_content["error"]["correlationId"]
    assert facts["duration_ms"] > 0
    text = records[0].getMessage()
    assert facts["correlation_id"] in text
    assert "in crashing\n" in text
    assert "return {}[password]" in text
    assert text.rstrip().splitlines()[-1].startswith("  KeyError")
    assert "Error executing tool" not in text
    assert "Error calling tool" not in text


@pytest.mark.parametrize("kind", KINDS)
async def test_a_secret_in_the_text_of_an_exception_or_in_a_variable_is_not_logged(kind, records):
    server = _every_tool(kind)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("crashing", {})
        await client.call_tool("wrapping", {})
    assert [record.errata["tool"] for record in records] == ["crashing", "wrapping"]
    assert "no luck with the upstream" in records[1].getMessage()
    assert "refused, api_key=" in records[1].getMessage()
    for record in records:
        assert _SECRET not in record.getMessage()
        assert _SECRET not in repr(record.__dict__)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_crash_in_a_thread_is_logged_with_the_frame_that_raised_it(kind, records):
    server = _every_tool(kind)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("crashing_in_a_thread", {})
    assert _facts(records)["tool"] == "crashing_in_a_thread"
    assert "in crashing_in_a_thread\n" in records[0].getMessage()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_declared_failure_is_a_warning_with_its_reason(kind, records):
    server = _every_tool(kind)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("declared", {})
    facts = _facts(records)
    assert records[0].levelno == logging.WARNING
    assert (facts["code"], facts["reason"], facts["message"]) == ("NOT_FOUND", "no_match", "No order 7")


@pytest.mark.parametrize(
    ("kind", "error"), [("MCPServer", ToolError), ("Server", ToolError), ("FastMCP", FastToolError)]
)
async def test_an_error_that_the_author_wrote_for_the_client_is_a_warning(kind, error, records):
    async def refusing() -> str:
        raise error("Not on a Sunday")

    server = MAKERS[kind](refusing)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("refusing", {})
    assert _facts(records)["message"] == "Not on a Sunday"
    assert records[0].levelno == logging.WARNING


@pytest.mark.parametrize("kind", ["MCPServer", "FastMCP"])
@pytest.mark.parametrize(
    ("tool", "code"), [("quoting", "MISSING_REQUIRED_FIELD"), ("quotin", "NOT_FOUND")], ids=["arguments", "name"]
)
async def test_a_call_that_does_not_fit_is_a_warning_without_a_traceback(kind, tool, code, records):
    server = _every_tool(kind)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool(tool, {"days": _SECRET})
    facts = _facts(records)
    assert records[0].levelno == logging.WARNING
    assert facts["code"] in {code, "INVALID_PARAMS"}
    assert "stack" not in facts
    assert "Traceback" not in records[0].getMessage()
    assert _SECRET not in repr(records[0].__dict__)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_resource_and_a_prompt_are_logged_by_their_name(kind, era, records):
    server = _every_tool(kind)
    errata.install(server)
    references = []
    async with connected(server, era) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource("data://report")
        references.append(refused.value.error.data["correlationId"])
        with pytest.raises(MCPError) as refused:
            await client.get_prompt("writing", {"about": "birds"})
        references.append(refused.value.error.data["correlationId"])
    ours = [record for record in records if record.name == "errata"]
    assert [record.errata["correlation_id"] for record in ours] == references
    assert ours[0].errata["resource"] == "data://report"
    assert ours[1].errata["prompt"] == "writing"
    assert "in report\n" in ours[0].getMessage()
    assert "in writing\n" in ours[1].getMessage()
    assert records == ours


class _CountingError(Exception):
    written = 0

    def __str__(self):
        _CountingError.written += 1
        return "counted"


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_is_formatted_for_a_log_that_nobody_reads(kind, monkeypatch):
    async def failing() -> str:
        raise KeyError("x") from _CountingError()

    monkeypatch.setattr(_CountingError, "written", 0)
    monkeypatch.setattr(logging.getLogger("errata"), "disabled", True)
    server = MAKERS[kind](failing)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("failing", {})
        assert _CountingError.written == 0
        monkeypatch.setattr(logging.getLogger("errata"), "disabled", False)
        await client.call_tool("failing", {})
        assert _CountingError.written > 0


async def test_fastmcp_logs_a_call_that_no_client_made_as_it_did_before(records):
    server = fast_mcp(crashing)
    errata.install(server)
    with pytest.raises(FastToolError):
        await server.call_tool("crashing", {})
    assert [record.name for record in records] == ["fastmcp.server.server"]
    assert records[0].exc_info


async def test_a_fastmcp_server_without_errata_logs_as_it_did_before(records):
    errata.install(fast_mcp(crashing))
    bare = fast_mcp(crashing)
    async with connected(bare) as client:
        await client.call_tool("crashing", {})
    assert [record.name for record in records] == ["fastmcp.server.server"]


async def test_a_fastmcp_server_without_errata_logs_as_it_did_before_inside_a_tool_of_one_with_errata(records):
    bare = fast_mcp(crashing)

    async def asking_the_other() -> str:
        async with connected(bare) as client:
            return str((await client.call_tool("crashing", {})).is_error)

    server = fast_mcp(asking_the_other)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("asking_the_other", {})
    assert [record.name for record in records] == ["fastmcp.server.server"]


async def test_fastmcp_logs_again_once_errata_has_left(records):
    server = fast_mcp(crashing)
    errata.install(server).uninstall()
    async with connected(server) as client:
        await client.call_tool("crashing", {})
    assert [record.name for record in records] == ["fastmcp.server.server"]


async def test_a_mounted_fastmcp_server_is_logged_once(records):
    outer, inner = fast_mcp(), fast_mcp(crashing, quoting)
    outer.mount(inner, namespace="inner")
    errata.install(outer)
    async with connected(outer) as client:
        await client.call_tool("inner_crashing", {})
        assert _facts(records)["tool"] == "inner_crashing"
        records.clear()
        await client.call_tool("inner_quoting", {"days": "x"})
        assert _facts(records)["code"] == "INVALID_PARAMS"


async def test_two_servers_with_errata_one_mounted_in_the_other_log_once(records):
    outer, inner = fast_mcp(), fast_mcp(crashing)
    outer.mount(inner, namespace="inner")
    errata.install(outer)
    errata.install(inner)
    async with connected(outer) as client:
        await client.call_tool("inner_crashing", {})
    assert _facts(records)["tool"] == "inner_crashing"


_SERVERS = {
    "MCPServer": """
        from support.sdk import OfficialServer
        server = OfficialServer("crashing")
        tool = server.tool()
        run = lambda: server.run("stdio")
    """,
    "FastMCP": """
        from fastmcp import FastMCP
        server = FastMCP("crashing")
        tool = server.tool
        run = lambda: server.run("stdio", show_banner=False)
    """,
}
_ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
_PROGRAM = """
@tool
def crashing() -> str:
    raise KeyError("unmistakable")

import errata
errata.install(server)
run()
"""


@pytest.mark.parametrize("kind", _SERVERS)
async def test_a_server_as_it_is_started_prints_a_failure_once(kind, tmp_path):
    program = tmp_path / "server.py"
    program.write_text(textwrap.dedent(_SERVERS[kind]) + _PROGRAM)
    with (tmp_path / "stderr").open("w+") as stderr:
        transport = stdio_client(
            StdioServerParameters(command=sys.executable, args=[str(program)], env=_ENVIRONMENT), errlog=stderr
        )
        async with connect(transport) as client:
            result = await client.call_tool("crashing", {})
        printed = (tmp_path / "stderr").read_text()
    assert result.is_error
    assert printed.count("KeyError: 'unmistakable'") == 1
    assert printed.count("Traceback (most recent call last)") == 1
    assert "Error calling tool" not in printed
    assert "Error executing tool" not in printed


async def test_an_mcp_server_prints_with_rich_what_errata_says_and_nothing_of_its_own(records, monkeypatch):
    """Its rich handler renders a traceback for 100 ms of the event loop, if it is given one."""
    from rich.logging import RichHandler  # noqa: PLC0415 - what MCPServer itself puts on the root.

    rendered = []
    monkeypatch.setattr(RichHandler, "emit", lambda _, record: rendered.append(record))
    root = logging.getLogger()
    handler = RichHandler(rich_tracebacks=True)
    root.addHandler(handler)
    server = mcp_server(crashing)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("crashing", {})
    root.removeHandler(handler)
    assert [record.exc_info for record in rendered if record.levelno >= logging.WARNING] == [None]
    assert _facts(records)


async def breaking_its_schema() -> list[int]:
    return ["x"]  # type: ignore[list-item] - that is what it is about.


async def several() -> str:
    raise ExceptionGroup("all", [ValueError("no such day"), KeyError("x")])


async def cancelled_inside() -> str:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    return await future


async def greeting(name: str) -> str:
    return name


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", ["MCPServer", "FastMCP"])
async def test_whatever_fails_is_logged_once_and_by_errata(kind, era, records):
    tools = (breaking_its_schema, several, cancelled_inside)
    server = MAKERS[kind](*tools, resources={"data://{name}/report": greeting}, prompts=[greeting])
    errata.install(server)
    async with connected(server, era) as client:
        for tool in tools:
            records.clear()
            assert (await client.call_tool(tool.__name__, {})).is_error
            assert _facts(records)["tool"] == tool.__name__
        for ask in (
            lambda: client.read_resource("other://thing"),
            lambda: client.get_prompt("greetin"),
            lambda: client.get_prompt("greeting"),
        ):
            records.clear()
            with pytest.raises(MCPError):
                await ask()
            assert _facts(records).keys() & {"resource", "prompt"}
            assert records[0].levelno == logging.WARNING


async def test_a_time_limit_of_fastmcp_is_logged_once(records):
    server = fast_mcp()

    @server.tool(timeout=0.01)
    async def waiting() -> str:
        await anyio.sleep_forever()

    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("waiting", {})
    assert _facts(records)["code"] == "TIMEOUT"


async def test_the_line_that_raised_is_logged_however_deep_it_is(records):
    def down(deep):
        return across(deep - 1)

    def across(deep):
        if deep:
            return down(deep)
        raise KeyError("at the bottom")

    async def sinking() -> str:
        return down(100)

    server = mcp_server(sinking)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("sinking", {})
    assert 'raise KeyError("at the bottom")' in _facts(records)["stack"]
