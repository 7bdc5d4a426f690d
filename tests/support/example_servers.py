"""The example servers, started for real: over stdio, over HTTP, and spoken to in both protocols."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from support.ports import free_port

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("napkin_visuals", "order_operations", "pattern_library", "pubmed_articles", "order_recovery")
# `make examples` is the other one. All combinations, for all kinds of servers, are held to golden files in tests/serving.
WAY = os.environ.get("ERRATA_WAY", "http")
_START_S, _CALL_S = 120, 60


@asynccontextmanager
async def connected(name, way, *options, elicit=None, **environment):
    """Start an example, and connect the SDK's own client to it."""
    settings = {
        "mode": "legacy" if "older" in way else "auto",
        "read_timeout_seconds": _CALL_S,
        "elicitation_callback": elicit,
        "cache": None,
    }
    if "stdio" in way:
        with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230, PTH123 - that one never blocks.
            transport = stdio_client(over_stdio(name, *options, **environment), errlog=nowhere)
            async with Client(transport, **settings) as client:
                yield client
        return
    with listening(name, *options, **environment) as url:
        async with Client(url, **settings) as client:
            yield client


def over_stdio(name, *options, **environment):
    """Return how to start an example that talks on stdin and stdout."""
    command = [str(EXAMPLES / f"{name}.py"), *options]
    return StdioServerParameters(command=sys.executable, args=command, env=_clean_environment() | environment)


@contextmanager
def listening(name, *options, port=None, **environment):
    """Have an example listen over HTTP, and stop it afterwards."""
    port = port or free_port()
    command = [sys.executable, EXAMPLES / f"{name}.py", "--http", str(port), *options]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=_clean_environment() | environment)
        try:
            _wait_for(process, port, log)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()  # It would wait for clients that hold on to a stream.
            process.wait()


def tell(upstream, answer):
    """Tell an upstream from outside how to answer from now on; None goes back to normal."""
    method = "DELETE" if answer is None else "PUT"
    request = urllib.request.Request(f"{upstream}/_answer", json.dumps(answer).encode(), method=method)  # noqa: S310 - it is on this machine.
    with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310 - as above.
        return json.load(response)


def payload(result):
    """Return a result as the JSON that went over the wire."""
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def _clean_environment():
    """Whoever runs the tests may have accounts and folders of their own; they stay out of it."""
    mine = ("_URL", "_API_KEY", "READING_LISTS")
    return {name: value for name, value in os.environ.items() if not name.endswith(mine)}


def _wait_for(process, port, log):
    deadline = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    log.seek(0)
    raise AssertionError(log.read().decode()[-2000:])
