"""The HTTP client below the SDK's: it keeps the failures that the SDK drops.

The SDK turns every failing status into one sentence, and a connection that breaks ends all calls of the client at once. So
a failure reaches the SDK as a JSON-RPC error that holds only a ticket, for which the caller gets the failure back.
"""

import itertools
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import httpx2

from errata.client._client_side import is_session_refusal
from errata.dialects import code_of_number, object_in, read_embedded_fault, to_error_object
from errata.http import bound_body, error_from_response, read_body
from errata.model import Fault, Retry
from errata.redaction import as_object, redact, redact_within

_TICKET = "errata/ticket"
_MOST_KEPT = 1_000
"""How many failures are kept; those whose callers have gone away are dropped first."""
_LARGEST_BODY, _LONGEST_KEPT, _BODY_S = 256 * 1024, 500, 30.0
_INTERNAL_ERROR = -32603
_HANDSHAKE = frozenset({"server/discover", "initialize"})
_SPEAKS_FOR_ITSELF = frozenset({400, 404})
"""The statuses with which the protocol itself sends JSON-RPC errors, whose numbers say more."""
_ABOUT_THE_REQUEST = frozenset({-32601, -32602})
"""The numbers with a 404 that mean a missing method or tool, not a missing session."""
_NOT_ABOUT_ARGUMENTS = frozenset({400, 404, 405, 406, 410, 415, 421, 426})
"""Statuses about the address or the kind of request: other arguments of the tool would change nothing."""
_SAYINGS = ("error", "message", "detail")
_FAILURE, _MISSING = 400, 404
_EVENTS = "text/event-stream"
_ALREADY_UNDONE = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Exchange(NamedTuple):
    """A request that got no proper answer."""

    fault: Fault | None
    """The fault of the status; None if no answer came at all."""
    response: Mapping[str, object] | None = None
    error: Exception | None = None
    """The exception that was raised instead of an answer."""
    is_lost: bool = False
    """Whether the server has forgotten the session."""


class WatchedClient(httpx2.AsyncClient):
    """An HTTP client that gives every JSON-RPC request an answer, whatever happens to it."""

    def __init__(self, *, server: str, max_body_bytes: int, **options: Any) -> None:  # noqa: ANN401 - whatever its base takes.
        super().__init__(**options)
        hooks = self.event_hooks
        self.event_hooks = {
            **hooks,
            "response": [self._bound, *hooks["response"]],
        }  # First: other hooks may read the body.
        self._server = server
        self._max_body_bytes = max_body_bytes
        self._kept: dict[str, Exchange] = {}
        self._numbers = itertools.count(1)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401 - as above.
        """Send a request; a failure becomes a JSON-RPC error with a ticket."""
        message = _message_in(request)
        if message is None:
            return await super().send(request, **options)
        try:
            response = await super().send(request, **options)
            if _is_json(response) and response.is_success:
                await response.aread()  # A body that breaks off raises here.
        except Exception as error:
            if message.get("method") in _HANDSHAKE:
                raise  # An outage does not show which protocol the server speaks.
            return self._answer_with_ticket(request, message, Exchange(None, error=error))
        if response.status_code < _FAILURE or "id" not in message:
            return await _address_error(response, message)
        return await self._read(request, message, response)

    def take_failed_exchange(self, error: BaseException) -> Exchange | None:
        """Return the exchange for the ticket in an error, once; None for an error that came from the server."""
        ticket = object_in(to_error_object(error) or {}, "data").get(_TICKET)
        return self._kept.pop(ticket, None) if isinstance(ticket, str) else None

    async def _bound(self, response: httpx2.Response) -> None:
        """Limit the size of every body: of answers, of a sign-in, of redirects.

        A stream of events may go on for ever; the SDK limits each of its events.
        """
        bound_body(response, None if _is_event_stream(response) else self._max_body_bytes)

    async def _read(
        self, request: httpx2.Request, message: Mapping[str, object], response: httpx2.Response
    ) -> httpx2.Response:
        body = await read_body(response, limit=_LARGEST_BODY, seconds=_BODY_S)
        await response.aclose()
        whole = _rebuild(response, body if isinstance(body, bytes) else b"")
        if _has_lost_its_session(request, whole):
            return self._answer_with_ticket(request, message, Exchange(None, is_lost=True))
        if _has_telling_error(whole):
            return whole
        return self._answer_with_ticket(request, message, self._describe_exchange(whole))

    def _describe_exchange(self, response: httpx2.Response) -> Exchange:
        fault = error_from_response(response, service=self._server).fault
        kept = {
            "status": response.status_code,
            "headers": {name: redact(value) for name, value in response.headers.items()},
            "body": redact_within(response.text, _LONGEST_KEPT),
        }
        if response.status_code in _NOT_ABOUT_ARGUMENTS and fault.retry is Retry.FIX_INPUT:
            fault = replace(fault, retry=Retry.NEVER)
        return Exchange(fault, kept)

    def _answer_with_ticket(
        self, request: httpx2.Request, message: Mapping[str, object], exchange: Exchange
    ) -> httpx2.Response:
        """Return an answer with a ticket for a failed exchange, instead of the server's."""
        if "id" not in message:
            return httpx2.Response(503, request=request)  # A notification: nobody waits for it.
        ticket = f"{id(self)}-{next(self._numbers)}"
        while len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[ticket] = exchange
        error = {"code": _INTERNAL_ERROR, "message": "No answer", "data": {_TICKET: ticket}}
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": message["id"], "error": error}, request=request)


async def _address_error(response: httpx2.Response, message: Mapping[str, object]) -> httpx2.Response:
    """Return an error that names no request as the answer to this one: else it would wait until its time is over."""
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
    """Return the JSON-RPC message in a request; None for any other request, such as one of a sign-in."""
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
    """Return whether the body is a stream that the SDK asked for and reads event by event."""
    is_stream = response.headers.get("content-type", "").lower().startswith(_EVENTS)
    return is_stream and response.is_success and _EVENTS in response.request.headers.get("accept", "")


def _rebuild(response: httpx2.Response, body: bytes) -> httpx2.Response:
    """Return a response with the body that was read, which is no longer encoded."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in _ALREADY_UNDONE]
    return httpx2.Response(response.status_code, headers=headers, content=body, request=response.request)


def _has_telling_error(response: httpx2.Response) -> bool:
    """Return whether the body is a JSON-RPC error that says more than the status."""
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
    """Return whether the server refuses the session of the request: with 404, or against the specification with 400.

    A request that is refused like that has not been begun. A 404 may also mean the method, if it says so.
    """
    if "mcp-session-id" not in request.headers or response.status_code not in _SPEAKS_FOR_ITSELF:
        return False
    if response.status_code == _MISSING and _error_in(response).get("code") not in _ABOUT_THE_REQUEST:
        return True
    return is_session_refusal(_sentence_in(response))


def _sentence_in(response: httpx2.Response) -> str:
    """Return the message of a refusal: that of an error, its equivalent of web frameworks, or the whole text."""
    body = _object_in(response)
    sentences = (_error_in(response).get("message"), *(body.get(name) for name in _SAYINGS))
    return next((each for each in sentences if isinstance(each, str)), response.text).strip()
