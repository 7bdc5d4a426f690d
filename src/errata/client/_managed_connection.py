"""A connection that is opened, kept, and opened again when it was lost.

An SDK's client has to be closed by the task that opened it, and one that breaks cancels that task. So each one
lives in a task of its own, and whoever calls through it is never cancelled for its sake.
"""

import contextlib
import logging
import math
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import anyio
import anyio.abc
from mcp import ClientSession
from mcp.client.subscriptions import ListenNotSupportedError, listen
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from errata.client._connections import BlockEndedError, ListKind, OpenClient, wrap_client
from errata.client._outcomes import unwrap_group
from errata.client._watched_http import Exchange, WatchedClient
from errata.client._watched_transport import ProgramState, WatchedTransport
from errata.redaction import line_of, register_secret

_LOG = logging.getLogger("errata")
_PATIENCE = 0.9
"""So much of its time an opening has had when nobody waits for it any more: whoever came first has given up by then."""
_LONGEST_CHECK_S = 2.0
_CHECK = 0.25
"""Of the time for an attempt, so much may pass while its answer is held against a schema that has to be asked for."""
_MOST_NAMES = 10_000
_LONGEST_GOODBYE_S = 5.0
"""A server that does not answer when it is told goodbye keeps nobody longer."""
_MOST_SESSIONS = 4
"""Of so many connections it is known how they ended: calls that were under way may hear of it late."""


@dataclass(slots=True)
class Target:
    """What is connected to."""

    client: Callable[[], AbstractAsyncContextManager[Any]]
    """Makes a client that is not open yet."""
    name: str | None
    """What it is called before it says itself what it is called."""
    key: str | None = None
    """By what name callers of it share a budget."""
    watched: WatchedClient | None = None
    single_use: bool = False
    """Whether a client can be made only once."""
    secrets: tuple[str, ...] = ()
    """What a server is given that must not be seen, whoever repeats it."""
    opens_within_s: float = math.inf
    """A handshake that takes longer has failed."""


class _Session:
    """One client, open in a task of its own."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._ready = anyio.Event()
        self._over = anyio.Event()
        self._done = anyio.Event()
        self._began_s = anyio.current_time()
        self._scope = anyio.CancelScope()
        self._transport: WatchedTransport | None = None
        self._opened: OpenClient | None = None
        self._beside: anyio.abc.TaskGroup | None = None
        self.error: Exception | None = None
        self.client: OpenClient | None = None
        self.listens = False
        """Whether the server is asked to tell which of its lists have changed, or has refused to."""

    async def run(self) -> None:
        """Open the client, and keep it until it is told to close; what it fails with concerns nobody who does not ask."""
        try:
            with self._scope:
                await self._kept_open()
        except Exception as error:  # noqa: BLE001 - one that is given up may fail while it is closed.
            _LOG.debug("A connection to %s was closed: %s", self._target.name, line_of(repr(unwrap_group(error))))

    async def _kept_open(self) -> None:
        try:
            client = self._target.client()
            transport: object = getattr(client, "server", None)
            self._transport = transport if isinstance(transport, WatchedTransport) else None
            async with client as opened, anyio.create_task_group() as beside:
                self._beside = beside
                _forgive_listing(opened.session, min(_LONGEST_CHECK_S, self._target.opens_within_s * _CHECK))
                self.client = self._opened = wrap_client(opened)
                if self._transport is not None:
                    self._transport.opened()
                self._ready.set()
                try:
                    await self._done.wait()
                finally:
                    self._beside = None
                    beside.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001 - whoever opened it is told; who calls later opens another one.
            self.error = error
            _LOG.debug("A connection to %s has ended: %s", self._target.name, line_of(repr(unwrap_group(error))))
        finally:
            self.client = None
            self._ready.set()
            self._over.set()

    def run_in_background(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something in the background until the client closes. It must not raise."""
        if self._beside is not None:
            self._beside.start_soon(work)

    @property
    def is_over(self) -> bool:
        """Whether it is closed, or never was open."""
        return self._over.is_set()

    @property
    def hangs(self) -> bool:
        """Whether its handshake has had its time."""
        waited = anyio.current_time() - self._began_s
        return not self._ready.is_set() and waited >= self._target.opens_within_s * _PATIENCE

    @property
    def program(self) -> ProgramState | None:
        """What is known of the program that was started for it; None where none was."""
        return self._transport.program if self._transport else None

    @property
    def has_served(self) -> bool:
        """Whether a call was answered, and not only the handshake."""
        return self._transport is not None and self._transport.has_served

    @property
    def discovery(self) -> Exception | None:
        """What the newer handshake was answered with, if that was an error."""
        return self._transport.discovery if self._transport else None

    def gave(self, client: OpenClient) -> bool:
        """Whether a client is the one that was opened here."""
        return self._opened is client

    async def has_died(self) -> bool:
        """Whether its program has ended while nothing was asked of it; then it is known how."""
        if self._transport is None or not self._transport.has_ended:
            return False
        await self._transport.see_the_end()
        return True

    def abandon(self) -> None:
        """Give it up; whoever still waits for it is told, and its task clears up behind it."""
        self.error = TimeoutError()
        self._ready.set()
        self._scope.cancel()

    async def opened(self) -> OpenClient:
        """Wait until it is open, and raise what kept it from opening."""
        await self._ready.wait()
        if self.client is None:
            raise unwrap_group(self.error) if self.error else anyio.ClosedResourceError
        return self.client

    def close(self) -> None:
        """Let it close; its task does that, and takes the time it takes."""
        self._done.set()

    async def closed(self) -> None:
        """Close it, and wait for that; one that is still opening is not waited for."""
        if self._ready.is_set():
            self.close()
        else:
            self.abandon()
        await self._over.wait()


