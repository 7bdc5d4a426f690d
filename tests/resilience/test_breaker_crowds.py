"""Many callers at once, when an upstream may be tried again: exactly one reaches it."""

import threading

import anyio
import pytest
from support.breaker_steps import break_it, half_open

from errata import FaultError
from errata.resilience import Breaker, State

LONGEST_S = 60  # Only against a test that hangs.
CROWDS = [50, 500]


class Backend:
    """Answers the one call that reaches it once all others were refused; a second call would be one too many."""

    def __init__(self, others):
        self.others = others
        self.calls = 0
        self.refused = 0
        self.all_refused = anyio.Event()

    async def ask(self):
        self.calls += 1
        await self.all_refused.wait()

    async def ask_through(self, breaker):
        try:
            await breaker.call(self.ask)
        except FaultError:
            self.refused += 1
            if self.refused == self.others:
                self.all_refused.set()


@pytest.mark.anyio
@pytest.mark.parametrize("crowd", CROWDS)
async def test_of_many_tasks_exactly_one_reaches_the_backend(breaker, time, crowd):
    half_open(breaker, time)
    for successes in range(2):
        backend = Backend(crowd - 1)
        with anyio.fail_after(LONGEST_S):
            async with anyio.create_task_group() as tasks:
                for _ in range(crowd):
                    tasks.start_soon(backend.ask_through, breaker)
        assert (backend.calls, backend.refused) == (1, crowd - 1)
        assert breaker.status().state is (State.CLOSED if successes else State.HALF_OPEN)


@pytest.mark.parametrize("crowd", CROWDS)
def test_of_many_threads_exactly_one_reaches_the_backend(breaker, time, crowd):
    half_open(breaker, time)
    together, refusals, calls = threading.Barrier(crowd), threading.Semaphore(0), []

    def ask():
        calls.append(threading.get_ident())
        for _ in range(crowd - 1):
            assert refusals.acquire(timeout=LONGEST_S)

    def caller():
        together.wait(LONGEST_S)
        try:
            breaker.call(ask)
        except FaultError:
            refusals.release()

    threads = [threading.Thread(target=caller, daemon=True) for _ in range(crowd)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_S)
    assert len(calls) == 1
    assert breaker.status().state is State.HALF_OPEN


def test_many_threads_that_fail_at_once_open_it_once(store):
    told, together = [], threading.Barrier(20)
    breaker = Breaker("ncbi", store=store, on_change=told.append)

    def caller():
        permit = breaker.permit()
        together.wait(LONGEST_S)
        breaker.settle(permit, TimeoutError())

    threads = [threading.Thread(target=caller, daemon=True) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_S)
    assert [change.after for change in told] == [State.OPEN]
    assert breaker.status().failures == 5


def test_a_listener_may_use_the_breaker_it_hears_from(store):
    states = []
    breaker = Breaker("ncbi", store=store, on_change=lambda _: states.append(breaker.status().state))
    break_it(breaker)
    assert states == [State.OPEN]
