"""Is a server that dies told from a network that fails, and does it say itself what was wrong?"""

import os
import signal
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from support.paused_time import LONGEST_S

from errata import Code, Retry
from errata.client import Caller, CallFailed, Stop, _watched_transport, decide
from errata.client._call_failed import ClientRequest
from errata.client._client_side import explain_no_connection
from errata.client._failure_context import FailureContext
from errata.client._launch_command import find_secrets, name_program
from errata.client._watched_transport import ProgramState

pytestmark = pytest.mark.anyio

SECRET = "Harbor42-x9Q7"  # noqa: S105 - it is nobody's.
STARTS = "import json, os, sys\nwith open(os.environ['LOG'], 'a') as log: log.write('started\\n')\n"
PANIC = (
    "thread 'main' panicked at src/main.rs:2:5:\\nconfiguration file is missing\\nnote: run with `RUST_BACKTRACE=1`\\n"
)
HELP = "usage: server [-h] [--port PORT]\\n\\noptions:\\n  -h, --help  show this help message and exit\\n"
MUCH = 8_000_000
MISSING = '"error": {"code": -32601, "message": "Method not found"}'
REFUSES = f'print(json.dumps({{"jsonrpc": "2.0", "id": json.loads(input())["id"], {MISSING}}}), flush=True)'
DEATHS = {
    "panic": (
        f'sys.stderr.write("{PANIC}"); sys.exit(101)',
        "ended with exit status 101 before it answered the handshake",
        "panicked at src/main.rs:2:5: configuration file is missing›",
    ),
    "import": (
        "import no_such_module",
        "ended with exit status 1 ",
        "‹ModuleNotFoundError: No module named 'no_such_module'›",
    ),
    "help": (
        f'sys.stdout.write("{HELP}")',
        "ended with exit status 0 ",
        "on its standard output, which is no MCP: ‹usage: server [-h] [--port PORT]",
    ),
    "banner": (
        'print(\'{"level": "info", "msg": "Listening on port 8080"}\')',
        "ended with exit status 0 ",
        "Listening on port 8080",
    ),
    "no line end": ("sys.stdout.write('No licence')", "ended with exit status 0 ", "which is no MCP: ‹No licence›"),
    "bytes": ("sys.stdout.buffer.write(b'caf\\xe9 au lait\\n')", "ended with exit status 0 ", "au lait"),
    "silence": ("", "ended with exit status 0 ", "It wrote nothing on its standard error."),
    "signal": (
        "sys.stderr.write('Loading the model\\n'); sys.stderr.flush(); os.kill(os.getpid(), 9)",
        "was ended by SIGKILL ",
        "‹Loading the model›",
    ),
    "shell": ("sys.exit(137)", "ended with exit status 137 (128 + SIGKILL) ", "It wrote nothing"),
    "flood": (
        f"sys.stderr.write('all is fine\\n' * {MUCH // 12} + 'it is not\\n'); sys.exit(2)",
        "ended with exit status 2 ",
        "it is not›",
    ),
    "one line": (f"sys.stderr.write('x' * {MUCH}); sys.exit(2)", "ended with exit status 2 ", "‹xxxxxxxxxx"),
    "older handshake": (
        f"{REFUSES}; input(); sys.exit('No database')",
        "ended with exit status 1 before it answered the handshake. ",
        "‹No database›",
    ),
    "reading": ("input(); sys.exit(3)", "ended with exit status 3 ", "It wrote nothing"),
}

ANSWERS = """
CACHE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
TOOLS = [{"name": "look", "inputSchema": {"type": "object"}}]
def answer(message, result):
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result | CACHE}), flush=True)
def serve(call):
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "server/discover":
                answer(message, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
                call("handshake")
            case "tools/list":
                answer(message, {"tools": TOOLS})
            case _:
                call(message["params"]["name"])
                answer(message, {"content": [{"type": "text", "text": "fine"}]})
"""
DIES_AFTER_THE_HANDSHAKE = """
def die(_):
    sys.stderr.write("FATAL: the index is corrupt\\n")
    sys.exit(4)
serve(die)
"""
DIES_WHEN_TOLD = """
def die(tool):
    if tool == "die":
        sys.stderr.write("out of memory at 0x17, password=Harbor42-x9Q7\\n")
        sys.stderr.flush()
        os._exit(3)
serve(die)
"""
DIES_IDLE = """
def die(tool):
    if tool == "look" and not os.path.exists(os.environ["LOG"] + ".died"):
        open(os.environ["LOG"] + ".died", "w").close()
        answer({"id": 2}, {"content": [{"type": "text", "text": "fine"}]})
        os._exit(5)
serve(die)
"""


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


