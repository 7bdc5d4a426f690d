"""Finds an error that a handler returns as if it were a result: `return "Error: no such order"`, `return {"error": …}`.

## Why it hurts

The protocol has a flag for this, and nothing sets it here. To the client the call has succeeded: it is counted, cached
and shown as a success, no retry and no alarm sees it, and an agent that reads quickly goes on with "Error: no such order"
as the data it asked for. Raised errors carry isError, a code, and whether trying again helps.

## Example

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")
ORDERS = {17: {"total": 12}}


@server.tool()
def find_order(number: int) -> dict[str, object]:
    if number not in ORDERS:
        return {"error": f"No order {number}."}
    return ORDERS[number]
```

## Write instead

```python
from mcp.server.mcpserver import MCPServer

from errata import Recovery, not_found

server = MCPServer("orders")
ORDERS = {17: {"total": 12}}


@server.tool()
def find_order(number: int) -> dict[str, object]:
    if number not in ORDERS:
        raise not_found(f"No order {number}.", recovery=Recovery(hint="List the orders with `list_orders` first."))
    return ORDERS[number]
```

## What it leaves alone

- Returns in an `except` clause: `fake-empty-data` reports those.
- Results with `isError`, and results with an `errors` list beside data or a status such as `valid`.
- Tools whose job is to report a status: `health_check`, `validate_config`, `status`.
- "No orders found": an empty result is a result.
- Errors that a function of the project makes, such as `return failure("…")`.
- Prompts, whose text is for a person to read, and functions that a handler calls.
"""

import re
from collections.abc import Iterator

from errata.linter.analysis import ErrorAnswer, read_error_answer, tells_status
from errata.linter.link import LinkedHandler
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function

_MOST_SHOWN = 60

# What is said, and the factory for it; the first that fits.
_FACTORIES = (
    (r"unknown (tool|command|action|operation)", "`raise invalid_params(…, field=…)`"),
    (r"time(d )?out", "`raise timeout(…)`"),
    (r"rate limit|too many requests", "`raise rate_limited(…)`"),
    (
        r"api[ _-]?key|not configured|environment variable|not installed|credentials|config",
        "`raise configuration_error(…)`",
    ),
    (r"read[- ]only|not allowed|permission|denied|forbidden|disabled|refus", "`raise forbidden(…)`"),
    (r"already|conflict", "`raise conflict(…)`"),
    (r"not found|does not exist|doesn't exist|no such|^no |not exist", "`raise not_found(…)`"),
    (
        r"required|must|invalid|missing|expected|empty|provide|specify|unsupported|unknown|range|either|format",
        "`raise invalid_params(…, field=…)`",
    ),
    (r"unavailable|not connected|not running|unreachable|connect", "`raise service_unavailable(…)`"),
)


def _check(function: Function) -> Iterator[Violation]:
    for site in function.returns:
        if site.node.value is None or site.clause is not None:
            continue
        answer = read_error_answer(site.node.value)
        if answer and not tells_status(function):
            yield Violation(site.node, _write_message(answer), _write_help(answer))


def _write_message(answer: ErrorAnswer) -> str:
    shown = answer.text.strip().partition("\n")[0]
    shown = shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"
    quoted = f' ("{shown}")' if shown.strip("…") else ""
    return f"an error is returned as a result: {answer.looks}{quoted}, without isError"


def _write_help(answer: ErrorAnswer) -> str:
    text = answer.text.lower()
    fitting = next((factory for words, factory in _FACTORIES if re.search(words, text)), None)
    return f"raise it, so that the client is told that the call failed: {fitting or _ANY}"


_ANY = "`raise not_found(…)`, `raise invalid_params(…, field=…)`, or the factory that fits"


def _answers_calls(handler: LinkedHandler) -> bool:
    return handler.kind != "prompt"


RULE = Rule(
    "error-as-result",
    Severity.WARNING,
    __doc__,
    in_function=_check,
    needs=("returns",),
    only_handlers=True,
    concerns=_answers_calls,
)
