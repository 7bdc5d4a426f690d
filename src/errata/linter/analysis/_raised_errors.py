"""What an expression raises: one of errata's errors, and with which code, or somebody else's."""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from errata.linter.source import Place
from errata.linter.syntax import Function, Site
from errata.model import FACTORY_NAMES, Code, known_word

CODE_OF_FACTORY = {f"errata.{name}": code for code, name in FACTORY_NAMES.items()}
CONSTRUCTORS = frozenset({"errata.FaultError", "errata.AdapterError"})
FAIL = "errata.fail"
BROAD = frozenset({"BaseException", "Exception"})
"""Classes that stand for every error there is."""
_GIVE_THEMSELVES = {"with_traceback"}
_MOST_STEPS = 12  # From a name to the call that made what it holds.


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
        given = argument(call, 0, "code") if name == "errata.FaultError" else call and keyword(call, "code")
        return Error("constructor", name, code_of(function, given) or "")
    if name == FAIL:
        reason = argument(call, 0, "reason")
        return Error("fail", reason.value if isinstance(reason, ast.Constant) and isinstance(reason.value, str) else "")
    return Error("other", name)


def made_in(function: Function, expression: ast.expr | None, depth: int = 0) -> Iterator[ast.expr | None]:
    """List the expressions that may have made what is raised: both arms of a condition, or what a name was bound to."""
    match expression:
        case ast.IfExp(body=body, orelse=other) if depth < _MOST_STEPS:
            yield from made_in(function, body, depth + 1)
            yield from made_in(function, other, depth + 1)
        case ast.NamedExpr(value=value) if depth < _MOST_STEPS:
            yield from made_in(function, value, depth + 1)
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=name)) if name in _GIVE_THEMSELVES:
            yield made
        case ast.Name(id=name) if depth < _MOST_STEPS and isinstance(
            bound := function.bindings.get(name), ast.Call | ast.IfExp
        ):
            yield from made_in(function, bound, depth + 1)
        case _:
            yield expression


def reason_of(made: ast.expr | None) -> str:
    """Read the reason that an error is given in its data, or by keyword; empty if it is not written out."""
    if not isinstance(made, ast.Call):
        return ""
    pairs: list[tuple[str | None, ast.expr]] = [(each.arg, each.value) for each in made.keywords]
    for data in (*made.args, *(each.value for each in made.keywords)):
        if isinstance(data, ast.Dict):
            pairs += [(_text(key), value) for key, value in zip(data.keys, data.values, strict=True)]
    return next((_text(value) for name, value in pairs if name == "reason"), "")


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def head_of(function: Function, made: ast.expr | None) -> Place | None:
    """Find what names the maker of an error: `not_found`, or `FaultError(Code.NOT_FOUND, `; None if it is not so plain."""
    if not isinstance(made, ast.Call):
        return None
    maker = function.place_of(made.func)
    if function.resolve(made.func) not in CONSTRUCTORS:
        return maker
    after = [function.place_of(each) for each in (*made.args[1:], *made.keywords)]
    end = min(after, default=None)
    whole = function.place_of(made)
    last = (end.line, end.column) if end else (whole.end_line, whole.end_column - 1)
    head = Place(maker.line, maker.column, *last)
    is_plain = bool(made.args) and not isinstance(made.args[0], ast.Starred)
    return head if is_plain and "#" not in function.module.lines.text_of(head) else None


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
    """Name the exception classes that are caught around a place, and may not be raised again."""
    around = id(site.around)
    if around not in function.caught:
        function.caught[around] = tuple(name for block in site.blocks() for name in _caught_in(function, block))
    return function.caught[around]


def _caught_in(function: Function, block: ast.AST) -> Iterator[str]:
    match block:
        case ast.Try(handlers=clauses) | ast.TryStar(handlers=clauses):
            for clause in clauses:
                if not always_raises_again(clause):
                    yield from caught_by(function, clause)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for call in suppressing(function, items):
                yield from (function.resolve(each) or "?" for each in call.args)
        case _:
            return


def suppressing(function: Function, items: Iterable[ast.withitem]) -> Iterator[ast.Call]:
    """List the calls of `contextlib.suppress` that a with statement enters."""
    for item in items:
        call = item.context_expr
        if isinstance(call, ast.Call) and function.resolve(call.func) == "contextlib.suppress":
            yield call


def caught_by(function: Function, clause: ast.ExceptHandler) -> list[str]:
    """Name the classes that an except clause catches; a bare one catches `BaseException`."""
    kinds = clause.type.elts if isinstance(clause.type, ast.Tuple) else [clause.type]
    return ["BaseException" if kind is None else function.resolve(kind) or "?" for kind in kinds]


def raises_again(clause: ast.ExceptHandler) -> bool:
    """Whether an except clause raises, somewhere, what it caught."""
    return any(_is_again(node, clause) for each in clause.body for node in ast.walk(each))


def always_raises_again(clause: ast.ExceptHandler) -> bool:
    """Whether everything that an except clause catches leaves it again, on every path that can be told."""
    if not any(_is_again(each, clause) for each in clause.body):
        return False
    nodes = (node for each in clause.body for node in ast.walk(each))
    return not any(isinstance(node, ast.Return | ast.Continue | ast.Break) for node in nodes)


def _is_again(node: ast.AST, clause: ast.ExceptHandler) -> bool:
    return isinstance(node, ast.Raise) and (
        node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == clause.name)
    )


def catches_ours(names: tuple[str, ...]) -> bool:
    """Whether one of errata's errors is caught by one of these classes."""
    return not BROAD.isdisjoint(names) or "errata.FaultError" in names
