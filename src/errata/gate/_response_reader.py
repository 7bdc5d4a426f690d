"""A response over HTTP, read as the server sends it: what is no failing answer goes on to the client at once."""

import zlib
from collections.abc import Callable, MutableMapping
from typing import Any

import anyio

from errata.gate._answers import Answers
from errata.gate._downstream import Downstream
from errata.gate._gatekeeper import Failed, Gatekeeper
from errata.gate._lost_answers import HttpRefusal, explain_refusal
from errata.gate._reverse_proxy import LARGEST_BODY, RawHeaders, Send
from errata.wire import Event, EventSplitter, Pending, read_messages, to_frame

_JSON, _STREAM = b"application/json", b"text/event-stream"
_OK, _ACCEPTED, _REDIRECTED, _BAD_REQUEST, _SERVER_ERROR = 200, 202, 300, 400, 500
_STATUSES_OF_FAILURE = frozenset({408, 413, 429})
"""Besides 500 and above, the statuses that tell of a call that failed; the others are the protocol's own."""
_HASHES = frozenset({b"etag", b"digest", b"content-md5", b"content-digest", b"repr-digest"})
_ENCODINGS = frozenset({b"gzip", b"x-gzip", b"deflate"})
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_OF_THE_COMPRESSED = frozenset({b"content-encoding", b"content-length", b"etag"})
_GRACE_S = 2.0
"""How long a stream may go on after an answer that is kept back."""


