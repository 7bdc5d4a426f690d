"""What names were set to: attributes of `self`, module-level names, and tables that functions are chosen from."""

import ast
from collections.abc import Iterable, Iterator

from errata.linter.syntax._syntax_tree import Function


def resolve_origin(function: Function, node: ast.AST) -> str | None:
    """Return what an expression stands for, looking through attributes of `self` and module-level names."""
    name = function.resolve(node)
    own = f"{function.module.id}."
    if name is None or not name.startswith(own):
        return name
    head, called, rest = name.removeprefix(own).partition("().")
    made = function.module.classes.get(head) if called else None
    attribute, dot, tail = rest.partition(".")
    if made is None or attribute not in made.bindings:
        return _resolve_global(function, name.removeprefix(own)) or name
    where, value = made.bindings[attribute]
    held = (where or function.module.body).resolve(value)
    return f"{held}{dot}{tail}" if held else name


def _resolve_global(function: Function, name: str) -> str | None:
    """Return what a module-level name was set to: `SESSION = requests.Session()`."""
    head, dot, tail = name.partition(".")
    value = function.module.body.bindings.get(head)
    held = function.module.body.resolve(value) if value is not None else None
    return f"{held}{dot}{tail}" if held else None


def list_items(function: Function, expression: ast.expr | None) -> list[ast.expr]:
    """Return the items of a list, tuple or set, or the values of a dictionary, flattened."""
    match _look_behind(function, expression):
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return list(_flatten(items))
        case ast.Dict(values=items):
            return list(_flatten(items))
        case ast.Call(func=ast.Attribute(value=inside, attr="items" | "values")):
            return list_items(function, inside)
        case _:
            return []


def list_choices(function: Function, called: ast.expr) -> list[ast.expr]:
    """Return the functions that `HANDLERS[name](…)` or `HANDLERS.get(name)` chooses from."""
    match _look_behind(function, called):
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
            held = _look_behind(function, table)
            return list_items(function, held) if isinstance(held, ast.Dict) else []
        case _:
            return []


def find_table(function: Function, called: ast.expr) -> ast.expr | None:
    """Return the table in `TABLE[name]` or `TABLE.get(name)`."""
    match _look_behind(function, called):
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
            return table if isinstance(table, ast.Name | ast.Attribute) else None
        case _:
            return None


def _look_behind(function: Function, expression: ast.expr | None) -> ast.expr | None:
    """Return what a local name, a module-level name or an attribute of `self` was set to."""
    match expression:
        case ast.Name(id=name):
            bound = (scope.bindings[name] for scope in function.walk_scopes() if name in scope.bindings)
            return next(bound, expression)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            owner = next((each.owner for each in function.walk_scopes() if each.owner), None)
            return owner.bindings[name][1] if owner and name in owner.bindings else expression
        case _:
            return expression


def _flatten(items: Iterable[ast.expr]) -> Iterator[ast.expr]:
    for item in items:
        if isinstance(item, ast.Tuple | ast.List):
            yield from _flatten(item.elts)
        elif isinstance(item, ast.Dict):
            yield from _flatten(item.values)
        else:
            yield item
