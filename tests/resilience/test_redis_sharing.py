import itertools
import json
import subprocess
import sys
import threading

import pytest
from hypothesis import given, strategies as st
from support.redis_replicas import SOON_TRIED, replicas_of
from support.redis_server import LONGEST_S, running_redis, until

from errata import Code
from errata.resilience import Breaker
from errata.resilience._circuit import Health, Limits, Permit, Refusal, State
from errata.resilience.stores._redis_connection import name_keys


@pytest.fixture(scope="module")
def server():
    with running_redis() as server:
        yield server


_NUMBER = itertools.count()


@pytest.fixture
def names():
    """Keys that no other test has."""
    return {"prefix": f"test-{next(_NUMBER)}"}


def test_failures_of_all_replicas_together_open_it_for_every_one(server, names):
    with replicas_of(server.url, **names) as (one, other):
        one.fail(2)
        other.fail(2)
        assert not one.refuses
        one.fail()
        other.catch_up()
        assert one.refuses
        assert other.refuses
        assert other.ask().code is Code.TIMEOUT


BUSY = Limits(failure_rate=0.5)


def test_failures_of_a_circuit_that_was_forgotten_and_made_anew_count_as_well(server, names):
    with replicas_of(server.url, **names) as (one, other):
        one.fail(2)
        one.circuit = None
        one.store._circuits.forget_unused()
        assert not one.store._circuits.all()
        one.circuit = one.store.circuit("ncbi", Limits())
        one.fail(3)
        other.catch_up()
        assert other.refuses


def test_failures_among_many_successes_of_all_replicas_open_it_for_nobody(server, names):
    with replicas_of(server.url, limits=BUSY, **names) as (failing, other):
        failing.fail()
        other.succeed(1000)
        other.catch_up()
        failing.fail(3)
        failing.succeed(10)
        for _ in range(10):
            failing.fail()
            other.succeed(20)
            other.catch_up()
        assert not failing.refuses
        assert not other.refuses


def test_an_outage_after_a_long_good_time_opens_it_for_all(server, names):
    with replicas_of(server.url, limits=BUSY, **names) as (one, other):
        for replica in (one, other):
            replica.succeed(1000)
            replica.catch_up()
        one.fail(3)
        other.fail(2)
        one.catch_up()
        assert one.refuses
        assert other.refuses


def test_what_happened_elsewhere_is_heard_by_a_replica_that_only_calls(server, names):
    with replicas_of(server.url, refresh_s=0.001, **names) as (one, other):
        one.fail(5)
        until(lambda: other.refuses, what="the other replica refuses")


def test_a_replica_that_comes_later_hears_that_it_is_open(server, names):
    with replicas_of(server.url, 1, **names) as (one,):
        one.fail(5)
        with replicas_of(server.url, 1, **names) as (late,):
            assert late.refuses
            assert abs(late.ask().since - one.ask().since) < 60  # Both tell the time by their own clocks.


def test_one_replica_tries_and_the_other_is_refused(server, names):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as (one, other):
        one.fail(5)
        other.catch_up()
        assert one.probe().is_probe
        assert other.refuses
        assert one.refuses
        assert other.state == "half_open"


def test_two_successes_close_it_for_all_whoever_had_them(server, names):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as (one, other):
        one.fail(5)
        other.catch_up()
        one.settle(one.probe(), Health.WELL)
        other.catch_up()
        other.settle(other.probe(), Health.WELL)
        one.catch_up()
        assert (one.state, other.state) == ("closed", "closed")
        assert one.ask() == one.ask()
        assert not one.ask().is_probe


def test_a_probe_that_fails_opens_it_for_all_again(server, names):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as (one, other):
        one.fail(5)
        since = server.client().hget(_circuit_key(names), "since")
        one.settle(one.probe(), Health.ILL)
        other.catch_up()
        assert server.client().hget(_circuit_key(names), "state") == "open"
        assert server.client().hget(_circuit_key(names), "since") == since
        assert other.probe().is_probe


def test_a_probe_without_a_verdict_is_free_for_another_replica(server, names):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as (one, other):
        one.fail(5)
        other.catch_up()
        probe = one.probe()
        assert other.refuses
        one.settle(probe, Health.NONE)
        other.catch_up()
        assert other.probe().is_probe


def test_a_probe_whose_caller_stopped_waiting_is_free_again(server, names):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as (one, other):
        one.fail(5)
        other.catch_up()
        asked = until(lambda: not isinstance(found := one.circuit.admit(), Refusal) and found, what="it is time to ask")
        asked.cancel()  # It may be too late for that: then there is a permit to give back.
        if not asked.cancelled():
            one.circuit.settle(asked.result(LONGEST_S), Health.NONE)
        one.catch_up()
        one.catch_up()
        other.catch_up()
        assert other.probe().is_probe


def test_a_probe_that_is_lost_is_given_to_another_when_its_lease_ends(server, names):
    with replicas_of(server.url, limits=Limits(open_s=0.001, probe_s=0.001), **names) as (one, other):
        one.fail(5)
        lost = one.probe()
        other.catch_up()
        probe = other.probe()
        one.settle(lost, Health.ILL)
        assert server.client().hget(_circuit_key(names), "state") == "half_open"
        other.settle(probe, Health.WELL)
        assert server.client().hget(_circuit_key(names), "wins") == "1"


