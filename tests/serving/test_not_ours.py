"""What errata leaves alone: whatever ends a server, and the exceptions of `lifespan` and of middleware."""

import asyncio
import logging
from contextlib import asynccontextmanager

import anyio
import fastmcp
import pytest
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware, RetryMiddleware
from fastmcp.server.middleware.logging import LoggingMiddleware
from fastmcp.server.middleware.rate_limiting import RateLimitingMiddleware
from fastmcp.server.middleware.timing import TimingMiddleware
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from support.cancelled_tools import ENDING, KINDS, lowest, prepared, serving
from support.raw_wire_client import ERAS, code_in, in_memory

import errata

pytestmark = pytest.mark.anyio

every_kind = pytest.mark.parametrize("kind", KINDS)
every_era = pytest.mark.parametrize("era", ERAS)
LAYERS = ("bare", "errata")
MODES = {"modern": "auto", "legacy": "legacy"}


@pytest.fixture(autouse=True)
def _silence():
    logging.disable(logging.CRITICAL)  # FastMCP draws a picture of every traceback, which takes longer than the tests.
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("tool", [tool.__name__ for tool in ENDING])
@every_kind
async def test_what_is_to_end_the_server_passes(kind, tool, layer):
    expected = {"exits": SystemExit, "interrupts": KeyboardInterrupt, "exits_in_a_group": BaseExceptionGroup}
    async with Client(lowest(prepared(kind, layer))) as client:
        with pytest.raises(expected[tool]):
            await client.call_tool(tool)


MALFORMED = [
    ("tools/call", {"name": "echo", "arguments": "x"}),
    ("tools/call", {"name": 17}),
    ("tools/call", {}),
    ("tools/list", {"cursor": {}}),
    ("prompts/get", {"name": "ask", "arguments": ["x"]}),
    ("resources/read", {"uri": {}}),
]


@pytest.mark.parametrize(("method", "params"), MALFORMED)
@every_era
@every_kind
async def test_a_request_that_is_malformed_is_refused_as_by_the_bare_server(kind, era, method, params):
    seen = []
    for layer in LAYERS:
        async with in_memory(prepared(kind, layer), era) as connection:
            seen.append((await connection.ask(method, params))["error"])
    assert seen[0] == seen[1]


def failing_at(moment):
    @asynccontextmanager
    async def lifespan(_):
        if moment == "start":
            raise RuntimeError("There is no database.")
        yield {}
        raise RuntimeError("The database does not let go.")

    return lifespan


@pytest.mark.parametrize("moment", ["start", "end"])
@every_era
@pytest.mark.parametrize("kind", [MCPServer, Server, FastMCP])
async def test_a_lifespan_that_fails_is_told_as_by_the_bare_server(kind, era, moment):
    seen = []
    for layer in LAYERS:
        server = kind("lifespan", lifespan=failing_at(moment))
        if layer == "errata":
            errata.install(server)
        client = fastmcp.Client if kind is FastMCP else Client
        with anyio.fail_after(60), pytest.raises(Exception, match=r"database|TaskGroup") as raised:
            async with client(server, mode=MODES[era]):
                pass
        seen.append(repr(raised.value))
    assert seen[0] == seen[1]


async def works() -> str:
    return "done"


async def breaks() -> str:
    raise ConnectionError("The upstream hung up.")


async def refuses() -> str:
    raise ToolError("The vault is closed.")


TOOLS = (works, breaks, refuses)


def read() -> str:
    raise ConnectionError("The upstream hung up.")


def ask() -> str:
    raise ConnectionError("The upstream hung up.")


def fast(*middleware, layer, after_install=False):
    """Make a FastMCP server with middleware, which was there before errata or came later."""
    server = serving("FastMCP", TOOLS)
    server.resource("data://broken")(read)
    server.prompt(ask)
    installed = layer == "errata"
    if installed and after_install:
        errata.install(server)
    for one in middleware:
        server.add_middleware(one)
    if installed and not after_install:
        errata.install(server)
    return server


REQUESTS = (
    ("tools/call", {"name": "works"}),
    ("tools/call", {"name": "breaks"}),
    ("tools/call", {"name": "refuses"}),
    ("tools/call", {"name": "absent"}),
    ("resources/read", {"uri": "data://broken"}),
    ("prompts/get", {"name": "ask"}),
)


async def answers(server, era, requests=REQUESTS):
    """Send requests, and collect what comes back, word for word."""
    async with in_memory(server, era) as connection:
        return [await connection.ask(*request) for request in requests]


class Before(Middleware):
    def __init__(self, error):
        self.error = error

    async def on_request(self, context, call_next):
        if context.method in dict(REQUESTS):
            raise self.error
        return await call_next(context)


class After(Before):
    async def on_request(self, context, call_next):
        result = await call_next(context)
        if context.method in dict(REQUESTS):
            raise self.error
        return result


class Instead(Before):
    async def on_request(self, context, call_next):
        try:
            return await call_next(context)
        except Exception as error:
            raise self.error from error


ERRORS = (
    ValueError("`limit` is 500"),
    ToolError("Not today."),
    MCPError(-32602, "Not like this.", {"why": "rule 3"}),
    errata.not_found("Not here."),
)


@pytest.mark.parametrize("after_install", [False, True])
@every_era
@pytest.mark.parametrize("kind", [Before, Instead])
@pytest.mark.parametrize("error", ERRORS, ids=repr)
async def test_what_a_middleware_raises_reaches_the_client_as_from_the_bare_server(kind, error, era, after_install):
    requests = REQUESTS if kind is Before else REQUESTS[1:]
    bare, ours = [
        await answers(fast(kind(error), layer=layer, after_install=after_install), era, requests) for layer in LAYERS
    ]
    assert ours == bare


