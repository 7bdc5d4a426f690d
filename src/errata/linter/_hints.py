"""A tool's MCP annotations as they are written: `readOnlyHint` and its kin."""

import ast

from errata.linter._code import Function
from errata.linter._names import last_of, written
from errata.linter._raising import keyword

_HINTS = {
    "readOnlyHint": "readOnlyHint",
    "idempotentHint": "idempotentHint",
    "destructiveHint": "destructiveHint",
    "read_only_hint": "readOnlyHint",
    "idempotent_hint": "idempotentHint",
    "destructive_hint": "destructiveHint",
}


def hints_given(scope: Function, options: ast.Call | None) -> tuple[dict[str, bool], str]:
    """Read the annotations of a registration: what is written out, or else the name under which they are kept."""
    if options is None:
        return {}, ""
    given = keyword(options, "annotations")
    if given is None:  # `@mcp.tool(**READ_ONLY)` may hold anything.
        return {}, "?" if any(each.arg is None for each in options.keywords) else ""
    written_out = hints_of(given)
    return (written_out, "") if written_out is not None else ({}, scope.resolve(given) or "?")


def hints_of(given: ast.expr) -> dict[str, bool] | None:
    """Read annotations that are written out as a call or a dictionary; None if they are not, or not all of them."""
    match given:
        case ast.Call(func=func, keywords=keywords, args=[]) if _makes_annotations(func):
            pairs: list[tuple[object, ast.expr]] = [(each.arg, each.value) for each in keywords]
        case ast.Dict(keys=keys, values=values):
            pairs = [(_read(key), value) for key, value in zip(keys, values, strict=True)]
        case _:
            return None
    hints = {_HINTS[str(name)]: _read(value) for name, value in pairs if str(name) in _HINTS}
    is_whole = not any(name in {None, ...} for name, _ in pairs) and ... not in hints.values()
    return {name: flag for name, flag in hints.items() if isinstance(flag, bool)} if is_whole else None


def _read(node: ast.expr | None) -> object:
    """Read what is written out; what is not is `...`."""
    return node.value if isinstance(node, ast.Constant) else ...


def _makes_annotations(called: ast.expr) -> bool:
    """Whether a call is one of a class, or of `dict`; what a function gives back may say anything."""
    name = last_of(written(called) or "")
    return name == "dict" or name[:1].isupper()
