"""What a server lists, kept for each connection; and what its tools declare, with what of its answers counts because of that."""

import logging
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from errata.client._caller_arguments import KEYS, Effect, is_key
from errata.client._connections import Link, ListKind, Page, Port
from errata.client._outcomes import error_object
from errata.http import deadline
from errata.model import Fault, asked_for, items_of, tool_name_or_none
from errata.redaction import as_object, line_of, named
from errata.tools import harmless_by, has_effect, looking_tool, near_tools

_LOG = logging.getLogger("errata")
_MOST_PAGES = 100
"""A server that never stops listing must not keep a call waiting."""
_MOST_ITEMS = 10_000
_MOST_NAMES = 10_000
_MOST_FAILURES = 3
"""So often a server that does not list its tools is asked to, on one connection."""
_LONGEST_S = 5.0
_SHARE = 0.5
"""Of the time for an attempt, so much more may pass before its failure is told."""
_LONGEST_EARLY_S = 60.0
"""Nobody waits for the list that is asked for when a connection is open."""
_STEPS_ASIDE = 20
"""So often others are let pass before it is asked for: a call that is made at once is sent first."""
_WAITS, _WAIT_S = 10, 0.005
"""So long it waits for the answer to that call, which would come later if both were asked for at once."""
_GRACE_S = 5.0
"""So long a list is as good as new, whatever the server says, unless a tool was called since: that may have changed it."""
_METHOD_NOT_FOUND = -32601


class Declared(NamedTuple):
    """What a tool says of itself, or the program says of it."""

    harmless: bool | None
    """Whether calling it twice does no harm; None where it does not say."""
    has_effect: bool | None
    """Whether calling it changes something; None where neither its annotations nor its name tell."""
    arguments: frozenset[str] = frozenset()
    """The names of its arguments."""
    required: frozenset[str] = frozenset()
    """Those of them that a call must have."""
    schema: Mapping[str, object] = MappingProxyType({})
    """The JSON Schema of its arguments, as the server publishes it."""

    def harmless_with(self, arguments: Mapping[str, object]) -> bool | None:
        """Whether making this very call twice does no harm: one with a key is recognised."""
        keys = KEYS & self.arguments  # What is only invented, servers silently ignore.
        return True if any(is_key(arguments.get(name)) for name in keys) else self.harmless


class ToolEffects:
    """What the program itself says of tools, by their names; it outweighs what the server says."""

    __slots__ = ("_by_name", "_uncompared")

    def __init__(self, by_name: Mapping[str, Effect]) -> None:
        self._by_name = by_name
        self._uncompared = set(by_name)

    def applied(self, tool: str, declared: Declared | None) -> Declared | None:
        """Return what is declared of a tool, with the program's word in place of the server's."""
        if tool not in self._by_name:
            return declared
        harmless, changes = _BY_EFFECT[self._by_name[tool]]
        return (declared or _UNKNOWN)._replace(harmless=harmless, has_effect=changes)

    def compare(self, names: Collection[str]) -> None:
        """Warn of tools that the server does not list, once each: a word about a tool that is not there is a typo."""
        missing = self._uncompared.difference(names) if names else ()
        for name in sorted(missing):
            near = asked_for(near_tools(name, _proposable(names)))
            _LOG.warning("`effects` names the tool %s, which the server does not list. %s", named(line_of(name)), near)
            self._uncompared.discard(name)


_UNKNOWN = Declared(harmless=None, has_effect=None)
_BY_EFFECT: dict[Effect, tuple[bool, bool]] = {
    "read_only": (True, False),
    "idempotent": (True, True),
    "destructive": (False, True),
}
"""Whether calling it twice does no harm, and whether it changes something."""


def _declared(tool: object, name: str) -> Declared:
    """Read a tool of the list."""
    annotations, schema = getattr(tool, "annotations", None), as_object(getattr(tool, "input_schema", None))
    properties = as_object(schema.get("properties"))
    arguments = frozenset(name for name, each in properties.items() if each is not False)  # Which nothing fits.
    required = frozenset(each for each in items_of(schema.get("required")) if isinstance(each, str))
    return Declared(harmless_by(annotations), has_effect(name, annotations), arguments, required, schema)


class _List(NamedTuple):
    """A list as it was at one time."""

    items: tuple[Any, ...]
    number: int
    """How many were asked for on this connection until then, this one included."""
    changes: int
    """How many changes had been announced when it was asked for."""
    calls: int
    """How many tools had been called when it came."""
    came_s: float
    expires_s: float | None
    """None where the server names no time: it is good until a change is announced."""
    subscription: int | None
    """The subscription to changes that there was when it was asked for: while that lasts, it does not expire."""
    is_whole: bool
    """Whether it is all that there is; not all are read of a list without an end."""


