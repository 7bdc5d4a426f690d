"""What a replica makes of answers that come while things go on: no Redis, no thread, no time but the test's."""

import pytest

from errata import Code
from errata.resilience._circuit import Health, Limits, Permit, Refusal, State
from errata.resilience.stores._exchange import NEVER, ProbeOutcome, SharedState
from errata.resilience.stores._shared_circuit import LocalCircuit, SharedCircuit

LIMITS = Limits(failures=2, successes=1)
CLOSED = SharedState(State.CLOSED, 100, 0.0, 0.0, granted=False, code=None)
OPEN = CLOSED._replace(state=State.OPEN, generation=101, since=1_793_956_000.0)
MINE = OPEN._replace(state=State.HALF_OPEN, generation=102, wait_s=30.0, granted=True)
LOOK = MINE._replace(granted=False)


class Nobody:
    """Who carries no message: the test does."""

    def soon(self, circuit):
        """Leave it to the test."""

    def at_once(self, circuit):
        """Leave it to the test."""


@pytest.fixture
def circuit(time):
    local = LocalCircuit("ncbi", LIMITS, clock=time.clock, wall_clock=time.wall_clock)
    circuit = SharedCircuit(local, LIMITS, Nobody(), patience_s=3600.0)
    hear(circuit, CLOSED)
    return circuit


def hear(circuit, answer):
    circuit.follow_redis(circuit.make_report(), answer)
    circuit.alone = False


def fail(circuit, permit):
    circuit.settle(permit, Health.ILL, Code.TIMEOUT)


@pytest.fixture
def asked(circuit):
    """A caller who waits for leave, and the turn that asks for it."""
    hear(circuit, OPEN)
    return circuit.admit(), circuit.make_report()


def test_news_from_before_a_failure_does_not_close_what_the_failure_opened(circuit):
    turn = circuit.make_report()
    fail(circuit, circuit.admit())
    fail(circuit, circuit.admit())
    circuit.follow_redis(turn, CLOSED)
    assert isinstance(circuit.admit(), Refusal)


def test_news_that_is_not_older_closes_it(circuit):
    fail(circuit, circuit.admit())
    fail(circuit, circuit.admit())
    hear(circuit, CLOSED._replace(generation=103))
    assert isinstance(circuit.admit(), Permit)


def test_leave_that_was_given_is_a_probe_and_nobody_else_has_it(circuit, asked):
    waiting, turn = asked
    assert isinstance(circuit.admit(), Refusal)
    circuit.follow_redis(turn, MINE)
    assert waiting.result(0).is_probe
    assert isinstance(circuit.admit(), Refusal)


def test_leave_that_was_refused_is_a_refusal(circuit, asked):
    waiting, turn = asked
    circuit.follow_redis(turn, LOOK)
    assert isinstance(waiting.result(0), Refusal)


def test_who_asks_while_it_is_closed_elsewhere_may_call(circuit, asked):
    waiting, turn = asked
    circuit.follow_redis(turn, CLOSED._replace(generation=103))
    assert waiting.result(0) == circuit.admit()
    assert not waiting.result(0).is_probe


def test_news_of_a_probe_under_way_does_not_disturb_it(circuit, asked):
    waiting, turn = asked
    circuit.follow_redis(turn, MINE)
    hear(circuit, LOOK)
    circuit.settle(waiting.result(0), Health.WELL)
    assert circuit.facts().state is State.CLOSED


def test_news_from_before_a_probe_ended_does_not_open_what_it_closed(circuit, asked):
    waiting, turn = asked
    circuit.follow_redis(turn, MINE)
    before = circuit.make_report()
    circuit.settle(waiting.result(0), Health.WELL)
    circuit.follow_redis(before, LOOK)
    assert circuit.facts().state is State.CLOSED
    assert circuit.make_report().probe == ProbeOutcome(MINE.generation, Health.WELL)


def test_leave_that_comes_late_is_for_the_probe_that_went_without_it(circuit, asked):
    waiting, turn = asked
    circuit._decide_alone(circuit._request)
    circuit.follow_redis(turn, MINE)
    fail(circuit, waiting.result(0))
    assert circuit.make_report().probe == ProbeOutcome(MINE.generation, Health.ILL)


def test_leave_that_comes_too_late_is_given_back(circuit, asked):
    waiting, turn = asked
    circuit._decide_alone(circuit._request)
    circuit.settle(waiting.result(0), Health.WELL)
    circuit.follow_redis(turn, MINE)
    assert circuit.make_report().probe == ProbeOutcome(MINE.generation, Health.NONE)


def test_a_probe_that_another_replica_took_over_decides_nothing(circuit, asked):
    waiting, turn = asked
    circuit._decide_alone(circuit._request)
    circuit.follow_redis(turn, LOOK)
    circuit.settle(waiting.result(0), Health.WELL)
    assert circuit.facts().state is State.HALF_OPEN
    assert circuit.make_report().probe is None


def test_what_could_not_be_told_is_told_before_what_came_after_it(circuit):
    fail(circuit, circuit.admit())
    turn = circuit.make_report()
    fail(circuit, circuit.admit())
    circuit.keep_unsent(turn)
    numbers = [failure.number for failure in circuit.make_report().failures]
    assert (len(numbers), numbers) == (2, sorted(numbers))


