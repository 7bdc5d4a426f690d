"""`make engines`: errata inside the engines that it has plugins for, the real ones, and the table of docs/contextforge.md.

ContextForge runs from `.venv-engines`, and both servers behind it from here: one that was written by hand, whose tools
fail in the ways they are called for, also with a gate before it, and one of `examples/`, without errata. The same calls go
through the gateway without a plugin, with its own plugin for retries, with errata's, and with both; with errata's once
more as it runs in production, by two workers on a PostgreSQL and a Redis of their own, every call made twice, so that the
tools come out of the cache. Every server counts its runs.
"""

import argparse
import contextlib
import json
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

ROOT: Final = Path(__file__).resolve().parent.parent
BIN: Final = ROOT / ".venv-engines" / "bin"
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "tests")]
from support.redis_server import redis_on_a_port  # noqa: E402 - what is there are programs, no packages.
from upstreams import Upstream  # noqa: E402
from upstreams.harbors import harbors  # noqa: E402

START_S, STOP_S, CALL_S = 180, 20, 120
TIMEOUT_S: Final = 5
"""After how long the gateway gives a server up."""
ADMIN: Final = "admin@example.com"
LEAKED: Final = "hunter2-x9"
API_KEY: Final = "hb-sandbox-71c40e9ad2"
PACKAGES: Final = ("mcp-contextforge-gateway", "cpex", "cpex-retry-with-backoff", "errata-mcp")

