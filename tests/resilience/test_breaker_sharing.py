"""Who shares a circuit with whom, what limits are, and what happens to circuits from outside."""

import gc
import os
import subprocess
import sys

import pytest
from support.breaker_steps import break_it, refused

from errata.resilience import Breaker, MemoryStore, State


def test_breakers_of_one_name_and_store_are_one_circuit(store):
    first, second = Breaker("ncbi", store=store), Breaker("ncbi", store=store)
    other = Breaker("crossref", store=store)
    break_it(first)
    refused(second)
    assert other.call(int) == 0


def test_without_a_store_those_of_this_process_are_one_circuit():
    try:
        break_it(Breaker("test of this process"))
        refused(Breaker("test of this process"))
    finally:
        Breaker.reset_all()
    assert Breaker("test of this process").status().calls == 0


def test_other_limits_for_the_same_upstream_are_refused(breaker, store):
    with pytest.raises(ValueError, match="`ncbi` has a circuit already, with `failures` 5; here it is 3"):
        Breaker("ncbi", store=store, failures=3)
    assert Breaker("ncbi", store=MemoryStore(), failures=3).status() is not None
    assert breaker.status().state is State.CLOSED


def test_a_circuit_that_nobody_uses_makes_way_for_one_with_other_limits(store):
    break_it(Breaker("ncbi", store=store))
    gc.collect()  # What was raised has its traceback, and that has the breaker.
    another = Breaker("ncbi", store=store, failures=1)
    assert another.status().state is State.CLOSED
    break_it(another, 1)
    refused(another)


def test_a_store_that_is_reset_forgets_what_nobody_uses_and_closes_what_is_in_use(store, breaker):
    break_it(breaker)
    break_it(Breaker("crossref", store=store))
    gc.collect()
    store.reset()
    assert breaker.call(int) == 0
    assert [circuit.upstream for circuit in store._circuits.all()] == ["ncbi"]


NONSENSE = {
    "failures": [0, 2.5, "5", True, None],
    "successes": [0, 1.5, True],
    "window_s": [float("nan"), 0, "120", True],
    "open_s": [-1, None],
    "probe_s": [float("inf")],
    "failure_rate": [-0.1, 1.1, float("nan"), "0.5", True],
}


@pytest.mark.parametrize("limits", [{name: given} for name, each in NONSENSE.items() for given in each], ids=repr)
def test_limits_that_limit_nothing_are_refused(limits):
    with pytest.raises(ValueError, match=f"`{next(iter(limits))}` is .*Give a (whole )?(number|share)"):
        Breaker("ncbi", store=MemoryStore(), **limits)


@pytest.mark.parametrize("upstream", ["", " ", None, len])
def test_a_breaker_has_a_name(upstream):
    with pytest.raises(ValueError, match='Name what is called, such as "ncbi"'):
        Breaker(upstream)


def test_a_store_forgets_the_circuits_that_nobody_uses_and_keeps_those_in_use(store, breaker):
    break_it(breaker)
    for number in range(3000):
        Breaker(f"tenant-{number}", store=store)
    gc.collect()
    refused(Breaker("ncbi", store=store))
    assert len(store._circuits.all()) <= 1025


FORKING = """
import os, threading
from errata.resilience import Breaker
breaker = Breaker("ncbi", failures=1)
circuit, held, done = breaker._circuit, threading.Event(), threading.Event()
def hold():
    with circuit._lock:
        held.set()
        done.wait()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if not child:
    breaker.settle(breaker.permit(), TimeoutError())
    os._exit(0 if breaker.status().state == "open" else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
done.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_that_was_forked_while_a_lock_was_held_goes_on():
    command = [sys.executable, "-W", "ignore", "-c", FORKING]
    assert subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout == "0\n"
