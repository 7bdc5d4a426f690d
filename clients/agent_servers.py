"""Five published servers, the world that each of them works in, and what a user wants of them."""

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from mcp import StdioServerParameters
from probing import program

from errata.client import Effect

Call = tuple[str, dict[str, object]]

PATIENCE_S = 60


@dataclass
class World:
    """What a session works with: how the server is started, its directory, and what was learned on the way."""

    parameters: StdioServerParameters
    scratch: Path
    facts: dict[str, str] = field(default_factory=dict)
    """Values that differ in every run, by the name that the page shows in place of them."""
    upstream_pid: int = 0


@dataclass(frozen=True)
class Errand:
    """Something that a user wants, what the model tries first, and what the user knows if it is asked for."""

    wish: str
    call: Call
    knows: Mapping[str, object] = field(default_factory=dict)
    """The values that the user can name, by argument."""
    look_up: Call | None = None
    """What the model calls when the server says that a thing is not there."""
    learn: Callable[[str], Mapping[str, object]] = lambda _: {}
    """Read the arguments to correct in the answer to that."""
    is_done: Callable[[str], bool] = lambda _: True
    """Read in the answer of a tool that looks whether the call has happened."""
    keep: Callable[[str], None] = lambda _: None
    """Remember something of an answer."""
    note: str = ""
    disturb: Callable[[], None] | None = None
    """What goes wrong before the first call; the note says it."""
    relieve: Callable[[], str] | None = None
    """What ends that after the first failure, and says so."""


@dataclass(frozen=True)
class Server:
    """A published server in one version."""

    title: str
    package: str
    version: str
    language: str
    what: str
    world: Callable[[Path, Path], AbstractContextManager[World]]
    errands: Callable[[World], Iterator[Errand]]
    is_on_npm: bool = True
    timeout_s: float = 30
    effects: Mapping[str, Effect] | None = None

    @property
    def directory(self) -> str:
        """The name of the directory that it works in."""
        return re.sub(r"\W+", "-", self.package).strip("-")


def start(scratch: Path, command: Path | str, *arguments: object, **environment: str) -> World:
    """Describe a server that sees nothing but its directory."""
    own = {"HOME": str(scratch), "TMPDIR": str(scratch), "PATH": os.environ["PATH"], "NO_COLOR": "1"}
    return World(
        StdioServerParameters(
            command=str(command), args=[str(each) for each in arguments], cwd=scratch, env=own | environment
        ),
        scratch,
    )


@contextlib.contextmanager
def files(home: Path, scratch: Path) -> Iterator[World]:
    (scratch / "config").mkdir()
    (scratch / "config" / "service.ini").write_text("host = 127.0.0.1\nport = 8080\n")
    script = home / "node_modules" / "fast-filesystem-mcp" / "dist" / "index.js"
    yield start(scratch, program("node"), script, "--allow", scratch)


def errands_with_files(world: World) -> Iterator[Errand]:
    yield Errand(
        "to know which port the service has",
        ("read_file", {"path": f"{world.scratch}/service.ini"}),
        look_up=("fast_search_files", {"path": str(world.scratch), "pattern": "service.ini"}),
        learn=lambda text: {"path": json.loads(text)["results"][0]["path"]},
    )
    yield Errand(
        "a copy of it as backup.ini",
        (
            "fast_copy_file",
            {"from": f"{world.scratch}/config/service.ini", "destination": f"{world.scratch}/backup.ini"},
        ),
        knows={"source": f"{world.scratch}/config/service.ini"},
    )
    yield Errand("to see the keys of another service", ("fast_read_file", {"path": "/srv/keys/service.pem"}))


@contextlib.contextmanager
def database(home: Path, scratch: Path) -> Iterator[World]:
    with contextlib.closing(sqlite3.connect(scratch / "app.db")) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT NOT NULL, quantity INTEGER)")
        connection.execute("INSERT INTO orders VALUES (17, 'tea', 2)")
        connection.commit()
    yield start(scratch, home / "node_modules" / "@tursodatabase" / "cli-linux-x64-gnu" / "tursodb", "app.db", "--mcp")


