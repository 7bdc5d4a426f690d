"""`install(server, breaker=…, retry=…)`: a failing tool is left alone, and one that does no harm is repeated."""

import asyncio
import functools
import gc
import logging
import weakref

import anyio
import mcp_types as wire
import pytest
from fastmcp import FastMCP
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from serving.test_settling import DESTROYS, IDEMPOTENT, NOTHING, READS, SERVERS, native_fault
from support.three_servers import connected

import errata
from errata import Code, FaultError, NeedsInput, Retry, answers, dialects
from errata.resilience import Breaker, MemoryStore, State, effect, marks_effects, retry

pytestmark = pytest.mark.anyio

AT_ONCE = retry(sleep=lambda _: None, random=lambda: 0.0)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def breaker(clock, **options):
    return Breaker("bank", store=MemoryStore(clock=clock, wall_clock=clock), **options)


class Bank:
    """An upstream that does as it is told, and counts its calls."""

    def __init__(self, *moods):
        self.moods = list(moods)
        self.calls = 0

    def ask(self):
        self.calls += 1
        mood = self.moods.pop(0) if len(self.moods) > 1 else self.moods[0]
        if isinstance(mood, BaseException):
            raise mood
        return mood


def asking(bank):
    async def balance():
        return bank.ask()

    return balance


DOWN = ConnectionResetError("The bank hung up.")
BUSY = FaultError(Code.RATE_LIMITED, "The bank is busy.", retry_after_ms=1)
WRONG = FaultError(Code.NOT_FOUND, "There is no account 17.")


async def called(server, times=1, tool="balance", **options):
    async with connected(server, **options) as client:
        return [await client.call_tool(tool, {}) for _ in range(times)]


async def test_a_tool_that_keeps_failing_is_left_alone_and_tried_again(kind, clock):
    bank, circuit = Bank(DOWN), breaker(clock, failures=3, open_s=60, fallback_tool="last_balance")
    server = SERVERS[kind](NOTHING, asking(bank))
    errata.install(server, breaker=circuit)

    faults = [native_fault(result) for result in await called(server, 5)]
    assert [fault.code for fault in faults] == [Code.NETWORK_ERROR] * 3 + [Code.CIRCUIT_OPEN] * 2
    assert bank.calls == 3
    assert faults[-1].retry_after_ms == 60_000
    assert faults[-1].recovery.fallback_tool == "last_balance"
    assert faults[-1].data["since"]

    clock.now += 60
    bank.moods = ["17 euros"]
    assert [result.is_error for result in await called(server, 3)] == [False] * 3
    assert circuit.status().state is State.CLOSED


async def test_a_service_inside_of_the_tool_with_the_same_circuit_counts_once_and_recovers(kind, clock):
    bank, circuit = Bank(ConnectionResetError("The bank hung up.")), breaker(clock, failures=3)
    server = SERVERS[kind](NOTHING, circuit(asking(bank)))
    errata.install(server, breaker=circuit)

    await called(server, 5)
    assert bank.calls == 3
    clock.now += 60
    bank.moods = ["17 euros"]
    assert [result.is_error for result in await called(server, 3)] == [False] * 3
    assert circuit.status().state is State.CLOSED


@pytest.mark.parametrize("dialect", dialects.names())
async def test_an_open_circuit_is_told_in_every_dialect(kind, clock, dialect):
    server = SERVERS[kind](NOTHING, asking(Bank(DOWN)))
    errata.install(server, dialect=dialect, breaker=breaker(clock, failures=1, fallback_tool="last_balance"))

    _, result = await called(server, 2)
    told = dialects.get(dialect).decode(result.model_dump(by_alias=True, exclude_none=True))
    assert result.is_error
    assert "paused" in result.content[0].text
    assert told.retryable


@pytest.mark.parametrize("failure", [WRONG, BUSY, NeedsInput("Which one?", fields=["account"])], ids=str)
async def test_what_says_nothing_about_the_upstream_is_not_counted(kind, clock, failure):
    bank, circuit = Bank(failure), breaker(clock, failures=1)
    server = SERVERS[kind](NOTHING, asking(bank))
    errata.install(server, breaker=circuit)

    await called(server, 3)
    assert bank.calls == 3
    assert circuit.status().calls == 0


