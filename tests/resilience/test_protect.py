"""`protect`: retry outside, breaker inside, both shared by all that name the upstream."""

import asyncio

import pytest
from support.manual_clock import Clock

from errata import Code, FaultError, Retry
from errata.resilience import Breaker, Budget, MemoryStore, State, effect, marks_effects, protect, retry


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return MemoryStore(clock=clock, wall_clock=clock)


@pytest.fixture
def patient(clock):
    """Repeats what does no harm, and waits in no time at all."""
    return retry(idempotent=True, clock=clock, sleep=clock.advance, random=lambda: 1.0)


class Upstream:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.calls = 0

    def ask(self):
        self.calls += 1
        answer = self.answers.pop(0) if self.answers else TimeoutError("read")
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ask_later(self):
        return self.ask()


def test_a_failure_that_may_be_repeated_is_and_the_breaker_counts_each_attempt(store, patient):
    upstream = Upstream(TimeoutError(), TimeoutError(), "found")
    ncbi = protect("ncbi", store=store, retry=patient)
    assert ncbi(upstream.ask)() == "found"
    assert (ncbi.breaker.status().failures, ncbi.breaker.status().calls) == (2, 3)


def test_an_attempt_that_is_refused_is_the_last_one(store, patient):
    upstream = Upstream()
    ncbi = protect(upstream="ncbi", fallback_tool="search_cache", store=store, failures=2, retry=patient)
    with pytest.raises(FaultError) as caught:
        ncbi.call(upstream.ask)
    assert caught.value.code is Code.CIRCUIT_OPEN
    assert caught.value.fault.recovery.fallback_tool == "search_cache"
    assert upstream.calls == 2
    with pytest.raises(FaultError):
        ncbi.call(upstream.ask)
    assert upstream.calls == 2


def test_a_call_that_is_given_up_says_after_how_many_attempts(store, patient):
    upstream = Upstream()
    with pytest.raises(FaultError, match=r"\(failed after 3 attempts\)") as caught:
        protect("ncbi", store=store, retry=patient).call(upstream.ask)
    assert (caught.value.code, upstream.calls) == (Code.TIMEOUT, 3)


def test_nobody_knows_whether_it_does_harm_so_it_is_called_once(store):
    upstream = Upstream()
    with pytest.raises(TimeoutError):
        protect("ncbi", store=store)(upstream.ask)()
    assert upstream.calls == 1


def test_the_effect_that_a_function_marks_is_seen_through_the_breaker(store, clock):
    calls = []

    @marks_effects
    def pay():
        calls.append("connect")
        if len(calls) == 1:
            raise TimeoutError
        with effect(verify_tool="get_payment"):
            raise TimeoutError

    policy = retry(clock=clock, sleep=clock.advance, random=lambda: 1.0)
    with pytest.raises(TimeoutError):
        protect("bank", store=store, retry=policy)(pay)()
    assert len(calls) == 2


@pytest.mark.parametrize("none", [None, False])
def test_without_a_retry_there_is_the_breaker(store, none):
    upstream = Upstream(TimeoutError())
    ncbi = protect("ncbi", store=store, retry=none)
    with pytest.raises(TimeoutError):
        ncbi(upstream.ask)()
    with pytest.raises(TimeoutError):
        ncbi.call(upstream.ask)
    assert ncbi.breaker.status().failures == upstream.calls == 2


def test_async_functions_are_protected_where_they_are_awaited(store, clock):
    upstream = Upstream(ConnectionRefusedError(111, "refused"), "found")
    ncbi = protect("ncbi", store=store, retry=retry(clock=clock, sleep=clock.advance, random=lambda: 1.0))
    assert asyncio.run(ncbi(upstream.ask_later)()) == "found"
    assert asyncio.iscoroutinefunction(ncbi(upstream.ask_later))


def test_the_breaker_and_the_budget_are_those_of_the_upstream_in_this_process(clock):
    policy = retry(idempotent=True, clock=clock, sleep=clock.advance, random=lambda: 1.0)
    upstream = Upstream()
    try:
        for _ in range(2):
            with pytest.raises(FaultError):
                protect("test of protect", retry=policy).call(upstream.ask)
        assert upstream.calls == 5
        assert Breaker("test of protect").status().state is State.OPEN
        assert not Budget.of("test of protect").is_full
    finally:
        Breaker.reset_all()
        Budget.refill_all()


def test_other_limits_for_the_same_upstream_are_refused(store):
    first = protect("ncbi", store=store)
    with pytest.raises(ValueError, match="`ncbi` has a circuit already, with `open_s` 60; here it is 5"):
        protect("ncbi", store=store, open_s=5)
    assert first.breaker.status().state is State.CLOSED


def test_true_is_the_usual_retry(store):
    assert protect("ncbi", store=store, retry=True)._retry.attempts == retry.attempts


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"idempotent": True}, r"`protect` takes no `idempotent`, .*Write `retry=retry\(idempotent=…\)` instead"),
        ({"attempts": 5}, r"Write `retry=retry\(attempts=…\)` instead"),
        ({"failure": 5}, "`protect` takes no `failure`. Did you mean `failures`"),
        ({"colour": "red"}, "`protect` takes no `colour`. It takes `upstream`, `fallback_tool`, `retry`, `failures`"),
        ({"retry": 5}, r"`retry` is 5. Give a policy such as `retry\(attempts=5\)`, or True or False"),
    ],
    ids=["for-retry", "for-retry-too", "misspelled", "unknown", "no-policy"],
)
def test_what_protect_does_not_take_it_says_where_to_put(options, message):
    with pytest.raises(TypeError, match=message):
        protect("ncbi", **options)


def test_a_protect_without_a_name_says_what_is_missing():
    with pytest.raises(ValueError, match="Name what is called"):
        protect(Upstream().ask)


def test_a_refusal_may_be_repeated_by_whoever_waits(store):
    upstream = Upstream()
    ncbi = protect("ncbi", store=store, failures=1, retry=None)
    with pytest.raises(TimeoutError):
        ncbi.call(upstream.ask)
    with pytest.raises(FaultError) as caught:
        ncbi.call(upstream.ask)
    assert (caught.value.fault.retry, caught.value.fault.retry_after_ms) == (Retry.SAME_CALL, 60_000)
