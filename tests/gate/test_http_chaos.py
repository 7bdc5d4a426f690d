"""Servers that die and hang, clients that leave, answers of any size: what stays of them in the gate is nothing."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from support.gated_http import (
    BOOM,
    DONE,
    LONGEST_S,
    NEW,
    OLD,
    GatedPair,
    answer_to,
    call,
    event,
    events_in,
    fault_in,
    gated,
    head,
    message_of,
    request,
    respond,
    serving,
    text_in,
)
from support.instant_waits import Patience

from errata.gate import asgi
from errata.resilience import Breaker, retry

MEGABYTE = 1 << 20
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="the descriptors of a process are not shown here"
)


@contextmanager
def gate_process(*options):
    """Give a pair with a gate between that is a process of its own."""
    pair = GatedPair()
    command = [sys.executable, "-m", "errata", "gate", "--quiet", "--listen", "127.0.0.1:0", "--to", pair.upstream]
    process = subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        pair.url = process.stderr.readline().removeprefix("errata gate: ").strip()
        pair.process = process
        yield pair
    finally:
        pair.close()
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def process():
    with gate_process() as pair:
        yield pair


@contextmanager
def leaving(url, message, **headers):
    """Send a message, and hang up at the end of the block without having read an answer."""
    host, port = url.removeprefix("http://").removesuffix("/mcp").split(":")
    body = json.dumps(message).encode()
    named = head({name.replace("_", "-"): value for name, value in headers.items()})
    lines = [f"{name}: {value}" for name, value in named.items()]
    with socket.create_connection((host, int(port)), timeout=LONGEST_S) as connection:
        first = ["POST /mcp HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *lines, "", ""]
        connection.sendall("\r\n".join(first).encode() + body)
        yield connection


def descriptors_of(process):
    return {entry.name for entry in Path(f"/proc/{process.pid}/fd").iterdir()}


def peak_mb(process):
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def until(condition):
    """Wait for something that has to come."""
    deadline = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("era", [OLD, NEW])
@pytest.mark.parametrize("begins", [True, False])
def test_a_client_that_leaves_ends_the_request_to_the_server_and_is_no_failure_of_the_server(era, begins):
    with gated(breaker=Breaker(f"leaving-{era}-{begins}", failures=1)) as pair:
        with leaving(pair.url, call("pay"), mcp_protocol_version=era) as connection:
            arrival = pair.arrival()
            if begins:
                arrival.begin()
                arrival.part(event(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'))
                connection.recv(1)
        assert arrival.is_closed_within(LONGEST_S)
        arrival.is_answered.set()
        response = pair.post(call("pay"))
        respond(pair.arrival())
        assert response.result(LONGEST_S).json()["result"] == DONE
        assert pair.app._app.record.failures == {}


def test_a_client_that_leaves_between_two_attempts_is_called_for_no_more():
    slept = threading.Event()

    async def sleep(_):
        slept.set()
        await anyio.sleep_forever()

    with gated(retry=retry(sleep=sleep)) as pair:
        with leaving(pair.url, call("pay")):
            pair.arrival().respond("503 Service Unavailable")
            assert slept.wait(LONGEST_S)
        marker = pair.post(request("ping", 2))
        arrival = pair.arrival()
        assert message_of(arrival)["method"] == "ping"
        respond(arrival)
        marker.result(LONGEST_S)


def test_a_client_that_leaves_a_repetition_ends_it_at_the_server():
    policy = retry(**Patience().options(sleep=Patience().sleep_async))
    with gated(retry=policy) as pair:
        with leaving(pair.url, call("pay")):
            pair.arrival().respond("503 Service Unavailable")
            alive = pair.arrival()
        assert alive.is_closed_within(LONGEST_S)
        alive.is_answered.set()
        marker = pair.post(request("ping", 2))
        arrival = pair.arrival()
        assert message_of(arrival)["method"] == "ping"
        respond(arrival)
        marker.result(LONGEST_S)


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/html"])
def test_a_server_that_dies_in_the_middle_of_an_answer_is_answered_for(process, kind):
    def die(arrival):
        arrival.begin(content_type=kind)
        arrival.part(b'data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text"')
        arrival.break_off()

    response = process.post(call("pay"))
    die(process.arrival())
    response = response.result(LONGEST_S)
    message = events_in(response)[0] if kind == "text/event-stream" else response.json()
    assert fault_in(message)["retry"] == "verify_first"


def test_what_is_no_call_and_breaks_off_breaks_off(process):
    response = process.post(request("resources/read", 1, uri="x://y"))
    arrival = process.arrival()
    arrival.begin(content_type="application/json")
    arrival.part(b'{"jsonrpc":"2.0",')
    arrival.break_off()
    with pytest.raises(httpx2.RemoteProtocolError):
        response.result(LONGEST_S)


@needs_proc
def test_nothing_stays_of_clients_that_left_and_of_servers_that_died(process):
    first = process.post(call())
    respond(process.arrival())
    first.result(LONGEST_S)
    before = len(descriptors_of(process.process))
    for number in range(30):
        with leaving(process.url, call("pay", number)) as connection:
            arrival = process.arrival()
            if number % 3 == 0:
                arrival.begin()
                arrival.part(b": and\n\n")
                connection.recv(1)
            elif number % 3 == 1:
                arrival.break_off()
                connection.recv(1)
        arrival.is_answered.set()
    until(lambda: len(descriptors_of(process.process)) <= before + 2)


@needs_proc
@pytest.mark.parametrize(
    ("method", "kind"), [("resources/read", "application/json"), ("tools/call", "text/event-stream")]
)
def test_a_large_response_that_need_not_be_seen_whole_fills_no_memory(process, method, kind):
    part = b'data: {"jsonrpc":"2.0","method":"x","params":{"x":"' + b"x" * MEGABYTE + b'"}}\n\n'
    before = peak_mb(process.process)
    response = process.post(request(method, 1, name="t", uri="x://y"))
    arrival = process.arrival()
    arrival.begin(content_type=kind)
    for _ in range(50):
        arrival.part(part)
    arrival.part(event(answer_to(arrival)))
    arrival.end()
    assert response.result(LONGEST_S).content == part * 50 + event(answer_to(arrival))
    assert peak_mb(process.process) - before < 40


def test_a_large_answer_to_a_call_is_repaired(process):
    text = "x" * (10 * MEGABYTE)
    response = process.post(call("pay"))
    respond(process.arrival(), {"content": [{"type": "text", "text": text}], "isError": True})
    message = response.result(LONGEST_S).json()
    assert message["result"]["isError"] is True
    assert text_in(message).startswith("Error [")


def test_an_answer_that_is_too_large_to_be_looked_at_passes_as_it_is(monkeypatch):
    monkeypatch.setattr("errata.gate._response_reader.LARGEST_BODY", 10_000)
    failure = {"content": [{"type": "text", "text": "x" * 100_000}], "isError": True}
    with gated() as pair:
        body = pair.post(call())
        respond(pair.arrival(), failure)
        assert body.result(LONGEST_S).json()["result"] == failure
        stream = pair.post(call())
        arrival = pair.arrival()
        arrival.begin()
        frame = event(answer_to(arrival, failure))
        for start in range(0, len(frame), 5_000):
            arrival.part(frame[start : start + 5_000])
        arrival.end()
        assert stream.result(LONGEST_S).content == frame


def test_a_message_that_is_too_large_is_refused_before_it_reaches_the_server(monkeypatch):
    monkeypatch.setattr("errata.gate._asgi.LARGEST_BODY", 10_000)
    with gated() as pair:
        response = pair.post(call("pay", text="x" * 20_000)).result(LONGEST_S)
        assert response.status_code == 413
        assert pair.arrived.take(timeout_s=0) is None


def test_one_gate_serves_one_event_loop_after_the_other():
    with gated() as pair:
        app = asgi(pair.upstream)
        for _ in range(2):
            with serving(app) as address:
                pair.url = f"{address}/mcp"
                response = pair.post(call())
                respond(pair.arrival(), BOOM)
                assert text_in(response.result(LONGEST_S).json()).startswith("Error [")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a signal is POSIX")
def test_a_gate_that_is_told_to_end_does_though_a_stream_is_open():
    with gate_process() as pair:
        stream = pair.send("GET", accept="text/event-stream", mcp_protocol_version=OLD)
        pair.arrival().begin()
        pair.process.send_signal(signal.SIGTERM)
        assert pair.process.wait(LONGEST_S) == 0
        assert stream.exception(LONGEST_S) or stream.result().content == b""
        assert "Traceback" not in pair.process.stderr.read()


def test_an_application_that_fails_is_logged_as_without_a_gate_and_its_words_reach_nobody_else(caplog):
    async def failing(scope, *_):
        if scope["type"] == "http":
            raise RuntimeError("cannot open /srv/private/ledger.sqlite")

    with serving(asgi(failing, name="till")) as url, httpx2.Client(timeout=LONGEST_S) as client:
        text = client.post(f"{url}/mcp", json=call("pay"), headers=head({})).text
        assert "ledger" not in text
        assert "Retry: not before checking" in text
    (record,) = [record for record in caplog.records if record.name == "errata"]
    assert "ledger.sqlite" in record.getMessage()


def test_a_client_does_not_wait_for_what_an_application_does_after_its_answer():
    is_read = threading.Event()

    async def slow(scope, _, send):
        if scope["type"] != "http":
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "result": DONE}).encode()
        await send({"type": "http.response.body", "body": event(message), "more_body": False})
        await anyio.to_thread.run_sync(is_read.wait, LONGEST_S)

    with serving(asgi(slow)) as url, httpx2.Client(timeout=LONGEST_S) as client:
        (done,) = events_in(client.post(f"{url}/mcp", json=call("get_price"), headers=head({})))
        assert not is_read.is_set()
        is_read.set()
    assert done["result"] == DONE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a signal is POSIX")
@pytest.mark.parametrize("begins", [False, True])
def test_a_gate_that_is_ended_answers_the_call_that_is_under_way(begins):
    with gate_process() as pair:
        response = pair.post(call("pay"))
        arrival = pair.arrival()
        if begins:
            arrival.begin()
            arrival.part(event(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'))
        pair.process.send_signal(signal.SIGTERM)
        response = response.result(LONGEST_S)
        assert pair.process.wait(LONGEST_S) == 0
    message = events_in(response)[-1] if begins else response.json()
    assert fault_in(message)["retry"] == "verify_first"


def test_a_call_that_waits_for_its_repetition_is_answered_when_its_task_is_cancelled():
    async def refuse(_, __, send):
        await send({"type": "http.response.start", "status": 429, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def gate(scope):
        return asgi(refuse, retry=retry(sleep=lambda _: end(scope)))

    assert "429" in text_in(json.loads(cancelled(gate)))


def test_a_call_is_answered_when_its_task_is_cancelled_by_another_server_than_uvicorn():
    def gate(scope):
        return asgi(lambda *_: end(scope))

    assert fault_in(json.loads(cancelled(gate)))["retry"] == "verify_first"


async def end(scope):
    scope.cancel()
    await anyio.sleep_forever()


def cancelled(gate):
    """Call a tool in a scope that is cancelled meanwhile; return the body of the response."""
    requests = [{"type": "http.request", "body": json.dumps(call("pay")).encode()}]
    parts = []

    async def receive():
        return requests.pop() if requests else await anyio.sleep_forever()

    async def send(message):
        await anyio.lowlevel.checkpoint()
        parts.append(message.get("body", b""))

    async def ask():
        request = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": []}
        with anyio.CancelScope() as scope:
            await gate(scope)({**request, "client": ("127.0.0.1", 1)}, receive, send)
        assert scope.cancelled_caught

    anyio.run(ask)
    return b"".join(parts)
