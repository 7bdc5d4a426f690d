"""`Caller`: a client whose failures are faults, whatever server it talks to."""

import dataclasses
import functools
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from errata.client._call_failed import NO_STREAK, Asked, CallFailed, Streak, Streaks, identity_of
from errata.client._caller_arguments import (
    KEYS,
    Effect,
    arguments_of,
    effects_of,
    is_sendable,
    key_of,
    limit_of,
    name_of,
    unsendable,
)
from errata.client._connections import HeldLink, Link, ListKind, Port
from errata.client._failure_context import Place
from errata.client._failures import raised, returned, timed_out, unopened, unrepeated
from errata.client._outcomes import rendered
from errata.client._server_lists import ConnectionLists, Lists, with_known
from errata.client._targets import Settings, connection_to
from errata.dialects import Word, lower_hearsay, without_licence
from errata.http import deadline
from errata.model import NO_RECOVERY, Code, Fault, FaultError, Retry
from errata.redaction import as_object
from errata.resilience import Retrying, attempts_of, retry as _retry, settled

if TYPE_CHECKING:  # Whoever has a client has the package, but nobody needs it to decide what to do.
    from mcp.types import Prompt, Resource, ResourceTemplate, Tool


_TIMEOUT_S = 60.0
_LONGEST_HISTORY = 100
_KEY = "errata/idempotencyKey"
_Send = Callable[[Port], Awaitable[Any]]
_T = TypeVar("_T")
_NOT_ENTERED = (
    "Nothing is connected yet. Write `async with Caller.connect(…) as caller:`, and {use} inside of the block."
)


class Opening(AbstractAsyncContextManager[_T]):
    """A block of `async with`; used in any other way, it says how to use it."""

    def __init__(self, block: AbstractAsyncContextManager[_T]) -> None:
        self._block = block
        self._is_new = True

    async def __aenter__(self) -> _T:
        if not self._is_new:
            raise RuntimeError("This block was entered before. Write `Caller.connect(…)` again: it connects anew.")
        self._is_new = False
        return await self._block.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return await self._block.__aexit__(kind, error, traceback)

    if not TYPE_CHECKING:  # A type checker says it itself, and before anything runs.

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(_NOT_ENTERED.format(use=f"use `caller.{name}`"))

        def __await__(self) -> NoReturn:
            raise TypeError(_NOT_ENTERED.format(use="call the tools"))


