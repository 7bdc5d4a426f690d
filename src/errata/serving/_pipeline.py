"""The story of one request: its handler runs, and a failure becomes the reply that the protocol has for it.

    unwrap    what did the handler raise, inside what the SDK made of it?    _unwrapping
    classify  what does that mean?                                           _classifying
    settle    may the call be repeated, given the tool's effect?             _settling
    advise    what is the next step, if nobody wrote one?                    _next_steps
    encode    how does the dialect say it?                                   _encoding
    record    what goes into the log, onto the span, beside the contract?    _recording

A tool's failure is a result. For a resource or a prompt it is raised as a JSON-RPC error.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

from errata.contracts import bind_declared
from errata.dialects import BASELINE, build_input_required, encode_needs_input, native
from errata.model import NeedsInput, wants_list
from errata.resilience import count_cancellations
from errata.serving._adapter import Adapter, Run, describe_call, look_up_handler
from errata.serving._classifying import ProtocolFailure, RequestFailure, ServerBug, classify_failure
from errata.serving._encoding import ServerReply, choose_format, encode_bare_reply, encode_reply
from errata.serving._guarding import Guard, GuardedCall
from errata.serving._next_steps import advise
from errata.serving._publishing import Publisher
from errata.serving._questions import (
    Channel,
    build_late_question_error,
    build_unanswered_error,
    choose_channel,
    elicit,
    has_changed_something,
)
from errata.serving._recording import Recorder
from errata.serving._reply_memory import Key, ReplyMemory, make_key
from errata.serving._requests import IN_WORK, Kind, Request
from errata.serving._rounds import find_reply, read_accepted, write_state
from errata.serving._settling import settle_failure
from errata.serving._setup import Setup
from errata.serving._unwrapping import hide_secrets, must_pass, raise_unchanged, unwrap_failure


class Pipeline:
    """Runs the handlers of one server for its clients, and replies to the requests that fail."""

    def __init__(self, adapter: Adapter, setup: Setup, publisher: Publisher, recorder: Recorder) -> None:
        self._adapter = adapter
        self._setup = setup
        self._publisher = publisher
        self._recorder = recorder
        self._memory = ReplyMemory()
        is_guarded = setup.breaker is not None or setup.retry is not None
        self._guard = Guard(setup.breaker, setup.retry) if is_guarded else None
        self._is_surrounded = is_guarded or bool(setup.contracts)
        self.is_open = True
        """Once closed, everything passes: somebody may have wrapped a hook of ours, and go on calling it."""

    async def attend(self, request: Request, run: Run, *arguments: object) -> Any:  # noqa: ANN401 - the SDK's own object.
        """Run a handler for a client; its failure becomes the reply that the protocol has for it."""
        if not self.is_open:
            return await run(*arguments)
        before = count_cancellations()
        token = IN_WORK.set(request)
        failure = None
        try:
            if self._is_surrounded and request.kind is Kind.TOOL:
                return await self._run_surrounded(request, partial(run, *arguments), before)
            return await run(*arguments)
        except (Exception, CancelledError, BaseExceptionGroup) as error:
            if request.context is None or must_pass(error, before):
                raise
            failure = await unwrap_failure(self._adapter, error, request)
            if failure is None:
                hide_secrets(error)
                raise
            if isinstance(failure, ProtocolFailure):
                hide_secrets(failure.error)
                raise_unchanged(failure.error)
            if isinstance(failure.error, NeedsInput):
                return await self._ask(failure.error, request, partial(run, *arguments))
            return await self._reply(failure, request)
        finally:
            failure = None  # Its traceback refers to this frame: together they would wait for the garbage collector.
            try:  # noqa: SIM105 - `suppress` costs a request that succeeds more than all else here.
                IN_WORK.reset(token)
            except ValueError:  # It was given up, and is ended by somebody else.
                pass

    async def _reply(self, failure: RequestFailure, request: Request) -> object:
        """Reply to a failed request: for a tool with a result, for all others by raising a JSON-RPC error."""
        key = make_key(failure.error, request) if self._is_memorable(failure, request) else None
        reply = self._memory.recall(key) if key is not None else None
        if reply is None:
            try:
                reply = await self._work_out_reply(failure, request, key)
            except Exception as mistake:  # noqa: BLE001 - somebody's dialect, or errata itself: a reply is always sent.
                failure, reply = ServerBug(mistake), encode_bare_reply(request)
        elif reply.fault.code not in BASELINE:  # It is compared with the handler's contract.
            await look_up_handler(self._adapter, request)
        self._recorder.record(reply, failure, request)
        if request.kind is Kind.TOOL:
            return self._build_result(reply, request)
        raise self._adapter.build_error(reply.encoded) from None  # A span that records it would quote the cause.

    def _build_result(self, reply: ServerReply, request: Request) -> object:
        try:
            return self._adapter.build_result(request, reply.encoded)
        except Exception:  # noqa: BLE001 - somebody's dialect wrote what is no result: a reply is always sent.
            return self._adapter.build_result(request, encode_bare_reply(request).encoded)

    async def _work_out_reply(self, failure: RequestFailure, request: Request, key: Key | None) -> ServerReply:
        adapter, dialect = self._adapter, self._setup.choose_dialect(request.name)
        await describe_call(adapter, failure, request)
        fault = classify_failure(failure, request, mask=self._setup.mask)
        settled = await settle_failure(fault, failure, request, adapter)
        takes_advice = dialect is native or request.kind is not Kind.TOOL
        advised = (
            await advise(settled, failure, request, adapter, self._publisher.listed) if takes_advice else settled.fault
        )
        reply = await encode_reply(settled, advised, request, dialect, adapter)
        if key is not None and settled.is_by_fault_alone and not wants_list(fault):
            self._memory.keep(key, reply, failure.error)
        return reply

    def _is_memorable(self, failure: RequestFailure, request: Request) -> bool:
        """Return whether the exception, the call and errata's own dialect are all there is to the reply."""
        is_plain = type(failure) is RequestFailure and not request.masks and request.effects is None
        return is_plain and request.kind is Kind.TOOL and self._setup.choose_dialect(request.name) is native

    async def _run_surrounded(self, request: Request, run: Callable[[], Awaitable[object]], before: int) -> object:
        """Run a tool that has a contract from outside, a breaker or a retry policy."""
        contract = self._setup.contracts.get(request.name)
        with bind_declared(contract, request.name) if contract else nullcontext():
            if self._guard is None or request.context is None:
                return await run()
            outcome = await self._guard.run(GuardedCall(self._adapter, request, run, before))
        try:
            if outcome.error is not None:
                raise_unchanged(outcome.error)
            return outcome.result if outcome.failure is None else await self._reply(outcome.failure, request)
        finally:
            del outcome  # As in `attend`.

    async def _ask(self, question: NeedsInput, request: Request, run: Callable[[], Awaitable[object]]) -> object:
        """Put a handler's question to the client, and run the handler again once there is an answer."""
        if has_changed_something(request):
            return await self._reply(RequestFailure(build_late_question_error(question), is_intended=True), request)
        schema = (await look_up_handler(self._adapter, request)).input_schema
        reply = find_reply(request.origin.input_responses)
        channel = choose_channel(request)
        if channel is Channel.INPUT_REQUIRED and (reply is None or read_accepted(reply) is not None):
            state = write_state(request.rounds)
            return self._adapter.build_result(request, build_input_required(question, schema, state))
        if channel is Channel.ELICITATION:
            reply = await elicit(question, schema, request)
        if channel is Channel.RESULT or reply is None:
            if request.kind is not Kind.TOOL:  # Only a tool's result has a field for a question.
                return await self._reply(RequestFailure(question, is_intended=True), request)
            encoded = encode_needs_input(question, format=choose_format(request, schema))
            return self._adapter.build_result(request, encoded)
        if (answers := read_accepted(reply)) is None:
            return await self._reply(RequestFailure(build_unanswered_error(reply, question), is_intended=True), request)
        request.add_round(answers)
        return await self.attend(request, run)