@pytest.fixture
def program(tmp_path):
    """Say how to start a server that is a script with some code in it."""

    def written(code, *arguments, **environment):
        script = tmp_path / "dist" / "server.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text(STARTS + code, encoding="utf-8")
        environment |= {"LOG": str(tmp_path / "log")}
        return StdioServerParameters(command=sys.executable, args=[str(script), *arguments], env=environment)

    return written


def starts(program):
    return Path(program.env["LOG"]).read_text(encoding="utf-8").count("started")


async def failure(server, **options):
    with pytest.raises(CallFailed) as caught:
        async with Caller.connect(server, **options):
            raise AssertionError
    return caught.value


async def until_it_is_dead(caller):
    """Wait until this side has noticed that the program has ended."""
    with anyio.fail_after(LONGEST_S):
        while not caller._connection.program().has_ended:  # noqa: ASYNC110 - nobody tells it.
            await anyio.sleep(0.001)


@pytest.mark.parametrize("death", DEATHS)
async def test_a_server_that_dies_at_start_says_how_and_why_and_is_started_once(program, at_once, death):
    code, end, words = DEATHS[death]
    server = program(code)
    failed = await failure(server, retry=at_once)
    assert (failed.code, failed.fault.retry, failed.is_local) == (Code.INITIALIZATION_FAILED, Retry.NEVER, True)
    assert str(failed).startswith(f"`dist/server.py` did not start: it {end}")
    assert words in str(failed)
    assert "Run its command in a terminal" in str(failed)
    assert (failed.attempts, starts(server)) == (1, 1)
    assert len(str(failed)) < 1_500
    assert isinstance(decide(failed), Stop)


async def test_a_program_that_ends_before_anything_was_sent_to_it_is_heard():
    for _ in range(30):
        failed = await failure(StdioServerParameters(command="echo", args=["Listening on port 8080"]))
        assert failed.server == "echo"
        assert "which is no MCP: ‹Listening on port 8080›" in str(failed)


async def test_a_program_finds_in_the_data_how_it_ended_and_what_it_wrote(program):
    failed = await failure(program("sys.stderr.write('first\\nsecond\\n'); print('hello'); sys.exit(7)"))
    assert failed.fault.data == {"exitStatus": 7, "stderr": "first\nsecond", "stdout": "hello"}
    killed = await failure(program("os.kill(os.getpid(), 15)"))
    assert killed.fault.data == {"signal": "SIGTERM"}


async def test_a_server_that_dies_after_the_handshake_is_not_started_for_the_first_call_again(program, at_once):
    server = program(ANSWERS + DIES_AFTER_THE_HANDSHAKE)
    async with Caller.connect(server, retry=at_once) as caller:
        await until_it_is_dead(caller)
        with pytest.raises(CallFailed) as caught:
            await caller.call("look")
    failed = caught.value
    assert (failed.code, failed.fault.retry) == (Code.INITIALIZATION_FAILED, Retry.NEVER)
    assert "ended with exit status 4 after the handshake, before the first call, so `look` was not sent." in str(failed)
    assert "‹FATAL: the index is corrupt›" in str(failed)
    assert starts(server) == 1


async def test_a_server_that_died_while_nothing_was_asked_of_it_is_started_again(program):
    server = program(ANSWERS + DIES_IDLE)
    async with Caller.connect(server, retry=None) as caller:
        assert (await caller.call("look")).content[0].text == "fine"
        await until_it_is_dead(caller)
        assert (await caller.call("look")).content[0].text == "fine"
    assert starts(server) == 2


async def test_a_server_that_dies_in_a_call_may_have_done_it_and_says_how_it_died(program):
    server = program(ANSWERS + DIES_WHEN_TOLD)
    async with Caller.connect(server, retry=None) as caller:
        await caller.call("look")
        with pytest.raises(CallFailed) as caught:
            await caller.call("die")
    failed = caught.value
    assert (failed.code, failed.fault.retry, failed.is_local) == (Code.NETWORK_ERROR, Retry.IF_HARMLESS, True)
    assert "was lost before `die` was answered, because it ended with exit status 3. Whether it took effect" in str(
        failed
    )
    assert "‹out of memory at 0x17, password=[redacted: password]›" in str(failed)
    assert failed.fault.data["exitStatus"] == 3