def errands_in_the_database(_: World) -> Iterator[Errand]:
    yield Errand(
        "to know what an order consists of",
        ("describe_table", {"table": "orders"}),
        knows={"table_name": "orders"},
    )
    yield Errand(
        "to know what was ordered",
        ("execute_query", {"query": "SELECT item, quantity FROM purchases"}),
        look_up=("list_tables", {}),
        learn=lambda text: {"query": f"SELECT item, quantity FROM {text.split()[-1]}"},  # noqa: S608 - a table of ours.
    )
    yield Errand(
        "order 17 to be entered",
        ("insert_data", {"query": "INSERT INTO orders VALUES (17, 'coffee', 1)"}),
    )


@contextlib.contextmanager
def spreadsheet(home: Path, scratch: Path) -> Iterator[World]:
    (scratch / "sales.csv").write_text("region,amount\nnorth,10\nsouth,20\nnorth,5\n")
    yield start(scratch, home / "bin" / "csv-editor", FASTMCP_SHOW_SERVER_BANNER="false", FASTMCP_LOG_LEVEL="ERROR")


def errands_in_the_spreadsheet(world: World) -> Iterator[Errand]:
    def remember(text: str) -> None:
        world.facts["session"] = json.loads(text)["session_id"]

    def column_in(text: str) -> dict[str, object]:
        return {"column": next(iter(json.loads(text)["statistics"]))}

    yield Errand(
        "sales.csv to be opened",
        ("load_csv", {"path": "sales.csv"}),
        knows={"file_path": "sales.csv"},
        keep=remember,
    )
    session = world.facts["session"]
    yield Errand(
        "the rows ordered by amount",
        ("sort_data", {"session_id": session, "columns": "amount"}),
        knows={"columns": ["amount"]},
    )
    yield Errand(
        "the average price",
        ("get_column_statistics", {"session_id": session, "column": "price"}),
        look_up=("get_statistics", {"session_id": session}),
        learn=column_in,
    )
    yield Errand("the last step to be done again", ("redo", {"session_id": session}))


ORDER_TOOLS = """\
sources:
  shop: {kind: sqlite, database: shop.db}
tools:
  get-order:
    kind: sqlite-sql
    source: shop
    description: Show an order.
    parameters: [{name: order_id, type: integer, description: The order.}]
    statement: SELECT id, item, quantity FROM orders WHERE id = ?
  update-order:
    kind: sqlite-sql
    source: shop
    description: Add to an order.
    parameters:
      - {name: more, type: integer, description: How many more., minValue: 1, maxValue: 100}
      - {name: order_id, type: integer, description: The order.}
    statement: UPDATE orders SET quantity = quantity + ? WHERE id = ?
"""


@contextlib.contextmanager
def shop(home: Path, scratch: Path) -> Iterator[World]:
    (scratch / "tools.yaml").write_text(ORDER_TOOLS)
    with contextlib.closing(sqlite3.connect(scratch / "shop.db")) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, item TEXT, quantity INTEGER)")
        connection.execute("INSERT INTO orders VALUES (17, 'tea', 2)")
        connection.commit()
    toolbox = home / "node_modules" / "@toolbox-sdk" / "server-linux-x64" / "bin" / "toolbox"
    # The shell becomes the server, so that the number it writes down is that of the server.
    with_number = 'echo $$ > server.pid; exec "$0" "$@"'
    yield start(scratch, "sh", "-c", with_number, toolbox, "--config", "tools.yaml", "--stdio")


def errands_in_the_shop(world: World) -> Iterator[Errand]:
    def die_in_the_middle() -> None:
        pid = int((world.scratch / "server.pid").read_text())
        os.kill(pid, signal.SIGSTOP)  # It answers nothing any more; who waits for it sees it die.
        threading.Timer(1, os.kill, (pid, signal.SIGKILL)).start()

    yield Errand("to see order 17", ("get_order", {"order": 17}), knows={"order_id": 17})
    yield Errand(
        "three more in order 17",
        ("update-order", {"order_id": 17, "more": 3}),
        is_done=lambda text: json.loads(text)["quantity"] == 5,  # noqa: PLR2004 - two and three.
        note="The server stops answering, and is killed a second later.",
        disturb=die_in_the_middle,
    )
    yield Errand("to be sure", ("get-order", {"order_id": 17}))


