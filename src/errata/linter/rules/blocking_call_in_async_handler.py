"""Finds calls that stop the event loop, in an async handler or in what it calls there: no time limit can end them.

## Why it hurts

While `requests.get` or `subprocess.run` waits, nothing else runs: not the other calls of the server, not the client's
cancellation, and not the `asyncio.timeout` around it. An upstream that hangs becomes a server that hangs, and instead of
a TIMEOUT it could act on, the agent gets no answer at all.

## Example

```python
import asyncio

import requests
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def get_order(number: int) -> str:
    async with asyncio.timeout(5):  # cannot fire: the loop stands still
        return requests.get(f"https://orders.example/{number}").text
```

## Write instead

Await a client that is made for it, or let a thread wait:

```python
import asyncio

import requests
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def get_order(number: int) -> str:
    answer = await asyncio.to_thread(requests.get, f"https://orders.example/{number}", timeout=5)
    return answer.text
```

## What it leaves alone

Functions that are handed on (`asyncio.to_thread(fetch, 5)`, `run_in_executor(None, lambda: fetch(5))`), tools that are plain
functions, sleeps of less than a second, and what is over quickly, such as SQLite or small files.
"""

from collections.abc import Iterator

from errata.linter.link import LinkedHandler
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity

_INSTEAD = {
    "time.sleep": "write `await asyncio.sleep(…)`",
    "subprocess": "await `asyncio.create_subprocess_exec(…)`, or write `await asyncio.to_thread({what}, …)`",
    "requests": "await `httpx.AsyncClient`, or write `await asyncio.to_thread({what}, …)`",
    "httpx": "await the same method of `httpx.AsyncClient`",
}


def _check(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    for where in handler.in_loop:
        for effect in where.function.side_effects:
            if effect.kind == "blocks":
                yield LinkedViolation(
                    where.file.path,
                    effect.location,
                    _write_message(effect.what, is_async=where.function.is_async),
                    _write_help(effect.what),
                )


def _write_message(what: str, *, is_async: bool) -> str:
    where = "" if is_async else ", because an async function calls this one"
    return f"`{what}` stops the event loop{where}: until it is back, no time limit and no cancellation can end the call"


def _write_help(what: str) -> str:
    general = "write `await asyncio.to_thread({what}, …)`"
    return _INSTEAD.get(what, _INSTEAD.get(what.partition(".")[0], general)).format(what=what)


RULE = Rule("blocking-call-in-async-handler", Severity.WARNING, __doc__, of_handler=_check)
