"""What a server lists, kept for each connection, and what its tools declare."""

import logging
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from errata.client._caller_arguments import KEYS, is_key
from errata.client._connections import Connection, ListKind, OpenClient, Page, read_member
from errata.dialects import to_error_object
from errata.model import Fault, items_of, phrase_suggestion, tool_name_or_none
from errata.redaction import as_object, line_of, quote_name
from errata.tools import MEANING_OF_EFFECT, Effect, find_near_tools, find_verifying_tool, has_effect, read_harmless

_LOG = logging.getLogger("errata")
_MOST_PAGES = 100
"""The limit for a server that never stops listing: it must not keep a call waiting."""
_MOST_ITEMS = 10_000
_MOST_NAMES = 10_000
_MOST_FAILURES = 3
"""How often a server that fails to list its tools is asked again, on one connection."""
_LONGEST_S = 5.0
_SHARE = 0.5
"""The share of an attempt's time limit that learning about a tool may add before the failure is raised."""
_LONGEST_EARLY_S = 60.0
"""The limit for the list that is read in the background; no call waits for it."""
_STEPS_ASIDE = 20
"""How many steps other tasks get first, so that a call made at once is sent before the list is requested."""
_WAITS, _WAIT_S = 10, 0.005
"""How long that request waits for the answer to such a call, which a concurrent list would delay."""
_GRACE_S = 5.0
"""How long a list counts as fresh, whatever the server says, unless a call of a tool may have changed it since."""
_METHOD_NOT_FOUND = -32601


class ToolDeclaration(NamedTuple):
    """What a tool declares about itself, or what the program says about it."""

    harmless: bool | None
    """Whether calling it twice does no harm; None if it does not declare that."""
    has_effect: bool | None
    """Whether calling it changes something; None if neither its annotations nor its name tell."""
    arguments: frozenset[str] = frozenset()
    """The names of its arguments."""
    required: frozenset[str] = frozenset()
    """The names of the arguments that a call must have."""
    schema: Mapping[str, object] = MappingProxyType({})
    """The JSON Schema of its arguments, as the server publishes it."""

    def harmless_with(self, arguments: Mapping[str, object]) -> bool | None:
        """Return whether making a call with these arguments twice does no harm: the server recognises an idempotency key."""
        keys = KEYS & self.arguments  # Servers silently ignore arguments that they do not declare.
        return True if any(is_key(arguments.get(name)) for name in keys) else self.harmless


class ToolEffects:
    """What the program itself says about tools, by their names; it overrides what the server declares."""

    __slots__ = ("_by_name", "_uncompared")

    def __init__(self, by_name: Mapping[str, Effect]) -> None:
        self._by_name = by_name
        self._uncompared = set(by_name)

    def override(self, tool: str, declaration: ToolDeclaration | None) -> ToolDeclaration | None:
        """Return a tool's declaration, with the program's effect instead of the server's."""
        if tool not in self._by_name:
            return declaration
        harmless, changes = MEANING_OF_EFFECT[self._by_name[tool]]
        return (declaration or _UNKNOWN)._replace(harmless=harmless, has_effect=changes)

    def warn_of_unknown_tools(self, names: Collection[str]) -> None:
        """Warn once about each tool that the server does not list: the name is probably misspelt."""
        missing = self._uncompared.difference(names) if names else ()
        for name in sorted(missing):
            near = phrase_suggestion(find_near_tools(name, _proposable(names)))
            _LOG.warning(
                "`effects` names the tool %s, which the server does not list. %s", quote_name(line_of(name)), near
            )
            self._uncompared.discard(name)


_UNKNOWN = ToolDeclaration(harmless=None, has_effect=None)


def _read_declaration(tool: object, name: str) -> ToolDeclaration:
    """Return what an entry of the list declares."""
    annotations, schema = getattr(tool, "annotations", None), as_object(read_member(tool, "input_schema"))
    properties = as_object(schema.get("properties"))
    arguments = frozenset(name for name, each in properties.items() if each is not False)  # No value fits `false`.
    required = frozenset(each for each in items_of(schema.get("required")) if isinstance(each, str))
    return ToolDeclaration(read_harmless(annotations), has_effect(name, annotations), arguments, required, schema)


