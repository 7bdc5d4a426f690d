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

errata's `retry` repeats only what has not happened: what was refused and, in a function that is declared with
`@marks_effects`, what failed before the effect began.

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

from errata.linter.link import LinkedHandler, LocatedFunction, is_guarded, locate_head
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.summary import SideEffect
from errata.linter.syntax import get_last_part
from errata.tools import does_more_each_time, reads

_INSTEAD = (
    "use `errata.resilience.retry`, which repeats only what has not happened, or declare `idempotentHint=True` if it is"
)
_DONE = "also after a timeout, when it may have been done already"


def _check(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    if handler.kind != "tool" or handler.hints is None or handler.is_repeatable:
        return
    if not reads(handler.name):
        yield from _check_tool(handler)
    if does_more_each_time(handler.name):
        for where in handler.reached:
            yield from _check_service(where, is_tool=where == handler.where)


def _check_tool(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    """Report what repeats the whole tool."""
    where = handler.where
    for effect in where.function.side_effects:
        if effect.kind == "retried":
            yield _make_violation(where, effect, f"`{effect.what}` repeats `{handler.name}`, {_DONE}")
    for decorator in map(get_last_part, where.function.decorators):
        if _is_own_retry(handler, decorator):
            message = f"`{decorator}` repeats `{handler.name}`, {_DONE}"
            yield LinkedViolation(where.file.path, locate_head(where), message, _INSTEAD)


def _is_own_retry(handler: LinkedHandler, decorator: str) -> bool:
    """Return whether a decorator of the project is named like a retry, and calls its function in a loop."""
    inside = (each for each in handler.reached if each.function.name.partition(".")[0] == decorator)
    return "retr" in decorator.lower() and any(
        effect.kind == "repeats given" for each in inside for effect in each.function.side_effects
    )


def _check_service(where: LocatedFunction, *, is_tool: bool) -> Iterator[LinkedViolation]:
    """Report what is repeated below a tool whose calls add up."""
    side_effects = where.function.side_effects
    deed = next(
        (
            effect
            for effect in side_effects
            if effect.kind == "sends" or (effect.kind == "changes" and effect.each_time)
        ),
        None,
    )
    for effect in side_effects:
        if effect.kind == "repeats":
            yield _make_violation(where, effect, f"this loop repeats `{effect.what}`, {_DONE}")
        if effect.kind == "retried" and deed and not is_tool and not is_guarded(where):
            yield _make_violation(where, effect, f"`{effect.what}` repeats `{deed.what}`, {_DONE}")


def _make_violation(where: LocatedFunction, effect: SideEffect, message: str) -> LinkedViolation:
    return LinkedViolation(where.file.path, effect.location, message, _INSTEAD)


RULE = Rule("retry-without-safety", Severity.WARNING, __doc__, of_handler=_check)