class Caller:
    """Calls the tools of a server; what comes back is a result, or one kind of exception.

        caller = Caller(client)                               # an open mcp.Client or fastmcp.Client
        async with Caller.connect("https://…/mcp") as caller: # or let it make one
            result = await caller.call("get_order", {"order_id": "17"})

    Whatever goes wrong, on either side, is raised as `CallFailed`. Calls that may be repeated are, by `retry`; None for
    never; its `idempotent` speaks for tools that declare nothing. `effects` says of tools, by their names, what they do:
    "read_only", "idempotent" or "destructive"; it outweighs what the server declares. `timeout_s` is how long one attempt
    may take, with all that belongs to it; None for no limit of ours. A cancellation passes untouched.
    """

    def __init__(
        self,
        client: object,
        *,
        retry: Retrying | None = _retry,
        timeout_s: float | None = _TIMEOUT_S,
        effects: Mapping[str, Effect] | None = None,
    ) -> None:
        self._start(HeldLink(client), retry, timeout_s, Lists(effects_of(effects)))

    @classmethod
    def connect(  # noqa: PLR0913 - each has its default.
        cls,
        server: object,
        *,
        headers: Mapping[str, str] | None = None,
        auth: object = None,
        retry: Retrying | None = _retry,
        timeout_s: float | None = _TIMEOUT_S,
        effects: Mapping[str, Effect] | None = None,
        http_options: Mapping[str, Any] | None = None,
        max_body_bytes: int | None = None,
        **options: Any,  # noqa: ANN401 - whatever `mcp.Client` takes.
    ) -> AbstractAsyncContextManager[Self]:
        """Connect to a URL, to `StdioServerParameters`, to a server in this process or to a transport, with `mcp.Client`.

        Over HTTP, statuses and waits come back that the SDK's client drops. A connection that was lost is opened again
        for the next call. Once a connection is open, its tools are listed in the background. `headers`, `auth`,
        `http_options` (of `httpx2.AsyncClient`) and `max_body_bytes` are for URLs: an answer, or one event of a stream,
        that is larger once it is decompressed is given up (16 MiB). `options` are those of `mcp.Client`. An exception of
        the block leaves it as it is.
        """
        settings = Settings(
            headers=headers,
            auth=auth,
            timeout_s=limit_of(timeout_s),
            http_options=http_options,
            max_body_bytes=max_body_bytes,
        )
        return Opening(cls._connected(server, settings, options, retry, Lists(effects_of(effects))))

    @classmethod
    @asynccontextmanager
    async def _connected(
        cls, server: object, settings: Settings, options: Mapping[str, Any], retry: Retrying | None, lists: Lists
    ) -> AsyncGenerator[Self]:
        given = {**options, "message_handler": _hearing(lists, options.get("message_handler"))}
        async with connection_to(server, settings, given) as link:
            caller = cls.__new__(cls)
            caller._start(link, retry, settings["timeout_s"], lists)  # noqa: SLF001 - it is one of us.
            await caller._open()  # noqa: SLF001 - as above.
            yield caller

    def _start(self, link: Link, retry: Retrying | None, timeout_s: float | None, lists: Lists) -> None:
        self._link = link
        self._timeout_s = limit_of(timeout_s)
        self._lists = lists
        self._history: deque[CallFailed] = deque(maxlen=_LONGEST_HISTORY)
        self._streaks = Streaks()
        self._policy = _policy_for(retry, link.key)
        self._undeclared = retry.idempotent if retry else None
        """Whether calling a tool twice does no harm that says nothing about it."""

    if not TYPE_CHECKING:  # A type checker says it itself, and before anything runs.

        async def __aenter__(self) -> NoReturn:
            raise TypeError(
                "A `Caller` is no block: its client is opened and closed by whoever made it. Write "
                "`async with client:` and then `Caller(client)`, or `async with Caller.connect(…) as caller:`."
            )

        async def __aexit__(self, *_: object) -> None:
            """Stand beside the other, so that Python asks that one."""

    @property
    def server(self) -> str:
        """What the server calls itself, or where it is."""
        return self._link.server or "the server"

    @property
    def history(self) -> tuple[CallFailed, ...]:
        """The last failures, the oldest first, without their responses; a call that succeeded has none."""
        return tuple(self._history)

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object] | None = None,
        *,
        key: str | None = None,
        timeout_s: float | None = None,
    ) -> Any:  # noqa: ANN401 - the result is that of the client's own package.
        """Call a tool; gives the result of the client's own package, or raises `CallFailed`.

        With a `key` by which the server recognises a repetition, the call may be repeated whatever the tool declares; it
        is sent as `_meta["errata/idempotencyKey"]`. An argument `idempotency_key` is one, too, if the tool's schema has it.
        A tool that asks something has not failed: the question is the result, and `decide` says whom to ask. Without
        `timeout_s`, the caller's counts.
        """
        asked = Asked("tool", name_of("tool", tool), arguments_of(tool, arguments))
        limit = self._limit(timeout_s)
        key = key_of(tool, key)
        meta: dict[str, object] = {_KEY: key} if key else {}

        async def send(port: Port) -> object:
            return await port.call(tool, dict(asked.arguments), timeout_s=limit, meta=meta)

        return await self._made(_Trip(asked, send, limit, harmless=True if key else None, key=key))

    async def read(self, uri: str, *, timeout_s: float | None = None) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        limit = self._limit(timeout_s)
        trip = _Trip(Asked("resource", name_of("resource", uri)), lambda port: port.read(uri), limit, harmless=True)
        return await self._made(trip)

    async def prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, *, timeout_s: float | None = None
    ) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        given = arguments_of(name, arguments)
        limit = self._limit(timeout_s)
        asked = Asked("prompt", name_of("prompt", name), given)
        trip = _Trip(asked, lambda port: port.prompt(name, given), limit, harmless=True)
        return await self._made(trip)

    async def tools(self, *, refresh: bool = False, timeout_s: float | None = None) -> "tuple[Tool, ...]":
        """List the tools of the server, as the client's own package has them, to show them to a model.

        All pages are read, once a connection, and again when the server says that they have changed. A client that you have
        opened does not tell `Caller` of that: `refresh=True` asks the server whatever is known.
        """
        return await self._listed("tools", refresh=refresh, timeout_s=timeout_s)

    async def resources(self, *, refresh: bool = False, timeout_s: float | None = None) -> "tuple[Resource, ...]":
        """List the resources of the server, as `tools` does; a server without any gives none."""
        return await self._listed("resources", refresh=refresh, timeout_s=timeout_s)

    async def resource_templates(
        self, *, refresh: bool = False, timeout_s: float | None = None
    ) -> "tuple[ResourceTemplate, ...]":
        """List the templates of the server's resources, as `tools` does; a server without any gives none."""
        return await self._listed("resource_templates", refresh=refresh, timeout_s=timeout_s)

    async def prompts(self, *, refresh: bool = False, timeout_s: float | None = None) -> "tuple[Prompt, ...]":
        """List the prompts of the server, as `tools` does; a server without any gives none."""
        return await self._listed("prompts", refresh=refresh, timeout_s=timeout_s)

    def render(self, outcome: object) -> str:
        """Say a Fault or an error in the words a model reads: those of a server with errata, and as free of secrets."""
        return rendered(outcome)

    async def _open(self) -> None:
        """Open the connection before anything is asked of it."""

        async def nothing(_: Port) -> None:
            """Ask for nothing: the handshake was all."""

        await self._made(_Trip(Asked("connection", self.server), nothing, self._limit(None), harmless=True))

    async def _listed(self, kind: ListKind, *, refresh: bool, timeout_s: float | None) -> tuple[Any, ...]:
        async def send(port: Port) -> object:
            lists = self._lists.on(port)
            self._link.listen(port, lists.announce)
            return await lists.get(kind, port, refresh=refresh)

        asked = Asked("list", kind.replace("_", " "))
        items: tuple[Any, ...] = await self._made(_Trip(asked, send, self._limit(timeout_s), harmless=True))
        return items

    def _limit(self, timeout_s: float | None) -> float | None:
        return self._timeout_s if timeout_s is None else limit_of(timeout_s)

    async def _made(self, trip: "_Trip") -> Any:  # noqa: ANN401 - as above.
        trip.before = self._streaks.so_far(trip.asked.name)
        try:
            return await self._repeated(trip)
        except CallFailed as failed:
            failed.attempts = max(trip.attempts, attempts_of(failed.fault))
            failed.streak = self._streaks.add(trip.asked.name, trip.before, failed.fault)
            self._history.append(failed.in_short())
            raise

    async def _repeated(self, trip: "_Trip") -> Any:  # noqa: ANN401 - as above.
        """Make the attempts that the policy allows; what it says in the end is said with all that was in hand."""
        if not is_sendable(trip.asked.kind, trip.asked.arguments):
            place = self._place(trip)
            raise CallFailed.of(unsendable(trip.asked), trip.asked, server=place.server, is_local=True)
        if self._policy is None:
            return await self._attempt(trip)
        try:
            return await self._policy.call(self._attempt, trip)
        except CallFailed:
            raise
        except FaultError as exhausted:
            raise _with_all(exhausted) from exhausted.__cause__

    async def _attempt(self, trip: "_Trip") -> Any:  # noqa: ANN401 - as above.
        """Make one attempt; its time is for all of it: opening, sending and waiting."""
        trip.is_sent = False
        trip.attempts += 1
        try:
            return await _within(self._tried(trip), trip.limit_s)
        except TimeoutError as error:
            failed = timed_out(error, self._place(trip), self._link, is_sent=trip.is_sent)
        except CallFailed as error:
            failed = error
        await self._settle(failed, trip)
        raise failed

    async def _tried(self, trip: "_Trip") -> Any:  # noqa: ANN401 - as above.
        port = await self._opened(trip)
        lists = trip.lists = self._lists.on(port)
        if lists.begin_early():
            self._link.do_beside(port, functools.partial(lists.list_early, port, self._timeout_s))
        await self._recall(trip, lists)
        trip.is_sent = trip.asked.kind != "connection"
        is_tool = trip.asked.kind == "tool"
        lists.calls_begun += is_tool
        try:
            result = await trip.send(port)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets one kind.
            failed = raised(error, self._place(trip), self._link, port)
        else:
            return self._taken(result, trip, port)
        finally:
            lists.calls += is_tool
        raise failed  # Outside of the block: the other one would be its context, and be shown as it is.

    def _taken(self, result: object, trip: "_Trip", port: Port) -> object:
        """Return a result that is a success."""
        self._link.keep(port)
        complaint = returned(result, self._place(trip)) if trip.asked.kind == "tool" else None
        if complaint is not None:
            raise complaint
        self._forget(trip.asked)
        return result

    async def _recall(self, trip: "_Trip", lists: ConnectionLists) -> None:
        """Ask before the call whether one of its arguments is a key: a key is for the server that dies, which cannot be asked after."""
        if trip.is_to_be_learned and not KEYS.isdisjoint(trip.asked.arguments) and not lists.knows(trip.asked.name):
            await self._learn(trip, trip.asked.name)
        self._note(trip)

    async def _learn(self, trip: "_Trip", name: str, *, anew: bool = False) -> None:
        """Look for a tool in the list; of the tool that was called, what was known where it was called stays known."""
        lists = await self._lists.learn(name, self._link, limit_s=trip.limit_s, anew=anew)
        if trip.lists is None or not trip.lists.knows(name):
            trip.lists = lists

    def _note(self, trip: "_Trip") -> None:
        """Take note whether making the call twice does no harm, by what is known on the connection on which it is made."""
        if not trip.is_to_be_learned:
            return
        declared = trip.lists.declared(trip.asked.name) if trip.lists else None
        harmless = declared.harmless_with(trip.asked.arguments) if declared else None
        trip.harmless = self._undeclared if harmless is None else harmless

    async def _settle(self, failed: CallFailed, trip: "_Trip") -> None:
        """Decide whether it may be repeated, and what may be proposed; the server is asked what the tool declares if that matters."""
        name, is_tool = trip.asked.name, trip.asked.kind == "tool"
        wanted = name if is_tool else _tool_named_by(failed.fault)
        anew = is_tool and _may_be_unlisted(failed, trip)
        if wanted is not None and (anew or self._depends_on_tools(failed, trip)):
            await self._learn(trip, wanted, anew=anew)
        self._note(trip)
        lists = trip.lists if trip.lists is not None and trip.lists.has_tools else self._lists.current
        if is_tool:
            failed.has_effect = lists.has_effect(name)
        fault = _trusted(failed, trip.harmless) if is_tool else failed.fault
        fault = with_known(settled(fault, harmless=trip.harmless), lists, name if is_tool else "")
        fault = unrepeated(fault, failed)
        recovery = fault.recovery or NO_RECOVERY
        if is_tool:
            failed.looking_tool = lists.looking_tool(name, trip.asked.arguments) if _may_be_looked_at(fault) else None
            failed.nearest = lists.nearest(name) if failed.word is not None else None
        failed.listed = lists.effects(recovery.fallback_tool, recovery.verify_tool, failed.looking_tool)
        failed.fault = fault

    def _depends_on_tools(self, failed: CallFailed, trip: "_Trip") -> bool:
        """Whether the next step depends on what the server's tools declare, and there is more to be learned of that."""
        if trip.asked.kind in _ABOUT_NO_TOOL or (trip.asked.kind == "tool" and trip.knows_its_tool):
            return False  # Nobody opens another connection because of what a server proposes.
        fault, recovery = failed.fault, failed.fault.recovery or NO_RECOVERY
        if recovery.fallback_tool or recovery.verify_tool or recovery.corrective_params:
            return True
        is_open = fault.retry is Retry.IF_HARMLESS or (fault.retry is Retry.SAME_CALL and failed.word is not None)
        return is_open and trip.is_to_be_learned

    async def _opened(self, trip: "_Trip") -> Port:
        try:
            return await self._link.port()
        except Exception as error:  # noqa: BLE001 - as above.
            failed = unopened(error, self._place(trip), self._link)
        raise failed

    def _place(self, trip: "_Trip") -> Place:
        schema = trip.lists.schema(trip.asked.name) if trip.lists is not None and trip.asked.kind == "tool" else None
        return Place(trip.asked, self._link.server, trip.limit_s, schema=schema)

    def _forget(self, asked: Asked) -> None:
        """Drop the failures of a call that has succeeded: it is no loop."""
        if asked.kind != "list":  # To list the tools once more leads nowhere by itself.
            self._streaks.end(asked.name)
        if self._history:
            identity = identity_of(asked, self._link.server)
            kept = [failed for failed in self._history if failed.identity != identity]
            if len(kept) < len(self._history):
                self._history = deque(kept, maxlen=_LONGEST_HISTORY)


