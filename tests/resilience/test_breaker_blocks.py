"""Every block has a permit of its own, wherever it is entered and left."""

import contextlib
import contextvars
import threading

import anyio
import pytest
from hypothesis import given, strategies as st
from support.breaker_steps import break_it, half_open, refused, refused_elsewhere

from errata import FaultError
from errata.resilience import Breaker, Health, Permit, State


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
