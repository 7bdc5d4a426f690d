"""Every block has a permit of its own, wherever it is entered and left."""

import contextlib
import contextvars
import threading

import anyio
import pytest
from hypothesis import given, strategies as st
from support.breaker_steps import break_it, half_open, refused, refused_elsewhere
from support.manual_clock import Time

from errata import FaultError, not_found
from errata.resilience import Breaker, Health, MemoryStore, Permit, State


class Told:
    """A circuit that gives out permits that can be told apart, and remembers what came of each."""

    def __init__(self):
        self.given = 0
        self.came_of = {}

    def circuit(self, _upstream, _limits):
        return self

    def admit(self):
        self.given += 1
        return Permit(self.given)

    def settle(self, permit, verdict, _code=None):
        assert permit.generation not in self.came_of
        self.came_of[permit.generation] = verdict


def reading(breaker):
    with breaker.block():
        outcome = yield
        if outcome is not None:
            raise outcome


async def reading_later(breaker):
    async with breaker.block():
        outcome = yield
        if outcome is not None:
            raise outcome


FAILURES = st.none() | st.builds(TimeoutError, st.just("read"))


@given(st.permutations(range(6)), st.lists(FAILURES, min_size=6, max_size=6))
def test_generators_that_take_turns_each_settle_their_own_permit(order, outcomes):
    told = Told()
    breaker = Breaker("ncbi", store=told)
    generators = [reading(breaker) for _ in order]
    for generator in generators:
        next(generator)
    for number in order:
        with contextlib.suppress(StopIteration, TimeoutError):
            generators[number].send(outcomes[number])
    assert told.came_of == {number + 1: Health.ILL if outcomes[number] else Health.WELL for number in order}


@given(st.permutations(range(6)), st.lists(FAILURES, min_size=6, max_size=6))
def test_blocks_that_are_made_each_settle_their_own_permit(order, outcomes):
    told = Told()
    blocks = [Breaker("ncbi", store=told).block() for _ in order]
    for block in blocks:
        contextvars.copy_context().run(block.__enter__)
    for number in order:
        contextvars.copy_context().run(blocks[number].__exit__, None, outcomes[number], None)
    assert told.came_of == {number + 1: Health.ILL if outcomes[number] else Health.WELL for number in order}


@pytest.mark.anyio
async def test_async_generators_that_take_turns_each_settle_their_own_permit():
    told = Told()
    breaker = Breaker("ncbi", store=told)
    first, second = reading_later(breaker), reading_later(breaker)
    await anext(first)
    await anext(second)
    with pytest.raises(TimeoutError):
        await first.asend(TimeoutError("read"))
    with pytest.raises(StopAsyncIteration):
        await second.asend(None)
    assert told.came_of == {1: Health.ILL, 2: Health.WELL}


def test_a_generator_with_the_breaker_itself_settles_when_it_ends(breaker):
    for _ in range(5):
        generator = in_the_breaker_itself(breaker)
        next(generator)
        with pytest.raises(TimeoutError):
            generator.throw(TimeoutError)
    refused(breaker)


def test_a_block_in_a_block_of_one_function_is_left_first():
    told = Told()
    breaker = Breaker("ncbi", store=told)
    with breaker:
        with contextlib.suppress(TimeoutError), breaker:
            raise TimeoutError
        assert told.came_of == {2: Health.ILL}
    assert told.came_of[1] is Health.WELL


def test_an_old_generator_that_ends_well_does_not_answer_for_the_probe(breaker, time):
    old = reading(breaker)
    next(old)
    half_open(breaker, time)
    probe = reading(breaker)
    next(probe)
    with contextlib.suppress(StopIteration):
        old.send(None)
    refused_elsewhere(breaker)
    probe.close()
    assert breaker.call(int) == 0


def test_a_generator_that_nobody_reads_to_its_end_frees_its_probe(breaker, time):
    half_open(breaker, time)
    abandoned = reading(breaker)
    next(abandoned)
    refused_elsewhere(breaker)
    del abandoned
    assert breaker.call(int) == 0


def in_the_breaker_itself(breaker):
    with breaker:
        yield


def turns(breaker):
    with breaker:
        outcome = yield
        if outcome is not None:
            raise outcome


def entered(breaker, number=1):
    generators = [turns(breaker) for _ in range(number)]
    for generator in generators:
        next(generator)
    return generators


