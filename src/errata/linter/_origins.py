"""Where something comes from, also if it is kept on `self`: `self.session.get` is `requests.Session().get`."""

import ast

from errata.linter._code import Function


def origin_of(function: Function, node: ast.AST) -> str | None:
    """Say what an expression stands for, and look behind the attributes that its own class sets."""
    name = function.resolve(node)
    own = f"{function.module.id}."
    if name is None or not name.startswith(own):
        return name
    head, called, rest = name.removeprefix(own).partition("().")
    made = function.module.classes.get(head) if called else None
    attribute, dot, tail = rest.partition(".")
    if made is None or attribute not in made.bindings:
        return _global_origin(function, name.removeprefix(own)) or name
    where, value = made.bindings[attribute]
    held = (where or function.module.body).resolve(value)
    return f"{held}{dot}{tail}" if held else name


def _global_origin(function: Function, name: str) -> str | None:
    """Look behind a name of the module: `SESSION = requests.Session()`."""
    head, dot, tail = name.partition(".")
    value = function.module.body.bindings.get(head)
    held = function.module.body.resolve(value) if value is not None else None
    return f"{held}{dot}{tail}" if held else None