async def test_calls_that_die_together_all_know_why(program):
    server = program(ANSWERS + DIES_WHEN_TOLD)
    seen = []

    async def die(caller):
        with pytest.raises(CallFailed) as caught:
            await caller.call("die", key="1")
        seen.append(caught.value.fault.data["exitStatus"])

    async with Caller.connect(server, retry=None) as caller, anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(die, caller)
    assert seen == [3] * 5


async def test_a_server_that_cannot_be_started_again_for_a_call_says_that_the_call_was_not_sent(program):
    code = "if os.path.exists(os.environ['LOG'] + '.once'): sys.exit('No licence left')\n"
    code += "open(os.environ['LOG'] + '.once', 'w').close()\n"
    server = program(code + ANSWERS + DIES_WHEN_TOLD)
    async with Caller.connect(server, retry=None) as caller:
        with pytest.raises(CallFailed):
            await caller.call("die", key="1")
        with pytest.raises(CallFailed, match=r"so `look` was not sent.*No licence left") as caught:
            await caller.call("look")
    assert (caught.value.code, starts(server)) == (Code.INITIALIZATION_FAILED, 2)


async def test_a_call_that_was_sent_once_and_then_never_again_is_not_told_as_not_sent(program, at_once):
    code = "if os.path.exists(os.environ['LOG'] + '.once'): sys.exit('No licence left')\n"
    code += "open(os.environ['LOG'] + '.once', 'w').close()\n"
    server = program(code + ANSWERS + DIES_WHEN_TOLD)
    async with Caller.connect(server, retry=at_once) as caller:
        with pytest.raises(
            CallFailed, match="`die` was not sent again; whether it took effect before is not known"
        ) as caught:
            await caller.call("die", key="1")
    assert not caught.value.is_unsent


async def test_a_server_that_closes_its_output_and_goes_on_did_not_start(program, monkeypatch):
    monkeypatch.setattr(_watched_transport, "_LONGEST_END_S", 0.01)
    failed = await failure(program("os.close(1); sys.stdin.read()"), retry=None)
    assert failed.code is Code.INITIALIZATION_FAILED
    assert "it closed its standard output before it answered the handshake." in str(failed)
    assert "exit" not in str(failed).partition("Run its")[0]


async def test_what_a_server_says_itself_counts_for_more_than_its_end(program):
    code = """
for line in sys.stdin:
    error = {"code": -32603, "message": "Unauthorized: the key has expired"}
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "error": error}), flush=True)
    if "initialize" in line:
        sys.exit(1)
"""
    failed = await failure(program(code), retry=None)
    assert (failed.code, failed.is_local) == (Code.UNAUTHORIZED, False)


def test_a_server_that_takes_too_long_to_start_is_quoted():
    state = ProgramState(has_ended=False, status=None, was_open=False, errors="Pulling image 1/7\n", printed="")
    fault = explain_no_connection(FailureContext(ClientRequest("connection", "mcp/image"), "mcp/image", 5, state))
    assert (fault.code, fault.retry) == (Code.TIMEOUT, Retry.SAME_CALL)
    assert "within 5 s. The last that it wrote on its standard error: ‹Pulling image 1/7›. Check" in fault.message


def test_one_that_has_ended_with_its_output_left_open_did_not_start():
    state = ProgramState(has_ended=True, status=1, was_open=False, errors="", printed="")
    fault = explain_no_connection(FailureContext(ClientRequest("connection", "mcp/image"), "mcp/image", 5, state))
    assert (fault.code, fault.retry) == (Code.INITIALIZATION_FAILED, Retry.NEVER)


async def test_a_transport_that_somebody_else_has_made_tells_the_status_and_leaves_the_output_where_it_goes(
    program, tmp_path
):
    server = program("sys.stderr.write('No licence\\n'); sys.exit(9)")
    with (tmp_path / "errors").open("w+", encoding="utf-8") as errors:
        failed = await failure(stdio_client(server, errlog=errors))
        errors.seek(0)
        assert errors.read() == "No licence\n"
    assert failed.code is Code.INITIALIZATION_FAILED
    assert "The server did not start: it ended with exit status 9" in str(failed)
    assert "standard error" not in str(failed)
    assert starts(server) == 1