@dataclasses.dataclass(slots=True)
class _Trip:
    """One call, from the first attempt to the last."""

    asked: Asked
    send: _Send
    limit_s: float | None
    harmless: bool | None = None
    """Whether doing it twice does no harm; for a tool it is learned when it matters."""
    key: str | None = None
    """By which the program says that the server recognises a repetition; then nothing has to be learned."""
    is_sent: bool = False
    """Whether an attempt has come so far that the server may have got it."""
    lists: ConnectionLists | None = None
    """What is known of the server on the connection on which it is made."""
    attempts: int = 0
    """How often it was tried."""
    before: Streak = NO_STREAK
    """What had failed when it began."""

    @property
    def is_to_be_learned(self) -> bool:
        """Whether it is for the tool to say what harm it does."""
        return self.asked.kind == "tool" and self.key is None

    @property
    def knows_its_tool(self) -> bool:
        """Whether there is no more to be learned of the tool."""
        return self.lists is not None and self.lists.knows(self.asked.name)


def _policy_for(retry: Retrying | None, server: str | None) -> Retrying | None:
    """Let a policy ask each call whether it may be made twice; servers have a budget each."""
    if retry is None:
        return None
    if not isinstance(retry, Retrying):
        raise TypeError(
            f"`retry` is `{retry!r}`. Pass a policy, as in `retry=retry(attempts=5)`, or None for no retries."
        )
    if retry.key is not None:
        raise TypeError(
            "`retry(key=…)` would be one key for all calls of a `Caller`. Give each call its own: `call(…, key=…)`."
        )

    def key(trip: _Trip) -> str | None:
        return trip.key or ("declared" if trip.harmless else None)

    upstream = retry.upstream or server
    return retry(key=key, idempotent=None, upstream=upstream)