class _List(NamedTuple):
    """A list as it was when it came."""

    items: tuple[Any, ...]
    number: int
    """Its number among the lists of this kind that were requested on the connection."""
    changes: int
    """How many changes had been announced when it was requested."""
    calls: int
    """How many calls of tools had ended when it came."""
    came_s: float
    expires_s: float | None
    """None if the server names no time: then it is good until a change is announced."""
    subscription: int | None
    """The subscription to changes at the time of the request: while that lasts, the list does not expire."""
    is_whole: bool
    """Whether all pages were read; a list without an end is cut off."""


class ConnectionLists:
    """The lists of one connection, and what is known about the tools in them. A restarted server may have others."""

    __slots__ = (
        "_announced",
        "_begun",
        "_changes",
        "_declarations",
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
        """How many calls of tools have begun, and how many have ended."""
        self._effects = effects
        self._lists: dict[ListKind, _List] = {}
        self._begun: Counter[ListKind] = Counter()
        self._changes: Counter[ListKind] = Counter()
        self._announced: frozenset[ListKind] = frozenset()
        """The lists whose changes the server announces."""
        self._subscription = 0
        """Counts how often the set of announced lists has changed."""
        self._turns: dict[ListKind, AbstractAsyncContextManager[object]] = {}
        self._declarations: dict[str, ToolDeclaration] = {}
        """The declarations of all tools that were ever listed here: one that is listed again is trusted no more than before."""
        self._names: frozenset[str] = frozenset()
        """The tools of the last list."""
        self._unlisted: set[str] = set()
        """Names that were not listed; each is looked for once."""
        self._failures = 0
        self._sought = -1
        """How many changes had been announced when the tools were last listed in the background."""

    async def get(self, kind: ListKind, client: OpenClient, *, refresh: bool = False) -> tuple[Any, ...]:
        """Return everything that the server lists of a kind; concurrent callers share one list."""
        begun = self._begun[kind]
        if not refresh and (held := self._fresh(kind)) is not None:
            return held.items
        async with self._turn(kind):
            held = self._fresh(kind)
            if held is None or (refresh and held.number <= begun):  # An earlier request may show an earlier state.
                held = await self._list(kind, client)
            return held.items

    async def look_for(self, tool: str, client: OpenClient, *, anew: bool = False) -> None:
        """List the tools if this one is not known, or in any case if `anew`."""
        before = self._lists.get("tools")
        async with self._turn("tools"):
            if self.knows(tool) and not anew:
                return
            if self._lists.get("tools") is before:  # Else somebody was faster.
                await self._list("tools", client)
            self._unlisted.discard(tool)
            if tool not in self._names and len(self._unlisted) < _MOST_NAMES:
                self._unlisted.add(tool)

    async def list_early(self, client: OpenClient, limit_s: float | None) -> None:
        """List the tools before it matters: a server that has died can no longer be asked."""
        import anyio.lowlevel  # noqa: PLC0415 - a client brings it along; `decide` does without.

        longest = _LONGEST_EARLY_S if limit_s is None else min(limit_s, _LONGEST_EARLY_S)
        for _ in range(_STEPS_ASIDE):
            await anyio.lowlevel.checkpoint()
        for _ in range(_WAITS):
            if self.calls == self.calls_begun:
                break
            await anyio.sleep(_WAIT_S)
        try:
            with anyio.fail_after(longest):
                async with self._turn("tools"):
                    if "tools" not in self._lists or self._is_outdated:  # Else somebody was faster.
                        await self._list("tools", client)
        except Exception as error:  # noqa: BLE001 - no call waits for it.
            self.note_failure(line_of(repr(error)))

    def note_failure(self, reason: str, *, is_final: bool = False) -> None:
        """Count a failure to list the tools; after a final one the server is not asked again."""
        self._failures += _MOST_FAILURES if is_final else 1
        _LOG.debug("The tools of a server could not be listed: %s", reason)

    def begin_early(self) -> bool:
        """Return whether the tools should be listed in the background now: once, and once more after each change."""
        changes = self._changes["tools"]
        if self._sought == changes or self._failures >= _MOST_FAILURES or self.session is None:
            return False
        self._sought = changes
        return True

    def note_change(self, kind: ListKind) -> None:
        """Note that the server has announced a change of a list."""
        self._changes[kind] += 1
        if kind == "tools":
            self._unlisted.clear()

    def announce(self, kinds: Collection[ListKind]) -> None:
        """Note which lists the server announces changes of from now on."""
        self._subscription += 1
        self._announced = frozenset(kinds)

    def knows(self, tool: str) -> bool:
        """Return whether there is no more to be learned about a tool; on a closed connection there is not."""
        if self.session is None or self._failures >= _MOST_FAILURES or tool in self._unlisted:
            return True
        return tool in self._names and not self._is_outdated

    def settles_existence(self, tool: str, *, is_doubted: bool) -> bool:
        """Return whether the present list settles if the server has a tool, or no later one could.

        A tool that is listed exists, unless the server's answer makes that `is_doubted`.
        """
        if self.session is None or self._failures >= _MOST_FAILURES:
            return True
        is_fresh = self._fresh("tools") is not None
        return (tool in self._names and (is_fresh or not is_doubted)) or (tool in self._unlisted and is_fresh)

    def declaration(self, tool: str) -> ToolDeclaration | None:
        """Return what a tool declares, or what the program says about it; None if neither does."""
        known = self._declarations.get(tool)
        if known is not None and known.harmless and self._is_outdated:
            known = known._replace(harmless=None)  # The next list may declare otherwise.
        return self._effects.override(tool, known)

    def schema(self, tool: str) -> Mapping[str, object] | None:
        """Return the schema of a tool's arguments; None for an unknown tool."""
        declaration = self._declarations.get(tool)
        return declaration.schema if declaration else None

    def has_effect(self, tool: str) -> bool | None:
        """Return whether calling a tool changes something; an unknown one is judged by its name."""
        declaration = self.declaration(tool)
        return has_effect(tool) if declaration is None else declaration.has_effect

    def effects(self, *names: str | None) -> dict[str, bool | None]:
        """Return which of the named tools the server lists, and whether each has an effect."""
        return {name: self.has_effect(name) for name in names if name in self._names}

    def arguments(self, tool: str) -> frozenset[str] | None:
        """Return the names of a tool's arguments; None if its schema does not name them."""
        declaration = self._declarations.get(tool)
        return declaration.arguments or None if declaration else None

    def nearest(self, tool: str) -> dict[str, bool | None] | None:
        """Return the tools with the names nearest to one that the server does not list; None for a tool that it lists.

        None also where that is not certain: without a list, or with an empty or endless one.
        """
        held = self._lists.get("tools")
        if held is None or not held.is_whole or not self._names or tool not in self._unlisted or tool in self._names:
            return None
        return self.effects(*find_near_tools(tool, _proposable(self._names)))

    def find_looking_tool(self, tool: str, given: Collection[str]) -> str | None:
        """Return a tool that only reads, and by its name can show whether a call of another one took effect."""
        readers = {
            name: self._declarations[name].required
            for name in _proposable(self._names)
            if name in self._declarations and self.has_effect(name) is False
        }
        return find_verifying_tool(tool, given, readers)

    @property
    def has_tools(self) -> bool:
        """Whether any tools are known."""
        return bool(self._names)

    @property
    def _is_outdated(self) -> bool:
        held = self._lists.get("tools")
        return held is not None and held.changes != self._changes["tools"]

    def _fresh(self, kind: ListKind) -> _List | None:
        """Return the kept list, if it is still good."""
        held = self._lists.get(kind)
        if held is None or held.changes != self._changes[kind]:
            return None
        if held.expires_s is None or held.subscription == self._subscription:
            return held
        now_s = _now_s()
        is_just_made = held.calls == self.calls and now_s < held.came_s + _GRACE_S
        return held if is_just_made or now_s < held.expires_s else None

    async def _list(self, kind: ListKind, client: OpenClient) -> _List:
        """Read all pages of a list; the tools of each page are known as soon as it comes."""
        self._begun[kind] += 1
        number, changes = self._begun[kind], self._changes[kind]
        subscription = self._subscription if kind in self._announced else None
        pages = await self._pages(kind, client)
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
            self._effects.warn_of_unknown_tools(self._names if held.is_whole else ())
        return held

    async def _pages(self, kind: ListKind, client: OpenClient) -> list[Page]:
        pages: list[Page] = []
        cursors: set[str | None] = set()
        cursor: str | None = None
        while len(pages) < _MOST_PAGES and cursor not in cursors:
            cursors.add(cursor)
            page = await _request_page(kind, client, cursor)
            pages.append(page)
            if (
                kind == "tools" and client.session is self.session
            ):  # The connection may have been opened anew meanwhile.
                self._keep(page.items)
            cursor = page.next_cursor
            if cursor is None or sum(len(each.items) for each in pages) > _MOST_ITEMS:
                break
        return pages

    def _keep(self, tools: Collection[object]) -> None:
        self._names = self._names.union(map(_name_of, tools))
        for tool in tools:
            name = _name_of(tool)
            declaration, before = _read_declaration(tool, name), self._declarations.get(name)
            if before is not None and before.harmless is not True and declaration.harmless:
                # A changed list gives no tool more trust.
                declaration = declaration._replace(harmless=before.harmless, has_effect=before.has_effect)
            if before is not None or len(self._declarations) < _MOST_NAMES:
                self._declarations[name] = declaration

    def _turn(self, kind: ListKind) -> AbstractAsyncContextManager[object]:
        if kind not in self._turns:
            import anyio  # noqa: PLC0415 - as above.

            self._turns[kind] = anyio.Lock()
        return self._turns[kind]


_CHANGED_BY: dict[object, tuple[ListKind, ...]] = {
    "notifications/tools/list_changed": ("tools",),
    "notifications/prompts/list_changed": ("prompts",),
    "notifications/resources/list_changed": ("resources", "resource_templates"),
}
"""Which lists a notification is about; templates list the same resources."""


class ServerLists:
    """The lists of a server, separately for each connection, and what the program says about its tools."""

    __slots__ = ("_effects", "current")

    def __init__(self, effects: Mapping[str, Effect]) -> None:
        self._effects = ToolEffects(effects)
        self.current = ConnectionLists(None, self._effects)
        """The lists of the connection that was used last."""

    def on(self, client: OpenClient) -> ConnectionLists:
        """Return the lists of a client's open connection; a closed one has none."""
        session = client.session
        if session is None:
            return ConnectionLists(None, self._effects)
        if session is not self.current.session:
            self.current = ConnectionLists(session, self._effects)
        return self.current

    def note_message(self, message: object) -> None:
        """Note the changes of lists that a message from the server announces."""
        for kind in _CHANGED_BY.get(getattr(message, "method", None), ()):
            self.current.note_change(kind)

    async def learn(
        self, tool: str, connection: Connection, *, limit_s: float | None, anew: bool = False
    ) -> ConnectionLists:
        """List the tools if this one is not known, or in any case if `anew`; return the lists that were searched.

        If the connection was lost with the call, it is opened again: a repetition would meet the tool there.
        """
        import anyio  # noqa: PLC0415 - as above.

        longest = _LONGEST_S if limit_s is None else min(_LONGEST_S, limit_s * _SHARE)
        try:
            with anyio.fail_after(longest):
                client = await connection.open_client()
                await self.on(client).look_for(tool, client, anew=anew)
        except TimeoutError:
            # A list that had the longest time allowed will not come; one that was cut short still may.
            self.current.note_failure(f"not within {longest} s", is_final=longest == _LONGEST_S)
        except Exception as error:  # noqa: BLE001 - the failure of the call itself is what is raised.
            self.current.note_failure(line_of(repr(error)))
        return self.current


def keep_known_advice(fault: Fault, lists: ConnectionLists, tool: str) -> Fault:
    """Return a fault whose recovery names only tools that the server lists and arguments that the tool has."""
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


async def _request_page(kind: ListKind, client: OpenClient, cursor: str | None) -> Page:
    """Request a page; it is empty if the server has no such list, by its handshake or by its answer."""
    offers = client.offers(kind)
    if offers is False:
        return _EMPTY
    try:
        return await client.page(kind, cursor)
    except Exception as error:
        is_missing = (to_error_object(error) or {}).get("code") == _METHOD_NOT_FOUND
        if is_missing and (offers is None or kind == "resource_templates"):
            return _EMPTY
        raise


_EMPTY = Page((), None, None)


def _proposable(names: Collection[str]) -> list[str]:
    """Return the names that may be shown to a model, which excludes whole sentences."""
    return sorted(name for name in names if tool_name_or_none(name) == name)


def _name_of(tool: object) -> str:
    name: object = getattr(tool, "name", "")
    return name if isinstance(name, str) else ""


def _now_s() -> float:
    import anyio  # noqa: PLC0415 - as above.

    return anyio.current_time()
