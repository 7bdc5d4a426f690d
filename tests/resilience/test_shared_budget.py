"""One budget for several replicas, by the script on a real Redis; who carries the messages is the test."""

import itertools

import pytest
from hypothesis import given, strategies as st
from redis.crc import key_slot
from support.redis_server import LONGEST_S, running_redis

from errata.resilience.stores._redis_connection import RedisConnection, _script, name_keys
from errata.resilience.stores._shared_budget import SharedBudget

CAPACITY, TRANSIENT = 500, 14
BUDGET = "errata:1:{ncbi}:budget"
ODD = [
    "", "x", "nan", "-nan", "inf", "-inf", "1e400", "-1", "0", "0x1f5", "500.5", "501", str(2**52), str(2**63), "9" * 400,
    "[]", "\x00", "\u00e9",
]  # fmt: skip


@pytest.fixture(scope="module")
def server():
    with running_redis() as server:
        yield server


@pytest.fixture
def redis(server):
    """An empty Redis."""
    server.client().flushall()
    return server.client()


class Replica(SharedBudget):
    """A budget whose messages the test carries; the connection is a real one."""

    numbers = itertools.count()

    def __init__(self, link):
        super().__init__("ncbi", self, patience_s=0.0)
        self.name = f"replica-{next(self.numbers)}"
        self.link = link

    def soon(self, shared):
        """Leave it to the test."""

    at_once = soon

    def exchange(self, *, is_lost=False, is_unsent=False):
        """Exchange once, with an answer that may get lost, or a message."""
        exchange = self.begin_exchange(self.name)
        answer = None if is_unsent else self.run(exchange)
        if is_lost or is_unsent:
            exchange.fail()
        else:
            exchange.follow(answer)
            self.alone = False

    def run(self, exchange):
        return self.link.run("ncbi", exchange.arguments, exchange.script, exchange.keys)

    def spend(self, times=1):
        """Repeat something so often, and return how often it was granted."""
        reservations = [reservation for _ in range(times) if (reservation := self.reserve())]
        self.exchange()
        return sum(reservation.is_granted() for reservation in reservations)


@pytest.fixture
def link(server, redis):  # noqa: ARG001 - it is empty.
    link = RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S)
    yield link
    link.drop()


@pytest.fixture
def replicas(link):
    return [Replica(link), Replica(link)]


def test_what_one_replica_has_spent_the_others_do_not_have(replicas):
    one, other = replicas
    assert one.spend(30) == 30
    assert other.spend(30) == 5  # Of 35 in all; it had heard of nothing.
    assert other.tokens == one.capacity - 35 * TRANSIENT
    assert other.reserve() is None


def test_what_was_refused_is_not_missing_in_the_replicas_own_budget(replicas, redis):
    one, other = replicas
    one.spend(35)
    assert other.spend(3) == 0
    redis.hset(BUDGET, "tokens", CAPACITY)
    other.exchange()
    assert other.tokens == CAPACITY
    assert other.is_full


def test_what_successes_give_back_is_there_for_all(replicas):
    one, other = replicas
    one.spend(20)
    other.spend(15)
    for _ in range(TRANSIENT):
        other.give_back()
    other.exchange()
    one.exchange()
    assert (one.tokens, other.tokens) == (24, 24)
    assert one.spend(3) == 1


def test_successes_elsewhere_do_not_raise_what_a_replica_may_spend_by_itself(replicas):
    one, other = replicas
    one.spend(35)
    other.exchange()
    other.refill()
    other.exchange()
    one.exchange()
    assert (one.tokens, other.tokens) == (10, CAPACITY)
    assert one.reserve() is None


def test_nothing_is_told_while_every_budget_is_full(replicas):
    one, _ = replicas
    one.exchange()
    one.give_back(100)
    arguments = one.begin_exchange(one.name).arguments
    assert arguments[2:4] == [0, 0]
    assert one.is_full


def test_a_refilled_budget_is_full_for_all(replicas):
    one, other = replicas
    one.spend(35)
    one.refill()
    one.exchange()
    other.exchange()
    assert (one.tokens, other.tokens) == (CAPACITY, CAPACITY)
    assert one.is_full


def test_it_shows_what_all_have_left(replicas):
    one, other = replicas
    one.spend(35)
    other.exchange()
    assert repr(other) == "<Budget: 10 of 500 tokens>"


