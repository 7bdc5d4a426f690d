"""A store from its first call to its last, and what is left of it."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.manual_clock import Time
from support.redis_impostors import nobody_there
from support.redis_replicas import SOON_TRIED, Replica, protects_itself, replicas_of
from support.redis_server import LONGEST_S, running_redis, until

from errata import Code
from errata.resilience import Budget, RedisStore
from errata.resilience._circuit import Health, Limits, Permit

PAGE = Path(__file__).parents[2] / "docs" / "breakers-redis.md"


def test_nothing_grows_while_redis_is_away():
    with nobody_there() as port, RedisStore(f"redis://127.0.0.1:{port}", refresh_s=0.001) as store:
        circuit = store.circuit("ncbi", Limits(failures=7, window_s=0.0001))
        for _ in range(5_000):
            permit = circuit.admit()
            if isinstance(permit, Permit):
                circuit.settle(permit, Health.ILL, Code.TIMEOUT)
        assert len(circuit._outbox._failures) <= 7
        assert len(store._worker._soon | store._worker._urgent) <= 1
        for number in range(1_100):
            store.circuit(f"upstream {number}", Limits()).admit()
        until(lambda: len(store._circuits._in_use) <= 1_025, what="circuits that nobody uses are forgotten")


def test_failures_that_could_not_be_told_are_told_when_redis_is_back():
    with running_redis() as server, replicas_of(server.url, refresh_s=0.001) as (one, other):
        server.kill()
        for _ in range(3):
            one.circuit.settle(one.circuit.admit(), Health.ILL, Code.TIMEOUT)
        server.start()
        one.catch_up()
        other.catch_up()
        assert not other.refuses
        other.fail(2)
        assert other.refuses


_LEAVES = """
import os, signal, sys
from support.redis_replicas import Replica
from errata.resilience._circuit import Limits, Health
replica = Replica(sys.argv[1], Limits()).catch_up()
os.kill(int(sys.argv[2]), signal.SIGSTOP)
replica.circuit.settle(replica.circuit.admit(), Health.ILL)
print("leaves")
"""

_FORKS = """
import os, sys
from support.redis_replicas import Replica
from errata.resilience._circuit import Limits
replica = Replica(sys.argv[1], Limits()).catch_up()
replica.fail(2)
child = os.fork()
if child == 0:
    replica.fail(3)
    os._exit(7 if replica.refuses else 8)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
replica.catch_up()
assert replica.refuses
print("forked")
"""


def _run(script, *arguments):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, *map(str, arguments)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST_S, env=environment)
    return done.stdout.strip()


def test_a_program_ends_although_redis_hangs():
    with running_redis() as server:
        assert _run(_LEAVES, server.url, server.pid) == "leaves"


def test_a_forked_child_talks_for_itself():
    with running_redis() as server:
        assert _run(_FORKS, server.url) == "forked"


def test_a_store_that_is_closed_leaves_circuits_to_themselves():
    time = Time()
    with running_redis() as server:
        replica = Replica(server.url, Limits(), clock=time.clock, wall_clock=time.wall_clock).catch_up()
        thread = replica.store._worker._thread
        replica.store.close()
        thread.join(LONGEST_S)
        assert not thread.is_alive()
        watching = server.client()
        until(lambda: len(watching.client_list()) == 1, what="its connection is closed")
        protects_itself(replica.circuit, time)
        assert replica.store.flush(LONGEST_S) is False
        replica.store.close()


def test_a_thread_that_nobody_needs_ends_and_another_one_starts(monkeypatch):
    with running_redis() as server, replicas_of(server.url, 1) as (one,):
        monkeypatch.setattr("errata.resilience.stores._redis_worker._IDLE_S", 0.001)
        one.store.flush(LONGEST_S)
        until(lambda: one.store._worker._thread is None, what="the thread ended")
        monkeypatch.undo()
        one.fail(5)
        assert one.refuses


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_a_user_with_the_rights_that_the_page_tells_is_enough(rate):
    told = re.search(r"ACL SETUSER errata (on .*)", PAGE.read_text())
    with running_redis() as server:
        server.client().execute_command("ACL", "SETUSER", "errata", *told[1].split())
        limits = replace(SOON_TRIED, failure_rate=rate)
        with replicas_of(server.url.replace("unix://", "unix://errata:secret@"), limits=limits) as (one, other):
            one.fail(5)
            other.catch_up()
            one.settle(one.probe(), Health.WELL)
            one.settle(one.probe(), Health.WELL)
            other.catch_up()
            assert not other.refuses
            assert Budget.of("ncbi", store=one.store).reserve().is_granted()
            assert one.store.flush(LONGEST_S)
