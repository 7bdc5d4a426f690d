"""The two ends of the fidelity suite: a raw client, a raw server, and the ways from one to the other.

A check plays both ends of a `Pair`: it writes the bytes of the client, looks at those that arrive at the server, writes
the server's answer, and looks at what the client gets. Each end talks over stdio or over HTTP; what stands in between may
change the transport, too. The ends keep what they wrote and read, for whoever compares it.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import cached_property
from typing import NamedTuple

from gate import fidelity_server
from gate.fidelity_server import (
    HttpArrival,
    Inbox,
    RawHttpServer,
    kept_port,
    read_body,
    read_head,
    send_frame,
    write_head,
)

NEW, OLD = "2026-07-28", "2025-11-25"
STDIO, JSON, EVENTS = "stdio", "HTTP", "HTTP, events"
SERVED, FETCHED = "stdio served over HTTP", "HTTP fetched over stdio"
"""Lanes that change the transport: the client talks over HTTP and the server over stdio, and the other way round."""
HTTP = (JSON, EVENTS)

LONGEST_S = 60
"""Nothing takes so long that is not stuck."""
START_S = 120
ORIGIN = "https://example.com"
ARGUMENTS = ("two words", "", "naïve “quotes”", "$HOME;*", "--no-repair", "--")
CLIENT = {"name": "fidelity client", "version": "1.0", "title": "Ünïcode"}
SERVER = {"name": "fidelity server", "version": "2.0", "title": "Sërver"}
CLIENT_CAPABILITIES = {"sampling": {}, "elicitation": {}, "roots": {"listChanged": True}, "experimental": {"x": {}}}
SERVER_CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {},
    "prompts": {},
    "logging": {},
    "completions": {},
}
TOOL = {"name": "t", "inputSchema": {"type": "object"}}


class DifferenceError(AssertionError):
    """Something that has to pass unchanged has not."""


def expect(condition, what, *evidence):
    if not condition:
        raise DifferenceError("\n".join([what, *map(_shorten, evidence)]))


def expect_same(actual, expected, what):
    expect(actual == expected, f"{what} is not as it was.", ("expected", expected), ("received", actual))


def _shorten(evidence):
    text = repr(evidence)
    return text if len(text) < 1500 else f"{text[:700]} … {text[-700:]} ({len(text)} characters)"


# Ways, and pairs on them.


class Way(NamedTuple):
    """What stands between client and server."""

    name: str
    routes: Mapping[str, Callable[[object, str], AbstractContextManager[object]]]
    """For each lane that it can take: what leads from the end of the server, in an era, to the one before it.

    An end over stdio is a command; one over HTTP an address, which comes with the id of the process that listens there."""
    limit_s: float = LONGEST_S
    is_between: bool = True
    passes_process: bool = True
    """Whether it starts the server as its own child, so that signals and exit codes are its business."""
    repairs: bool | None = None
    """Whether it changes the answers to calls that fail; None if it has promised nothing."""

    def offers(self, check):
        return (
            check.lane in self.routes
            and (self.is_between or not check.only_between)
            and (self.passes_process or not check.about_process)
        )


def _stays(end, _era):
    return nullcontext(end if isinstance(end, list) else (end, None))


DIRECT = Way("direct", {STDIO: _stays, JSON: _stays, EVENTS: _stays}, is_between=False, repairs=False)


def through_gate(*options):
    """Return the way through errata's gate, with these options."""
    command = [sys.executable, "-m", "errata", "gate", "--quiet", *options]

    def listen(address, _era):
        rest = ["--allow-origin", ORIGIN, "--to", address]
        return listening(lambda port: [*command, "--listen", f"127.0.0.1:{port}", *rest])

    return Way(
        " ".join(["errata gate", *options]),
        {STDIO: lambda server, _era: nullcontext([*command, "--", *server]), JSON: listen, EVENTS: listen},
        repairs="--no-repair" not in options,
    )


