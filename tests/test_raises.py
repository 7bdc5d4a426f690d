"""`@raises` on everything that can be called: nothing changes but what `fail` and `recovery_for` know."""

import asyncio
import contextvars
import functools
import inspect
import linecache
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated
from unittest.mock import MagicMock, Mock

import anyio
import fastmcp
import mcp
import pydantic
import pytest
from fastmcp.tools import tool
from mcp.server.mcpserver import Context, MCPServer

from errata import Code, Contract, Failure, FaultError, Recovery, Retry, fail, raises, recovery_for
from errata.contracts import bind_declared, declare, find_declaration

HINT = "Call pubmed_search_articles first to discover valid PMIDs."


class FetchErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No requested PMID returned data", recovery=HINT)
    queue_full = Failure(
        Code.RATE_LIMITED, retryable=True, retry_after_ms=30_000, when="The queue is full.", recovery=HINT
    )


class OtherErrors(Contract):
    no_match = Failure(Code.GONE, when="It was removed.", recovery="Ask the user for another article instead.")


def service():
    """Fail as the running tool declared; a service knows nothing about it."""
    return fail("no_match").code, recovery_for("no_match")


DECLARED = (Code.NOT_FOUND, {"recovery": {"hint": HINT}})
NOWHERE = (Code.INTERNAL_ERROR, {})


@pytest.fixture(autouse=True)
def _nothing_is_left_bound():
    yield
    assert service() == NOWHERE


# fail and recovery_for


@raises(FetchErrors)
def get_order(*args, **kwargs):
    return fail(*args, **kwargs).fault


def test_fail_has_the_declared_code_verdict_and_wait_and_no_recovery():
    fault = get_order("queue_full", "7 are waiting.", {"waiting": 7})
    assert (fault.code, fault.message, fault.reason) == (Code.RATE_LIMITED, "7 are waiting.", "queue_full")
    assert (fault.retry, fault.retry_declared, fault.retry_after_ms) == (Retry.SAME_CALL, True, 30_000)
    assert fault.data == {"waiting": 7}
    assert fault.recovery is None


def test_fail_chains_the_cause_that_it_is_given():
    @raises(FetchErrors)
    def tool():
        return fail("no_match", "Nothing there.", {"pmid": 1}, cause=cause)

    cause = OSError(104, "Connection reset by peer")
    error = tool()
    assert error.__cause__ is cause
    assert (error.code, error.fault.reason, error.fault.data) == (Code.NOT_FOUND, "no_match", {"pmid": 1})


# Those that 003 allows on every tool, declared or not.
BASELINE = [
    Code.INTERNAL_ERROR,
    Code.SERVICE_UNAVAILABLE,
    Code.TIMEOUT,
    Code.VALIDATION_FAILED,
    Code.SERIALIZATION_ERROR,
]


@pytest.mark.parametrize("code", BASELINE)
def test_a_baseline_code_that_is_declared_binds_fail(code):
    class Errors(Contract):
        by_intent = Failure(code, when="It happens under known conditions", recovery=HINT)

    @raises(Errors)
    def tool(reason):
        error = fail(reason, "It happened.", recovery_for(reason))
        return error.code, error.fault.message, error.fault.reason, error.fault.recovery

    assert tool("by_intent") == (code, "It happened.", "by_intent", Recovery(hint=HINT))
    assert tool("no_match") == (
        Code.INTERNAL_ERROR,
        "Tool `tool` declares no reason `no_match`. Declared: `by_intent`.",
        None,
        None,
    )


def test_fail_writes_the_reason_last():
    assert get_order("no_match", None, {"reason": "x"}, reason="y").reason == "no_match"


def test_fail_says_when_it_happens_if_it_is_given_no_message():
    assert get_order("no_match").message == "No requested PMID returned data"


def test_a_recovery_is_sent_if_the_author_spreads_it():
    @raises(FetchErrors)
    def tool():
        return fail("no_match", "x", {"pmid": 1, **recovery_for("no_match")}).fault

    assert tool().recovery == Recovery(hint=HINT)
    assert tool().data == {"pmid": 1}
    assert get_order("no_match", recovery=Recovery(verify_tool="x")).recovery == Recovery(verify_tool="x")