def recover_alone(circuit, time):
    circuit.alone = True
    time.advance(61)
    circuit.settle(circuit.admit(), Health.WELL)
    assert circuit.facts().state is State.CLOSED


def test_failures_that_the_upstream_recovered_from_are_not_told(circuit, time):
    fail(circuit, circuit.admit())
    fail(circuit, circuit.admit())
    recover_alone(circuit, time)
    assert circuit.make_report().failures == ()


def test_failures_that_the_upstream_recovered_from_while_they_were_told_in_vain_are_not_told_again(circuit, time):
    fail(circuit, circuit.admit())
    fail(circuit, circuit.admit())
    turn = circuit.make_report()
    recover_alone(circuit, time)
    fail(circuit, circuit.admit())
    circuit.keep_unsent(turn)
    (told,) = circuit.make_report().failures
    assert told.number > max(failure.number for failure in turn.failures)


def test_failures_that_it_did_not_recover_from_are_told(circuit, time):
    fail(circuit, circuit.admit())
    fail(circuit, circuit.admit())
    turn = circuit.make_report()
    circuit.alone = True
    time.advance(61)
    fail(circuit, circuit.admit())
    circuit.keep_unsent(turn)
    assert circuit.make_report().failures == turn.failures


def test_a_probe_that_was_given_up_long_ago_takes_no_failure_back(circuit, time):
    hear(circuit, OPEN)
    circuit.alone = True
    lost = circuit.admit()
    recover_alone(circuit, time)
    fail(circuit, circuit.admit())
    circuit.settle(lost, Health.WELL)
    assert len(circuit.make_report().failures) == 1


def test_successes_are_told_once_even_if_nobody_heard_of_them(circuit):
    for _ in range(3):
        circuit.settle(circuit.admit(), Health.WELL)
    fail(circuit, circuit.admit())
    turn = circuit.make_report()
    assert (turn.total_successes, turn.successes, turn.failures[0].succeeded_before) == (3, 3, 3)
    circuit.keep_unsent(turn)
    circuit.settle(circuit.admit(), Health.WELL)
    turn = circuit.make_report()
    assert (turn.total_successes, turn.successes, turn.failures[0].succeeded_before) == (4, 1, 3)


def test_who_waits_when_redis_fails_is_answered(circuit, asked):
    waiting, turn = asked
    circuit.keep_unsent(turn)
    assert waiting.result(0).is_probe


def test_a_probe_is_given_back_by_who_stopped_waiting(circuit, asked):
    waiting, turn = asked
    waiting.cancel()
    circuit.follow_redis(turn, MINE)
    assert circuit.make_report().probe == ProbeOutcome(MINE.generation, Health.NONE)


def recover_while_redis_is_away(circuit, time):
    """Redis is away when it is time to try, and the upstream answers."""
    hear(circuit, OPEN)
    circuit.keep_unsent(circuit.make_report())
    time.advance(60)
    circuit.settle(circuit.admit(), Health.WELL)


def test_a_recovery_that_was_seen_alone_is_told_until_it_is_heard(circuit, time):
    recover_while_redis_is_away(circuit, time)
    turn = circuit.make_report()
    assert turn.recovered_from == OPEN.generation
    circuit.keep_unsent(turn)
    again = circuit.make_report()
    assert again.recovered_from == OPEN.generation
    circuit.follow_redis(again, CLOSED._replace(generation=102))
    assert circuit.make_report().recovered_from == NEVER


def test_a_recovery_is_not_told_after_a_relapse(circuit, time):
    recover_while_redis_is_away(circuit, time)
    circuit.keep_unsent(circuit.make_report())
    for _ in range(LIMITS.failures):
        fail(circuit, circuit.admit())
    assert isinstance(circuit.admit(), Refusal)
    assert circuit.make_report().recovered_from == NEVER


@pytest.mark.parametrize("news", [OPEN, LOOK])
def test_news_from_before_a_recovery_that_was_seen_alone_does_not_take_it_back(circuit, time, news):
    told = []
    listener = told.append  # The circuit does not keep it.
    circuit.watch(listener)
    hear(circuit, OPEN)
    circuit.keep_unsent(circuit.make_report())
    time.advance(60)
    probe, turn = circuit.admit(), circuit.make_report()
    circuit.settle(probe, Health.WELL)
    circuit.follow_redis(turn, news)
    assert isinstance(circuit.admit(), Permit)
    assert [change.after for change in told] == [State.OPEN, State.HALF_OPEN, State.CLOSED]


def test_a_recovery_makes_way_for_what_others_have_seen_since(circuit, time):
    recover_while_redis_is_away(circuit, time)
    hear(circuit, OPEN._replace(generation=105, wait_s=30.0))
    assert isinstance(circuit.admit(), Refusal)


def test_a_probe_that_was_granted_tells_of_its_success_itself(circuit, asked):
    admission, turn = asked
    circuit.follow_redis(turn, MINE)
    circuit.settle(admission.result(), Health.WELL)
    told = circuit.make_report()
    assert told.probe == ProbeOutcome(MINE.generation, Health.WELL)
    assert told.recovered_from == NEVER
