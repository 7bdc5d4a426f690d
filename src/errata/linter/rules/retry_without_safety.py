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

from errata.linter.link import Handler, LocatedFunction, is_guarded, locate_head
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.summary import SideEffect
from errata.linter.syntax import get_last_part
from errata.tools import does_more_each_time, reads

_INSTEAD = (
    "use `errata.resilience.retry`, which repeats only what has not happened, or declare `idempotentHint=True` if it is"
)
_DONE = "also after a timeout, when it may have been done already"


def _check(handler: Handler) -> Iterator[LinkedViolation]:
    if handler.kind != "tool" or handler.hints is None or handler.is_repeatable:
        return
    if not reads(handler.name):
        yield from _check_tool(handler)
    if does_more_each_time(handler.name):
        for where in handler.reached:
            yield from _check_service(where, is_tool=where == handler.where)


def _check_tool(handler: Handler) -> Iterator[LinkedViolation]:
    """Find what repeats the tool as a whole."""
    where = handler.where
    for side_effect in where.function.side_effects:
        if side_effect.kind == "retried":
            yield _list_repeated(where, side_effect, f"`{side_effect.what}` repeats `{handler.name}`, {_DONE}")
    for decorator in map(get_last_part, where.function.decorators):
        if _is_own_retry(handler, decorator):
            message = f"`{decorator}` repeats `{handler.name}`, {_DONE}"
            yield LinkedViolation(where.file.path, locate_head(where), message, _INSTEAD)


def _is_own_retry(handler: Handler, decorator: str) -> bool:
    """Whether a decorator of the project's own is called a retry, and has a loop that calls what it was given."""
    inside = (each for each in handler.reached if each.function.name.partition(".")[0] == decorator)
    return "retr" in decorator.lower() and any(
        side_effect.kind == "repeats given" for each in inside for side_effect in each.function.side_effects
    )


def _check_service(where: LocatedFunction, *, is_tool: bool) -> Iterator[LinkedViolation]:
    """Find what is repeated below a tool that does something more each time."""
    side_effects = where.function.side_effects
    deed = next(
        (
            side_effect
            for side_effect in side_effects
            if side_effect.kind == "sends" or (side_effect.kind == "changes" and side_effect.each_time)
        ),
        None,
    )
    for side_effect in side_effects:
        if side_effect.kind == "repeats":
            yield _list_repeated(where, side_effect, f"this loop repeats `{side_effect.what}`, {_DONE}")
        if side_effect.kind == "retried" and deed and not is_tool and not is_guarded(where):
            yield _list_repeated(where, side_effect, f"`{side_effect.what}` repeats `{deed.what}`, {_DONE}")


def _list_repeated(where: LocatedFunction, side_effect: SideEffect, message: str) -> LinkedViolation:
    return LinkedViolation(where.file.path, side_effect.location, message, _INSTEAD)


RULE = Rule("retry-without-safety", Severity.WARNING, __doc__, of_handler=_check)
