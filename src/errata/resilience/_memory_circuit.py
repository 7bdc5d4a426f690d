"""The circuit of one upstream, in the memory of one process."""

import math
import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias

from errata._fork import renewed_after_fork
from errata.model import Code
from errata.resilience._announcing import Listeners, announce
from errata.resilience._circuit import Change, Facts, Limits, Listener, Permit, Refusal, State, Verdict
from errata.resilience._window import Window

Clock: TypeAlias = Callable[[], float]

_WELL: Final = Verdict.WELL  # To find it in its class takes as long as the rest of a success.
_WHILE_TRIED_S: Final = (
    1.0  # A probe is answered within moments; to wait until its lease ends would be to wait too long.
)


class MemoryCircuit:
    """The circuit of one upstream, as one process sees it.

    Nothing is decided by an answer to a permit from before: whatever changes, and every probe, begins a new generation.
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
        renewed_after_fork(self)

    def admit(self) -> Permit | Refusal:
        """Ask for leave to call."""
        return self._permit or self._probe_or_refusal()

    def settle(self, permit: Permit, verdict: Verdict, code: Code | None = None) -> None:
        """Tell how the call went."""
        if verdict is _WELL and permit is self._permit:
            self._window.succeeded(self._clock())
            return
        with self._lock:
            if permit.generation == self._generation:
                self._decide(permit, verdict, code)
        self._announce()

    def facts(self) -> Facts:
        """Tell what is known."""
        with self._lock:
            now, window = self._clock(), self._window
            is_due = self._state is State.OPEN and now >= self._until
            failures = window.failures(now)
            return Facts(
                state=State.HALF_OPEN if is_due else self._state,
                calls=failures + window.successes(now),
                failures=failures,
                last_success=self._moment(window.last_success),
                last_failure=self._moment(window.last_failure),
                since=None if self._permit else self._moment(self._since),
                expected_recovery=None if self._permit else self._moment(self._until),
                code=self._code,
            )

    def watch(self, listener: Listener) -> None:
        """Have somebody told of every change, for as long as somebody keeps the listener."""
        with self._lock:
            self._listeners.add(listener)

    def reset(self) -> None:
        """Close it and forget what it has seen, as in a new process. Nobody is told: nothing has happened."""
        with self._lock:
            self._close()
            self._announced = self._state
            self._code = None
            self._window = Window(self.limits)

    def _probe_or_refusal(self) -> Permit | Refusal:
        with self._lock:
            now = self._clock()
            if self._permit:  # Somebody closed it in between.
                return self._permit
            if now < self._until:
                return self._refusal(now)
            self._renew(State.HALF_OPEN)
            self._until = now + self.limits.probe_s
            probe = Permit(self._generation, is_probe=True)
        self._announce()
        return probe

    def _refusal(self, now: float) -> Refusal:
        wait_s = self._until - now
        if self._state is State.HALF_OPEN:
            wait_s = min(wait_s, _WHILE_TRIED_S)
        return Refusal(math.ceil(wait_s * 1000), self._wall_clock() - (now - self._since), self._code)

    def _decide(self, permit: Permit, verdict: Verdict, code: Code | None) -> None:
        now = self._clock()
        if verdict is Verdict.ILL:
            self._code = code
            if self._window.failed(now) or permit.is_probe:
                self._open(now)
            return
        if verdict is _WELL:
            self._window.succeeded(now)
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
        """Begin another generation: no permit that is out there decides anything any more."""
        self._state = state
        self._permit = None
        self._generation += 1

    def _announce(self) -> None:
        """Tell of a change, once and outside the lock: a listener may take its time, and may ask the circuit."""
        if self._announced is self._state:
            return
        with self._lock:
            before, self._announced = self._announced, self._state
        if before is not self._announced:
            code = None if self._announced is State.CLOSED else self._code  # It is not why it closes.
            announce(Change(self.upstream, before, self._announced, code), self.limits, self._listeners)

    def _moment(self, seconds: float | None) -> float | None:
        """Tell a moment of the circuit's clock in that of the world."""
        return None if seconds is None else self._wall_clock() - (self._clock() - seconds)

    def take_new_lock(self) -> None:
        """Begin in a child process."""
        self._lock = threading.RLock()
