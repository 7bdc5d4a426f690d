"""What was learned of a server's tools from the lists that passed by."""

import time
from collections.abc import Mapping
from typing import cast

from errata.wire._messages import members_of

_MOST_TOOLS = 10_000
_LONGEST_TTL_MS = 1e12


class ToolTable:
    """The tools of a server as its `tools/list` has shown them, page by page.

    An entry stays known when the list is out of date, because a client may have the old list as well; but then the names
    are no longer known to be all of them. One thread may note pages while others read: the entries are never changed, but
    replaced by others.
    """

    __slots__ = ("_cursor", "_entries", "_expires_s", "_is_whole", "_names", "_old", "_page")

    def __init__(self) -> None:
        self._entries: Mapping[str, Mapping[str, object]] = {}
        self._page: set[str] = set()  # The names of the pages that came since the first one.
        self._names: frozenset[str] = frozenset()
        self._cursor: object = None  # Of the page that has to come next.
        self._is_whole = False
        self._old = False
        self._expires_s = float("inf")

    @property
    def names(self) -> frozenset[str] | None:
        """The names of all tools; None unless all pages of a list have passed, and it is good still."""
        is_good = self._is_whole and not self._old and time.monotonic() < self._expires_s
        return self._names if is_good else None

    @property
    def is_current(self) -> bool:
        """Whether no change of the list was announced since it came."""
        return not self._old

    def get(self, name: str | None) -> Mapping[str, object] | None:
        """Return a tool's entry in the list, as it was last seen; None for a tool that was not seen."""
        return None if name is None else self._entries.get(name)

    def entries(self) -> Mapping[str, Mapping[str, object]] | None:
        """Return the entries of all tools of the list; None unless it is whole and good still."""
        names = self.names
        return None if names is None else {name: entry for name, entry in self._entries.items() if name in names}

    def mark_changed(self) -> None:
        """Note that the server has announced a change of its list."""
        self._old = True

    def note_page(self, params: Mapping[str, object], result: Mapping[str, object]) -> None:
        """Learn a page of the list, from the params of its request and from the result."""
        cursor, next_cursor, tools = params.get("cursor"), result.get("nextCursor"), result.get("tools")
        if not isinstance(tools, list):
            return
        if cursor is None:
            self._page = set()
            self._is_whole, self._old, self._cursor = False, False, None
            self._expires_s = float("inf")
        self._expires_s = min(self._expires_s, _read_expiry(result.get("ttlMs")))
        entries = map(members_of, cast("list[object]", tools))
        self._note_entries({name: entry for entry in entries if isinstance(name := entry.get("name"), str)})
        is_whole = self._is_whole
        if cursor is None or (isinstance(cursor, str) and cursor == self._cursor):  # Else a page is missing before it.
            self._cursor = next_cursor
            is_whole = next_cursor is None
        if is_whole:
            self._names = frozenset(self._page)
        self._is_whole = is_whole and len(self._page) <= _MOST_TOOLS

    def _note_entries(self, entries: Mapping[str, Mapping[str, object]]) -> None:
        others = {name: entry for name, entry in self._entries.items() if name not in entries}
        self._entries = dict([*others.items(), *entries.items()][-_MOST_TOOLS:])  # The youngest stand at the end.
        for name in entries:
            if len(self._page) <= _MOST_TOOLS:  # One more than that tells of a list that is too long to be known.
                self._page.add(name)


def _read_expiry(ttl_ms: object) -> float:
    if isinstance(ttl_ms, int | float) and not isinstance(ttl_ms, bool) and 0 <= ttl_ms < _LONGEST_TTL_MS:
        return time.monotonic() + ttl_ms / 1000
    return float("inf")
