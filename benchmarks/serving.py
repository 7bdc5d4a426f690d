"""What a call costs in a server with errata, beside the same server without: in memory, through the SDK's own client.

What the judgement costs is measured beside a server with errata that does not know the call, and judges the exception
alone.

Two servers that are the same differ by two hundredths within one process, by which of them was there first and where
things happen to lie in memory. So each figure is taken in several processes, in both orders, and the best of all rounds
counts; a line of the table shows how well that works.

A server on an older SDK is measured the same way in an environment that has it, which `scripts/eras.py` sets up.
"""

import asyncio
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from _measure import Figure

PROCESSES = 8
WARM_UP = 100
ROUNDS = 60
BATCH = 20
CRASHES = 10
ROOT = Path(__file__).parent.parent
ERAS = ROOT / ".venv-eras"

Call = Callable[[], Awaitable[object]]
Tool = Callable[..., Any]


@dataclass
class Letters:
    """What `count` gives back."""

    letters: int


async def greet(name: str):  # noqa: ANN201 - without it, there is no output schema.
    return f"Hello, {name}"


async def count(name: str) -> Letters:
    return Letters(len(name))


async def search(name: str):  # noqa: ANN201 - as above.
    raise ValueError(f"`{name}` is 500; the highest allowed is 100")


PRICES = {"bread": 3, "butter": 4}


async def price(name: str):  # noqa: ANN201 - as above.
    return PRICES[name]


class Kind(StrEnum):
    """What a server is measured with, as the table says it."""

    ERRATA = "with errata"
    ALONE = "without the call"
    """errata, not knowing the call."""
    BARE = "without errata"


class Case(NamedTuple):
    """A server with errata beside another one, and what is called in both."""

    sdk: str
    tool: Tool
    what: str
    budget: float | None
    new_words: bool = False
    beside: Kind = Kind.BARE


# fmt: off
CASES = [
    Case("mcp", greet,  "MCPServer: a call that succeeds",                          1.02),
    Case("mcp", count,  "MCPServer: one with an output schema",                     1.05),
    Case("mcp", search, "MCPServer: a call that fails",                             1.25),
    Case("mcp", search, "MCPServer: one that fails in other words each time",       None, new_words=True),
    Case("mcp", search, "MCPServer: the judgement, a refusal in other words each time", 1.10, new_words=True, beside=Kind.ALONE),
    Case("mcp", price,  "MCPServer: the judgement, a key that is not there",        1.10, beside=Kind.ALONE),
    Case("fastmcp", greet,  "FastMCP: a call that succeeds",                            1.03),
    Case("fastmcp", count,  "FastMCP: one with an output schema, now validated",        1.10),
    Case("fastmcp", search, "FastMCP: a call that fails",                               1.15),
    Case("fastmcp", search, "FastMCP: one that fails in other words each time",         None, new_words=True),
    Case("fastmcp", search, "FastMCP: the judgement, a refusal in other words each time", 1.10, new_words=True, beside=Kind.ALONE),
    Case("fastmcp", price,  "FastMCP: the judgement, a key that is not there",          1.10, beside=Kind.ALONE),
]
# fmt: on
CONTROL = Case("mcp", greet, "MCPServer: the same server twice, without errata", None)
# fmt: off
OLDER = {
    "mcp-1.30": [
        Case("mcp 1", greet,  "mcp 1.30's FastMCP: a call that succeeds", 1.05),
        Case("mcp 1", search, "mcp 1.30's FastMCP: a call that fails",    1.35),
    ],
    "fastmcp-3.4": [
        Case("fastmcp", greet,  "FastMCP 3.4: a call that succeeds", 1.05),
        Case("fastmcp", search, "FastMCP 3.4: a call that fails",    1.35),
    ],
}
"""What is measured with an older SDK, by the environment that has it."""
# fmt: on


def figures() -> list[Figure]:
    shipped, ours = _in_a_process(["--crash"]), _in_a_process(["--crash", "--errata"])
    crash = Figure("MCPServer as shipped: a crash, logged with rich", shipped, "with errata, logged", ours, least=20)
    older = [figure for era, cases in OLDER.items() for figure in _figures_of(cases, era)]
    return [*_figures_of([*CASES, CONTROL]), *older, crash]


def _figures_of(cases: Sequence[Case], *era: str) -> list[Figure]:
    """Measure cases in several processes: of this environment, or of that of an older era."""
    runs = [_in_a_process(["--measure", "--bare-first"][: 1 + number % 2], *era) for number in range(PROCESSES)]
    best = [[min(pair[side] for pair in pairs) for side in (0, 1)] for pairs in zip(*runs, strict=True)]
    return [
        Figure(case.what, ours, case.beside, theirs, case.budget)
        for case, (ours, theirs) in zip(cases, best, strict=True)
    ]