async def test_no_secret_that_a_server_was_given_is_in_what_is_told_of_its_end(program):
    code = """
sys.stderr.write("cannot log in as " + " or ".join([os.environ["API_TOKEN"], *sys.argv[1:]]) + "\\n")
sys.stderr.write("\\x1b[31mred\\x1b[0m\\x07 \\u202e and then\\n")
sys.exit(1)
"""
    given = [f"--password={SECRET}", "--api-key", "9f3c77aQe-11", "postgres://ann:Qx77-yacht@db/orders"]
    failed = await failure(program(code, *given, API_TOKEN="zK4-mQ81-token"))  # noqa: S106 - it is nobody's.
    told = f"{failed} {failed!r} {failed.fault!r} {failed.fault.data} {failed.server}"
    assert "cannot log in as" in told
    for secret in (SECRET, "9f3c77aQe-11", "Qx77-yacht", "zK4-mQ81-token"):
        assert secret not in told
    assert told.isprintable()


@pytest.mark.parametrize("stream", ["a file", "no file", "none", "a closed one"])
async def test_what_a_server_writes_reaches_whoever_watches_this_program(
    program, monkeypatch, tmp_path, capsys, stream
):
    path = tmp_path / "errors"
    with path.open("w+", encoding="utf-8") as file:
        if stream == "a closed one":
            file.close()
        if stream != "no file":
            monkeypatch.setattr(sys, "stderr", None if stream == "none" else file)
        failed = await failure(program("sys.stderr.write('Schlüssel fehlt\\n' * 10_000); sys.exit(1)", PYTHONUTF8="1"))
    assert "Schlüssel fehlt" in str(failed)
    written = {"a file": path.read_text(encoding="utf-8"), "no file": capsys.readouterr().err}.get(stream)
    assert written in {None, "Schlüssel fehlt\n" * 10_000}


