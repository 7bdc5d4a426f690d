"""Finds retries around what must not happen twice: a decorator on a tool, or a loop around a request that creates.

## Why it hurts

A retry repeats whatever failed, a timeout included. But after a timeout the order may have been placed, the mail sent, the
money moved; the second attempt does it again, and the agent that asked for one order is told of one.

## Example

```python
import httpx
import tenacity
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
@tenacity.retry(stop=tenacity.stop_after_attempt(3))
async def create_order(article: str) -> str:
    async with httpx.AsyncClient() as client:
        answer = await client.post("https://orders.example", json={"article": article})
    return answer.text
```

## Write instead

errata's `retry` repeats only what has not happened: what was refused, or what failed before the effect began.

```python
import httpx
from mcp.server.mcpserver import MCPServer

from errata.resilience import effect, retry

server = MCPServer("orders")


@server.tool()
@retry
async def create_order(article: str) -> str:
    async with httpx.AsyncClient() as client:
        with effect(verify_tool="list_orders"):
            answer = await client.post("https://orders.example", json={"article": article})
    return answer.text
```

With tenacity or stamina: `retry=tenacity.retry_if_exception(backoff_for)`, `stamina.retry(on=backoff_for)`.

## What it leaves alone

Tools that are declared read-only or idempotent, or whose name says that they read; retries of nothing but refusals
(`ConnectError`, `RateLimitError`), and loops that look at what went wrong before they go on.
"""

from collections.abc import Iterator

from errata.linter.link import Handler, Located, head_of, is_guarded
from errata.linter.rules._rule import Rule, Told
from errata.linter.source import Severity
from errata.linter.summary import Act
from errata.linter.syntax import last_of
from errata.tools import does_more_each_time, reads

_INSTEAD = (
    "use `errata.resilience.retry`, which repeats only what has not happened, or declare `idempotentHint=True` if it is"
)
_DONE = "also after a timeout, when it may have been done already"


def _told(handler: Handler) -> Iterator[Told]:
    if handler.kind != "tool" or handler.hints is None or handler.is_repeatable:
        return
    if not reads(handler.name):
        yield from _of_tool(handler)
    if does_more_each_time(handler.name):
        for where in handler.reached:
            yield from _of_service(where, is_tool=where == handler.where)


def _of_tool(handler: Handler) -> Iterator[Told]:
    """Find what repeats the tool as a whole."""
    where = handler.where
    for act in where.function.acts:
        if act.kind == "retried":
            yield _repeated(where, act, f"`{act.what}` repeats `{handler.name}`, {_DONE}")
    for decorator in map(last_of, where.function.decorators):
        if _is_own_retry(handler, decorator):
            message = f"`{decorator}` repeats `{handler.name}`, {_DONE}"
            yield Told(where.file.path, head_of(where), message, _INSTEAD)


def _is_own_retry(handler: Handler, decorator: str) -> bool:
    """Whether a decorator of the project's own is called a retry, and has a loop that calls what it was given."""
    inside = (each for each in handler.reached if each.function.name.partition(".")[0] == decorator)
    return "retr" in decorator.lower() and any(
        act.kind == "repeats given" for each in inside for act in each.function.acts
    )


def _of_service(where: Located, *, is_tool: bool) -> Iterator[Told]:
    """Find what is repeated below a tool that does something more each time."""
    acts = where.function.acts
    deed = next((act for act in acts if act.kind == "sends" or (act.kind == "changes" and act.each_time)), None)
    for act in acts:
        if act.kind == "repeats":
            yield _repeated(where, act, f"this loop repeats `{act.what}`, {_DONE}")
        if act.kind == "retried" and deed and not is_tool and not is_guarded(where):
            yield _repeated(where, act, f"`{act.what}` repeats `{deed.what}`, {_DONE}")


def _repeated(where: Located, act: Act, message: str) -> Told:
    return Told(where.file.path, act.place, message, _INSTEAD)


RULE = Rule("retry-without-safety", Severity.WARNING, __doc__, of_handler=_told)
