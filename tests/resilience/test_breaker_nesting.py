"""A service whose functions call one another, all of them protected by the same circuit."""

import asyncio
import contextlib
import contextvars
import copy
import gc
import pickle
import weakref

import pytest
from support.breaker_steps import break_it, fail, half_open, refused, refused_elsewhere

from errata import FaultError, service_unavailable
from errata.resilience import Breaker, State, protect, retry
from errata.resilience._nesting import INNERMOST


@pytest.fixture
def again(store):
    """Another breaker of the same upstream: the circuit is the same."""
    return Breaker("ncbi", store=store)


async def answer():
    await asyncio.sleep(0)
    return "well"


async def fail_soon(error):
    await asyncio.sleep(0)
    raise error


def test_a_call_inside_of_the_probe_goes_by_its_permit(breaker, again, time):
    half_open(breaker, time)
    for _ in range(2):
        assert breaker.call(lambda: [again.call(int), breaker.call(int)]) == [0, 0]
    assert breaker.status().state is State.CLOSED


def test_however_many_are_called_inside_they_are_one_success(breaker, again, time):
    half_open(breaker, time)
    breaker.call(lambda: [again.call(int) for _ in range(5)])
    assert breaker.status().state is State.HALF_OPEN


def test_a_probe_that_fails_inside_is_one_failure_of_the_outer_call(breaker, again, time):
    half_open(breaker, time)
    with pytest.raises(TimeoutError):
        breaker.call(again.call, fail, TimeoutError("read"))
    assert breaker.status().failures == 6  # Five of them opened it.
    assert refused(breaker).retry_after_ms == 60_000


def test_a_probe_that_deals_with_what_fails_inside_of_it_is_a_success(breaker, again, time):
    half_open(breaker, time)

    def with_another_way():
        with contextlib.suppress(TimeoutError):
            again.call(fail, TimeoutError("read"))

    breaker.call(with_another_way)
    breaker.call(with_another_way)
    assert breaker.status().state is State.CLOSED


def test_a_probe_covers_no_other_upstream(breaker, store, time):
    other = Breaker("crossref", store=store)
    break_it(other)
    half_open(breaker, time)
    break_it(other, 1)
    breaker.call(refused, other)


def test_who_is_no_part_of_the_probe_is_refused_meanwhile(breaker, time):
    half_open(breaker, time)
    breaker.call(refused_elsewhere, breaker)


@pytest.mark.parametrize("enter", ["breaker", "block"])
def test_a_block_that_tries_covers_the_calls_in_it(breaker, again, time, enter):
    half_open(breaker, time)
    for _ in range(2):
        with breaker if enter == "breaker" else breaker.block():
            assert again.call(int) == 0
            with again, again.block():
                again.settle(again.permit())
    assert breaker.status().state is State.CLOSED


def test_blocks_that_try_may_end_in_any_order(breaker, again, store, time):
    other = Breaker("crossref", store=store)
    break_it(other)
    half_open(breaker, time)
    first, second = other.block(), breaker.block()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert again.call(int) == 0
    second.__exit__(None, None, None)


def test_a_generator_that_tries_covers_what_it_calls_and_who_reads_from_it_until_it_ends(breaker, again, time):
    half_open(breaker, time)

    def numbers():
        with breaker:
            yield again.call(int)
            yield again.call(int)

    reading = numbers()
    assert next(reading) == 0
    assert again.call(int) == 0
    refused_elsewhere(again)
    assert next(reading) == 0
    reading.close()
    break_it(breaker, 1)
    refused(again)


def test_an_async_generator_that_tries_covers_what_it_calls_and_who_reads_from_it_until_it_ends(breaker, again, time):
    half_open(breaker, time)

    async def numbers():
        async with breaker:
            yield await again.call(answer)
            yield await again.call(answer)

    async def read():
        reading = numbers()
        assert await anext(reading) == "well"
        assert await again.call(answer) == "well"
        refused_elsewhere(again)
        assert await anext(reading) == "well"
        await reading.aclose()
        break_it(breaker, 1)
        refused(again)

    asyncio.run(read())


