"""One replica's own view of a circuit that it shares."""

from errata.resilience._circuit import Limits, Permit, Refusal, State
from errata.resilience._memory_circuit import Clock, MemoryCircuit
from errata.resilience._turn import NEVER, UNKNOWN, Answer

_MEANWHILE_MS = 1000  # What a caller is told to wait while another one asks, or tries.


class LocalHalf(MemoryCircuit):
    """A circuit in memory that follows what is decided elsewhere, and decides alone when nobody can be asked."""

    # `_mapped` is the generation here that `_shared` is the one of elsewhere for.
    __slots__ = ("_mapped", "_shared")

    def __init__(self, upstream: str, limits: Limits, *, clock: Clock, wall_clock: Clock) -> None:
        super().__init__(upstream, limits, clock=clock, wall_clock=wall_clock)
        self._mapped = -1
        self._shared = UNKNOWN

    @property
    def permit(self) -> Permit | None:
        """The leave that everybody has while the circuit is closed."""
        return self._permit

    @property
    def succeeded_yet(self) -> int:
        """How many calls this replica has seen succeed, in all."""
        return self._window.succeeded_yet

    def now(self) -> float:
        """Read the clock that the circuit goes by."""
        return self._clock()

    def generation_elsewhere(self, permit: Permit) -> int | None:
        """Find what a permit's generation is called elsewhere; None for one that is over."""
        with self._lock:
            if permit.generation != self._generation:
                return None
            return self._shared if self._mapped == permit.generation else UNKNOWN

    def last_heard(self) -> int:
        """Tell the generation elsewhere that was heard of last, also if this replica has gone its own way since."""
        with self._lock:
            return self._shared if self._shared != UNKNOWN else NEVER

    def standing(self) -> Permit | Refusal | None:
        """Tell what everybody is told right now; None when it is time that somebody tried."""
        with self._lock:
            now = self._clock()
            if self._permit:
                return self._permit
            return self._refusal(now) if now < self._until else None

    def refusal(self) -> Refusal:
        """Refuse a call while another one asks."""
        with self._lock:
            now = self._clock()
            refusal = self._refusal(now)
            return refusal if now < self._until else refusal._replace(retry_after_ms=_MEANWHILE_MS)

    def pause(self) -> tuple[float, float]:
        """Tell for how long the upstream is still left alone, and for how long it has been; zero while it is called."""
        with self._lock:
            now = self._clock()
            if self._permit:
                return 0.0, 0.0
            return max(self._until - now, 0.0), max(now - self._since, 0.0)

    def follow(self, answer: Answer) -> None:
        """Take over how things stand elsewhere. Whoever calls this announces it, outside of every lock."""
        with self._lock:
            if self._mapped == self._generation and self._shared == answer.generation:
                return
            if answer.state is not State.CLOSED:
                self._leave_alone(answer)
            elif self._permit is None or self._mapped == self._generation:
                self._close()
            self._map(answer.generation)

    def _leave_alone(self, answer: Answer) -> None:
        now = self._clock()
        self._renew(answer.state)
        self._until = now + answer.wait_s
        self._since = now - max(self._wall_clock() - answer.since, 0.0)
        self._code = answer.code or self._code
        if answer.state is State.OPEN:
            self._successes = 0

    def grant(self, answer: Answer) -> Permit:
        """Give out the probe that was given to this replica."""
        with self._lock:
            self._leave_alone(answer)
            self._map(answer.generation)
            return Permit(self._generation, is_probe=True)

    def bind(self, answer: Answer) -> bool:
        """Take leave that came late for the probe that is under way without it; False where there is none."""
        with self._lock:
            is_under_way = self._state is State.HALF_OPEN and self._clock() < self._until
            if not is_under_way or self._mapped == self._generation:
                return False
            self._map(answer.generation)
            return True

    def _map(self, shared: int) -> None:
        self._mapped, self._shared = self._generation, shared

    def announce(self) -> None:
        """Tell of a change, if there was one."""
        self._announce()
