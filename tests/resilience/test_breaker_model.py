"""A circuit does what DESIGN §8 says, whatever happens in whatever order.

The model is written from the page, with plain lists and nothing from the package: who may call, and what an answer
decides.
"""

from types import SimpleNamespace

from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule
from support.manual_clock import Time

from errata import Code
from errata.resilience import MemoryStore
from errata.resilience._circuit import Health, Limits, Permit

VERDICTS = {"well": Health.WELL, "ill": Health.ILL, "none": Health.NONE}


class Model:
    """Closed, open or half-open; a ticket counts as long as it belongs to the spell it was given out in."""

    def __init__(self, limits):
        self.limits = limits
        self.state = "closed"
        self.spell = object()  # Of being closed.
        self.answers = []
        self.opened_at = self.paused_until = None
        self.probe = None
        self.in_a_row = 0

    def may_call(self, now):
        """A ticket, or None where the call is refused."""
        if self.state == "closed":
            return SimpleNamespace(spell=self.spell, until=None)
        if self.state == "open" and now < self.paused_until:
            return None
        if self.probe is not None and now < self.probe.until:
            return None
        self.state = "half_open"
        self.probe = SimpleNamespace(spell=None, until=now + self.limits.probe_s)
        return self.probe

    def answered(self, ticket, verdict, now):
        if ticket is self.probe:
            self.probe = None
            self.probe_answered(verdict, now)
        elif self.state == "closed" and ticket.spell is self.spell and verdict != "none":
            lately = [(moment, said) for moment, said in self.answers if now - moment < self.limits.window_s]
            self.answers = [*lately, (now, verdict)]
            if verdict == "ill" and self.is_down():
                self.opened_at = now
                self.open(now)

    def is_down(self):
        """Enough failures; and, where there is a rate, that share of the calls since the first of the last ones."""
        said = [verdict for _, verdict in self.answers]
        if said.count("ill") < self.limits.failures:
            return False
        while said.count("ill") > 5 * self.limits.failures or said[0] == "well":
            said.pop(0)
        return said.count("ill") / len(said) >= self.limits.failure_rate

    def probe_answered(self, verdict, now):
        if verdict == "ill":
            self.open(now)
        elif verdict == "well":
            self.in_a_row += 1
            if self.in_a_row == self.limits.successes:
                self.state, self.spell, self.answers, self.opened_at = "closed", object(), [], None

    def open(self, now):
        self.state, self.paused_until, self.in_a_row = "open", now + self.limits.open_s, 0


# Quarters of a second are exact in binary, so that no limit is missed by a rounding.
quarters = st.integers(1, 60).map(lambda number: number / 4)


class CircuitMachine(RuleBasedStateMachine):
    calls = Bundle("calls")
    answered_calls = Bundle("answered_calls")

    @initialize(
        limits=st.builds(
            Limits,
            failures=st.integers(1, 3),
            window_s=quarters.map(lambda seconds: seconds * 4),
            open_s=quarters,
            successes=st.integers(1, 3),
            probe_s=quarters,
            failure_rate=st.sampled_from([0.0, 0.0, 0.3, 0.5, 1.0]),
        )
    )
    def begin(self, limits):
        self.time = Time()
        store = MemoryStore(clock=self.time.clock, wall_clock=self.time.wall_clock)
        self.circuit = store.circuit("ncbi", limits)
        self.model = Model(limits)
        self.states = ["closed"]
        self.listener = lambda change: self.states.append(change.after.value)
        self.circuit.watch(self.listener)

    @rule(target=calls)
    def call(self):
        return self.call_now()

    def call_now(self):
        admission, ticket = self.circuit.admit(), self.model.may_call(self.time.clock.now)
        assert isinstance(admission, Permit) is (ticket is not None)
        if ticket is None:
            self.check_refusal(admission)
        else:
            assert admission.is_probe is (ticket is self.model.probe)
        return admission, ticket

    def check_refusal(self, refusal):
        now, model = self.time.clock.now, self.model
        ends = model.paused_until if model.state == "open" else model.probe.until
        assert 0 < refusal.retry_after_ms <= (ends - now) * 1000
        if model.state == "open":
            assert refusal.retry_after_ms == (ends - now) * 1000
        assert refusal.since == model.opened_at + self.time.offset

    @rule(target=answered_calls, call=consumes(calls), verdict=st.sampled_from(sorted(VERDICTS)))
    def answer(self, call, verdict):
        self.settle(*call, verdict)
        return call

    @rule(call=answered_calls, verdict=st.sampled_from(sorted(VERDICTS)))
    def answer_once_more(self, call, verdict):
        """A closed circuit counts what it is told; everywhere else a second answer decides nothing."""
        _, ticket = call
        if ticket is not None and ticket.spell is None:
            self.settle(*call, verdict)

    def settle(self, admission, ticket, verdict):
        if ticket is not None:
            self.circuit.settle(admission, VERDICTS[verdict], Code.TIMEOUT if verdict == "ill" else None)
            self.model.answered(ticket, verdict, self.time.clock.now)

    @rule(seconds=quarters)
    def wait(self, seconds):
        self.time.advance(seconds)

    @rule()
    def sleep_for_a_year(self):
        self.time.advance(86_400.0 * 365)

    @rule(hours=st.integers(-24, 24))
    def set_the_time_of_day(self, hours):
        self.time.offset += hours * 3600

    @rule(verdict=st.sampled_from(sorted(VERDICTS)))
    def call_and_answer_at_once(self, verdict):
        self.settle(*self.call_now(), verdict)

    @rule(wells=st.lists(st.integers(0, 4), max_size=20))
    def be_busy(self, wells):
        """Some calls succeed, one fails, and so on."""
        for number in wells:
            for verdict in ("well",) * number + ("ill",):
                self.settle(*self.call_now(), verdict)

    @rule()
    def fail_until_it_opens(self):
        while self.model.state == "closed":
            self.settle(*self.call_now(), "ill")

    @precondition(lambda self: self.model.state != "closed")
    @rule(early=st.sampled_from([0.0, 0.0, 0.25]))
    def wait_until_somebody_may_try(self, early):
        """The pause is over; or the probe's caller was never heard of again, and its lease is."""
        ends = self.model.probe.until if self.model.probe else self.model.paused_until
        self.time.advance(max(0.0, ends - self.time.clock.now - early))

    @invariant()
    def the_facts_are_those_of_the_model(self):
        if not hasattr(self, "model"):
            return
        facts, model, now = self.circuit.facts(), self.model, self.time.clock.now
        is_due = model.state == "open" and now >= model.paused_until
        assert facts.state.value == ("half_open" if is_due else model.state)
        assert facts.since == (None if model.opened_at is None else model.opened_at + self.time.offset)
        if model.state == "closed":
            recent = [said for moment, said in model.answers if now - moment < model.limits.window_s]
            assert facts.failures == recent.count("ill")
            assert facts.failures < model.limits.failures or model.limits.failure_rate
            assert facts.expected_recovery is None
        assert facts.failures <= facts.calls

    @invariant()
    def every_change_was_told_once(self):
        if hasattr(self, "model"):
            assert self.states[-1] == self.model.state
            assert all(before != after for before, after in zip(self.states, self.states[1:], strict=False))


TestCircuit = CircuitMachine.TestCase
TestCircuit.settings = settings(max_examples=4 * settings().max_examples)  # Of a hundredth of a second each.
