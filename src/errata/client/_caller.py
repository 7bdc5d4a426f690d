"""`Caller`: a client whose failures are faults, whatever server it talks to.

One call goes top to bottom through `_make`, `_repeat`, `_attempt` and `_send_once`; a failure goes through `_settle`,
which decides whether the call may be repeated.
"""

import dataclasses
import functools
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from errata.client._call_failed import NO_STREAK, CallFailed, ClientRequest, Streak, StreakCounter, identify_call
from errata.client._caller_arguments import (
    KEYS,
    HttpSettings,
    check_key,
    check_name,
    check_timeout,
    copy_arguments,
    is_sendable,
    refuse_unsendable,
)
from errata.client._connections import Connection, HeldConnection, ListKind, OpenClient
from errata.client._failure_context import FailureContext
from errata.client._failures import (
    add_advice,
    convert_error,
    convert_open_error,
    convert_result,
    convert_timeout,
    forbid_refused_repetition,
    limit_trust,
)
from errata.client._outcomes import render_failure
from errata.client._server_lists import ConnectionLists, ServerLists, keep_known_advice
from errata.http import deadline
from errata.model import NO_RECOVERY, Code, Fault, FaultError, Retry
from errata.resilience import Retrying, count_attempts, retry as _retry, settle_verdict
from errata.tools import Effect, check_effects

if TYPE_CHECKING:  # Whoever has a client has the package, but nobody needs it to decide what to do.
    from mcp.types import Prompt, Resource, ResourceTemplate, Tool


_TIMEOUT_S = 60.0
_LONGEST_HISTORY = 100
_KEY = "errata/idempotencyKey"
_Send = Callable[[OpenClient], Awaitable[Any]]
_T = TypeVar("_T")
_NOT_ENTERED = "Nothing is connected yet. Write `async with Caller.connect(…) as caller:`, and {use} inside the block."
_CONCERNS_NO_TOOL = frozenset({"connection", "list"})
_CODES_OF_A_MISSING_TOOL = frozenset(
    {Code.NOT_FOUND, Code.METHOD_NOT_FOUND, Code.INVALID_PARAMS, Code.INVALID_REQUEST, Code.GONE}
)
"""How a server's complaint about a tool that it does not have may be read; each of them has other meanings, too."""


class _ConnectBlock(AbstractAsyncContextManager[_T]):
    """The `async with` block of `Caller.connect`; used in any other way, it raises an error that shows the right one."""

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

    if not TYPE_CHECKING:  # A type checker reports such a use by itself, before anything runs.

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(_NOT_ENTERED.format(use=f"use `caller.{name}`"))

        def __await__(self) -> NoReturn:
            raise TypeError(_NOT_ENTERED.format(use="call the tools"))