async def test_refused_arguments_and_unknown_tools_are_not_counted(clock):
    async def pays(amount: int):
        return f"paid {amount}"

    for make in (SERVERS["MCPServer"], SERVERS["FastMCP"]):
        circuit = breaker(clock, failures=1)
        server = make(NOTHING, pays)
        errata.install(server, breaker=circuit)
        async with connected(server) as client:
            assert native_fault(await client.call_tool("pays", {"amount": "much"})).retry is Retry.FIX_INPUT
            assert native_fault(await client.call_tool("plays", {})).code is Code.NOT_FOUND
        assert circuit.status().calls == 0


def says_it_failed(text):
    async def balance():
        return wire.CallToolResult(content=[wire.TextContent(type="text", text=text)], is_error=True)

    return balance


async def test_a_result_that_says_it_failed_in_words_counts_nothing_and_is_sent_as_it_is(kind, clock):
    circuit = breaker(clock, failures=1)
    server = SERVERS[kind](NOTHING, says_it_failed("HTTP 500 Internal Server Error"))
    errata.install(server, breaker=circuit)

    for result in await called(server, 3):
        assert result.content[0].text == "HTTP 500 Internal Server Error"
    assert circuit.status().calls == 0


async def test_a_result_that_says_it_failed_in_a_dialect_counts(kind, clock):
    told = dialects.native.encode(errata.Fault(code=Code.UPSTREAM_ERROR, message="The bank answered 500."))

    async def balance():
        return wire.CallToolResult.model_validate(told)

    circuit = breaker(clock, failures=2)
    server = SERVERS[kind](NOTHING, balance)
    errata.install(server, breaker=circuit)

    assert native_fault((await called(server, 3))[2]).code is Code.CIRCUIT_OPEN


PHRASES = [
    "503 Service Unavailable",
    "Connection refused",
    "the request timed out",
    "database is locked",
    "502 Bad Gateway",
]


@pytest.mark.parametrize("kind_of_error", [RuntimeError, Exception, ToolError, ValueError])
@pytest.mark.parametrize("form", ["{}", "Cannot save the note {!r}.", "Cannot save the note: {}", '{{"note": "{}"}}'])
async def test_notes_that_speak_of_failures_open_no_breaker(clock, kind_of_error, form):
    async def save_note(text: str) -> str:
        raise kind_of_error(form.format(text))

    for make in (SERVERS["MCPServer"], SERVERS["FastMCP"]):
        circuit = breaker(clock, failures=1)
        server = make(NOTHING, save_note)
        errata.install(server, breaker=circuit)
        async with connected(server) as client:
            for phrase in PHRASES:
                assert (await client.call_tool("save_note", {"text": phrase})).is_error
        assert circuit.status().state == "closed", circuit.status()


async def test_a_result_that_says_the_caller_is_wrong_is_not_counted(kind, clock):
    circuit = breaker(clock, failures=1)
    server = SERVERS[kind](NOTHING, says_it_failed("404 Not Found: there is no account 17"))
    errata.install(server, breaker=circuit)

    await called(server, 2)
    assert circuit.status().calls == 0


async def test_a_question_that_is_returned_says_nothing_about_the_upstream(kind, clock):
    asked = wire.InputRequiredResult(
        input_requests={"account": wire.ElicitRequest(params=_FORM)}, request_state="seventeen"
    )

    async def balance():
        return asked

    circuit = breaker(clock)
    server = SERVERS[kind](NOTHING, balance)
    errata.install(server, breaker=circuit, retry=AT_ONCE)
    async with connected(server) as client:
        await client.session.call_tool("balance", {}, allow_input_required=True)
    assert circuit.status().calls == 0


_FORM = wire.ElicitRequestFormParams(message="Which one?", requested_schema={"type": "object", "properties": {}})


async def test_breakers_by_name_are_of_single_tools(kind, clock, caplog):
    async def other():
        raise DOWN

    bank, circuit = Bank(DOWN), breaker(clock, failures=1)
    server = SERVERS[kind](NOTHING, asking(bank), other)
    errata.install(server, breaker={"balance": circuit, "balanse": circuit})

    await called(server, 3)
    others = await called(server, 3, tool="other")
    assert bank.calls == 1
    assert {native_fault(result).code for result in others} == {Code.NETWORK_ERROR}
    async with connected(server) as client:
        await client.list_tools()
    if kind != "Server":
        assert "settings for `balanse`" in caplog.text


