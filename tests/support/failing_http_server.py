"""A real HTTP server on this machine that fails in every way a test asks for, byte by byte."""

import gzip
import socketserver
import threading
from contextlib import contextmanager, suppress

from support.ports import free_port

PATIENCE_S = 10  # No answer keeps its thread longer, whatever the client does.
HESITATION_S = 0.4  # Closing a response waits for a thread that reads it: let it go soon, but after every time limit.
TLS = b"\x16"  # How a handshake starts.
HUGE = 10 * 1024**3


def answer(status, body=b"", **headers):
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{head}Connection: close\r\n\r\n".encode() + body


def json_answer(status, body, **headers):
    return answer(status, body, Content_Type="application/json", **headers)


INVALID = b'{"detail": [{"loc": ["body", "email"], "msg": "Field required", "input": {"password": "hunter2"}}]}'
PAGE = b"<!DOCTYPE html><html><head><title>Down for maintenance</title></head><body>...</body></html>"
STALLED = b"HTTP/1.1 503 Busy\r\nContent-Length: 100\r\nRetry-After: 7\r\nConnection: close\r\n\r\nonly the st"
BROKEN = b"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\nRetry-After: 7\r\n\r\n5\r\nhello\r\nfffff\r\nand then"

ANSWERS = {
    "/ok": answer("200 OK", b"fine", Content_Type="text/plain"),
    "/moved": answer("302 Found", Location="/ok"),
    "/missing": json_answer("404 Not Found", b'{"error": {"message": "No article 17."}}'),
    "/busy": json_answer("503 Service Unavailable", b'{"message": "Too many readers."}', Retry_After="7"),
    "/invalid": json_answer("422 Unprocessable Content", gzip.compress(INVALID), Content_Encoding="gzip"),
    "/page": answer("502 Bad Gateway", PAGE, Content_Type="text/html"),
    "/latin": answer("400 Bad Request", "Schlüssel".encode("latin-1"), Content_Type="text/plain; charset=iso-8859-1"),
    "/stalls": STALLED,
    "/short": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nand then",
    "/hesitates": STALLED,
    "/breaks": BROKEN,
    "/drips": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
    "/silent": b"",
    "/garbage": b"SSH-2.0-OpenSSH_9.6\r\n",
    "/endless": f"HTTP/1.1 500 Oh\r\nContent-Length: {HUGE}\r\nConnection: close\r\n\r\n".encode(),
}
HOLDS_S = {"/stalls": PATIENCE_S, "/silent": PATIENCE_S, "/hesitates": HESITATION_S}


class Server:
    """Where it listens, and what it has sent so far."""

    def __init__(self):
        self.closing = threading.Event()
        self.sent = 0
        self._arrivals = {}
        self._ends = {}
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), self._handler(), bind_and_activate=True)
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"

    def _handler(self):
        server = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                with suppress(OSError):
                    server.serve(self.rfile, self.connection)

        return Handler

    def arrival_of(self, target):
        """Find the event that is set as soon as somebody has asked for a path with its query."""
        return self._arrivals.setdefault(target, threading.Event())

    def end_of(self, target):
        """Find the event that is set when the answer is over: sent, and no longer held back."""
        return self._ends.setdefault(target, threading.Event())

    def serve(self, request, connection):
        connection.settimeout(PATIENCE_S)
        line = request.readline()
        if not line or line[:1] == TLS:
            connection.sendall(answer("400 This is no TLS"))
            return
        target = line.split()[1].decode()
        while request.readline().strip():
            pass
        self.arrival_of(target).set()
        try:
            self._answer(target.partition("?")[0], connection)
        finally:
            self.end_of(target).set()

    def _answer(self, path, connection):
        connection.sendall(ANSWERS[path])
        while path == "/endless" and not self.closing.is_set():
            self.sent += connection.send(b"x" * 65536)
        while path == "/drips" and not self.closing.wait(0.02):
            connection.sendall(b"x")
        self.closing.wait(HOLDS_S.get(path, 0))

    @contextmanager
    def running(self):
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join(PATIENCE_S)


def refused():
    """Return an address where nobody listens."""
    return f"http://127.0.0.1:{free_port()}"
