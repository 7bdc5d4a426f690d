"""What is inside lists, tuples and dictionaries that are written out, also under a name."""

import ast
from collections.abc import Iterable, Iterator

from errata.linter._code import Function


def listed(function: Function, expression: ast.expr | None) -> list[ast.expr]:
    """Give the items of a list, a tuple or a set, or the values of a dictionary; nested ones are opened."""
    match _held(function, expression):
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return list(_flat(items))
        case ast.Dict(values=items):
            return list(_flat(items))
        case ast.Call(func=ast.Attribute(value=inside, attr="items" | "values")):
            return listed(function, inside)
        case _:
            return []


def picked(function: Function, called: ast.expr) -> list[ast.expr]:
    """Give what may be called where one of several is picked: `HANDLERS[name](…)`, `HANDLERS.get(name)`."""
    match _held(function, called):
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
            held = _held(function, table)
            return listed(function, held) if isinstance(held, ast.Dict) else []
        case _:
            return []


def table_of(function: Function, called: ast.expr) -> ast.expr | None:
    """Give the table that a function is picked from, by its name."""
    match _held(function, called):
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
            return table if isinstance(table, ast.Name | ast.Attribute) else None
        case _:
            return None


def _held(function: Function, expression: ast.expr | None) -> ast.expr | None:
    """Look behind a name: a local one, one of the module, or an attribute of the class."""
    match expression:
        case ast.Name(id=name):
            bound = (scope.bindings[name] for scope in function.scopes() if name in scope.bindings)
            return next(bound, expression)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            owner = next((each.owner for each in function.scopes() if each.owner), None)
            return owner.bindings[name][1] if owner and name in owner.bindings else expression
        case _:
            return expression


def _flat(items: Iterable[ast.expr]) -> Iterator[ast.expr]:
    for item in items:
        if isinstance(item, ast.Tuple | ast.List):
            yield from _flat(item.elts)
        elif isinstance(item, ast.Dict):
            yield from _flat(item.values)
        else:
            yield item
