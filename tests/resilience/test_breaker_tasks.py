"""A breaker around what is awaited, and a store that takes a moment to answer."""

import asyncio
import contextlib
import functools
from concurrent.futures import Future

import anyio
import pytest
from support.breaker_steps import fail, half_open, refused, refused_elsewhere

from errata import Code, FaultError
from errata.resilience import Breaker, Facts, Permit, Refusal, State


class Client:
    async def __call__(self):
        raise TimeoutError

    async def get(self):
        raise TimeoutError

    def lazily(self):
        return self.get()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "function",
    [Client(), Client().get, Client().lazily, functools.partial(Client.get, Client())],
    ids=["object", "method", "plain-method", "partial"],  # Not by `repr`: an address is another one in every process.
)
async def test_what_is_awaited_is_watched_whatever_makes_it(breaker, function):
    for _ in range(5):
        with pytest.raises(TimeoutError):
            await breaker.call(function)
    with pytest.raises(FaultError) as caught:
        await breaker(function)()
    assert caught.value.code is Code.CIRCUIT_OPEN


@pytest.mark.anyio
async def test_what_a_plain_function_gives_to_be_awaited_counts_when_it_was_awaited(breaker):
    async def one():
        return 1

    outcome = breaker.call(lambda: one())  # noqa: PLW0108 - a function that is not async.
    assert breaker.status().calls == 0
    assert (await outcome, breaker.status().calls) == (1, 1)


@pytest.mark.anyio
async def test_async_blocks_are_watched(breaker, time):
    for _ in range(5):
        with pytest.raises(TimeoutError):
            async with breaker:
                raise TimeoutError
    time.advance(60)
    async with breaker:
        refused_elsewhere(breaker)


@pytest.mark.anyio
@pytest.mark.parametrize("way", ["call", "block", "lazily"])
async def test_a_cancelled_probe_lets_another_one_probe_at_once(breaker, time, way):
    half_open(breaker, time)
    started = anyio.Event()

    async def hang():
        started.set()
        await anyio.sleep_forever()

    async def probe():
        if way == "block":
            async with breaker:
                await hang()
        await breaker.call(hang if way == "call" else lambda: hang())  # noqa: PLW0108 - a function that is not async.

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(probe)
        await started.wait()
        refused(breaker)
        tasks.cancel_scope.cancel()
    assert breaker.call(int) == 0


def test_a_cancellation_that_a_library_makes_an_error_of_is_still_none_of_the_upstreams(breaker, time):
    async def reads():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise TimeoutError("read") from None

    async def cancelled():
        task = asyncio.create_task(breaker.call(cancelled_while_reading))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(TimeoutError):
            await task

    half_open(breaker, time)
    asyncio.run(cancelled())
    assert breaker.call(int) == 0


async def swallow_a_cancellation():
    asyncio.current_task().cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


@pytest.mark.parametrize("way", ["async", "sync", "block"])
def test_a_task_that_once_swallowed_a_cancellation_has_a_breaker_still(breaker, way):
    async def once():
        if way == "async":
            await breaker.call(Client().get)
        elif way == "sync":
            breaker.call(fail, TimeoutError("read"))
        else:
            async with breaker:
                await Client().get()

    async def swallows():
        await swallow_a_cancellation()
        for _ in range(6):  # The first one may be what became of the cancellation.
            with pytest.raises(TimeoutError):
                await once()

    asyncio.run(swallows())
    refused(breaker)


async def cancelled_while_reading():
    """Be cancelled, and say that it was the time: as HTTP clients do."""
    asyncio.current_task().cancel()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise TimeoutError("read") from None


def test_a_task_that_swallowed_a_cancellation_and_is_cancelled_again_says_nothing_of_the_upstream(breaker):
    async def swallows():
        await swallow_a_cancellation()
        breaker.settle(breaker.permit(), TimeoutError("the first one"))
        for _ in range(5):
            with pytest.raises(TimeoutError):
                await breaker.call(cancelled_while_reading)

    asyncio.run(swallows())
    assert breaker.status().failures == 0


def test_breakers_within_breakers_are_told_of_one_cancellation_alike(breaker, store):
    outer = Breaker("outer", store=store)

    async def both():
        with pytest.raises(TimeoutError):
            await outer.call(breaker(cancelled_while_reading))

    asyncio.run(both())
    assert (breaker.status().failures, outer.status().failures) == (0, 0)


class SlowCircuit:
    """A circuit that has to ask somebody else."""

    def __init__(self, answer):
        self.answer = answer
        self.settled = []

    def circuit(self, _upstream, _limits):
        return self

    def admit(self):
        return self.answer

    def settle(self, permit, verdict, _code=None):
        self.settled.append((permit, verdict.name))

    def facts(self):
        return Facts(State.HALF_OPEN, 0, 0, None, None, 1_793_955_000.0, None)


def answered(admission):
    answer = Future()
    answer.set_result(admission)
    return answer


PROBE = Permit(3, is_probe=True)


@pytest.mark.anyio
async def test_the_answer_of_a_store_that_asks_is_waited_for(breaker):
    store = SlowCircuit(answered(PROBE))
    breaker = Breaker("ncbi", store=store)

    async def one():
        return 1

    assert (breaker.call(int), await breaker.call(one)) == (0, 1)
    async with breaker:
        pass
    assert store.settled == [(PROBE, "WELL")] * 3
    store.answer = answered(Refusal(250, 1_793_955_000.0))
    assert refused(breaker).retry_after_ms == 250


@pytest.mark.anyio
async def test_a_task_that_is_cancelled_while_the_store_asks_gives_the_probe_back():
    store = SlowCircuit(Future())
    breaker = Breaker("ncbi", store=store)

    async def one():
        pytest.fail("it was called")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(breaker.call, one)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert not store.settled
    store.answer.set_result(PROBE)
    assert store.settled == [(PROBE, "NONE")]


def test_a_thread_that_is_interrupted_while_the_store_asks_gives_the_probe_back():
    class Interrupted(Future):
        def result(self, timeout=None):
            if not self.done():
                raise KeyboardInterrupt
            return super().result(timeout)

    store = SlowCircuit(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        Breaker("ncbi", store=store).call(int)
    store.answer.set_result(PROBE)
    assert store.settled == [(PROBE, "NONE")]


@pytest.mark.anyio
async def test_a_store_that_breaks_while_it_asks_refuses_the_probe_and_nothing_else():
    store = SlowCircuit(Future())
    store.answer.set_exception(RuntimeError("worker"))
    breaker = Breaker("ncbi", store=store)
    assert refused(breaker).retry_after_ms == 1000
    with pytest.raises(FaultError):
        await breaker.apermit()
