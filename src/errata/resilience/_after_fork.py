"""A lock that was held by another thread when the process was forked is held in the child, by nobody, for ever."""

import os
import threading
from typing import Protocol
from weakref import WeakSet


class _Locked(Protocol):
    def take_new_lock(self) -> None: ...


_LOCKED: WeakSet[_Locked] = WeakSet()


def renewed_after_fork(locked: _Locked) -> None:
    """Have something take a new lock in every child process."""
    _LOCKED.add(locked)


class LockOfModule:
    """The lock of a whole module: `with _LOCK.now:`. Its own thread may take it again, as a signal's handler does."""

    __slots__ = ("__weakref__", "now")

    def __init__(self) -> None:
        self.take_new_lock()
        renewed_after_fork(self)

    def take_new_lock(self) -> None:
        """Begin, or begin in a child process."""
        self.now = threading.RLock()


def _renew_all() -> None:
    for locked in list(_LOCKED):
        locked.take_new_lock()


if hasattr(os, "register_at_fork"):  # Where there is no fork there is nothing to renew.
    os.register_at_fork(after_in_child=_renew_all)
