"""Bodies that are small on the wire and huge once they are decompressed."""

import gzip
import threading
import tracemalloc
import zlib
from contextlib import contextmanager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import brotli

HUGE = 128 * 1024 * 1024
"""What each of them becomes, at least."""
_RLE_BLOCK = 128 * 1024


@cache
def bombs():
    """Return each bomb by the encoding that it claims."""
    blanks = bytes([0x20]) * HUGE
    once = gzip.compress(blanks, 9)
    return {
        "gzip": once,
        "deflate": zlib.compress(blanks, 9),
        "br": brotli.compress(blanks, quality=5),
        "zstd": _zstd(HUGE // _RLE_BLOCK),
        "gzip, gzip": gzip.compress(once, 9),
        "zstd, gzip": gzip.compress(_zstd(64 * HUGE // _RLE_BLOCK), 9),
        "gzip, br": brotli.compress(once, quality=5),
        "identity": blanks,
    }


def _zstd(blocks):
    """Write a frame of blocks that are one byte each, repeated."""
    header = b"\x28\xb5\x2f\xfd\x00\x58"  # The magic number, no checksum, a window of 2 MiB.
    repeated = b"".join(
        (_RLE_BLOCK << 3 | 1 << 1 | (number == blocks - 1)).to_bytes(3, "little") + b" " for number in range(blocks)
    )
    return header + repeated


@contextmanager
def memory():
    """Measure what is allocated in the block at most; the list gets the number of bytes."""
    peak = []
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1] - before)
    finally:
        tracemalloc.stop()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""

    def do_GET(self):
        """Answer `/<status>/<encoding>`."""
        _, status, encoding = unquote(self.path).split("/")
        body = bombs().get(encoding, b"fine")
        self.send_response(int(status))
        self.send_header("content-type", "text/plain")
        self.send_header("content-encoding", encoding)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # Whoever has had enough hangs up.
            self.wfile.write(body)


@contextmanager
def bombing():
    """Serve the bombs, and yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