class Caller:
    """Calls the tools of a server; each call returns a result or raises one kind of exception.

        caller = Caller(client)                               # an open mcp.Client, mcp.ClientSession or fastmcp.Client
        async with Caller.connect("https://…/mcp") as caller: # or let it make one
            result = await caller.call("get_order", {"order_id": "17"})

    Whatever goes wrong, on either side, is raised as `CallFailed`. Calls that may be repeated are repeated by the policy
    `retry`, or never if it is None; the policy's `idempotent` applies to tools that declare nothing. `effects` says what
    tools do, by their names: "read_only", "idempotent" or "destructive"; it overrides what the server declares.
    `timeout_s` limits one attempt as a whole, from opening the connection to the answer; None sets no limit. A
    cancellation passes untouched.
    """

    def __init__(
        self,
        client: object,
        *,
        retry: Retrying | None = _retry,
        timeout_s: float | None = _TIMEOUT_S,
        effects: Mapping[str, Effect] | None = None,
    ) -> None:
        self._start(HeldConnection(client), retry, timeout_s, ServerLists(check_effects(effects)))

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

        Over HTTP, failures keep the status and the wait that the SDK's client drops. A lost connection is opened again
        for the next call. Once a connection is open, its tools are listed in the background. `headers`, `auth`,
        `http_options` (of `httpx2.AsyncClient`) and `max_body_bytes` are for URLs: a response, or one event of a stream,
        that is larger than `max_body_bytes` after decompression is abandoned (16 MiB by default). `options` are those of
        `mcp.Client`. An exception raised in the block leaves it unchanged.
        """
        settings = HttpSettings(
            headers=headers,
            auth=auth,
            timeout_s=check_timeout(timeout_s),
            http_options=http_options,
            max_body_bytes=max_body_bytes,
        )
        return _ConnectBlock(cls._connect(server, settings, options, retry, ServerLists(check_effects(effects))))

    @classmethod
    @asynccontextmanager
    async def _connect(
        cls,
        server: object,
        settings: HttpSettings,
        options: Mapping[str, Any],
        retry: Retrying | None,
        lists: ServerLists,
    ) -> AsyncGenerator[Self]:
        try:
            from errata.client._targets import connect_to  # noqa: PLC0415 - only this needs the SDK.
        except ImportError as missing:
            raise ImportError(_explain_missing_client()) from missing
        given = {**options, "message_handler": _handle_messages(lists, options.get("message_handler"))}
        async with connect_to(server, settings, given) as connection:
            caller = cls.__new__(cls)
            caller._start(connection, retry, settings["timeout_s"], lists)  # noqa: SLF001 - it is one of us.
            await caller._open()  # noqa: SLF001 - as above.
            yield caller

    def _start(
        self, connection: Connection, retry: Retrying | None, timeout_s: float | None, lists: ServerLists
    ) -> None:
        self._connection = connection
        self._timeout_s = check_timeout(timeout_s)
        self._lists = lists
        self._history: deque[CallFailed] = deque(maxlen=_LONGEST_HISTORY)
        self._streaks = StreakCounter()
        self._policy = _adapt_policy(retry, connection.key)
        self._undeclared = retry.idempotent if retry else None
        """Whether a tool that declares nothing may be called twice without harm."""

    if not TYPE_CHECKING:  # A type checker reports such a use by itself, before anything runs.

        async def __aenter__(self) -> NoReturn:
            raise TypeError(
                "A `Caller` is no block: its client is opened and closed by whoever made it. Write "
                "`async with client:` and then `Caller(client)`, or `async with Caller.connect(…) as caller:`."
            )

        async def __aexit__(self, *_: object) -> None:
            """Exist, because Python looks for both methods before it calls `__aenter__`."""

    @property
    def server(self) -> str:
        """The name that the server gives itself, else its address."""
        return self._connection.server or "the server"

    @property
    def history(self) -> tuple[CallFailed, ...]:
        """The last failures, oldest first, without their responses; a call that succeeds removes its earlier ones."""
        return tuple(self._history)

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, object] | None = None,
        *,
        key: str | None = None,
        timeout_s: float | None = None,
    ) -> Any:  # noqa: ANN401 - the result is that of the client's own package.
        """Call a tool and return the result of the client's own package; raise `CallFailed` if it fails.

        With a `key` by which the server recognises a repetition, the call may be repeated whatever the tool declares; the
        key is sent as `_meta["errata/idempotencyKey"]`. An argument `idempotency_key` counts as one if the tool's schema
        has it. A tool that asks a question has not failed: the question is the result, and `decide` says whom to ask.
        `timeout_s` replaces the caller's own limit for this call.
        """
        request = ClientRequest("tool", check_name("tool", tool), copy_arguments(tool, arguments))
        limit = self._limit(timeout_s)
        key = check_key(tool, key)
        meta: dict[str, object] = {_KEY: key} if key else {}

        async def send(client: OpenClient) -> object:
            return await client.call(tool, dict(request.arguments), timeout_s=limit, meta=meta)

        return await self._make(_CallState(request, send, limit, harmless=True if key else None, key=key))

    async def read(self, uri: str, *, timeout_s: float | None = None) -> Any:  # noqa: ANN401 - as above.
        """Read a resource."""
        request = ClientRequest("resource", check_name("resource", uri))
        limit = self._limit(timeout_s)
        return await self._make(_CallState(request, lambda client: client.read(uri), limit, harmless=True))

    async def prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, *, timeout_s: float | None = None
    ) -> Any:  # noqa: ANN401 - as above.
        """Get a prompt."""
        given = copy_arguments(name, arguments)
        limit = self._limit(timeout_s)
        request = ClientRequest("prompt", check_name("prompt", name), given)
        return await self._make(_CallState(request, lambda client: client.prompt(name, given), limit, harmless=True))

    async def tools(self, *, refresh: bool = False, timeout_s: float | None = None) -> "tuple[Tool, ...]":
        """List the tools of the server, as the client's own package has them, to show them to a model.

        All pages are read once per connection, and again when the server announces a change. A client that you have
        opened does not pass such announcements on to `Caller`: `refresh=True` asks the server anew.
        """
        return await self._list("tools", refresh=refresh, timeout_s=timeout_s)

    async def resources(self, *, refresh: bool = False, timeout_s: float | None = None) -> "tuple[Resource, ...]":
        """List the resources of the server, as `tools` does; the list is empty if the server has none."""
        return await self._list("resources", refresh=refresh, timeout_s=timeout_s)

    async def resource_templates(
        self, *, refresh: bool = False, timeout_s: float | None = None
    ) -> "tuple[ResourceTemplate, ...]":
        """List the resource templates of the server, as `tools` does; the list is empty if the server has none."""
        return await self._list("resource_templates", refresh=refresh, timeout_s=timeout_s)

    async def prompts(self, *, refresh: bool = False, timeout_s: float | None = None) -> "tuple[Prompt, ...]":
        """List the prompts of the server, as `tools` does; the list is empty if the server has none."""
        return await self._list("prompts", refresh=refresh, timeout_s=timeout_s)

    def render(self, outcome: object) -> str:
        """Return the text that a model reads for a Fault or an error: as a server with errata writes it, without secrets."""
        return render_failure(outcome)

    async def _open(self) -> None:
        """Open the connection before the first call."""

        async def send_nothing(_: OpenClient) -> None:
            """Do nothing: the handshake is all that was wanted."""

        request = ClientRequest("connection", self.server)
        await self._make(_CallState(request, send_nothing, self._limit(None), harmless=True))

    async def _list(self, kind: ListKind, *, refresh: bool, timeout_s: float | None) -> tuple[Any, ...]:
        async def send(client: OpenClient) -> object:
            lists = self._lists.on(client)
            self._connection.listen(client, lists.announce)
            return await lists.get(kind, client, refresh=refresh)

        request = ClientRequest("list", kind.replace("_", " "))
        items: tuple[Any, ...] = await self._make(_CallState(request, send, self._limit(timeout_s), harmless=True))
        return items

    def _limit(self, timeout_s: float | None) -> float | None:
        return self._timeout_s if timeout_s is None else check_timeout(timeout_s)

    async def _make(self, state: "_CallState") -> Any:  # noqa: ANN401 - as above.
        """Make a call; a failure is counted and remembered before it is raised."""
        name = state.request.name
        state.before = self._streaks.begin(name)
        try:
            return await self._repeat(state)
        except CallFailed as failed:
            failed.attempts = max(state.attempts, count_attempts(failed.fault))
            failed.streak = self._streaks.add(name, state.before, failed.fault)
            self._history.append(failed.in_short())
            raise

    async def _repeat(self, state: "_CallState") -> Any:  # noqa: ANN401 - as above.
        """Make the attempts that the policy allows."""
        request = state.request
        if not is_sendable(request.kind, request.arguments):
            server = self._connection.server
            raise CallFailed.of(refuse_unsendable(request), request, server=server, is_local=True)
        try:
            return await (self._policy.call(self._attempt, state) if self._policy else self._attempt(state))
        except CallFailed:
            raise
        except _LastAttempt as last:
            failed = last.failed
        except FaultError as exhausted:
            raise _restore_details(exhausted) from exhausted.__cause__
        raise failed  # Outside the block: nobody needs `_LastAttempt` as its context.

    async def _attempt(self, state: "_CallState") -> Any:  # noqa: ANN401 - as above.
        """Make one attempt; the time limit covers opening, sending and waiting."""
        state.was_sent = state.was_sent or state.is_sent
        state.is_sent = False
        state.attempts += 1
        try:
            return await _run_within(self._send_once(state), state.limit_s)
        except TimeoutError as error:
            failed = convert_timeout(error, self._context(state), self._connection, is_sent=state.is_sent)
        except CallFailed as error:
            failed = error
        await self._settle(failed, state)
        if (last := self._end_with_connection(failed, state)) is not None:
            raise _LastAttempt(last)
        state.failed = failed
        raise failed

    def _end_with_connection(self, failed: CallFailed, state: "_CallState") -> CallFailed | None:
        """Return what to raise if the connection has ended for good; None if another attempt may get through.

        An attempt that was not sent says nothing about those before it: what they say counts.
        """
        connection, client = self._connection, state.client
        earlier = state.failed if failed.is_unsent and not connection.opens else None
        if client is not None and not connection.opens:
            has_ended = client.session is None and not failed.is_unsent
            if earlier is not None or has_ended:
                connection.lose(client)
        if connection.advice is None:
            return None
        state.attempts -= earlier is not None
        return failed if failed.is_unsent and earlier is None else add_advice(earlier or failed, connection.advice)

    async def _send_once(self, state: "_CallState") -> Any:  # noqa: ANN401 - as above.
        state.was_lost = self._connection.advice is not None
        client = state.client = await self._open_client(state)
        lists = state.lists = self._lists.on(client)
        if lists.begin_early():
            self._connection.run_in_background(client, functools.partial(lists.list_early, client, self._timeout_s))
        await self._look_for_key(state, lists)
        state.is_sent = state.request.kind != "connection"
        is_tool = state.request.kind == "tool"
        lists.calls_begun += is_tool
        try:
            result = await state.send(client)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets one kind.
            failed = convert_error(error, self._context(state), self._connection, client)
        else:
            return self._accept(result, state, client)
        finally:
            lists.calls += is_tool
        raise failed  # Outside the block: the original would become its context, and be shown unredacted.

    def _accept(self, result: object, state: "_CallState", client: OpenClient) -> object:
        """Return a result that is a success; raise one that is a failure."""
        self._connection.keep(client)
        failed = convert_result(result, self._context(state)) if state.request.kind == "tool" else None
        if failed is not None:
            raise failed
        self._forget(state.request)
        return result

    async def _look_for_key(self, state: "_CallState", lists: ConnectionLists) -> None:
        """Find out whether one of the arguments is an idempotency key.

        This happens before the call: a key matters when the server dies, and then it cannot be asked any more.
        """
        name = state.request.name
        if state.depends_on_tool and not KEYS.isdisjoint(state.request.arguments) and not lists.knows(name):
            await self._learn(state, name)
        self._note_harmlessness(state)

    async def _learn(self, state: "_CallState", tool: str, *, anew: bool = False) -> None:
        """List the tools to learn about one; what was known on the connection of the call stays in use."""
        lists = await self._lists.learn(tool, self._connection, limit_s=state.limit_s, anew=anew)
        if state.lists is None or not state.lists.knows(tool):
            state.lists = lists

    def _note_harmlessness(self, state: "_CallState") -> None:
        """Note whether making the call twice does no harm, by what is known on its connection."""
        if not state.depends_on_tool:
            return
        declaration = state.lists.declaration(state.request.name) if state.lists else None
        harmless = declaration.harmless_with(state.request.arguments) if declaration else None
        state.harmless = self._undeclared if harmless is None else harmless

    async def _settle(self, failed: CallFailed, state: "_CallState") -> None:
        """Decide whether a failed call may be repeated, and which tools may be proposed.

        Where that depends on what a tool declares, and nobody knows it yet, the server is asked.
        """
        name, is_tool = state.request.name, state.request.kind == "tool"
        wanted = name if is_tool else _find_proposed_tool(failed.fault)
        anew = is_tool and _may_be_unlisted(failed, state)
        if wanted is not None and self._may_list_after(failed) and (anew or self._depends_on_tools(failed, state)):
            await self._learn(state, wanted, anew=anew)
        self._note_harmlessness(state)
        lists = state.lists if state.lists is not None and state.lists.has_tools else self._lists.current
        if is_tool:
            failed.has_effect = lists.has_effect(name)
        fault = limit_trust(failed, harmless=state.harmless) if is_tool else failed.fault
        fault = keep_known_advice(settle_verdict(fault, harmless=state.harmless), lists, name if is_tool else "")
        fault = forbid_refused_repetition(fault, failed)
        recovery = fault.recovery or NO_RECOVERY
        if is_tool:
            may_have_happened = fault.retry in {Retry.IF_HARMLESS, Retry.VERIFY_FIRST}
            failed.looking_tool = lists.find_looking_tool(name, state.request.arguments) if may_have_happened else None
            failed.nearest = lists.nearest(name) if failed.word is not None else None
        failed.listed = lists.effects(recovery.fallback_tool, recovery.verify_tool, failed.looking_tool)
        failed.fault = fault

    def _may_list_after(self, failed: CallFailed) -> bool:
        """Return whether the server may be asked after a failure.

        A client that somebody else has opened cancels their block if the server is not there. So it has to have answered.
        """
        return self._connection.opens or not failed.is_local or failed.is_refused

    def _depends_on_tools(self, failed: CallFailed, state: "_CallState") -> bool:
        """Return whether the next step depends on what the server's tools declare, and that is not all known yet."""
        kind = state.request.kind
        if kind in _CONCERNS_NO_TOOL or (kind == "tool" and state.knows_its_tool):
            return False  # Nobody opens another connection because of what a server proposes.
        fault, recovery = failed.fault, failed.fault.recovery or NO_RECOVERY
        if recovery.fallback_tool or recovery.verify_tool or recovery.corrective_params:
            return True
        is_open = fault.retry is Retry.IF_HARMLESS or (fault.retry is Retry.SAME_CALL and failed.word is not None)
        return is_open and state.depends_on_tool

    async def _open_client(self, state: "_CallState") -> OpenClient:
        try:
            return await self._connection.open_client()
        except Exception as error:  # noqa: BLE001 - as above.
            failed = convert_open_error(error, self._context(state), self._connection)
        raise failed

    def _context(self, state: "_CallState") -> FailureContext:
        request = state.request
        schema = state.lists.schema(request.name) if state.lists is not None and request.kind == "tool" else None
        server = self._connection.server
        return FailureContext(
            request, server, state.limit_s, schema=schema, was_lost=state.was_lost, was_sent=state.was_sent
        )

    def _forget(self, request: ClientRequest) -> None:
        """Drop the failures of a call that has succeeded: it is no loop."""
        if request.kind != "list":  # Listing the tools once more makes no progress by itself.
            self._streaks.end(request.name)
        if self._history:
            identity = identify_call(request, self._connection.server)
            kept = [failed for failed in self._history if failed.identity != identity]
            if len(kept) < len(self._history):
                self._history = deque(kept, maxlen=_LONGEST_HISTORY)


