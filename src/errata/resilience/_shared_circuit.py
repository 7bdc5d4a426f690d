"""The circuit of one upstream that several replicas share."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Protocol

from errata._fork import renewed_after_fork
from errata.model import Code
from errata.resilience._circuit import Admission, Facts, Limits, Listener, Permit, Refusal, Verdict
from errata.resilience._local_half import LocalHalf
from errata.resilience._outbox import Outbox, next_number
from errata.resilience._turn import NEVER, UNKNOWN, Answer, Turn

_WELL: Final = Verdict.WELL


class Messenger(Protocol):
    """Who talks to the other replicas, in a thread of its own."""

    def soon(self, circuit: "SharedCircuit") -> None:
        """Take a turn of the circuit when the next ones are due."""
        ...

    def at_once(self, circuit: "SharedCircuit") -> None:
        """Take a turn of the circuit now."""
        ...


class SharedCircuit:
    """Decides by what it knows, and tells and hears the rest in the background.

    No call waits for anybody, but for one: the call that would try the upstream asks whether another replica does, for
    `patience_s` at most.
    """

    # `_is_quiet` is true until the first call after a turn: reading it is all that sharing costs a closed circuit.
    __slots__ = (
        "__weakref__",
        "_asked",
        "_is_quiet",
        "_local",
        "_lock",
        "_messenger",
        "_outbox",
        "_patience_s",
        "alone",
        "limits",
    )

    def __init__(self, local: LocalHalf, limits: Limits, messenger: Messenger, patience_s: float) -> None:
        self.limits: Limits = limits
        self._local = local
        self._messenger = messenger
        self._patience_s = patience_s
        self.take_new_lock()
        renewed_after_fork(self)

    def take_new_lock(self) -> None:
        """Begin, or begin in a child process: what is untold, and who waits, is its parent's business."""
        self._lock = threading.RLock()
        self._outbox = Outbox(self.limits.weighed, self._local.succeeded_yet)
        self._asked: _Asked | None = None
        self._is_quiet = True
        self.alone: bool = True
        """Whether nobody can be asked in time; so it is until somebody was."""

    @property
    def upstream(self) -> str:
        """The name of what is called."""
        return self._local.upstream

    def admit(self) -> Permit | Refusal | Future[Admission]:
        """Ask for leave to call."""
        if self._is_quiet:
            self._stir()
        return self._local.permit or self._ask_or_refuse()

    def settle(self, permit: Permit, verdict: Verdict, code: Code | None = None) -> None:
        """Tell how the call went."""
        if verdict is _WELL and not permit.is_probe:
            self._local.settle(permit, verdict)
            return
        if permit.is_probe or verdict is Verdict.ILL:
            so_far = next_number()  # Nothing else fails while the upstream is tried: what failed did so before.
            generation = self._keep(permit, verdict, code)
            self._local.settle(permit, verdict, code)
            if generation is not None and permit.is_probe and self._local.permit:
                self._recovered(so_far, alone=generation == UNKNOWN)
            self._messenger.at_once(self)

    def facts(self) -> Facts:
        """Tell what is known; answers are counted by each replica for itself."""
        return self._local.facts()

    def watch(self, listener: Listener) -> None:
        """Have somebody told of every change."""
        self._local.watch(listener)

    def turn(self) -> Turn:
        """Take out what there is to tell and to ask."""
        with self._lock:
            self._is_quiet = True
            if not self._local.permit:
                self._outbox.relapsed()
            wait_s, open_for_s = self._local.pause()
            return self._outbox.take(
                self._local.now(),
                self._local.succeeded_yet,
                asks=self._asked is not None,
                wait_s=wait_s,
                open_for_s=open_for_s,
            )

    def hear(self, turn: Turn, answer: Answer) -> None:
        """Take over how things stand, and answer whoever asked."""
        asked, admission = None, None
        with self._lock:
            if turn.asks:
                asked, self._asked = self._asked, None
            if answer.granted:
                admission = self._granted(asked, answer)
            elif not self._outbox.outdates(answer):
                self._local.follow(answer)
        if asked:
            self._tell(asked, admission or self._local.standing() or self._local.refusal())
        self._local.announce()  # Last: whoever listens may take their time.

    def missed(self, turn: Turn) -> None:
        """Keep what could not be told, and decide alone."""
        with self._lock:
            self.alone = True
            self._outbox.put_back(turn)
            asked = self._asked
        if asked:
            self._decide_alone(asked)

    def _stir(self) -> None:
        self._is_quiet = False
        self._messenger.soon(self)

    def _keep(self, permit: Permit, verdict: Verdict, code: Code | None) -> int | None:
        """Keep what came of a call; None where it decides nothing, else its generation elsewhere."""
        with self._lock:
            generation = self._local.generation_elsewhere(permit)
            if generation is None:
                return None
            if permit.is_probe:
                self._outbox.probed(generation, verdict, code)
            else:
                self._outbox.failed(generation, self._local.now(), code, self._local.succeeded_yet)
            return generation

    def _recovered(self, at: int, *, alone: bool) -> None:
        """Tell of a recovery. A probe that was granted tells it itself: the others have counted the ones before it."""
        with self._lock:
            self._outbox.recovered(at, self._local.last_heard() if alone else NEVER)

    def _ask_or_refuse(self) -> Permit | Refusal | Future[Admission]:
        if self.alone:
            return self._local.admit()
        with self._lock:
            if standing := self._local.standing():
                return standing
            if self._asked:
                return self._local.refusal()
            asked = self._asked = _Asked()
        self._messenger.at_once(self)
        asked.wait_for(self._patience_s, lambda: self._decide_alone(asked))
        return asked.future

    def _decide_alone(self, asked: "_Asked") -> None:
        with self._lock:
            if self._asked is not asked:
                return
            self._asked = None
            self.alone = True
        self._tell(asked, self._local.admit())

    def _granted(self, asked: "_Asked | None", answer: Answer) -> Permit | None:
        if asked:
            return self._local.grant(answer)
        if not self._local.bind(answer):  # It came too late: nobody is trying any more.
            self._outbox.probed(answer.generation, Verdict.NONE)
            self._messenger.at_once(self)
        return None

    def _tell(self, asked: "_Asked", admission: Admission) -> None:
        if not asked.answer(admission) and isinstance(admission, Permit):
            self.settle(admission, Verdict.NONE)


class _Asked:
    """A caller who waits for leave to try the upstream."""

    __slots__ = ("_timer", "future")

    def __init__(self) -> None:
        self.future: Future[Admission] = Future()
        self._timer: threading.Timer | None = None

    def wait_for(self, seconds: float, otherwise: Callable[[], None]) -> None:
        """Let somebody else decide if there is no answer in time.

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
        """Answer the caller; False for one who does not wait any more."""
        if self._timer:
            self._timer.cancel()
        if not self.future.set_running_or_notify_cancel():
            return False
        self.future.set_result(admission)
        return True