def test_a_reason_that_is_not_declared_is_a_bug_and_the_message_asks_about_it():
    fault = get_order("no_mach")
    assert fault.code is Code.INTERNAL_ERROR
    assert fault.message == (
        "Tool `get_order` declares no reason `no_mach`. Did you mean `no_match`? Declared: `no_match`, `queue_full`."
    )


@pytest.mark.parametrize("reason", [None, 7, ["x"], {}, "x" * 10_000_000])
def test_no_reason_at_all_is_no_crash(reason):
    assert get_order(reason).code is Code.INTERNAL_ERROR
    assert len(get_order(reason).message) < 1000
    assert recovery_for(reason) == {}


def test_outside_a_contract_fail_says_what_to_do():
    cause = OSError()
    error = fail("no_match", "x", cause=cause)
    assert error.__cause__ is cause
    assert str(error) == (
        "`fail` was called with reason `no_match` where no tool with a contract runs. "
        "Put `@raises(…)` on the tool's function, or raise an error that needs no contract, such as `not_found(…)`."
    )


def test_an_adapter_can_bind_what_was_declared_elsewhere():
    with bind_declared(declare(FetchErrors, by="fetch"), "fetch"):
        assert service() == DECLARED
        assert "`fetch`" in str(fail("x"))
    assert service() == NOWHERE


# Everything that can be called


class Callables:
    @raises(FetchErrors)
    def method(self):
        return service()

    @staticmethod
    @raises(FetchErrors)
    def static():
        return service()

    @classmethod
    @raises(FetchErrors)
    def of_class(cls):
        return cls and service()

    @raises(FetchErrors)
    @staticmethod
    def outside_static():
        return service()

    @raises(FetchErrors)
    @classmethod
    def outside_class(cls):
        return cls and service()

    def plain(self):
        return service()

    def __call__(self):
        return service()


class AsyncObject:
    """Look an order up."""

    async def __call__(self, order: int = 0) -> list[object]:
        return [order, *service()]


class DecoratedCall:
    @raises(FetchErrors)
    def __call__(self):
        return service()


SYNC = {
    "function": raises(FetchErrors)(lambda: service()),  # noqa: PLW0108 - a function of its own.
    "service itself": raises(FetchErrors)(service),
    "method": Callables().method,
    "static": Callables.static,
    "class method": Callables.of_class,
    "outside a static": Callables().outside_static,
    "outside a class method": Callables.outside_class,
    "bound method": raises(FetchErrors)(Callables().plain),
    "callable object": raises(FetchErrors)(Callables()),
    "object with a decorated call": DecoratedCall(),
    "partial": raises(FetchErrors)(functools.partial(lambda a, b: a and b and service(), 1, b=2)),
    "partial of a partial": raises(FetchErrors)(functools.partial(functools.partial(lambda _: service(), 1))),
    "partial of a decorated one": functools.partial(Callables.static),
    "cached": raises(FetchErrors)(functools.lru_cache(service)),
    "validated": pydantic.validate_call(raises(FetchErrors)(lambda: service())),  # noqa: PLW0108
}


@pytest.mark.parametrize("kind", SYNC)
def test_what_is_called_knows_its_contract_and_only_while_it_runs(kind):
    assert SYNC[kind]() == DECLARED
    assert service() == NOWHERE


@pytest.mark.parametrize("kind", SYNC)
def test_what_was_declared_is_found_again(kind):
    assert list(find_declaration(SYNC[kind]).failures) == ["no_match", "queue_full"]


def test_what_is_awaited_knows_its_contract():
    async def coroutine():
        await asyncio.sleep(0)
        return service()

    decorated = raises(FetchErrors)(coroutine)
    later = raises(FetchErrors)(lambda: coroutine())  # noqa: PLW0108 - a plain function that returns a coroutine.
    looked_up = raises(FetchErrors)(AsyncObject())

    async def main():
        assert await decorated() == DECLARED
        assert await later() == DECLARED
        assert await looked_up(order=7) == [7, *DECLARED]
        assert await asyncio.gather(decorated(), raises(OtherErrors)(coroutine)(), coroutine()) == [
            DECLARED,
            (Code.GONE, {"recovery": {"hint": "Ask the user for another article instead."}}),
            NOWHERE,
        ]

    asyncio.run(main())
    assert all(map(inspect.iscoroutinefunction, [decorated, looked_up]))
    assert looked_up.__name__ == "AsyncObject"
    assert looked_up.__doc__ == "Look an order up."


