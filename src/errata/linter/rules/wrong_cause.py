"""Finds an `except` for everything that reports one particular cause: every failure becomes "not found".

## Why it hurts

The clause cannot know that. A time-out, a refused connection, an expired token and a typo in the server all arrive
here too, and each is reported as "no such order". The agent believes it: it creates the order a second time, asks the
user for another key, or gives up on what would have worked a minute later.

## Example

```python
from mcp.server.mcpserver import MCPServer

from errata import not_found

server = MCPServer("orders")


@server.tool()
async def find_order(number: int) -> dict[str, object]:
    try:
        return await client.fetch(number)
    except Exception as error:
        raise not_found(f"No order {number}.") from error
```

## Write instead

Catch only what has that cause; let everything else be raised.

```python
import httpx
from mcp.server.mcpserver import MCPServer

from errata import not_found

server = MCPServer("orders")


@server.tool()
async def find_order(number: int) -> dict[str, object]:
    try:
        return await client.fetch(number)
    except httpx.HTTPStatusError as error:
        if error.response.status_code == 404:
            raise not_found(f"No order {number}.") from error
        raise
```

## What it leaves alone

- A clause that looks at what it caught: `if "404" in str(error)`, `isinstance`, a status, a function that is given it.
- Text that names more than one cause ("not found or not reachable"), or that holds the exception's own.
- A `try` that only reads a value: `except Exception: raise invalid_params("`since` is no date.")` around a parser is
  right about the cause, though it catches too much.
- Narrow clauses: `except KeyError`, `except FileNotFoundError`; and a last clause after narrow ones.
"""

import ast
import re
from collections.abc import Iterator

from errata.linter.analysis import CODE_OF_FACTORY, find_tried_call, is_broad, read_literal_text, tells_status
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, Site, Try, get_last_part

# What claims to know the cause: factories, and classes of Python's.
_CAUSES = frozenset(
    [
        "FileNotFoundError",
        "PermissionError",
        "conflict",
        "forbidden",
        "gone",
        "insufficient_balance",
        "invalid_params",
        "not_found",
        "rate_limited",
        "unauthorized",
        "validation_error",
    ]
)
_BLAMES_ARGUMENT = ("`invalid_params`", "`validation_error`", '"invalid')
_CLAIM = re.compile(
    r"\b(not found|no [\w ]{1,30} found|does not exist|doesn't exist|no such|unauthori[sz]ed|access denied"
    r"|permission denied|rate limit(ed| exceeded)?"
    r"|invalid (api[ _-]?key|token|credentials|password|id|key|url|date|query))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(or|may|might|maybe|possibly|perhaps|probably|likely|check|ensure|verify|could be)\b", re.IGNORECASE
)
_HELP = "catch only what has this cause, such as `except KeyError:` or a status of 404, and let the rest be raised"


def _check(function: Function) -> Iterator[Violation]:
    for site, clause in function.clauses:
        if is_broad(function, clause) and not tells_status(function):
            yield from _check_clause(function, site, clause)


def _check_clause(function: Function, site: Site[Try], clause: ast.ExceptHandler) -> Iterator[Violation]:
    claim = _read_claim(function, clause.body[-1])
    if claim is None or _looks_at_it(clause) or len(site.node.handlers) > 1:
        return
    # A function of the project's may well be a parser: then it is the argument that is wrong.
    enough = {"outside"} if claim.startswith(_BLAMES_ARGUMENT) else {"outside", "inside"}
    if find_tried_call(function, site.node).kind in enough:
        yield Violation(clause.body[-1], f"every exception is told as {claim}, a time-out and an outage too", _HELP)


def _read_claim(function: Function, last: ast.stmt) -> str | None:
    match last:
        case ast.Raise(exc=ast.Call(func=called)):
            name = function.resolve(called) or ""
            known = name in CODE_OF_FACTORY or "." not in name
            if known and get_last_part(name) in _CAUSES:
                return f"`{get_last_part(name)}`"
            return _find_claim(last.exc)
        case ast.Return(value=ast.expr() as value):
            return _find_claim(value)
        case _:
            return None


def _find_claim(value: ast.AST | None) -> str | None:
    """Return a text that claims one cause, quoted."""
    for node in _list_texts(value) if value is not None else ():
        text = read_literal_text(node)
        claim = _CLAIM.search(text)
        if claim and not _HEDGE.search(text.strip()):
            return f'"{claim[0].lower()}"'
    return None


def _list_texts(value: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(value):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield node


def _looks_at_it(clause: ast.ExceptHandler) -> bool:
    """Return whether a clause branches, tries again, or passes on the exception's own text."""
    if any(isinstance(each, ast.If | ast.Match | ast.Try | ast.For | ast.While | ast.With) for each in clause.body):
        return True
    last = clause.body[-1]
    raised = last.exc if isinstance(last, ast.Raise) else last
    return clause.name is not None and any(
        isinstance(node, ast.Name) and node.id == clause.name for node in ast.walk(raised or last)
    )


RULE = Rule("wrong-cause", Severity.WARNING, __doc__, in_function=_check, needs=("tries",))
