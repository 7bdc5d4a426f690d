"""An HTTP API on this machine that fails on command.

It can be told how to answer in two ways. For one request, by a value anywhere in it: ask for the order `answer-503`,
or search for `answer-429-after-17`. For all requests, until told otherwise: `upstream.tell("503")`, or from another
process `PUT /_answer` with `503` as the body, and `DELETE /_answer` to end it.

    400 … 599      that status, with an explanation in JSON
    429-after-17   the same, with `Retry-After: 17`
    garbage        a 200 that is not the JSON it claims to be
    hang           nothing, for as long as anyone waits
    close          nothing, and the connection is closed
"""

import re
import reprlib
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self, TypeAlias

from upstreams._listener import Listener, Reply, Request

_LONGEST_HANG_S = 30
_GARBAGE = b'{"items": [{"id": 17, "na\x00\xff<html>502 Bad Gateway</html>'
_STATUS = re.compile(r"([45]\d\d)(?:-after-(\d{1,6}))?", re.ASCII)
_TOLD = re.compile(rf"answer-({_STATUS.pattern}|garbage|hang|close)(?!\w)", re.ASCII)

App: TypeAlias = Callable[[Request], Reply]


class Upstream:
    """An app that listens on a free port of this machine, in a thread of its own, while a `with` block runs."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._told: str | None = None
        self._counting = threading.Lock()
        self._closing = threading.Event()
        self._listener = Listener(self._answer)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True)
        self.requests = 0
        """How many it has been asked so far, however they were answered."""

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._listener.server_port}"

    def tell(self, answer: str | None) -> None:
        """Answer every request like this from now on; None goes back to normal."""
        if answer is not None and not _TOLD.fullmatch(f"answer-{answer}"):
            raise ValueError(_no_such_answer(answer))
        self._told = answer

    def _answer(self, request: Request) -> Reply | bytes | None:
        if self._closing.is_set():  # A connection from before may still be open.
            return None
        if request.path == ("_answer",):
            return self._take_orders(request)
        with self._counting:
            self.requests += 1
        told = self._told or next(_orders(request), None)
        return self._fail(told) if told else self._app(request)

    def _take_orders(self, request: Request) -> Reply:
        match request.method, request.body:
            case "GET", _:
                pass
            case "DELETE", _:
                self._told = None
            case "PUT", str() | int() as answer if _TOLD.fullmatch(f"answer-{answer}"):
                self._told = str(answer)
            case "PUT", answer:
                return Reply({"message": _no_such_answer(answer)}, 422)
            case method, _:
                return Reply({"message": f"{method} is no order. Give one with PUT, end it with DELETE."}, 405)
        return Reply({"answer": self._told, "requests": self.requests})

    def _fail(self, told: str) -> Reply | bytes | None:
        if status := _STATUS.fullmatch(told):
            return _failure(int(status[1]), status[2])
        if told == "hang":
            self._closing.wait(_LONGEST_HANG_S)
        return _GARBAGE if told == "garbage" else None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, _: object, __: object, ___: TracebackType | None) -> None:
        self._closing.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()


def _orders(request: Request) -> Iterator[str]:
    """Find what a request itself asks to be answered with, wherever it says so."""
    rest: list[Any] = [request.body, *request.query.values(), *request.path]
    while rest:
        match rest.pop():
            case str(text):
                yield from (found[1] for found in _TOLD.finditer(text))
            case {**members}:
                rest += members.values()
            case [*items]:
                rest += items
            case _:
                pass


def _failure(status: int, wait_s: str | None) -> Reply:
    # An upstream that quotes the caller's credentials is nothing unusual; what goes on from here must not.
    body = {
        "message": _EXPLANATIONS.get(status) or _phrase(status),
        "debug": {"api_key": "sk-sandbox-0f3b7a91c2d4e6f8"},
    }
    return Reply(body, status, {"Retry-After": wait_s} if wait_s else {})


_EXPLANATIONS = {
    400: "The request has a member that this API does not know.",
    401: "The API key has expired.",
    403: "This key may read and not write.",
    404: "There is nothing under this address.",
    410: "It was deleted 30 days after its making.",
    429: "This key has used up its requests for the minute.",
    500: "The database refused a connection.",
    503: "Down for maintenance.",
}


def _phrase(status: int) -> str:
    try:
        return f"{HTTPStatus(status).phrase}."
    except ValueError:
        return f"Status {status}."


def _no_such_answer(answer: object) -> str:
    return (
        f"An upstream cannot answer {reprlib.repr(answer)}. Tell it a status from 400 to 599 "
        "(`429-after-17` with a wait), `garbage`, `hang` or `close`."
    )