def test_a_turn_that_is_told_twice_counts_once_and_hears_the_same(replicas, redis):
    one, other = replicas
    other.spend(33)
    for _ in range(3):
        one.reserve()
    exchange = one.begin_exchange(one.name)
    first, again = one.run(exchange), one.run(exchange)
    assert first == again == [10, 1, 1, 0]
    assert redis.hget(BUDGET, "tokens") == "10"


def test_a_turn_whose_answer_was_lost_twice_counts_once(replicas, redis):
    one, _ = replicas
    one.reserve()
    exchange = one.begin_exchange(one.name)
    for _ in range(2):
        one.run(exchange)
    exchange.fail()
    one.exchange()
    assert redis.hget(BUDGET, "tokens") == str(CAPACITY - TRANSIENT)


def test_what_was_given_back_counts_once_though_the_answer_was_lost(replicas, redis):
    one, _ = replicas
    one.spend(10)
    one.give_back(3)
    one.exchange(is_lost=True)
    one.exchange()
    assert redis.hget(BUDGET, "tokens") == str(CAPACITY - 10 * TRANSIENT + 3)


def test_nobody_is_left_waiting_for_a_redis_that_failed(replicas):
    one, _ = replicas
    first = one.reserve()
    exchange = one.begin_exchange(one.name)
    later = one.reserve()
    exchange.fail()
    assert first.answer.result(0)
    assert later.answer.result(0)


def test_who_hears_nothing_goes_on_and_what_it_spent_counts_once(replicas, redis):
    one, _ = replicas
    reservation = one.reserve()
    one.exchange(is_lost=True)
    assert reservation.is_granted()
    assert redis.hget(BUDGET, "tokens") == "486"
    for _ in range(2):
        one.exchange()
        assert redis.hget(BUDGET, "tokens") == "486"


def test_who_stops_waiting_has_spent_it_whatever_the_answer_is(replicas, redis):
    one, other = replicas
    reservation = one.reserve()
    exchange = one.begin_exchange(one.name)
    assert reservation.is_granted()  # Nobody has answered, and its patience is over.
    assert one.alone
    other.spend(35)
    exchange.follow(one.run(exchange))
    assert one.tokens == 0
    one.exchange()
    assert redis.hget(BUDGET, "tokens") == "0"


def test_who_stops_waiting_before_redis_was_asked_pays_once(replicas, redis):
    one, _ = replicas
    assert one.reserve().is_granted()
    one.exchange()
    assert redis.hget(BUDGET, "tokens") == "486"


def test_a_replica_that_is_alone_has_its_own_budget_and_no_more(replicas, redis):
    one, other = replicas
    one.exchange(is_unsent=True)
    assert sum(reservation.is_granted() for _ in range(50) if (reservation := one.reserve())) == 35
    assert other.spend(35) == 35
    one.exchange()
    assert (one.tokens, redis.hget(BUDGET, "tokens")) == (0, "0")
    one.give_back(TRANSIENT)
    one.exchange()
    assert redis.hget(BUDGET, "tokens") == "14"


def test_a_memory_that_redis_lost_is_restored_by_a_replica(replicas, redis):
    one, other = replicas
    one.spend(30)
    other.exchange()
    redis.flushall()
    one.give_back(3)
    one.exchange()
    assert redis.hget(BUDGET, "tokens") == str(CAPACITY - 30 * TRANSIENT + 3)
    assert other.spend(30) == 5


def test_no_more_is_repeated_than_the_replicas_own_budget_allows_whatever_redis_says(replicas, redis):
    one, _ = replicas
    granted = 0
    for _ in range(50):
        redis.flushall()
        granted += one.spend(1)
        redis.hset(BUDGET, "tokens", CAPACITY)
    assert granted == 35


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("field", ["tokens", "spent", "credited"])
def test_a_value_that_no_turn_has_written_counts_as_absent(replicas, redis, field, value):
    one, other = replicas
    one.spend(30)
    key = BUDGET if field == "tokens" else f"{BUDGET}:{other.name}"
    redis.hset(key, field, value.encode("utf-8", "replace"))

    assert one.spend(30) <= 5
    assert 0 <= int(redis.hget(BUDGET, "tokens")) <= CAPACITY
    assert other.spend(30) <= 5
    redis.hset(key, field, value.encode("utf-8", "replace"))
    one.give_back(TRANSIENT)
    one.exchange()
    assert 0 <= int(redis.hget(BUDGET, "tokens")) <= CAPACITY


