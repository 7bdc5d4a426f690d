"""For tests of retries: waits that take no time, and a backend that answers as it was told to."""

from hypothesis import strategies as st

from errata import Code, Fault, Recovery, Retry
from errata.resilience import retry
from support.manual_clock import Clock

# All that retries look at, and nothing else: any Fault at all takes far longer to think up.
faults = st.builds(
    Fault,
    code=st.sampled_from(Code),
    message=st.sampled_from(["", "No.", "No. (failed after 3 attempts)"]),
    retry=st.none() | st.sampled_from(Retry),
    retry_declared=st.booleans(),
    retry_after_ms=st.none() | st.integers(0, 60_000),
    recovery=st.none() | st.builds(Recovery, verify_tool=st.none() | st.just("list_payments")),
    http_status=st.none() | st.sampled_from([429, 500, 502, 503]),
    data=st.sampled_from([{}, {"retryable": True}, {"retryable": False}, {"retryAttempts": 3}, {"retryAfter": 7}]),
    correlation_id=st.none() | st.just("c-17"),
)


class Patience:
    """Time in which nothing happens but what is waited for."""

    def __init__(self, random=0.5, oversleeps=0.0):
        self.clock = Clock()
        self.waits = []
        self.told = []
        self._random = random
        self._oversleeps = oversleeps

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.clock.advance(seconds + self._oversleeps)

    async def sleep_async(self, seconds):
        self.sleep(seconds)

    def options(self, **more):
        return {
            "clock": self.clock,
            "sleep": self.sleep,
            "random": lambda: self._random,
            "on_retry": self.told.append,
            **more,
        }


NO_WAIT = retry(**Patience().options(sleep=Patience().sleep_async))
"""A policy for tasks, on a clock that stands still."""


class Backend:
    """Answers with each outcome in turn: raises what is an exception and returns the rest; the last one is for good."""

    def __init__(self, *outcomes, clock=None, takes=0.0):
        self.calls = 0
        self._outcomes = outcomes
        self._clock = clock
        self._takes = takes

    def __call__(self, *_args, **_kwargs):
        outcome = self._outcomes[min(self.calls, len(self._outcomes) - 1)]
        self.calls += 1
        if self._clock:
            self._clock.advance(self._takes)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def asked(self, *args, **kwargs):
        return self(*args, **kwargs)
