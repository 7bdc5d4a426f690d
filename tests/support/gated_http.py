"""A gate over real sockets, between a client and a server that are both written by hand: every byte is the test's own."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx2
import uvicorn
from gate.fidelity_server import Inbox, RawHttpServer

from errata.gate import asgi

NEW, OLD = "2026-07-28", "2025-11-25"
LONGEST_S = 60
DONE = {"content": [{"type": "text", "text": "done"}]}
BOOM = {"content": [{"type": "text", "text": "boom"}], "isError": True}
BUSY = {"content": [{"type": "text", "text": "HTTP 429 Too Many Requests"}], "isError": True}


class _Server(uvicorn.Server):
    def install_signal_handlers(self):
        """A thread has none."""


@contextmanager
def serving(app):
    """Serve an application of ASGI in a thread; gives its address, without a path."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="on", ws="none", timeout_graceful_shutdown=1)
        server = _Server(config)
        thread = threading.Thread(target=lambda: server.run([listening]), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(LONGEST_S)
            assert not thread.is_alive()


class GatedPair:
    """A client, a gate and a server. What comes to the server waits in `arrived`, or is answered by `script`."""

    def __init__(self, script=None):
        self.arrived = Inbox()
        self.server = RawHttpServer(script or self.arrived.put)
        self.upstream = f"http://127.0.0.1:{self.server.port}/mcp"
        self.url = None
        self._pool = ThreadPoolExecutor(64)

    def arrival(self, fits=lambda _: True):
        arrival = self.arrived.take(fits, timeout_s=LONGEST_S)
        assert arrival is not None, "Nothing has arrived."
        return arrival

    def post(self, message, **headers):
        """Send a message; gives what becomes of it: a future response."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.send("POST", body, **headers)

    def send(self, method, body=b"", *, path="", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        return self._pool.submit(self._send, method, self.url + path, body, head(named))

    @staticmethod
    def _send(method, url, body, headers):
        with httpx2.Client(timeout=LONGEST_S) as client:
            return client.request(method, url, content=body or None, headers=headers)

    def close(self):
        self.server.close()
        self._pool.shutdown()


def head(headers):
    return {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": NEW,
        **headers,
    }


@contextmanager
def gated(script=None, **settings):
    """Give a pair with a gate in between."""
    with ExitStack() as stack:
        pair = GatedPair(script)
        stack.callback(pair.close)
        pair.app = asgi(pair.upstream, name="till", **settings)
        pair.url = stack.enter_context(serving(pair.app)) + "/mcp"
        yield pair


def call(tool="pay", number=1, *, meta=None, **arguments):
    params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def message_of(arrival):
    return json.loads(arrival.raw) if arrival.raw else {}


def answer_to(arrival, result=DONE, **error):
    number = message_of(arrival)["id"]
    member = {"error": error} if error else {"result": result}
    return json.dumps({"jsonrpc": "2.0", "id": number, **member}).encode()


def respond(arrival, result=DONE, *, status="200 OK", headers=(), **error):
    arrival.respond(status, answer_to(arrival, result, **error), headers)


def event(data, number=None):
    """Write an event of a stream."""
    line = f"id: {number}\n" if number is not None else ""
    return f"{line}event: message\ndata: ".encode() + data + b"\n\n"


def events_in(response):
    """Return the messages in the events of a response."""
    lines = response.text.splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]


def text_in(message):
    return message["result"]["content"][0]["text"]


def fault_in(message):
    return message["result"]["_meta"]["errata/fault"]


TOOLS = [
    {"name": "get_price", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "pay", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}},
]
LIST = {"tools": TOOLS}
