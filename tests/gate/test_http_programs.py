"""Real clients and real servers, with the gate between them over real sockets."""

import importlib
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import httpx2
import pytest
from gate.fidelity_server import kept_port
from support.gated_http import LONGEST_S, OLD, call, events_in, head, request, serving, text_in
from support.instant_waits import NO_WAIT
from support.required_libraries import need

from errata.gate import asgi

types = pytest.importorskip("mcp_types", reason="The shop is written for mcp 2.")
fastmcp = need("fastmcp")
gated_shop = importlib.import_module("support.gated_shop")
Client = importlib.import_module("mcp").Client

MODES = ("auto", "legacy")
WAYS = ("wrapped", "mounted", "in front")
CROSSED = (("wrapped", "auto"), ("mounted", "legacy"), ("in front", "auto"), ("in front", "legacy"))
GATE = (sys.executable, "-m", "errata", "gate", "--quiet")


@contextmanager
def gated_app(application, way, **settings):
    """Serve an application of MCP behind a gate; gives the address."""
    with ExitStack() as stack:
        if way == "wrapped":
            address = stack.enter_context(serving(asgi(application, name="shop", **settings)))
        elif way == "mounted":
            address = stack.enter_context(serving(gated_shop.mounted(application, **settings)))
        else:
            upstream = stack.enter_context(serving(application))
            address = stack.enter_context(serving(asgi(f"{upstream}/mcp", name="shop", **settings)))
        yield f"{address}/mcp"


@contextmanager
def listening(*options):
    """Start a gate as a program; gives its address, as it says it itself."""
    process = subprocess.Popen(
        [*GATE, "--listen", "127.0.0.1:0", *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        line = process.stderr.readline()
        assert line.startswith("errata gate: http://127.0.0.1:"), line + process.stderr.read()
        yield line.removeprefix("errata gate: ").strip(), process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONGEST_S)


def run(function, *arguments):
    async def guarded():
        with anyio.fail_after(LONGEST_S):
            await function(*arguments)

    anyio.run(guarded)


def text_of(result):
    return result.content[0].text


async def ask_everything(url, mode):
    """Call what succeeds and what fails, with a client of the official SDK."""
    async with Client(url, mode=mode, cache=None) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"echo", "pay"} <= tools
        good, bad = await client.call_tool("echo", {"number": 1}), await client.call_tool("echo", {"number": 3})
        assert (good.is_error, text_of(good)) == (False, "1")
        assert bad.is_error
        assert text_of(bad).startswith("Error [")
        assert "There is no order 3." in text_of(bad)
        paid = await client.call_tool("pay", {})
        assert paid.is_error
        assert "hunter2" not in paid.model_dump_json()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["official", "fastmcp"])
def test_a_client_of_the_sdk_reads_repaired_failures_in_both_protocols(way, kind):
    server = getattr(gated_shop, kind)(gated_shop.Shop())
    application = server.streamable_http_app() if kind == "official" else server.http_app()
    with gated_app(application, way) as url:
        for mode in MODES:
            run(ask_everything, url, mode)


@pytest.mark.parametrize("framework", ["starlette.applications.Starlette", "fastapi.FastAPI"])
def test_a_gate_in_front_of_an_address_is_mounted_anywhere_in_an_application(framework):
    module, _, name = framework.rpartition(".")
    application = getattr(pytest.importorskip(module), name)()
    with serving(gated_shop.official(gated_shop.Shop()).streamable_http_app()) as upstream:
        application.mount("/tools/shop", asgi(f"{upstream}/mcp", name="shop"))
        with serving(application) as address:
            run(ask_everything, f"{address}/tools/shop/", "auto")
            run(ask_everything, f"{address}/tools/shop/mcp", "legacy")


def test_a_client_of_fastmcp_reads_repaired_failures():
    async def ask(url):
        async with fastmcp.Client(url) as client:
            assert (await client.call_tool("echo", {"number": 1})).data == "1"
            failed = await client.call_tool("echo", {"number": 3}, raise_on_error=False)
            assert text_of(failed).startswith("Error [")

    with gated_app(gated_shop.fastmcp(gated_shop.Shop()).http_app(), "in front") as url:
        run(ask, url)


