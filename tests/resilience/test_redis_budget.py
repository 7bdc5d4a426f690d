"""Replicas that repeat calls at the expense of one budget, over a real Redis and without one."""

import asyncio
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager

import pytest
import trio
from support.redis_impostors import a_stranger, nobody_there
from support.redis_replicas import PATIENT
from support.redis_server import LONGEST_S, running_cluster, running_redis, until

from errata import FaultError, service_unavailable
from errata.resilience import Budget, MemoryStore, RedisStore, protect, retry

REPETITIONS = 35
"""So many fit into a budget of 500 tokens, at 14 each."""


class DownUpstream:
    """An upstream that is down, and how often it was called."""

    def __init__(self):
        self.calls = 0
        self._lock = threading.Lock()

    def ask(self):
        with self._lock:
            self.calls += 1
        raise service_unavailable("The catalogue is closed.")

    async def ask_later(self):
        self.ask()


@pytest.fixture(scope="module")
def server():
    with running_redis() as server:
        yield server


@pytest.fixture
def redis(server):
    server.client().flushall()
    return server.client()


@contextmanager
def stores_of(url, number=1, **settings):
    with ExitStack() as stack:
        yield [stack.enter_context(RedisStore(url, **(PATIENT | settings))) for _ in range(number)]


def without_waiting(store, **options):
    return retry(upstream="ncbi", store=store, sleep=lambda _: None, **options)


def call_often(policy, upstream, times=20):
    """Call an upstream that is down so often, and return how often it was called again."""
    before = upstream.calls
    for _ in range(times):
        with pytest.raises(FaultError):
            policy.call(upstream.ask)
    return upstream.calls - before - times


