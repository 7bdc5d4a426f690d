"""What is kept in Redis, under which names, and that being told twice is as good as once."""

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from redis.crc import key_slot
from support.manual_clock import Time
from support.redis_replicas import SOON_TRIED
from support.redis_server import LONGEST_S, running_redis

from errata.resilience import MemoryStore
from errata.resilience._circuit import Health, Limits, Permit, State
from errata.resilience.stores._exchange import (
    UNKNOWN,
    Outbox,
    ProbeOutcome,
    ReplicaReport,
    UnsentFailure,
    read_shared_state,
)
from errata.resilience.stores._redis_connection import RedisConnection, _script, name_keys


@pytest.fixture(scope="module")
def server():
    with running_redis() as server:
        yield server


@pytest.fixture
def link(server):
    server.client().flushall()
    link = RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S)
    yield lambda turn, who="me": read_shared_state(link.run("ncbi", turn.arguments(who, SOON_TRIED)), SOON_TRIED)
    link.drop()


@pytest.fixture
def busy(server):
    server.client().flushall()
    link = RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S)
    yield lambda turn, who="me": read_shared_state(link.run("ncbi", turn.arguments(who, BUSY)), BUSY)
    link.drop()


def test_failures_that_are_told_twice_count_once(link):
    turn = ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(4)))
    assert link(turn).state is State.CLOSED
    assert link(turn).state is State.CLOSED
    assert link(turn, who="another").state is State.OPEN


def test_leave_that_is_asked_for_twice_because_its_answer_was_lost_is_given_again(link):
    link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    first, again = link(ReplicaReport(now=4.0, asks=True)), link(ReplicaReport(now=4.0, asks=True))
    assert first.granted
    assert again.granted
    assert again.generation > first.generation
    assert not link(ReplicaReport(now=4.0, asks=True), who="another").granted


def test_a_recovery_that_one_replica_saw_alone_closes_it_for_all(link):
    opened = link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    assert link(ReplicaReport(now=4.0, recovered_from=opened.generation)).state is State.CLOSED
    assert link(ReplicaReport(now=4.0), who="another").state is State.CLOSED


def test_a_recovery_counts_also_if_somebody_has_only_begun_to_try(link):
    opened = link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    assert link(ReplicaReport(now=4.0, asks=True), who="another").granted
    assert link(ReplicaReport(now=4.0, recovered_from=opened.generation)).state is State.CLOSED


def test_a_recovery_does_not_close_what_was_tried_and_failed_or_opened_since(link):
    opened = link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    tried = link(ReplicaReport(now=4.0, asks=True), who="another")
    link(ReplicaReport(now=4.0, probe=ProbeOutcome(tried.generation, Health.ILL)), who="another")
    assert link(ReplicaReport(now=5.0, recovered_from=opened.generation)).state is State.OPEN
    assert link(ReplicaReport(now=5.0, recovered_from=tried.generation)).state is State.OPEN


def test_what_failed_after_a_recovery_is_told_after_it_and_opens_it_again(link):
    opened = link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    since_then = tuple(UnsentFailure(UNKNOWN, 5.0, number) for number in range(5, 10))
    answer = link(ReplicaReport(now=6.0, recovered_from=opened.generation, failures=since_then))
    assert (answer.state, answer.generation) == (State.OPEN, opened.generation + 2)


def test_a_recovery_that_is_told_twice_counts_once(link):
    opened = link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    link(ReplicaReport(now=4.0, recovered_from=opened.generation))
    link(ReplicaReport(now=6.0, failures=tuple(UnsentFailure(UNKNOWN, 5.0, number) for number in range(5, 10))))
    assert link(ReplicaReport(now=7.0, recovered_from=opened.generation)).state is State.OPEN


def test_a_success_that_is_told_twice_counts_once(link):
    link(ReplicaReport(now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    probe = ProbeOutcome(link(ReplicaReport(now=4.0, asks=True)).generation, Health.WELL)
    assert link(ReplicaReport(now=5.0, probe=probe)).state is State.HALF_OPEN
    assert link(ReplicaReport(now=5.0, probe=probe)).state is State.HALF_OPEN


def test_failures_that_are_older_than_the_window_do_not_count(link):
    assert (
        link(ReplicaReport(now=1000.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, n) for n in range(9)))).state
        is State.CLOSED
    )


def test_failures_from_before_open_it_from_then_on(link):
    answer = link(ReplicaReport(now=100.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5))))
    assert answer.state is State.OPEN
    assert answer.wait_s == 0


FIVE = ReplicaReport(
    now=3.0, failures=tuple(UnsentFailure(UNKNOWN, 2.0, number) for number in range(5)), wait_s=60.0, successes=7
)


def a_link_to(server):
    server.client().flushall()
    return RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S)


def test_what_arrives_late_decides_nothing_and_hears_the_time(server):
    link = a_link_to(server)
    before, _ = server.client().time()
    (now,) = link._run(
        _script("circuit"), name_keys("errata", "ncbi"), [before * 1000 - 1, *FIVE.arguments("me", SOON_TRIED)]
    )
    link.drop()
    assert before * 1000 <= now
    assert server.client().dbsize() == 0


