"""Circuits in the memory of one process."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar

from errata._fork import renew_after_fork
from errata.model import Code
from errata.resilience._circuit import Change, Facts, Health, Limits, Listener, Permit, Refusal, State
from errata.resilience._upstream_registry import UpstreamRegistry
from errata.resilience.stores._listeners import Listeners, announce

Clock: TypeAlias = Callable[[], float]

_WELL: Final = Health.WELL  # To find it in its class takes as long as the rest of a success.
_WHILE_PROBED_S: Final = 1.0  # A probe is answered within moments; its lease is longer than anybody has to wait.
_SLOTS: Final = 12
_MOST_FAILURES: Final = 10_000  # Of a busy upstream that keeps failing, but not often enough.


class Window:
    """How many calls succeeded and failed within the window.

    Failures are kept one by one, because their number opens a circuit, and each with the successes there had been. Those
    are only counted, in slots of a twelfth of the window: a busy upstream has a million of them. They take no lock: two
    threads that count at the very same moment may count one, which no rate is so exact as to notice.
    """

    __slots__ = (
        "_before",
        "_failures",
        "_length",
        "_limits",
        "_slots",
        "last_failure",
        "last_success",
        "slot_ends",
        "total_successes",
    )  # fmt: skip

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._length = limits.window_s
        self._failures: deque[tuple[float, int]] = deque(maxlen=max(_MOST_FAILURES, limits.weighed))
        self._slots: deque[tuple[float, int]] = deque(maxlen=_SLOTS)
        self.slot_ends = -float("inf")
        self._before = 0
        self.total_successes = 0
        """How many calls have succeeded in all."""
        self.last_success: float | None = None
        self.last_failure: float | None = None

    def count_success(self, now: float) -> None:
        """Count a success."""
        if now >= self.slot_ends:
            self._slots.append((self.slot_ends, self.total_successes - self._before))
            self.slot_ends = now + self._length / _SLOTS
            self._before = self.total_successes
        self.total_successes += 1
        self.last_success = now

    def count_failure(self, now: float) -> bool:
        """Count a failure, and return whether those within the window are too many."""
        self._failures.append((now, self.total_successes))
        self.last_failure = now
        weighed = min(self.failures(now), self._limits.weighed)
        if weighed < self._limits.failures:
            return False
        _, succeeded_before = self._failures[-weighed]
        return weighed / (weighed + self.total_successes - succeeded_before) >= self._limits.failure_rate

    def failures(self, now: float) -> int:
        """Return how many failures there were within the window."""
        while self._failures and self._failures[0][0] <= now - self._length:
            self._failures.popleft()
        return len(self._failures)

    def successes(self, now: float) -> int:
        """Return how many successes there were within the window, to a twelfth of it."""
        slots = (*self._slots, (self.slot_ends, self.total_successes - self._before))
        return sum(count for ends, count in slots if ends > now - self._length)

    def clear(self) -> None:
        """Forget what was counted; the last moments are kept."""
        self._failures.clear()
        self._slots.clear()
        self.slot_ends, self._before = -float("inf"), self.total_successes


class MemoryCircuit:
    """The circuit of one upstream, as one process sees it.

    Every change of state, and every probe, begins a new generation; the outcome of an earlier permit decides nothing.
    """

    # `_permit` is the one of a closed circuit, else None: reading it is all that a call costs while nothing is wrong.
    # `_until` is when there may be a probe: the pause is over, or the lease of the one before.
    __slots__ = (
        "__weakref__", "_announced", "_clock", "_code", "_generation", "_listeners", "_lock", "_permit",
        "_since", "_state", "_successes", "_until", "_wall_clock", "_window", "limits", "upstream",
    )  # fmt: skip

    def __init__(
        self, upstream: str, limits: Limits, *, clock: Clock = time.monotonic, wall_clock: Clock = time.time
    ) -> None:
        self.upstream: str = upstream
        self.limits: Limits = limits
        self._clock = clock
        self._wall_clock = wall_clock
        self._window = Window(limits)
        self._lock = threading.RLock()  # A signal, or a finaliser, may call the upstream while its thread holds it.
        self._listeners = Listeners()
        self._state = self._announced = State.CLOSED
        self._generation = 0
        self._permit: Permit | None = Permit(0)
        self._until = self._since = 0.0
        self._successes = 0
        self._code: Code | None = None
        renew_after_fork(self)

    def admit(self) -> Permit | Refusal:
        """Return a permit, or a refusal."""
        return self._permit or self._probe_or_refuse()

    def settle(self, permit: Permit, health: Health, code: Code | None = None) -> None:
        """Take note of how the call went."""
        if health is _WELL and permit is self._permit:
            now, window = self._clock(), self._window
            if now < window.slot_ends:  # As `count_success` does, without the call: it is most of what a success costs.
                window.total_successes += 1
                window.last_success = now
            else:
                window.count_success(now)
            return
        with self._lock:
            if permit.generation == self._generation:
                self._decide(permit, health, code)
        self._announce()

    def facts(self) -> Facts:
        """Return what is known."""
        with self._lock:
            now, window = self._clock(), self._window
            is_due = self._state is State.OPEN and now >= self._until
            failures = window.failures(now)
            return Facts(
                state=State.HALF_OPEN if is_due else self._state,
                calls=failures + window.successes(now),
                failures=failures,
                last_success=self._to_wall_clock(window.last_success),
                last_failure=self._to_wall_clock(window.last_failure),
                since=None if self._permit else self._to_wall_clock(self._since),
                expected_recovery=None if self._permit else self._to_wall_clock(self._until),
                code=self._code,
            )

    def watch(self, listener: Listener) -> None:
        """Call a listener with every change, for as long as somebody else keeps it."""
        with self._lock:
            self._listeners.add(listener)

    def reset(self) -> None:
        """Close it and forget what it has seen, as in a new process. No listener is called."""
        with self._lock:
            self._close()
            self._announced = self._state
            self._code = None
            self._window = Window(self.limits)

    def _probe_or_refuse(self) -> Permit | Refusal:
        with self._lock:
            now = self._clock()
            if self._permit:  # Somebody closed it in between.
                return self._permit
            if now < self._until:
                return self._refuse(now)
            self._renew(State.HALF_OPEN)
            self._until = now + self.limits.probe_s
            probe = Permit(self._generation, is_probe=True)
        self._announce()
        return probe

    def _refuse(self, now: float) -> Refusal:
        wait_s = self._until - now
        if self._state is State.HALF_OPEN:
            wait_s = min(wait_s, _WHILE_PROBED_S)
        return Refusal(math.ceil(wait_s * 1000), self._wall_clock() - (now - self._since), self._code)

    def _decide(self, permit: Permit, health: Health, code: Code | None) -> None:
        now = self._clock()
        if health is Health.ILL:
            self._code = code
            if self._window.count_failure(now) or permit.is_probe:
                self._open(now)
            return
        if health is _WELL:
            self._window.count_success(now)
            self._successes += permit.is_probe
        if not permit.is_probe:
            return
        if self._successes >= self.limits.successes:
            self._close()
        else:
            self._renew(State.HALF_OPEN)
            self._until = now

    def _open(self, now: float) -> None:
        if self._state is State.CLOSED:
            self._since = now
        self._renew(State.OPEN)
        self._until = now + self.limits.open_s
        self._successes = 0

    def _close(self) -> None:
        self._renew(State.CLOSED)
        self._permit = Permit(self._generation)
        self._successes = 0
        self._window.clear()

    def _renew(self, state: State) -> None:
        """Begin another generation: no permit that was given decides anything any more."""
        self._state = state
        self._permit = None
        self._generation += 1

    def _announce(self) -> None:
        """Announce a change, once and outside the lock: a listener may take its time, and may call the circuit."""
        if self._announced is self._state:
            return
        with self._lock:
            before, self._announced = self._announced, self._state
        if before is not self._announced:
            code = None if self._announced is State.CLOSED else self._code  # It is not why it closes.
            announce(Change(self.upstream, before, self._announced, code), self.limits, self._listeners)

    def _to_wall_clock(self, seconds: float | None) -> float | None:
        """Return a moment of the circuit's clock as one of the wall clock."""
        return None if seconds is None else self._wall_clock() - (self._clock() - seconds)

    def take_new_lock(self) -> None:
        """Make a new lock, in a child process."""
        self._lock = threading.RLock()


