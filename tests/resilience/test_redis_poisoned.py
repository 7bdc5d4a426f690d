"""Whatever stands in Redis, a circuit leaves its upstream alone for no longer than its limits say."""

import pytest
from hypothesis import given, strategies as st
from support.redis_replicas import replicas_of
from support.redis_server import LONGEST_S, running_redis

from errata.resilience._circuit import Limits, State
from errata.resilience.stores._exchange import UNKNOWN, ReplicaReport, UnsentFailure, read_shared_state
from errata.resilience.stores._redis_connection import RedisConnection, name_keys

LIMITS = Limits(open_s=0.001, probe_s=0.001, window_s=3600.0)
RATED = Limits(open_s=0.001, probe_s=0.001, window_s=3600.0, failure_rate=0.5)
CIRCUIT, FAILURES = name_keys("errata", "ncbi")
FIELDS = ("state", "generation", "since", "until", "wins", "holder", "code", "born", "succeeded")
FAR = 10**15
ODD = [
    "", "x", "nan", "-nan", "inf", "-inf", "1e400", "-1e400", "-1", "0", "0x7fffffffffffffff", str(2**52), str(2**53 + 1),
    str(2**63), str(FAR), "9" * 400, "1.5", "closed", "open", "half_open", "[]", "\x00", "\u00e9",
]  # fmt: skip


@pytest.fixture(scope="module")
def server():
    with running_redis() as server:
        yield server


@pytest.fixture(scope="module")
def turns(server):
    link = RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S)
    yield lambda turn, limits=LIMITS, who="me": read_shared_state(link.run("ncbi", turn.arguments(who, limits)), limits)
    link.drop()


def five(now=3.0):
    return ReplicaReport(now=now, failures=tuple(UnsentFailure(UNKNOWN, now, number) for number in range(5)))


def probes_soon(turns, limits=LIMITS):
    """Whether somebody may try the upstream before long, or may call it as usual."""
    for _ in range(10_000):
        answer = turns(ReplicaReport(now=4.0, asks=True), limits, who="another")
        assert 0 <= answer.wait_s <= max(limits.open_s, limits.probe_s)
        if answer.granted or answer.state is State.CLOSED:
            return True
    return False


@pytest.mark.parametrize("state", ["open", "half_open", "closed", "ajar", ""])
@pytest.mark.parametrize("field", FIELDS)
def test_no_value_of_any_field_keeps_a_circuit_open(server, turns, state, field):
    client = server.client()
    for value in ODD:
        client.flushall()
        turns(five())
        client.hset(CIRCUIT, mapping={"state": state, field: value})

        assert probes_soon(turns), value
        turns(five(5.0))
        assert probes_soon(turns), value


@given(st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(ODD) | st.text(max_size=8)))
def test_no_values_of_several_fields_keep_a_circuit_open(server, turns, values):
    server.client().flushall()
    turns(five())
    if values:
        server.client().hset(
            CIRCUIT, mapping={name: value.encode("utf-8", "replace") for name, value in values.items()}
        )

    assert probes_soon(turns)


@given(
    st.dictionaries(
        st.sampled_from(
            ["x", "me:000000000001:nan", "me:1:-", ":", "me:1:9" + "9" * 300, "me:000000000002:3", "é:1:2"]
        ),
        st.sampled_from([0.0, 1.0, float(FAR), float("inf"), float("-inf"), -1.0]),
    )
)
@pytest.mark.parametrize("limits", [LIMITS, RATED])
def test_no_failures_that_nobody_told_stop_the_turns(server, turns, limits, members):
    server.client().flushall()
    turns(ReplicaReport(now=1.0, successes=100), limits)
    if members:
        server.client().zadd(FAILURES, members)

    turns(five(), limits)
    assert probes_soon(turns, limits)


def test_failures_of_the_future_do_not_open_a_circuit(server, turns):
    server.client().flushall()
    turns(ReplicaReport(now=1.0))
    server.client().zadd(FAILURES, {f"forged:{number}": FAR for number in range(1000)})

    one = ReplicaReport(now=3.0, failures=(UnsentFailure(UNKNOWN, 3.0, 1),))
    assert turns(one).state is State.CLOSED
    assert server.client().zcard(FAILURES) == 1


def test_a_clock_that_was_set_back_prolongs_a_pause_by_one_pause(server, turns):
    server.client().flushall()
    opened = turns(five())
    ahead = int(server.client().hget(CIRCUIT, "until")) + 3_600_000
    server.client().hset(CIRCUIT, mapping={"until": ahead, "since": ahead, "generation": opened.generation + 3_600_000})

    assert probes_soon(turns)


def test_replicas_go_on_after_an_until_was_poisoned(server):
    server.client().flushall()
    limits = Limits(open_s=0.001, probe_s=LONGEST_S)
    with replicas_of(server.url, limits=limits) as (one, other):
        one.fail(5)
        server.client().hset(CIRCUIT, mapping={"until": FAR, "generation": 2**51})
        other.catch_up()
        probe = other.probe()
        assert probe.is_probe


@pytest.mark.parametrize(
    ("wait", "since"), [(FAR, 0), (-FAR, -FAR), (2**63 - 1, 2**63 - 1), (-(2**63), -(2**63)), (0, FAR)]
)
def test_what_speaks_redis_and_is_none_keeps_nobody_waiting(wait, since):
    answer = read_shared_state([b"open", 7, since, wait, 0, b"TIMEOUT"], Limits(open_s=60, probe_s=30))

    assert 0 <= answer.wait_s <= 60
    assert 0 <= answer.since < 253_402_300_800


@pytest.mark.parametrize("generation", [0, -1, -(2**63)])
def test_a_generation_that_no_script_returns_is_no_answer(generation):
    with pytest.raises(ValueError, match="no version of it returns"):
        read_shared_state([b"open", generation, 0, 0, 0, b""], Limits())