class ConnectionLists:
    """The lists of one connection, and what is known of the tools in them. A server that was started again may have others."""

    __slots__ = (
        "_announced",
        "_begun",
        "_changes",
        "_declared",
        "_effects",
        "_failures",
        "_lists",
        "_names",
        "_sought",
        "_subscription",
        "_turns",
        "_unlisted",
        "calls",
        "calls_begun",
        "session",
    )

    def __init__(self, session: object | None, effects: ToolEffects) -> None:
        self.session = session
        self.calls_begun = self.calls = 0
        """How many calls of tools have begun, and how many have come to their end."""
        self._effects = effects
        self._lists: dict[ListKind, _List] = {}
        self._begun: Counter[ListKind] = Counter()
        self._changes: Counter[ListKind] = Counter()
        self._announced: frozenset[ListKind] = frozenset()
        """The lists whose changes the server has promised to tell, and tells."""
        self._subscription = 0
        """The number of that promise."""
        self._turns: dict[ListKind, AbstractAsyncContextManager[object]] = {}
        self._declared: dict[str, Declared] = {}
        """Of all tools that were ever listed here: one that comes back is no bolder than it was."""
        self._names: frozenset[str] = frozenset()
        """The tools of the last list."""
        self._unlisted: set[str] = set()
        """Names that were looked for in vain, and are looked for once."""
        self._failures = 0
        self._sought = -1
        """How many changes had been announced when the tools were last asked for in the background."""

    async def get(self, kind: ListKind, port: Port, *, refresh: bool = False) -> tuple[Any, ...]:
        """Return all that the server lists of a kind; those who ask at the same time share one list."""
        begun = self._begun[kind]
        if not refresh and (held := self._fresh(kind)) is not None:
            return held.items
        async with self._turn(kind):
            held = self._fresh(kind)
            if held is None or (refresh and held.number <= begun):  # One that was begun earlier may be older.
                held = await self._list(kind, port)
            return held.items

    async def look_for(self, tool: str, port: Port, *, anew: bool = False) -> None:
        """List the tools if this one is not known, or if it is to be looked for `anew`."""
        before = self._lists.get("tools")
        async with self._turn("tools"):
            if self.knows(tool) and not anew:
                return
            if self._lists.get("tools") is before:  # Else somebody was faster.
                await self._list("tools", port)
            self._unlisted.discard(tool)
            if tool not in self._names and len(self._unlisted) < _MOST_NAMES:
                self._unlisted.add(tool)

    async def list_early(self, port: Port, limit_s: float | None) -> None:
        """List the tools before it matters: a server that has died can no longer be asked."""
        import anyio.lowlevel  # noqa: PLC0415 - whoever has a client has it, too.

        longest = _LONGEST_EARLY_S if limit_s is None else min(limit_s, _LONGEST_EARLY_S)
        for _ in range(_STEPS_ASIDE):
            await anyio.lowlevel.checkpoint()
        for _ in range(_WAITS):
            if self.calls == self.calls_begun:
                break
            await anyio.sleep(_WAIT_S)
        try:
            async with deadline(longest), self._turn("tools"):
                if "tools" not in self._lists or self._is_outdated:  # Else somebody was faster.
                    await self._list("tools", port)
        except Exception as error:  # noqa: BLE001 - nobody has asked for it.
            self.note_failure(line_of(repr(error)))

    def note_failure(self, reason: str, *, is_final: bool = False) -> None:
        """Take note that the tools were not listed; a list that had all its time will not come."""
        self._failures += _MOST_FAILURES if is_final else 1
        _LOG.debug("The tools of a server could not be listed: %s", reason)

    def begin_early(self) -> bool:
        """Return whether the tools are to be listed in the background: once, and once more after each change."""
        changes = self._changes["tools"]
        if self._sought == changes or self._failures >= _MOST_FAILURES or self.session is None:
            return False
        self._sought = changes
        return True

    def note_change(self, kind: ListKind) -> None:
        """Take note that a list is not as it was."""
        self._changes[kind] += 1
        if kind == "tools":
            self._unlisted.clear()

    def announce(self, kinds: Collection[ListKind]) -> None:
        """Take note of which lists the server tells from now on that they have changed."""
        self._subscription += 1
        self._announced = frozenset(kinds)

    def knows(self, tool: str) -> bool:
        """Whether there is no more to be learned of a tool; of a closed connection there is not."""
        if self.session is None or self._failures >= _MOST_FAILURES or tool in self._unlisted:
            return True
        return tool in self._names and not self._is_outdated

    def tells_of(self, tool: str, *, is_doubted: bool) -> bool:
        """Whether the list at hand tells if the server has a tool, or no other will; one that is listed is there unless it `is_doubted`."""
        if self.session is None or self._failures >= _MOST_FAILURES:
            return True
        is_fresh = self._fresh("tools") is not None
        return (tool in self._names and (is_fresh or not is_doubted)) or (tool in self._unlisted and is_fresh)

    def declared(self, tool: str) -> Declared | None:
        """Tell what a tool says of itself, or what the program says of it; None if neither does."""
        known = self._declared.get(tool)
        if known is not None and known.harmless and self._is_outdated:
            known = known._replace(harmless=None)  # The next list may say otherwise.
        return self._effects.applied(tool, known)

    def schema(self, tool: str) -> Mapping[str, object] | None:
        """Return the schema of a tool's arguments; None for a tool that is not known."""
        declared = self._declared.get(tool)
        return declared.schema if declared else None

    def has_effect(self, tool: str) -> bool | None:
        """Return whether calling a tool changes something; one that is not known is judged by its name."""
        declared = self.declared(tool)
        return has_effect(tool) if declared is None else declared.has_effect

    def effects(self, *names: str | None) -> dict[str, bool | None]:
        """Return those of the named tools that the server lists, and whether each has an effect."""
        return {name: self.has_effect(name) for name in names if name in self._names}

    def arguments(self, tool: str) -> frozenset[str] | None:
        """Return the names of a tool's arguments; None where its schema does not name them."""
        declared = self._declared.get(tool)
        return declared.arguments or None if declared else None

    def nearest(self, tool: str) -> dict[str, bool | None] | None:
        """Return the tools whose names are nearest to one that the server does not list; None for one that it does.

        None also where it is not certain: no list, an empty one or one without an end tells nothing.
        """
        held = self._lists.get("tools")
        if held is None or not held.is_whole or not self._names or tool not in self._unlisted or tool in self._names:
            return None
        return self.effects(*near_tools(tool, _proposable(self._names)))

    def looking_tool(self, tool: str, given: Collection[str]) -> str | None:
        """Find a tool that only reads, and shows by its name whether another one has done what it was called for."""
        readers = {
            name: self._declared[name].required
            for name in _proposable(self._names)
            if name in self._declared and self.has_effect(name) is False
        }
        return looking_tool(tool, given, readers)

    @property
    def has_tools(self) -> bool:
        """Whether some are known."""
        return bool(self._names)

    @property
    def _is_outdated(self) -> bool:
        held = self._lists.get("tools")
        return held is not None and held.changes != self._changes["tools"]

    def _fresh(self, kind: ListKind) -> _List | None:
        """Return the list that is kept, if it is still good."""
        held = self._lists.get(kind)
        if held is None or held.changes != self._changes[kind]:
            return None
        if held.expires_s is None or held.subscription == self._subscription:
            return held
        now_s = _now_s()
        is_just_made = held.calls == self.calls and now_s < held.came_s + _GRACE_S
        return held if is_just_made or now_s < held.expires_s else None

    async def _list(self, kind: ListKind, port: Port) -> _List:
        """Read all pages; what they say of tools counts from the first one on."""
        self._begun[kind] += 1
        number, changes = self._begun[kind], self._changes[kind]
        subscription = self._subscription if kind in self._announced else None
        pages = await self._pages(kind, port)
        items = [item for page in pages for item in page.items]
        lives_s = [page.ttl_s for page in pages if page.ttl_s is not None]
        before, now_s = self._lists.get(kind), _now_s()
        held = self._lists[kind] = _List(
            items=tuple(items[:_MOST_ITEMS]),
            number=number,
            changes=changes,
            calls=self.calls,
            came_s=now_s,
            expires_s=now_s + min(lives_s) if lives_s else None,
            subscription=subscription,
            is_whole=pages[-1].next_cursor is None and len(items) <= _MOST_ITEMS,
        )
        if not held.is_whole and (before is None or before.is_whole):
            _LOG.warning("A server lists more %s than are read: %d were.", kind, len(held.items))
        if kind == "tools":
            self._names = frozenset(map(_name_of, held.items))
            self._effects.compare(self._names if held.is_whole else ())
        return held

    async def _pages(self, kind: ListKind, port: Port) -> list[Page]:
        pages: list[Page] = []
        cursors: set[str | None] = set()
        cursor: str | None = None
        while len(pages) < _MOST_PAGES and cursor not in cursors:
            cursors.add(cursor)
            page = await _page(kind, port, cursor)
            pages.append(page)
            if kind == "tools" and port.session is self.session:  # Others may have opened a new one meanwhile.
                self._keep(page.items)
            cursor = page.next_cursor
            if cursor is None or sum(len(each.items) for each in pages) > _MOST_ITEMS:
                break
        return pages

    def _keep(self, tools: Collection[object]) -> None:
        self._names = self._names.union(map(_name_of, tools))
        for tool in tools:
            name = _name_of(tool)
            declared, before = _declared(tool, name), self._declared.get(name)
            if before is not None and before.harmless is not True and declared.harmless:
                # A list that changes makes no tool bolder.
                declared = declared._replace(harmless=before.harmless, has_effect=before.has_effect)
            if before is not None or len(self._declared) < _MOST_NAMES:
                self._declared[name] = declared

    def _turn(self, kind: ListKind) -> AbstractAsyncContextManager[object]:
        if kind not in self._turns:
            import anyio  # noqa: PLC0415 - whoever has a client has it, too.

            self._turns[kind] = anyio.Lock()
        return self._turns[kind]


