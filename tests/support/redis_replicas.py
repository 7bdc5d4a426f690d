"""Replicas of a service, which share their circuits through Redis."""

from concurrent.futures import Future
from contextlib import ExitStack, contextmanager

from errata import Code
from errata.resilience import RedisStore
from errata.resilience._circuit import Health, Limits, Permit, Refusal
from support.redis_server import LONGEST_S, until

PATIENT = {"patience_s": LONGEST_S, "timeout_s": LONGEST_S}
"""For what must hold on any machine: nobody decides alone because another one is slow."""
SOON_TRIED = Limits(open_s=0.001, probe_s=3600.0)
"""It is time for a probe at once, and nobody takes a probe for lost."""


class Replica:
    """One process of a service: a store of its own, and the circuit of one upstream in it."""

    def __init__(self, url, limits, **settings):
        self.store = RedisStore(url, **(PATIENT | settings))
        self.circuit = self.store.circuit("ncbi", limits)

    def catch_up(self):
        until(lambda: self.store.flush(LONGEST_S), what="Redis answers")
        return self

    def ask(self):
        """Ask for leave, and wait for it where somebody else is asked."""
        admission = self.circuit.admit()
        return admission.result(LONGEST_S) if isinstance(admission, Future) else admission

    def probe(self):
        """Take the probe when it is time for one."""
        return until(lambda: (given := self.ask()) and isinstance(given, Permit) and given, what="there is a probe")

    def fail(self, times=1):
        for _ in range(times):
            self.circuit.settle(self.circuit.admit(), Health.ILL, Code.TIMEOUT)
        self.catch_up()

    def succeed(self, times=1):
        for _ in range(times):
            self.circuit.settle(self.circuit.admit(), Health.WELL)

    def settle(self, permit, verdict):
        self.circuit.settle(permit, verdict)
        self.catch_up()

    @property
    def refuses(self):
        return isinstance(self.ask(), Refusal)

    @property
    def state(self):
        return self.circuit.facts().state.value


def protects_itself(circuit, time):
    """Go through everything that a circuit does; nobody is made to wait."""
    assert isinstance(circuit.admit(), Permit)
    for _ in range(5):
        circuit.settle(circuit.admit(), Health.ILL, Code.TIMEOUT)
    assert isinstance(circuit.admit(), Refusal)
    for _ in range(2):
        time.advance(61)
        probe = circuit.admit()
        assert isinstance(probe, Permit)
        assert probe.is_probe
        assert isinstance(circuit.admit(), Refusal)
        circuit.settle(probe, Health.WELL)
    assert isinstance(circuit.admit(), Permit)
    assert not circuit.admit().is_probe


@contextmanager
def replicas_of(url, number=2, limits=None, **settings):
    """Start replicas that know how things stand."""
    with ExitStack() as stack:
        started = [Replica(url, limits or Limits(), **settings) for _ in range(number)]
        for replica in started:
            stack.enter_context(replica.store)
            replica.catch_up()
        yield started
