"""Several gates in front of one server share its breaker and its budget; and what a gate's breaker takes for an outage."""

import asyncio
import http.client
import json
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import httpx2
import pytest
from support.manual_clock import Time
from support.redis_impostors import nobody_there
from support.redis_server import LONGEST_S, running_redis, until

from errata import Code, Fault
from errata.dialects import native
from errata.gate import asgi
from errata.resilience import Breaker, MemoryStore, State

NAME = "shop"
CIRCUIT, BUDGET = (f"errata:1:{{{NAME}}}:{kind}" for kind in ("circuit", "budget"))
REPETITIONS = 35
"""So many fit into a budget of 500 tokens, at 14 each."""
ACCEPTS = {"accept": "application/json, text/event-stream"}
DONE = {"content": [{"type": "text", "text": "done"}]}

# The command line has no time limits for Redis. These hold on any machine: nobody decides alone because it is busy.
_PATIENT = """
import functools, sys
from errata import cli, resilience
resilience.RedisStore = functools.partial(resilience.RedisStore, patience_s=60.0, timeout_s=60.0)
sys.exit(cli.main(sys.argv[1:]))
"""
PROGRAMS = {True: ("-c", _PATIENT), False: ("-m", "errata")}


class Upstream(ThreadingHTTPServer):
    """A server that answers every call as it was told to, and counts them."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/mcp"
        self.status = 200
        self.answer = {"result": DONE}
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.calls = 0
        self._lock = threading.Lock()

    def count(self):
        with self._lock:
            self.calls += 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Say nothing."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.count()
        self.server.may_answer.wait(LONGEST_S)
        body = b"down"
        if self.server.status == 200 or "error" in self.server.answer:
            body = json.dumps({"jsonrpc": "2.0", "id": request["id"], **self.server.answer}).encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json" if body != b"down" else "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serving():
    with Upstream() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.may_answer.set()
        server.shutdown()


@pytest.fixture
def upstream():
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def redis_server():
    with running_redis() as server:
        yield server


@pytest.fixture(scope="module")
def shared(redis_server):
    """An upstream, and two gates before it that share what they know."""
    options = ("--retry", "--breaker", "--effect", "look_up=read_only", "--redis", redis_server.url)
    with serving() as server, gates_of(server.url, *options) as gates:
        yield server, gates


class HttpGate:
    """A gate in front of a server over HTTP."""

    def __init__(self, url, options, *, is_patient):
        command = [sys.executable, *PROGRAMS[is_patient], "gate", "--listen", "127.0.0.1:0", "--to", url, "--quiet"]
        environment = {"PYTHONPATH": ":".join(sys.path)}
        self._process = subprocess.Popen(
            [*command, *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
        )

    def find_address(self):
        self._address = urlsplit(self._process.stderr.readline().split()[-1])

    def call(self, tool="charge"):
        """Call a tool; return the code of the failure, None for a success."""
        headers = {"content-type": "application/json", **ACCEPTS}
        connection = http.client.HTTPConnection(self._address.netloc, timeout=LONGEST_S)
        try:
            connection.request("POST", self._address.path, json.dumps(request_of(tool)), headers)
            return code_in(json.loads(connection.getresponse().read()))
        finally:
            connection.close()

    def end(self):
        self._process.terminate()
        self._process.communicate(timeout=LONGEST_S)


def request_of(tool):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}


def code_in(response):
    """Return the code of the failure that a response tells an agent; None for a success."""
    assert response["id"] == 1
    match = re.match(r"Error \[(\w+)\]", response["result"]["content"][0]["text"])
    return match and match[1]


@contextmanager
def gates_of(url, *options, number=2, is_patient=True):
    """Start gates of one name."""
    with ExitStack() as stack:
        gates = [HttpGate(url, ["--name", NAME, *options], is_patient=is_patient) for _ in range(number)]
        for gate in gates:
            stack.callback(gate.end)
        for gate in gates:
            gate.find_address()
        yield gates


def refuses(gate):
    return gate.call() == "CIRCUIT_OPEN"


def test_failures_through_two_gates_open_the_breaker_of_both_and_one_call_tries(shared, redis_server):
    upstream, (one, other) = shared
    redis = redis_server.client()
    upstream.status = 500
    assert [gate.call() for gate in (one, one, one, other, other)] == ["UPSTREAM_ERROR"] * 5
    for gate in (one, other):
        until(lambda gate=gate: refuses(gate), what="the breaker is open")

    upstream.calls = 0
    assert all(refuses(gate) for gate in (one, other) * 3)
    assert upstream.calls == 0

    # As if the pause were over.
    upstream.status = 200
    upstream.may_answer.clear()
    redis.hset(CIRCUIT, "until", 1)
    redis.hincrby(CIRCUIT, "generation", 1)
    with ThreadPoolExecutor(20) as pool:
        trying = [pool.submit(until, lambda gate=gate: not refuses(gate), what="it is called") for gate in (one, other)]
        until(lambda: upstream.calls, what="one call tries")
        assert list(pool.map(refuses, (one, other) * 8)) == [True] * 16
        assert upstream.calls == 1
        upstream.may_answer.set()
    assert all(each.result() for each in trying)
    for gate in (one, other):
        until(lambda gate=gate: not refuses(gate), what="the breaker is closed")
    assert redis.hget(CIRCUIT, "state") == "closed"


def test_two_gates_repeat_what_one_budget_pays_for(shared, redis_server):
    upstream, gates = shared
    upstream.status, upstream.answer, upstream.calls = 200, fails_at_its_backend(Code.SERVICE_UNAVAILABLE), 0
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda gate: gate.call("look_up"), gates * 15))
    assert set(codes) == {"SERVICE_UNAVAILABLE"}
    assert upstream.calls - len(codes) == REPETITIONS
    assert redis_server.client().hget(BUDGET, "tokens") == "10"


def test_a_redis_that_hangs_and_is_killed_costs_no_call_and_each_gate_protects_itself(upstream):
    options = ("--retry", "--breaker", "--redis")
    with running_redis() as server, gates_of(upstream.url, *options, server.url, is_patient=False) as gates:
        assert [gate.call() for gate in gates] == [None, None]
        for trouble in (server.hang, server.kill):
            trouble()
            assert [gate.call() for gate in gates * 5] == [None] * 10
        upstream.status = 500
        for gate in gates:
            assert [gate.call() for _ in range(6)] == ["UPSTREAM_ERROR"] * 5 + ["CIRCUIT_OPEN"]


def failing(**members):
    return {"result": {"isError": True, **members}}


def fails_at_its_backend(code):
    return {"result": dict(native.encode(Fault(code=code, message="The bank does not answer.")))}


ANSWERS = {
    "a tool whose backend is down": (200, fails_at_its_backend(Code.UPSTREAM_ERROR)),
    "a tool that times out": (200, fails_at_its_backend(Code.TIMEOUT)),
    "a tool with a bug": (200, fails_at_its_backend(Code.INTERNAL_ERROR)),
    "a tool with words": (200, failing(content=[{"type": "text", "text": "503 Service Unavailable"}])),
    "a tool without words": (200, failing(content=[])),
    "an internal error": (200, {"error": {"code": -32603, "message": "Internal error"}}),
    "wrong arguments": (200, {"error": {"code": -32602, "message": "Invalid params"}}),
    "a tool's failure as an error of HTTP": (500, {"error": {"code": -32603, "message": "Internal error"}}),
    "too many calls": (429, {}),
}
OUTAGES = {
    "an error of HTTP": (500, {}),
    "unavailable": (503, {}),
    "a gateway without a server": (502, {"error": {"code": -32603, "message": "Internal error"}}),
}


def outcomes(url, number, breaker):
    """Call one tool so often, then another one; return what its call has come to."""

    async def run():
        transport = httpx2.ASGITransport(asgi(url, breaker=breaker))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            for _ in range(number):
                await client.post("/mcp", json=request_of("charge"), headers=ACCEPTS)
            response = await client.post("/mcp", json=request_of("look_up"), headers=ACCEPTS)
            return response.json()

    return asyncio.run(run())


@pytest.mark.parametrize(("status", "answer"), ANSWERS.values(), ids=ANSWERS)
def test_a_server_that_answers_is_called_whatever_one_of_its_tools_says(upstream, status, answer):
    upstream.status, upstream.answer = status, answer
    breaker = Breaker(NAME, store=MemoryStore())
    outcomes(upstream.url, 6, breaker)
    assert upstream.calls == 7
    assert breaker.status().failures == 0


@pytest.mark.parametrize(("status", "answer"), OUTAGES.values(), ids=OUTAGES)
def test_a_server_that_is_down_is_left_alone_by_every_tool(upstream, status, answer):
    upstream.status, upstream.answer = status, answer
    assert code_in(outcomes(upstream.url, 5, Breaker(NAME, store=MemoryStore()))) == "CIRCUIT_OPEN"
    assert upstream.calls == 5


def test_a_server_that_cannot_be_reached_is_left_alone():
    with nobody_there() as port:
        breaker = Breaker(NAME, store=MemoryStore())
        assert code_in(outcomes(f"http://127.0.0.1:{port}/mcp", 5, breaker)) == "CIRCUIT_OPEN"


@pytest.mark.parametrize("answer", ["a tool whose backend is down", "a tool with words"])
def test_an_answer_of_any_tool_proves_that_a_server_is_back(upstream, answer):
    time = Time()
    breaker = Breaker(NAME, store=MemoryStore(clock=time.clock, wall_clock=time.wall_clock))
    upstream.status = 500
    outcomes(upstream.url, 5, breaker)
    time.advance(61)
    upstream.status, upstream.answer = ANSWERS[answer]
    outcomes(upstream.url, 1, breaker)
    assert breaker.status().state is State.CLOSED


# A server over stdio that dies of every call, and says when it has begun.
_MORTAL = """
import sys
for line in sys.stdin:
    sys.exit(3)
"""


class StdioGate:
    """A gate in front of a program that dies of every call, and is started again."""

    def __init__(self, options):
        command = [sys.executable, *PROGRAMS[True], "gate", "--restart", "--quiet", *options, "--"]
        environment = {"PYTHONPATH": ":".join(sys.path)}
        self._process = subprocess.Popen(
            [*command, sys.executable, "-S", "-c", _MORTAL],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def call(self):
        self._process.stdin.write(json.dumps(request_of("look_up")) + "\n")
        self._process.stdin.flush()
        return code_in(json.loads(self._process.stdout.readline()))

    def end(self):
        self._process.communicate(timeout=LONGEST_S)


def test_two_gates_over_stdio_with_one_name_share_a_breaker(redis_server):
    options = ["--name", "mortal", "--breaker", "--redis", redis_server.url]
    with ExitStack() as stack:
        gates = one, other = StdioGate(options), StdioGate(options)
        for gate in gates:
            stack.callback(gate.end)
        assert [gate.call() for gate in (one, other, one, other, one)] == ["NETWORK_ERROR"] * 5
        for gate in gates:
            until(lambda gate=gate: refuses(gate), what="the breaker is open")