def test_generators_that_try_one_after_the_other_leave_nothing_behind(breaker, again, time):
    def reading():
        with breaker.block():
            yield

    half_open(breaker, time)
    first = reading()
    next(first)
    time.advance(31)  # Its probe counts as lost.
    second = reading()
    next(second)
    first.close()
    refused_elsewhere(again)
    second.close()
    assert again.call(int) == 0


def test_tasks_and_threads_of_the_probe_go_by_its_permit(breaker, again, time):
    half_open(breaker, time)

    @breaker
    async def search():
        soon = asyncio.create_task(again.call(answer))
        assert await asyncio.gather(again.call(answer), again.call(answer)) == ["well", "well"]
        return await soon, await asyncio.to_thread(again.call, int)

    assert asyncio.run(search()) == ("well", 0)
    assert breaker.status().state is State.HALF_OPEN


def test_what_a_plain_function_gives_to_be_awaited_is_a_part_of_the_probe(breaker, again, time):
    half_open(breaker, time)

    async def search():
        return await breaker.call(lambda: asyncio.ensure_future(again.call(answer)))

    assert asyncio.run(search()) == "well"


def test_a_task_that_outlives_the_probe_asks_for_itself(breaker, again, time):
    half_open(breaker, time)
    kept = []

    async def start():
        kept.append(contextvars.copy_context())

    async def search():
        await breaker.call(start)
        break_it(breaker, 1)

    asyncio.run(search())
    kept[0].run(refused, again)


def test_a_probe_that_was_taken_by_hand_covers_nothing(breaker, again, time):
    half_open(breaker, time)
    permit = breaker.permit()
    refused(again)
    breaker.settle(permit)
    assert again.call(int) == 0


def test_a_failure_that_passes_through_several_calls_counts_once(breaker, again):
    for _ in range(4):
        with pytest.raises(TimeoutError):
            breaker.call(again.call, breaker.call, fail, TimeoutError("read"))
    assert breaker.status().failures == 4


def test_an_error_that_comes_of_one_that_was_counted_does_not_count_again(breaker, again):
    def wrapping():
        try:
            again.call(fail, TimeoutError("read"))
        except TimeoutError as error:
            raise service_unavailable("The catalogue is closed.") from error

    with pytest.raises(FaultError):
        breaker.call(wrapping)
    assert breaker.status().failures == 1


def test_what_failed_in_tasks_and_threads_counts_there(breaker, again):
    @breaker
    async def in_a_group():
        async with asyncio.TaskGroup() as group:
            group.create_task(again.call(fail_soon, TimeoutError("read")))

    @breaker
    async def gathered():
        await asyncio.gather(again.call(fail_soon, TimeoutError("read")))

    @breaker
    async def in_a_thread():
        await asyncio.to_thread(again.call, fail, ConnectionResetError("peer"))  # asyncio makes TimeoutErrors anew.

    for number, search in enumerate([in_a_group, gathered, in_a_thread], start=1):
        with pytest.raises((OSError, ExceptionGroup)):
            asyncio.run(search())
        assert breaker.status().failures == number


def test_a_block_counts_nothing_that_was_counted_in_it(breaker, again):
    with pytest.raises(TimeoutError), breaker, again.block():
        again.call(fail, TimeoutError("read"))
    assert breaker.status().failures == 1


def test_a_failure_after_another_one_that_it_does_not_come_of_counts(breaker, again):
    def two_ways():
        with contextlib.suppress(TimeoutError):
            again.call(fail, TimeoutError("read"))
        fail(ConnectionResetError("peer"))

    with pytest.raises(ConnectionResetError):
        breaker.call(two_ways)
    assert breaker.status().failures == 2


def test_a_call_that_is_over_keeps_no_error_alive(breaker, again):
    kept = []

    def inner():
        raise KeptError

    class KeptError(TimeoutError):
        def __init__(self):
            super().__init__("read")
            kept.append(weakref.ref(self))

    def deals_with_it():
        with contextlib.suppress(TimeoutError):
            again.call(inner)

    gc.disable()
    try:
        breaker.call(deals_with_it)
        assert kept[0]() is None
    finally:
        gc.enable()


