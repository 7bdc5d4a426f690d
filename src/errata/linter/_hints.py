"""A tool's MCP annotations as they are written: `readOnlyHint` and its kin."""

import ast

from errata.linter._code import Function
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
    """Read annotations that are written out as a call or a dictionary; None if they are not."""
    match given:
        case ast.Call(keywords=keywords, args=[]) if all(each.arg for each in keywords):
            pairs: list[tuple[object, ast.expr]] = [(each.arg, each.value) for each in keywords]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = [(getattr(key, "value", None), value) for key, value in zip(keys, values, strict=True)]
        case _:
            return None
    return {
        _HINTS[str(name)]: value.value
        for name, value in pairs
        if str(name) in _HINTS and isinstance(value, ast.Constant) and isinstance(value.value, bool)
    }
