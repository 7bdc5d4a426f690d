"""Finds `except:` without a class in a handler, or in what it calls.

## Why it hurts

A bare `except` catches everything: a typo in the next line, Ctrl+C, and the cancellation of the call it is part of.
The agent gets an answer to a question it took back, and a bug in the server looks like an outage.

## Example

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except:
        raise RuntimeError("no orders")
```

## Write instead

Catch the exceptions you expect and have something to say about; leave the rest alone.

```python
from mcp.server.mcpserver import MCPServer

from errata import service_unavailable

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except ConnectionError as error:
        raise service_unavailable("The order service does not answer.") from error
```

## What it leaves alone

- A bare `except` that raises again what it caught.
- A bare `except` around an `await` that goes on after a cancellation: `swallowed-cancellation` reports it.
"""

from collections.abc import Iterator

from errata.linter.analysis import awaits, raises_again, swallows_cancellation
from errata.linter.rules._rule import Rule
from errata.linter.source import Location, Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function


def _check(function: Function) -> Iterator[Violation]:
    for site, clause in function.clauses:
        if clause.type is None and not raises_again(clause) and not swallows_cancellation(function, site, clause):
            line, column, *_ = function.locate(clause)
            yield Violation(
                Location(line, column, line, column + len("except:")),
                f"this `except` catches everything, {'cancellation' if awaits(site.node.body) else 'Ctrl+C'} included",
                "name the exceptions that are expected here, such as `except ConnectionError as error:`",
            )


RULE = Rule("bare-except", Severity.WARNING, __doc__, in_function=_check, needs=("tries",))
