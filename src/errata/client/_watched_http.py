"""The HTTP client under the SDK's: what the SDK drops of an HTTP answer is kept here, and what would end it is told to it.

The SDK turns every failing status into one sentence, and a connection that breaks ends all calls of the client at once.
So a failure is handed to it as a JSON-RPC error that only holds a ticket; the caller redeems it.
"""

import itertools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import httpx2

from errata.client._client_side import is_session_refusal
from errata.client._outcomes import to_error_object
from errata.dialects import code_of_number, object_in, read_embedded_fault
from errata.http import bound_body, error_from_response, read_body
from errata.model import Fault, Retry
from errata.redaction import as_object, redact, redact_within

_TICKET = "errata/ticket"
_MOST_KEPT = 1_000
"""Failures whose callers have gone away are forgotten at last."""
_LARGEST_BODY, _LONGEST_KEPT, _BODY_S = 256 * 1024, 500, 30.0
_INTERNAL_ERROR = -32603
_HANDSHAKE = frozenset({"server/discover", "initialize"})
_SPEAKS_FOR_ITSELF = frozenset({400, 404})
"""The statuses with which the protocol itself sends JSON-RPC errors; their numbers say more."""
_ABOUT_THE_REQUEST = frozenset({-32601, -32602})
"""Beside a 404: there is no such method, or no such tool."""
_NOT_ABOUT_ARGUMENTS = frozenset({400, 404, 405, 406, 410, 415, 421, 426})
"""What is wrong is the address, or the way of asking: no other argument of the tool would change it."""
_SAYINGS = ("error", "message", "detail")
_FAILURE, _MISSING = 400, 404
_EVENTS = "text/event-stream"
_ALREADY_UNDONE = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Exchange(NamedTuple):
    """What became of a request that got no proper answer."""

    fault: Fault | None
    """What the status says; None where no answer came at all."""
    response: Mapping[str, object] | None = None
    error: Exception | None = None
    """What was raised instead of an answer."""
    is_lost: bool = False
    """Whether the server has forgotten the session."""


class WatchedClient(httpx2.AsyncClient):
    """An HTTP client that answers every JSON-RPC request, whatever happens to it."""

    def __init__(self, *, server: str, max_body_bytes: int, **options: Any) -> None:  # noqa: ANN401 - whatever its base takes.
        super().__init__(**options)
        hooks = self.event_hooks
        self.event_hooks = {**hooks, "response": [self._bound, *hooks["response"]]}  # Others may read the body.
        self._server = server
        self._max_body_bytes = max_body_bytes
        self._kept: dict[str, Exchange] = {}
        self._numbers = itertools.count(1)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401 - as above.
        """Send a request; a failure of one that waits for an answer becomes one."""
        message = _message_in(request)
        if message is None:
            return await super().send(request, **options)
        try:
            response = await super().send(request, **options)
            if _is_json(response) and response.is_success:
                await response.aread()  # One that breaks off in the middle breaks off here.
        except Exception as error:
            if message.get("method") in _HANDSHAKE:
                raise  # An outage says nothing about which protocol the server speaks.
            return self._told(request, message, Exchange(None, error=error))
        if response.status_code < _FAILURE or "id" not in message:
            return await _addressed(response, message)
        return await self._read(request, message, response)

    def take_failed_exchange(self, error: BaseException) -> Exchange | None:
        """Find out what an error of the SDK stands for; None for one that came from the server."""
        ticket = object_in(to_error_object(error) or {}, "data").get(_TICKET)
        return self._kept.pop(ticket, None) if isinstance(ticket, str) else None

    async def _bound(self, response: httpx2.Response) -> None:
        """Bound every body, whoever reads it: the SDK's, those of a sign-in, and those of redirects.

        A stream of events may go on for ever; the SDK bounds each of its events.
        """
        bound_body(response, None if _is_event_stream(response) else self._max_body_bytes)

    async def _read(
        self, request: httpx2.Request, message: Mapping[str, object], response: httpx2.Response
    ) -> httpx2.Response:
        body = await read_body(response, limit=_LARGEST_BODY, seconds=_BODY_S)
        await response.aclose()
        whole = _rebuilt(response, body if isinstance(body, bytes) else b"")
        if _has_lost_its_session(request, whole):
            return self._told(request, message, Exchange(None, is_lost=True))
        if _says_it_itself(whole):
            return whole
        return self._told(request, message, self._exchange(whole))

    def _exchange(self, response: httpx2.Response) -> Exchange:
        fault = error_from_response(response, service=self._server).fault
        kept = {
            "status": response.status_code,
            "headers": {name: redact(value) for name, value in response.headers.items()},
            "body": redact_within(response.text, _LONGEST_KEPT),
        }
        if response.status_code in _NOT_ABOUT_ARGUMENTS and fault.retry is Retry.FIX_INPUT:
            fault = replace(fault, retry=Retry.NEVER)
        return Exchange(fault, kept)

    def _told(self, request: httpx2.Request, message: Mapping[str, object], exchange: Exchange) -> httpx2.Response:
        """Answer in the server's place."""
        if "id" not in message:
            return httpx2.Response(503, request=request)  # A notification: nobody waits for it.
        ticket = f"{id(self)}-{next(self._numbers)}"
        while len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[ticket] = exchange
        error = {"code": _INTERNAL_ERROR, "message": "No answer", "data": {_TICKET: ticket}}
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": message["id"], "error": error}, request=request)


