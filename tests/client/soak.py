"""Thirty thousand calls that fail at random, in memory and over HTTP: does anything stay behind?

`make soak` runs it. The calls are the same in every run; what is counted after a third of them is counted again at the end.
"""

import asyncio
import gc
import logging
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path

import anyio
from mcp.server.mcpserver import MCPServer

import errata
from errata import Code, FaultError
from errata.client import Caller, CallFailed, decide
from errata.resilience import retry

sys.path.insert(0, str(Path(__file__).parents[1]))
from support.scripted_http_server import DONE, READS, Reply, cut_off, hang_up, json_reply, listening

IN_MEMORY, OVER_HTTP = 27_000, 3_000
AT_ONCE = 20
"""So many calls are under way at the same time."""
A_CONNECTION = 500
"""So many calls are made through one connection."""
MOST_TASKS, MOST_FILES, MOST_OBJECTS, MOST_MB = 0, 5, 3_000, 24
"""What may be left over from twenty thousand calls: caches that fill up slowly, and sockets that are still closing."""

FAILURES = [
    lambda: FaultError(Code.RATE_LIMITED, "Slow down.", retry_after_ms=1),
    lambda: FaultError(Code.SERVICE_UNAVAILABLE, "Down."),
    lambda: FaultError(Code.INVALID_PARAMS, "Wrong.", field="n"),
    lambda: ConnectionResetError("The bank hung up."),
    lambda: TimeoutError("Too late."),
    lambda: KeyError("a bug"),
    lambda: ExceptionGroup("several", [ValueError("one"), OSError("two")]),
]
ANSWERS = [
    *(Reply(status, b"<title>Down</title>") for status in (401, 403, 404, 429, 500, 502, 503)),
    json_reply({"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "Too many"}}, 429),
    Reply(200, b"{nope", (("content-type", "application/json"),)),
    Reply(200, b"<html>login</html>"),
    {"content": [{"type": "text", "text": "It failed."}], "isError": True, "resultType": "complete"},
    {"error": {"code": -32603, "message": "It broke."}},
    cut_off("application/json"),
    cut_off("text/event-stream"),
    hang_up,
]


class Left(Counter):
    """What there is at one moment."""

    @classmethod
    def now(cls):
        """Count it, with the garbage out of the way."""
        for _ in range(3):
            gc.collect()
        return cls(
            tasks=len(asyncio.all_tasks()),
            files=len([*Path("/proc/self/fd").iterdir()]) if sys.platform == "linux" else 0,
            objects=len(gc.get_objects()),
            mb=_resident_mb(),
        )


def _resident_mb():
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() // 2**20


async def no_time(_):
    """Wait for nothing."""


async def calls(connecting, number, tool, outcomes):
    """Make so many calls, some at a time and so many through each connection, and count how they end."""
    policy = retry(sleep=no_time)

    async def some(caller, numbers):
        for each in numbers:
            try:
                await caller.call(tool, {"n": each})
            except CallFailed as error:
                outcomes[error.code] += 1
                outcomes[type(decide(error, caller.history)).__name__] += 1
                caller.render(error)
            else:
                outcomes["done"] += 1

    for first in range(0, number, A_CONNECTION):
        numbers = iter(range(first, min(first + A_CONNECTION, number)))
        async with connecting(policy) as caller, anyio.create_task_group() as group:
            for _ in range(AT_ONCE):
                group.start_soon(some, caller, numbers)


def moody(dice):
    """Serve a tool that fails every other time."""
    server = MCPServer("moody", log_level="CRITICAL")

    @server.tool(annotations={"readOnlyHint": True})
    async def work(n: int) -> int:
        if dice.random() < 0.5:
            failure = dice.choice(FAILURES)
            raise failure() from None
        return n

    errata.install(server)
    return server


def tell(line):
    sys.stdout.write(f"{line}\n")


async def main():
    logging.disable(logging.CRITICAL)
    dice = random.Random(17)
    outcomes = Counter()
    began = time.perf_counter()
    with listening() as answering:
        answering.annotations = {"pay": READS}
        server = moody(dice)

        async def third():
            answering.answers = [dice.choice([*ANSWERS, DONE, DONE]) for _ in range(OVER_HTTP)]
            await calls(lambda policy: Caller.connect(server, retry=policy), IN_MEMORY // 3, "work", outcomes)
            await calls(lambda policy: Caller.connect(answering.url, retry=policy), OVER_HTTP // 3, "pay", outcomes)
            answering.asked.clear()
            answering.metas.clear()
            answering.answers.clear()
            await asyncio.sleep(0.2)  # Sockets of the other side are closed by its threads.
            return Left.now()

        first, _, last = [await third() for _ in range(3)]
    more = {name: last[name] - first[name] for name in first}
    took_s = time.perf_counter() - began
    tell(f"{sum(outcomes[name] for name in ('done', *Code))} calls in {took_s:.0f} s, {outcomes['done']} of them well")
    tell(f"after a third: {dict(first)}; at the end: {dict(last)}; more: {more}")
    limits = {"tasks": MOST_TASKS, "files": MOST_FILES, "objects": MOST_OBJECTS, "mb": MOST_MB}
    return [f"{more[name]} more {name} than after a third of the calls" for name in more if more[name] > limits[name]]


if __name__ == "__main__":
    if left := anyio.run(main):
        sys.exit("Something stays behind: " + ", ".join(left))
