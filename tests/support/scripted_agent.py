"""An agent without a model, who follows the loop of the page on clients; and upstreams that go wrong as they are told."""

import contextlib
import functools
import importlib
import json
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import uvicorn
from upstreams import Reply, Upstream

import errata.client
from errata.client import FixArguments, TellModel, UseTool
from support.example_servers import listening
from support.ports import free_port

LONGEST_S = 60
"""No outcome depends on it: it ends what would hang."""
_PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
LOOP = "async def pursue" + _PAGE.read_text(encoding="utf-8").partition("async def pursue")[2].partition("```")[0]


def _taken_from_its_page():
    names = {"anyio": anyio, **vars(errata.client)}
    exec(compile(LOOP, _PAGE, "exec"), names)  # noqa: S102 - the page is our own.
    return names["pursue"]


pursue = _taken_from_its_page()


class Clock:
    """A time that passes only while somebody waits."""

    def __init__(self):
        self.now_s = 1_000.0
        self.waits = 0

    def __call__(self):
        return self.now_s

    async def sleep(self, seconds):
        self.now_s += seconds
        self.waits += 1
        await anyio.lowlevel.checkpoint()


@dataclass(frozen=True)
class Way:
    """One way to go wrong: what is answered, None for hanging up, and whether the work is done all the same."""

    name: str
    answer: Reply | bytes | Callable[[], None] | None = field(default=None, compare=False, repr=False)
    is_done: bool = False

    def after_the_work(self):
        return Way(f"{self.name}, done", self.answer, is_done=True)


_KEY = "sandbox-5f2c81d09e"
_QUOTED = "sk-sandbox-0f3b7a91c2d4e6f8"
SECRETS = (_KEY, _QUOTED)
"""The keys to the APIs, and what these say that nobody should see."""


def status(number, wait_s=None):
    """Refuse with a status, and quote the caller's credentials while at it."""
    name, headers = (f"{number}", {}) if wait_s is None else (f"{number} after {wait_s}", {"Retry-After": str(wait_s)})
    return Way(name, Reply({"message": "Not now.", "debug": {"api_key": _QUOTED}}, number, headers))


HANGS_UP = Way("hangs up")
GARBAGE = Way("garbage", b'{"items": [{"id": 17, "na<html>502 Bad Gateway</html>')
# The size of a chunk, and then the end: an answer that breaks off.
BREAKS_OFF = Way("breaks off", Reply(255, 200, {"Transfer-Encoding": "chunked", "Connection": "close"}))


class Unreliable:
    """An API that goes wrong with its first requests as it is told, or with all of them."""

    def __init__(self, app):
        self._app = app
        self._script, self._always = [], None
        self.made = Counter()
        """What was done, by address; what was asked for twice and done once may be counted twice."""

    def tell(self, *script, always=None):
        self._script, self._always = [*script], always
        self.made.clear()

    def __call__(self, request):
        way = self._script.pop(0) if self._script else self._always
        reply = None if way and not way.is_done else self._done(request)
        if way is None:
            return reply
        return way.answer() if callable(way.answer) else way.answer

    def _done(self, request):
        reply = self._app(request)
        if request.method != "GET" and reply.status < 300:
            self.made["/".join(request.path)] += 1
        return reply


@dataclass
class Agent:
    """A model that knows one errand: what to call, what to call the other tools with, and how to tell that it is done."""

    tool: str
    arguments: dict[str, Any]
    others: dict[str, dict[str, Any]] = field(default_factory=dict)
    is_done: Callable[[Any], bool] = lambda _: True
    mends: dict[str, Any] = field(default_factory=dict)
    steps: list[object] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    async def run(self, caller, sleep):
        """Run the errand; return the result, the question or the reason that the loop ended with."""
        with anyio.fail_after(LONGEST_S):
            end = await pursue(caller, (self.tool, self.arguments), self.choose, sleep)
        self.seen += [str(end), *(json.dumps([str(failed), failed.response]) for failed in caller.history)]
        return end

    async def choose(self, step, call, outcome):
        self.steps.append(step)
        self.seen += [str(step), str(outcome)]
        match step:
            case UseTool(name):
                return name, self.others.get(name, self.arguments)
            case FixArguments(corrective_params=better):
                return self.tool, self.arguments | self.mends | dict(better)
            case TellModel():  # What was only read, it may try once more.
                return call
            case None if call[0] == self.tool or self.is_done(outcome.structured_content):
                return None
            case None:  # It was looked up, and has not happened.
                return self.tool, self.arguments