@dataclasses.dataclass(slots=True)
class _CallState:
    """One call, from the first attempt to the last."""

    request: ClientRequest
    send: _Send
    limit_s: float | None
    harmless: bool | None = None
    """Whether making it twice does no harm; for a tool this is learned when it matters."""
    key: str | None = None
    """The key by which, as the program says, the server recognises a repetition; then nothing has to be learned."""
    is_sent: bool = False
    """Whether an attempt got so far that the server may have received it."""
    was_sent: bool = False
    """Whether one before it did."""
    lists: ConnectionLists | None = None
    """What is known of the server on the connection of the call."""
    client: OpenClient | None = None
    """The client of the last attempt."""
    was_lost: bool = False
    """Whether the connection had been lost for good before the last attempt."""
    failed: CallFailed | None = None
    """The failure of the attempt before."""
    attempts: int = 0
    before: Streak = NO_STREAK
    """The failures before it began."""

    @property
    def depends_on_tool(self) -> bool:
        """Whether the tool's declaration decides if making the call twice does harm."""
        return self.request.kind == "tool" and self.key is None

    @property
    def knows_its_tool(self) -> bool:
        """Whether there is no more to be learned about the tool."""
        return self.lists is not None and self.lists.knows(self.request.name)


class _LastAttempt(BaseException):
    """Carries a failure after which no attempt can get through past the policy, which repeats by the verdict.

    A policy passes on what is no `Exception`; nobody else ever sees it.
    """

    def __init__(self, failed: CallFailed) -> None:
        super().__init__(failed)
        self.failed = failed