SHARED: Final = "errata, two workers"
WAYS: Final = ("no plugin", "retry plugin", "errata", "both", SHARED)
SERVERS_OF_SHARED: Final = ("initdb", "pg_ctl", "redis-server")
PROGRAMS: Final = os.pathsep.join([os.environ["PATH"], *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin")))])
TOO_LARGE: Final = "x" * 1_000_000
OWN_RETRIES: Final = """
  - name: RetryWithBackoffPlugin
    kind: cpex_retry_with_backoff.RetryWithBackoffPlugin
    hooks: [tool_post_invoke]
    mode: sequential
    priority: 100
    config: {max_retries: 2}
"""


class Call(NamedTuple):
    """A call, and what is expected of it."""

    label: str
    tool: str
    """The name at the gateway."""
    runs: int
    """How often the tool runs with errata's plugin."""
    code: str | None = None
    """The code that errata's text begins with; None where the answer stays as it is."""
    arguments: Mapping[str, object] = {}
    hides: str | None = None
    """What only errata keeps to itself."""
    stays: bool = True
    """Whether the answer is the same with errata's plugin and without, where no code is expected."""


# fmt: off
CALLS: Final = (
    Call("card declined",                            "shop-charge-card",   1, "INSUFFICIENT_BALANCE"),
    Call("success with `status_code: 503` in it",    "shop-get-status",    1),
    Call("success, an empty list",                   "shop-list-refunds",  1),
    Call("argument misspelt",                        "shop-get-order",     1, "VALIDATION_FAILED", {"oder_id": "7"}),
    Call("503, the tool only reads",                 "shop-list-orders",   2, "SERVICE_UNAVAILABLE"),
    Call("503 once, then well; the tool only reads", "shop-get-stock",     2, stays=False),
    Call("503 for a refund",                         "shop-refund-order",  1, "SERVICE_UNAVAILABLE"),
    Call("429, retry after 1 s",                     "shop-search-orders", 2, "RATE_LIMITED"),
    Call("429, retry after 60 s",                    "shop-export-orders", 1, "RATE_LIMITED"),
    Call("a password in the text",                   "shop-get-report",    2, "NETWORK_ERROR", hides=LEAKED),
    Call("not found, with more than a text",         "shop-get-receipt",   1, "NOT_FOUND"),
    Call("JSON-RPC error",                           "shop-get-label",     1),
    Call("JSON-RPC error, a gate before the server", "gated-get-label",    1, "SERVICE_UNAVAILABLE"),
    Call("no answer in time, the tool ships",        "shop-ship-order",    1),
    Call("example server, 503 to a search",          "harbor-find-berths", 1, "SERVICE_UNAVAILABLE",
         {"harbor": "answer-503"}, hides=API_KEY),
    Call("example server, argument missing",         "harbor-find-berths", 0, "MISSING_REQUIRED_FIELD"),
    Call("example server, no answer to a booking",   "harbor-book-berth",  1, "TIMEOUT",
         {"harbor": "answer-hang", "nights": 2}),
    Call("success of a million characters",          "shop-get-history",   1, stays=False),
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of a call."""

    result: Mapping[str, Any]
    runs: int
    seconds: float

    @property
    def text(self) -> str:
        """The first text, which is what every model reads."""
        return next((block["text"] for block in self.result["content"] if block["type"] == "text"), "")


@dataclass(slots=True)
class Shop:
    """A server that uses no SDK, each of its tools failing in a way of its own."""

    runs: Counter[str] = field(default_factory=Counter[str])

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the answer to a JSON-RPC message; None for a notification."""
        match message:
            case {"id": number, "method": "initialize", "params": {"protocolVersion": version}}:
                about = {"name": "shop", "version": "1"}
                return _reply(number, protocolVersion=version, capabilities={"tools": {}}, serverInfo=about)
            case {"id": number, "method": "tools/list"}:
                return _reply(number, tools=[_entry(name) for name in SHOP_TOOLS])
            case {"id": number, "method": "tools/call", "params": {"name": "get_label"}}:
                self.runs["get_label"] += 1
                return {
                    "jsonrpc": "2.0",
                    "id": number,
                    "error": {"code": -32603, "message": "Internal error: disk full"},
                }
            case {"id": number, "method": "tools/call", "params": {"name": name}}:
                self.runs[name] += 1
                return _reply(number, **self.call(name))
            case {"id": number}:
                return _reply(number)
            case _:
                return None

    def call(self, name: str) -> dict[str, Any]:
        """Return the result of a tool."""
        if name == "get_stock" and self.runs[name] > 1:
            return _success("4 in stock")
        if name == "ship_order":
            time.sleep(TIMEOUT_S * 2)
        return SHOP_TOOLS[name]


def _reply(number: object, **result: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _success(text: str, **more: object) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def _failure(text: str, **more: object) -> dict[str, Any]:
    return {**_success(text), "isError": True, **more}


# fmt: off
SHOP_TOOLS: Final[dict[str, dict[str, Any]]] = {
    "charge_card":   _failure("card declined: insufficient funds"),
    "get_status":    _success("One host is down.", structuredContent={"host": "b2", "status_code": 503}),
    "list_refunds":  _success("[]"),
    "get_order":     _failure("Unknown argument: oder_id. Expected: order_id"),
    "list_orders":   _failure("503 Service Unavailable"),
    "get_stock":     _failure("503 Service Unavailable"),
    "refund_order":  _failure("503 Service Unavailable"),
    "search_orders": _failure("429 Too Many Requests, retry after 1 second"),
    "export_orders": _failure("429 Too Many Requests, retry after 60 seconds"),
    "get_report":    _failure(f"could not connect to postgresql://app:{LEAKED}@db:5432/shop"),
    "get_receipt":   {**_failure("not found: order 7", structuredContent={"order": 7}, _meta={"shop/trace": "5e1"}),
                      "content": [{"type": "text", "text": "not found: order 7"}, {"type": "text", "text": "Ask the till."}]},
    "get_label":     {},
    "ship_order":    _success("shipped"),
    "get_history":   _success(TOO_LARGE),
}
CHANGES: Final = frozenset({"charge_card", "refund_order", "ship_order"})
# fmt: on


def _entry(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"order_id": {"type": "string"}}}
    hints = {} if name in CHANGES else {"annotations": {"readOnlyHint": True}}
    return {"name": name, "description": name.replace("_", " "), "inputSchema": schema, **hints}


class ShopHandler(BaseHTTPRequestHandler):
    """Speaks streamable HTTP: a message in, JSON out, no sessions and no events."""

    protocol_version = "HTTP/1.1"
    shop: Shop

    def do_POST(self) -> None:
        """Answer a message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.shop.answer(message)
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(202 if answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # The gateway has given the call up.
            self.wfile.write(body)

    def do_GET(self) -> None:
        """Refuse a stream of events."""
        self.send_error(405)

    def log_message(self, *_: object) -> None:
        """Keep quiet: a line for every request helps nobody."""


@contextlib.contextmanager
def serving_shop(shop: Shop) -> Iterator[str]:
    """Serve the shop; yield its address."""
    handler = type("Handler", (ShopHandler,), {"shop": shop})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


@contextlib.contextmanager
def serving_example(upstream: Upstream) -> Iterator[str]:
    """Serve `examples/harbor_berths.py` without errata in it; yield its address."""
    port = free_port()
    command = [sys.executable, ROOT / "examples" / "harbor_berths.py", "--http", str(port), "--without-errata"]
    environment = os.environ | {"HARBORS_URL": upstream.url, "HARBORS_API_KEY": API_KEY}
    with running([str(word) for word in command], environment, port):
        yield f"http://127.0.0.1:{port}/mcp"


@contextlib.contextmanager
def running_gate(address: str) -> Iterator[str]:
    """Put `errata gate` in front of a server; yield its own address."""
    port = free_port()
    command = [sys.executable, "-m", "errata", "gate", "--listen", f"127.0.0.1:{port}", "--to", address]
    with running(command, os.environ, port):
        yield f"http://127.0.0.1:{port}/mcp"


@contextlib.contextmanager
def serving_gateway(way: str, folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Start the gateway with the plugins of a way; yield its address, and the header that admits an administrator."""
    port, workers = free_port(), ["--workers", "2"] if way == SHARED else []
    with running_storage(way, folder) as storage:
        environment = gateway_environment(way, folder) | storage
        with running(
            [str(BIN / "mcpgateway"), "--host", "127.0.0.1", "--port", str(port), *workers], environment, port
        ):
            yield f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {make_token(environment)}"}


@contextlib.contextmanager
def running_storage(way: str, folder: Path) -> Iterator[dict[str, str]]:
    """Start what the gateway keeps its data in; yield the settings that name it."""
    if way != SHARED:
        yield {"DATABASE_URL": f"sqlite:///{folder}/{way.replace(' ', '-')}.db", "CACHE_TYPE": "memory"}
        return
    with running_postgresql() as database, redis_on_a_port() as (port, server):
        yield {"DATABASE_URL": database, "CACHE_TYPE": "redis", "REDIS_URL": f"redis://127.0.0.1:{port}/0"}
        kept = server.client().keys()
        if not any(key.startswith("errata:") for key in kept) or all(key.startswith("errata:") for key in kept):
            sys.exit(f"Both the gateway and errata should have kept something in Redis: {kept}")


@contextlib.contextmanager
def running_postgresql() -> Iterator[str]:
    """Run a PostgreSQL in a directory of its own, reached by a socket in it; yield the address of its database."""
    account = pwd.getpwnam("nobody") if os.geteuid() == 0 else None  # It refuses to run as root.
    with tempfile.TemporaryDirectory(prefix="errata-postgresql-") as folder:
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)

        def run(program: str, *words: str) -> None:
            command, owner = [shutil.which(program, path=PROGRAMS) or program, *words], account and account.pw_uid
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder, user=owner, timeout=START_S)

        data = f"{folder}/data"
        run("initdb", "--pgdata", data, "--auth", "trust", "--username", "errata", "--no-sync")
        run("pg_ctl", "start", "--pgdata", data, "--log", f"{folder}/log", "-o", f"-k {folder} -c listen_addresses=")
        try:
            yield f"postgresql+psycopg://errata@/postgres?host={folder}"
        finally:
            run("pg_ctl", "stop", "--pgdata", data, "--mode", "immediate")


def gateway_environment(way: str, folder: Path) -> dict[str, str]:
    """Return the settings of a gateway on this machine only, with the plugins of a way."""
    plugins = folder / f"{way.replace(' ', '-')}.yaml"
    plugins.write_text(plugin_configuration(way), encoding="utf-8")
    return os.environ | {
        "JWT_SECRET_KEY": secrets.token_urlsafe(48),
        "AUTH_ENCRYPTION_SECRET": secrets.token_urlsafe(48),
        "PLATFORM_ADMIN_EMAIL": ADMIN,
        "PLATFORM_ADMIN_PASSWORD": f"{secrets.token_urlsafe(24)}-aA1",
        "BASIC_AUTH_PASSWORD": f"{secrets.token_urlsafe(24)}-aA1",
        "SSRF_ALLOW_LOCALHOST": "true",
        "SSRF_ALLOW_PRIVATE_NETWORKS": "true",
        "TOOL_TIMEOUT": str(TIMEOUT_S),
        "LOG_LEVEL": "WARNING",
        "PLUGINS_ENABLED": "false" if way == "no plugin" else "true",
        "PLUGINS_CONFIG_FILE": str(plugins),
        "PLUGINS_FAIL_ON_PLUGIN_ERROR": "true",
    }


def plugin_configuration(way: str) -> str:
    """Return the YAML of a way; errata's is the one that it comes with."""
    if way in {"no plugin", "retry plugin"}:
        return f"plugins:{OWN_RETRIES if way == 'retry plugin' else ' []'}\nplugin_dirs: []\n"
    shipped = (ROOT / "src" / "errata" / "contextforge" / "plugins.yaml").read_text(encoding="utf-8")
    if way == SHARED:
        return shipped.replace("redis: null", "redis: \"{{ env['REDIS_URL'] }}\"")
    before, _, rest = shipped.partition("  - name: RetryWithBackoffPlugin")
    return shipped if way == "errata" else f"{before}{OWN_RETRIES}\n{rest[rest.index('plugin_dirs') :]}"


def make_token(environment: Mapping[str, str]) -> str:
    """Return a token for the administrator, as the gateway's own command makes it."""
    command = [BIN / "python", "-m", "mcpgateway.utils.create_jwt_token", "--username", ADMIN, "--admin", "--exp", "60"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=START_S)
    return done.stdout.split()[-1]


@contextlib.contextmanager
def running(command: list[str], environment: Mapping[str, str], port: int) -> Iterator[None]:
    """Run a program until the block ends, which begins when it listens; show what it said if it does not."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryDirectory() as folder:
        program = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=folder)
        try:
            if not wait_for(port, program):
                output.seek(0)
                sys.exit(f"{command[0]} does not listen after {START_S} s:\n{output.read()[-4000:]}")
            yield
        finally:
            program.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(STOP_S)
            program.kill()


def wait_for(port: int, program: subprocess.Popen[bytes]) -> bool:
    """Return whether somebody answers at a port before the program ends or the time is up."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and program.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.2)
    return False


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def observe(gateway: str, headers: Mapping[str, str], shop: Shop, upstream: Upstream) -> dict[str, Observation]:
    """Make all calls through a gateway."""
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=CALL_S) as http,
        Client(streamable_http_client(f"{gateway}/mcp/", http_client=http)) as client,
    ):
        return {call.label: await observe_call(client, call, shop, upstream) for call in CALLS}