def test_a_generator_knows_its_contract_at_each_step_and_nothing_leaks_between():
    @raises(FetchErrors)
    def steps(first):
        sent = yield first, service()
        try:
            yield sent, service()
        except KeyError:
            yield "caught", service()
        return service()

    running = steps(1)
    assert inspect.isgeneratorfunction(steps)
    assert inspect.isgenerator(running)
    assert next(running) == (1, DECLARED)
    assert service() == NOWHERE
    assert running.send(2) == (2, DECLARED)
    assert running.throw(KeyError()) == ("caught", DECLARED)
    assert service() == NOWHERE
    with pytest.raises(StopIteration) as done:
        next(running)
    assert done.value.value == DECLARED


def test_the_steps_of_a_generator_may_be_taken_in_different_contexts():
    closed = []

    @raises(FetchErrors)
    def steps():
        try:
            yield service()
            yield service()
        finally:
            closed.append(service())

    running = steps()
    assert contextvars.copy_context().run(next, running) == DECLARED
    assert contextvars.copy_context().run(next, running) == DECLARED
    running.close()
    assert closed == [DECLARED]


def test_an_async_generator_knows_its_contract_at_each_step_and_nothing_leaks_between():
    closed = []

    @raises(FetchErrors)
    async def steps():
        try:
            sent = yield service()
            await asyncio.sleep(0)
            yield sent, service()
            try:
                yield None
            except KeyError:
                yield "caught", service()
            yield None
        finally:
            await asyncio.sleep(0)
            closed.append(service())

    async def main():
        running = steps()
        assert inspect.isasyncgen(running)
        assert await anext(running) == DECLARED
        assert service() == NOWHERE
        assert await running.asend(2) == (2, DECLARED)
        await asyncio.create_task(anext(running))
        assert await running.athrow(KeyError()) == ("caught", DECLARED)
        await running.aclose()
        assert closed == [DECLARED]
        assert [item async for item in raises(FetchErrors)(_letters)()] == ["a", "b"]

    asyncio.run(main())
    assert inspect.isasyncgenfunction(steps)


async def _letters():
    yield "a"
    yield "b"


def test_a_coroutine_may_be_closed_where_it_was_not_started():
    @raises(FetchErrors)
    async def tool():
        await asyncio.sleep(0)

    running = tool()
    contextvars.copy_context().run(running.send, None)
    running.close()
    assert inspect.getcoroutinestate(running) == inspect.CORO_CLOSED


def test_a_tool_that_calls_another_gets_its_own_contract_back():
    @raises(OtherErrors)
    def inner():
        raise fail("no_match")

    @raises(FetchErrors)
    def outer():
        with pytest.raises(FaultError) as caught:
            inner()
        return caught.value.code, fail("no_match").code

    assert outer() == (Code.GONE, Code.NOT_FOUND)


def test_threads_of_asyncio_and_anyio_know_the_contract_and_a_bare_pool_does_not():
    @raises(FetchErrors)
    async def tool():
        with ThreadPoolExecutor() as pool:
            return (
                await asyncio.to_thread(service),
                await anyio.to_thread.run_sync(service),
                await asyncio.get_running_loop().run_in_executor(pool, service),
            )

    assert asyncio.run(tool()) == (DECLARED, DECLARED, NOWHERE)


@pytest.mark.parametrize(
    "odd",
    [None, 7, object(), Mock(), MagicMock(), type, functools.partial(print), "x"],
    ids=lambda odd: type(odd).__name__,
)
def test_nothing_is_found_in_what_declares_nothing(odd):
    assert find_declaration(odd) is None


def test_an_object_that_raises_at_every_touch_declares_nothing():
    class Touchy:
        def __getattr__(self, name):
            raise RuntimeError(name)

    looped = service.__class__(service.__code__, {})
    looped.__wrapped__ = looped
    assert find_declaration(Touchy()) is None
    assert find_declaration(looped) is None


# What is refused


def test_raises_twice_on_one_function_is_refused():
    with pytest.raises(TypeError, match=r"Tool `tool` has `@raises` twice"):

        @raises(FetchErrors)
        @raises(Failure(Code.GONE, reason="gone", when="It was removed.", recovery=HINT))
        def tool(): ...


def test_raises_without_a_contract_is_refused():
    with pytest.raises(TypeError, match=r"`@raises` was given `tool`, .*\(error-contract-type\)$"):

        @raises
        def tool(): ...


