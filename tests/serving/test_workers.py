"""Do the workers of gunicorn and uvicorn answer, that were forked from a busy parent or started by one?"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.failing_servers import LONGEST_S
from support.raw_http_client import tool_call

APP = "support.prefork_app:app"
WORKER = "--worker-class=uvicorn.workers.UvicornWorker"
GUNICORN = ["gunicorn", APP, "--workers=2", "--preload", WORKER, "--bind=fd://{fd}", "--no-control-socket"]
UVICORN = ["uvicorn", APP, "--workers=2", "--fd={fd}", "--log-level=warning"]
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "pay",
    "Connection": "close",
}
CALLS_AT_ONCE, MOST_CALLS = 8, 4_000

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        yield listening


@pytest.fixture(params=[GUNICORN, UVICORN], ids=["gunicorn", "uvicorn"])
def address(request, listener, tmp_path):
    """Start workers on a socket that listens already, so that nobody has to wait for them."""
    command = [word.format(fd=listener.fileno()) for word in request.param]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONWARNINGS": "ignore"}
    if request.param is GUNICORN:
        environment["BUSY_PARENT"] = "1"
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command], env=environment, pass_fds=[listener.fileno()], stdout=log, stderr=log
        )
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        process.terminate()
        process.wait(LONGEST_S)


def test_every_worker_answers_every_call(address):
    answers, pids = 0, set()
    ends = time.monotonic() + LONGEST_S
    with ThreadPoolExecutor(CALLS_AT_ONCE) as pool:
        while len(pids) < 2 or answers < 200:
            assert answers < MOST_CALLS, f"only {pids} answered"
            assert time.monotonic() < ends, f"{answers} answers by {pids}"
            for text in pool.map(lambda number: _pay(address, number), range(answers, answers + 5 * CALLS_AT_ONCE)):
                pids.add(re.search(r"in process (\d+)", text)[1])
                answers += 1
    assert len(pids) == 2


def _pay(address, number):
    connection = HTTPConnection("127.0.0.1", urlsplit(address).port, timeout=LONGEST_S)  # One each, for any worker.
    with closing(connection):
        connection.request("POST", "/mcp", tool_call("pay", order=number), HEADERS)
        result = json.loads(connection.getresponse().read())["result"]
    text = result["content"][0]["text"]
    assert result["isError"] is True
    assert f"Order {number} was paid" in text
    assert "hunter2" not in text
    return text
