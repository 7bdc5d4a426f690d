"""Raised errors: which of errata's they are and with which code, what catches them, and whether they are raised again."""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from errata.linter.source import Location
from errata.linter.syntax import Function, Site
from errata.model import FACTORY_NAMES, Code, known_word

CODE_OF_FACTORY = {f"errata.{name}": code for code, name in FACTORY_NAMES.items()}
CONSTRUCTORS = frozenset({"errata.FaultError", "errata.AdapterError"})
FAIL = "errata.fail"
BROAD = frozenset({"BaseException", "Exception"})
"""Classes that stand for every error there is."""
_GIVE_THEMSELVES = {"with_traceback"}
_MOST_STEPS = 12  # From a name to the call that created its value.


class RaisedExpression(NamedTuple):
    """What is raised."""

    how: str
    """`again`, `factory`, `constructor`, `fail`, or `other` for errors that are not errata's."""
    name: str
    """Its dotted name; for `fail` the reason, empty if it is not a literal."""
    code: str = ""


def read_error(function: Function, expression: ast.expr | None) -> RaisedExpression:
    """Return what an expression raises."""
    if expression is None:
        return RaisedExpression("again", "")
    call = expression if isinstance(expression, ast.Call) else None
    name = function.resolve(call.func if call else expression) or "?"
    if code := CODE_OF_FACTORY.get(name):
        return RaisedExpression("factory", name, code)
    if name in CONSTRUCTORS:
        given = find_argument(call, 0, "code") if name == "errata.FaultError" else call and find_keyword(call, "code")
        return RaisedExpression("constructor", name, read_code(function, given) or "")
    if name == FAIL:
        reason = find_argument(call, 0, "reason")
        return RaisedExpression(
            "fail", reason.value if isinstance(reason, ast.Constant) and isinstance(reason.value, str) else ""
        )
    return RaisedExpression("other", name)


def list_makers(function: Function, expression: ast.expr | None, depth: int = 0) -> Iterator[ast.expr | None]:
    """List the expressions that may have created the raised error: both arms of a condition, or a name's value."""
    match expression:
        case ast.IfExp(body=body, orelse=other) if depth < _MOST_STEPS:
            yield from list_makers(function, body, depth + 1)
            yield from list_makers(function, other, depth + 1)
        case ast.NamedExpr(value=value) if depth < _MOST_STEPS:
            yield from list_makers(function, value, depth + 1)
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=name)) if name in _GIVE_THEMSELVES:
            yield made
        case ast.Name(id=name) if depth < _MOST_STEPS and isinstance(
            bound := function.bindings.get(name), ast.Call | ast.IfExp
        ):
            yield from list_makers(function, bound, depth + 1)
        case _:
            yield expression


def read_reason(made: ast.expr | None) -> str:
    """Return the reason in an error's data or keywords; empty if it is not a literal."""
    if not isinstance(made, ast.Call):
        return ""
    pairs: list[tuple[str | None, ast.expr]] = [(each.arg, each.value) for each in made.keywords]
    for data in (*made.args, *(each.value for each in made.keywords)):
        if isinstance(data, ast.Dict):
            pairs += [(_read_text(key), value) for key, value in zip(data.keys, data.values, strict=True)]
    return next((_read_text(value) for name, value in pairs if name == "reason"), "")


def _read_text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def find_head(function: Function, made: ast.expr | None) -> Location | None:
    """Return the location of an error's factory (`not_found`) or constructor and code (`FaultError(Code.NOT_FOUND, `), if it can be replaced."""
    if not isinstance(made, ast.Call):
        return None
    maker = function.locate(made.func)
    if function.resolve(made.func) not in CONSTRUCTORS:
        return maker
    after = [function.locate(each) for each in (*made.args[1:], *made.keywords)]
    end = min(after, default=None)
    whole = function.locate(made)
    last = (end.line, end.column) if end else (whole.end_line, whole.end_column - 1)
    head = Location(maker.line, maker.column, *last)
    is_plain = bool(made.args) and not isinstance(made.args[0], ast.Starred)
    return head if is_plain and "#" not in function.module.lines.excerpt(head) else None


def find_argument(call: ast.Call | None, position: int, name: str) -> ast.expr | None:
    """Return an argument of a call by its position or its name."""
    if call is None:
        return None
    if position < len(call.args) and not any(isinstance(each, ast.Starred) for each in call.args[: position + 1]):
        return call.args[position]
    return find_keyword(call, name)


def find_keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return an argument of a call by its name."""
    return next((each.value for each in call.keywords if each.arg == name), None)


def read_code(function: Function, expression: ast.expr | None) -> Code | None:
    """Return the code that `Code.NOT_FOUND` or `"NOT_FOUND"` stands for; None for anything else."""
    if isinstance(expression, ast.Constant):
        return known_word(Code, expression.value)
    name = function.resolve(expression) or ""
    return known_word(Code, name.removeprefix("errata.Code.")) if name.startswith("errata.Code.") else None


def list_caught_around(
    function: Function, site: Site[ast.Raise] | Site[ast.Call] | Site[ast.Return]
) -> tuple[str, ...]:
    """List the exception classes that are caught around a node and may not be raised again."""
    around = id(site.around)
    if around not in function.caught:
        function.caught[around] = tuple(
            name for block in site.walk_blocks() for name in _list_caught_in(function, block)
        )
    return function.caught[around]


def _list_caught_in(function: Function, block: ast.AST) -> Iterator[str]:
    match block:
        case ast.Try(handlers=clauses) | ast.TryStar(handlers=clauses):
            for clause in clauses:
                if not always_raises_again(clause):
                    yield from list_caught(function, clause)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for call in list_suppressions(function, items):
                yield from (function.resolve(each) or "?" for each in call.args)
        case _:
            return


def list_suppressions(function: Function, items: Iterable[ast.withitem]) -> Iterator[ast.Call]:
    """List the calls of `contextlib.suppress` that a with statement enters."""
    for item in items:
        call = item.context_expr
        if isinstance(call, ast.Call) and function.resolve(call.func) == "contextlib.suppress":
            yield call


def list_caught(function: Function, clause: ast.ExceptHandler) -> list[str]:
    """List the classes that an except clause catches; a bare one catches `BaseException`."""
    kinds = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    return ["BaseException" if kind is None else function.resolve(kind) or "?" for kind in kinds]


def raises_again(clause: ast.ExceptHandler) -> bool:
    """Return whether an except clause contains a raise of what it caught."""
    return any(_is_again(node, clause) for each in clause.body for node in ast.walk(each))


def always_raises_again(clause: ast.ExceptHandler) -> bool:
    """Return whether an except clause raises what it caught on every path."""
    if not any(_is_again(each, clause) for each in clause.body):
        return False
    nodes = (node for each in clause.body for node in ast.walk(each))
    return not any(isinstance(node, ast.Return | ast.Continue | ast.Break) for node in nodes)


def _is_again(node: ast.AST, clause: ast.ExceptHandler) -> bool:
    return isinstance(node, ast.Raise) and (
        node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == clause.name)
    )


def catches_ours(names: tuple[str, ...]) -> bool:
    """Return whether one of errata's errors is caught by one of these classes."""
    return not BROAD.isdisjoint(names) or "errata.FaultError" in names
