"""What a server's tools declare about themselves: whether calling one twice does any harm."""

import logging
from contextlib import AbstractAsyncContextManager

from errata.client._links import Link
from errata.client._ports import Port
from errata.http._runtime import deadline
from errata.resilience._effects import harmless_by

_LOG = logging.getLogger("errata")
_MOST_NAMES = 10_000
_MOST_FAILURES = 3
"""So often a server that does not list its tools is asked to, on one connection."""
_LONGEST_S = 5.0
_SHARE = 0.5
"""Of the time for an attempt, so much more may pass before its failure is told."""


class Tools:
    """The tools of one server, listed when it matters what one of them declares: after a failure."""

    __slots__ = ("_failures", "_harmless", "_listing", "_session", "_unlisted")

    def __init__(self) -> None:
        self._harmless: dict[str, bool | None] = {}
        self._unlisted: set[str] = set()
        """Names that were looked for in vain, and are looked for once a connection."""
        self._session: object | None = None
        """The connection that all of this was learned on: a server that was started again may have other tools."""
        self._failures = 0
        self._listing: AbstractAsyncContextManager[object] | None = None

    def harmless(self, tool: str, port: Port) -> bool | None:
        """Whether calling it twice does no harm; None where nobody said, on this connection."""
        return self._harmless.get(tool) if port.session is self._session else None

    def is_known(self, tool: str, port: Port) -> bool:
        """Whether there is no more to be learned of it on this connection."""
        session = port.session
        if session is None:  # It is closed.
            return True
        if session is not self._session:
            self._session = session
            self._harmless.clear()
            self._unlisted.clear()
            self._failures = 0
        return tool in self._harmless or tool in self._unlisted or self._failures >= _MOST_FAILURES

    async def learn(self, tool: str, link: Link, *, limit_s: float | None) -> bool | None:
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
            _LOG.debug("The tools of %s could not be listed: %r", link.server, error)
            self._failures += 1
        return None

    async def _looked_for(self, tool: str, port: Port) -> bool | None:
        if not self.is_known(tool, port):
            await self._list(port)
            if len(self._unlisted) < _MOST_NAMES:
                self._unlisted.add(tool)
        return self.harmless(tool, port)

    async def _list(self, port: Port) -> None:
        async for listed in port.tools():
            if port.session is self._session:  # Others may have opened a new one meanwhile.
                self._harmless[listed.name] = harmless_by(listed.annotations)

    def _turn(self) -> AbstractAsyncContextManager[object]:
        if self._listing is None:
            import anyio  # noqa: PLC0415 - whoever has a client has it, too.

            self._listing = anyio.Lock()
        return self._listing
