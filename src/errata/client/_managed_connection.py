"""A connection that is opened, kept, and opened again after it was lost.

An SDK's client must be closed by the task that opened it, and one that breaks cancels that task. So each client lives in a
task of its own, and a call through it is never cancelled because the client broke.
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
"""The share of its time limit after which an opening counts as stuck: the call that started it has nearly given up."""
_LONGEST_CHECK_S = 2.0
_CHECK = 0.25
"""The share of an attempt's time limit that checking its answer may take if the schema has to be requested first."""
_MOST_NAMES = 10_000
_LONGEST_GOODBYE_S = 5.0
"""How long closing waits for a server that does not answer."""
_MOST_SESSIONS = 4
"""How many past sessions are kept to explain how they ended: a pending call may ask late."""


@dataclass(slots=True)
class Target:
    """What to connect to, and how."""

    make_client: Callable[[], AbstractAsyncContextManager[Any]]
    """Returns a client that is not open yet."""
    name: str | None
    """The name of the server until it names itself."""
    key: str | None = None
    """The key under which its callers share a retry budget."""
    watched: WatchedClient | None = None
    single_use: bool = False
    """Whether only one client can be made."""
    secrets: tuple[str, ...] = ()
    """Values that the server is given and that are redacted everywhere."""
    opens_within_s: float = math.inf
    """The time limit of the handshake."""


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
        self._background: anyio.abc.TaskGroup | None = None
        self.error: Exception | None = None
        self.client: OpenClient | None = None
        self.listens = False
        """Whether a subscription to changes of lists runs, or the server has refused one."""

    async def run(self) -> None:
        """Open the client and keep it until `close`; errors are logged, and kept for those who wait for it."""
        try:
            with self._scope:
                await self._keep_open()
        except Exception as error:  # noqa: BLE001 - an abandoned client may fail while it is closed.
            _LOG.debug("A connection to %s was closed: %s", self._target.name, line_of(repr(unwrap_group(error))))

    async def _keep_open(self) -> None:
        try:
            client = self._target.make_client()
            transport: object = getattr(client, "server", None)
            self._transport = transport if isinstance(transport, WatchedTransport) else None
            async with client as opened, anyio.create_task_group() as background:
                self._background = background
                _tolerate_failed_checks(opened.session, min(_LONGEST_CHECK_S, self._target.opens_within_s * _CHECK))
                self.client = self._opened = wrap_client(opened)
                if self._transport is not None:
                    self._transport.note_handshake()
                self._ready.set()
                try:
                    await self._done.wait()
                finally:
                    self._background = None
                    background.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001 - it is raised where somebody waits; a later call opens another client.
            self.error = error
            _LOG.debug("A connection to %s has ended: %s", self._target.name, line_of(repr(unwrap_group(error))))
        finally:
            self.client = None
            self._ready.set()
            self._over.set()

    def run_in_background(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run some work, which must not raise, in the background until the client closes."""
        if self._background is not None:
            self._background.start_soon(work)

    @property
    def is_over(self) -> bool:
        """Whether it is closed, or failed to open."""
        return self._over.is_set()

    @property
    def is_stuck(self) -> bool:
        """Whether its handshake has used up its time."""
        waited = anyio.current_time() - self._began_s
        return not self._ready.is_set() and waited >= self._target.opens_within_s * _PATIENCE

    @property
    def program(self) -> ProgramState | None:
        """The state of the program that was started for it; None if none was."""
        return self._transport.program if self._transport else None

    @property
    def has_served(self) -> bool:
        """Whether a call has been answered, and not only the handshake."""
        return self._transport is not None and self._transport.has_served

    @property
    def discovery(self) -> Exception | None:
        """The error of the newer handshake, if there was one."""
        return self._transport.discovery if self._transport else None

    def owns(self, client: OpenClient) -> bool:
        """Return whether a client was opened here."""
        return self._opened is client

    async def has_died(self) -> bool:
        """Return whether its program has ended between calls; if so, its output and status have been read."""
        if self._transport is None or not self._transport.has_ended:
            return False
        await self._transport.wait_for_end()
        return True

    def abandon(self) -> None:
        """Give it up: those who wait for it get a TimeoutError, and its task cleans up."""
        self.error = TimeoutError()
        self._ready.set()
        self._scope.cancel()

    async def wait_until_open(self) -> OpenClient:
        """Return the client once it is open; raise the error that kept it from opening."""
        await self._ready.wait()
        if self.client is None:
            raise unwrap_group(self.error) if self.error else anyio.ClosedResourceError
        return self.client

    def close(self) -> None:
        """Ask it to close; its task does that in its own time."""
        self._done.set()

    async def close_and_wait(self) -> None:
        """Close it and wait until it is closed; abandon it if it is still opening."""
        if self._ready.is_set():
            self.close()
        else:
            self.abandon()
        await self._over.wait()


async def _follow_changes(client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> bool:
    """Stay subscribed to changes of lists as long as the server sends them; return whether it refuses to.

    The announcements themselves come to the message handler, like those of the older protocol.
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
                """The message handler gets each announcement."""
    except Exception as error:  # noqa: BLE001 - without it, the lifetimes that the server gives its lists apply.
        _LOG.debug("A server does not announce changes of its lists: %s", line_of(repr(error)))
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
"""The name in a subscription under which a server agrees to announce changes of a list."""


def _tolerate_failed_checks(session: ClientSession, longest_s: float) -> None:
    """Accept answers that the SDK cannot check: a call that succeeded does not fail because listing the tools does.

    The SDK lists the tools after a success, to check the answer against its schema, and raises the errors of the listing.
    A list that does not come is waited for once; an answer without data waits for none.
    """
    check: Callable[[str, CallToolResult], Awaitable[None]] | None = getattr(session, "validate_tool_result", None)
    if check is None or _output_schemas(session) is None:  # Another version of the SDK, which checks in another way.
        return
    unlisted: set[str] = set()
    gave_up = False

    async def validate_tool_result(name: str, result: CallToolResult) -> None:
        nonlocal gave_up
        schemas = _output_schemas(session) or {}
        if name in schemas:
            if schemas[name] is None:
                return
        elif gave_up or name in unlisted or result.structured_content is None:
            return
        try:
            with anyio.fail_after(longest_s):
                await check(name, result)
        except RuntimeError:  # The answer does not fit its schema.
            raise
        except Exception as error:  # noqa: BLE001 - any other error is not about this answer.
            gave_up = True
            _LOG.debug("The answer of %s could not be checked: %s", line_of(name), line_of(repr(error)))
        if name not in (_output_schemas(session) or {}) and len(unlisted) < _MOST_NAMES:
            unlisted.add(name)

    session.validate_tool_result = validate_tool_result  # type: ignore[method-assign]


def _output_schemas(session: ClientSession) -> Mapping[str, object] | None:
    """Return the output schemas that the SDK knows, by tool; each complete list of tools replaces them."""
    schemas: object = getattr(session, "_tool_output_schemas", None)
    return cast("Mapping[str, object]", schemas) if isinstance(schemas, dict) else None


class ManagedConnection:
    """The connection of a caller that opens its own clients, one after the other."""

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
        """The name that the server gives itself, else its address. The first one stays: it is part of a call's identity."""
        if not self._is_named and self._session and self._session.client and (name := self._session.client.name):
            self._name, self._is_named = name, True
        return self._name

    @property
    def key(self) -> str | None:
        """The address."""
        return self._target.key

    @property
    def advice(self) -> str | None:
        """What to do if it cannot be opened again; None if it is open, or can be."""
        if (
            self._is_over
            or not self._target.single_use
            or not self._was_open
            or (self._session and self._session.client)
        ):
            return None
        return "A transport can be used once: pass its URL or its StdioServerParameters, and it is opened again."

    async def open_client(self) -> OpenClient:
        """Return the open client; the first caller that finds none starts opening one."""
        if self._is_over:
            raise BlockEndedError
        session = self._session
        if session is not None and (client := session.client) is not None:
            if not await session.has_died():
                return client
            self.lose(client)
            if not session.has_served:  # A program that never served a call would end again.
                raise anyio.ClosedResourceError
            session = self._session
        if session is not None and session.is_stuck and self.opens:
            session.abandon()
            session = None
        if session is None or session.is_over:  # An opening outlives the call that started it.
            session = self._session = _Session(self._target)
            self._sessions.append(session)
            self._group.start_soon(session.run)
        client = await session.wait_until_open()
        self._was_open = True
        return client

    def lose(self, client: OpenClient) -> None:
        """Close a client that has lost its connection; the next call opens another one."""
        session = self._session
        if session is not None and session.client is client:
            self._session = None
            session.close()

    def keep(self, client: OpenClient) -> None:
        """Do nothing: a client that does not work has been closed."""

    def take_failed_exchange(self, error: BaseException) -> Exchange | None:
        """Return the HTTP exchange behind an error of the client, once; None if there was none."""
        return self._target.watched.take_failed_exchange(error) if self._target.watched else None

    def program(self, client: OpenClient | None = None) -> ProgramState | None:
        """Return the state of the program that was started for a client, or for the last one."""
        sessions = [session for session in self._sessions if client is None or session.owns(client)]
        return sessions[-1].program if sessions and not self._is_over else None

    def discovery(self) -> Exception | None:
        """Return the error of the last client's newer handshake, if there was one."""
        return self._sessions[-1].discovery if self._sessions else None

    def run_in_background(self, client: OpenClient, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run some work in the background until this client closes."""
        if self._session is not None and self._session.client is client:
            self._session.run_in_background(work)

    def listen(self, client: OpenClient, announce: Callable[[Collection[ListKind]], None]) -> None:
        """Subscribe to changes of the server's lists; in the older protocol they come without that."""
        session = self._session
        if session is None or session.client is not client or session.listens:
            return

        async def follow() -> None:
            session.listens = await _follow_changes(client, announce)

        session.listens = True
        session.run_in_background(follow)

    async def close(self) -> None:
        """Close the connection for good."""
        self._is_over = True
        if self._session is not None:
            await self._session.close_and_wait()


@asynccontextmanager
async def keep_connected(target: Target) -> AsyncGenerator[ManagedConnection]:
    """Keep a connection during the block; an exception of the block is raised as it is, not in a group."""
    own: BaseException | None = None
    try:
        async with contextlib.AsyncExitStack() as stack:
            for secret in target.secrets:
                with contextlib.suppress(ValueError):  # It is too short or too common to be redacted.
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
