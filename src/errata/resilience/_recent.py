"""Entries that are used are kept, and so are the last ones beyond that; not every name that was ever heard."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar
from weakref import WeakValueDictionary

from errata._fork import renewed_after_fork

_MOST_UNUSED: Final = 1024
_E = TypeVar("_E")


class Recent(Generic[_E]):
    """Entries by their names: circuits and budgets by those of their upstreams."""

    __slots__ = ("__weakref__", "_in_use", "_lock", "_recent")

    def __init__(self) -> None:
        self._in_use: WeakValueDictionary[str, _E] = WeakValueDictionary()
        self._recent: OrderedDict[str, _E] = OrderedDict()
        self.take_new_lock()
        renewed_after_fork(self)

    def get(self, name: str, make: Callable[[], _E]) -> _E:
        """Give the entry of a name, or make it."""
        with self._lock:
            entry = self._in_use.get(name)
            if entry is None:
                entry = make()
            self._in_use[name] = self._recent[name] = entry
            self._recent.move_to_end(name)
            if len(self._recent) > _MOST_UNUSED:
                self._recent.popitem(last=False)
            return entry

    def all(self) -> list[_E]:
        """List those that there are."""
        with self._lock:
            return list(self._in_use.values())

    def forget_unused(self, name: str | None = None) -> None:
        """Forget the entry of a name, or all, unless somebody uses it."""
        with self._lock:
            if name is None:
                self._recent.clear()
            else:
                self._recent.pop(name, None)

    def take_new_lock(self) -> None:
        """Begin, or begin in a child process."""
        self._lock = threading.Lock()