def test_tasks_that_begin_one_another_keep_no_chain_of_those_that_are_over(breaker):
    depths = []

    @breaker
    async def tick(left):
        depths.append(len(list(chain())))
        if left:
            tasks.append(asyncio.create_task(tick(left - 1)))
        await asyncio.sleep(0)

    def chain():
        call = INNERMOST.get()
        while call is not None:
            yield call
            call = call.outer

    async def run():
        await tick(50)
        for number in range(50):
            await tasks[number]

    tasks = []
    asyncio.run(run())
    assert max(depths) <= 6


def test_another_circuit_counts_the_same_error(breaker, store):
    other = Breaker("crossref", store=store)
    with pytest.raises(TimeoutError):
        other.call(breaker.call, fail, TimeoutError("read"))
    assert (breaker.status().failures, other.status().failures) == (1, 1)


def test_an_error_that_is_raised_again_and_again_counts_every_time(breaker, again):
    error = TimeoutError("read")
    for _ in range(5):
        with pytest.raises(TimeoutError):
            breaker.call(again.call, fail, error)
    refused(breaker)


def test_all_who_waited_for_the_same_connection_count_its_loss(breaker):
    async def lose_it():
        lost = asyncio.get_running_loop().create_future()

        @breaker
        async def ask():
            await lost

        asking = [asyncio.create_task(ask()) for _ in range(4)]
        await asyncio.sleep(0)
        lost.set_exception(ConnectionResetError("peer"))
        await asyncio.wait(asking)
        return [task.exception() for task in asking]

    assert len(set(asyncio.run(lose_it()))) == 1
    assert breaker.status().failures == 4


@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_that_was_counted_can_be_copied_and_pickled(breaker, copied):
    with pytest.raises(FaultError) as caught:
        breaker.call(fail, service_unavailable("The catalogue is closed."))
    assert copied(caught.value).fault == caught.value.fault


def test_a_service_protected_twice_recovers_and_opens_after_five(store, time):
    down, asked = True, []

    @protect("ncbi", store=store, retry=False)
    def fetch(pmid):
        asked.append(pmid)
        if down:
            raise TimeoutError("read")
        return pmid

    search = protect("ncbi", store=store, retry=False)(lambda: [fetch(pmid) for pmid in range(3)])
    for _ in range(5):
        with pytest.raises(TimeoutError):
            search()
    refused(Breaker("ncbi", store=store))
    assert len(asked) == 5
    down = False
    time.advance(60)
    assert search() == search() == [0, 1, 2]
    assert Breaker("ncbi", store=store).status().state is State.CLOSED


def test_a_permit_counts_once_however_often_it_is_settled(breaker):
    permit = breaker.permit()
    for _ in range(6):
        breaker.settle(permit, TimeoutError("read"))
    breaker.release(permit)
    assert breaker.status().failures == 1


@pytest.mark.parametrize("is_async", [False, True])
def test_a_retry_around_a_breaker_is_one_call_with_it(store, time, is_async):
    patient = retry(clock=time.clock, sleep=lambda _: None)
    ncbi = protect("ncbi", store=store, retry=patient)
    breaker = Breaker("ncbi", store=store)

    def nested(error=None):
        if error is not None:
            breaker.call(fail, error)
        return [breaker.call(int), breaker.call(int)]

    async def nested_async(error=None):
        return nested(error)

    def call(*args):
        return asyncio.run(ncbi(nested_async)(*args)) if is_async else ncbi(nested)(*args)

    with pytest.raises(TimeoutError):
        call(TimeoutError("read"))
    assert breaker.status().failures == 1
    break_it(breaker, 4)
    time.advance(60)
    assert call() == call() == [0, 0]
    assert breaker.status().state is State.CLOSED
    assert INNERMOST.get() is None
