"""Does an example server start, refuse to start, and stop, as a person at a terminal expects?"""

import importlib
import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx2
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from running import run
from support.example_servers import EXAMPLES, NAMES, connected, listening, payload
from support.ports import free_port

from errata.testing import call_tool

SERVER = EXAMPLES / "napkin_visuals.py"
AT_ONCE_S = 10  # Never, if it waits for its clients; and enough for a machine that is busy.
HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "terminal", "version": "1"},
    },
}


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@pytest.fixture
def port():
    return free_port()


@contextmanager
def started(*options):
    """Start the server at a terminal, where stdin stays open."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, SERVER, *options], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as server:
        try:
            yield server
        finally:
            server.kill()


def interrupted(server):
    """Press Ctrl-C; give the exit code and what was written to the terminal."""
    server.send_signal(signal.SIGINT)
    code = server.wait(AT_ONCE_S)
    return code, server.stderr.read()


def refused(monkeypatch, capsys, *options):
    """Start a server with options it cannot start with; give the exit code and what the terminal shows."""
    monkeypatch.setattr(sys, "argv", ["napkin_visuals.py", *options])
    with pytest.raises(SystemExit) as ended:
        run(MCPServer("napkin"), lambda: None)
    shown = capsys.readouterr().err
    return (1, str(ended.value.code)) if isinstance(ended.value.code, str) else (ended.value.code, shown)


def test_a_port_in_use_ends_it_with_one_line(monkeypatch, capsys, taken_port):
    code, shown = refused(monkeypatch, capsys, "--http", str(taken_port))

    assert code == 1
    assert re.fullmatch(
        rf"Nothing can listen at 127\.0\.0\.1:{taken_port}: [^.\n]+\. Choose another port with `--http PORT`\.", shown
    )


@pytest.mark.parametrize("port", ["0", "99999", "-1", "eighty", "²"])
def test_what_is_no_port_ends_it_with_the_ports_there_are(monkeypatch, capsys, port):
    code, shown = refused(monkeypatch, capsys, f"--http={port}")

    assert code == 2
    assert shown.endswith(f": error: argument --http: `{port}` is no port; there are 1 to 65535\n")


def test_on_stdin_it_says_where_its_upstream_is_and_ctrl_c_ends_it_without_another_line():
    with started() as server:
        name, _, upstream = server.stderr.readline().strip().partition("=")
        server.stdin.write(json.dumps(HANDSHAKE) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        assert name == "NAPKIN_URL"
        assert httpx2.put(f"{upstream}/_answer", content="503").json() == {"answer": "503", "requests": 0}

        code, said = interrupted(server)

    assert code == -signal.SIGINT
    assert "Traceback" not in said


@pytest.mark.anyio
async def test_ctrl_c_ends_it_over_http_while_a_client_holds_on_to_its_stream(port):
    with started("--http", str(port)) as server:
        while not (line := server.stderr.readline()).startswith("Listening at "):
            assert line
        async with Client(line.split()[-1], mode="legacy") as client:
            await client.list_tools()

            code, said = interrupted(server)

    assert line == f"Listening at http://127.0.0.1:{port}/mcp\n"
    assert code == -signal.SIGINT
    assert "Traceback" not in said


@pytest.mark.parametrize("name", ["napkin_visuals", "order_recovery"], ids=["FastMCP", "MCPServer"])
def test_over_http_it_answers_under_its_own_name_and_to_no_page_of_another(name):
    answered = {}
    with listening(name) as url, httpx2.Client(timeout=60) as http:
        for host, origin in ((None, None), ("evil.example", None), (None, "https://evil.example")):
            headers = {"Accept": "application/json, text/event-stream"}
            headers |= {"Host": host} if host else {}
            headers |= {"Origin": origin} if origin else {}
            answered[host or origin] = http.post(url, json=HANDSHAKE, headers=headers).status_code

    assert answered == {None: 200, "evil.example": 421, "https://evil.example": 403}


CALLS = {
    "napkin_visuals": ("visual_status", {"visual_id": "visual-1"}, "NAPKIN"),
    "order_operations": ("get_inventory", {"sku": "MUG-1"}, "STOREFRONT"),
    "pattern_library": ("get_pattern", {"pattern_id": "deadline"}, "PATTERNS"),
    "pubmed_articles": ("pubmed_search_articles", {"term": "sepsis"}, "NCBI"),
    "order_recovery": ("list_orders", {"user_id": "ada"}, "ORDERS"),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", NAMES)
async def test_what_has_to_be_set_is_named_with_who_can_set_it(monkeypatch, name):
    tool, arguments, vendor = CALLS[name]
    monkeypatch.setenv(f"{vendor}_URL", "")

    result = await call_tool(importlib.import_module(name).server, tool, arguments)

    assert result["isError"]
    said = f"`{vendor}_URL` is not set. Tell the user to set it where this server is started."
    assert said in json.dumps(result["structuredContent"])


@pytest.mark.anyio
async def test_the_key_of_a_sandbox_goes_to_no_other_api():
    async with connected("order_operations", "stdio", STOREFRONT_URL="http://127.0.0.1:9") as client:
        answer = payload(await client.call_tool("get_inventory", {"sku": "MUG-1"}))

    assert answer["isError"]
    assert "`STOREFRONT_API_KEY` is not set." in json.dumps(answer["structuredContent"])


@pytest.mark.anyio
async def test_without_errata_one_sees_what_it_is_for():
    async with connected("napkin_visuals", "stdio", "--without-errata") as client:
        answer = payload(await client.call_tool("visual_status", {"visual_id": ["no", "text"]}))
        listed = await client.list_tools()

    assert answer["isError"]
    assert "structuredContent" not in answer
    assert "pydantic" in answer["content"][0]["text"]
    assert all("errata/errorSchema" not in (tool.meta or {}) for tool in listed.tools)