def test_the_gate_as_a_program_stands_in_front_of_a_server(tmp_path):
    log = tmp_path / "failures"
    with (
        serving(gated_shop.official(gated_shop.Shop()).streamable_http_app()) as upstream,
        listening("--to", f"{upstream}/mcp", "--log", str(log)) as (url, process),
    ):
        for mode in MODES:
            run(ask_everything, url, mode)
    assert process.returncode in {0, -signal.SIGTERM}
    assert len(log.read_text().splitlines()) == 4
    assert "hunter2" not in log.read_text()


@pytest.mark.parametrize(("way", "mode"), CROSSED)
def test_progress_comes_as_it_is_made_and_the_failure_behind_it_is_repaired(way, mode):
    told = []

    async def ask(url):
        async def note(progress, total, message):
            told.append((progress, total, message))

        async with Client(url, mode=mode, cache=None) as client:
            result = await client.call_tool("count", {}, progress_callback=note)
        assert text_of(result).startswith("Error [")

    with gated_app(gated_shop.official(gated_shop.Shop()).streamable_http_app(), way) as url:
        run(ask, url)
    assert told == [(1, 2, "1 of 2"), (2, 2, "2 of 2")]


@pytest.mark.filterwarnings("ignore:The sampling capability is deprecated")
@pytest.mark.parametrize("way", ["wrapped", "in front"])
def test_a_server_asks_the_client_and_the_model_in_the_middle_of_a_call(way):
    async def person(_, __):
        return types.ElicitResult(action="accept", content={"size": 44})

    async def model(_, __):
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text="red one"), model="m"
        )

    async def ask(url):
        async with Client(
            url, mode="legacy", cache=None, elicitation_callback=person, sampling_callback=model
        ) as client:
            assert "There is none in size 44." in text_of(await client.call_tool("ask", {}))
            assert "There is no red one." in text_of(await client.call_tool("sample", {}))

    with gated_app(gated_shop.official(gated_shop.Shop()).streamable_http_app(), way) as url:
        run(ask, url)


def test_what_the_server_announces_comes_on_the_stream_of_the_session():
    async def ask(url):
        announced = anyio.Event()

        async def note(message):
            if getattr(message, "method", None) == "notifications/tools/list_changed":
                announced.set()

        async with Client(url, mode="legacy", cache=None, message_handler=note) as client:
            while not announced.is_set():  # The client opens the stream behind its first answers.
                await client.call_tool("restock", {})
                with anyio.move_on_after(0.2):
                    await announced.wait()

    with gated_app(gated_shop.official(gated_shop.Shop()).streamable_http_app(), "in front") as url:
        run(ask, url)


@pytest.mark.parametrize("way", ["wrapped", "in front"])
def test_a_stream_that_the_client_has_lost_is_resumed_and_the_failure_on_it_is_repaired(way):
    shop = gated_shop.Shop()
    server = gated_shop.official(shop)

    async def ask(url):
        async with httpx2.AsyncClient(timeout=LONGEST_S) as client:
            hello = request(
                "initialize", 0, protocolVersion=OLD, capabilities={}, clientInfo={"name": "x", "version": "1"}
            )
            begun = await client.post(url, json=hello, headers=head({"mcp-protocol-version": OLD}))
            session = {"mcp-protocol-version": OLD, "mcp-session-id": begun.headers["mcp-session-id"]}
            ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await client.post(url, json=ready, headers=head(session))
            async with client.stream("POST", url, json=call("nobody", 5), headers=head(session)) as response:
                lines = aiter(response.aiter_lines())
                while not (line := await anext(lines)).startswith("id:"):
                    pass
            resume = {"accept": "text/event-stream", "last-event-id": line.removeprefix("id:").strip()}
            async with client.stream("GET", url, headers=head(session | resume)) as resumed:
                async for line in resumed.aiter_lines():
                    if '"id":5' in line:
                        assert "Error [" in line
                        return

    application = server.streamable_http_app(event_store=gated_shop.Replaying())
    with gated_app(application, way) as url:
        run(ask, url)


