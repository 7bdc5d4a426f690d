"""What expressions and statements of the source look like: what they call, are given, assign, and are guarded by."""

import ast
from collections.abc import Iterator
from typing import cast

from errata.classification._blame._failing_site import FailingSite

_BUILDERS = ("structure", "load", "parse", "from_", "validate", "model_validate")
_COMPUTING = frozenset(
    ["int", "float", "str", "len", "dict", "list", "tuple", "set", "loads", "fromisoformat", "strptime", "compile"]
)
"""Functions that change nothing, whatever they are called with."""


def without_await(node: ast.AST) -> ast.AST:
    """Return the expression inside of an `await`, a `return` or a statement that is nothing else."""
    while isinstance(node, ast.Await | ast.Expr | ast.Starred):
        node = node.value
    return node.value if isinstance(node, ast.Return) and node.value is not None else node


def does_something(node: ast.AST) -> bool:
    """Return whether an expression calls something that may change the world; `ids = [known[each] for each in users]` does not."""
    node = without_await(node)
    return isinstance(node, ast.Call) and not name_of(node.func)[:1].isupper() and name_of(node.func) not in _COMPUTING


def operands_of(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def name_of(func: ast.AST) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def builds_from_data(node: ast.Call) -> bool:
    """Return whether a call builds something from data, so that a missing key is one of the data."""
    name = name_of(node.func)
    return name.startswith(_BUILDERS) or name[:1].isupper()


def find_iterated_call(node: ast.AST) -> ast.Call | None:
    """Return the call whose items are iterated over."""
    match node:
        case ast.For(iter=items) | ast.AsyncFor(iter=items):
            pass
        case (
            ast.ListComp(generators=[first, *_])
            | ast.SetComp(generators=[first, *_])
            | ast.GeneratorExp(generators=[first, *_])
        ):
            items = first.iter
        case _:
            return None
    return items if isinstance(items, ast.Call) else None


def find_assigned_value(target: ast.AST, site: FailingSite | None) -> ast.expr | None:
    """Return what is assigned to a target, if the expression is one."""
    parents = site.parents if site else ()
    match parents[-2:]:
        case (*_, ast.Assign(value=value) | ast.For(iter=value) | ast.comprehension(iter=value)) if target is not value:
            return value
        case (ast.Assign(value=ast.Tuple(elts=values)), ast.Tuple(elts=targets)) if len(values) == len(targets):
            return next((value for each, value in zip(targets, values, strict=True) if each is target), None)
        case _:
            return None


def find_asserted_test(site: FailingSite) -> ast.expr | None:
    nodes = (site.node, *reversed(site.parents))
    return next((node.test for node in nodes if isinstance(node, ast.Assert)), None)


def guards_of(site: FailingSite) -> list[ast.AST]:
    """List the tests that lead to a `raise`, the closest first.

    Those around it tell; where there is none, those that would have left before.
    """
    chain = [*site.parents, site.node]
    pairs = [(chain[index - 1], chain[index]) for index in range(len(chain) - 1, 0, -1)]
    around = [test for parent, child in pairs for test in _tests_around(parent, child)]
    return around or [test for parent, child in pairs for test in _earlier_exits(parent, child)]


def _tests_around(parent: ast.AST, child: ast.AST) -> list[ast.AST]:
    match parent:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return [test]
        case ast.match_case(guard=ast.expr() as guard):
            return [guard]
        case ast.Match(subject=subject):
            return [subject]
        case ast.For(iter=items, orelse=orelse) | ast.AsyncFor(iter=items, orelse=orelse) if child in orelse:
            return [items]
        case _:
            return []


def _earlier_exits(parent: ast.AST, child: ast.AST) -> Iterator[ast.AST]:
    for name in ("body", "orelse", "finalbody"):
        body: object = getattr(parent, name, None)  # A lambda's is an expression.
        if isinstance(body, list) and child in body:
            statements = cast("list[ast.AST]", body)
            earlier = reversed(statements[: statements.index(child)])
            before = [node for statement in earlier for node in ast.walk(statement)]
            yield from (node.test for node in before if isinstance(node, ast.If) and _leaves_early(node))


def _leaves_early(node: ast.If) -> bool:
    return any(isinstance(each, ast.Return | ast.Continue | ast.Break) for each in ast.walk(node))


def asks_whether_known(test: ast.AST) -> bool:
    return any(isinstance(each, ast.In | ast.NotIn) for each in ast.walk(test))


def asks_whether_there(test: ast.AST) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Name():
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.Eq()], comparators=[ast.Constant(value=None | 0)]):
            return True
        case ast.BoolOp(values=values):
            return any(map(asks_whether_there, values))
        case _:
            return False
