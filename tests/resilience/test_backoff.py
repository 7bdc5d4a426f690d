import functools

import pytest
from hypothesis import given, strategies as st
from support.instant_waits import Backend, Patience, faults
from support.required_libraries import need

from errata import (
    Code,
    FaultError,
    NeedsInput,
    Retry,
    circuit_open,
    not_found,
    rate_limited,
    service_unavailable,
    timeout,
)
from errata.resilience import backoff_for, retry
from errata.resilience._backoff import choose_delay_s, says_repeated, was_repeated

DOWN = service_unavailable("The catalogue is closed.")


@given(faults, st.sampled_from([True, False, None]))
def test_only_what_may_be_repeated_is(fault, idempotent):
    answer = backoff_for(FaultError.from_fault(fault), idempotent=idempotent)

    if answer is not False:
        assert fault.retry is Retry.SAME_CALL or (fault.retry is Retry.IF_HARMLESS and idempotent)
        assert fault.code is not Code.CIRCUIT_OPEN
        assert answer is True or answer == fault.retry_after_ms / 1000


@pytest.mark.parametrize(
    ("error", "idempotent", "answer"),
    [
        (DOWN, None, True),
        (ConnectionRefusedError(111, "Connection refused"), None, True),
        (rate_limited(retry_after_ms=1500), None, 1.5),
        (rate_limited(retry_after_ms=0), None, True),
        (timeout(), None, False),
        (timeout(), True, True),
        (timeout(data={"retryable": True}), True, True),
        (timeout(data={"retryable": False}), True, False),
        (not_found("No order 17."), True, False),
        (circuit_open(retry_after_ms=500), True, False),
        (NeedsInput("Which one?", fields=["id"]), True, False),
        (service_unavailable(data={"retryAttempts": 3}), True, False),
        (KeyError("id"), True, False),
    ],
    ids=repr,
)
def test_what_a_failure_says_about_repeating(error, idempotent, answer):
    assert backoff_for(error, idempotent=idempotent) is answer or backoff_for(error, idempotent=idempotent) == answer


def test_inside_an_attempt_of_ours_stamina_is_told_to_leave_it():
    answers = []
    retry(attempts=1).call(lambda: answers.append(backoff_for(DOWN)))

    assert (answers, backoff_for(DOWN)) == ([False], True)


def test_stamina_repeats_what_may_be_repeated():
    stamina = need("stamina")
    backend = Backend(DOWN, "found")
    with stamina.set_testing(True, attempts=5):
        assert stamina.retry(on=backoff_for)(backend.__call__)() == "found"
    assert backend.calls == 2


def test_stamina_gives_up_on_the_rest():
    stamina = need("stamina")
    backend = Backend(timeout("No answer."))
    with stamina.set_testing(True, attempts=5), pytest.raises(FaultError, match="No answer"):
        stamina.retry(on=backoff_for)(backend.__call__)()
    assert backend.calls == 1


def test_stamina_is_told_that_doing_it_twice_does_no_harm():
    stamina = need("stamina")
    backend = Backend(timeout("No answer."), "found")
    with stamina.set_testing(True, attempts=5):
        assert stamina.retry(on=functools.partial(backoff_for, idempotent=True))(backend.__call__)() == "found"


def test_tenacity_takes_it_too():
    tenacity = need("tenacity")
    backend = Backend(DOWN, not_found("No order 17."))
    repeated = tenacity.retry(retry=tenacity.retry_if_exception(backoff_for), reraise=True)(backend.__call__)
    with pytest.raises(FaultError, match="No order 17"):
        repeated()
    assert backend.calls == 2


@given(faults, st.integers(0, 10**9), st.floats(0, 1))
def test_a_delay_is_never_less_than_was_asked_for_nor_more_than_twenty_seconds(fault, repetition, chance):
    floor = (fault.retry_after_ms or 0) / 1000

    assert floor <= choose_delay_s(fault, repetition, lambda: chance) <= max(floor, 20)


def test_delays_double_from_fifty_milliseconds_and_from_a_second_for_rate_limits():
    longest = [
        [choose_delay_s(error.fault, number, lambda: 1.0) for number in range(11)] for error in (DOWN, rate_limited())
    ]

    assert longest[0] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20, 20]
    assert longest[1] == [1, 2, 4, 8, 16, 20, 20, 20, 20, 20, 20]


def cyclic():
    first, second = KeyError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    return first


def wrapped(error):
    wrapper = RuntimeError("The catalogue could not be read.")
    wrapper.__cause__ = error
    return wrapper


EXHAUSTED = service_unavailable("Down (failed after 3 attempts)", {"retryAttempts": 3})


@pytest.mark.parametrize(
    ("error", "repeated"),
    [
        (EXHAUSTED, True),
        (wrapped(EXHAUSTED), True),
        (service_unavailable("Down (failed after 3 attempts)"), True),
        (service_unavailable("Down (failed after 3 attempts) on Monday"), False),
        (service_unavailable("Down", {"retryAttempts": 1}), False),
        (service_unavailable("Down", {"retryAttempts": "three"}), False),
        (service_unavailable("(failed after 3 attempts" * 100_000), False),
        (DOWN, False),
        (wrapped(DOWN), False),
        (cyclic(), False),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_whether_somebody_has_repeated_it_already(error, repeated):
    fault = error.fault if isinstance(error, FaultError) else DOWN.fault

    assert was_repeated(error, fault) is repeated


def test_what_an_exhausted_retry_raises_says_that_it_was_repeated():
    with pytest.raises(FaultError) as caught:
        retry(**Patience().options()).call(Backend(DOWN))

    assert says_repeated(caught.value.fault)


def test_what_tenacity_gave_up_was_repeated_and_is_not_repeated_again():
    tenacity = need("tenacity")
    backend = Backend(DOWN)
    with pytest.raises(tenacity.RetryError):
        retry(**Patience().options()).call(tenacity.Retrying(stop=tenacity.stop_after_attempt(2)), backend)

    assert backend.calls == 2
