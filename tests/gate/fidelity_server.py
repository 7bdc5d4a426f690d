"""The raw servers of the fidelity suite: pipes and sockets whose bytes a check reads and writes itself, without an SDK.

Over stdio the server is this file, run as a program: a relay that carries what comes on its standard input to the check,
and what the check sends to its standard output. Over HTTP it is a `RawHttpServer` in the process of the check.

    python fidelity_server.py PORT [ARGUMENT ...]
"""

import contextlib
import json
import os
import signal
import socket
import struct
import sys
import threading
import time

_HEADER = struct.Struct("!cI")
_CHUNK = 1 << 16
_GRANDCHILD = "import time; time.sleep(600)"

# What a relay reports.
STARTED, INPUT, INPUT_ENDED, SIGNALLED, WRITTEN, GRANDCHILD = b"h", b"i", b"e", b"s", b"w", b"g"
# What a relay is told to do.
WRITE, WRITE_ERROR, EXIT, DIE, HOLD, GO_ON, BEAR = b"o", b"E", b"x", b"k", b"p", b"r", b"b"


def send_frame(connection, kind, payload=b""):
    connection.sendall(_HEADER.pack(kind, len(payload)) + payload)


def read_frames(connection):
    """Yield the frames of a connection until it ends."""
    with connection.makefile("rb") as stream:
        while len(header := stream.read(_HEADER.size)) == _HEADER.size:
            kind, length = _HEADER.unpack(header)
            yield kind, stream.read(length)


class Inbox:
    """Things that arrive, in their order; whoever waits for one that fits takes it out."""

    def __init__(self):
        self._changed = threading.Condition()
        self._items = []
        self.is_over = False

    def put(self, item):
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()

    def end(self):
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def clear(self):
        with self._changed:
            self._items.clear()

    def take(self, fits=lambda _: True, *, timeout_s):
        """Return the first item that fits; None when there will be none, or after the time limit."""
        deadline_s = time.monotonic() + timeout_s
        with self._changed:
            while True:
                for index, item in enumerate(self._items):
                    if fits(item):
                        return self._items.pop(index)
                if self.is_over or not self._changed.wait(deadline_s - time.monotonic()):
                    return None


class Lines:
    """Bytes that come in pieces, as lines with their ends."""

    def __init__(self):
        self._parts = []

    def feed(self, data):
        *lines, rest = data.split(b"\n")
        for line in filter(None, [*(line + b"\n" for line in lines), rest]):
            self._parts.append(line)
            if line.endswith(b"\n"):
                yield self.end()

    def end(self):
        rest = b"".join(self._parts)
        self._parts.clear()
        return rest


# HTTP/1.1, as far as a check needs it.


class Head:
    """The first line and the headers of a request or of a response, as they came."""

    def __init__(self, lines):
        self.line = lines[0].decode("latin-1")
        pairs = (line.split(b":", 1) for line in lines[1:])
        self.headers = [(name.decode("latin-1"), value.strip().decode("latin-1")) for name, value in pairs]

    def all(self, name):
        return [value for each, value in self.headers if each.lower() == name.lower()]

    def get(self, name):
        return next(iter(self.all(name)), None)


def read_head(stream):
    """Return the head that comes next; None at the end."""
    lines = []
    while (line := stream.readline()) not in {b"\r\n", b"\n", b""}:
        lines.append(line.rstrip(b"\r\n"))
    return Head(lines) if lines and line else None


def read_body(head, stream, *, until_end):
    """Yield the parts of a body as they come."""
    if "chunked" in (head.get("transfer-encoding") or "").lower():
        while size := int(stream.readline().split(b";")[0], 16):
            yield _exactly(stream, size)
            stream.readline()
        while stream.readline() not in {b"\r\n", b"\n", b""}:
            pass
    elif head.get("content-length") is not None:
        left = int(head.get("content-length"))
        while left:
            part = stream.read1(min(left, _CHUNK))
            if not part:
                raise EOFError("The body is shorter than its Content-Length.")
            left -= len(part)
            yield part
    elif until_end:
        while part := stream.read1(_CHUNK):
            yield part


def _exactly(stream, size):
    part = stream.read(size)
    if len(part) < size:
        raise EOFError("The body ends within a chunk.")
    return part


def write_head(line, headers):
    return "\r\n".join([line, *(f"{name}: {value}" for name, value in headers), "", ""]).encode("latin-1")