@pytest.mark.parametrize("thing", [None, 7, FetchErrors, int, object(), fastmcp.tools.Tool.from_function(service)])
def test_what_is_no_function_is_refused(thing):
    with pytest.raises(TypeError, match=r"no function. Put it directly on the function, below `@server\.tool\(\)`"):
        raises(FetchErrors)(thing)


def test_bad_failures_name_the_tool_and_warn_at_the_decorators_line():
    with pytest.raises(ValueError, match=r"Reason `gone` of tool `fetch` has no `when`.*when-required"):

        @raises(Failure(Code.GONE, reason="gone", recovery=HINT))
        def fetch(): ...

    with pytest.warns(UserWarning, match=r"Tool `nothing` declares no failure") as caught:

        @raises()
        def nothing(): ...

    assert linecache.getline(caught[0].filename, caught[0].lineno).strip() == "@raises()"


def wrapping(function):
    @functools.wraps(function)
    def wrapper():
        return function()

    return wrapper


server = MCPServer("s")
app = fastmcp.FastMCP("f")


def test_above_the_servers_decorator_it_is_refused_at_once():
    with pytest.raises(TypeError) as caught:

        @raises(FetchErrors)
        @server.tool()
        def tool() -> None: ...

    assert str(caught.value) == (
        "`@raises` stands above `@server.tool`, which has registered `tool` without it. "
        "Put `@raises(…)` directly on the function, below `@server.tool`."
    )


def test_above_other_registrations_it_is_refused_too():
    with pytest.raises(TypeError, match=r"above `@server\.resource`"):

        @raises(FetchErrors)
        @server.resource(
            "note://one",
            description="""
def looks_like_a_function(): ...
""",
        )
        # A comment, and a decorator of one's own:
        @wrapping
        def note() -> str: ...

    with pytest.raises(TypeError, match=r"above `@server\.prompt`"):

        class Prompts:
            @staticmethod
            @raises(
                FetchErrors,
            )
            @server.prompt()
            async def one() -> str: ...

    with pytest.raises(TypeError, match=r"above `@app\.tool`"):

        @raises(FetchErrors)
        @app.tool
        def two() -> None: ...

    with pytest.raises(TypeError, match="above `@tool`"):

        @raises(FetchErrors)
        @tool
        def three() -> None: ...

    declared = raises(FetchErrors)
    with pytest.raises(TypeError, match=r"above `@app\.resource`"):

        @declared
        @app.resource("note://two")
        def four() -> str: ...


def test_where_it_belongs_it_is_accepted():
    class Other:
        @staticmethod
        def tools():
            return lambda function: function

    @app.tool(name="five")
    @raises(FetchErrors)
    @Other.tools()
    def five() -> None: ...

    @server.tool()
    @raises(FetchErrors)
    def six() -> None:
        @server.tool(name="inner")
        def inner() -> None: ...

    assert find_declaration(five)
    assert find_declaration(six)


def test_without_source_it_stays_quiet():
    code = "@raises(FetchErrors)\n@server.tool()\ndef unseen() -> None: ...\n"
    exec(compile(code, "<nowhere>", "exec"), globals().copy())  # noqa: S102
    exec(compile(code, __file__, "exec"), globals().copy())  # noqa: S102 - the lines are somebody else's.


# On real servers


def search(query: Annotated[str, "What to look for"], limit: int = 10) -> list[int]:
    """Look articles up.

    Args:
        limit: How many at most.
    """
    raise fail("no_match", f"{query} {limit}")


async def asearch(query: str, context: Context, *, deep: bool = False) -> dict[str, int]:
    """Look articles up, asynchronously."""
    await asyncio.sleep(0)
    raise FetchErrors.no_match(f"{query} {deep} {context is None}")


async def fsearch(query: "str", context: fastmcp.Context) -> "dict[str, int]":
    """Look articles up, with FastMCP's context."""
    raise FetchErrors.no_match(f"{query} {context is None}")


def rows(count: int) -> list[str]:
    """Several rows."""
    yield from (str(service()[0]) for _ in range(count))


async def arows(count: int) -> list[str]:
    """Several rows, asynchronously."""
    for _ in range(count):
        yield str(service()[0])


class Shop:
    """A shop."""

    def order(self, number: int) -> str:
        """One order."""
        return f"{number} {service()[0]}"

    async def __call__(self, number: int) -> str:
        """Look an order up."""
        return f"{number} {service()[0]}"


