"""What a server's tools declare about themselves, and what of its answers counts because of that."""

import logging
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import NamedTuple

from errata._fault import Fault
from errata._jsonable import as_object
from errata._redaction import line_of
from errata._tool_effects import harmless_by, has_effect
from errata.client._arguments import KEYS, is_key
from errata.client._links import Link
from errata.client._ports import Listed, Port
from errata.http._runtime import deadline

_LOG = logging.getLogger("errata")
_MOST_NAMES = 10_000
_MOST_FAILURES = 3
"""So often a server that does not list its tools is asked to, on one connection."""
_LONGEST_S = 5.0
_SHARE = 0.5
"""Of the time for an attempt, so much more may pass before its failure is told."""


class Declared(NamedTuple):
    """What a tool says of itself."""

    harmless: bool | None
    """Whether calling it twice does no harm; None where it does not say."""
    has_effect: bool | None
    """Whether calling it changes something; None where neither its annotations nor its name tell."""
    arguments: frozenset[str]
    """The names of its arguments."""

    def harmless_with(self, arguments: Mapping[str, object]) -> bool | None:
        """Whether making this very call twice does no harm: one with a key is recognised."""
        keys = KEYS & self.arguments  # What is only invented, servers silently ignore.
        return True if any(is_key(arguments.get(name)) for name in keys) else self.harmless


def _declared(listed: Listed) -> Declared:
    """Read a tool of the list."""
    properties = as_object(as_object(listed.input_schema).get("properties"))
    effect = has_effect(listed.name, listed.annotations)
    names = frozenset(name for name, schema in properties.items() if schema is not False)  # Which nothing fits.
    return Declared(harmless_by(listed.annotations), effect, names)


def with_known(fault: Fault, tools: "Tools", tool: str) -> Fault:
    """Return a fault whose recovery names only tools that the server lists, and arguments that the tool has."""
    recovery = fault.recovery
    if recovery is None or not (recovery.fallback_tool or recovery.verify_tool or recovery.corrective_params):
        return fault
    listed = tools.effects(recovery.fallback_tool, recovery.verify_tool)
    arguments = tools.arguments(tool)
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


class Tools:
    """The tools of one server, listed when it matters what one of them declares: after a failure, or beside a key."""

    __slots__ = ("_declared", "_failures", "_listing", "_session", "_unlisted")

    def __init__(self) -> None:
        self._declared: dict[str, Declared] = {}
        self._unlisted: set[str] = set()
        """Names that were looked for in vain, and are looked for once a connection."""
        self._session: object | None = None
        """The connection that all of this was learned on: a server that was started again may have other tools."""
        self._failures = 0
        self._listing: AbstractAsyncContextManager[object] | None = None

    def declared(self, tool: str, port: Port) -> Declared | None:
        """Tell what it says of itself; None where that is not known, on this connection."""
        return self._declared.get(tool) if port.session is self._session else None

    def arguments(self, tool: str) -> frozenset[str] | None:
        """Return the names of a tool's arguments; None where its schema does not name them."""
        declared = self._declared.get(tool)
        return declared.arguments or None if declared else None

    def effects(self, *names: str | None) -> dict[str, bool | None]:
        """Return those of the named tools that the server lists, and whether each has an effect."""
        return {name: self._declared[name].has_effect for name in names if name in self._declared}

    def is_known(self, tool: str, port: Port) -> bool:
        """Whether there is no more to be learned of it on this connection."""
        session = port.session
        if session is None:  # It is closed.
            return True
        if session is not self._session:
            self._session = session
            self._declared.clear()
            self._unlisted.clear()
            self._failures = 0
        return tool in self._declared or tool in self._unlisted or self._failures >= _MOST_FAILURES

    async def learn(self, tool: str, link: Link, *, limit_s: float | None) -> Declared | None:
        """List the tools if this one is not known, and say what it declares; calls at the same time wait for one list.

        The connection may have been lost with the call, and is opened again: a repetition would meet the tool there.
        """
        longest = _LONGEST_S if limit_s is None else min(_LONGEST_S, limit_s * _SHARE)
        try:
            async with deadline(longest), self._turn():
                return await self._looked_for(tool, await link.port())
        except TimeoutError:
            _LOG.debug("The tools of %s were not listed within %s s.", link.server, longest)
            # One that had all its time will not come; one that was given up in a hurry may.
            self._failures += _MOST_FAILURES if longest == _LONGEST_S else 1
        except Exception as error:  # noqa: BLE001 - the call has failed by itself, and that is told.
            _LOG.debug("The tools of %s could not be listed: %s", link.server, line_of(repr(error)))
            self._failures += 1
        return None

    async def _looked_for(self, tool: str, port: Port) -> Declared | None:
        if not self.is_known(tool, port):
            await self._list(port)
            if len(self._unlisted) < _MOST_NAMES:
                self._unlisted.add(tool)
        return self.declared(tool, port)

    async def _list(self, port: Port) -> None:
        async for listed in port.tools():
            if port.session is self._session:  # Others may have opened a new one meanwhile.
                declared, before = _declared(listed), self._declared.get(listed.name)
                if before is not None and before.harmless is not True and declared.harmless:
                    # A list that changes makes no tool bolder.
                    declared = declared._replace(harmless=before.harmless, has_effect=before.has_effect)
                self._declared[listed.name] = declared

    def _turn(self) -> AbstractAsyncContextManager[object]:
        if self._listing is None:
            import anyio  # noqa: PLC0415 - whoever has a client has it, too.

            self._listing = anyio.Lock()
        return self._listing
