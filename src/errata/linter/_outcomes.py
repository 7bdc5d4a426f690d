"""What comes back from a function, and what its callers do with it: which errors told as values become errors again."""

import ast
from collections.abc import Iterator

from errata.linter._code import Function
from errata.linter._endings import assigned, endings, never_returns
from errata.linter._success_shapes import FLAGS, Shapes

RAISES = "raises"
ERROR = "error"
_MOST_NAMES = 20  # Between a test and the calls behind it.


def outcome_of(function: Function) -> str:
    """Say what a function gives back: `raises` for nothing ever, `error` for errors told as results, else nothing."""
    if never_returns(function):
        return RAISES
    shapes = Shapes(function.bindings, None)
    found = (shapes.of(site.node.value) for site in function.returns)
    return ERROR if function.returns and all(shape and shape.family == "error" for shape in found) else ""


def checked_by(function: Function) -> Iterator[str]:
    """Name the functions whose results a function looks at, to raise or to tell an error if they say so."""
    bound: dict[str, list[ast.expr]] | None = None
    for site in function.ifs:
        for branch in (site.node.body, site.node.orelse):
            if branch and _tells(branch) and _asks(function, site.node.test):
                bound = _bound(function) if bound is None else bound
                for call in _calls_behind(bound, site.node.test):
                    if name := function.resolve(call.func):
                        yield name
                break


def _asks(function: Function, test: ast.expr) -> bool:
    """Whether a test calls something, or looks at what was bound in the function."""
    return any(
        isinstance(node, ast.Call) or (isinstance(node, ast.Name) and node.id in function.bindings)
        for node in ast.walk(test)
    )


def _tells(branch: list[ast.stmt]) -> bool:
    """Whether a branch ends in an error: raised, marked as one, or at least told."""
    ending = next(iter(endings(branch)))
    if ending.how == "raise":
        return True
    if not isinstance(ending.last, ast.Return) or ending.last.value is None:
        return False
    value = ending.last.value
    if isinstance(value, ast.Call) and any(each.arg in FLAGS for each in value.keywords):
        return True
    shape = Shapes({}, None).of(value)
    return shape is not None and shape.family == "error"


def _bound(function: Function) -> dict[str, list[ast.expr]]:
    """List everything that each name of a function is bound to."""
    found: dict[str, list[ast.expr]] = {}
    for name, value in assigned(function.node.body):
        found.setdefault(name, []).append(value)
    return found


def _calls_behind(bound: dict[str, list[ast.expr]], test: ast.expr) -> Iterator[ast.Call]:
    """List the calls in a test, and those that the names in it came from."""
    waiting, seen = [test], set[str]()
    while waiting and len(seen) < _MOST_NAMES:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Call):
                yield node
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                waiting.extend(bound.get(node.id, ()))
