"""How often a destructive tool runs for one call, by what comes back: with errata, and with the retries people use instead.

The tool makes its refund first, every time, and then something goes wrong, or somebody says something.
"""

import functools
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest import mock

import anyio
import fastmcp
import httpx2
import stamina
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware.error_handling import RetryMiddleware

import errata
from errata import Code, Fault, Retry, dialects
from errata.client import Caller, CallFailed, Repeat, decide
from errata.resilience import retry

_DESTROYS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
_LICENCE = Fault(code=Code.SERVICE_UNAVAILABLE, message="Busy.", retry=Retry.SAME_CALL, http_status=503)
_MOST_STEPS = 20


class Row(NamedTuple):
    """What came back, and how often the tool ran."""

    what: str
    errata: int
    fastmcp: int
    stamina: int


def _raising(error: Exception) -> Callable[[], str]:
    def raise_it() -> str:
        raise error

    return raise_it


def _body(dialect: str) -> str:
    return json.dumps(dialects.get(dialect).encode(_LICENCE)["structuredContent"])


def _answers() -> dict[str, list[Callable[[], str]]]:
    request = httpx2.Request("POST", "http://127.0.0.1/refunds")
    bodies = [*map(_body, dialects.names())]
    return {
        "the answer was lost": [_raising(httpx2.RemoteProtocolError("Server disconnected", request=request))],
        "no answer in time": [_raising(TimeoutError())],
        "the connection broke": [_raising(ConnectionResetError(104, "Connection reset by peer"))],
        "an error that says “503 Service Unavailable, please retry”": [
            _raising(ToolError("503 Service Unavailable, please retry"))
        ],
        "an error whose text is a payload that says yes, in any of the six dialects": [
            _raising(ToolError(body)) for body in bodies
        ],
        "a success whose text is such a payload": [functools.partial(str, body) for body in bodies],
    }


def rows() -> Iterator[Row]:
    """Count, for each answer; of several, the worst."""
    for what, answers in _answers().items():
        ways = (_by_errata, _by_fastmcp, _by_stamina)
        yield Row(what, *(max(anyio.run(_times, answer, way) for answer in answers) for way in ways))


async def _times(answer: Callable[[], str], way: Callable[[fastmcp.FastMCP], Any]) -> int:
    runs = 0
    server = fastmcp.FastMCP("shop")

    @server.tool(annotations=_DESTROYS)
    def refund() -> str:
        nonlocal runs
        runs += 1
        return answer()

    await way(server)
    return runs


async def _by_errata(server: fastmcp.FastMCP) -> None:
    """Call with errata on both sides, and do what `decide` says as long as that is to repeat."""

    async def no_time(_: float) -> None:
        """Take no time."""

    errata.install(server)
    async with fastmcp.Client(server) as client:
        caller = Caller(client, retry=retry(sleep=no_time))
        for _ in range(_MOST_STEPS):
            try:
                await caller.call("refund")
            except CallFailed as error:
                if isinstance(decide(error, caller.history), Repeat):
                    continue
            return


async def _by_fastmcp(server: fastmcp.FastMCP) -> None:
    """Call through FastMCP's middleware as it comes, but for its waits."""
    server.add_middleware(RetryMiddleware(base_delay=0))
    async with fastmcp.Client(server) as client:
        await client.call_tool("refund", raise_on_error=False)


async def _by_stamina(server: fastmcp.FastMCP) -> None:
    """Repeat whatever the client raises, three times as errata does, without waits."""
    async with fastmcp.Client(server) as client:
        with mock.patch("anyio.sleep", _no_time):

            @stamina.retry(on=ToolError, attempts=3, wait_initial=0, wait_max=0, wait_jitter=0)
            async def call() -> None:
                await client.call_tool("refund")

            try:
                await call()
            except ToolError:
                return


async def _no_time(_: float) -> None:
    """Take no time."""


def table() -> list[str]:
    """Return the table, in Markdown."""
    lines = [
        "| what comes back, after the refund was made | errata on both sides | FastMCP's RetryMiddleware | stamina around the client |",
        "|---|--:|--:|--:|",
    ]
    logging.disable()
    try:
        return lines + [f"| {row.what} | {row.errata} | {row.fastmcp} | {row.stamina} |" for row in rows()]
    finally:
        logging.disable(logging.NOTSET)