@pytest.mark.parametrize("off_ms", [-math.inf, -1e15, -86_400_000, 0, 86_400_000])
def test_a_clock_that_is_off_costs_a_second_message_and_nothing_else(server, off_ms):
    link = a_link_to(server)
    for _ in range(2):
        link._ahead_ms += off_ms
        assert read_shared_state(link.run("ncbi", FIVE.arguments("me", SOON_TRIED)), SOON_TRIED).state is State.OPEN
    link.drop()
    assert server.client().hget(name_keys("errata", "ncbi")[0], "succeeded") == "14"


def test_what_arrives_late_again_and_again_is_trouble(server):
    link = a_link_to(server)
    link._timeout_ms = -1000  # As if the way to Redis took a second longer than anybody waits.
    with pytest.raises(TimeoutError, match="too late"):
        link.run("ncbi", FIVE.arguments("me", SOON_TRIED))
    assert server.client().dbsize() == 0


BUSY = Limits(failures=2, failure_rate=0.5, open_s=3600.0)


def a_busy_turn(*succeeded_before, successes=0, first=0, at=2.0):
    """Failures of a replica, by how many calls had succeeded there."""
    failed = (
        UnsentFailure(UNKNOWN, at, first + number, succeeded) for number, succeeded in enumerate(succeeded_before)
    )
    return ReplicaReport(now=2.0, total_successes=successes, successes=successes, failures=tuple(failed))


def test_failures_that_are_told_twice_count_once_whatever_succeeded_meanwhile(busy):
    turn = a_busy_turn(0, 3, successes=3)
    assert busy(turn).state is State.CLOSED
    assert busy(replace(turn, total_successes=4, successes=1)).state is State.CLOSED
    assert busy(a_busy_turn(0), who="another").state is State.CLOSED  # Three of seven calls failed.
    assert busy(a_busy_turn(0, first=1), who="another").state is State.OPEN


def test_a_failure_that_is_told_late_does_not_hide_the_successes_that_were_told_before(busy):
    assert busy(a_busy_turn(0, 4, successes=4)).state is State.CLOSED
    late = replace(a_busy_turn(0), now=12.0)
    assert busy(late, who="another").state is State.CLOSED  # Three of seven calls failed.


def test_replicas_may_tell_in_any_order(busy):
    assert busy(a_busy_turn(0, 3, successes=3)).state is State.CLOSED
    assert busy(a_busy_turn(1, successes=1, at=1.0), who="another").state is State.CLOSED  # Three of seven failed.


def test_successes_after_the_failures_that_opened_it_change_nothing(busy):
    assert busy(a_busy_turn(100, 101, successes=200)).state is State.OPEN


def test_a_redis_that_lost_its_memory_takes_what_it_is_told_for_what_there_was(server, busy):
    turn = a_busy_turn(0, 100, successes=100)
    assert busy(turn).state is State.CLOSED
    server.client().flushall()
    assert busy(replace(turn, successes=0)).state is State.CLOSED


def test_no_more_failures_are_kept_than_are_weighed(server, busy):
    for number in range(30):
        assert busy(a_busy_turn(0, successes=9, first=number)).state is State.CLOSED
    assert server.client().zcard(name_keys("errata", "ncbi")[1]) == BUSY.weighed == 10


@given(rate=st.sampled_from([0.0, 0.3, 0.5, 1.0]), rounds=st.lists(st.lists(st.booleans(), max_size=9), max_size=8))
def test_one_replica_alone_decides_as_it_would_in_memory(server, rate, rounds):
    server.client().flushall()
    time, limits = Time(), replace(BUSY, failure_rate=rate)
    memory = MemoryStore(clock=time.clock).circuit("ncbi", limits)
    outbox, succeeded, link = (
        Outbox(limits.weighed),
        0,
        RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S),
    )
    for answers in rounds:
        for is_well in answers:
            if isinstance(permit := memory.admit(), Permit):
                memory.settle(permit, Health.WELL if is_well else Health.ILL)
                succeeded += is_well
                if not is_well:
                    outbox.add_failure(UNKNOWN, time.clock(), None, succeeded)
        turn = outbox.take(time.clock(), succeeded, asks=False, wait_s=0.0, open_for_s=0.0)
        assert read_shared_state(link.run("ncbi", turn.arguments("me", limits)), limits).state is memory.facts().state
    link.drop()


@given(upstream=st.text(min_size=1))
def test_all_keys_of_an_upstream_are_in_one_slot_of_a_cluster(upstream):
    keys = name_keys("errata", upstream)
    assert len({key_slot(key.encode()) for key in keys}) == 1
    assert all(key.startswith("errata:1:{") for key in keys)


@given(upstreams=st.sets(st.text(), min_size=2, max_size=2))
def test_two_upstreams_have_no_key_in_common(upstreams):
    one, other = map(set, itertools.starmap(name_keys, (("errata", upstream) for upstream in upstreams)))
    assert not one & other
