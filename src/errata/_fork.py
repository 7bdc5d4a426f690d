"""Fork safety: a process may be forked while other threads of it are at work.

A lock that another thread held is held in the child, by nobody, for ever: every lock of errata is renewed there. A module
that another thread was loading would be locked in the same way: the parent waits until it is loaded. This module is
loaded with `import errata`, and is cheap.
"""

import _thread
import os
import sys
import time
from typing import Protocol
from weakref import WeakSet

_LOADED_LATE = frozenset(
    {"base64", "concurrent", "difflib", "email", "encodings", "errata", "importlib", "json", "redis", "threading"}
)
"""Packages that are loaded when they are first needed, which may be in a thread."""
_LONGEST_S, _STEP_S = 5.0, 0.001
"""Loading takes milliseconds. It is not waited for longer: whoever loads may be waiting for a lock that this thread has."""


class _Locked(Protocol):
    def take_new_lock(self) -> None: ...


_LOCKED: WeakSet[_Locked] = WeakSet()


def renew_after_fork(locked: _Locked) -> None:
    """Call the method `take_new_lock` of an object in every child process."""
    _LOCKED.add(locked)


class ForkSafeLock:
    """A lock that a forked child does not find taken: `with _LOCK.current:`. Its own thread may take it again."""

    __slots__ = ("__weakref__", "current")

    def __init__(self) -> None:
        self.take_new_lock()
        renew_after_fork(self)

    def take_new_lock(self) -> None:
        """Make a new lock, which nobody holds."""
        import threading  # noqa: PLC0415 - only breakers and budgets pay for loading it.

        self.current = threading.RLock()


def _let_loading_end() -> None:
    """Wait until no other thread is loading a module that a child would find half loaded, and locked."""
    ends = time.monotonic() + _LONGEST_S
    while _is_loading() and time.monotonic() < ends:
        time.sleep(_STEP_S)


def _is_loading() -> bool:
    """Return whether another thread is loading one of those packages, or is about to.

    `__spec__._initializing` would show it too late: the lock of a module is taken before there is a module.
    """
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    this_thread = _thread.get_ident()
    # They are weak references: a lock that nobody uses any more is gone.
    late = [lock() for name, lock in list(locks.items()) if name.partition(".")[0] in _LOADED_LATE]
    return any(lock is not None and lock.owner != this_thread for lock in late)


def _renew_all() -> None:
    for locked in list(_LOCKED):
        locked.take_new_lock()


if hasattr(os, "register_at_fork"):  # Where there is no fork there is nothing to renew.
    os.register_at_fork(before=_let_loading_end, after_in_child=_renew_all)