class MemoryStore:
    """Keeps circuits in memory: every process protects itself.

    `clock` measures, `wall_clock` tells the time of day. Tests give their own. A circuit is kept as long as somebody
    uses it, and the last ones beyond that.
    """

    def __init__(self, *, clock: Clock = time.monotonic, wall_clock: Clock = time.time) -> None:
        self._clock = clock
        self._wall_clock = wall_clock
        self._circuits: UpstreamRegistry[MemoryCircuit] = UpstreamRegistry()

    def circuit(self, upstream: str, limits: Limits) -> MemoryCircuit:
        """Return the circuit of an upstream, the same one for everybody."""
        make = partial(MemoryCircuit, upstream, limits, clock=self._clock, wall_clock=self._wall_clock)
        return find_circuit(limits, upstream, self._circuits, make)

    def reset(self) -> None:
        """Close all circuits and forget what they have seen, so that a test begins as a new process does."""
        self._circuits.forget_unused()
        for circuit in self._circuits.all():
            circuit.reset()


class _Limited(Protocol):
    limits: Limits


_C = TypeVar("_C", bound=_Limited)


def find_circuit(limits: Limits, upstream: str, circuits: UpstreamRegistry[_C], make: Callable[[], _C]) -> _C:
    """Return the circuit of an upstream. One that nobody uses makes way for one with other limits."""
    if circuits.get(upstream, make).limits != limits:
        circuits.forget_unused(upstream)
    circuit = circuits.get(upstream, make)
    _refuse_other_limits(upstream, circuit.limits, limits)
    return circuit


def _refuse_other_limits(upstream: str, known: Limits, limits: Limits) -> None:
    """Refuse to give an upstream in use two sets of limits."""
    for each in fields(Limits):
        had, wanted = getattr(known, each.name), getattr(limits, each.name)
        if had != wanted:
            raise ValueError(
                f"`{upstream}` has a circuit already, with `{each.name}` {had:g}; here it is {wanted:g}. "
                f"Give the same limits everywhere, or keep this circuit in a store of its own."
            )