_CHANGED_BY: dict[object, tuple[ListKind, ...]] = {
    "notifications/tools/list_changed": ("tools",),
    "notifications/prompts/list_changed": ("prompts",),
    "notifications/resources/list_changed": ("resources", "resource_templates"),
}
"""Templates list the same resources."""


class Lists:
    """The lists of one server, those of each connection for themselves; and what the program says of its tools."""

    __slots__ = ("_effects", "current")

    def __init__(self, effects: Mapping[str, Effect]) -> None:
        self._effects = ToolEffects(effects)
        self.current = ConnectionLists(None, self._effects)
        """Those of the connection that was last used."""

    def on(self, port: Port) -> ConnectionLists:
        """Return the lists of the connection that is open now; of one that is closed there are none."""
        session = port.session
        if session is None:
            return ConnectionLists(None, self._effects)
        if session is not self.current.session:
            self.current = ConnectionLists(session, self._effects)
        return self.current

    def hear(self, message: object) -> None:
        """Take note of what a server tells; only that a list has changed matters here."""
        for kind in _CHANGED_BY.get(getattr(message, "method", None), ()):
            self.current.note_change(kind)

    async def learn(self, tool: str, link: Link, *, limit_s: float | None, anew: bool = False) -> ConnectionLists:
        """List the tools if this one is not known, or is to be looked for `anew`; returns the lists in which it was looked for.

        The connection may have been lost with the call, and is opened again: a repetition would meet the tool there.
        """
        longest = _LONGEST_S if limit_s is None else min(_LONGEST_S, limit_s * _SHARE)
        try:
            async with deadline(longest):
                port = await link.port()
                await self.on(port).look_for(tool, port, anew=anew)
        except TimeoutError:
            # One that had all its time will not come; one that was given up in a hurry may.
            self.current.note_failure(f"not within {longest} s", is_final=longest == _LONGEST_S)
        except Exception as error:  # noqa: BLE001 - the call has failed by itself, and that is told.
            self.current.note_failure(line_of(repr(error)))
        return self.current