async def _listen(client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> bool:
    """Stay subscribed to the changes of lists for as long as the server tells them; returns whether it refuses to.

    The changes themselves come to the handler of messages, like those of the older protocol.
    """
    wanted = {kind: client.announces(kind) for kind in _SUBSCRIBED}
    session = client.session
    if not isinstance(session, ClientSession) or not any(wanted.values()):
        return True
    try:
        async with listen(
            session,
            tools_list_changed=wanted["tools"],
            prompts_list_changed=wanted["prompts"],
            resources_list_changed=wanted["resources"],
        ) as subscription:
            honored = subscription.honored
            announce([kind for kind, name in _SUBSCRIBED.items() if getattr(honored, name, None)])
            async for _ in subscription:
                """The handler is told."""
    except Exception as error:  # noqa: BLE001 - lists are then good for as long as the server says.
        _LOG.debug("A server does not tell that its lists change: %s", line_of(repr(error)))
        return isinstance(error, MCPError | ListenNotSupportedError)
    finally:
        announce(())
    return False


_SUBSCRIBED: dict[ListKind, str] = {
    "tools": "tools_list_changed",
    "prompts": "prompts_list_changed",
    "resources": "resources_list_changed",
    "resource_templates": "resources_list_changed",
}
"""By which name of a subscription a server agrees to tell the changes of a list."""


def _forgive_listing(session: ClientSession, longest_s: float) -> None:
    """Take an answer that cannot be checked for what it is: a call that was done has not failed.

    The SDK lists the tools after a success, to hold the answer against its schema, and raises what the listing raises.
    For a list that does not come it is waited once; an answer that has nothing to be checked waits for none.
    """
    check: Callable[[str, CallToolResult], Awaitable[None]] | None = getattr(session, "validate_tool_result", None)
    if check is None or _schemas_of(session) is None:  # Of another version, and with another way to check.
        return
    unlisted: set[str] = set()
    gave_up = False

    async def validate_tool_result(name: str, result: CallToolResult) -> None:
        nonlocal gave_up
        schemas = _schemas_of(session) or {}
        if name in schemas:
            if schemas[name] is None:
                return
        elif gave_up or name in unlisted or result.structured_content is None:
            return
        try:
            with anyio.fail_after(longest_s):
                await check(name, result)
        except RuntimeError:  # It does not fit.
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not about this answer.
            gave_up = True
            _LOG.debug("The answer of %s could not be checked: %s", line_of(name), line_of(repr(error)))
        if name not in (_schemas_of(session) or {}) and len(unlisted) < _MOST_NAMES:
            unlisted.add(name)

    session.validate_tool_result = validate_tool_result  # type: ignore[method-assign]


def _schemas_of(session: ClientSession) -> Mapping[str, object] | None:
    """Return the output schemas that the SDK knows, by tool; each whole list of tools puts others in their place."""
    schemas: object = getattr(session, "_tool_output_schemas", None)
    return cast("Mapping[str, object]", schemas) if isinstance(schemas, dict) else None


class ManagedConnection:
    """The connection of one caller."""

    def __init__(self, target: Target, group: anyio.abc.TaskGroup) -> None:
        self._target = target
        self._group = group
        self._session: _Session | None = None
        self._sessions: deque[_Session] = deque(maxlen=_MOST_SESSIONS)
        self._name = target.name
        self._is_named = False
        self._was_open = False
        self._is_over = False
        self.opens: bool = not target.single_use

    @property
    def server(self) -> str | None:
        """What the server calls itself, or where it is. The first name stays: by it, calls are known to be the same."""
        if not self._is_named and self._session and self._session.client and (name := self._session.client.name):
            self._name, self._is_named = name, True
        return self._name

    @property
    def key(self) -> str | None:
        """Know it by where it is."""
        return self._target.key

    @property
    def advice(self) -> str | None:
        """What to do if it cannot be opened again; None while it is open, or can be."""
        if (
            self._is_over
            or not self._target.single_use
            or not self._was_open
            or (self._session and self._session.client)
        ):
            return None
        return "A transport can be used once: pass its URL or its StdioServerParameters, and it is opened again."

    async def open_client(self) -> OpenClient:
        """Give the open client; open one if there is none, whoever asks first."""
        if self._is_over:
            raise BlockEndedError
        session = self._session
        if session is not None and (client := session.client) is not None:
            if not await session.has_died():
                return client
            self.lose(client)
            if not session.has_served:  # It would not do better if it were started again.
                raise anyio.ClosedResourceError
            session = self._session
        if session is not None and session.hangs and self.opens:
            session.abandon()
            session = None
        if session is None or session.is_over:  # One that is still opening outlives whoever was first to ask.
            session = self._session = _Session(self._target)
            self._sessions.append(session)
            self._group.start_soon(session.run)
        client = await session.opened()
        self._was_open = True
        return client

    def lose(self, client: OpenClient) -> None:
        """Close a client that has lost its connection; the next call opens another one."""
        session = self._session
        if session is not None and session.client is client:
            self._session = None
            session.close()

    def keep(self, client: OpenClient) -> None:
        """Know that already: what does not work is closed."""

    def take_failed_exchange(self, error: BaseException) -> Exchange | None:
        """Find out what an error of the client stands for, if its connection was watched."""
        return self._target.watched.take_failed_exchange(error) if self._target.watched else None

    def program(self, client: OpenClient | None = None) -> ProgramState | None:
        """Tell how the program is that was started for a client, or for the last one."""
        sessions = [session for session in self._sessions if client is None or session.gave(client)]
        return sessions[-1].program if sessions and not self._is_over else None

    def discovery(self) -> Exception | None:
        """Tell what the newer handshake of the last client was answered with, if that was an error."""
        return self._sessions[-1].discovery if self._sessions else None

    def run_in_background(self, client: OpenClient, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something in the background until this client closes."""
        if self._session is not None and self._session.client is client:
            self._session.run_in_background(work)

    def listen(self, client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Have the server tell which of its lists have changed; in the older protocol it does so unasked."""
        session = self._session
        if session is None or session.client is not client or session.listens:
            return

        async def listening() -> None:
            session.listens = await _listen(client, announce)

        session.listens = True
        session.run_in_background(listening)

    async def close(self) -> None:
        """Close what is open, for good."""
        self._is_over = True
        if self._session is not None:
            await self._session.closed()


@asynccontextmanager
async def keep_connected(target: Target) -> AsyncGenerator[ManagedConnection]:
    """Keep a connection for as long as the block takes. What the block raises comes out as it is, and not in a group."""
    own: BaseException | None = None
    try:
        async with contextlib.AsyncExitStack() as stack:
            for secret in target.secrets:
                with contextlib.suppress(ValueError):  # It is too short or too ordinary to be told from other words.
                    stack.callback(register_secret(secret))
            if target.watched is not None:
                await stack.enter_async_context(target.watched)
            group = await stack.enter_async_context(anyio.create_task_group())
            connection = ManagedConnection(target, group)
            try:
                yield connection
            except BaseException as error:
                own = error
                raise
            finally:
                with anyio.move_on_after(_LONGEST_GOODBYE_S, shield=True):
                    await connection.close()
                group.cancel_scope.cancel()
    except BaseExceptionGroup as together:
        if own is None:
            own = unwrap_group(together)
    if own is not None:
        raise own