def _explain_missing_client() -> str:
    """Return why `connect` cannot make a client, and what to do: nobody has to change the version of an SDK."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - only a failure pays for loading it.

    try:
        installed = version("mcp")
    except PackageNotFoundError:
        return "`errata.client.Caller.connect` needs mcp, which is not installed. Install it with: pip install mcp"
    return (
        f"`errata.client.Caller.connect` needs `mcp.Client`, which mcp {installed} does not have. Open a "
        "`mcp.ClientSession` or a `fastmcp.Client` yourself, and pass it: `Caller(session)`."
    )


def _adapt_policy(retry: Retrying | None, server: str | None) -> Retrying | None:
    """Return a policy that takes each call's own key, with one budget per server."""
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

    def key(state: _CallState) -> str | None:
        return state.key or ("declared" if state.harmless else None)

    upstream = retry.upstream or server
    return retry(key=key, idempotent=None, upstream=upstream)


def _may_be_unlisted(failed: CallFailed, state: _CallState) -> bool:
    """Return whether the server may lack the tool, and only a new list can tell.

    What the server says is a reason to look, and nothing more.
    """
    fault = failed.fault
    if state.lists is None or failed.word is None or fault.retry not in {Retry.FIX_INPUT, Retry.NEVER}:
        return False
    is_doubted = fault.code in _CODES_OF_A_MISSING_TOOL and "tool" in fault.message.lower()
    return not state.lists.settles_existence(state.request.name, is_doubted=is_doubted)