async def observe_call(client: Client, call: Call, shop: Shop, upstream: Upstream) -> Observation:
    server, _, tool = call.tool.partition("-")
    name = tool.replace("-", "_")
    before, started = upstream.requests, time.monotonic()
    shop.runs.clear()
    result: CallToolResult = await client.call_tool(call.tool, dict(call.arguments))
    seconds = time.monotonic() - started
    runs = shop.runs[name] if server != "harbor" else upstream.requests - before
    return Observation(result.model_dump(mode="json", by_alias=True, exclude_none=True), runs, seconds)


async def register(gateway: str, headers: Mapping[str, str], servers: Mapping[str, str]) -> None:
    """Have the gateway take servers in, by its admin API, and wait until their tools are listed."""
    async with httpx2.AsyncClient(headers=dict(headers), timeout=CALL_S) as http:
        for name, url in servers.items():
            server = {"name": name, "url": url, "transport": "STREAMABLEHTTP", "visibility": "public"}
            response = await http.post(f"{gateway}/gateways", json=server)
            if response.is_error:
                sys.exit(f"The gateway refuses the server `{name}` with {response.status_code}: {response.text}")


def run_way(way: str, folder: Path) -> dict[str, Observation]:
    """Start everything for a way, make the calls, and end it again."""
    shop = Shop()
    with ExitStack() as stack:
        upstream = stack.enter_context(Upstream(harbors))
        address = stack.enter_context(serving_shop(shop))
        servers = {
            "shop": address,
            "gated": stack.enter_context(running_gate(address)),
            "harbor": stack.enter_context(serving_example(upstream)),
        }
        gateway, headers = stack.enter_context(serving_gateway(way, folder))
        anyio.run(register, gateway, headers, servers)
        if way == SHARED:  # The first time, the tools come from the database.
            anyio.run(observe, gateway, headers, shop, upstream)
        return anyio.run(observe, gateway, headers, shop, upstream)