def same(function):
    return function


def fastmcp_server(decorate):
    server = fastmcp.FastMCP("f")
    for function in (search, fsearch, rows, arows, Shop().order):
        server.tool(decorate(function))
    server.add_tool(fastmcp.tools.Tool.from_function(decorate(Shop())))
    server.add_tool(fastmcp.tools.Tool.from_function(decorate(functools.partial(search, limit=3)), name="few"))
    server.resource("note://{name}")(decorate(note))
    server.prompt()(decorate(ask))
    return server


def mcp_server(decorate):
    server = MCPServer("s")
    for function in (search, asearch, Shop().order):
        server.tool()(decorate(function))
    few = functools.partial(search, limit=3)
    few.__name__ = "few"  # This SDK takes no partial without a name, and no object.
    server.tool()(decorate(few))
    server.resource("note://{name}")(decorate(note))
    server.prompt()(decorate(ask))
    return server


def note(name: str) -> str:
    """A note."""
    return f"{name} {service()[0]}"


async def ask(topic: str) -> str:
    """A question."""
    return f"{topic} {service()[0]}"


SERVERS = {"mcp": (mcp_server, mcp.Client), "fastmcp": (fastmcp_server, fastmcp.Client)}


@pytest.mark.parametrize("sdk", SERVERS)
def test_what_a_server_lists_is_exactly_as_without(sdk):
    make, connect = SERVERS[sdk]

    async def listed(decorate):
        async with connect(make(decorate)) as client:
            lists = [await client.list_tools(), await client.list_resource_templates(), await client.list_prompts()]
            return [_plain(each) for each in lists]

    assert asyncio.run(listed(raises(FetchErrors))) == asyncio.run(listed(same))


def _plain(listed):
    return [each.model_dump(mode="json") for each in listed] if isinstance(listed, list) else listed.model_dump()


@pytest.mark.parametrize("function", [search, asearch, fsearch, rows, arows, Shop().order, Shop.order, note, ask])
def test_a_function_looks_the_same_from_outside(function):
    decorated = raises(FetchErrors)(function)
    assert inspect.signature(decorated) == inspect.signature(function)
    assert inspect.signature(decorated, eval_str=True) == inspect.signature(function, eval_str=True)
    assert inspect.get_annotations(decorated) == inspect.get_annotations(function)
    assert (decorated.__name__, decorated.__doc__, decorated.__module__, decorated.__qualname__) == (
        function.__name__,
        function.__doc__,
        function.__module__,
        function.__qualname__,
    )
    for ask_inspect in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        assert ask_inspect(decorated) is ask_inspect(function)


@pytest.mark.parametrize("sdk", SERVERS)
def test_tools_resources_and_prompts_know_their_contract(sdk):
    make, connect = SERVERS[sdk]

    async def answers():
        async with connect(make(raises(FetchErrors))) as client:
            resource = await client.read_resource("note://a")
            prompt = await client.get_prompt("ask", {"topic": "b"})
            contents = getattr(resource, "contents", resource)
            return (
                (await client.call_tool("order", {"number": 1})).content[0].text,
                contents[0].text,
                prompt.messages[0].content.text,
            )

    assert asyncio.run(answers()) == ("1 NOT_FOUND", "a NOT_FOUND", "b NOT_FOUND")


def test_fastmcp_materialises_generators_within_the_contract():
    async def answers():
        async with fastmcp.Client(fastmcp_server(raises(FetchErrors))) as client:
            return [(await client.call_tool(name, {"count": 2})).data for name in ("rows", "arows")]

    assert asyncio.run(answers()) == [["NOT_FOUND"] * 2] * 2


@pytest.mark.parametrize(("name", "said"), [("search", "q 10"), ("few", "q 3"), ("asearch", "q False False")])
def test_what_a_tool_raises_reaches_the_server_unchanged(name, said):
    async def main():
        with pytest.raises(mcp.server.mcpserver.exceptions.ToolError) as caught:
            await mcp_server(raises(FetchErrors)).call_tool(name, {"query": "q"})
        return caught.value.__cause__

    error = asyncio.run(main())
    assert isinstance(error, FaultError)
    assert (error.code, str(error), error.fault.reason) == (Code.NOT_FOUND, said, "no_match")
