"""The reference that ties an answer to a trace and to the log, and what the span of a request is told."""

import asyncio
import logging
import re
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import anyio
import mcp_types as wire
import pytest
from mcp.shared.exceptions import MCPError
from opentelemetry import trace
from support.three_servers import MAKERS, connected, fast_mcp

import errata
from errata import Code, Contract, Failure, FaultError, guard, raises

pytestmark = pytest.mark.anyio
_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
_TRACED = {"traceparent": f"00-{_TRACE}-00f067aa0ba902b7-01"}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class OrderErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No order matched", recovery="Call list_orders first to see them.")


async def crashing() -> str:
    raise KeyError("x")


async def raising() -> str:
    raise FaultError(Code.CONFLICT, "Somebody else was faster")


@raises(OrderErrors)
async def declared() -> str:
    raise OrderErrors.no_match()


def in_a_thread() -> str:
    raise FaultError(Code.CONFLICT, "Somebody else was faster")


async def in_a_thread_of_its_own() -> str:
    return await asyncio.to_thread(in_a_thread)


async def in_a_group() -> str:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(raising)
    return ""


async def guarded() -> str:
    with guard("Orders.load"):
        raise KeyError("x")


async def report() -> str:
    raise errata.not_found("The report is gone")


async def writing() -> str:
    raise KeyError("x")


_TOOLS = (crashing, raising, declared, in_a_thread, in_a_thread_of_its_own, in_a_group, guarded)


def _installed(kind, **settings):
    server = MAKERS[kind](*_TOOLS, resources={"data://report": report}, prompts=[writing])
    errata.install(server, **settings)
    return server


def _logged(caplog):
    return {record.errata["correlation_id"] for record in caplog.records if hasattr(record, "errata")}


@pytest.mark.parametrize("tool", _TOOLS)
async def test_the_trace_of_the_request_is_the_reference_wherever_the_tool_failed(kind, era, tool, caplog):
    async with connected(_installed(kind), era) as client:
        result = await client.call_tool(tool.__name__, {}, meta=_TRACED)
    assert result.structured_content["error"]["correlationId"] == _TRACE
    assert f"Reference: {_TRACE}" in result.content[0].text
    assert _logged(caplog) == {_TRACE}


async def test_a_guard_in_the_tool_logs_the_same_reference(kind, caplog):
    async with connected(_installed(kind)) as client:
        for meta in (_TRACED, None):
            caplog.clear()
            result = await client.call_tool("guarded", {}, meta=meta)
            told = [record.errata for record in caplog.records if record.name == "errata"]
            assert [facts.get("operation") for facts in told] == ["Orders.load", None]
            assert {facts["correlation_id"] for facts in told} == {result.structured_content["error"]["correlationId"]}


@pytest.mark.parametrize("dialect", errata.dialects.names())
async def test_the_reference_has_a_place_in_every_dialect(kind, era, dialect):
    async with connected(_installed(kind, dialect=dialect), era) as client:
        result = await client.call_tool("raising", {}, meta=_TRACED)
    beside = (result.meta or {}).get("errata/correlationId")
    assert beside == (None if dialect in {"native", "taxonomy"} else _TRACE)
    assert errata.decode(result.model_dump(by_alias=True, mode="json")).correlation_id == _TRACE


async def test_a_resource_and_a_prompt_refer_to_the_trace_as_well(kind, era, caplog):
    async with connected(_installed(kind), era) as client:
        with pytest.raises(MCPError) as unread:
            await client.read_resource("data://report", meta=_TRACED)
        with pytest.raises(MCPError) as unwritten:
            await client.get_prompt("writing", meta=_TRACED)
    assert unread.value.data["correlationId"] == unwritten.value.data["correlationId"] == _TRACE
    assert _logged(caplog) == {_TRACE}