@contextlib.contextmanager
def key_value_store(home: Path, scratch: Path) -> Iterator[World]:
    port = free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(scratch))
    redis = subprocess.Popen([program("redis-server"), *options], stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        script = home / "node_modules" / "mcp-redis" / "build" / "index.js"
        world = start(scratch, program("node"), script, REDIS_URL=f"redis://127.0.0.1:{port}")
        world.upstream_pid = redis.pid
        yield world
    finally:
        redis.kill()
        redis.wait()


def errands_in_the_store(world: World) -> Iterator[Errand]:
    def pause() -> None:
        os.kill(world.upstream_pid, signal.SIGSTOP)

    def go_on() -> str:
        os.kill(world.upstream_pid, signal.SIGCONT)
        return "Redis answers again."

    note = "Redis hangs."
    yield Errand(
        "the greeting to be kept for an hour",
        ("redis_set", {"key": "greeting", "value": "hello", "ttlSeconds": "1h"}),
        knows={"ttlSeconds": 3600},
    )
    yield Errand("to read it", ("redis_get", {"key": "greeting"}), note=note, disturb=pause, relieve=go_on)
    yield Errand(
        "a visit to be counted",
        ("redis_command", {"command": "INCR", "args": ["visits"]}),
        note=note,
        disturb=pause,
        relieve=go_on,
    )
    yield Errand("to see whether it was counted", ("redis_get", {"key": "visits"}))


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise TimeoutError(f"redis-server did not listen on port {port} within {PATIENCE_S} seconds.")


SERVERS = (
    Server(
        "fast-filesystem-mcp",
        "fast-filesystem-mcp",
        "3.5.2",
        "TypeScript",
        "It declares nothing, and most of its failures are JSON-RPC errors of one code. A wrong name leads to the nearest tool, "
        "a missing file to a search, and a forbidden path to a person.",
        files,
        errands_with_files,
    ),
    Server(
        "Turso",
        "@tursodatabase/cli-linux-x64-gnu",
        "0.6.0",
        "Rust",
        "`@tursodatabase/cli-linux-x64-gnu` from npm, the database with a server in it. Its tools return failures as successes. The program knows that `execute_query` only reads, and says so with "
        '`effects={"execute_query": "read_only"}`; otherwise a person would be asked there, too. A write that returns a complaint as a success has run to its end, so a person is asked.',
        database,
        errands_in_the_database,
        effects={"execute_query": "read_only"},
    ),
    Server(
        "csv-mcp-server",
        "csv-mcp-server",
        "1.0.0",
        "Python, FastMCP",
        "Pydantic names the arguments that are wrong; the tools themselves answer with `success: false`.",
        spreadsheet,
        errands_in_the_spreadsheet,
        is_on_npm=False,
    ),
    Server(
        "MCP Toolbox for Databases",
        "@toolbox-sdk/server-linux-x64",
        "1.12.0",
        "Go",
        "`@toolbox-sdk/server-linux-x64` from npm. It declares every tool destructive, so the program says "
        '`effects={"get-order": "read_only"}`. A server that dies is started again, and what it may have done is verified first.',
        shop,
        errands_in_the_shop,
        effects={"get-order": "read_only"},
    ),
    Server(
        "mcp-redis",
        "mcp-redis",
        "1.2.5",
        "TypeScript",
        'It declares nothing; the program says `effects={"redis_get": "read_only"}` and `timeout_s=2`. So a read is repeated and then '
        "passed on to the model; otherwise a person would be asked. A visit that may have been counted is not counted again.",
        key_value_store,
        errands_in_the_store,
        timeout_s=2,
        effects={"redis_get": "read_only"},
    ),
)
