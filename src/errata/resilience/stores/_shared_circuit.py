"""The circuit of one upstream that several replicas share."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Final

from errata._fork import renew_after_fork
from errata.model import Code
from errata.resilience._circuit import Admission, Facts, Health, Limits, Listener, Permit, Refusal, State
from errata.resilience.stores._exchange import (
    NEVER,
    UNKNOWN,
    Messenger,
    Outbox,
    RedisExchange,
    ReplicaReport,
    SharedState,
    read_shared_state,
    take_number,
)
from errata.resilience.stores._memory import Clock, MemoryCircuit
from errata.resilience.stores._redis_connection import OF_A_CIRCUIT

_WELL: Final = Health.WELL
_MEANWHILE_MS = 1000  # How long a caller is told to wait while another one probes, or asks Redis.


class LocalCircuit(MemoryCircuit):
    """One replica's own view of a shared circuit: it follows Redis, and decides alone while Redis cannot be asked."""

    # `_mapped` is the local generation that `_shared`, a generation in Redis, belongs to.
    __slots__ = ("_mapped", "_shared")

    def __init__(self, upstream: str, limits: Limits, *, clock: Clock, wall_clock: Clock) -> None:
        super().__init__(upstream, limits, clock=clock, wall_clock=wall_clock)
        self._mapped = -1
        self._shared = UNKNOWN

    @property
    def permit(self) -> Permit | None:
        """The permit that everybody gets while the circuit is closed."""
        return self._permit

    @property
    def total_successes(self) -> int:
        """How many calls of this replica have succeeded in all."""
        return self._window.total_successes

    def now(self) -> float:
        """Return the time of the circuit's clock."""
        return self._clock()

    def find_shared_generation(self, permit: Permit) -> int | None:
        """Return the generation in Redis that a permit belongs to; None for a permit of an earlier generation."""
        with self._lock:
            if permit.generation != self._generation:
                return None
            return self._shared if self._mapped == permit.generation else UNKNOWN

    def last_shared_generation(self) -> int:
        """Return the generation in Redis that was read last, also if this replica has gone its own way since."""
        with self._lock:
            return self._shared if self._shared != UNKNOWN else NEVER

    def current_admission(self) -> Permit | Refusal | None:
        """Return what every caller gets right now; None when it is time to probe."""
        with self._lock:
            now = self._clock()
            if self._permit:
                return self._permit
            return self._refuse(now) if now < self._until else None

    def refuse(self) -> Refusal:
        """Return the refusal of a call while another one asks Redis."""
        with self._lock:
            now = self._clock()
            refusal = self._refuse(now)
            return refusal if now < self._until else refusal._replace(retry_after_ms=_MEANWHILE_MS)

    def measure_pause(self) -> tuple[float, float]:
        """Return for how long the upstream is still left alone, and for how long it has been; zeros while it is called."""
        with self._lock:
            now = self._clock()
            if self._permit:
                return 0.0, 0.0
            return max(self._until - now, 0.0), max(now - self._since, 0.0)

    def follow(self, shared: SharedState) -> None:
        """Take over the state in Redis. The caller announces the change, outside of every lock."""
        with self._lock:
            if self._mapped == self._generation and self._shared == shared.generation:
                return
            if shared.state is not State.CLOSED:
                self._leave_alone(shared)
            elif self._permit is None or self._mapped == self._generation:
                self._close()
            self._map(shared.generation)

    def _leave_alone(self, shared: SharedState) -> None:
        now = self._clock()
        self._renew(shared.state)
        self._until = now + shared.wait_s
        self._since = now - max(self._wall_clock() - shared.since, 0.0)
        self._code = shared.code or self._code
        if shared.state is State.OPEN:
            self._successes = 0

    def grant(self, shared: SharedState) -> Permit:
        """Return the permit for the probe that Redis has granted this replica."""
        with self._lock:
            self._leave_alone(shared)
            self._map(shared.generation)
            return Permit(self._generation, is_probe=True)

    def bind(self, shared: SharedState) -> bool:
        """Take a grant that came late for the probe that has begun without it; return False if there is none."""
        with self._lock:
            is_under_way = self._state is State.HALF_OPEN and self._clock() < self._until
            if not is_under_way or self._mapped == self._generation:
                return False
            self._map(shared.generation)
            return True

    def _map(self, shared: int) -> None:
        self._mapped, self._shared = self._generation, shared

    def announce(self) -> None:
        """Announce a change, if there was one."""
        self._announce()


