"""Finds a handler that raises a class which says nothing: `Exception`, `RuntimeError` and the like.

## Why it hurts

The class is what tells an agent, or whoever answers it, what kind of failure this is. `RuntimeError` is every kind and
none: it becomes `INTERNAL_ERROR`, which an agent can only report, though the order was merely not found or the next call
would have worked. With `from error` errata still looks at the cause; nobody else does.

## Example

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def get_order(order_id: str) -> dict:
    order = await orders.find(order_id)
    if order is None:
        raise RuntimeError(f"There is no order {order_id}.")
    return order
```

## Write instead

Raise the error that says what happened. There is a factory for each kind: `not_found`, `conflict`, `rate_limited`, …

```python
from mcp.server.mcpserver import MCPServer

from errata import not_found

server = MCPServer("orders")


@server.tool()
async def get_order(order_id: str) -> dict:
    order = await orders.find(order_id)
    if order is None:
        raise not_found(f"There is no order {order_id}.")
    return order
```

## What it leaves alone

- Classes that say what is wrong: `ValueError`, `PermissionError`, `FileNotFoundError`, `TimeoutError`, your own.
- What says that it cannot happen (`TypeError`, "unreachable", a test with `isinstance`): that is a bug, and reported as one.
- What is raised and caught in the same function.
- Functions that a handler calls: they may not know that there is an agent.
"""

import ast
import re
from collections.abc import Iterator

from errata.linter.analysis import BROAD, find_messages, list_caught_around, list_raised_calls, read_words
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, Site

# Each becomes an `INTERNAL_ERROR`, as far as its class goes.
_SAY_NOTHING = frozenset(
    {
        "ArithmeticError",
        "BaseException",
        "Exception",
        "KeyError",
        "LookupError",
        "RuntimeError",
        "SystemError",
    }
)
_BASES = {"KeyError": "LookupError"}

# The first that is in the message. What a sentence denies comes before what it asks for.
_BUG = re.compile(r"unexpected\b.*\btype|unreachable|should (never|not) (happen|be reached)|cannot happen|impossible")
_WORDS = (
    (r"rate.?limit|too many requests|quota", "rate_limited"),
    (r"timed? ?out|took too long", "timeout"),
    (
        r"\bapi.?key|\bcredentials|environment variable|not configured|misconfigured|not initiali[sz]ed",
        "configuration_error",
    ),
    (r"unauthori[sz]ed|not authenticated|authenticat|log ?in|token", "unauthorized"),
    (r"permission|forbidden|denied|read.only", "forbidden"),
    (r"not allowed|not permitted|disabled", "operation_not_allowed"),
    (r"already exists|conflict", "conflict"),
    (
        r"not found|no such|does not exist|doesn't exist|could not find|couldn't find|unknown|^no \S+ (?:found|for)",
        "not_found",
    ),
    (r"not (?:yet )?implemented", "not_implemented"),
    (r"unavailable|not running|unreachable|connect", "service_unavailable"),
    (
        r"invalid|unsupported|must (?:be|have|not)|required|\bexpected|cannot be empty|should be|missing|provide",
        "validation_error",
    ),
    (r"\bapi\b|status|upstream|http|response|request", "upstream_error"),
    (r"\bsql\b|database", "database_error"),
)


def _check(function: Function) -> Iterator[Violation]:
    for site in function.raises:
        name = _name_class(function, site.node)
        if name in _SAY_NOTHING and not _is_caught_here(function, site, name) and not _is_of_a_bug(function, site.node):
            yield Violation(
                site.node,
                f"`{name}` does not say what kind of failure this is",
                f"raise {_write_advice(function, site.node)}",
            )


def _name_class(function: Function, raised: ast.Raise) -> str:
    call = next(list_raised_calls(function, raised), None)
    return function.resolve(call.func if call else raised.exc) or ""


def _is_caught_here(function: Function, site: Site[ast.Raise], name: str) -> bool:
    caught = set(list_caught_around(function, site)) if site.around else set[str]()
    return not caught.isdisjoint({*BROAD, name, _BASES.get(name, name)})


def _is_of_a_bug(function: Function, raised: ast.Raise) -> bool:
    """Return whether an error tells of a bug, by its words or after an `isinstance` test: `INTERNAL_ERROR` is right for it."""
    return bool(_BUG.search(_read_words(function, raised))) or any(
        raised in each.node.body and _is_about_type(each.node.test) for each in function.ifs
    )


def _is_about_type(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="isinstance"))):
            return True
        case _:
            return False


def _read_words(function: Function, raised: ast.Raise) -> str:
    messages = (message for call in list_raised_calls(function, raised) for message in find_messages(function, call))
    return " ".join(read_words(message).lower() for message in messages)


def _write_advice(function: Function, raised: ast.Raise) -> str:
    words = _read_words(function, raised)
    for pattern, factory in _WORDS:
        if re.search(pattern, words):
            return f"`errata.{factory}(…)`, which tells the agent what to do next"
    return "one of errata's errors, such as `not_found(…)` or `upstream_error(…)`, which tell the agent what to do next"


RULE = Rule(
    "prefer-mcp-error-in-handler", Severity.WARNING, __doc__, in_function=_check, needs=("raises",), only_handlers=True
)