async def test_a_client_that_cancels_frees_the_probe(kind, clock):
    waiting, bank = anyio.Event(), Bank(DOWN, "waits", "17 euros")

    async def balance():
        mood = bank.ask()
        if mood == "waits":
            waiting.set()
            await anyio.sleep_forever()
        return mood

    circuit = breaker(clock, failures=1, successes=1)
    server = SERVERS[kind](NOTHING, balance)
    errata.install(server, breaker=circuit)
    async with connected(server) as client:
        await client.call_tool("balance", {})
        clock.now += 60
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "balance", {})
            await waiting.wait()
            assert native_fault(await client.call_tool("balance", {})).code is Code.CIRCUIT_OPEN
            tasks.cancel_scope.cancel()
        while native_result := await client.call_tool("balance", {}):  # The server hears of it a moment later.
            if not native_result.is_error:
                break
            await anyio.lowlevel.checkpoint()
    assert circuit.status().state is State.CLOSED


HARMLESS = {"read-only": READS, "idempotent": IDEMPOTENT}


@pytest.mark.parametrize("declared", HARMLESS)
async def test_a_harmless_tool_is_repeated(kind, declared):
    bank = Bank(DOWN, BUSY, "17 euros")
    server = SERVERS[kind](HARMLESS[declared], asking(bank))
    errata.install(server, retry=AT_ONCE)

    (result,) = await called(server)
    assert not result.is_error
    assert bank.calls == 3


@pytest.mark.parametrize("annotations", [NOTHING, DESTROYS], ids=["undeclared", "destructive"])
async def test_no_other_tool_is_repeated(kind, annotations):
    for failure in (DOWN, BUSY):
        bank = Bank(failure)
        server = SERVERS[kind](annotations, asking(bank))
        errata.install(server, retry=AT_ONCE)

        await called(server)
        assert bank.calls == 1


async def test_what_fails_every_time_says_how_often_and_stays_what_it_was(kind, caplog):
    bank = Bank(DOWN)
    server = SERVERS[kind](READS, asking(bank))
    errata.install(server, retry=AT_ONCE)

    (result,) = await called(server)
    fault = native_fault(result)
    assert bank.calls == 3
    assert fault.code is Code.NETWORK_ERROR
    assert fault.retry is Retry.SAME_CALL
    assert fault.message == "The bank hung up. (failed after 3 attempts)"
    assert fault.data == {"retryAttempts": 3}
    assert fault.recovery.hint.startswith("Wait a few seconds")
    (record,) = [record for record in caplog.records if record.name == "errata"]
    assert record.levelno == logging.ERROR
    assert "ConnectionResetError: The bank hung up." in record.getMessage()


async def test_what_is_withheld_is_withheld_after_repetitions_too(kind):
    server = SERVERS[kind](READS, asking(Bank(DOWN)))
    errata.install(server, retry=AT_ONCE, mask=True)

    (result,) = await called(server)
    assert "hung up" not in result.model_dump_json()
    assert native_fault(result).data == {"retryAttempts": 3}


async def test_what_is_wrong_with_the_call_is_not_repeated(kind):
    for failure in (WRONG, ToolError("The vault is closed."), KeyError("no")):
        bank = Bank(failure)
        server = SERVERS[kind](READS, asking(bank))
        errata.install(server, retry=AT_ONCE)

        (result,) = await called(server)
        assert result.is_error
        assert bank.calls == 1


async def test_a_protocol_error_stays_one_and_is_not_repeated():
    for make in (SERVERS["MCPServer"], SERVERS["Server"]):
        bank = Bank(MCPError(-32001, "Request timed out", {"why": "rule 3"}))
        server = make(READS, asking(bank))
        errata.install(server, retry=AT_ONCE)

        async with connected(server) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("balance", {})
        assert caught.value.error.data == {"why": "rule 3"}
        assert bank.calls == 1


async def test_a_question_is_asked_and_not_repeated(kind):
    asked = []

    async def balance():
        asked.append(answers())
        if not answers():
            raise NeedsInput("Which account?", fields=["account"])
        return f"17 euros on {answers()['account']}"

    async def reply(_, __):
        return wire.ElicitResult(action="accept", content={"account": "savings"})

    server = SERVERS[kind](READS, balance)
    errata.install(server, retry=AT_ONCE)
    for era in ("auto", "legacy"):
        (result,) = await called(server, era=era, elicitation_callback=reply)
        assert result.content[0].text == "17 euros on savings"
    assert [len(each) for each in asked] == [0, 1] * 2


