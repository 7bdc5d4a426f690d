"""What may be found where a Redis should be."""

import socket
import socketserver
import threading
from contextlib import contextmanager


@contextmanager
def nobody_there():
    """A port that is taken, but where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@contextmanager
def a_stranger(answer):
    """Somebody who answers everything with the same bytes."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            while self.request.recv(65536):
                self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


class a_detour_to:  # noqa: N801 - it is used like a function.
    """A way to a server that takes its time."""

    def __init__(self, server):
        self._server = server
        self.delay_s = 0.0
        self._pause = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._pause.set()
        self._listener.close()

    def _accept(self):
        while not self._pause.is_set():
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._server.url.removeprefix("unix://"))
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    def _carry(self, source, target):
        with source, target:
            try:
                while data := source.recv(65536):
                    self._pause.wait(self.delay_s)
                    target.sendall(data)
            except OSError:
                return
