"""The client's side of one request over HTTP: what it was sent, and whether it is still there."""

from collections.abc import MutableMapping
from typing import Any

import anyio

from errata.gate._reverse_proxy import RawHeaders, Receive, Send
from errata.wire import Event, to_frame

_ANSWER = Event(b"event: message\ndata:\n\n", b"", b"message")
"""An event for an answer that the server has sent in none."""
_OF_THE_BODY = (b"content-", b"retry-after", b"etag")


class Downstream:
    """The response to a client, as far as it was sent."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._gone = anyio.Event()
        self._is_watched = False
        self.is_started = False
        self.is_stream = False
        """Whether it is a stream of events, in which an answer may still come."""

    @property
    def is_gone(self) -> bool:
        """Whether the client is known to have hung up."""
        return self._gone.is_set()

    def receive_after(self, body: bytes) -> Receive:
        """Return what an application receives a request by: its body, and later that the client has gone."""
        is_read = False

        async def receive() -> MutableMapping[str, Any]:
            nonlocal is_read
            if is_read:
                return await self._next()
            is_read = True
            return {"type": "http.request", "body": body, "more_body": False}

        return receive

    async def wait_until_gone(self) -> None:
        """Wait until the client hangs up; whoever else waits for that meanwhile hears of it from here."""
        self._is_watched = True
        while not self.is_gone:
            self._note(await self._receive())

    async def begin(self, message: MutableMapping[str, Any], *, is_stream: bool = False) -> None:
        """Begin the response, if it has not begun."""
        if not self.is_started:
            self.is_started, self.is_stream = True, is_stream
            await self._send(message)

    async def write(self, data: bytes) -> None:
        """Send a part of the body."""
        if data:
            await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        """End the response."""
        self.is_stream = False
        await self._send({"type": "http.response.body", "body": b""})

    async def pass_on(self, message: MutableMapping[str, Any]) -> None:
        """Send a part of the response as the server has sent it."""
        await self._send(message)

    async def reply(self, status: int, headers: RawHeaders, body: bytes) -> None:
        """Send a whole response."""
        length = str(len(body)).encode()
        framed = [(key, value) for key, value in headers if key.lower() != b"transfer-encoding"]
        shown = [(key, length if key.lower() == b"content-length" else value) for key, value in framed]
        if not any(key.lower() == b"content-length" for key, _ in headers):
            shown.append((b"content-length", length))
        await self.begin({"type": "http.response.start", "status": status, "headers": shown})
        await self._send({"type": "http.response.body", "body": body})

    async def answer(self, text: str, headers: RawHeaders, event: Event | None) -> None:
        """Send the answer to the only request: in the place of an event, as the last one, or as a whole response."""
        if self.is_started:
            await self.write((event or _ANSWER).with_data(to_frame(text)))
            await self.end()
        else:
            await self.reply(200, _as_json(headers), to_frame(text))

    async def _next(self) -> MutableMapping[str, Any]:
        if self._is_watched:
            await self._gone.wait()
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._note(message)
        return message

    def _note(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.disconnect":
            self._gone.set()


def _as_json(headers: RawHeaders) -> RawHeaders:
    """Return the headers of a response that is to have a body of JSON; what is about its own body goes."""
    kept = [(key, value) for key, value in headers if not key.lower().startswith(_OF_THE_BODY)]
    return [(b"content-type", b"application/json"), *kept]
