"""The call of a tool over HTTP: made once, or more often where that is due, and answered once."""

from collections.abc import Generator
from contextlib import contextmanager, suppress

import anyio
from anyio.lowlevel import checkpoint

from errata.gate._answers import Answers, is_resumable
from errata.gate._conversations import Conversation
from errata.gate._downstream import Downstream
from errata.gate._gatekeeper import (
    AttemptError,
    Failed,
    Gatekeeper,
    read_outcome,
    rename_answer,
    write_error,
    write_repeated_request,
)
from errata.gate._lost_answers import explain_loss, explain_refusal, write_unreached
from errata.gate._repeated_ids import wrap_id
from errata.gate._response_reader import ResponseReader, inflated
from errata.gate._reverse_proxy import App, Scope, UpstreamError, with_length
from errata.model import FaultError
from errata.resilience import Permit
from errata.wire import Pending, member_text, to_frame

_STATUSES_OF_OUTAGES = frozenset({502, 503, 504})
"""The statuses of a server that is down, or of a gateway before it, also with a message of MCP in the body."""
_LONGEST_DECISION_S = 10.0
"""How long a server may take to accept a cancellation."""
_LAST_WORD_S = 1.0
"""How long the answer to a call may take whose task is cancelled."""


class CallExchange:
    """A request that calls one tool, and the response to it.

    An attempt sends the request and passes on what comes, but for a failure after which the call is to be repeated. The
    events of all attempts are one stream to the client.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - it is all there is of a call.
        self,
        app: App,
        keeper: Gatekeeper,
        conversation: Conversation,
        scope: Scope,
        call: Pending,
        body: bytes,
        client: Downstream,
    ) -> None:
        self._app = app
        self._keeper = keeper
        self._conversation = conversation
        self._scope = scope
        self._call = call
        self._body = body
        self._client = client
        self._reader: ResponseReader | None = None
        self._error: Exception | None = None
        """What broke off a response that has begun."""
        self._failed: Failed | None = None
        """How the last attempt ended, if nobody was told."""
        self._attempts = 1
        self._alive: str | None = None
        """The id of the attempt that is under way, as JSON, if it is a repetition."""
        self._repetition: anyio.CancelScope | None = None
        self._is_cancelled = False
        self._undecided: set[anyio.Event] = set()
        """Of the cancellations that the server has neither accepted nor refused."""

    async def run(self) -> None:
        """Make the call, repeat it where that is due, and see that it is answered."""
        try:
            permit = await self._keeper.apermit() if self._keeper.options.repair else None
        except FaultError as refusal:
            await self._answer(self._keeper.refuse(self._call, self._conversation.tools, refusal.fault))
            return
        self._failed = await self._attempt(permit, self._body, self._call.key)
        if self._failed is not None:
            await self._repeat()
        if self._error is not None:
            raise self._error

    @contextmanager
    def cancelling(self) -> Generator[str]:
        """Repeat nothing while the server is told of a cancellation; gives the id, as JSON, of the attempt that is alive."""
        decided = anyio.Event()
        self._undecided.add(decided)
        try:
            yield self._alive or self._number
        finally:
            self._undecided.discard(decided)
            decided.set()

    def cancel(self) -> None:
        """Repeat the call no more."""
        self._is_cancelled = True
        self._stop_waiting()

    @property
    def _number(self) -> str:
        """The id of the call, as JSON."""
        return member_text(self._call.message.text, "id") or "null"

    # One attempt.

    async def _attempt(self, permit: Permit | None, body: bytes, key: str) -> Failed | None:
        """Make an attempt, and pass on what comes of it; return how it failed if the client was not told."""
        waiting = {key: self._call}
        answers = Answers(self._keeper, self._conversation, waiting, self._attempts)
        reader = self._reader = ResponseReader(self._keeper, answers, self._client, self._keeps_back)
        try:
            try:
                error = await self._send(reader, body)
            except anyio.get_cancelled_exc_class():
                kept_back = reader.failed if reader.is_kept_back else None
                await self._answer_at_last(self._find_loss(reader, None) if key in waiting else kept_back)
                raise
            is_open = key in waiting
            if is_open or reader.is_kept_back:
                await self._hear_cancellations()
            failed = self._find_loss(reader, error) if is_open else reader.failed
            if failed is not None or not is_open:
                self._keeper.settle(permit, failed, is_down=reader.status in _STATUSES_OF_OUTAGES)
            if failed is not None and (self._keeps_back(failed) if is_open else reader.is_kept_back):
                return failed
            if failed is not None and is_open:
                await self._answer(failed)
            else:
                await self._finish(reader, error)
        finally:
            self._keeper.release(permit)
        return None

    async def _send(self, reader: ResponseReader, body: bytes) -> Exception | None:
        """Send the request; return what the application raised."""
        scope = with_length(self._scope, body)
        take = reader.take if self._alive is None else inflated(reader.take)
        try:
            with reader.scope:
                await self._app(scope, self._client.receive_after(body), take)
        except (Exception, ExceptionGroup) as error:  # noqa: BLE001 - whatever it is, the call is answered.
            return error
        return None

    def _find_loss(self, reader: ResponseReader, error: Exception | None) -> Failed | None:
        """Return the failure of a call whose answer was lost; None if none is due here."""
        is_opaque = self._client.is_started and not self._client.is_stream
        is_left_to_resumption = reader.has_ids and is_resumable(self._call)
        if is_opaque or self._is_over or is_left_to_resumption:
            return None
        refusal = reader.find_refusal()
        if refusal is None:
            failed = explain_loss(self._keeper, self._call, self._conversation.tools, error)
        else:
            failed = explain_refusal(self._keeper, self._call, self._conversation.tools, refusal)
        if self._keeper.options.repair:
            return failed
        self._keeper.write(failed)
        return None

    async def _finish(self, reader: ResponseReader, error: Exception | None) -> None:
        """End the response as the server has ended it."""
        if error is None:
            await reader.finish()
        elif self._client.is_started or not isinstance(error, UpstreamError):
            self._error = error
        elif not self._client.is_gone:
            await self._client.reply(502, *write_unreached(self._keeper, [self._call], error))

    @property
    def _is_over(self) -> bool:
        """Whether nobody waits for the answer."""
        return self._is_cancelled or self._client.is_gone

    def _keeps_back(self, failed: Failed) -> bool:
        """Return whether a failure is not shown, because the call is to be repeated; of a repetition the policy decides."""
        if self._alive is not None:
            return True
        is_left = failed.judged.is_kept and (failed.message is None or "error" in failed.message.members)
        is_due = self._keeper.options.repair and self._keeper.may_repeat(failed)
        return is_due and not is_left and not self._is_over

    # Repeating.

    async def _repeat(self) -> None:
        """Repeat the call, and answer it; not for a client that has gone."""
        try:
            async with anyio.create_task_group() as group:
                self._repetition = group.cancel_scope
                group.start_soon(self._wait_until_gone)
                await self._follow_policy()
                group.cancel_scope.cancel()
        except anyio.get_cancelled_exc_class():
            await self._answer_at_last(self._failed)
            raise
        self._repetition = None
        if self._failed is not None and not self._client.is_gone:
            await self._answer_cancelled(self._failed)

    async def _wait_until_gone(self) -> None:
        await self._client.wait_until_gone()
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        """End the pause between two attempts; an attempt ends by itself."""
        if self._alive is None and self._repetition is not None:
            self._repetition.cancel()

    async def _follow_policy(self) -> None:
        policy = self._keeper.options.retry
        if policy is None:
            raise RuntimeError("A call is repeated by no policy.")
        self._attempts = 0
        try:
            await policy.call(self._attempt_again)
        except FaultError as error:
            self._failed = None
            await self._answer(read_outcome(error), self._attempts)

    async def _attempt_again(self) -> None:
        """Make the next attempt, with an id of its own; the first one was made, and is only reported."""
        self._attempts += 1
        if self._failed is not None and self._attempts == 1:
            raise AttemptError.of(self._failed)
        await self._leave_if_over()
        permit = await self._permit_again()
        self._alive = wrap_id(self._number)
        try:
            body = to_frame(write_repeated_request(self._call, self._alive))
            self._failed = await self._attempt(permit, body, self._alive)
        finally:
            self._alive = None
        if self._failed is None:
            return
        await self._leave_if_over()
        raise AttemptError.of(self._failed)

    async def _leave_if_over(self) -> None:
        await self._hear_cancellations()
        if self._is_over:
            self._stop_waiting()
            await checkpoint()

    async def _hear_cancellations(self) -> None:
        """Wait until the server has accepted or refused the cancellations that are on their way to it."""
        with anyio.move_on_after(_LONGEST_DECISION_S):
            for decided in tuple(self._undecided):
                await decided.wait()

    async def _permit_again(self) -> Permit | None:
        try:
            return await self._keeper.apermit()
        except FaultError as refusal:
            refused = self._keeper.refuse(self._call, self._conversation.tools, refusal.fault)
            raise AttemptError.of(refused) from None

    # Answering.

    async def _answer(self, failed: Failed, attempts: int = 1) -> None:
        """Answer the call, which failed."""
        text = self._keeper.write(failed, attempts)
        if text is None:
            text = failed.message.text if failed.message else write_error(self._call, failed.judged.fault.message)
        headers = self._reader.headers if self._reader else []
        event = self._reader.event if self._reader else None
        await self._client.answer(rename_answer(text, self._call), headers, event)

    async def _answer_at_last(self, failed: Failed | None) -> None:
        """Answer a call whose task is cancelled, as when the gate is ended: without an answer the client makes it again."""
        self._failed = None
        if failed is not None and not self._client.is_gone:
            with anyio.move_on_after(_LAST_WORD_S, shield=True), suppress(Exception):
                await self._answer(failed)

    async def _answer_cancelled(self, failed: Failed) -> None:
        """End the response to a call that was cancelled while it was repeated: a stream says no more, a body has to."""
        if self._client.is_stream:
            await self._client.end()
        else:
            await self._answer(failed)