@pytest.mark.usefixtures("redis")
def test_all_replicas_and_threads_together_repeat_what_one_budget_pays_for(server):
    upstream = DownUpstream()
    with stores_of(server.url, 3) as stores:
        threads = [threading.Thread(target=call_often, args=(without_waiting(store), upstream)) for store in stores * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert upstream.calls - 20 * len(threads) == REPETITIONS


@pytest.mark.parametrize("run", [asyncio.run, trio.run])
@pytest.mark.usefixtures("redis")
def test_all_replicas_and_tasks_together_repeat_what_one_budget_pays_for(server, run):
    upstream = DownUpstream()

    async def call(policy):
        with pytest.raises(FaultError):
            await policy.call(upstream.ask_later)

    async def sleep(_):
        """Wait for nothing."""

    async def main():
        policies = [retry(upstream="ncbi", store=store, sleep=sleep) for store in stores]
        for policy in policies * 20:
            await call(policy)

    with stores_of(server.url, 3) as stores:
        run(main) if run is trio.run else run(main())
    assert upstream.calls - 60 == REPETITIONS


def test_an_event_loop_goes_on_while_a_task_waits_for_redis(server, redis):
    upstream = DownUpstream()

    async def main(policy):
        call = asyncio.create_task(policy.call(upstream.ask_later))
        for _ in range(100):
            await asyncio.sleep(0)
        assert upstream.calls == 1
        server.go_on()
        with pytest.raises(FaultError, match="failed after 2 attempts"):
            await call

    with stores_of(server.url) as (store,):
        policy = retry(upstream="ncbi", store=store, attempts=2, random=float)
        assert store.flush(LONGEST_S)
        server.hang()
        asyncio.run(main(policy))
        assert not store.budget("ncbi").alone
    assert redis.hget("errata:1:{ncbi}:budget", "tokens") == "486"


def test_what_successes_give_back_is_told(server, redis):
    answers = iter([service_unavailable("Not yet."), "first", "second", "third"])

    def ask():
        if isinstance(answer := next(answers), Exception):
            raise answer
        return answer

    with stores_of(server.url, 2) as (one, other):
        policy = without_waiting(one)
        assert call_often(without_waiting(other), DownUpstream(), 10) == 20
        assert one.flush(LONGEST_S)
        assert [policy.call(ask) for _ in range(3)] == ["first", "second", "third"]
        assert one.flush(LONGEST_S)
    assert redis.hget("errata:1:{ncbi}:budget", "tokens") == str(500 - 20 * 14 + 2)


@contextmanager
def a_hung_redis():
    with running_redis() as server:
        server.hang()
        yield server.url


@contextmanager
def a_redis_that_is_not_there():
    with nobody_there() as port:
        yield f"redis://127.0.0.1:{port}"


@contextmanager
def a_redis_that_grants_everything():
    with a_stranger(b"*3\r\n:1793956000000\r\n:500\r\n:1\r\n") as port:
        yield f"redis://127.0.0.1:{port}"


@contextmanager
def a_web_server():
    with a_stranger(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        yield f"redis://127.0.0.1:{port}"


@contextmanager
def a_redis_whose_key_is_somebody_elses():
    with running_redis() as server:
        server.client().set("errata:1:{ncbi}:budget", "mine")
        yield server.url


@pytest.mark.parametrize(
    "trouble",
    [
        a_hung_redis,
        a_redis_that_is_not_there,
        a_redis_that_grants_everything,
        a_web_server,
        a_redis_whose_key_is_somebody_elses,
    ],
)
def test_a_replica_without_a_redis_repeats_at_the_expense_of_its_own_budget(trouble):
    upstream = DownUpstream()
    with trouble() as url, stores_of(url, patience_s=0.01, timeout_s=0.1) as (store,):
        assert call_often(without_waiting(store), upstream) == REPETITIONS
        assert Budget.of("ncbi", store=store).tokens == 10


def test_a_replica_that_was_alone_joins_the_others_when_redis_is_back():
    upstream = DownUpstream()
    with running_redis() as server, stores_of(server.url, 2, refresh_s=0.001) as (one, other):
        assert call_often(without_waiting(one), upstream, 3) == 6
        server.kill()
        assert call_often(without_waiting(one), upstream, 3) == 6
        server.start()
        until(lambda: one.flush(LONGEST_S), what="Redis answers")
        assert call_often(without_waiting(other), upstream) == REPETITIONS - 12


_FORKS = """
import os, sys
from support.redis_replicas import PATIENT
from errata.resilience import RedisStore
from support.redis_server import LONGEST_S
store = RedisStore(sys.argv[1], refresh_s=3600.0, **PATIENT)
budget = store.budget("ncbi")
def spend(times):
    return sum(reservation.is_granted() for _ in range(times) if (reservation := budget.reserve()))
assert spend(10) == 10
budget.give_back(3)  # To be told later.
child = os.fork()
if child == 0:
    os._exit(spend(5))
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 5, status
assert spend(5) == 5
assert store.flush(LONGEST_S)
print(budget)
"""


@pytest.mark.usefixtures("redis")
def test_a_forked_child_spends_for_itself_and_nothing_twice(server):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", _FORKS, server.url]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST_S, env=environment)
    assert done.stdout.strip() == "<Budget: 223 of 500 tokens>"


def test_replicas_share_a_budget_through_a_cluster():
    with running_cluster() as cluster, stores_of(cluster, 2) as (one, other):
        for store in (one, other):
            reservation = Budget.of("ncbi", store=store).reserve()
            assert reservation.is_granted()
        assert Budget.of("ncbi", store=other).tokens == 500 - 2 * 14


def test_everybody_who_names_an_upstream_and_a_store_gets_the_same_budget(server):
    with stores_of(server.url, 2) as (one, other):
        budget = Budget.of("ncbi", store=one)
        assert retry(upstream="ncbi", store=one).own_budget is budget
        assert protect("ncbi", store=one)._retry.own_budget is budget
        assert protect("ncbi", store=one, retry=retry(store=other))._retry.own_budget is other.budget("ncbi")
        assert Budget.of("uniprot", store=one) is not budget
        assert Budget.of("ncbi") is not budget


def test_a_store_without_budgets_leaves_them_in_this_process():
    assert Budget.of("ncbi", store=MemoryStore()) is Budget.of("ncbi")


@pytest.mark.parametrize("make", [lambda store: retry(store=store), lambda store: Budget.of("ncbi", store=store)])
@pytest.mark.parametrize("store", [5, "redis://localhost", MemoryStore])
def test_what_is_no_store_is_refused(make, store):
    with pytest.raises(ValueError, match=r"`store` is .* Give a `MemoryStore`, a `RedisStore`, or an object"):
        make(store)
