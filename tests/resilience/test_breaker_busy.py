"""A busy upstream has five failures at any time: with a rate, they open its breaker only if the share of them is high."""

import pytest
from hypothesis import given, strategies as st
from support.breaker_steps import break_it
from support.manual_clock import Time

from errata.resilience import Breaker, MemoryStore, State, protect


@pytest.fixture
def busy(store):
    return Breaker("busy", store=store, failure_rate=0.5)


def succeed(breaker, times):
    for _ in range(times):
        breaker.call(int)


def test_failures_among_many_successes_never_open_it(busy, time):
    for _ in range(500):
        break_it(busy, 1)
        succeed(busy, 9)
        time.advance(0.25)
    assert busy.status().state is State.CLOSED
    assert busy.status().failure_rate == pytest.approx(0.1, abs=0.02)


def test_without_a_rate_successes_change_nothing(breaker):
    for _ in range(5):
        succeed(breaker, 1000)
        break_it(breaker, 1)
    assert breaker.status().state is State.OPEN


def test_however_long_all_was_well_five_failures_in_a_row_open_it(busy):
    succeed(busy, 10_000)
    break_it(busy, 5)
    assert busy.status().state is State.OPEN


def test_however_long_a_few_failed_twenty_five_in_a_row_open_it(busy):
    for _ in range(100):
        succeed(busy, 99)
        break_it(busy, 1)
    break_it(busy, 23)
    assert busy.status().state is State.CLOSED
    break_it(busy, 1)
    assert busy.status().state is State.OPEN


@given(rate=st.floats(0, 1), answers=st.lists(st.booleans(), max_size=60))
def test_an_upstream_that_fails_at_a_higher_rate_is_left_alone_and_one_at_a_lower_one_is_called(rate, answers):
    time = Time()
    busy = Breaker("busy", store=MemoryStore(clock=time.clock, wall_clock=time.wall_clock), failure_rate=rate)
    while answers and answers[0]:
        answers.pop(0)
    failed = 0
    for number, is_well in enumerate(answers, start=1):
        if is_well:
            succeed(busy, 1)
            continue
        failed += 1
        break_it(busy, 1)
        if failed <= 25:  # They are all weighed.
            assert (busy.status().state is State.OPEN) == (failed >= 5 and failed / number >= rate)
        if busy.status().state is State.OPEN:
            break


def test_it_closes_again_and_begins_anew(busy, time):
    break_it(busy, 5)
    time.advance(60)
    succeed(busy, 2)
    assert busy.status().state is State.CLOSED
    break_it(busy, 4)
    succeed(busy, 6)
    break_it(busy, 1)
    assert busy.status().state is State.CLOSED
    break_it(busy, 1)
    assert busy.status().state is State.OPEN


def test_so_many_failures_as_a_busy_upstream_has_are_not_kept(store):
    busy = Breaker("busy", store=store, failure_rate=1.0)
    for _ in range(10_001):
        succeed(busy, 1)
        break_it(busy, 1)
    assert len(busy._circuit._window._failures) == 10_000
    assert busy.status().state is State.CLOSED


@pytest.mark.parametrize("rate", [-0.1, 1.01, float("nan"), float("inf"), 50])
def test_what_is_no_share_is_refused(store, rate):
    with pytest.raises(ValueError, match=f"`failure_rate` is {rate}. Give a share of calls from 0 to 1"):
        Breaker("busy", store=store, failure_rate=rate)


def test_one_upstream_has_one_rate(store, busy):
    assert busy.status().state is State.CLOSED
    with pytest.raises(ValueError, match=r"with `failure_rate` 0\.5; here it is 0\.2"):
        Breaker("busy", store=store, failure_rate=0.2)


def test_protect_takes_a_rate_too(store):
    busy = protect("busy", store=store, failure_rate=0.5).breaker
    break_it(busy, 4)
    succeed(busy, 6)
    break_it(busy, 1)
    assert busy.status().state is State.CLOSED


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_a_breaker_may_have_a_limit_that_no_failures_reach(store, rate):
    never = Breaker("never", store=store, failures=10**30, failure_rate=rate)
    break_it(never, 100)
    assert never.status().state is State.CLOSED