@pytest.mark.parametrize(("way", "mode"), CROSSED)
def test_a_call_that_the_client_cancels_is_cancelled_in_the_server(way, mode):
    shop = gated_shop.Shop()

    async def ask(url):
        async with Client(url, mode=mode, cache=None) as client, anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "wait", {})
            assert await anyio.to_thread.run_sync(shop.began.wait, LONGEST_S)
            group.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(shop.ended.wait, LONGEST_S)

    with gated_app(gated_shop.official(shop).streamable_http_app(), way) as url:
        run(ask, url)


@pytest.mark.parametrize("mode", MODES)
def test_what_only_reads_is_repeated_and_a_payment_is_not(mode):
    shop = gated_shop.Shop()

    async def ask(url):
        async with Client(url, mode=mode, cache=None) as client:
            await client.list_tools()
            price = await client.call_tool("get_price", {})
            assert (price.is_error, text_of(price)) == (False, "7")
            assert price.meta["errata/attempts"] == 3
            assert (await client.call_tool("pay", {})).is_error

    with gated_app(gated_shop.official(shop).streamable_http_app(), "in front", retry=NO_WAIT) as url:
        run(ask, url)
    assert shop.calls == {"get_price": 3, "pay": 1}


def test_each_of_two_hundred_calls_at_once_gets_its_own_answer_though_all_have_the_same_id():
    async def ask(url):
        async with httpx2.AsyncClient(timeout=LONGEST_S, limits=httpx2.Limits(max_connections=200)) as client:

            async def ask_one(number):
                message = request("tools/call", 1, name="echo", arguments={"number": number})
                response = await client.post(url, json=message, headers=head({"mcp-protocol-version": OLD}))
                expected = f"There is no order {number}." if number % 3 == 0 else str(number)
                assert expected in text_in(response.json())
                assert response.json()["result"]["isError"] == (number % 3 == 0)

            async with anyio.create_task_group() as group:
                for number in range(200):
                    group.start_soon(ask_one, number)

    application = gated_shop.official(gated_shop.Shop()).streamable_http_app(stateless_http=True, json_response=True)
    with gated_app(application, "in front") as url:
        run(ask, url)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="gunicorn forks")
def test_workers_of_gunicorn_serve_the_gate_that_was_loaded_before_they_were_forked():
    need("gunicorn")
    with kept_port() as port:
        command = ["gunicorn", "--preload", "--workers=2", "--worker-class=uvicorn.workers.UvicornWorker"]
        command += [f"--bind=127.0.0.1:{port}", "--log-level=critical", "--no-control-socket", "support.gated_shop:app"]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(gated_shop.__file__).parents[1]), *sys.path]),
        }
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", *command], env=environment, stdin=subprocess.DEVNULL
        )
        try:
            workers = workers_that_answer(f"http://127.0.0.1:{port}/mcp", process)
        finally:
            process.terminate()
            process.wait(LONGEST_S)
    assert len(workers) == 2


def workers_that_answer(url, process):
    """Call until both workers have answered; return their process ids."""
    workers = set()
    deadline = time.monotonic() + LONGEST_S
    while len(workers) < 2 and time.monotonic() < deadline and process.poll() is None:
        try:
            response = httpx2.post(
                url, json=call("deliver"), headers=head({"mcp-protocol-version": OLD}), timeout=LONGEST_S
            )
        except httpx2.TransportError:
            time.sleep(0.05)
            continue
        text = text_in(response.json() if response.text.startswith("{") else events_in(response)[0])
        assert text.startswith("Error [")
        workers.add(text.partition("process ")[2].split()[0])
    return workers


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a signal is POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_gate_that_is_ended_by_a_signal_says_what_it_has_done(number):
    with kept_port() as port:
        command = [*GATE[:-1], "--listen", "127.0.0.1:0", "--to", f"http://127.0.0.1:{port}/mcp", "--name", "till"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            url = process.stderr.readline().removeprefix("errata gate: ").strip()
            httpx2.post(url, json=call(), headers=head({}), timeout=LONGEST_S)
            process.send_signal(number)
            goodbye = process.communicate(timeout=LONGEST_S)[1]
    assert process.returncode == 0
    assert goodbye.startswith("errata gate: till: 1 call, 1 failed")