async def test_a_result_that_says_it_failed_is_repeated_and_the_last_one_sent(kind):
    bank = Bank(1, 2, 3)

    async def balance():
        text = wire.TextContent(type="text", text=f"503 Service Unavailable ({bank.ask()})")
        return wire.CallToolResult(content=[text], is_error=True)

    server = SERVERS[kind](READS, balance)
    errata.install(server, retry=AT_ONCE)
    (result,) = await called(server)
    assert result.content[0].text == "503 Service Unavailable (3)"


def marking(bank, fails_at):
    @marks_effects
    async def pays():
        if fails_at == "before":
            bank.ask()
        with effect("get_payment"):
            if fails_at == "inside":
                bank.ask()
        return "paid"

    return pays


async def test_a_tool_that_pays_in_a_thread_that_knows_of_no_call_pays_once(kind):
    paid = []

    async def pays() -> str:
        def pay():
            with effect("get_payment"):
                paid.append(1)
                raise TimeoutError("The bank timed out.")

        return await asyncio.get_running_loop().run_in_executor(None, pay)

    server = SERVERS[kind](NOTHING, pays)
    errata.install(server, retry=AT_ONCE)
    async with connected(server) as client:
        fault = native_fault(await client.call_tool("pays", {}))
    assert (fault.retry, paid) == (Retry.IF_HARMLESS, [1])


@pytest.mark.parametrize("annotations", [NOTHING, DESTROYS], ids=["undeclared", "destructive"])
async def test_a_tool_that_declares_to_mark_its_effect_is_repeated_before_it_and_not_in_it(annotations):
    for make in (SERVERS["MCPServer"], SERVERS["FastMCP"]):
        before, inside = Bank(DOWN, "well"), Bank(DOWN, "well")
        servers = make(annotations, marking(before, "before")), make(annotations, marking(inside, "inside"))
        for server in servers:
            errata.install(server, retry=AT_ONCE)

        (first,), (second,) = [await called(server, tool="pays") for server in servers]
        assert not first.is_error
        assert before.calls == 2
        assert native_fault(second).retry is Retry.VERIFY_FIRST
        assert inside.calls == 1


async def test_a_service_that_repeats_for_itself_is_repeated_by_one_layer_only(kind):
    for annotations, calls in ((READS, 3), (NOTHING, 5)):
        bank = Bank(DOWN)
        service = AT_ONCE(attempts=5, idempotent=True)(bank.ask)
        server = SERVERS[kind](annotations, _closed_over(service))
        errata.install(server, retry=AT_ONCE)
        await called(server)
        assert bank.calls == calls


def _closed_over(service):
    async def balance():
        return service()

    return balance


async def test_an_open_circuit_is_not_repeated(kind, clock):
    bank = Bank(DOWN)
    server = SERVERS[kind](READS, asking(bank))
    errata.install(server, breaker=breaker(clock, failures=2), retry=AT_ONCE)

    (result,) = await called(server)
    assert native_fault(result).code is Code.CIRCUIT_OPEN
    assert bank.calls == 2


async def test_mounted_tools_are_repeated_by_what_they_declare():
    harmless, harmful = Bank(DOWN, "well"), Bank(DOWN, "well")
    server = FastMCP("outside")
    server.mount(SERVERS["FastMCP"](READS, asking(harmless)), namespace="harmless")
    server.mount(SERVERS["FastMCP"](DESTROYS, asking(harmful)), namespace="harmful")
    errata.install(server, retry=AT_ONCE)

    await called(server, tool="harmless_balance")
    await called(server, tool="harmful_balance")
    assert (harmless.calls, harmful.calls) == (2, 1)


async def test_the_version_that_ran_decides_not_the_latest():
    bank = Bank(DOWN)
    server = FastMCP("versions")
    server.tool(asking(bank), version="1", annotations=DESTROYS)
    server.tool(asking(Bank("well")), version="2", annotations=READS)
    errata.install(server, retry=AT_ONCE)

    async with connected(server) as client:
        result = await client.call_tool("balance", {}, meta={"fastmcp": {"version": "1"}})
    assert native_fault(result).retry is Retry.VERIFY_FIRST
    assert bank.calls == 1