async def _addressed(response: httpx2.Response, message: Mapping[str, object]) -> httpx2.Response:
    """Take an error that names no request for the answer to this one: nobody would wait for it but until the time is over."""
    if not response.is_stream_consumed or len(response.content) > _LARGEST_BODY or "id" not in message:
        return response
    error = _error_in(response)
    if not error or _object_in(response).get("id") is not None:
        return response
    await response.aclose()
    return httpx2.Response(
        response.status_code,
        json={"jsonrpc": "2.0", "id": message["id"], "error": error},
        request=response.request,
    )


def _message_in(request: httpx2.Request) -> dict[str, object] | None:
    """Read the JSON-RPC message that a request brings; None for any other request, such as one of a sign-in."""
    if request.method != "POST" or not _has_json(request.headers):
        return None
    try:
        message = as_object(json.loads(request.content))
    except (httpx2.RequestNotRead, ValueError, RecursionError):
        return None
    return message if "jsonrpc" in message and "method" in message else None


def _has_json(headers: httpx2.Headers) -> bool:
    return headers.get("content-type", "").lower().startswith("application/json")


def _is_json(response: httpx2.Response) -> bool:
    return _has_json(response.headers)


def _is_event_stream(response: httpx2.Response) -> bool:
    """Whether the body is one of the streams that the SDK asked for and reads event by event."""
    is_stream = response.headers.get("content-type", "").lower().startswith(_EVENTS)
    return is_stream and response.is_success and _EVENTS in response.request.headers.get("accept", "")


def _rebuilt(response: httpx2.Response, body: bytes) -> httpx2.Response:
    """Make a response of what was read; its body is no longer encoded."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in _ALREADY_UNDONE]
    return httpx2.Response(response.status_code, headers=headers, content=body, request=response.request)


def _says_it_itself(response: httpx2.Response) -> bool:
    """Whether the body is a JSON-RPC error that says more than the status does."""
    error = _error_in(response)
    number = error.get("code")
    if not isinstance(number, int) or not _is_json(response):
        return False
    if read_embedded_fault(error):
        return True
    return response.status_code in _SPEAKS_FOR_ITSELF and code_of_number(number) is not None


def _error_in(response: httpx2.Response) -> dict[str, object]:
    return as_object(_object_in(response).get("error")) if b'"error"' in response.content else {}


def _object_in(response: httpx2.Response) -> dict[str, object]:
    try:
        return as_object(json.loads(response.content))
    except (ValueError, RecursionError):
        return {}


def _has_lost_its_session(request: httpx2.Request, response: httpx2.Response) -> bool:
    """Whether the server refuses the session that the request named: by 404, or, not by the book, by 400.

    Whatever is refused like that has not been begun. A 404 may also mean the method, if it says so.
    """
    if "mcp-session-id" not in request.headers or response.status_code not in _SPEAKS_FOR_ITSELF:
        return False
    if response.status_code == _MISSING and _error_in(response).get("code") not in _ABOUT_THE_REQUEST:
        return True
    return is_session_refusal(_sentence_in(response))


def _sentence_in(response: httpx2.Response) -> str:
    """Find what a refusal says: the message of an error, what web frameworks have in its place, or the text as a whole."""
    body = _object_in(response)
    said = (_error_in(response).get("message"), *(body.get(name) for name in _SAYINGS))
    return next((each for each in said if isinstance(each, str)), response.text).strip()
