"""A breaker around functions and blocks: what counts, what does not, and what is refused."""

import asyncio
import functools

import pytest
from support.breaker_steps import break_it, fail, half_open, refused, refused_elsewhere

from errata import Code, Fault, FaultError, NeedsInput, Retry, circuit_open, not_found, rate_limited, timeout
from errata.resilience import Breaker, State


def test_what_succeeds_is_given_back_and_what_fails_is_raised_as_it_is(breaker):
    error = TimeoutError("read")
    assert breaker.call(divmod, 17, 5) == (3, 2)
    with pytest.raises(TimeoutError) as caught:
        breaker.call(fail, error)
    assert caught.value is error


def test_five_failures_within_two_minutes_open_it_for_a_minute(breaker, time):
    for _ in range(5):
        time.advance(20)
        break_it(breaker, 1)
    assert refused(breaker).retry_after_ms == 60_000
    time.advance(59.75)
    assert refused(breaker).retry_after_ms == 250
    time.advance(0.25)
    assert breaker.call(int) == 0


def test_failures_that_are_far_between_never_open_it(breaker, time):
    for _ in range(50):
        break_it(breaker, 1)
        time.advance(30)
    assert breaker.status().state is State.CLOSED


def test_two_successes_close_it_and_the_failures_of_before_are_forgotten(breaker, time):
    half_open(breaker, time)
    assert breaker.call(int) == 0
    assert breaker.status().state is State.HALF_OPEN
    assert breaker.call(int) == 0
    break_it(breaker, 4)
    assert breaker.status().state is State.CLOSED


def test_a_failing_probe_opens_it_again_at_once_and_since_is_when_it_all_began(breaker, time):
    half_open(breaker, time)
    began = breaker.status().since
    break_it(breaker, 1)
    assert refused(breaker).data["since"] == began


NO_VERDICTS = [
    not_found("No article."),
    rate_limited("Slow down."),
    circuit_open("Another one."),
    ValueError("pmid"),
    NeedsInput("Which one?", fields=["pmid"]),
    KeyboardInterrupt(),
    SystemExit(),
    GeneratorExit(),
    asyncio.CancelledError(),
    BaseExceptionGroup("several", [asyncio.CancelledError()]),
]


@pytest.mark.parametrize("error", NO_VERDICTS, ids=lambda error: f"{type(error).__name__}: {error}")
def test_what_says_nothing_about_the_upstream_is_not_counted_and_frees_the_probe(breaker, time, error):
    for _ in range(10):
        with pytest.raises(type(error)):
            breaker.call(fail, error)
    assert breaker.status().state is State.CLOSED
    half_open(breaker, time)
    with pytest.raises(type(error)):
        breaker.call(fail, error)
    assert breaker.call(int) == 0


@pytest.mark.parametrize(
    "error",
    [TimeoutError(), ConnectionResetError(), timeout("x"), OSError("socket"), ExceptionGroup("", [TimeoutError()])],
)
def test_what_speaks_against_the_upstream_is_counted(breaker, error):
    for _ in range(5):
        with pytest.raises(type(error)):
            breaker.call(fail, error)
    refused(breaker)


def test_an_error_that_cannot_be_read_is_counted_and_raised_all_the_same(breaker):
    class Hostile(Exception):  # noqa: N818 - its name is what it is.
        def __str__(self):
            raise RuntimeError

        def __getattribute__(self, name):
            raise RuntimeError

    for _ in range(5):
        with pytest.raises(Hostile):
            breaker.call(fail, Hostile())
    refused(breaker)


def test_an_interrupt_while_a_failure_is_looked_at_still_frees_the_probe(breaker, time):
    class Interrupting(Exception):  # noqa: N818 - as above.
        def __str__(self):
            raise KeyboardInterrupt

    half_open(breaker, time)
    with pytest.raises((Interrupting, KeyboardInterrupt)):
        breaker.call(fail, Interrupting())
    assert breaker.status().state in {State.HALF_OPEN, State.OPEN}
    time.advance(60)
    assert breaker.call(int) == 0