async def test_whoever_watches_may_be_slow_and_no_byte_is_lost(program, monkeypatch):
    source, sink = os.pipe()
    os.set_blocking(sink, False)
    read = bytearray()

    def watch():
        while chunk := os.read(source, 1_000):
            read.extend(chunk)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    with os.fdopen(sink, "w") as watched:
        monkeypatch.setattr(sys, "stderr", watched)
        await failure(program(f"sys.stderr.buffer.write(bytes(range(256)) * {MUCH // 2560}); sys.exit(1)"))
    thread.join(LONGEST_S)
    os.close(source)
    assert read == bytes(range(256)) * (MUCH // 2560)


async def test_nobody_may_watch_any_more(program, monkeypatch):
    source, sink = os.pipe()
    os.close(source)
    with os.fdopen(sink, "w") as broken:
        monkeypatch.setattr(sys, "stderr", broken)
        failed = await failure(program("sys.exit('No licence')"))
    assert "‹No licence›" in str(failed)


@pytest.mark.parametrize(
    ("code", "words"),
    [("sys.exit('No licence')", "‹No licence›"), (f'sys.stdout.write("{HELP}")', "‹usage: server [-h]")],
)
async def test_an_sdk_that_hides_the_process_elsewhere_leaves_all_but_the_status(program, monkeypatch, code, words):
    @asynccontextmanager
    async def another_version(server, errlog):
        async with stdio_client(server, errlog=errlog) as streams:
            yield streams

    monkeypatch.setattr(_watched_transport, "stdio_client", another_version)
    failed = await failure(program("input()\n" + code), retry=None)
    assert failed.code is Code.INITIALIZATION_FAILED
    assert "it closed its standard output before it answered the handshake." in str(failed)
    assert words in str(failed)


async def test_nothing_stays_behind(program):
    server = program(ANSWERS + "serve(lambda _: None)")
    before = threading.enumerate()
    async with Caller.connect(server) as caller:
        await caller.call("look")
    await failure(program("sys.exit(1)"))
    await failure(StdioServerParameters(command="no-such-command"))
    files = open_files()
    for _ in range(5):
        async with Caller.connect(program(ANSWERS + "serve(lambda _: None)")) as caller:
            await caller.call("look")
        await failure(program("sys.exit(1)"))
        await failure(StdioServerParameters(command="no-such-command"))
    assert open_files() == files
    assert not [thread for thread in threading.enumerate() if thread.name == "errata-stderr" and thread not in before]


def open_files():
    folder = Path("/proc/self/fd")
    return len([*folder.iterdir()]) if folder.exists() else 0


async def test_a_program_that_a_server_leaves_behind_keeps_nobody_waiting(program, tmp_path):
    code = """
import subprocess
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
with open(os.environ["LOG"] + ".pid", "w") as file: file.write(str(left.pid))
left.returncode = 0
sys.exit("No licence")
"""
    with anyio.fail_after(LONGEST_S):
        failed = await failure(program(code), retry=None)
    left = int((tmp_path / "log.pid").read_text(encoding="utf-8"))
    os.kill(left, signal.SIGKILL)  # It was still there.
    assert "‹No licence›" in str(failed)
    assert not [thread for thread in threading.enumerate() if thread.name == "errata-stderr"]


NAMES = {
    "node dist/server.js": "dist/server.js",
    "node --inspect --env-file .env ./dist/server.js --port 3": "dist/server.js",
    "node": None,
    "node -e 1": None,
    "npx -y @scope/pkg": "@scope/pkg",
    "npx -y @scope/pkg@1.2.3 --token abc": "@scope/pkg@1.2.3",
    "npx --api-key Harbor42-x9Q7 @scope/pkg": "@scope/pkg",
    "npm exec -- @scope/pkg": "@scope/pkg",
    "C:\\nodejs\\npx.cmd -y pkg": "pkg",
    "cmd /c npx -y pkg": "pkg",
    "uvx pkg": "pkg",
    "uvx --from git+https://ann:Harbor42@github.com/a/b pkg": "pkg",
    "uvx git+https://ann:Harbor42@github.com/a/b@v1": "github.com/a/b@v1",
    "uv run --with x y": "y",
    "uv --directory /srv/orders run server.py": "server.py",
    "uv run python -m orders": "orders",
    "uv run fastmcp run server.py": "server.py",
    "uv tool run pkg": "pkg",
    "python -m mod": "mod",
    "python3.12 -um mod.server": "mod.server",
    "/usr/bin/python -mmod": "mod",
    "python x.py": "x.py",
    "python -W ignore /srv/orders/x.py": "orders/x.py",
    "python -c pass": None,
    "C:\\Python\\python.exe -m mod": "mod",
    "poetry run python -m mod": "mod",
    "conda run -n prod python x.py": "x.py",
    "docker run -i --rm -e TOKEN=abc -v /a:/b ghcr.io/o/image:1 stdio": "ghcr.io/o/image:1",
    "docker run -it --network=host -p8080:80 mcp/image": "mcp/image",
    "docker compose -f x.yml run --rm orders": "orders",
    "deno run -A --allow-net=x file.ts": "file.ts",
    "deno run jsr:@scope/pkg": "jsr:@scope/pkg",
    "bun run index.ts": "index.ts",
    "java -jar target/app.jar": "target/app.jar",
    "dotnet run --project src/Server": "src/Server",
    "go run ./cmd/server": "cmd/server",
    "go run .": None,
    "bash -c 'source ~/.nvm/nvm.sh && TOKEN=abc exec npx -y pkg'": "pkg",
    "sh -c 'node \"unfinished'": None,
    "sh start.sh": "start.sh",
    "env A=B node x.js": "x.js",
    "op run --env-file=.env -- node x.js": "x.js",
    "/opt/bin/my-server --stdio": "my-server",
    "./bin/server": "bin/server",
    "env env env env env env env env node x.js": None,
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": None,
}


@pytest.mark.parametrize("line", NAMES)
def test_a_server_is_named_by_what_is_started(line):
    head, quote, rest = line.partition("'")
    command, *arguments = [*head.split(), *([rest.rstrip("'")] if quote else [])]
    assert name_program(command, arguments) == NAMES[line]


def test_whatever_is_started_has_a_name_that_can_be_shown():
    assert name_program("node", ["x\n\x1b[31m" + "y" * 1000]) == "x " + "y" * 98
    for odd in ("", " ", "--", "-", "=", "/", "://", "http://["):
        name_program(odd, [odd])
        name_program("node", [odd, odd])
        name_program("sh", ["-c", odd])


def test_the_secrets_of_a_command_line_are_known():
    given = ["--token=Harbor42-x9Q7", "-e", "API_KEY=Yacht77-pQ12", "https://ann:Qx77-yacht@host/", "--port", "8080"]
    environment = {"DB_PASSWORD": "Jetty55-mN34", "PATH": "/bin"}
    assert [*find_secrets(given, environment)] == ["Harbor42-x9Q7", "Yacht77-pQ12", "Qx77-yacht", "Jetty55-mN34"]