def with_known(fault: Fault, lists: ConnectionLists, tool: str) -> Fault:
    """Return a fault whose recovery names only tools that the server lists, and arguments that the tool has."""
    recovery = fault.recovery
    if recovery is None or not (recovery.fallback_tool or recovery.verify_tool or recovery.corrective_params):
        return fault
    listed = lists.effects(recovery.fallback_tool, recovery.verify_tool)
    arguments = lists.arguments(tool)
    params = {
        name: value for name, value in recovery.corrective_params.items() if arguments is None or name in arguments
    }
    known = replace(
        recovery,
        fallback_tool=recovery.fallback_tool if recovery.fallback_tool in listed else None,
        verify_tool=recovery.verify_tool if recovery.verify_tool in listed else None,
        corrective_params=params,
    )
    return fault if known == recovery else replace(fault, recovery=known)


async def _page(kind: ListKind, port: Port, cursor: str | None) -> Page:
    """Ask for a page; a server that has no such list has said so in the handshake, or says it now."""
    offers = port.offers(kind)
    if offers is False:
        return _EMPTY
    try:
        return await port.page(kind, cursor)
    except Exception as error:
        is_missing = (error_object(error) or {}).get("code") == _METHOD_NOT_FOUND
        if is_missing and (offers is None or kind == "resource_templates"):
            return _EMPTY
        raise


_EMPTY = Page((), None, None)


def _proposable(names: Collection[str]) -> list[str]:
    """Return the names that can be shown to a model: a sentence is none."""
    return sorted(name for name in names if tool_name_or_none(name) == name)


def _name_of(tool: object) -> str:
    name: object = getattr(tool, "name", "")
    return name if isinstance(name, str) else ""


def _now_s() -> float:
    import anyio  # noqa: PLC0415 - as above.

    return anyio.current_time()