@pytest.mark.parametrize("is_declared", [False, True])
async def test_a_tool_whose_effect_has_a_key_is_repeated_if_it_is_declared(is_declared):
    sent = []

    async def pays() -> str:
        with effect(key="payment-17"):
            sent.append(1)
            raise TimeoutError("The bank timed out.")

    server = MCPServer("keyed")
    server.tool()(marks_effects(pays) if is_declared else pays)
    errata.install(server, retry=AT_ONCE)
    (result,) = await called(server, tool="pays")
    assert native_fault(result).retry is Retry.SAME_CALL  # The agent may repeat it in any case.
    assert len(sent) == (3 if is_declared else 1)


async def test_a_declared_tool_that_a_decorator_runs_in_a_pool_pays_once(kind):
    paid = []

    @marks_effects
    def reads_the_rate():
        pass

    @marks_effects
    def pays() -> str:
        with effect("get_payment"):
            paid.append(1)
            raise TimeoutError("The bank timed out.")

    @functools.wraps(pays)
    async def in_a_pool() -> str:
        reads_the_rate()
        return await asyncio.get_running_loop().run_in_executor(None, pays)

    server = SERVERS[kind](NOTHING, in_a_pool)
    errata.install(server, retry=AT_ONCE)
    (result,) = await called(server, tool="pays")
    assert native_fault(result).retry is not Retry.SAME_CALL
    assert paid == [1]


async def test_what_was_said_not_to_have_begun_does_not_begin_any_more():
    released, begun, tasks = asyncio.Event(), [], []

    async def later():
        await released.wait()
        with effect("get_payment"):
            begun.append(1)

    @marks_effects
    async def pays():
        tasks.append(asyncio.ensure_future(later()))
        if tasks:
            raise TimeoutError("The bank timed out.")
        with effect("get_payment"):
            return "paid"

    server = MCPServer("late")
    server.tool()(pays)
    errata.install(server)
    (result,) = await called(server, tool="pays")
    assert native_fault(result).retry is Retry.SAME_CALL

    released.set()
    with pytest.raises(FaultError, match="given up before its effect began"):
        await tasks[0]
    assert begun == []


async def test_a_failing_call_leaves_nothing_behind(kind, clock):
    alive = []

    class Witness:
        pass

    async def balance():
        witness = Witness()
        alive.append(weakref.ref(witness))
        raise ConnectionResetError("The bank hung up.")

    server = SERVERS[kind](READS, balance)
    errata.install(server, breaker=breaker(clock, failures=100), retry=AT_ONCE)
    async with connected(server) as client:
        await client.call_tool("balance", {})
        gc.collect()
        gc.disable()
        try:
            await client.call_tool("balance", {})
            await anyio.lowlevel.checkpoint()
            assert [each for each in alive if each() is not None] == []
        finally:
            gc.enable()


# fmt: off
UNFIT = {
    "a name":             ({"breaker": "ncbi"},             "`breaker` is 'ncbi'. Pass a `Breaker`, or a dict"),
    "a dict of names":    ({"breaker": {"balance": "ncbi"}}, "`breaker` is a dict. Pass a `Breaker`, or a dict"),
    "a number":           ({"retry": 3},                    "`retry` is 3. Pass True, or a policy"),
    "a function":         ({"retry": print},                "`retry` is a builtin_function_or_method. Pass True"),
}
# fmt: on


@pytest.mark.parametrize("what", UNFIT)
def test_settings_that_do_not_fit_are_refused(kind, what):
    settings, told = UNFIT[what]
    with pytest.raises(TypeError) as caught:
        errata.install(SERVERS[kind](NOTHING, asking(Bank("well"))), **settings)
    assert told in str(caught.value)


def test_the_same_settings_twice_are_one_installation_and_others_are_refused(kind, clock):
    server, circuit = SERVERS[kind](NOTHING, asking(Bank("well"))), breaker(clock)
    first = errata.install(server, breaker=circuit, retry=True)

    assert errata.install(server, breaker=circuit, retry=retry) is first
    with pytest.raises(ValueError, match="with other settings"):
        errata.install(server, breaker=breaker(clock), retry=True)
    with pytest.raises(ValueError, match="with other settings"):
        errata.install(server, breaker=circuit, retry=False)


async def test_without_a_failure_nobody_can_tell(kind, clock):
    server = SERVERS[kind](READS, asking(Bank("17 euros")))
    bare = (await called(server))[0].model_dump()
    errata.install(server, breaker=breaker(clock), retry=True)

    assert (await called(server))[0].model_dump() == bare
