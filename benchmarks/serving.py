"""What a call costs in a server with errata, beside the same server without: in memory, through the SDK's own client."""

import asyncio
import json
import logging
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

from _measure import Figure
from mcp import Client
from mcp.server.mcpserver import MCPServer

import errata

WARM_UP = 200
ROUNDS = 150
BATCH = 20
CRASHES = 20

Call = Callable[[], Awaitable[object]]
Tool = Callable[..., Any]


async def greet(name: str):  # noqa: ANN201 - without it, there is no output schema.
    return f"Hello, {name}"


async def count(name: str) -> dict[str, int]:
    return {"letters": len(name)}


async def search(name: str):  # noqa: ANN201 - as above.
    raise ValueError(f"`{name}` is 500; the highest allowed is 100")


def figures() -> list[Figure]:
    return asyncio.run(_figures())


async def _figures() -> list[Figure]:
    from fastmcp import Client as FastClient  # noqa: PLC0415 - it sets up logging, which the others are not to feel.
    from fastmcp import FastMCP  # noqa: PLC0415

    official, fast = Kind("MCPServer", MCPServer, Client), Kind("FastMCP", FastMCP, FastClient)
    logging.disable(logging.CRITICAL)
    try:
        found = [
            await _compared(official, greet, "a call that succeeds", 1.02),
            await _compared(official, count, "one with an output schema", 1.05),
            await _compared(official, search, "a call that fails", 1.30),
            await _compared(fast, greet, "a call that succeeds", 1.03),
            await _compared(fast, count, "one with an output schema, now validated", 1.10),
            await _compared(fast, search, "a call that fails", 1.20),
            await _compared(official, greet, "the same twice, without errata", None),
        ]
    finally:
        logging.disable(logging.NOTSET)
    return [*found, _crash()]


class Kind(NamedTuple):
    """A kind of server, and how to make one and talk to it."""

    name: str
    make: Callable[[str], Any]
    connect: Callable[[Any], Any]


async def _compared(kind: Kind, tool: Tool, what: str, budget: float | None) -> Figure:
    async with AsyncExitStack() as stack:
        bare, ours = [
            await stack.enter_async_context(kind.connect(_server(kind.make("bench"), tool, installed=installed)))
            for installed in (False, budget is not None)
        ]
        ours_us, bare_us = await _best(_call(ours, tool), _call(bare, tool))
    return Figure(f"{kind.name}: {what}", ours_us, "without errata", bare_us, budget)


def _server(server: Any, tool: Tool, *, installed: bool) -> object:  # noqa: ANN401 - one of two SDKs.
    server.tool()(tool)
    if installed:
        errata.install(server)
    return server


def _call(client: Any, tool: Tool) -> Call:  # noqa: ANN401 - as above.
    call = getattr(
        client, "call_tool_mcp", client.call_tool
    )  # FastMCP's own client raises; the raw result is what counts.
    return lambda: call(tool.__name__, {"name": "Ada"})


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


def _crash() -> Figure:
    """Time a crash with the logging that a server ships with, rich tracebacks and all, in processes of their own."""
    shipped, ours = (_crashing(*more) for more in ((), ("--errata",)))
    return Figure("MCPServer as shipped: a crash, logged with rich", shipped, "with errata, logged", ours, least=20)


def _crashing(*more: str) -> float:
    command = [sys.executable, str(Path(__file__)), *more]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return float(json.loads(done.stdout))


async def _time_crashes(*, installed: bool) -> float:
    async with Client(_server(MCPServer("bench"), search, installed=installed)) as client:
        call = _call(client, search)
        await _microseconds(call, CRASHES)
        return await _microseconds(call, CRASHES)


if __name__ == "__main__":
    print(asyncio.run(_time_crashes(installed="--errata" in sys.argv)))