def test_what_arrives_late_decides_nothing(replicas, redis):
    one, _ = replicas
    one.reserve()
    exchange = one.begin_exchange(one.name)
    seconds, _ = redis.time()
    keys = name_keys("errata", "ncbi", exchange.keys)
    (now,) = one.link._run(_script("budget"), keys, [seconds * 1000 - 1, *exchange.arguments])
    assert now >= seconds * 1000
    assert redis.dbsize() == 0


@pytest.mark.parametrize("answer", [None, 5, [], [-1, 1], [501, 1], [10], [10, 1, 1], [b"10", 1], [10, b"1"], [10, []]])
def test_an_answer_that_no_script_returns_changes_nothing(replicas, answer):
    one, _ = replicas
    one.reserve()
    exchange = one.begin_exchange(one.name)
    with pytest.raises(ValueError, match="no version of it returns"):
        exchange.follow(answer)
    assert one.tokens == CAPACITY - TRANSIENT


@given(upstream=st.text(min_size=1), replica=st.integers(0, 2**64 - 1))
def test_all_keys_of_an_upstream_are_in_one_slot_of_a_cluster(upstream, replica):
    keys = (*name_keys("errata", upstream), *name_keys("errata", upstream, ("budget", f"budget:{replica:x}")))
    assert len({key_slot(key.encode()) for key in keys}) == 1
    assert len(set(keys)) == 4


class Model:
    """What Redis would know if it kept every event by its name: each counts once, in the order in which it is heard."""

    def __init__(self, replicas):
        self.tokens = CAPACITY
        self.counted = set()
        self.untold = {replica: {} for replica in replicas}

    def hear(self, replica, asking):
        """Count what a replica has spent and earned, then grant what it asks for; return what was granted."""
        new = {name: change for name, change in self.untold[replica].items() if name not in self.counted}
        self.counted |= new.keys()
        self.tokens = min(max(self.tokens + sum(new.values()), 0), CAPACITY)
        return [self._grant(reservation) for reservation in asking]

    def _grant(self, reservation):
        if reservation.cost > self.tokens:
            return False
        self.tokens -= reservation.cost
        self.counted.add(reservation)
        return True


steps = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(["transient", "transient", "rate limit", "exchange", "lost", "unsent", "late"])
        | st.integers(1, 60),
    ),
    max_size=60,
)


@given(steps)
def test_whatever_gets_lost_redis_counts_every_token_once(server, steps):
    server.client().flushall()
    link = RedisConnection(server.url, prefix="errata", timeout_s=LONGEST_S)
    replicas = [Replica(link) for _ in range(3)]
    model, numbers, made = Model(replicas), itertools.count(), []
    for which, step in [*steps, *((which, "exchange") for which in range(3))]:
        replica = replicas[which]
        if isinstance(step, int):
            before = replica._total.credited
            replica.give_back(step)
            model.untold[replica][next(numbers)] = replica._total.credited - before
        elif step in {"transient", "rate limit"}:
            if reservation := replica.reserve(rate_limited=step == "rate limit"):
                made.append((replica, reservation))
                if replica.alone:
                    model.untold[replica][reservation] = -reservation.cost
        else:
            _exchange(replica, step, model)
        assert all(0 <= each.tokens <= CAPACITY for each in replicas)
    assert int(server.client().hget(BUDGET, "tokens") or CAPACITY) == model.tokens
    assert all(reservation.answer.done() for _, reservation in made)
    link.drop()
    if not {"lost", "unsent", "late"} & {step for _, step in steps}:
        spent = sum(reservation.cost for _, reservation in made if reservation.is_granted())
        assert spent <= CAPACITY + sum(replica._total.credited for replica in replicas)


def _exchange(replica, step, model):
    asking = list(replica._asking)
    if step == "late":  # Who waits goes on before Redis has answered.
        exchange = replica.begin_exchange(replica.name)
        granted = model.hear(replica, asking)
        answer = replica.run(exchange)
        for reservation in asking:
            assert reservation.is_granted()
        exchange.follow(answer)
        replica.alone = False
    elif step == "unsent":
        replica.exchange(is_unsent=True)
        granted = []
    else:
        granted = model.hear(replica, asking)
        replica.exchange(is_lost=step == "lost")
        if step == "exchange":
            assert [reservation.is_granted() for reservation in asking] == granted
            return
    model.untold[replica] |= {reservation: -reservation.cost for reservation in asking}


def test_the_keys_expire(replicas, redis):
    replicas[0].spend(1)
    assert [0 < redis.pttl(key) <= 3_600_000 for key in redis.scan_iter()] == [True, True]