class SharedCircuit:
    """Decides by what it knows, and exchanges it with Redis in the background.

    No call waits for Redis, but for one: the call that would try the upstream asks whether another replica does, for
    `patience_s` at most.
    """

    # `_is_quiet` is true until the first call after an exchange: reading it is all that sharing costs a closed circuit.
    __slots__ = (
        "__weakref__",
        "_is_quiet",
        "_local",
        "_lock",
        "_messenger",
        "_outbox",
        "_patience_s",
        "_request",
        "alone",
        "limits",
    )

    def __init__(self, local: LocalCircuit, limits: Limits, messenger: Messenger, patience_s: float) -> None:
        self.limits: Limits = limits
        self._local = local
        self._messenger = messenger
        self._patience_s = patience_s
        self.take_new_lock()
        renew_after_fork(self)

    def take_new_lock(self) -> None:
        """Start anew, also in a child process: what is unsent, and who waits, stays with the parent."""
        self._lock = threading.RLock()
        self._outbox = Outbox(self.limits.weighed, self._local.total_successes)
        self._request: _ProbeRequest | None = None
        self._is_quiet = True
        self.alone: bool = True
        """Whether Redis does not answer in time; true until its first answer."""

    @property
    def upstream(self) -> str:
        """The name of what is called."""
        return self._local.upstream

    def admit(self) -> Permit | Refusal | Future[Admission]:
        """Return a permit or a refusal; a Future of one if Redis has to be asked."""
        if self._is_quiet:
            self._stir()
        return self._local.permit or self._ask_or_refuse()

    def settle(self, permit: Permit, health: Health, code: Code | None = None) -> None:
        """Take note of how the call went."""
        if health is _WELL and not permit.is_probe:
            self._local.settle(permit, health)
            return
        if permit.is_probe or health is Health.ILL:
            so_far = take_number()  # Nothing else fails while the upstream is tried: what failed did so before.
            generation = self._keep(permit, health, code)
            self._local.settle(permit, health, code)
            if generation is not None and permit.is_probe and self._local.permit:
                self._note_recovery(so_far, alone=generation == UNKNOWN)
            self._messenger.at_once(self)

    def facts(self) -> Facts:
        """Return what is known; each replica counts its own calls."""
        return self._local.facts()

    def watch(self, listener: Listener) -> None:
        """Call a listener with every change."""
        self._local.watch(listener)

    def begin_exchange(self, replica: str) -> RedisExchange:
        """Return what there is to send and to ask, for Redis."""
        report = self.make_report()
        arguments = report.arguments(replica, self.limits)
        return RedisExchange(
            "circuit", OF_A_CIRCUIT, arguments, partial(self._follow, report), partial(self.keep_unsent, report)
        )

    def make_report(self) -> ReplicaReport:
        """Return what there is to send and to ask."""
        with self._lock:
            self._is_quiet = True
            if not self._local.permit:
                self._outbox.withdraw_recovery()
            wait_s, open_for_s = self._local.measure_pause()
            return self._outbox.take(
                self._local.now(),
                self._local.total_successes,
                asks=self._request is not None,
                wait_s=wait_s,
                open_for_s=open_for_s,
            )

    def follow_redis(self, report: ReplicaReport, shared: SharedState) -> None:
        """Take over the state in Redis, and answer the caller who waits for it."""
        request, admission = None, None
        with self._lock:
            if report.asks:
                request, self._request = self._request, None
            if shared.granted:
                admission = self._take_grant(request, shared)
            elif not self._outbox.outdates(shared):
                self._local.follow(shared)
        if request:
            self._answer(request, admission or self._local.current_admission() or self._local.refuse())
        self._local.announce()  # Last: whoever listens may take their time.

    def keep_unsent(self, report: ReplicaReport) -> None:
        """Keep what could not be sent, and decide alone."""
        with self._lock:
            self.alone = True
            self._outbox.put_back(report)
            request = self._request
        if request:
            self._decide_alone(request)

    def _follow(self, report: ReplicaReport, answer: object) -> None:
        self.follow_redis(report, read_shared_state(answer, self.limits))

    def _stir(self) -> None:
        self._is_quiet = False
        self._messenger.soon(self)

    def _keep(self, permit: Permit, health: Health, code: Code | None) -> int | None:
        """Keep how a call went, to be sent; return its generation in Redis, None if it decides nothing."""
        with self._lock:
            generation = self._local.find_shared_generation(permit)
            if generation is None:
                return None
            if permit.is_probe:
                self._outbox.add_probe(generation, health, code)
            else:
                self._outbox.add_failure(generation, self._local.now(), code, self._local.total_successes)
            return generation

    def _note_recovery(self, at: int, *, alone: bool) -> None:
        """Note a recovery. A probe that Redis granted says it itself: the others have counted the ones before it."""
        with self._lock:
            self._outbox.note_recovery(at, self._local.last_shared_generation() if alone else NEVER)

    def _ask_or_refuse(self) -> Permit | Refusal | Future[Admission]:
        if self.alone:
            return self._local.admit()
        with self._lock:
            if admission := self._local.current_admission():
                return admission
            if self._request:
                return self._local.refuse()
            request = self._request = _ProbeRequest()
        self._messenger.at_once(self)
        request.wait_for(self._patience_s, lambda: self._decide_alone(request))
        return request.future

    def _decide_alone(self, request: "_ProbeRequest") -> None:
        with self._lock:
            if self._request is not request:
                return
            self._request = None
            self.alone = True
        self._answer(request, self._local.admit())

    def _take_grant(self, request: "_ProbeRequest | None", shared: SharedState) -> Permit | None:
        if request:
            return self._local.grant(shared)
        if not self._local.bind(shared):  # It came too late: nobody is trying any more.
            self._outbox.add_probe(shared.generation, Health.NONE)
            self._messenger.at_once(self)
        return None

    def _answer(self, request: "_ProbeRequest", admission: Admission) -> None:
        if not request.answer(admission) and isinstance(admission, Permit):
            self.settle(admission, Health.NONE)


class _ProbeRequest:
    """A caller who waits for a permit to try the upstream."""

    __slots__ = ("_timer", "future")

    def __init__(self) -> None:
        self.future: Future[Admission] = Future()
        self._timer: threading.Timer | None = None

    def wait_for(self, seconds: float, otherwise: Callable[[], None]) -> None:
        """Call `otherwise` if there is no answer in time.

        A thread of its own watches the time: the one that talks to Redis may hang in looking up a name. It is one for
        each time that an upstream is tried, about once a minute while it is down.
        """
        self._timer = threading.Timer(seconds, otherwise)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # The interpreter ends, or has no thread left: there is nobody to wait for.
            otherwise()
        if self.future.done():
            self._timer.cancel()

    def answer(self, admission: Admission) -> bool:
        """Answer the caller; return False for one who does not wait any more."""
        if self._timer:
            self._timer.cancel()
        if not self.future.set_running_or_notify_cancel():
            return False
        self.future.set_result(admission)
        return True