def _find_proposed_tool(fault: Fault) -> str | None:
    """Return a tool that the recovery of a fault proposes."""
    recovery = fault.recovery or NO_RECOVERY
    return recovery.fallback_tool or recovery.verify_tool


def _handle_messages(
    lists: ServerLists, own: Callable[[object], Awaitable[None]] | None
) -> Callable[[object], Awaitable[None]]:
    """Return a message handler that notes changes of lists, then calls the handler of the program."""

    async def handle(message: object) -> None:
        lists.note_message(message)
        if own is not None:
            await own(message)

    return handle


def _restore_details(exhausted: FaultError) -> CallFailed | FaultError:
    """Return the error of a call repeated in vain, with the details of its last attempt.

    A reference is only ever the server's own.
    """
    last = exhausted.__cause__
    if not isinstance(last, CallFailed):
        return exhausted
    ours = dataclasses.replace(
        exhausted.fault, correlation_id=last.fault.correlation_id, timestamp=last.fault.timestamp
    )
    return last.with_fault(ours)


async def _run_within(work: Awaitable[_T], seconds: float | None) -> _T:
    """Await some work within a time limit.

    This is not `anyio.fail_after`: that error has no cause, and the cause shows whether an answer had come and was only
    being checked (`find_unchecked_answer`).
    """
    if seconds is None:
        return await work
    async with deadline(seconds):
        return await work