@pytest.mark.parametrize("arguments", [{"days": "x"}, None])
async def test_a_call_that_does_not_fit_refers_to_the_trace(era, arguments):
    async def quoting(days: int) -> str:
        return str(days)

    for make in (MAKERS["MCPServer"], MAKERS["FastMCP"]):
        server = make(quoting)
        errata.install(server)
        async with connected(server, era) as client:
            result = await client.call_tool("quoting" if arguments else "quotin", arguments or {}, meta=_TRACED)
        assert result.structured_content["error"]["correlationId"] == _TRACE


@pytest.mark.parametrize(
    "given",
    [
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{_TRACE.upper()}-00f067aa0ba902b7-01",
        f"00-{_TRACE}-{'0' * 16}-01",
        f"ff-{_TRACE}-00f067aa0ba902b7-01",
        f"00-{_TRACE}-00f067aa0ba902b7-01-and-more",
        f"00-{_TRACE}-00f067aa0ba902b7-01\n",
        f"00-{_TRACE[:-1]}-00f067aa0ba902b7-01",
        f"00-{_TRACE}",
        "",
        "\N{DIGIT ZERO}" * 55,
        17,
        None,
        [_TRACE],
        {"trace": _TRACE},
    ],
)
async def test_what_is_no_trace_gives_a_reference_of_our_own(kind, given):
    async with connected(_installed(kind), "legacy") as client:
        for tool in ("crashing", "raising"):
            result = await client.call_tool(tool, {}, meta={"traceparent": given})
            assert _UUID.fullmatch(result.structured_content["error"]["correlationId"])


async def test_a_later_version_of_a_trace_may_have_more_to_say(kind):
    async with connected(_installed(kind)) as client:
        result = await client.call_tool("crashing", {}, meta={"traceparent": f"01-{_TRACE}-00f067aa0ba902b7-01-more"})
    assert result.structured_content["error"]["correlationId"] == _TRACE


async def test_every_call_without_a_trace_has_its_own_reference(kind):
    async with connected(_installed(kind)) as client:
        results = [await client.call_tool("crashing", {}) for _ in range(3)]
    assert len({result.structured_content["error"]["correlationId"] for result in results}) == 3


async def test_two_requests_at_once_keep_their_references_apart(kind):
    both = anyio.Event()
    arrived = []

    async def meeting() -> str:
        arrived.append(1)
        if len(arrived) == 2:
            both.set()
        await both.wait()
        raise KeyError("x")

    server = MAKERS[kind](meeting)
    errata.install(server)
    references = {}
    async with connected(server) as client:

        async def call(trace_id):
            result = await client.call_tool("meeting", {}, meta={"traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"})
            references[trace_id] = result.structured_content["error"]["correlationId"]

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, "a" * 32)
            tasks.start_soon(call, "b" * 32)
    assert references == {"a" * 32: "a" * 32, "b" * 32: "b" * 32}


async def test_an_error_out_of_a_bare_thread_knows_no_trace_and_is_told_with_it(kind, caplog):
    async def escaping() -> str:
        with ThreadPoolExecutor(1) as threads:
            return await asyncio.get_running_loop().run_in_executor(threads, in_a_thread)

    server = MAKERS[kind](escaping)
    errata.install(server)
    async with connected(server) as client:
        result = await client.call_tool("escaping", {}, meta=_TRACED)
    reference = result.structured_content["error"]["correlationId"]
    assert reference in _TRACED["traceparent"]
    assert _logged(caplog) == {reference}


def _of_the_request(spans, method):
    (span,) = [
        span
        for span in spans.get_finished_spans()
        if span.kind is trace.SpanKind.SERVER and span.attributes["mcp.method.name"] == method
    ]
    return span.attributes


async def test_the_span_of_a_call_is_told_the_kind_of_error_and_the_code(kind, era, spans):
    async with connected(_installed(kind), era) as client:
        await client.call_tool("declared", {})
    told = _of_the_request(spans, "tools/call")
    assert told["error.type"] == "tool_error"
    assert (told["errata.code"], told["errata.retry"]) == ("NOT_FOUND", "fix_input")
    assert told["errata.reason"] == "no_match"
    assert "rpc.response.status_code" not in told