def end(generator, outcome=None):
    with contextlib.suppress(StopIteration, TimeoutError, FaultError):
        generator.send(outcome)


@given(st.permutations(range(3)), st.lists(FAILURES, min_size=3, max_size=3))
def test_a_failure_among_generators_that_take_turns_fails_the_probe(order, outcomes):
    time = Time()
    breaker = Breaker("ncbi", store=MemoryStore(clock=time.clock, wall_clock=time.wall_clock), successes=1)
    half_open(breaker, time)
    generators = entered(breaker, 3)
    for number in order:
        assert breaker.status().state is not State.CLOSED
        end(generators[number], outcomes[number])
    assert breaker.status().state is (State.OPEN if any(outcomes) else State.CLOSED)


@pytest.mark.parametrize("old_one_first", [False, True])
def test_a_probe_beside_an_older_block_succeeds_only_when_both_were_left(store, time, old_one_first):
    breaker = Breaker("ncbi", store=store, successes=1)
    old = entered(breaker)
    half_open(breaker, time)
    probe = entered(breaker)
    first, second = (old, probe) if old_one_first else (probe, old)
    end(*first)
    assert breaker.status().state is State.HALF_OPEN
    end(*second)
    assert breaker.status().state is State.CLOSED


def test_a_probe_that_fails_after_an_older_block_ended_well_opens_the_circuit(store, time):
    breaker = Breaker("ncbi", store=store, successes=1)
    old = entered(breaker)
    half_open(breaker, time)
    probe = entered(breaker)
    end(*old)
    end(*probe, TimeoutError("read"))
    assert breaker.status().state is State.OPEN


def test_what_the_caller_did_wrong_in_a_block_inside_of_the_probe_costs_it_nothing(store, time):
    breaker = Breaker("ncbi", store=store, successes=1)
    half_open(breaker, time)
    with breaker:
        with contextlib.suppress(FaultError), breaker:
            raise not_found("There is no article 17.")
        assert breaker.status().state is State.HALF_OPEN
    assert breaker.status().state is State.CLOSED


@pytest.mark.parametrize("read", [reading, in_the_breaker_itself])
def test_a_block_that_is_left_in_another_context_counts(breaker, read):
    for _ in range(5):
        generator = read(breaker)
        contextvars.copy_context().run(next, generator)
        with pytest.raises(TimeoutError):
            generator.throw(TimeoutError)
    refused(breaker)


@pytest.mark.parametrize("read", [reading, in_the_breaker_itself])
def test_a_block_that_is_left_in_another_thread_counts(breaker, read):
    for _ in range(5):
        generator = read(breaker)
        thread = threading.Thread(target=next, args=(generator,))
        thread.start()
        thread.join(60)
        with pytest.raises(TimeoutError):
            generator.throw(TimeoutError)
    refused(breaker)


@pytest.mark.anyio
@pytest.mark.parametrize("of", [lambda breaker: breaker, Breaker.block], ids=["breaker", "block"])
async def test_an_exit_stack_that_is_left_in_another_task_counts(breaker, of):
    for _ in range(5):
        stack = contextlib.AsyncExitStack()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stack.enter_async_context, of(breaker))
        with pytest.raises(TimeoutError):
            async with stack:
                raise TimeoutError
    assert breaker.status().failures == 5
    refused(breaker)


def test_an_exit_stack_counts(breaker):
    for _ in range(5):
        with contextlib.suppress(TimeoutError), contextlib.ExitStack() as stack:
            stack.enter_context(breaker)
            raise TimeoutError
    refused(breaker)


def test_nothing_is_kept_of_a_block_that_was_left(breaker):
    for _ in range(3):
        with breaker, contextlib.ExitStack() as stack:
            stack.enter_context(breaker)
    assert not breaker._open_blocks
    breaker.__exit__(None, None, None)  # Nobody entered: there is nothing to settle.
    assert breaker.status().calls == 6


def test_a_block_may_be_used_again_but_not_within_itself(breaker):
    block = breaker.block()
    for _ in range(2):
        with block, pytest.raises(RuntimeError, match=r"Make another one with `breaker.block\(\)`"), block:
            pass
    assert breaker.status().calls == 2


def test_a_block_that_is_refused_may_be_tried_again(breaker, time):
    break_it(breaker)
    block = breaker.block()
    with pytest.raises(FaultError), block:
        pytest.fail("it was called")
    time.advance(60)
    with block:
        assert breaker.status().state is State.HALF_OPEN
