"""How tests break an upstream, and see that it is left alone."""

import contextvars

import pytest

from errata import Code, FaultError


def fail(error):
    raise error


def break_it(breaker, times=5):
    for _ in range(times):
        with pytest.raises(TimeoutError):
            breaker.call(fail, TimeoutError("read"))


def half_open(breaker, time):
    break_it(breaker)
    time.advance(60)


def refused(breaker):
    with pytest.raises(FaultError) as caught:
        breaker.call(lambda: pytest.fail("it was called"))
    assert caught.value.code is Code.CIRCUIT_OPEN
    return caught.value.fault


def refused_elsewhere(breaker):
    """See that somebody else is refused, who is no part of what is called here."""
    return contextvars.Context().run(refused, breaker)