@contextlib.contextmanager
def kept_port():
    """Give a port of this machine that nobody else is given; whoever sets SO_REUSEADDR may listen there."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        yield keeper.getsockname()[1]


class HttpArrival:
    """A request that has come to a `RawHttpServer`, and the response to it."""

    def __init__(self, head, body, connection):
        self.head = head
        self.method, self.target, _ = head.line.split(" ", 2)
        self.raw = body
        self._connection = connection
        self.is_answered = threading.Event()
        self._streams = False
        self.status, self.headers, self.sent = None, [], bytearray()
        """The response so far: its status, the headers that the check has chosen, and its body."""

    def respond(self, status, body=b"", headers=(), *, content_type="application/json"):
        """Answer with a whole body."""
        own = [("Content-Type", content_type)] if body else []
        length = [] if status.startswith("204") else [("Content-Length", len(body))]
        self._note(status, [*own, *headers], body)
        self._write(write_head(f"HTTP/1.1 {status}", [*own, *headers, *length]) + body)
        self.is_answered.set()

    def begin(self, headers=(), *, content_type="text/event-stream"):
        """Begin a response whose parts come one after the other."""
        own = [("Content-Type", content_type), ("Cache-Control", "no-cache"), ("Transfer-Encoding", "chunked")]
        self._note("200 OK", [*own[:2], *headers])
        self._write(write_head("HTTP/1.1 200 OK", [*own, *headers]))
        self._streams = True

    @property
    def has_begun(self):
        return self._streams or self.is_answered.is_set()

    def part(self, data):
        self.sent += data
        self._write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def end(self):
        self._write(b"0\r\n\r\n")
        self.is_answered.set()

    def break_off(self):
        """Close the connection in the middle of whatever it is."""
        self._connection.shutdown(socket.SHUT_RDWR)
        self.is_answered.set()

    def is_closed_within(self, timeout_s):
        """Return whether the other side closes the connection."""
        self._connection.settimeout(timeout_s)
        try:
            return self._connection.recv(1, socket.MSG_PEEK) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False
        finally:
            self._connection.settimeout(None)

    def _note(self, status, headers, body=b""):
        self.status, self.headers = int(status[:3]), [*headers]
        self.sent += body

    def _write(self, data):
        self._connection.sendall(data)


class RawHttpServer:
    """Listens on this machine, and hands every request to `on_request` in the thread of its connection."""

    def __init__(self, on_request):
        self._on_request = on_request
        self._keeping = contextlib.ExitStack()
        self.port = self._keeping.enter_context(kept_port())
        self._listening = socket.create_server(("127.0.0.1", self.port), backlog=256)
        self._connections = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.stop()
        self._keeping.close()

    def stop(self):
        """Listen no more; whoever connects is refused."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.hang_up()

    def hang_up(self):
        """Close every connection."""
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rb") as stream:
                while head := read_head(stream):
                    body = b"".join(read_body(head, stream, until_end=False))
                    arrival = HttpArrival(head, body, connection)
                    self._on_request(arrival)
                    arrival.is_answered.wait()
        except (OSError, EOFError, ValueError):
            pass  # The other side is gone.
        finally:
            self._connections.discard(connection)


# The relay.


class _Relay:
    def __init__(self, connection):
        self._connection = connection
        self._may_read = threading.Event()
        self._may_read.set()
        self._lock = threading.RLock()

    def run(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            signal.signal(number, self._report_signal)
        facts = {
            "pid": os.getpid(),
            "arguments": sys.argv[2:],
            "directory": os.getcwd(),  # noqa: PTH109 - pathlib takes as long as all the rest.
            "environment": dict(os.environ),
        }
        self._report(STARTED, json.dumps(facts).encode())
        threading.Thread(target=self._read_input, daemon=True).start()
        for kind, payload in read_frames(self._connection):
            self._obey(kind, payload)
        os._exit(0)

    def _obey(self, kind, payload):
        if kind in {WRITE, WRITE_ERROR}:
            self._write(1 if kind == WRITE else 2, payload)
            self._report(WRITTEN)
        elif kind == EXIT:
            os._exit(payload[0])
        elif kind == DIE:
            os.kill(os.getpid(), signal.SIGKILL)
        elif kind == HOLD:
            self._may_read.clear()
        elif kind == GO_ON:
            self._may_read.set()
        elif kind == BEAR:
            import subprocess  # noqa: PLC0415 - it takes as long as all the rest.

            child = subprocess.Popen([sys.executable, "-I", "-S", "-c", _GRANDCHILD])
            self._report(GRANDCHILD, str(child.pid).encode())

    def _write(self, descriptor, data):
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except BrokenPipeError:
            pass  # The check notices.

    def _read_input(self):
        while True:
            self._may_read.wait()
            data = os.read(0, _CHUNK)
            if not data:
                break
            self._report(INPUT, data)
        self._report(INPUT_ENDED)

    def _report_signal(self, number, _):
        self._report(SIGNALLED, bytes([number]))

    def _report(self, kind, payload=b""):
        with self._lock:
            send_frame(self._connection, kind, payload)


if __name__ == "__main__":
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as control:
        control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            _Relay(control).run()
        except OSError:
            os._exit(0)  # The check is over.
