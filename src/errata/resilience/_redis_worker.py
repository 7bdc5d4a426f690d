"""The thread that talks to Redis, so that no call has to."""

import contextlib
import os
import threading
import time
from collections.abc import Collection
from typing import NamedTuple, Protocol
from weakref import WeakSet

from errata._fork import renewed_after_fork
from errata.resilience._shared_circuit import SharedCircuit
from errata.resilience._trouble import Trouble
from errata.resilience._turn import answer_from

_IDLE_S = 60.0  # After that the thread ends; the next call starts another one.


class Link(Protocol):
    """The way to one Redis."""

    where: str

    def run(self, upstream: str, arguments: list[str | int]) -> object:
        """Run the script; raises whatever went wrong."""
        ...

    def drop(self) -> None:
        """Give up the connection."""
        ...

    def forget(self) -> None:
        """Leave the connection to the process that this one was forked from."""
        ...


class Worker:
    """Takes the turns of circuits: at once what is urgent, and the rest every `refresh_s`."""

    def __init__(self, link: Link, *, refresh_s: float, patience_s: float) -> None:
        self._link = link
        self._refresh_s = refresh_s
        self._patience_s = patience_s
        self._trouble = Trouble(link.where)
        self._is_closed = False
        self.take_new_lock()
        renewed_after_fork(self)

    def take_new_lock(self) -> None:
        """Begin, or begin in a child process: the thread, its lock and its connection are its parent's."""
        self._link.forget()
        self._replica = os.urandom(8).hex()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        # Weak, so that a Redis which is away keeps no circuit that nobody uses any more.
        self._soon: WeakSet[SharedCircuit] = WeakSet()
        self._urgent: WeakSet[SharedCircuit] = WeakSet()
        self._waiting: list[_Round] = []
        self._due = self._idle_at = 0.0
        self._trouble.forget()

    def soon(self, circuit: SharedCircuit) -> None:
        """Take a turn of a circuit when the next ones are due."""
        self._add(self._soon, circuit)

    def at_once(self, circuit: SharedCircuit) -> None:
        """Take a turn of a circuit now; where Redis is in trouble, there is no hurry."""
        self._add(self._soon if circuit.alone else self._urgent, circuit)

    def flush(self, circuits: Collection[SharedCircuit], timeout_s: float) -> bool:
        """Take a turn of circuits now, wait for it, and tell whether every one was answered."""
        this = _Round()
        with self._changed:
            if self._is_closed:
                return False
            self._urgent.update(circuits)
            self._waiting.append(this)
            self._wake()
        return this.done.wait(timeout_s) and this.is_well

    def close(self, timeout_s: float) -> None:
        """End the thread, or leave it to end by itself."""
        with self._changed:
            self._is_closed = True
            thread = self._thread
            self._changed.notify()
        if thread and thread is not threading.current_thread():
            thread.join(timeout_s)

    def _add(self, queue: WeakSet[SharedCircuit], circuit: SharedCircuit) -> None:
        with self._changed:
            queue.add(circuit)
            self._wake()

    def _wake(self) -> None:
        self._idle_at = time.monotonic() + _IDLE_S
        if not self._is_closed and not (self._thread and self._thread.is_alive()):
            self._thread = threading.Thread(target=self._run, name="errata-redis", daemon=True)
            with contextlib.suppress(RuntimeError):  # The interpreter ends, or has no thread left: circuits stay alone.
                self._thread.start()
        self._changed.notify()

    def _run(self) -> None:
        while self._serve(
            self._next()
        ):  # In one expression: a name here would keep circuits that nobody uses any more.
            pass

    def _next(self) -> "_Batch | None":
        """Wait for something to do; None when nobody has asked for anything for long."""
        with self._changed:
            while (now := time.monotonic()) < self._idle_at and not self._is_closed:
                if self._urgent or self._waiting or (self._soon and now >= self._due):
                    return self._take(now)
                self._changed.wait(min(self._due, self._idle_at) - now if self._soon else self._idle_at - now)
            self._end()
            return None

    def _take(self, now: float) -> "_Batch":
        batch = _Batch(set(self._urgent), self._waiting)
        self._urgent.clear()
        self._waiting = []
        if batch.waiting or now >= self._due:
            batch.circuits.update(self._soon)
            self._soon.clear()
            self._due = now + self._refresh_s
        return batch

    def _end(self) -> None:
        self._thread = None
        self._soon.clear()
        self._urgent.clear()
        for each in self._waiting:
            each.end(is_well=False)
        self._waiting = []
        self._link.drop()

    def _serve(self, batch: "_Batch | None") -> bool:
        if batch is None:
            return False
        answered = [self._turn_of(circuit) for circuit in batch.circuits if not self._is_closed]
        for each in batch.waiting:
            each.end(is_well=all(answered))
        return True

    def _turn_of(self, circuit: SharedCircuit) -> bool:
        turn = circuit.turn()
        began = time.monotonic()
        try:
            told = self._link.run(circuit.upstream, turn.arguments(self._replica, circuit.limits))
            answer = answer_from(told, circuit.limits)
        except Exception as error:  # noqa: BLE001 - whatever a Redis, a network or a stranger does, calls go on.
            circuit.missed(turn)
            self._trouble.failed(circuit, error)
            self._again(circuit)
            return False
        took_s = time.monotonic() - began
        circuit.hear(turn, answer)
        circuit.alone = took_s > self._patience_s
        self._trouble.answered(circuit, took_s=took_s, patience_s=self._patience_s)
        return True

    def _again(self, circuit: SharedCircuit) -> None:
        with self._changed:
            self._soon.add(circuit)


class _Batch(NamedTuple):
    circuits: set[SharedCircuit]
    waiting: "list[_Round]"


class _Round:
    """Somebody who waits until every circuit has had its turn."""

    __slots__ = ("done", "is_well")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.is_well = False

    def end(self, *, is_well: bool) -> None:
        """Let them go on."""
        self.is_well = is_well
        self.done.set()