def test_a_success_from_before_it_opened_closes_nothing(breaker, time):
    early = breaker.permit()
    half_open(breaker, time)
    probe = breaker.permit()
    for _ in range(5):
        breaker.settle(early)
    assert breaker.status().state is State.HALF_OPEN
    refused(breaker)
    breaker.settle(probe)


def test_a_failure_from_before_it_closed_opens_nothing(breaker, time):
    early = [breaker.permit() for _ in range(9)]
    half_open(breaker, time)
    breaker.call(int)
    breaker.call(int)
    for permit in early:
        breaker.settle(permit, Fault(code=Code.TIMEOUT))
    assert breaker.status().state is State.CLOSED
    assert breaker.status().failures == 0


def test_a_probe_whose_caller_is_lost_is_replaced_when_its_lease_ends(breaker, time):
    half_open(breaker, time)
    lost = breaker.permit()
    assert refused(breaker).retry_after_ms == 1000
    time.advance(30)
    assert breaker.call(int) == 0
    breaker.settle(lost, TimeoutError())
    assert breaker.call(int) == 0
    assert breaker.status().state is State.CLOSED


def test_blocks_are_watched_like_calls(breaker, time):
    for _ in range(5):
        with pytest.raises(TimeoutError), breaker:
            raise TimeoutError
    with pytest.raises(FaultError), breaker:
        pytest.fail("it was entered")
    time.advance(60)
    with breaker:
        refused_elsewhere(breaker)
    with breaker:
        pass
    assert breaker.status().state is State.CLOSED


def test_blocks_inside_of_blocks_and_inside_of_generators_settle_their_own(store, time):
    outer, inner = Breaker("outer", store=store), Breaker("inner", store=store)
    half_open(outer, time)

    def generator():
        with outer:
            yield

    probing = generator()
    next(probing)
    with inner:
        refused_elsewhere(outer)
        probing.close()
        assert outer.call(int) == 0
    assert inner.status().calls == 1


def test_a_generator_is_refused_when_it_is_decorated(breaker):
    def numbers():
        yield 1

    async def later():
        yield 1

    for function in [numbers, later, functools.partial(numbers)]:
        with pytest.raises(TypeError, match=r"is a generator.*`ncbi`"):
            breaker(function)


def test_methods_of_every_kind_may_be_decorated_and_a_class_may_not(breaker):
    class Client:
        @breaker
        def get(self, number):
            return type(self).__name__, number

        @breaker
        @staticmethod
        def plain(number):
            return number

        @breaker
        @classmethod
        def make(cls, number):
            return cls.__name__, number

    assert (Client().get(1), Client().plain(2), Client.make(3)) == (("Client", 1), 2, ("Client", 3))
    assert breaker.status().calls == 3
    with pytest.raises(TypeError, match=r"`.*Client` is a class"):
        breaker(Client)


def test_a_decorated_function_keeps_its_name_and_its_kind(breaker):
    @breaker
    def fetch(pmid: str, *, full: bool = False) -> str:
        """Fetch it."""
        return f"{pmid} {full}"

    @breaker
    async def later():
        return 1

    assert (fetch.__name__, fetch.__doc__, fetch("9", full=True)) == ("fetch", "Fetch it.", "9 True")
    assert asyncio.iscoroutinefunction(later)


def test_a_refusal_is_told_so_that_an_agent_knows_what_to_do(breaker, time):
    break_it(breaker)
    fault = refused(breaker)
    assert fault.message == (
        "Calls to `ncbi` are paused since 2026-11-06T09:06:40.000Z, because it kept failing, last with TIMEOUT. "
        "Use `search_cache` instead, or repeat the call in 60 s."
    )
    assert fault.data == {"upstream": "ncbi", "since": "2026-11-06T09:06:40.000Z"}
    assert (fault.retry, fault.recovery.fallback_tool) == (Retry.SAME_CALL, "search_cache")
    time.advance(58.5)
    assert refused(breaker).message.endswith("repeat the call in 2 s.")


def test_a_permit_that_is_released_says_nothing_and_lets_the_next_one_try(breaker, time):
    half_open(breaker, time)
    breaker.release(breaker.permit())
    assert breaker.status().calls == 5
    assert breaker.call(int) == 0