def _trusted(failed: CallFailed, harmless: bool | None) -> Fault:  # noqa: FBT001 - three answers.
    """Return the fault as far as it is to be believed of a tool for which a repetition may be harmful.

    What was noticed on the way, without a word of the server, proves what it proves: that a call was not taken on, a status
    says only if it is made for that. That nothing has happened, neither text nor data prove, because their author may be an
    upstream. What a tool that changes something says in a text proposes nothing, either.
    """
    fault, word = failed.fault, failed.word
    if harmless or word is Word.VERDICT:
        return fault
    if word is None:
        return fault if fault.http_status in _NOT_TAKEN_ON else without_licence(fault)
    changes_something = harmless is False or failed.has_effect
    if not changes_something or word >= Word.DATA:
        return without_licence(fault)
    lowered = lower_hearsay(fault)
    if lowered.retry is Retry.FIX_INPUT and _calls_itself_a_success(failed.response):
        return dataclasses.replace(lowered, retry=Retry.VERIFY_FIRST)  # It has run to its end, whatever it says.
    return lowered


_ABOUT_NO_TOOL = frozenset({"connection", "list"})
_SAID_OF_NO_TOOL = frozenset(
    {Code.NOT_FOUND, Code.METHOD_NOT_FOUND, Code.INVALID_PARAMS, Code.INVALID_REQUEST, Code.GONE}
)
"""Among other things: as what it is understood that a tool is gone."""


