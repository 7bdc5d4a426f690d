"""No trouble of a Redis is trouble of a call."""

import itertools
import logging
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from time import monotonic as now, time as wall_clock

import pytest
import redis
from support.manual_clock import Time
from support.redis_impostors import a_detour_to, a_stranger, nobody_there
from support.redis_replicas import SOON_TRIED, protects_itself, replicas_of
from support.redis_server import LONGEST_S, running_redis, until

from errata.resilience import RedisStore
from errata.resilience._circuit import Health, Limits, Refusal

AGAIN_SOON = {"refresh_s": 0.001}


@pytest.fixture
def lines(caplog):
    """What was logged about Redis, and how seriously."""
    caplog.set_level(logging.INFO, "errata")
    # `line.message` is there only when its thread has come to format it.
    return lambda: [line.levelname for line in caplog.records if line.getMessage().startswith("Redis at")]


@contextmanager
def killed(server):
    server.kill()
    yield
    server.start()


@contextmanager
def out_of_memory(server):
    server.client().config_set("maxmemory", 1)
    yield
    server.client().config_set("maxmemory", 0)


@contextmanager
def a_read_only_replica(server):
    with nobody_there() as port:
        server.client().execute_command("REPLICAOF", "127.0.0.1", port)
        yield
    server.client().execute_command("REPLICAOF", "NO", "ONE")


@contextmanager
def busy_with_a_script(server):
    redis_ = server.client()
    redis_.config_set("lua-time-limit", 1)
    caller = threading.Thread(target=_run_for_ever, args=(server,))
    caller.start()
    until(lambda: _is_busy(redis_), what="Redis is busy with a script")
    yield
    redis_.execute_command("SCRIPT", "KILL")
    caller.join()


def _run_for_ever(server):
    with pytest.raises(redis.ResponseError):
        server.client().eval("while true do end", 0)


def _is_busy(client):
    try:
        client.ping()
    except redis.ResponseError:
        return True
    return False


@contextmanager
def in_need_of_a_password(server):
    server.client().config_set("requirepass", "another")
    entered = server.client(password="another")  # noqa: S106 - it is the test's.
    entered.client_kill_filter(_type="normal", skipme=True)
    yield
    entered.config_set("requirepass", "")


@contextmanager
def full_of_strangers(server):
    """Somebody else has a key of this name."""
    server.client().flushall()
    server.client().set("errata:1:{ncbi}:circuit", "mine")
    yield
    server.client().flushall()


TROUBLES = [
    killed,
    out_of_memory,
    a_read_only_replica,
    busy_with_a_script,
    in_need_of_a_password,
    full_of_strangers,
]


@pytest.mark.parametrize("trouble", TROUBLES)
def test_calls_go_on_and_the_replica_protects_itself_until_redis_is_back(trouble, lines):
    time = Time()
    settings = {"clock": time.clock, "wall_clock": time.wall_clock, "timeout_s": LONGEST_S, **AGAIN_SOON}
    with running_redis() as server, replicas_of(server.url, 1, **settings) as (one,):
        with trouble(server):
            until(lambda: not one.store.flush(LONGEST_S), what="the trouble is known")
            protects_itself(one.circuit, time)
            # A turn that began before, and was held up, would tell of failures that are no longer lately.
            assert one.store.flush(LONGEST_S) is False
            assert lines() == ["WARNING"]
        one.catch_up()
        assert lines() == ["WARNING", "INFO"]
        _is_shared_again(server, one)
        assert lines() == ["WARNING", "INFO"]


def test_a_redis_that_hangs_costs_no_call(lines):
    time = Time()
    settings = {"clock": time.clock, "wall_clock": time.wall_clock, "timeout_s": 0.1, **AGAIN_SOON}
    with running_redis() as server, replicas_of(server.url, 1, **settings) as (one,):
        server.hang()
        until(lambda: not one.store.flush(LONGEST_S), what="the trouble is known")
        protects_itself(one.circuit, time)
        server.go_on()
        one.catch_up()
        _is_shared_again(server, one)
        # A busy machine may hang for a tenth of a second more than once; each time is told once, and so is its end.
        assert lines()[:2] == ["WARNING", "INFO"]
        assert all(this != then for this, then in itertools.pairwise(lines()))


def test_what_a_redis_was_told_while_it_hung_does_not_open_what_has_closed_since():
    time, timeout_s = Time(), 0.1
    settings = {"clock": time.clock, "wall_clock": time.wall_clock, "timeout_s": timeout_s, "refresh_s": 3600.0}
    with running_redis() as server, replicas_of(server.url, 1, Limits(open_s=50.0), **settings) as (one,):
        server.hang()
        until(lambda: not one.store.flush(LONGEST_S), what="it hangs")
        for _ in range(5):
            one.circuit.settle(one.circuit.admit(), Health.ILL)
        assert one.store.flush(LONGEST_S) is False  # It was sent all the same, and waits for Redis to read it.
        void_after = now() + timeout_s + one.store._worker._connection._ahead_ms / 1000
        for _ in range(2):
            time.advance(51)
            one.circuit.settle(one.circuit.admit(), Health.WELL)
        until(lambda: wall_clock() > void_after, what="nobody waits for its answer")
        server.go_on()
        one.catch_up().catch_up()
        assert one.state == "closed"
        assert not one.refuses
        assert server.client().hget("errata:1:{ncbi}:circuit", "state") == "closed"


