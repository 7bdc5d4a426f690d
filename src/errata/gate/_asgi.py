"""The gate in front of an ASGI application that speaks MCP over streamable HTTP.

Requests pass as they are. Of the responses, the answers to calls of tools are read: in a body of JSON, or as one event of
a stream, whose other events go on as they come. A call that is made again is one exchange to the client.
"""

from collections.abc import Generator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any

from errata.gate._answers import Answers
from errata.gate._call_exchange import CallExchange
from errata.gate._conversations import Conversations, Repeatable, Visitor, is_success
from errata.gate._downstream import Downstream
from errata.gate._frames import is_batch
from errata.gate._gatekeeper import Gatekeeper, rename_cancellation
from errata.gate._lost_answers import write_losses, write_unreached
from errata.gate._record import GateRecord
from errata.gate._response_reader import ResponseReader, index
from errata.gate._reverse_proxy import (
    LARGEST_BODY,
    App,
    ClientGoneError,
    OversizedBodyError,
    RawHeaders,
    Receive,
    Scope,
    Send,
    UpstreamError,
    read_body,
    respond,
    with_length,
)
from errata.wire import Message, Pending, key_of_cancelled, member_text, read_messages, to_frame

_STREAM = b"text/event-stream"


class RepairingApp:
    """An ASGI application around another one; its failing answers are repaired."""

    def __init__(self, app: App, keeper: Gatekeeper) -> None:
        self._app = app
        self._keeper = keeper
        self._conversations = Conversations()

    @property
    def record(self) -> GateRecord:
        """What passed and what was done: `record.summarise()`."""
        return self._keeper.record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and repair the answer if it is one to a call that failed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _HttpRequest(self._app, self._keeper, self._conversations, scope)
        with request.conversation.use():
            if scope["method"] == "POST":
                await request.post(receive, send)
            else:
                await request.pass_on(receive, send)


class _HttpRequest:
    """A request over HTTP, and who sends it."""

    def __init__(self, app: App, keeper: Gatekeeper, conversations: Conversations, scope: Scope) -> None:
        self._upstream = app
        self._keeper = keeper
        self._conversations = conversations
        self._scope = scope
        self._visitor = Visitor.of(scope)
        self.conversation = conversations.find(self._visitor)
        self._is_message = False
        self._cancelled: Repeatable | None = None
        """The call that ends if the server takes this cancellation."""

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the application, and note what its answer says of the visitor."""

        async def take(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self._note_response(message["status"], list(message.get("headers", ())))
            await send(message)

        await self._upstream(scope, receive, take)

    def _note_response(self, status: int, headers: RawHeaders) -> None:
        method = self._scope["method"]
        if self._is_message or method != "POST":
            self._conversations.note_response(self._visitor, self.conversation, method, status, headers)
        if self._cancelled is not None and is_success(status):
            self._cancelled.cancel()

    async def pass_on(self, receive: Receive, send: Send) -> None:
        """Pass on what is no message to the server. A stream that is resumed may have answers in it."""
        client = Downstream(receive, send)
        headers = index(self._scope["headers"])
        scope = _ask_for_plain(self._scope) if _STREAM in headers.get(b"accept", b"") else self._scope
        waiting = self.conversation.elsewhere if self._visitor.session else {}
        reader = self._read_for(client, waiting, is_resumed=self._scope["method"] == "GET")
        await self._relay(scope, receive, client, reader, [])

    async def post(self, receive: Receive, send: Send) -> None:
        """Pass a message on, and what the server answers."""
        try:
            body = await read_body(receive, LARGEST_BODY)
        except OversizedBodyError:
            await respond(send, 413, f"A message may have {LARGEST_BODY} bytes at most.")
            return
        except ClientGoneError:
            return
        messages = read_messages(body) or []
        self._is_message = any(message.is_answer or message.method is not None for message in messages)
        requests = self._describe(messages)
        self._keeper.record.calls += sum(request.tool is not None for request in requests)
        client = Downstream(receive, send)
        if len(requests) == 1 and requests[0].tool is not None and not is_batch(body):
            await self._call(requests[0], body, client)
        else:
            await self._post_others(messages, requests, body, client)

    async def _call(self, call: Pending, body: bytes, client: Downstream) -> None:
        scope = _ask_for_plain(self._scope)
        exchange = CallExchange(self._app, self._keeper, self.conversation, scope, call, body, client)
        with self._conversations.register(self._visitor, call, exchange):
            await exchange.run()

    async def _post_others(
        self, messages: Sequence[Message], requests: Sequence[Pending], body: bytes, client: Downstream
    ) -> None:
        is_several = len(requests) > 1
        waiting = {
            each.key: each for each in requests if is_several or each.call is not None or each.method == "tools/list"
        }
        reader = self._read_for(client, waiting)
        with self._redirected(messages, body) as sent:
            scope = with_length(_ask_for_plain(self._scope) if messages else self._scope, sent)
            await self._relay(scope, client.receive_after(sent), client, reader, requests)

    def _read_for(
        self, client: Downstream, waiting: MutableMapping[str, Pending], *, is_resumed: bool = False
    ) -> ResponseReader:
        answers = Answers(self._keeper, self.conversation, waiting, is_resumed=is_resumed)
        return ResponseReader(self._keeper, answers, client)

    async def _relay(
        self, scope: Scope, receive: Receive, client: Downstream, reader: ResponseReader, requests: Sequence[Pending]
    ) -> None:
        try:
            await self._app(scope, receive, reader.take)
        except UpstreamError as error:
            await self._answer_lost(client, reader, requests, error)
        else:
            await reader.finish()

    async def _answer_lost(
        self, client: Downstream, reader: ResponseReader, requests: Sequence[Pending], error: UpstreamError
    ) -> None:
        """Answer the requests of a batch with calls in it whose answers were lost; for others the response breaks off."""
        lost = reader.unanswered
        is_room = client.is_stream or not client.is_started
        has_call = any(each.tool is not None for each in lost)
        if has_call and is_room and not reader.has_ids and self._keeper.options.repair:
            await client.answer(write_losses(self._keeper, lost, self.conversation.tools, error), [], None)
        elif client.is_started:
            raise error
        else:
            await client.reply(502, *write_unreached(self._keeper, requests, error))

    def _describe(self, messages: Sequence[Message]) -> list[Pending]:
        version = index(self._scope["headers"]).get(b"mcp-protocol-version", b"").decode("latin-1") or None
        ledger = self.conversation.ledger
        if not self._visitor.session:  # Another client may have named the last version, whom nothing tells apart.
            ledger.version = None
        return [ledger.describe(message, version=version) for message in messages if message.is_request]

    @contextmanager
    def _redirected(self, messages: Sequence[Message], body: bytes) -> Generator[bytes]:
        """Give a cancellation with the id of the attempt that is alive; other messages as they are."""
        is_cancellation = len(messages) == 1 and messages[0].method == "notifications/cancelled"
        key = key_of_cancelled(messages[0]) if is_cancellation and self._visitor.session else None
        self._cancelled = self._conversations.find_exchange(self._visitor, key)
        if self._cancelled is None:
            yield body
            return
        with self._cancelled.cancelling() as alive:
            own = member_text(member_text(messages[0].text, "params") or "{}", "requestId")
            yield body if alive == own else to_frame(rename_cancellation(messages[0], alive))


def _ask_for_plain(scope: Scope) -> Scope:
    """Return a request that asks for no compression: what is compressed cannot be read."""
    kept = [(key, value) for key, value in scope["headers"] if key.lower() != b"accept-encoding"]
    return {**scope, "headers": [*kept, (b"accept-encoding", b"identity")]}
