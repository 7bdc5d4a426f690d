"""An MCP server over HTTP, written by hand, that answers the call of a tool in any way a test asks for."""

import json
import ssl
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from errata.client import Caller
from support.paused_time import until

LONGEST_S = 60  # No answer is held back longer, whatever the client does.
DONE = {"content": [{"type": "text", "text": "done"}], "resultType": "complete"}
READS = {"readOnlyHint": True}
DESTROYS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
_CACHE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class Reply(NamedTuple):
    """An answer of HTTP."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html"),)


def json_reply(body, status=200, **headers):
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(status, json.dumps(body).encode(), (("content-type", "application/json"), *named))


def cut_off(content_type):
    """Begin an answer, and hang up in the middle of it."""

    def answer(handler, _):
        handler.send_response(200)
        handler.send_header("content-type", content_type)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b": and then\n\n")
        hang_up(handler, _)

    return answer


def hang_up(handler, _):
    handler.wfile.flush()
    handler.connection.shutdown(2)
    handler.close_connection = True


def hold_back(handler, _):
    """Give no answer at all until the test is over."""
    handler.server.answering.closing.wait(LONGEST_S)
    hang_up(handler, _)


class Answering:
    """Where it listens, what it answers, and what it was asked."""

    def __init__(self):
        self.closing = threading.Event()
        self.arrival = threading.Event()
        """Set as soon as a tool was called."""
        self.annotations = {}
        """By the name of a tool."""
        self.properties = {}
        """Those of the arguments, by the name of a tool."""
        self.answers = []
        """One for each call of a tool, in order; after the last one all is well."""
        self.asked = []
        """The methods, in order; a tool by its name."""
        self.metas = []
        self.listing = None
        """Another answer to those who want to see the tools."""
        self.handshake = {}
        """Other answers to `server/discover` and `initialize`, by the method."""
        self.era = "modern"
        self.name = "till"
        self.session = "session-1"
        self.refusal = Reply(404)
        """The answer to those who name another session."""
        self.output_schema = None
        self.other = None
        """The answer to whatever else is asked, but for calls and the handshake."""
        self.capabilities = {"tools": {}}
        self.ttl_ms = 0
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._http.daemon_threads = True
        self._http.answering = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/mcp"

    def serve(self):
        self._http.serve_forever(0.01)

    def close(self):
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def tools(self):
        schema = {"outputSchema": self.output_schema} if self.output_schema else {}
        return [
            {"name": name, "inputSchema": self.input_schema(name), "annotations": annotations, **schema}
            for name, annotations in {"pay": {}, **self.annotations}.items()
        ]

    def input_schema(self, tool):
        return {"type": "object", "properties": self.properties.get(tool, {})}

    def calls(self, tool="pay"):
        """Count how often a tool was called."""
        return self.asked.count(tool)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Say nothing."""

    def handle(self):
        with suppress(OSError):
            super().handle()

    def do_GET(self):
        self.send(Reply(405))

    def do_DELETE(self):
        self.send(Reply(405))

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers.get("x-refuse"):
            self.send(Reply(int(self.headers["x-refuse"])))
            return
        if "id" not in message:
            self.send(Reply(202))
            return
        if message["method"] in self.server.answering.handshake:
            self.server.answering.asked.append(message["method"])
            self.answer(self.server.answering.handshake[message["method"]], message)
            return
        result = self.known(message["method"])
        if result is not None:
            headers = {"mcp-session-id": self.server.answering.session} if message["method"] == "initialize" else {}
            self.send(json_reply({"jsonrpc": "2.0", "id": message["id"], "result": result}, **headers))
            return
        self.call(message)

    def known(self, method):
        answering = self.server.answering
        if method == "tools/list" and answering.listing:
            return None
        if method in {"tools/list", "server/discover", "initialize"}:
            answering.asked.append(method)
        info = {"name": answering.name, "version": "1"}
        if method == "server/discover" and answering.era == "modern":
            named = {"io.modelcontextprotocol/serverInfo": info}
            return {
                "supportedVersions": ["2026-07-28"],
                "capabilities": answering.capabilities,
                "_meta": named,
                **_CACHE,
            }
        if method == "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": answering.capabilities, "serverInfo": info}
        listed = {"tools": answering.tools(), **_CACHE, "ttlMs": answering.ttl_ms}
        return listed if method == "tools/list" else None

    def call(self, message):
        answering = self.server.answering
        if message["method"] == "tools/list":
            self.answer(answering.listing, message)
            return
        if message["method"] == "server/discover":
            error = {"code": -32601, "message": "Method not found"}
            self.send(json_reply({"jsonrpc": "2.0", "id": message["id"], "error": error}, 404))
            return
        if answering.other is not None and message["method"] not in {"tools/call", "resources/read", "prompts/get"}:
            self.answer(answering.other, message)
            return
        params = message["params"]
        answering.asked.append(params.get("name") or params.get("uri"))
        answering.arrival.set()
        answering.metas.append(params.get("_meta", {}))
        answer = answering.answers.pop(0) if answering.answers else DONE
        if answering.era == "legacy" and self.headers.get("mcp-session-id") != answering.session:
            answer = answering.refusal
        self.answer(answer, message)

    def answer(self, answer, message):
        if callable(answer):
            answer(self, message)
        elif isinstance(answer, Reply):
            self.send(answer)
        else:
            member = answer if "error" in answer else {"result": answer}
            self.send(json_reply({"jsonrpc": "2.0", "id": message["id"], **member}))

    def send(self, reply):
        self.send_response(reply.status)
        for name, value in (*reply.headers, ("content-length", str(len(reply.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body)


def connect(url, **options):
    """Connect a caller; that each loads the certificates of the world anew would take more time than all the rest."""
    return Caller.connect(url, http_options={"verify": _TLS}, **options)


_TLS = ssl.create_default_context()


async def listed(caller):
    """Wait until a caller knows the tools of its server, which nobody has to ask for."""
    await until(lambda: caller._lists.current.has_tools)


@contextmanager
def listening():
    answering = Answering()
    thread = threading.Thread(target=answering.serve, daemon=True)
    thread.start()
    try:
        yield answering
    finally:
        answering.close()
        thread.join(LONGEST_S)