_APPS = {
    "napkin_visuals": ("NAPKIN", "napkin"),
    "order_operations": ("STOREFRONT", "storefront"),
    "pattern_library": ("PATTERNS", "patterns"),
    "pubmed_articles": ("NCBI", "ncbi"),
    "order_recovery": ("ORDERS", "order_service"),
    "harbor_berths": ("HARBORS", "harbors"),
}


@dataclass(frozen=True)
class ServedExample:
    """A server that listens, and the API behind it."""

    url: str
    upstream: Unreliable


@contextlib.asynccontextmanager
async def served(patch, clock):
    """Serve all examples over HTTP, with APIs behind them that do as they are told, and without impatience."""
    async with contextlib.AsyncExitStack() as stack:
        examples = {}
        for name, (variable, app) in _APPS.items():
            upstream = Unreliable(getattr(importlib.import_module(f"upstreams.{app}"), app))
            patch.setenv(f"{variable}_URL", stack.enter_context(Upstream(upstream)).url)
            patch.setenv(f"{variable}_API_KEY", f"{variable.lower()}-{_KEY}")
            url = await stack.enter_async_context(_listening(importlib.import_module(name).server))
            examples[name] = ServedExample(url, upstream)
        await _be_patient(patch, stack)
        patch.setattr(importlib.import_module("asking_orders").orders._circuit, "_clock", clock)
        yield examples


@contextlib.asynccontextmanager
async def _listening(server):
    app = server.http_app() if hasattr(server, "http_app") else server.streamable_http_app()
    web = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
    # Named as TCP, it is not held back for the client's acknowledgement, which takes 40 ms an answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    async with anyio.create_task_group() as group:
        group.start_soon(web._serve, [listener])  # `serve` would also take the signals of the tests.
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        web.should_exit = True


async def _be_patient(patch, stack):
    """However busy this machine is, no example is to lose patience; nor use a connection of another event loop."""
    for module in ("napkin_visuals", "pubmed.eutils"):
        patch.setattr(importlib.import_module(module), "PATIENCE_S", LONGEST_S)
    for module in ("asking_orders", "pattern_library"):
        http = await stack.enter_async_context(httpx2.AsyncClient(timeout=LONGEST_S))
        patch.setattr(importlib.import_module(module), "http", http)
    # It has its patience in its lines, and reads all certificates of the world for every call.
    tls = httpx2.create_ssl_context()
    plain = SimpleNamespace(
        AsyncClient=lambda base_url, **_: httpx2.AsyncClient(base_url=base_url, verify=tls, timeout=LONGEST_S)
    )
    patch.setattr(importlib.import_module("harbor_berths"), "httpx2", plain)
    shop = httpx2.AsyncClient(base_url=os.environ["STOREFRONT_URL"], timeout=LONGEST_S)
    adapter = importlib.import_module("order_adapters").ADAPTERS["storefront"]
    patch.setitem(vars(adapter), "http", await stack.enter_async_context(shop))


class Restarted:
    """An example in a process of its own that dies, and is started again at the same address."""

    def __init__(self, name, **environment):
        self._start = functools.partial(listening, name, port=free_port(), **environment)
        self._life = None
        self._lock = threading.Lock()

    def start(self):
        """Start it, unless it lives; who is about to die does so first. Gives its address."""
        with self._lock:
            if self._life is None:
                self._life = contextlib.ExitStack()
                self.url = self._life.enter_context(self._start())
            return self.url

    def die(self):
        with self._lock:
            if self._life is not None:
                self._life.close()
                self._life = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.die()
