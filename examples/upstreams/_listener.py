"""HTTP on this machine, taken apart: a request comes in as a value, and its reply goes out."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

_LONGEST_SILENCE_S = 30
_LARGEST_BODY = 1_000_000
_SIZE = re.compile(r"\d{1,12}", re.ASCII)


class Request(NamedTuple):
    """What an app is asked."""

    method: str
    path: tuple[str, ...]
    query: Mapping[str, str]
    body: object


class Reply(NamedTuple):
    """What an app answers, in JSON."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = {}


Answer: TypeAlias = Callable[[Request], Reply | bytes | None]
"""What is to be sent: a reply, something that is none, or nothing, and then the connection is closed."""


class Listener(ThreadingHTTPServer):
    """A free port of this machine, where every request gets its answer in a thread of its own."""

    request_queue_size = 128  # With five, one of a dozen clients at once waits a second to be let in.

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, answer))

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in socketserver.
        """Show a bug of an app; that clients hang up is nothing to show."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = default_request_version = "HTTP/1.1"  # What is no HTTP at all is answered in HTTP, too.
    timeout = _LONGEST_SILENCE_S
    disable_nagle_algorithm = True  # Head and body are two writes; the second would wait 40 ms for the client.

    def __init__(self, answer: Answer, *connection: Any) -> None:  # noqa: ANN401 - as in socketserver.
        self._answer = answer
        super().__init__(*connection)

    def _reply(self) -> None:
        asked = self._read()
        match self._answer(asked) if isinstance(asked, Request) else asked:
            case Reply(body, status, headers):
                self._send(status, json.dumps(body).encode(), headers)
            case bytes(body):
                self._send(200, body, {})
            case None:
                self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _reply  # noqa: N815 - the names http.server looks for.

    def _read(self) -> Request | Reply | None:
        """Take a request off the wire; one that cannot be read is refused, one that breaks off is dropped."""
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not _SIZE.fullmatch(length):
            return _refusal(411, "The length of the body is missing, or is not a number.")
        body = self._taken(int(length))
        if len(body) < min(int(length), _LARGEST_BODY):
            return None
        if int(length) > _LARGEST_BODY:
            return _refusal(413, f"The body has {length} bytes; the most are {_LARGEST_BODY}.")
        try:
            url = urlsplit(self.path)
        except ValueError:
            return _refusal(400, "The address cannot be read.")
        path = tuple(unquote(part) for part in url.path.split("/") if part)
        return Request(self.command, path, dict(parse_qsl(url.query)), _parsed(body))

    def _taken(self, size: int) -> bytes:
        """Read a body to its end. A connection that is closed with a rest unread is reset, and the answer is lost."""
        body = self.rfile.read(min(size, _LARGEST_BODY))
        rest = size - len(body)
        while rest and (more := self.rfile.read(min(rest, _LARGEST_BODY))):
            rest -= len(more)
        return body

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what http.server itself cannot read, in the form of all other refusals."""
        body, status, headers = _refusal(code, explain or message or self.responses[code][1])
        self._send(status, json.dumps(body).encode(), headers)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the server in front."""


def _refusal(status: int, message: str) -> Reply:
    return Reply({"message": message}, status, {"Connection": "close"})


def _parsed(body: bytes) -> object:
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text or "null")
    except (ValueError, RecursionError):
        return text
