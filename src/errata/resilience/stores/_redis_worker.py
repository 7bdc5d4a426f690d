"""The thread that talks to Redis, so that no call has to."""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Collection
from typing import NamedTuple
from weakref import WeakSet

from errata._fork import renew_after_fork
from errata.redaction import line_of
from errata.resilience.stores._exchange import Shared
from errata.resilience.stores._redis_connection import RedisConnection

_IDLE_S = 60.0  # After that the thread ends; the next call starts another one.


class RedisWorker:
    """Exchanges the state of circuits and budgets with Redis: at once what is urgent, and the rest every `refresh_s`."""

    def __init__(self, connection: RedisConnection, *, refresh_s: float, patience_s: float) -> None:
        self._connection = connection
        self._refresh_s = refresh_s
        self._patience_s = patience_s
        self._outages = RedisOutageLog(connection.where)
        self._is_closed = False
        self.take_new_lock()
        renew_after_fork(self)

    def take_new_lock(self) -> None:
        """Start anew, also in a child process: the thread, its lock and its connection stay with the parent."""
        self._connection.forget()
        self._replica = os.urandom(8).hex()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        # Weak, so that a Redis which is away keeps no circuit that nobody uses any more.
        self._soon: WeakSet[Shared] = WeakSet()
        self._urgent: WeakSet[Shared] = WeakSet()
        self._waiting: list[_Round] = []
        self._due = self._idle_at = 0.0
        self._outages.forget()

    def soon(self, shared: Shared) -> None:
        """Exchange the state of a circuit or a budget when the next exchange is due."""
        self._add(self._soon, shared)

    def at_once(self, shared: Shared) -> None:
        """Exchange it now; if Redis does not answer in time, there is no hurry."""
        self._add(self._soon if shared.alone else self._urgent, shared)

    def flush(self, shared: Collection[Shared], timeout_s: float) -> bool:
        """Exchange several now, wait for it, and return whether every one was answered."""
        this = _Round()
        with self._changed:
            if self._is_closed:
                return False
            self._urgent.update(shared)
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

    def _add(self, queue: WeakSet[Shared], shared: Shared) -> None:
        with self._changed:
            queue.add(shared)
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
        """Wait for something to do; return None when there was nothing for long."""
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
            batch.shared.update(self._soon)
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
        self._connection.drop()

    def _serve(self, batch: "_Batch | None") -> bool:
        if batch is None:
            return False
        answered = [self._exchange(shared) for shared in batch.shared if not self._is_closed]
        for each in batch.waiting:
            each.end(is_well=all(answered))
        return True

    def _exchange(self, shared: Shared) -> bool:
        exchange = shared.begin_exchange(self._replica)
        began = time.monotonic()
        try:
            answer = self._connection.run(shared.upstream, exchange.arguments, exchange.script, exchange.keys)
            took_s = time.monotonic() - began
            exchange.follow(answer)
        except Exception as error:  # noqa: BLE001 - whatever a Redis, a network or a stranger does, calls go on.
            exchange.fail()
            self._outages.note_failure(shared, error)
            self._retry_later(shared)
            return False
        shared.alone = took_s > self._patience_s
        self._outages.note_answer(shared, took_s=took_s, patience_s=self._patience_s)
        return True

    def _retry_later(self, shared: Shared) -> None:
        with self._changed:
            self._soon.add(shared)


class _Batch(NamedTuple):
    shared: set[Shared]
    waiting: "list[_Round]"


class _Round:
    """Somebody who waits until every circuit and budget was exchanged."""

    __slots__ = ("done", "is_well")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.is_well = False

    def end(self, *, is_well: bool) -> None:
        """End the wait, and keep whether every exchange worked."""
        self.is_well = is_well
        self.done.set()


_LOG = logging.getLogger("errata")
_LONGEST = 300
_SLOW_IN_A_ROW = 3  # One answer that takes its time is a busy machine.
_WHILE_AWAY = "Until it answers, every replica keeps its circuits and budgets for itself; no call waits for it."
_WHILE_SLOW = "Circuits and budgets are shared, but every replica decides for itself when it tries an upstream again."


class RedisOutageLog:
    """Logs once when Redis cannot be used or is slow, and once when it is well again."""

    __slots__ = ("__weakref__", "_is_logged", "_slow", "_where", "_whose")

    def __init__(self, where: str) -> None:
        self._where = where
        self.forget()

    def forget(self) -> None:
        """Start anew, also in a child process: no outage is known."""
        self._whose: WeakSet[object] = WeakSet()
        self._is_logged = False
        self._slow = 0

    def note_failure(self, whose: object, error: Exception) -> None:
        """Note that Redis could not be asked."""
        self._begin(whose, f"cannot be used: {_describe(error)}. {_WHILE_AWAY}")

    def note_answer(self, whose: object, *, took_s: float, patience_s: float) -> None:
        """Note that it answered; an answer that comes too late to be waited for is logged, too."""
        self._end(whose)
        if took_s <= patience_s:
            self._slow = max(self._slow - 1, 0)
        else:
            self._slow = min(self._slow + 1, _SLOW_IN_A_ROW)
        if self._slow == _SLOW_IN_A_ROW:
            took, most = took_s * 1000, patience_s * 1000
            self._begin(self, f"is slow: it took {took:.0f} ms, and nobody waits longer than {most:.0f}. {_WHILE_SLOW}")
        elif not self._slow:
            self._end(self)

    def _begin(self, whose: object, what: str) -> None:
        self._whose.add(whose)
        if not self._is_logged:
            self._is_logged = True
            self._log(logging.WARNING, what)

    def _end(self, whose: object) -> None:
        self._whose.discard(whose)
        if self._is_logged and not self._whose:
            self._is_logged = False
            self._log(logging.INFO, "is well again: circuits and budgets are shared.")

    def _log(self, level: int, what: str) -> None:
        _LOG.log(level, "Redis at `%s` %s", self._where, what, extra={"errata": {"redis": self._where}})


def _describe(error: Exception) -> str:
    """Return what went wrong, in one line; a foreign exception may have no text, or fail to give it."""
    try:
        text = line_of(str(error), _LONGEST)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything.
        text = ""
    return f"{type(error).__name__}: {text}".rstrip(": .")