def find_surprises(seen: Mapping[str, Mapping[str, Observation]]) -> list[str]:
    """Return what is not as docs/contextforge.md says; of the gateway's own plugin, only that it repeats."""
    surprises = [
        f"`{way}` does not repeat the declined card"
        for way in ("retry plugin", "both")
        if way in seen and seen[way]["card declined"].runs == 1
    ]
    for way in ("errata", SHARED):
        for call in CALLS if way in seen and "no plugin" in seen else ():
            told = compare(call, seen["no plugin"][call.label], seen[way][call.label])
            surprises += [f"{call.label}, {way}: {what}" for what in told]
    return surprises


def compare(call: Call, plain: Observation, repaired: Observation) -> Iterator[str]:
    """Yield what is wrong about what errata's plugin has done with a call."""
    if (plain.runs, repaired.runs) != (min(call.runs, 1), call.runs):
        yield f"{plain.runs} and {repaired.runs} runs, and {min(call.runs, 1)} and {call.runs} are expected"
    if call.hides and call.hides not in plain.text:
        yield "the secret is not there without errata either"
    if call.hides and call.hides in json.dumps(repaired.result):
        yield "the secret is still there"
    if call.code and not repaired.text.startswith(f"Error [{call.code}]"):
        yield f"the text is not about {call.code}: {repaired.text}"
    if call.code is None and (repaired.result == plain.result) is not call.stays:
        yield f"the answer has {'changed' if call.stays else 'not changed'}: {repaired.text[:200]}"
    if call.code and not is_kept(plain.result, repaired.result):
        yield f"something is lost: {repaired.result}"