def test_a_replica_that_saw_the_upstream_recover_while_redis_hung_tells_the_others(caplog):
    time, timeout_s = Time(), 0.1
    settings = {"clock": time.clock, "wall_clock": time.wall_clock, "timeout_s": timeout_s, "refresh_s": 3600.0}
    with running_redis() as server, replicas_of(server.url, 2, **settings) as (one, other):
        one.fail(5)
        other.catch_up()
        assert other.refuses
        caplog.clear()
        server.hang()
        until(lambda: not one.store.flush(LONGEST_S), what="the trouble is known")
        time.advance(60)
        for _ in range(2):
            one.circuit.settle(one.circuit.admit(), Health.WELL)
        server.go_on()
        one.catch_up()
        other.catch_up()
        assert not one.refuses
        assert not other.refuses
        assert not [line for line in caplog.messages if "opened" in line]


def _is_shared_again(server, one):
    with replicas_of(server.url, 1) as (other,):
        one.fail(5)
        other.catch_up()
        assert other.refuses


STRANGE_ANSWERS = {
    "noise": b"\x00\xff\xfe garbage \r\n" * 100,
    "web": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "number": b":1\r\n",
    "none": b"$-1\r\n",
    "words": b"+OK\r\n",
    "other-state": b"*6\r\n$4\r\nsome\r\n:1\r\n:1\r\n:1\r\n:1\r\n$0\r\n\r\n",
    "too-few": b"*2\r\n$4\r\nopen\r\n:1\r\n",
    "deep": b"*1\r\n" * 5000,
    "huge": b"$99999999999\r\n",
    "error": b"-ERR \xff\xfe no\r\n",
    "moved": b"-MOVED 1234 127.0.0.1:1\r\n",
}


@pytest.mark.parametrize("answer", STRANGE_ANSWERS.values(), ids=STRANGE_ANSWERS)
def test_a_stranger_that_is_no_redis_costs_no_call(answer, lines):
    with a_stranger(answer) as port:
        _costs_no_call(f"redis://127.0.0.1:{port}", lines)


def test_a_server_that_speaks_no_tls_costs_no_call(lines):
    with a_stranger(b"-ERR unknown command\r\n") as port:
        _costs_no_call(f"rediss://127.0.0.1:{port}", lines)


def test_a_redis_that_never_was_there_costs_no_call(lines):
    with nobody_there() as port:
        _costs_no_call(f"redis://127.0.0.1:{port}", lines)


@pytest.mark.parametrize("host", ["a-label-of-more-than-63-letters-" * 3, "a..b"])
def test_a_name_that_is_nobodys_costs_no_call(host, lines):
    _costs_no_call(f"redis://{host}:6379", lines)


def test_a_wrong_password_costs_no_call_and_is_not_told(lines, caplog):
    with running_redis() as server:
        server.client().config_set("requirepass", "right")
        url = server.url.replace("unix://", "unix://:wr0ng-pa55word@")
        _costs_no_call(url, lines)
        assert "wr0ng-pa55word" not in caplog.text


def _costs_no_call(url, lines):
    time = Time()
    clocks = {"clock": time.clock, "wall_clock": time.wall_clock}
    with RedisStore(url, timeout_s=0.1, **AGAIN_SOON, **clocks) as store:
        circuit = store.circuit("ncbi", Limits())
        for _ in range(3):
            protects_itself(circuit, time)
            assert store.flush(LONGEST_S) is False
        assert lines() == ["WARNING"]


def test_who_would_try_while_redis_begins_to_hang_is_answered_all_the_same():
    settings = {"patience_s": 0.01, "timeout_s": LONGEST_S}
    with running_redis() as server, replicas_of(server.url, 1, SOON_TRIED, **settings) as (one,):
        one.fail(5)
        until(lambda: one.store.flush(LONGEST_S) and not one.circuit.alone, what="it is quick")
        server.hang()
        admission = until(lambda: not isinstance(found := one.circuit.admit(), Refusal) and found, what="it is asked")
        if isinstance(admission, Future):
            admission = admission.result(LONGEST_S)
        assert admission.is_probe
        one.circuit.settle(admission, Health.WELL)
        server.go_on()
        one.catch_up()


def test_a_slow_redis_is_not_waited_for_and_still_shares(lines):
    with running_redis() as server, a_detour_to(server) as detour:
        detour.delay_s = 0.04
        with (
            replicas_of(detour.url, 1, patience_s=0.01, **AGAIN_SOON) as (one,),
            replicas_of(server.url, 1) as (other,),
        ):
            until(lambda: one.store.flush(LONGEST_S) and lines() == ["WARNING"], what="it is known to be slow")
            other.fail(5)
            one.catch_up()
            assert one.refuses
            assert one.circuit.alone
            detour.delay_s = 0.0
            until(lambda: one.store.flush(LONGEST_S) and lines()[:2] == ["WARNING", "INFO"], what="it is quick again")
