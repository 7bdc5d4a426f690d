"""A redis-server of its own for a measurement."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator

_PATIENCE_S = 60


@contextlib.contextmanager
def redis_server() -> Iterator[str | None]:
    """Start a redis-server on a free port, and yield its address; None where none is installed."""
    program = shutil.which("redis-server")
    if program is None:
        yield None
        return
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            _wait_for(port)
            yield f"redis://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def _wait_for(port: int) -> None:
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise TimeoutError(f"redis-server did not listen on port {port} within {_PATIENCE_S} seconds.")