def _may_be_unlisted(failed: CallFailed, trip: _Trip) -> bool:
    """Whether the server may have no such tool, and only a new list tells. Its words say whether to look, and no more."""
    fault = failed.fault
    if trip.lists is None or failed.word is None or fault.retry not in {Retry.FIX_INPUT, Retry.NEVER}:
        return False
    is_doubted = fault.code in _SAID_OF_NO_TOOL and "tool" in fault.message.lower()
    return not trip.lists.tells_of(trip.asked.name, is_doubted=is_doubted)


def _may_be_looked_at(fault: Fault) -> bool:
    """Whether somebody may have to find out if a call took effect."""
    return fault.retry in {Retry.IF_HARMLESS, Retry.VERIFY_FIRST}


def _hearing(lists: Lists, own: Callable[[object], Awaitable[None]] | None) -> Callable[[object], Awaitable[None]]:
    """Listen to what a server tells, and pass it on to the handler that the program has given."""

    async def hear(message: object) -> None:
        lists.hear(message)
        if own is not None:
            await own(message)

    return hear


def _tool_named_by(fault: Fault) -> str | None:
    """Return a tool that a fault proposes."""
    recovery = fault.recovery or NO_RECOVERY
    return recovery.fallback_tool or recovery.verify_tool


def _calls_itself_a_success(response: object) -> bool:
    members = as_object(response)
    return "content" in members and members.get("isError") is not True


_NOT_TAKEN_ON = frozenset({None, 429, 503})
"""The statuses that say it, and None for no status at all: a refused connection."""


def _with_all(exhausted: FaultError) -> CallFailed | FaultError:
    """Say that a call was repeated in vain, with what its last attempt had in hand; a reference is the server's alone."""
    last = exhausted.__cause__
    if not isinstance(last, CallFailed):
        return exhausted
    ours = dataclasses.replace(
        exhausted.fault, correlation_id=last.fault.correlation_id, timestamp=last.fault.timestamp
    )
    return last.with_fault(ours)


async def _within(work: Awaitable[_T], seconds: float | None) -> _T:
    if seconds is None:
        return await work
    async with deadline(seconds):
        return await work
