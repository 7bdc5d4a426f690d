"""Finds places that catch the cancellation of a call and go on: `except BaseException`, `except CancelledError`, `suppress`.

## Why it hurts

A client that takes a call back, or a timeout that fires, cancels the task; cancellation travels through the code as an
exception. Whoever catches it and goes on answers a question that nobody asks any more, keeps connections and locks, and
makes every timeout around it wait for work that should have stopped.

## Example

```python
import asyncio

from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except asyncio.CancelledError:
        return 0
```

## Write instead

Clean up if there is something to clean up, then let it go on:

```python
import asyncio

from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except asyncio.CancelledError:
        orders.forget(customer)
        raise
```

In place of `except BaseException` and of `except:`, write `except Exception`: cancellation is not one.

## What it leaves alone

- A function that cancels a task of its own and waits for its end: `task.cancel()`, then `await task`.
- Functions that close things, by their names: `close`, `shutdown`, `lifespan`.
- Clauses that raise, and those that hand what they caught to somebody else: `future.set_exception(error)`.
- A clause that catches cancellation by name and returns a partial result at once.
- A task that the function has tested with `done()`, and the body of a task that other code cancels: `_run`, `worker`.
- Code that awaits nothing: no cancellation arrives there.
"""

import ast
from collections.abc import Iterator

from errata.linter.analysis import find_suppressed_cancellations, is_cancellation, list_caught, swallows_cancellation
from errata.linter.rules._rule import Rule
from errata.linter.source import Location, Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function


def _check(function: Function) -> Iterator[Violation]:
    for site, clause in function.clauses:
        if swallows_cancellation(function, site, clause):
            yield Violation(_choose_location(function, clause), _write_message(function, clause), _write_help(clause))
    for call, name in find_suppressed_cancellations(function):
        yield Violation(
            call,
            f"`suppress({name})` ends the cancellation of this call, and what follows is run all the same",
            "suppress the exceptions that are expected here, and let cancellation go on",
        )


def _choose_location(function: Function, clause: ast.ExceptHandler) -> Location:
    line, column, *_ = function.locate(clause)
    return Location(line, column, line, column + len("except"))


def _write_message(function: Function, clause: ast.ExceptHandler) -> str:
    if clause.type is None:
        return "this `except` also catches the cancellation of this call, and does not raise it again"
    kinds = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    names = zip(kinds, list_caught(function, clause), strict=True)
    kind_name = next(function.quote(kind) for kind, name in names if is_cancellation(name))
    return f"`except {kind_name}` catches the cancellation of this call, and does not raise it again"


def _write_help(clause: ast.ExceptHandler) -> str:
    if clause.type is None or (isinstance(clause.type, ast.Name) and clause.type.id == "BaseException"):
        return "write `except Exception` (cancellation is not one), or end the clause with `raise`"
    return "end the clause with `raise`, so that whoever cancelled the call sees it end"


RULE = Rule("swallowed-cancellation", Severity.ERROR, __doc__, in_function=_check, needs=("tries", "withs"))
