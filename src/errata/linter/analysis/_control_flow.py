"""Control flow: how a block ends (raise, return, loop, fall through), what follows it, which names it sets."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from errata.linter.syntax import Function, spell_name

_FILLS = frozenset({"add", "append", "appendleft", "extend", "insert", "setdefault", "update"})
_EXITS = frozenset({"exit", "os._exit", "os.abort", "quit", "sys.exit"})


class Ending(NamedTuple):
    """One way in which a block can end."""

    how: str
    """`raise`, `return`, `loop`, `through`, or `unknown`."""
    last: ast.stmt


def list_endings(body: list[ast.stmt]) -> Iterator[Ending]:
    """List the ways in which a block can end. What leaves it earlier, under a condition, is not counted."""
    last = body[-1]
    match last:
        case ast.Return():
            yield Ending("return", last)
        case ast.Raise() | ast.Assert(test=ast.Constant(value=False)):
            yield Ending("raise", last)
        case ast.Continue() | ast.Break():
            yield Ending("loop", last)
        case ast.If(body=inside, orelse=other):
            yield from list_endings(inside)
            yield from list_endings(other) if other else [Ending("through", last)]
        case ast.With(body=inside) | ast.AsyncWith(body=inside):
            yield from list_endings(inside)
        case ast.Try() | ast.TryStar():
            # A nested `try` is a second attempt; its except clauses are judged on their own.
            how = {each.how for each in list_endings(last.orelse or last.body)}
            yield Ending("through" if how == {"through"} else "unknown", last)
        case ast.Match():
            yield Ending("unknown", last)
        case ast.Expr(value=ast.Call(func=func)) if spell_name(func) in _EXITS:
            yield Ending("raise", last)
        case _:
            yield Ending("through", last)


def list_following(body: list[ast.stmt], target: ast.stmt) -> list[ast.stmt] | None:
    """List the statements that run after one, up to the end of the function; None inside a loop."""
    for number, each in enumerate(body):
        if each is target:
            return body[number + 1 :]
        if each.lineno <= target.lineno <= (each.end_lineno or each.lineno):
            if isinstance(each, ast.For | ast.AsyncFor | ast.While | ast.ExceptHandler):
                return None
            for block in _list_blocks(each):
                if (rest := list_following(block, target)) is not None:
                    return rest + body[number + 1 :]
            return None
    return None


def _list_blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for clause in getattr(statement, "handlers", ()):
        yield clause.body


def list_assignments(body: list[ast.stmt], before: int | None = None) -> Iterator[tuple[str, ast.expr]]:
    """List the names that statements bind, each with its value, in order and including nested blocks."""
    for each in body:
        if before is not None and each.lineno >= before:
            return
        match each:
            case ast.Assign(targets=targets, value=value):
                yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield name, each.value
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case _:
                for block in _list_blocks(each):
                    yield from list_assignments(block, before)


def list_filled_names(body: list[ast.stmt], before: int | None = None) -> Iterator[str]:
    """List the names that statements put something into: `rows.append(…)`, `rows[key] = …`, `found["rows"] = …`."""
    for each in body:
        if before is not None and each.lineno >= before:
            return
        match each:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method) as holder)) if method in _FILLS:
                yield _find_root(holder)
            case ast.Assign(targets=targets):
                yield from (_find_root(target) for target in targets if isinstance(target, ast.Subscript))
            case ast.AugAssign(target=target):
                yield _find_root(target)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case _:
                for block in _list_blocks(each):
                    yield from list_filled_names(block, before)


def _find_root(node: ast.expr) -> str:
    """Return the name that a chain of attributes and calls starts with, or an empty string."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def never_returns(function: Function) -> bool:
    """Return whether a function always raises."""
    node = function.node
    if isinstance(node, ast.Module):
        return False
    if get_last_name(node.returns) in {"NoReturn", "Never"}:
        return True
    return not function.returns and not function.yields and {each.how for each in list_endings(node.body)} == {"raise"}


def get_last_name(node: ast.expr | None) -> str:
    """Return the last part of a dotted name in the source, or an empty string for any other expression."""
    text = spell_name(node) if node is not None else None
    return text.rpartition(".")[2] if text else ""