async def test_the_span_of_a_crash_has_no_reason(kind, era, spans):
    async with connected(_installed(kind), era) as client:
        await client.call_tool("crashing", {})
    told = _of_the_request(spans, "tools/call")
    assert told["error.type"] == "tool_error"
    assert told["errata.code"] == "INTERNAL_ERROR"
    assert "errata.reason" not in told


async def test_the_span_of_a_resource_or_a_prompt_is_told_the_number_on_the_wire(kind, era, spans):
    async with connected(_installed(kind), era) as client:
        with pytest.raises(MCPError):
            await client.read_resource("data://report")
        with pytest.raises(MCPError):
            await client.get_prompt("writing")
    told = _of_the_request(spans, "resources/read")
    assert (told["error.type"], told["errata.code"]) == (str(wire.INVALID_PARAMS), "NOT_FOUND")
    assert told["rpc.response.status_code"] == told["error.type"]
    told = _of_the_request(spans, "prompts/get")
    assert (told["error.type"], told["errata.code"]) == (str(wire.INTERNAL_ERROR), "INTERNAL_ERROR")


async def test_a_success_says_nothing_to_its_span(kind, spans):
    async def fine() -> str:
        return "fine"

    server = MAKERS[kind](fine)
    errata.install(server)
    async with connected(server) as client:
        await client.call_tool("fine", {})
    told = _of_the_request(spans, "tools/call")
    assert not [name for name in told if name.startswith(("error", "errata"))]


async def test_the_reference_is_the_trace_that_a_client_carries_on(kind, caplog, tracer):
    """In memory, a client of the newer protocol sends no trace; over any wire it does."""
    with tracer.start_as_current_span("agent") as agent:
        async with connected(_installed(kind), "legacy") as client:
            result = await client.call_tool("raising", {})
    trace_id = trace.format_trace_id(agent.get_span_context().trace_id)
    assert result.structured_content["error"]["correlationId"] == trace_id
    assert _logged(caplog) == {trace_id}


async def test_a_mounted_server_tells_the_span_of_the_request(spans):
    outer, inner = fast_mcp(), fast_mcp(*_TOOLS)
    outer.mount(inner, namespace="inner")
    errata.install(outer)
    async with connected(outer) as client:
        await client.call_tool("inner_declared", {})
    told = [span.attributes for span in spans.get_finished_spans() if "errata.code" in span.attributes]
    assert [(each["mcp.method.name"], each["errata.reason"]) for each in told] == [("tools/call", "no_match")]


_WITHOUT = """
    import sys

    class Blocked:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] == "opentelemetry":
                raise ModuleNotFoundError(name)

    import mcp.server.mcpserver, mcp
    for name in [name for name in sys.modules if name.partition(".")[0] == "opentelemetry"]:
        del sys.modules[name]
    sys.meta_path.insert(0, Blocked())

    import anyio, errata
    server = mcp.server.mcpserver.MCPServer("x")

    @server.tool()
    def crashing() -> str:
        raise KeyError("x")

    errata.install(server)
    from errata.serving import _recording
    assert _recording.trace is None

    async def main():
        async with mcp.Client(server) as client:
            print((await client.call_tool("crashing", {})).content[0].text)

    anyio.run(main)
"""


async def test_without_opentelemetry_nothing_is_told_and_nothing_fails():
    """The SDKs bring its API along by now; errata does not count on it."""
    done = await anyio.run_process([sys.executable, "-c", textwrap.dedent(_WITHOUT)], stderr=subprocess.STDOUT)
    assert b"Error [INTERNAL_ERROR]" in done.stdout


@pytest.fixture(autouse=True)
def _everything_is_logged(caplog):
    caplog.set_level(logging.WARNING)
