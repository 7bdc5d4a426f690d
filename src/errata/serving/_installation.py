"""errata at work in one server: what a request that fails is answered with, whichever SDK the server is built on."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar, cast

from errata.classification import Call, classify
from errata.contracts import Declared, bound, declare, declared_by, is_beneath_raises
from errata.dialects import Dialect, encode_needs_input, get, input_required, native
from errata.model import Code, Fault, NeedsInput, did_you_mean, rewritten, wants_a_list, with_list
from errata.resilience import cancellations, retry
from errata.serving._again import Memory
from errata.serving._answering import Answer, as_protocol_error, in_need, wanted_format, with_what_has_no_place
from errata.serving._asking import Way, ask_in_between, asked_too_late, unanswered, way_to_ask
from errata.serving._cancelling import has_to_pass
from errata.serving._guarding import Guard, GuardedCall
from errata.serving._judging import Bug, Failed, ForTheProtocol, advised, hide_secrets, masked, raise_as_it_is
from errata.serving._noting import Notes
from errata.serving._offer import Group, Offer
from errata.serving._publishing import Listed, published
from errata.serving._replies import accepted, carried, reply_in
from errata.serving._request import IN_WORK, Kind, Request
from errata.serving._settings import Declaration, Settings
from errata.serving._settling import UNDECLARED, Nature, depends_on_the_tool, nature_of
from errata.tools import Missing, fields_in, listing_tool, missing_tool

_LOG = logging.getLogger("errata")
INSTALLED = "__errata__"
"""The attribute of a server that errata is at work in."""
_ABSENT = object()
Run: TypeAlias = Callable[..., Awaitable[object]]
_Found = TypeVar("_Found")
CallTool: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[Any]]
_SPOKEN: ContextVar[tuple["Installation", Dialect] | None] = ContextVar("errata_dialect", default=None)
"""The language that somebody chose for a while. A server in memory runs in the context of its client."""


class Installation(ABC):
    """What `errata.install` gives back: errata at work in a server, until `uninstall()`; also as a `with` block."""

    def __init__(self, server: object, settings: Settings) -> None:
        self._place = server
        self._dialect = _dialect(settings.get("dialect", "native"))
        self._per_tool = {tool: _dialect(name) for tool, name in (settings.get("per_tool") or {}).items()}
        self._mask = settings.get("mask")
        """None where nobody decided: then what a server on the way withholds is withheld."""
        contracts = settings.get("contracts") or {}
        self._contracts = {tool: declare(*_several(given), by=tool) for tool, given in contracts.items()}
        self._describe = settings.get("describe", False)
        self._breaker = settings.get("breaker")
        wanted = settings.get("retry")
        self._retry = (retry if wanted else None) if isinstance(wanted, bool) else wanted
        is_guarded = self._breaker is not None or self._retry is not None
        self._guard = Guard(self._breaker, self._retry) if is_guarded else None
        self._is_surrounded = is_guarded or bool(self._contracts)
        self._notes = Notes()
        self._warned_of = set[str]()
        self._tools: Mapping[str, Mapping[str, object]] | None = None
        """The tools that were listed last, each with the schema of its arguments."""
        self._fields = set[str]()
        self._unchecked = set[str]()
        """Those of them whose advice has not been looked at."""
        self._memory = Memory()
        self._undo = ExitStack()
        self._at_work = True

    def start(self) -> Self:
        """Go to work in the server; if that fails, it is left as it was."""
        try:
            self.hook()
            self._replace(self._place, INSTALLED, self)
        except BaseException:
            self.uninstall()
            raise
        classify(Exception())  # The first one takes as long as a thousand others: better now than in a request.
        return self

    @property
    def setup(self) -> tuple[object, ...]:
        """What it was told to do, to be compared."""
        spoken = self._dialect, self._per_tool, bool(self._mask)
        return *spoken, self._contracts, self._describe, self._breaker, self._retry

    @abstractmethod
    def hook(self) -> None:
        """Put errata between the server and its clients."""

    @property
    def undeclared(self) -> Mapping[tuple[str, Code], int]:
        """How often a tool failed with a code that its contract does not declare."""
        return dict(self._notes.undeclared)

    @property
    def fallback_tools(self) -> Mapping[str, str]:
        """The tools that its breakers send callers to, by upstream."""
        breakers = self._breaker.values() if isinstance(self._breaker, Mapping) else filter(None, [self._breaker])
        return {each.upstream: each.fallback_tool for each in breakers if each.fallback_tool}

    def uninstall(self) -> None:
        """Leave the server as it was."""
        self._at_work = False
        self._undo.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, __: object, ___: TracebackType | None) -> None:
        self.uninstall()

    def _replace(self, server: object, name: str, replacement: object) -> None:
        """Give a server, this one alone, an attribute of ours until errata leaves."""
        before = vars(server).get(name, _ABSENT)
        setattr(server, name, replacement)

        def put_back() -> None:
            if vars(server).get(name) is not replacement:  # Somebody has wrapped it since, and may go on calling it.
                return
            if before is _ABSENT:
                delattr(server, name)
            else:
                setattr(server, name, before)

        self._undo.callback(put_back)

    @contextmanager
    def speaking(self, dialect: Dialect) -> Generator[None, None, None]:
        """Tell every failure in another language, in the calls made from within a `with` block."""
        before = _SPOKEN.set((self, dialect))
        try:
            yield
        finally:
            _SPOKEN.reset(before)

    @staticmethod
    @abstractmethod
    async def offered(server: Any) -> list[Offer]:  # noqa: ANN401 - each adapter takes its own kind of server.
        """List what a server offers, with the functions behind it."""

    @staticmethod
    @abstractmethod
    def calling(server: Any, mode: str) -> AbstractAsyncContextManager[CallTool]:  # noqa: ANN401 - as above.
        """Connect a client of the SDK's own, in memory; gives what calls a tool and returns its result whole."""

    @abstractmethod
    async def judge(self, error: BaseException, request: Request) -> Failed | None:
        """Take the SDK's wrapping off an exception; None for one that is not errata's to answer."""

    @abstractmethod
    def function(self, request: Request) -> object:
        """Find the function that a request runs; None where it cannot be found."""

    @abstractmethod
    async def annotations(self, request: Request) -> object:
        """Find what a tool declares of itself in MCP's words; None where that cannot be found."""

    @abstractmethod
    async def input_schema(self, request: Request) -> Mapping[str, object]:
        """Find the schema of a tool's arguments; an empty one where it cannot be found."""

    @abstractmethod
    def result(self, encoded: Mapping[str, object]) -> object:
        """Make the SDK's object of a tool's result."""

    @abstractmethod
    def failure_in(self, result: object) -> Mapping[str, object] | None:
        """Give a result as JSON, if it says that the tool failed."""

    @abstractmethod
    def asks(self, result: object) -> bool:
        """Whether a result is a question to the client."""

    @abstractmethod
    def question(self, kind: Kind, encoded: Mapping[str, object]) -> object:
        """Make the SDK's object of an `input_required` result."""

    @abstractmethod
    def protocol_error(self, encoded: Mapping[str, object]) -> Exception:
        """Make the SDK's exception of a JSON-RPC error."""

    async def looked_up(self, looking: Awaitable[_Found]) -> _Found | None:
        """Look something up that improves an answer; the answer is sent even if that fails."""
        try:
            return await looking
        except Exception:  # noqa: BLE001 - it runs what belongs to others: their lists, and their middleware.
            return None

    async def names(self, kind: Kind) -> tuple[str, ...] | None:
        """List the names there are; None where the server does not say."""
        return await self.looked_up(self._names(kind))

    async def _names(self, kind: Kind) -> tuple[str, ...]:
        groups = [group for group in Group if group.kind is kind]
        return tuple(
            [group.name_of(each) for group in groups for each in await getattr(self._place, f"list_{group}")()]
        )

    async def _with_call(self, failed: Failed | None, request: Request) -> Failed | None:
        """Note what is known of the call, for whoever judges its failure."""
        has_arguments = request.kind is not Kind.RESOURCE
        if failed is not None and failed.has_run and has_arguments and request.call is None:
            request.call = await self._call_of(request)
        return failed

    async def _call_of(self, request: Request) -> Call:
        """Collect what is known of a call that has failed."""
        is_tool = request.kind is Kind.TOOL
        return Call(
            tool=request.name,
            arguments=request.arguments,
            schema=await self._schema(request) if is_tool else {},
            annotations=await self.looked_up(self.annotations(request)) if is_tool else None,
            effects=request.effects,
            function=cast("Callable[..., object] | None", self.function(request)),
        )

    async def tools(self, request: Request) -> Mapping[str, Mapping[str, object]]:  # noqa: ARG002 - for those who ask on its behalf.
        """List the tools, each with the schema of its arguments; those that were listed last will do."""
        if self._tools is not None:
            return self._tools
        listed = [Offer.of(Group.TOOLS, each, None) for each in await cast("Any", self._place).list_tools()]
        return {offer.name: offer.input_schema for offer in listed}

    async def offers(self, tool: str) -> bool:  # noqa: ARG002 - as above.
        """Whether a tool that was listed is there for the client that asks now."""
        return True

    async def _schema(self, request: Request) -> Mapping[str, object]:
        return await self.looked_up(self.input_schema(request)) or {}

    async def nature(self, request: Request) -> Nature:
        """Find out what a tool says about its effect."""
        return await self.looked_up(self._nature(request)) or UNDECLARED

    async def nature_ahead(self, request: Request) -> Nature:
        """Find out the same before the tool runs."""
        return await self.nature(request)

    async def _nature(self, request: Request) -> Nature:
        return nature_of(await self.annotations(request), self.function(request))

    def dialect_of(self, tool: str) -> Dialect:
        """Look up the language a tool's failures are told in."""
        chosen = _SPOKEN.get()
        if chosen is not None and chosen[0] is self:
            return chosen[1]
        return self._per_tool.get(tool, self._dialect)

    def declared(self, tool: str, function: object) -> Declared | None:
        """Find a tool's contract: the one it was installed with, else what `@raises` declared."""
        return self._contracts.get(tool) or declared_by(function)

    def _declared_for(self, request: Request) -> Declared | None:
        return self.declared(request.name, self.function(request))

    def listed(self, name: str, tool: Listed, function: object) -> Listed:
        """Say in a list of tools how this one fails."""
        if not self._at_work:  # Somebody wrapped our list and goes on calling it.
            return tool
        declared = self.declared(name, function)
        if declared is None and is_beneath_raises(function) and name not in self._warned_of:
            self._warned_of.add(name)
            _LOG.warning(
                "Tool `%s` was registered without its `@raises`. Put `@raises(…)` directly on the function, below the "
                "decorator that registers it.",
                name,
            )
        if declared is not None and name in self._unchecked:
            self._unchecked.discard(name)
            self._look_for_missing_tools(name, declared)
        return published(tool, declared, self.dialect_of(name), describe=self._describe)

    def _look_for_missing_tools(self, name: str, declared: Declared) -> None:
        """Log, once, the tools that a recovery sends agents to and that are not in the list."""
        for failure, missing in declared.missing_tools(self._tools or (), self._fields):
            self._complain_of(f"Reason `{failure.reason}` of tool `{name}`", missing)

    def _complain_of(self, subject: str, missing: Missing) -> None:
        if (complaint := f"{subject} {missing}") not in self._warned_of:
            self._warned_of.add(complaint)
            _LOG.error("%s", complaint)

    def look_for_typos(self, tools: Mapping[str, Mapping[str, object]]) -> None:
        """Complain, once, of settings for tools that are not in the list, and of fallbacks; the values are schemas."""
        known = set(tools)
        if self._tools is not None and self._tools.keys() == known:
            return
        self._tools, self._fields, self._unchecked = tools, fields_in(*tools.values()), {*known}
        by_tool = self._breaker.keys() if isinstance(self._breaker, Mapping) else set[str]()
        for name in sorted((self._per_tool.keys() | self._contracts.keys() | by_tool) - known - self._warned_of):
            self._warned_of.add(name)
            _LOG.warning(
                "errata was installed with settings for `%s`, and the server lists no such tool. %s",
                name,
                did_you_mean(name, known),
            )
        for upstream, tool in self.fallback_tools.items():
            if missing := missing_tool(tool, known):
                self._complain_of(f"The breaker `{upstream}`", missing)

    async def attend(self, request: Request, run: Run, *arguments: object) -> Any:  # noqa: ANN401 - the SDK's own object.
        """Do what is asked for; a failure becomes the answer that the protocol has for it."""
        if not self._at_work:
            return await run(*arguments)
        before = cancellations()
        in_work = IN_WORK.set(request)
        failed = None
        try:
            if self._is_surrounded and request.kind is Kind.TOOL:
                return await self._surrounded(GuardedCall(self, request, partial(run, *arguments), before))
            return await run(*arguments)
        except (Exception, asyncio.CancelledError, BaseExceptionGroup) as error:
            if request.context is None or has_to_pass(error, before):
                raise
            failed = await self.judged(error, request)
            if failed is None:
                hide_secrets(error)
                raise
            if isinstance(failed, ForTheProtocol):
                hide_secrets(failed.error)
                raise_as_it_is(failed.error)
            if isinstance(failed.error, NeedsInput):
                return await self._ask(failed.error, request, partial(run, *arguments))
            return await self._answer(failed, request)
        finally:
            failed = None  # Its traceback refers to this frame: together they would wait for the garbage collector.
            try:  # noqa: SIM105 - `suppress` costs a request that succeeds more than all else here.
                IN_WORK.reset(in_work)
            except ValueError:  # It was given up, and is ended by somebody else.
                pass

    async def judged(self, error: BaseException, request: Request) -> Failed | None:
        """Say what an exception is; None for one that is not errata's to answer."""
        try:
            return await self._with_call(await self.judge(error, request), request)
        except Exception as trouble:  # noqa: BLE001 - an answer is always sent; this one is as good as a bug.
            return Bug(trouble)

    async def _surrounded(self, call: GuardedCall) -> object:
        """Run a tool that has a contract from outside, a breaker or a retry policy."""
        contract = self._contracts.get(call.request.name)
        with bound(contract, call.request.name) if contract else nullcontext():
            if self._guard is None or call.request.context is None:
                return await call.run()
            outcome = await self._guard.run(call)
        try:
            if outcome.error is not None:
                raise_as_it_is(outcome.error)
            return outcome.result if outcome.failed is None else await self._answer(outcome.failed, call.request)
        finally:
            del outcome  # As in `attend`.

    async def _ask(self, question: NeedsInput, request: Request, run: Run) -> object:
        """Put a tool's question to the client, and run the tool again once there is an answer."""
        if (effects := request.effects) and effects.open > 0 and not effects.keyed:
            return await self._answer(Failed(asked_too_late(question), on_purpose=True), request)
        schema: Mapping[str, object] = await self._schema(request) if request.kind is Kind.TOOL else {}
        reply = reply_in(request.origin.input_responses)
        way = way_to_ask(request)
        if way is Way.COME_BACK and (reply is None or accepted(reply) is not None):
            return self.question(request.kind, input_required(question, schema, carried(request.progress)))
        if way is Way.IN_BETWEEN:
            reply = await ask_in_between(question, schema, request)
        if way is Way.AS_RESULT or reply is None:
            return await self._told(question, request, schema)
        if (new := accepted(reply)) is None:
            return await self._answer(Failed(unanswered(reply, question), on_purpose=True), request)
        request.again(new)
        return await self.attend(request, run)

    async def _told(self, question: NeedsInput, request: Request, schema: Mapping[str, object]) -> object:
        """Answer with the question itself; only a tool's result has a place for one."""
        if request.kind is not Kind.TOOL:
            return await self._answer(Failed(question, on_purpose=True), request)
        return self.result(encode_needs_input(question, format=wanted_format(request, schema)))

    async def _answer(self, failed: Failed, request: Request) -> object:
        """Say a failure in the tool's dialect; for what is no tool, raise it as a JSON-RPC error."""
        answer = self._memory.recall(failed.error, request.call) if self._may_recall(failed, request) else None
        if answer is None:
            try:
                answer = await self._said(failed, request)
            except Exception as trouble:  # noqa: BLE001 - somebody's dialect, or a mistake of ours: an answer is always sent.
                failed = Bug(trouble)
                answer = in_need(request)
        self._notes.take(answer, failed, request, self._declared_for)
        if request.kind is Kind.TOOL:
            return self.result(answer.told)
        raise self.protocol_error(answer.told) from None  # A span that records it would quote the cause as it was.

    async def _said(self, failed: Failed, request: Request) -> Answer:
        if request.kind is not Kind.TOOL:
            fault = self._fault(failed, request)
            return as_protocol_error(fault, advised(fault, failed), self.dialect_of(request.name))
        dialect = self.dialect_of(request.name)
        schema: Mapping[str, object] = await self._schema(request) if dialect.follows_format else {}
        fault = self._fault(failed, request)
        is_the_tools = failed.has_run and depends_on_the_tool(fault, request.effects)
        why = None
        if is_the_tools:
            nature = (await self.nature(request)).presumed(request.name, failed.error, request.effects)
            fault, why = nature.settle_for_good(fault, request), nature.why
        told = advised(await self._sent_to_list(fault, request), failed, why) if dialect is native else fault
        encoded = dialect.encode(told, format=wanted_format(request, schema))
        encoded = with_what_has_no_place(encoded, fault, dialect, presumed=why is not None)
        answer = Answer(fault, encoded, fault.correlation_id, fault.timestamp)
        if not is_the_tools and not wants_a_list(fault) and self._may_recall(failed, request):
            self._memory.keep(failed.error, request.call, answer)
        return answer

    async def _sent_to_list(self, fault: Fault, request: Request) -> Fault:
        """Name the tool that shows what there is, where something was not found and nobody wrote what to do then."""
        if not wants_a_list(fault):
            return fault
        name = listing_tool(request.name, fault.field, await self.looked_up(self.tools(request)) or {})
        is_there = await self.looked_up(self.offers(name)) if name else False
        return with_list(fault, name) if name and is_there else fault

    def _may_recall(self, failed: Failed, request: Request) -> bool:
        """Whether the exception and errata's own dialect are all there is to the answer."""
        is_plain = (
            type(failed) is Failed and request.kind is Kind.TOOL and not request.masks and request.effects is None
        )
        return is_plain and self.dialect_of(request.name) is native

    def _fault(self, failed: Failed, request: Request) -> Fault:
        fault = failed.fault(request)
        if (trace_id := request.trace_id()) and fault.correlation_id != trace_id:  # It was made outside of the request.
            fault = rewritten(fault, correlation_id=trace_id)
        masks = self._mask if self._mask is not None else request.masks
        return masked(fault, failed) if masks else fault


def _dialect(wanted: str | Dialect) -> Dialect:
    return wanted if isinstance(wanted, Dialect) else get(wanted)


def _several(given: Declaration | Iterable[Declaration]) -> tuple[Declaration, ...]:
    return tuple(given) if isinstance(given, Iterable) else (given,)