@contextmanager
def listening(command_for, *, path="/mcp", environment=None):
    """Start a program that listens on a port; give the address and the process id, once it does."""
    with kept_port() as port, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command_for(port), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        try:
            deadline = time.monotonic() + START_S
            while not _accepts(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    words = log.read()[-3000:].decode(errors="replace")
                    raise DifferenceError(f"{process.args} does not listen: {words}")
                time.sleep(0.01)
            yield f"http://127.0.0.1:{port}{path}", process.pid
        finally:
            process.terminate()
            try:
                process.wait(3)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


class Pair:
    """A client and a server; what is common to the transports."""

    def __init__(self, way, era, lane):
        self.era, self.lane, self.limit_s, self.repairs = era, lane, way.limit_s, way.repairs
        self.arrived = Inbox()
        self.claims = set()
        self._last_id = 0
        self._stack = ExitStack()
        try:
            end = self._start_server()
            self._start_client(self._stack.enter_context(way.routes[lane](end, era)))
        except BaseException:
            self._stack.close()
            raise

    def close(self):
        self._close_client()
        self._stack.close()

    def refresh(self, lane):
        """Forget what earlier checks have left behind."""
        self.lane = lane
        self._refresh_client()
        self._refresh_server()
        self.arrived.clear()

    @property
    def is_modern(self):
        return self.era == NEW

    def next_id(self):
        self._last_id += 1
        return self._last_id

    @contextmanager
    def claiming(self, *methods):
        """Leave the answers to these methods to the check."""
        self.claims.update(methods)
        try:
            yield
        finally:
            self.claims.difference_update(methods)

    def request(self, method, params="{}", id=None):  # noqa: A002 - that is its name.
        """Write a request; `params` is the text of an object."""
        id = json.dumps(self.next_id()) if id is None else id  # noqa: A001
        return f'{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{self.with_meta(params)}}}'.encode()

    def call(self, arguments="{}", id=None):  # noqa: A002
        return self.request("tools/call", f'{{"name":"t","arguments":{arguments}}}', id)

    def with_meta(self, params, extra=""):
        """Put into params what the newer protocol asks for."""
        own = json.dumps(
            {
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": CLIENT,
                "io.modelcontextprotocol/clientCapabilities": CLIENT_CAPABILITIES,
            }
        )[1:-1]
        members = ",".join(filter(None, [own if self.is_modern else "", extra]))
        if not members:
            return params
        return f'{{"_meta":{{{members}}}{"" if params == "{}" else ","}{params[1:]}'

    def result(self, members='"content":[{"type":"text","text":"ok"}]'):
        """Write a result with these members."""
        kind = '"resultType":"complete",' if self.is_modern and '"resultType"' not in members else ""
        return f"{{{kind}{members}}}"

    def arrival(self, method=None, fits=lambda _: True):
        """Wait for a message at the server."""
        taken = self.arrived.take(
            lambda each: (method is None or method_of(each.message) == method) and fits(each), timeout_s=self.limit_s
        )
        expect(taken is not None, f"No {method or 'such message'} has arrived at the server.")
        return taken

    def exchange(self, raw, result=None, *, error=None, method="tools/call"):
        """Send a request and answer it; return what arrived at the server and what the client got."""
        exchange = self.ask(raw)
        arrival = self.arrival(method)
        arrival.answer(write_answer(arrival.id, result or self.result(), error=error))
        return arrival.raw, exchange.answer()

    def expect_failure(self, received, expected, what="The failure"):
        """Expect a failing answer as the server wrote it; on a way that repairs, the recordings are compared instead."""
        if not self.repairs:
            expect_same(received, expected, what)

    def scripted_answer(self, method):
        """Return the result with which the server answers what the check does not ask about; None if there is none."""
        pages = {"tools/list": "tools", "resources/list": "resources", "prompts/list": "prompts"}
        pages["resources/templates/list"] = "resourceTemplates"
        cached = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if self.is_modern else {}
        if method in self.claims:
            return None
        if method in pages:
            return {**cached, pages[method]: [TOOL] if method == "tools/list" else []}
        if method == "ping":
            return {}
        if method == "initialize":
            version = OLD if self.is_modern else self.era
            return {"protocolVersion": version, "capabilities": SERVER_CAPABILITIES, "serverInfo": SERVER}
        if method == "server/discover" and self.is_modern:
            return {**cached, "supportedVersions": [NEW], "capabilities": SERVER_CAPABILITIES, "serverInfo": SERVER}
        return None

    def scripted_error(self, method):
        if method in {"server/discover", "logging/setLevel"} and not self.is_modern and method not in self.claims:
            return '{"code":-32601,"message":"Method not found"}'
        return None

    def handshake(self):
        return (
            f'{{"jsonrpc":"2.0","id":{self.next_id()},"method":"initialize","params":'
            f'{{"protocolVersion":"{self.era}","capabilities":{json.dumps(CLIENT_CAPABILITIES)},'
            f'"clientInfo":{json.dumps(CLIENT)}}}}}'
        ).encode()

    def open(self):
        """Shake hands, where the protocol asks for it; wait until the server can be reached, however slow the start is."""
        limit_s, self.limit_s = self.limit_s, START_S
        if not self.is_modern:
            exchange = self.ask(self.handshake())
            expect("result" in read(exchange.answer()), "The handshake has failed.")
            self._remember_handshake(exchange)
            self.tell(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        expect("result" in read(self.ask(self.request("tools/list")).answer()), "There is no list of tools.")
        self.arrived.clear()
        self.limit_s = limit_s


def write_answer(id, result=None, *, error=None):  # noqa: A002
    member = f'"result":{result}' if error is None else f'"error":{error}'
    return f'{{"jsonrpc":"2.0","id":{id},{member}}}'.encode("utf-8", "surrogatepass")


def read(raw):
    expect(raw is not None, "No answer has come.")
    return json.loads(raw)


def method_of(message):
    return message.get("method") if isinstance(message, dict) else None


class _Number(str):
    __slots__ = ()


def numbers_of(raw):
    """Read JSON whose numbers stay the text that they are."""
    return json.loads(raw, parse_int=_Number, parse_float=_Number)


class _ReadsMessage:
    @cached_property
    def message(self):
        try:
            return json.loads(self.raw)
        except (ValueError, RecursionError):
            return None

    @property
    def id(self):
        """The id as JSON."""
        return json.dumps(self.message["id"])

    @property
    def params(self):
        return self.message.get("params", {})


class LineArrival(_ReadsMessage):
    """A line that has come to the server."""

    def __init__(self, line, relay):
        self.line = line
        self.raw = line.rstrip(b"\r\n")
        self.relay = relay

    def send(self, raw):
        self.relay.write(raw + b"\n")

    answer = send


class BodyArrival(_ReadsMessage):
    """A request over HTTP that has come to the server."""

    def __init__(self, http: HttpArrival, *, streams):
        self.http = http
        self.raw = http.raw
        self._streams = streams

    def send(self, raw):
        if not self.http.has_begun:
            self.http.begin()
        lines = raw.split(b"\n")
        self.http.part(b"event: message\n" + b"".join(b"data: " + line + b"\n" for line in lines) + b"\n")

    def answer(self, raw):
        if not self._streams and not self.http.has_begun:
            self.http.respond("200 OK", raw)
        else:
            self.send(raw)
            self.http.end()


# Over stdio.


class _RelayLine:
    """The check's end of the control connection of one server process."""

    def __init__(self, connection, sent):
        self._connection, self._sent = connection, sent
        self._lock = threading.Lock()
        self.facts = {}
        self.has_started = threading.Event()
        self.input_ended = threading.Event()
        self.signals, self.written, self.grandchildren = Inbox(), Inbox(), Inbox()
        self.stays = False
        """Whether the server goes on when its input ends."""

    def write(self, data):
        self._sent.append(data)
        self.do(fidelity_server.WRITE, data)

    def do(self, kind, payload=b""):
        with self._lock, suppress(OSError):
            send_frame(self._connection, kind, payload)

    def close(self):
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


class _StdioServer:
    """The servers that a command has started, as a half of a pair."""

    def _start_server(self):
        self._control = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._stack.callback(self._close_server)
        self.relays = []
        self._relay_came = threading.Event()
        self.sent_by_server, self.read_by_server = [], []
        """The pieces that went to the standard output of the server, and those that came on its standard input."""
        threading.Thread(target=self._accept, daemon=True).start()
        port = self._control.getsockname()[1]
        return [sys.executable, "-I", "-S", fidelity_server.__file__, str(port), *ARGUMENTS]

    def _close_server(self):
        for relay in self.relays:
            relay.close()
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)

    def _refresh_server(self):
        self.sent_by_server.clear()
        self.read_by_server.clear()

    @property
    def server(self):
        """The server process; the newest, if what stands in between has started several."""
        expect(self._relay_came.wait(self.limit_s), "The server was not started.")
        expect(self.relays[-1].has_started.wait(self.limit_s), "The server has not reported.")
        return self.relays[-1]

    def line_at_server(self, fits=lambda _: True):
        return self.arrival(fits=lambda each: fits(each.line)).line

    def _accept(self):
        while True:
            try:
                connection, _ = self._control.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            relay = _RelayLine(connection, self.sent_by_server)
            self.relays.append(relay)
            self._relay_came.set()
            threading.Thread(target=self._listen, args=(connection, relay), daemon=True).start()

    def _listen(self, connection, relay):
        lines = fidelity_server.Lines()
        with connection, suppress(OSError):
            for kind, payload in fidelity_server.read_frames(connection):
                if kind == fidelity_server.INPUT:
                    self.read_by_server.append(payload)
                    for line in lines.feed(payload):
                        self._put_line(LineArrival(line, relay))
                elif kind == fidelity_server.INPUT_ENDED:
                    if rest := lines.end():
                        self._put_line(LineArrival(rest, relay))
                    relay.input_ended.set()
                    if not relay.stays:
                        relay.do(fidelity_server.EXIT, b"\0")
                else:
                    _note_report(relay, kind, payload)

    def _put_line(self, arrival):
        self.arrived.put(arrival)
        method = method_of(arrival.message)
        if method and "id" in arrival.message:
            if (result := self.scripted_answer(method)) is not None:
                arrival.answer(write_answer(arrival.id, json.dumps(result)))
            elif error := self.scripted_error(method):
                arrival.answer(write_answer(arrival.id, error=error))


def _note_report(relay, kind, payload):
    if kind == fidelity_server.STARTED:
        relay.facts = json.loads(payload)
        relay.has_started.set()
    elif kind == fidelity_server.SIGNALLED:
        relay.signals.put(payload[0])
    elif kind == fidelity_server.WRITTEN:
        relay.written.put(kind)
    elif kind == fidelity_server.GRANDCHILD:
        relay.grandchildren.put(int(payload))


class _StdioClient:
    """A client that has started a command, as a half of a pair."""

    def _start_client(self, command):
        self.received = Inbox()
        self.stderr = bytearray()
        self.sent_by_client, self.read_by_client = [], []
        """The pieces that went to the standard input of the command, and those that came from its standard output."""
        self._may_read = threading.Event()
        self._may_read.set()
        self.environment = {**os.environ, "FIDELITY": "ünset $PATH"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=self.environment)
        threading.Thread(target=self._read_output, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _close_client(self):
        self._may_read.set()
        with suppress(OSError):
            self.process.stdin.close()
        for relay in getattr(self, "relays", []):
            relay.close()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.wait()

    def _refresh_client(self):
        self.received.clear()
        self.sent_by_client.clear()
        self.read_by_client.clear()

    def _remember_handshake(self, exchange):
        """Do nothing: over stdio there are no sessions."""

    def ask(self, raw):
        self.write(raw + b"\n")
        return _LineExchange(self, _id_of(raw))

    def ask_for(self, raw, part):
        self.write(raw + b"\n")
        return lambda: self.line(lambda line: part in line)

    def tell(self, raw):
        self.write(raw + b"\n")

    reply = tell

    def write(self, data):
        self.sent_by_client.append(data)
        rest = memoryview(data)
        while rest:
            rest = rest[self.process.stdin.write(rest) :]

    def line(self, fits=lambda _: True):
        """Wait for a line at the client."""
        line = self.received.take(fits, timeout_s=self.limit_s)
        expect(line is not None, "No such line has come to the client.", bytes(self.stderr[-1500:]))
        return line

    def exit_code(self):
        try:
            return self.process.wait(self.limit_s)
        except subprocess.TimeoutExpired:
            raise DifferenceError("The process goes on.") from None

    def finish(self):
        """Wait until everything has come, in both directions: lines keep their order."""
        expect("result" in read(self.ask(self.request("tools/list")).answer()), "There is no list of tools.")

    def hold_client(self):
        self._may_read.clear()

    def release_client(self):
        self._may_read.set()

    def _read_output(self):
        lines = fidelity_server.Lines()
        while self._may_read.wait() and (data := self._read(self.process.stdout)):
            self.read_by_client.append(data)
            for line in lines.feed(data):
                self.received.put(line)
        if rest := lines.end():
            self.received.put(rest)
        self.received.end()
        self.process.stdout.close()

    def _read_errors(self):
        while data := self._read(self.process.stderr):
            self.stderr += data
        self.process.stderr.close()

    @staticmethod
    def _read(stream):
        try:
            return stream.read(1 << 16)
        except (OSError, ValueError):
            return b""


class _LineExchange:
    def __init__(self, pair, id):  # noqa: A002
        self._pair, self._id = pair, id

    def answer(self):
        line = self._pair.received.take(lambda line: _is_answer_to(self._id, line), timeout_s=self._pair.limit_s)
        return None if line is None else line.rstrip(b"\r\n")

    def message(self, method):
        return self._pair.line(lambda line: method_of(_read_or_none(line)) == method).rstrip(b"\r\n")

    def messages(self, method, count):
        return [self.message(method) for _ in range(count)]


def _is_answer_to(id, raw):  # noqa: A002
    message = _read_or_none(raw)
    return (
        isinstance(message, dict)
        and "method" not in message
        and type(message.get("id")) is type(id)
        and message.get("id") == id
    )


def _id_of(raw):
    message = _read_or_none(raw)
    return message.get("id") if isinstance(message, dict) else None


def _read_or_none(raw):
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


# Over HTTP.


class _HttpClient:
    """A client that knows an address, as a half of a pair."""

    def _start_client(self, place):
        self.address, self.process_id = place
        self.session, self.version = None, None
        self.authority, _, path = self.address.removeprefix("http://").partition("/")
        self.path = f"/{path}"
        host, _, port = self.authority.partition(":")
        self.where = (host, int(port))
        self.changed = threading.Condition()
        self.exchanges = []

    def _close_client(self):
        for exchange in self.exchanges:
            exchange.close()

    def _refresh_client(self):
        self._close_client()
        self.exchanges.clear()
        self.session, self.version = None, None

    def _remember_handshake(self, exchange):
        self.session, self.version = exchange.head.get("mcp-session-id"), self.era
        if self.lane == SERVED:  # What the server says unasked has no other way.
            self.send("GET", headers=self.headers(accept="text/event-stream"))

    def finish(self):
        """Wait until everything has come."""
        for exchange in self.exchanges:
            expect(exchange.ended_within(), "A response does not end.", exchange.evidence())

    def headers(self, raw=b"", *, accept="application/json, text/event-stream"):
        """Return the headers that a client sends with a message."""
        headers = [("Accept", accept)]
        if raw:
            headers.append(("Content-Type", "application/json"))
        if self.is_modern:
            message = _read_or_none(raw)
            headers.append(("MCP-Protocol-Version", NEW))
            if method := method_of(message):
                headers.append(("Mcp-Method", method))
                params = message.get("params", {})
                if name := params.get("name", params.get("uri")):
                    headers.append(("Mcp-Name", name))
        else:
            headers += [("MCP-Protocol-Version", self.version)] if self.version else []
            headers += [("Mcp-Session-Id", self.session)] if self.session else []
        return headers

    def send(self, method, body=b"", headers=None, *, path="", in_chunks=False, host=None):  # noqa: PLR0913
        """Send a request; return what becomes of it."""
        headers = self.headers(body) if headers is None else headers
        connection = socket.create_connection(self.where, timeout=self.limit_s)
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        exchange = BodyExchange(self, connection, method, body)
        self.exchanges.append(exchange)
        length = [("Transfer-Encoding", "chunked")] if in_chunks else [("Content-Length", len(body))]
        if not body and method in {"GET", "HEAD", "DELETE", "OPTIONS"}:
            length = []
        line = f"{method} {path if path.startswith('/') else self.path + path} HTTP/1.1"
        parts = [f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in cut(body)] if in_chunks else [body]
        try:
            for part in [write_head(line, [("Host", host or self.authority), *headers, *length]), *parts]:
                connection.sendall(part)
            if in_chunks:
                connection.sendall(b"0\r\n\r\n")
        except ConnectionError:
            pass  # Who answers early may hang up early; the answer says what it was.
        finally:
            exchange.has_sent.set()
        return exchange

    def ask(self, raw):
        return self.send("POST", raw)

    def ask_for(self, raw, part):
        exchange = self.send("POST", raw, self.headers(self.call()))
        return lambda: expect(part in exchange.body(), "It has not come back.", exchange.evidence())

    def tell(self, raw):
        exchange = self.send("POST", raw)
        expect(exchange.status == 202, "A notification was not accepted.", exchange.evidence())

    reply = tell


class _HttpServer:
    """A server at an address, as a half of a pair."""

    def _start_server(self):
        self._sessions = 0
        self.arrivals = []
        self.server = RawHttpServer(self._on_request)
        self._stack.callback(self.server.close)
        return self._address

    def _refresh_server(self):
        self.arrivals.clear()

    @property
    def _address(self):
        return f"http://127.0.0.1:{self.server.port}/mcp"

    def _on_request(self, http):
        arrival = BodyArrival(http, streams=self.lane != JSON)
        self.arrivals.append(arrival)
        self.arrived.put(arrival)
        message = arrival.message
        method = method_of(message) if http.method == "POST" else http.method
        if http.method == "GET" and "GET" not in self.claims:
            http.respond("405 Method Not Allowed", headers=[("Allow", "POST, DELETE")])
        elif http.method == "DELETE" and "DELETE" not in self.claims:
            http.respond("200 OK")
        elif http.method == "POST" and "POST" not in self.claims and isinstance(message, dict):
            self._answer_by_script(arrival, message, method)

    def _answer_by_script(self, arrival, message, method):
        if "id" not in message or not method:
            if method not in self.claims and ("(answer)" not in self.claims or method):
                arrival.http.respond("202 Accepted")
        elif (result := self.scripted_answer(method)) is not None:
            headers = []
            if method == "initialize":
                self._sessions += 1
                headers = [("Mcp-Session-Id", f"session-{self._sessions}-é!~".replace("é", "e"))]
            arrival.http.respond("200 OK", write_answer(arrival.id, json.dumps(result)), headers)
        elif error := self.scripted_error(method):
            arrival.http.respond("404 Not Found", write_answer(arrival.id, error=error))


class StdioPair(_StdioClient, _StdioServer, Pair):
    """Both ends talk over stdio."""


class HttpPair(_HttpClient, _HttpServer, Pair):
    """Both ends talk over HTTP."""


class ServedPair(_HttpClient, _StdioServer, Pair):
    """The client talks over HTTP, the server over stdio."""


class FetchedPair(_StdioClient, _HttpServer, Pair):
    """The client talks over stdio, the server over HTTP."""


PAIRS = {STDIO: StdioPair, JSON: HttpPair, EVENTS: HttpPair, SERVED: ServedPair, FETCHED: FetchedPair}


def cut(data, size=50_000):
    return [data[start : start + size] for start in range(0, len(data), size)]


class BodyExchange:
    """A request of the client, and the response to it as far as it has come."""

    def __init__(self, pair, connection, method, body):
        self._pair, self._connection = pair, connection
        self.method, self.sent = method, body
        self._id = _id_of(body)
        self.id = json.dumps(self._id)
        self._changed = pair.changed
        self._head = None
        self.data = bytearray()
        """What has come of the body, but for what the check has seen already."""
        self.received = bytearray()
        """What has come of the body."""
        self.is_over, self.is_broken = False, False
        self.may_read = threading.Event()
        self.may_read.set()
        self.has_sent = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def head(self):
        expect(self._wait(lambda: self._head or self.is_over) and self._head, "No response has come.", bytes(self.data))
        return self._head

    @property
    def status(self):
        return int(self.head.line.split(" ")[1])

    def body(self):
        expect(self._wait(lambda: self.is_over), "The response does not end.", bytes(self.data))
        expect(not self.is_broken, "The response breaks off.", bytes(self.data))
        return bytes(self.data)

    def until(self, part):
        """Wait until a part has come that ends with these bytes; return and forget it."""
        expect(self._wait(lambda: part in self.data), f"{part!r} has not come.", bytes(self.data))
        with self._changed:
            end = self.data.index(part) + len(part)
            begun = bytes(self.data[:end])
            del self.data[:end]
        return begun

    def answer(self):
        """Return the JSON-RPC answer; None if the response ends without."""
        self._wait(lambda: self.is_over or self._find() is not None)
        return self._find()

    def message(self, method):
        return self.messages(method, 1)[0]

    def messages(self, method, count):
        """Wait for the first messages of a method that come on this stream; where the transport changes, on any."""

        def find():
            streams = self._pair.exchanges if self._pair.lane == SERVED else [self]
            parts = [part for stream in streams for part in data_of_events(bytes(stream.received))]
            return [part for part in parts if method_of(_read_or_none(part)) == method][:count]

        self._wait(lambda: self.is_over or len(find()) == count)
        expect(len(find()) == count, f"No {method} has come to the client.", self.evidence())
        return find()

    def ended_within(self):
        return self._wait(lambda: self.is_over)

    def evidence(self):
        return (self._head and (self._head.line, self._head.headers), bytes(self.data[:2000]), self.is_over)

    def close(self):
        self.may_read.set()
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _find(self):
        with self._changed:
            if self._head is None:
                return None
            if not self.is_over and not self.received.endswith((b"\n", b"\r")):
                return None  # In the middle of something, which may be long.
            data = bytes(self.received)
            if not (self._head.get("content-type") or "").startswith("text/event-stream"):
                return data if self.is_over and not self.is_broken and _is_answer_to(self._id, data) else None
            return next((part for part in data_of_events(data) if _is_answer_to(self._id, part)), None)

    def _wait(self, condition):
        with self._changed:
            return self._changed.wait_for(condition, self._pair.limit_s)

    def _read(self):
        try:
            with self._connection.makefile("rb") as stream:
                self._read_response(stream)
        except (OSError, EOFError, ValueError):
            self.is_broken = True
        self.has_sent.wait()
        self._connection.close()
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def _read_response(self, stream):
        head = read_head(stream)
        while head and head.line.split(" ")[1].startswith("1"):
            head = read_head(stream)
        if head is None:
            raise EOFError
        self._tell(head=head)
        if head.line.split(" ")[1] not in {"204", "304"} and self.method != "HEAD":
            for part in read_body(head, stream, until_end=True):
                self._tell(part)
                self.may_read.wait()

    def _tell(self, part=b"", head=None):
        with self._changed:
            self.data += part
            self.received += part
            self._head = head or self._head
            self._changed.notify_all()


def data_of_events(data):
    for event in data.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]:
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
        if lines:
            yield b"\n".join(lines)