def _in_a_process(arguments: Sequence[str], *era: str) -> Any:  # noqa: ANN401 - what it printed.
    python = [str(ERAS / name / "bin" / "python") for name in era] or [sys.executable]
    command = [*python, str(Path(__file__)), *arguments, *era]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}  # The older environments have no errata.
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    return json.loads(done.stdout)


async def _measure() -> list[tuple[float, float]]:
    logging.disable(logging.CRITICAL)
    if sys.argv[-1] in OLDER:
        return [await _compared(case) for case in OLDER[sys.argv[-1]]]
    return [await _compared(case) for case in CASES] + [await _compared(CONTROL, Kind.BARE)]


async def _compared(case: Case, ours: Kind = Kind.ERRATA) -> tuple[float, float]:
    turned = -1 if "--bare-first" in sys.argv else 1
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(client_of(case, kind)) for kind in (ours, case.beside)[::turned]]
        first, second = clients[::turned]
        return await _best(call_with(first, case), call_with(second, case))


def client_of(case: Case, kind: Kind) -> Any:  # noqa: ANN401 - of one of three SDKs.
    import errata  # noqa: PLC0415 - importing it in the main process would not be felt by the others.

    server, connect = _CONNECTED[case.sdk]()
    server.tool()(case.tool)
    if kind is not Kind.BARE:
        installation = errata.install(server)
        if kind is Kind.ALONE:
            _forget_calls(installation._adapter)  # noqa: SLF001 - there is no setting for that, and there should be none.
    return connect(server)


def _with_mcp() -> tuple[Any, Callable[[Any], Any]]:
    from mcp import Client  # noqa: PLC0415 - one environment has no more than some of the SDKs.
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415

    return MCPServer("bench"), Client


def _with_mcp_1() -> tuple[Any, Callable[[Any], Any]]:
    server: Any = import_module("mcp.server.fastmcp").FastMCP("bench")
    return server, import_module("mcp.shared.memory").create_connected_server_and_client_session


def _with_fastmcp() -> tuple[Any, Callable[[Any], Any]]:
    from fastmcp import Client, FastMCP  # noqa: PLC0415

    return FastMCP("bench"), Client


_CONNECTED = {"mcp": _with_mcp, "mcp 1": _with_mcp_1, "fastmcp": _with_fastmcp}
"""A server of each SDK, and what makes a client of it."""


def _forget_calls(adapter: object) -> None:
    """Let errata know nothing of the calls that come through an adapter."""
    from errata.serving import _pipeline  # noqa: PLC0415

    describe = _pipeline.describe_call

    async def describe_others(other: Any, *failed: Any) -> None:  # noqa: ANN401 - as errata declares them.
        if other is not adapter:
            await describe(other, *failed)

    _pipeline.describe_call = describe_others


def call_with(client: Any, case: Case) -> Call:  # noqa: ANN401 - as above.
    call = (
        client.call_tool_mcp if case.sdk == "fastmcp" else client.call_tool
    )  # FastMCP's other one raises; the result counts.
    if not case.new_words:
        return lambda: call(case.tool.__name__, {"name": "limit"})
    number = iter(range(sys.maxsize))
    return lambda: call(case.tool.__name__, {"name": f"limit {next(number)}"})


async def _best(first: Call, second: Call) -> tuple[float, float]:
    """Time two calls in turns, and take the best of many rounds of each: noise only ever adds."""
    for call in (first, second):
        await _microseconds(call, WARM_UP)
    best = {first: float("inf"), second: float("inf")}
    for number in range(ROUNDS):
        for call in (first, second) if number % 2 else (second, first):
            best[call] = min(best[call], await _microseconds(call, BATCH))
    return best[first], best[second]


async def _microseconds(call: Call, times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        await call()
    return (time.perf_counter() - start) / times * 1e6


async def _crash(kind: Kind) -> float:
    """Time a crash with the logging that a server ships with, rich tracebacks and all."""
    case = Case("mcp", search, "", None)
    async with client_of(case, kind) as client:
        return min([await _microseconds(call_with(client, case), CRASHES) for _ in range(5)])


if __name__ == "__main__":
    measured = _measure() if "--measure" in sys.argv else _crash(Kind.ERRATA if "--errata" in sys.argv else Kind.BARE)
    print(json.dumps(asyncio.run(measured)))
