"""What an expression raises: one of errata's errors, and with which code, or somebody else's."""

import ast
from typing import NamedTuple

from errata._factories import FACTORY_NAMES
from errata._taxonomy import Code
from errata._values import known_word
from errata.linter._code import Function, Site

CODE_OF_FACTORY = {f"errata.{name}": code for code, name in FACTORY_NAMES.items()}
CONSTRUCTORS = frozenset({"errata.FaultError", "errata.AdapterError"})
FAIL = "errata.fail"
_EVERYTHING = frozenset({"BaseException", "Exception", *CONSTRUCTORS})


class Error(NamedTuple):
    """What is raised."""

    how: str
    """`again`, `factory`, `constructor`, `fail`, or `other` for what errata did not make."""
    name: str
    """Its dotted name; for `fail` the reason, empty if it is not written out."""
    code: str = ""


def error_of(function: Function, expression: ast.expr | None) -> Error:
    """Say what an expression raises."""
    if expression is None:
        return Error("again", "")
    call = expression if isinstance(expression, ast.Call) else None
    name = function.resolve(call.func if call else expression) or "?"
    if code := CODE_OF_FACTORY.get(name):
        return Error("factory", name, code)
    if name in CONSTRUCTORS:
        return Error("constructor", name, code_of(function, argument(call, 0, "code")) or "")
    if name == FAIL:
        reason = argument(call, 0, "reason")
        return Error("fail", reason.value if isinstance(reason, ast.Constant) and isinstance(reason.value, str) else "")
    return Error("other", name)


def argument(call: ast.Call | None, position: int, name: str) -> ast.expr | None:
    """Find an argument of a call by its position or its name."""
    if call is None:
        return None
    if position < len(call.args) and not any(isinstance(each, ast.Starred) for each in call.args[: position + 1]):
        return call.args[position]
    return keyword(call, name)


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Find an argument of a call by its name."""
    return next((each.value for each in call.keywords if each.arg == name), None)


def code_of(function: Function, expression: ast.expr | None) -> Code | None:
    """Read `Code.NOT_FOUND` or `"NOT_FOUND"`; None for what is no code, or not written out."""
    if isinstance(expression, ast.Constant):
        return known_word(Code, expression.value)
    name = function.resolve(expression) or ""
    return known_word(Code, name.removeprefix("errata.Code.")) if name.startswith("errata.Code.") else None


def caught_around(function: Function, site: Site[ast.Raise] | Site[ast.Call] | Site[ast.Return]) -> tuple[str, ...]:
    """Name the exception classes that are caught around a place and not raised again."""
    tries = [block for block in site.blocks() if isinstance(block, ast.Try | ast.TryStar)]
    return tuple(
        name
        for block in tries
        for clause in block.handlers
        if not raises_again(clause)
        for name in caught_by(function, clause)
    )


def caught_by(function: Function, clause: ast.ExceptHandler) -> list[str]:
    """Name the classes that an except clause catches; a bare one catches `BaseException`."""
    kinds = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    return ["BaseException" if kind is None else function.resolve(kind) or "?" for kind in kinds]


def raises_again(clause: ast.ExceptHandler) -> bool:
    """Whether an except clause raises, somewhere, what it caught."""
    return any(
        isinstance(node, ast.Raise)
        and (node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == clause.name))
        for each in clause.body
        for node in ast.walk(each)
    )


def catches_ours(names: tuple[str, ...]) -> bool:
    """Whether one of errata's errors is caught by one of these classes."""
    return not _EVERYTHING.isdisjoint(names)