def test_a_late_answer_from_any_replica_decides_nothing(server, names):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as (one, other):
        before = [other.ask() for _ in range(5)]
        one.fail(5)
        for _ in range(2):
            one.settle(one.probe(), Health.WELL)
        for permit in before[:2]:
            other.circuit.settle(permit, Health.ILL)  # The other one has not heard of it yet.
        other.catch_up()
        for permit in before[2:]:
            other.settle(permit, Health.ILL)
        assert (one.state, other.state) == ("closed", "closed")
        assert not server.client().exists(name_keys(names["prefix"], "ncbi")[1])


def test_a_memory_that_redis_lost_is_restored_by_a_replica(server, names):
    with replicas_of(server.url, **names) as (one, other):
        one.fail(5)
        server.client().delete(*name_keys(names["prefix"], "ncbi"))
        one.catch_up()
        other.catch_up()
        assert one.refuses
        assert other.refuses


def test_a_script_that_redis_forgot_is_told_it_again(server, names):
    with replicas_of(server.url, **names) as (one, other):
        server.client().script_flush()
        one.fail(5)
        other.catch_up()
        assert other.refuses


@pytest.mark.parametrize("number", [50, 500])
def test_however_many_call_at_once_one_tries(server, names, number):
    with replicas_of(server.url, limits=SOON_TRIED, **names) as replicas:
        replicas[0].fail(5)
        replicas[1].catch_up()
        until(lambda: replicas[1].circuit.facts().state is State.HALF_OPEN, what="it is time to try")
        admissions = _all_at_once([replica.ask for replica in replicas] * (number // 2))
        assert sum(isinstance(admission, Permit) for admission in admissions) == 1


_CALLERS = """
import json, sys, threading
from support.redis_replicas import SOON_TRIED, Replica
replica = Replica(sys.argv[1], SOON_TRIED, prefix=sys.argv[2]).catch_up()
print(replica.state, flush=True)
sys.stdin.readline()
barrier, given = threading.Barrier(25), []
def call():
    barrier.wait(60)
    given.append(type(replica.ask()).__name__)
threads = [threading.Thread(target=call) for _ in range(25)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(given), flush=True)
sys.stdin.readline()  # A probe that is given back would be another one's.
"""


def test_two_processes_with_25_callers_each_send_one_probe_in_all(server, names):
    with replicas_of(server.url, 1, SOON_TRIED, **names) as (one,):
        one.fail(5)
        command = [sys.executable, "-c", _CALLERS, server.url, names["prefix"]]
        environment = {"PYTHONPATH": ":".join(sys.path)}
        callers = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
            for _ in range(2)
        ]
        try:
            assert [caller.stdout.readline() for caller in callers] == ["half_open\n"] * 2
            for caller in callers:
                caller.stdin.write("go\n")
                caller.stdin.flush()
            given = [name for caller in callers for name in json.loads(caller.stdout.readline())]
        finally:
            for caller in callers:
                caller.communicate(timeout=LONGEST_S)
        assert sorted(given) == ["Permit"] + ["Refusal"] * 49


@given(
    steps=st.lists(
        st.tuples(st.integers(0, 1), st.sampled_from(["call", "catch_up", "well", "ill", "none", "forget"])),
        max_size=30,
    )
)
def test_whatever_happens_every_key_expires_and_there_is_one_probe_at_most(server, steps):
    names = {"prefix": f"law-{next(_NUMBER)}"}
    verdicts = {"well": Health.WELL, "ill": Health.ILL, "none": Health.NONE}
    limits = Limits(failures=2, open_s=0.001, probe_s=3600.0)
    redis = server.client()
    with replicas_of(server.url, limits=limits, **names) as replicas:
        held = [[], []]
        for which, step in steps:
            replica = replicas[which]
            if step == "call" and isinstance(admission := replica.ask(), Permit):
                held[which].append(admission)
            elif step in verdicts and held[which]:
                replica.settle(held[which].pop(), verdicts[step])
            elif step == "catch_up":
                replica.catch_up()
            elif step == "forget":
                redis.script_flush()
            kept = list(redis.scan_iter(f"{names['prefix']}:*"))
            assert all(0 < redis.pttl(key) <= 120_000 + 3_600_000 + 60_001 for key in kept)
            waiting = {
                (which, probe.generation)
                for which in range(2)
                for probe in held[which]
                if probe.is_probe and replicas[which].circuit._local.find_shared_generation(probe) is not None
            }
            for each in replicas:
                each.catch_up()
            assert len(waiting) <= 1


@pytest.mark.parametrize("upstream", ["\ud800", "a{b}c", "}{", "\0\r\n", "x" * 10_000, "é"])
def test_any_name_of_an_upstream_is_shared(server, names, upstream):
    with replicas_of(server.url, **names) as (one, other):
        for replica in (one, other):
            replica.circuit = replica.store.circuit(upstream, Limits())
        one.fail(5)
        other.catch_up()
        assert other.refuses


def test_a_breaker_of_one_replica_refuses_what_failed_in_another(server, names):
    def down():
        raise TimeoutError("no answer")

    with replicas_of(server.url, **names) as (one, other):
        there, here = (Breaker("orders", store=replica.store, fallback_tool="cached") for replica in (one, other))
        for _ in range(5):
            with pytest.raises(TimeoutError):
                there.call(down)
        one.catch_up()
        other.catch_up()
        with pytest.raises(Exception, match=r"since .* last with TIMEOUT\. Use `cached` instead"):
            here.call(down)
        assert here.status().state == "open"


def _circuit_key(names):
    return name_keys(names["prefix"], "ncbi")[0]


def _all_at_once(calls):
    barrier, given = threading.Barrier(len(calls)), []

    def run(call):
        barrier.wait(LONGEST_S)
        given.append(call())

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return given