def is_kept(plain: Mapping[str, Any], repaired: Mapping[str, Any]) -> bool:
    """Return whether everything but the first text is the same."""
    first, *others = plain["content"]
    begin, *rest = repaired["content"]
    return (
        {**plain, "content": others} == {**repaired, "content": rest}
        and {**first, "text": ""} == {**begin, "text": ""}
        and isinstance(TextContent.model_validate(begin), TextContent)
    )


def print_table(seen: Mapping[str, Mapping[str, Observation]]) -> None:
    """Print the runs of each call in each way, as they stand in docs/contextforge.md."""
    print("| what happens | " + " | ".join(seen) + " |\n|---|" + "---:|" * len(seen))
    for call in CALLS:
        print(f"| {call.label} | " + " | ".join(str(each[call.label].runs) for each in seen.values()) + " |")


def print_versions() -> None:
    folder = next((BIN.parent / "lib").glob("python*/site-packages"))
    versions = {each.metadata["Name"].lower(): each.version for each in distributions(path=[str(folder)])}
    print(", ".join(f"{name} {versions.get(name, 'is missing')}" for name in PACKAGES), end="\n\n")


def choose_ways(wanted: list[str]) -> list[str]:
    """Return the ways to go; say so loudly if this machine lacks what one of them needs."""
    missing = [program for program in SERVERS_OF_SHARED if shutil.which(program, path=PROGRAMS) is None]
    if not missing or SHARED not in (wanted or WAYS):
        return wanted or list(WAYS)
    print(f"NOT RUN: `{SHARED}`, on PostgreSQL and Redis; {', '.join(missing)} NOT INSTALLED\n", file=sys.stderr)
    return [way for way in wanted or WAYS if way != SHARED]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", choices=[[], *WAYS], help="only these")
    parser.add_argument("--answers", action="store_true", help="also print every answer")
    options = parser.parse_args()
    print_versions()
    with tempfile.TemporaryDirectory(prefix="errata-engines-") as folder:
        seen = {way: run_way(way, Path(folder)) for way in choose_ways(options.ways)}
    if options.answers:
        for way, answers in seen.items():
            for label, each in answers.items():
                print(f"{way}: {label} ({each.runs} runs, {each.seconds:.1f} s)\n{json.dumps(each.result)[:2000]}\n")
    print_table(seen)
    surprises = find_surprises(seen)
    print(*(f"\nNot as expected: {surprise}" for surprise in surprises), sep="")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
