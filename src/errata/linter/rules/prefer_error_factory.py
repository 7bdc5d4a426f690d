"""Finds `FaultError(Code.NOT_FOUND, …)` where `not_found(…)` says the same.

## Why it hurts

It works. But a reader has to find the code among the arguments, a mistyped one shows when the line runs, and the next
author copies the long form with the wrong code in it.

## Example

```python
from errata import Code, FaultError
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def get_order(order_id: str) -> dict:
    raise FaultError(Code.NOT_FOUND, f"There is no order {order_id}.")
```

## Write instead

The factory takes the same arguments without the code. `--fix` rewrites the call, and the import where it can.

```python
from errata import not_found
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def get_order(order_id: str) -> dict:
    raise not_found(f"There is no order {order_id}.")
```

## What it leaves alone

Codes without a factory, and a code that is known only when the program runs: that is what the constructor is for.
"""

import ast
from collections.abc import Iterator

from errata.linter.analysis import list_bound_names, read_error
from errata.linter.rules._rule import Rule
from errata.linter.source import Edit, Location, Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function
from errata.model import FACTORY_NAMES

_CONSTRUCTOR = "errata.FaultError"
_FACTORY_OF: dict[str, str] = {str(code): name for code, name in FACTORY_NAMES.items()}


def _check(function: Function) -> Iterator[Violation]:
    for site in function.calls if "FaultError" in function.called or _is_renamed(function) else ():
        call = site.node
        if not _may_be_constructor(function, call.func):
            continue
        error = read_error(function, call)
        factory = _FACTORY_OF.get(error.code)
        if error.name == _CONSTRUCTOR and factory:
            yield Violation(
                call,
                f"`{function.quote(call.func)}` is given a code that has a factory",
                f"write `{factory}(…)`, without the code",
                _make_edits(function, call, factory),
            )


def _is_renamed(function: Function) -> bool:
    return any(function.module.names.get(name) == _CONSTRUCTOR for name in function.called)


def _may_be_constructor(function: Function, called: ast.expr) -> bool:
    """Return whether a call may be one of the constructor; cheaper than resolving it."""
    match called:
        case ast.Name(id=name):
            return function.module.names.get(name) == _CONSTRUCTOR
        case ast.Attribute(attr=name):
            return name == "FaultError"
        case _:
            return False


def _make_edits(function: Function, call: ast.Call, factory: str) -> tuple[Edit, ...]:
    arguments = _remove_code(function, call)
    if arguments is None:
        return ()
    if isinstance(call.func, ast.Attribute):
        return Edit(function.locate(call.func), _write_beside(function, call.func, factory)), arguments
    imported = _import_factory(function, factory)
    return () if imported is None else (Edit(function.locate(call.func), factory), arguments, *imported)


def _write_beside(function: Function, called: ast.Attribute, factory: str) -> str:
    return f"{function.quote(called.value)}.{factory}"


def _remove_code(function: Function, call: ast.Call) -> Edit | None:
    """Return the edit that removes the code from the arguments; None if it is not plainly the first."""
    given = [*call.args, *(each for each in call.keywords)]
    if not call.args or isinstance(call.args[0], ast.Starred):
        return None
    opened, code, closed = function.locate(call.func), function.locate(call.args[0]), function.locate(call)
    if len(given) == 1:
        whole = Location(opened.end_line, opened.end_column, closed.end_line, closed.end_column)
        return Edit(whole, "()") if "#" not in function.module.lines.excerpt(whole) else None
    following = function.locate(given[1])
    gone = Location(code.line, code.column, following.line, following.column)
    is_plain = function.module.lines.excerpt(gone).strip() == f"{function.quote(call.args[0])},"
    return _join_arguments(function, call, gone) if is_plain else None


def _join_arguments(function: Function, call: ast.Call, gone: Location) -> Edit | None:
    """Return the edit that removes the code before other arguments; None if brackets stand around it."""
    before = function.locate(call.func)
    opening = function.module.lines.excerpt(Location(before.end_line, before.end_column, gone.line, gone.column))
    return Edit(gone, "") if opening.strip() == "(" else None


def _import_factory(function: Function, factory: str) -> tuple[Edit, ...] | None:
    """Return the edits that import the factory; None if its name is taken, or the import is not a plain line."""
    if function.module.names.get(factory) == f"errata.{factory}" and not _is_bound_again(function, factory, at_most=1):
        return ()
    if _is_bound_again(function, factory, at_most=0):
        return None
    for node in function.module.tree.body:
        match node:
            case ast.ImportFrom(module="errata", level=0, names=names) if node.lineno == node.end_lineno:
                return (_add_to_import(function, names, factory),)
            case _:
                continue
    return None


def _add_to_import(function: Function, names: list[ast.alias], factory: str) -> Edit:
    """Return the edit that adds a name to an import, in sorted order."""
    later = next((each for each in names if each.name[:1].islower() and each.name > factory), None)
    location = function.locate(later or names[-1])
    if later:
        return Edit(Location(location.line, location.column, location.line, location.column), f"{factory}, ")
    return Edit(Location(location.line, location.end_column, location.line, location.end_column), f", {factory}")


def _is_bound_again(function: Function, name: str, *, at_most: int) -> bool:
    """Return whether a name is bound in the file more often than `at_most` times, by whatever means."""
    return sum(map(name.__eq__, list_bound_names(function.module.tree))) > at_most


RULE = Rule("prefer-error-factory", Severity.WARNING, __doc__, in_function=_check, fixable=True)
