"""Circuits and budgets by the names of their upstreams; those in use are kept, and the last ones beyond that."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar
from weakref import WeakValueDictionary

from errata._fork import renew_after_fork

_MOST_UNUSED: Final = 1024
_E = TypeVar("_E")


class UpstreamRegistry(Generic[_E]):
    """One entry for each upstream. Not every name that was ever heard is kept: names may come from callers."""

    __slots__ = ("__weakref__", "_in_use", "_lock", "_recent")

    def __init__(self) -> None:
        self._in_use: WeakValueDictionary[str, _E] = WeakValueDictionary()
        self._recent: OrderedDict[str, _E] = OrderedDict()
        self.take_new_lock()
        renew_after_fork(self)

    def get(self, upstream: str, make: Callable[[], _E]) -> _E:
        """Return the entry of an upstream, or make it."""
        with self._lock:
            entry = self._in_use.get(upstream)
            if entry is None:
                entry = make()
            self._in_use[upstream] = self._recent[upstream] = entry
            self._recent.move_to_end(upstream)
            if len(self._recent) > _MOST_UNUSED:
                self._recent.popitem(last=False)
            return entry

    def all(self) -> list[_E]:
        """Return all entries that there are."""
        with self._lock:
            return list(self._in_use.values())

    def forget_unused(self, upstream: str | None = None) -> None:
        """Forget the entry of an upstream, or all of them, unless somebody uses it."""
        with self._lock:
            if upstream is None:
                self._recent.clear()
            else:
                self._recent.pop(upstream, None)

    def take_new_lock(self) -> None:
        """Make a new lock, at the beginning and in a child process."""
        self._lock = threading.Lock()
