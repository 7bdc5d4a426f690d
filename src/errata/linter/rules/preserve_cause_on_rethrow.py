"""Finds a new error that is raised in an `except` without the one that was caught.

## Why it hurts

Python remembers what came before, but not that it was the reason. errata, and everybody else who reads causes, goes by
`from` alone: a timeout that is raised as `RuntimeError("No answer.")` stays a timeout with `from error`, and without it
becomes an `INTERNAL_ERROR` which nobody repeats.

## Example

```python
from mcp.server.mcpserver import MCPServer

from errata import service_unavailable

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except ConnectionError:
        raise service_unavailable("The order service does not answer.")
```

## Write instead

Say where it comes from. `--fix` does.

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

- `from None`, which says that the cause is left out on purpose, and `cause=error`.
- `raise`, `raise error`, and a variable that was made elsewhere.
- `raise translated(error)`: a function that is given what was caught decides itself.
- One class that is caught and raised once more, in better words: what kind of failure it is does not get lost.
- An import that failed: what is missing is in the message.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from errata.linter.analysis import BROAD, CODE_OF_FACTORY, find_keyword, list_caught
from errata.linter.rules._rule import Rule
from errata.linter.source import Edit, Location, Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, Site, get_last_part, spell_name

# These end something on purpose, or ask; they are no account of a failure.
_NO_FAILURES = frozenset(
    {
        "KeyboardInterrupt",
        "StopAsyncIteration",
        "StopIteration",
        "SystemExit",
        "asyncio.CancelledError",
        "errata.NeedsInput",
    }
)
_MISSING_MODULES = frozenset({"ImportError", "ModuleNotFoundError"})
_NAMES = ("error", "caught", "cause")
_COLON = re.compile(r"\s*:")


def _check(function: Function) -> Iterator[Violation]:
    for site in function.raises:
        clause = _find_clause(site) if site.around and site.node.cause is None else None
        if clause is None or not _is_new(function, site.node.exc, clause) or _is_import(function, clause):
            continue
        if _is_the_same_kind(function, site.node, clause):
            continue
        name = clause.name or "error"
        yield Violation(
            site.node,
            f"what was caught is not named as the cause of `{_name_called(site.node)}`",
            f"raise it `from {name}`" if clause.name else f"write `except … as {name}:`, and raise this `from {name}`",
            _make_edits(function, site.node, clause),
        )


def _find_clause(site: Site[ast.Raise]) -> ast.ExceptHandler | None:
    """Return the except clause around a raise; None inside a nested `try`, which may catch it."""
    for block in site.walk_blocks():
        if isinstance(block, ast.ExceptHandler):
            return block
        if isinstance(block, ast.Try | ast.TryStar) and block.handlers:
            return None
    return None


def _is_new(function: Function, raised: ast.expr | None, clause: ast.ExceptHandler) -> bool:
    """Return whether a new error is raised, and neither the caught one nor what a function made of it."""
    match raised:
        case ast.Call(func=ast.Attribute(attr="with_traceback")):
            return False
        case ast.Call():
            name = function.resolve(raised.func) or "?"
            return name not in _NO_FAILURES and not _keeps(raised, name, clause.name)
        case ast.Name() | ast.Attribute():
            name = function.resolve(raised) or "?"
            return get_last_part(spell_name(raised) or "")[:1].isupper() and name not in _NO_FAILURES
        case _:
            return False


def _keeps(call: ast.Call, name: str, caught: str | None) -> bool:
    """Return whether a call is given the caught exception in a way that keeps it as the cause."""
    if find_keyword(call, "cause") is not None or any(each.arg is None for each in call.keywords):
        return True
    if name in CODE_OF_FACTORY or caught is None:
        return False
    given = [each.value for each in call.keywords]
    if not get_last_part(spell_name(call.func) or "").lstrip("_")[:1].isupper():
        given += call.args
    return any(isinstance(each, ast.Name) and each.id == caught for each in given)


def _is_import(function: Function, clause: ast.ExceptHandler) -> bool:
    return _MISSING_MODULES.issuperset(list_caught(function, clause))


def _is_the_same_kind(function: Function, raised: ast.Raise, clause: ast.ExceptHandler) -> bool:
    """Return whether the caught class is raised again with another message."""
    made = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
    return [function.resolve(made)] == list_caught(function, clause) and function.resolve(made) not in BROAD


def _name_called(raised: ast.Raise) -> str:
    made = raised.exc.func if isinstance(raised.exc, ast.Call) else raised.exc
    return (spell_name(made) if made else None) or "this error"


def _make_edits(function: Function, raised: ast.Raise, clause: ast.ExceptHandler) -> tuple[Edit, ...]:
    """Return the edits that add `from …`, if the name certainly still holds the caught exception."""
    end = function.locate(raised)
    behind = Location(end.end_line, end.end_column, end.end_line, end.end_column)
    inside = [node for each in clause.body for node in ast.walk(each)]
    if clause.name:
        return () if clause.name in _list_bound(inside) else (Edit(behind, f" from {clause.name}"),)
    if any(isinstance(node, ast.ExceptHandler) and node.name is None for node in inside):
        return ()  # It may get the same name in the same run, and forget it when it ends; the next run sees it.
    name = _choose_name(function, inside)
    location = _find_end_of_classes(function, clause)
    return (Edit(location, f" as {name}"), Edit(behind, f" from {name}")) if name and location else ()


def _list_bound(nodes: Iterable[ast.AST]) -> set[str]:
    """List the names that a piece of code binds again or deletes."""
    names: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.MatchMapping(rest=str(name)) | ast.arg(arg=name):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                names.update(several)
            case _:
                continue
    return names


def _choose_name(function: Function, inside: Iterable[ast.AST]) -> str | None:
    """Return a name that the function does not use yet."""
    whole = [*ast.walk(function.node)]
    taken = {node.id for node in whole if isinstance(node, ast.Name)}
    taken |= _list_bound(node for node in whole if not isinstance(node, ast.ExceptHandler)) | _list_bound(inside)
    taken |= _list_named_clauses(function)
    return next((name for name in _NAMES if name not in taken), None)


def _list_named_clauses(function: Function) -> set[str]:
    """List the names bound by enclosing except clauses."""
    return {
        block.name
        for site, clause in function.clauses
        if clause.name is None
        for block in site.walk_blocks()
        if isinstance(block, ast.ExceptHandler) and block.name
    }


def _find_end_of_classes(function: Function, clause: ast.ExceptHandler) -> Location | None:
    """Return where `as …` can be inserted; None if there are brackets, a comment, or no class."""
    if clause.type is None:
        return None
    end = function.locate(clause.type)
    rest = function.module.lines.get_line(end.end_line)[end.end_column - 1 :]
    return Location(end.end_line, end.end_column, end.end_line, end.end_column) if _COLON.match(rest) else None


RULE = Rule("preserve-cause-on-rethrow", Severity.WARNING, __doc__, in_function=_check, needs=("tries",), fixable=True)