@pytest.mark.parametrize("after_install", [False, True])
@every_era
@pytest.mark.parametrize("error", ERRORS, ids=repr)
async def test_what_a_middleware_raises_after_a_success_is_its_own_affair(error, era, after_install):
    bare, ours = [
        await answers(fast(After(error), layer=layer, after_install=after_install), era, REQUESTS[:1])
        for layer in LAYERS
    ]
    assert ours == bare


@every_era
async def test_a_middleware_that_stumbles_over_something_cancelled_ends_the_server_as_before(era):
    for layer in LAYERS:
        async with in_memory(fast(Before(asyncio.CancelledError()), layer=layer), era) as connection:
            await connection.call("works")
            assert await connection.call("works") is None


class Watching(Middleware):
    """Notes what passes by."""

    def __init__(self):
        self.seen = []

    async def on_message(self, context, call_next):
        try:
            return await call_next(context)
        except Exception as error:
            self.seen.append((context.method, type(error), str(error), type(error.__cause__)))
            raise


@pytest.mark.parametrize("after_install", [False, True])
@every_era
async def test_a_middleware_that_watches_sees_every_exception_as_before(era, after_install):
    seen = []
    for layer in LAYERS:
        watching = Watching()
        await answers(fast(watching, layer=layer, after_install=after_install), era)
        seen.append(watching.seen)
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(REQUESTS) - 1


@every_era
async def test_a_failure_that_a_middleware_lets_pass_is_still_told_by_errata(era):
    watching = (TimingMiddleware(), LoggingMiddleware(), ErrorHandlingMiddleware(transform_errors=False), Watching())
    told = await answers(fast(*watching, layer="errata"), era)
    assert [code_in(answer) for answer in told[1:4]] == ["NETWORK_ERROR", "UNKNOWN_ERROR", "NOT_FOUND"]
    assert [answer["error"]["data"]["code"] for answer in told[4:]] == ["NETWORK_ERROR", "NETWORK_ERROR"]


@every_era
async def test_a_middleware_that_answers_in_its_own_words_goes_on_to_do_so(era):
    requests = [("tools/call", {"name": "works"}), *REQUESTS]
    limits = [RateLimitingMiddleware(1e-6, burst_capacity=1) for _ in LAYERS]
    bare, ours = [
        await answers(fast(limit, layer=layer), era, requests) for limit, layer in zip(limits, LAYERS, strict=True)
    ]
    assert ours == bare
    assert any("error" in answer for answer in ours)


@every_era
async def test_a_middleware_that_repeats_calls_the_tool_as_often_as_before(era):
    def flaky(times):
        calls = []

        async def flaky_tool() -> str:
            calls.append(None)
            if len(calls) <= times:
                raise ConnectionError("The upstream hung up.")
            return "done"

        return flaky_tool, calls

    for times in (2, 9):
        counts, told = [], []
        for layer in LAYERS:
            tool, calls = flaky(times)
            server = fast(RetryMiddleware(max_retries=2, base_delay=0), layer=layer)
            server.tool(tool)
            told += await answers(server, era, [("tools/call", {"name": "flaky_tool"})])
            counts.append(len(calls))
        assert counts == [3, 3]
        if times == 2:
            assert told[0] == told[1]
        else:
            assert code_in(told[1]) == "NETWORK_ERROR"


class Unlisted(Middleware):
    """Lets nobody see a list."""

    async def on_request(self, context, call_next):
        if str(context.method).endswith("/list"):
            raise PermissionError("There is no list for you.")
        return await call_next(context)


@pytest.mark.parametrize("dialect", ["native", "tool-error-v1"])
@every_era
async def test_a_failure_is_answered_even_where_no_list_can_be_had(era, dialect):
    server = fast(Unlisted(), layer="bare")
    errata.install(server, dialect=dialect)
    told = await answers(server, era, [*REQUESTS[1:4], ("prompts/get", {"name": "absent"})])
    faults = [errata.decode(answer.get("result") or answer) for answer in told]
    expected = ["NETWORK_ERROR", "UNKNOWN_ERROR", "NOT_FOUND", "NOT_FOUND"]
    assert [fault.code for fault in faults] == expected
    assert "choose one of them" in told[3]["error"]["message"]


async def test_a_low_level_server_that_fails_to_list_still_answers():
    async def fails(*_):
        raise ConnectionError("The upstream hung up.")

    server = Server("unlisted", on_call_tool=fails, on_list_tools=fails)
    errata.install(server, dialect="tool-error-v1")
    (told,) = await answers(server, "modern", REQUESTS[:1])
    assert errata.decode(told["result"]).code == errata.Code.NETWORK_ERROR


def sdk_middleware(behaviour, error):
    async def middleware(context, call_next):
        if context.method != "tools/call":
            return await call_next(context)
        if behaviour == "before":
            raise error
        result = await call_next(context)
        raise error from (ValueError(str(result)) if behaviour == "instead" else None)

    return middleware


@every_era
@pytest.mark.parametrize("error", [ValueError("no"), MCPError(-32602, "no")], ids=repr)
@pytest.mark.parametrize("behaviour", ["before", "after", "instead"])
@pytest.mark.parametrize("kind", ["MCPServer", "Server"])
async def test_what_the_sdks_middleware_raises_reaches_the_client_as_before(kind, behaviour, error, era):
    requests = [("tools/call", {"name": "works", "arguments": {}})]
    told = []
    for layer in LAYERS:
        server = serving(kind, TOOLS)
        if layer == "errata":
            errata.install(server)
        server.middleware.append(sdk_middleware(behaviour, error))
        told.append(await answers(server, era, requests))
    assert told[0] == told[1]