class ResponseReader:
    """Reads the response to one attempt, and passes it on.

    A failing answer to a call is first offered to `keep_back`; the response of an attempt that failed shows nothing of it.
    """

    def __init__(
        self,
        keeper: Gatekeeper,
        answers: Answers,
        client: Downstream,
        keep_back: Callable[[Failed], bool] | None = None,
    ) -> None:
        self._keeper = keeper
        self._answers = answers
        self._client = client
        self._keep_back = keep_back
        self._events: EventSplitter | None = None
        self._parts: list[bytes] | None = None
        """The body so far, if it has to be seen as a whole."""
        self._size = 0
        self._is_dropped = False
        self._is_json = False
        self._is_plain = True
        self.scope = anyio.CancelScope()
        """That of the attempt."""
        self.status = 0
        self.headers: RawHeaders = []
        self.body: bytes = b""
        self.event: Event | None = None
        """The event in which a failing answer came."""
        self.failed: Failed | None = None
        """The answer, if it tells of a failure."""
        self.is_kept_back = False
        self.has_ids = False
        """Whether events have ids, by which an older client resumes the stream."""

    async def take(self, message: MutableMapping[str, Any]) -> None:
        """Take a part of the response."""
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif message["type"] != "http.response.body":
            await self._client.pass_on(message)
        elif self._parts is not None:
            await self._collect(self._parts, message)
        elif self._events is not None:
            await self._read_events(self._events, message)
        elif not self._is_dropped:
            await self._client.pass_on(message)

    async def finish(self) -> None:
        """End a stream as the server has ended it; other responses have their end already."""
        if self._events is not None and not self.is_kept_back:
            await self._client.write(self._events.end())
        if self._client.is_stream:
            await self._client.end()

    async def _reply(self, body: bytes) -> None:
        """Send the response that was collected, with this body; of another one than it had it has no hash."""
        hashes = _HASHES if body != self.body else ()
        headers = [(key, value) for key, value in self.headers if key.lower() not in hashes]
        await self._client.reply(self.status, headers, body)

    # As it comes.

    async def _begin(self, message: MutableMapping[str, Any]) -> None:
        self.status, self.headers = message["status"], list(message.get("headers", ()))
        headers = index(self.headers)
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        self._is_json = kind == _JSON
        self._is_plain = headers.get(b"content-encoding", b"identity").lower() == b"identity"
        if kind == _STREAM and self._is_plain and self.status < _BAD_REQUEST:
            self._events = EventSplitter()
            rest = [(key, value) for key, value in self.headers if key.lower() != b"content-length"]
            await self._client.begin({**message, "headers": rest}, is_stream=True)
        elif self._has_to_be_whole:
            self._parts = []
        else:
            self._is_dropped = self._client.is_started
            await self._client.begin(message)

    @property
    def _has_to_be_whole(self) -> bool:
        if not self._answers.waiting:
            return False
        if self.tells_of_failure:
            return True
        is_answer = _OK <= self.status < _REDIRECTED and self.status != _ACCEPTED
        is_read = is_answer or (self.status == _BAD_REQUEST and self._is_json)
        return is_read and (self._is_plain or self._answers.is_repetition)

    @property
    def tells_of_failure(self) -> bool:
        """Whether the status is one of a request that failed, and none of the protocol's own."""
        return self.status in _STATUSES_OF_FAILURE or self.status >= _SERVER_ERROR

    async def _collect(self, parts: list[bytes], message: MutableMapping[str, Any]) -> None:
        parts.append(message.get("body", b""))
        self._size += len(parts[-1])
        if not message.get("more_body"):
            self.body = b"".join(parts)
            await self._end_body()
        elif self._size > LARGEST_BODY:
            await self._give_up(parts)

    async def _give_up(self, parts: list[bytes]) -> None:
        """Pass a body as it is that is too large to be looked at; there is no room for it in a stream."""
        self._parts, self._is_dropped = None, self._client.is_started
        if not self._is_dropped:
            self._answers.waiting.clear()
            await self._client.begin({"type": "http.response.start", "status": self.status, "headers": self.headers})
            await self._client.write(b"".join(parts))

    async def _end_body(self) -> None:
        shown = self._answers.read(self.body) if self._is_plain else self.body
        if isinstance(shown, Failed):
            await self._take_failure(shown)
        elif (refusal := self._read_refusal()) is not None:
            await self._take_failure(refusal)
        elif self._client.is_started:
            await self._client.answer(shown.decode("utf-8", "surrogateescape"), [], None)
        else:
            await self._reply(shown)

    @property
    def unanswered(self) -> list[Pending]:
        """The requests whose answers have not come."""
        return list(self._answers.waiting.values())

    def find_refusal(self) -> HttpRefusal | None:
        """Return a response with an error of HTTP for which there is no room in the stream that the client has."""
        is_refusal = self._is_dropped and self.status >= _BAD_REQUEST
        return HttpRefusal(self.status, _decoded(self.headers), b"") if is_refusal else None

    def _read_refusal(self) -> Failed | None:
        """Return the failure of a call that the response does not answer."""
        call = next((pending for pending in self._answers.waiting.values() if pending.tool is not None), None)
        if self._keep_back is None or call is None:
            return None
        # What cannot be read passes for an answer, but for one to a repetition, which has an id that no client knows.
        is_answer = read_messages(self.body) is not None if self._is_plain else not self._answers.is_repetition
        if is_answer and not self.tells_of_failure:
            return None
        self._answers.waiting.clear()
        body = self.body if self._is_plain else b""
        refusal = HttpRefusal(self.status, _decoded(self.headers), body)
        return explain_refusal(self._keeper, call, self._answers.tools, refusal)

    async def _read_events(self, splitter: EventSplitter, message: MutableMapping[str, Any]) -> None:
        data: bytes = message.get("body", b"")
        self._size += len(data)
        shown: list[bytes] = []
        for event in splitter.feed(data):
            self._size = 0
            shown.append(await self._read_event(event))
        if self._size > LARGEST_BODY:  # An event that is too large to be looked at.
            self._events = None
            self._answers.waiting.clear()
            self._client.is_stream = not message.get("more_body")  # What follows passes as it is, with its end.
            shown.append(splitter.end())
        await self._client.write(b"".join(shown))
        if not (message.get("more_body") or self._answers.waiting or self.is_kept_back):
            await self.finish()  # The application may go on, and the client is not to wait for that.

    async def _read_event(self, event: Event) -> bytes:
        """Return what to send for an event; nothing for one that is kept back, and for those behind it."""
        if event.id is not None and not self.has_ids:
            self.has_ids = True
            self._answers.expect_elsewhere()
        if self.is_kept_back:
            return b""
        shown = self._answers.read(event.data) if event.data else event.data
        if not isinstance(shown, Failed):
            return event.raw if shown is event.data or shown is None else event.with_data(shown)
        if self._keeps(shown, event):
            return b""
        text = self._answers.write(shown)
        return event.raw if text is None else event.with_data(to_frame(text))

    async def _take_failure(self, failed: Failed) -> None:
        if self._keeps(failed, None):
            return
        text = self._answers.write(failed)
        if text is None:
            await self._reply(self.body)
        elif self._is_json and self.status == _OK:
            await self._reply(to_frame(text))
        else:
            await self._client.answer(text, self.headers, None)

    def _keeps(self, failed: Failed, event: Event | None) -> bool:
        """Return whether a failing answer is kept back; the attempt is over then."""
        self.failed, self.event = failed, event
        self.is_kept_back = self._keep_back is not None and self._keep_back(failed)
        if self.is_kept_back:
            self.scope.deadline = anyio.current_time() + _GRACE_S
        return self.is_kept_back


def inflated(send: Send) -> Send:
    """Return what takes a response that is compressed although nobody has asked for it, and sends it on plain as it comes.

    It raises `zlib.error` for what is neither gzip nor deflate.
    """
    inflate = None

    async def take(message: MutableMapping[str, Any]) -> None:
        nonlocal inflate
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            encodings = [value.strip().lower() for key, value in headers if key.lower() == b"content-encoding"]
            if len(encodings) == 1 and encodings[0] in _ENCODINGS:
                inflate = zlib.decompressobj(_GZIP_OR_ZLIB).decompress
                kept = [(key, value) for key, value in headers if key.lower() not in _OF_THE_COMPRESSED]
                message = {**message, "headers": kept}
        elif message["type"] == "http.response.body" and inflate is not None:
            message = {**message, "body": inflate(message.get("body", b""))}
        await send(message)

    return take


def index(headers: RawHeaders) -> dict[bytes, bytes]:
    """Return the values of header fields by their names in lower case."""
    return {key.lower(): value for key, value in headers}


def _decoded(headers: RawHeaders) -> dict[str, str]:
    return {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in headers}
