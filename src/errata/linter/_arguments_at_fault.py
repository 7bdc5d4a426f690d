"""Which argument an error is about: the one that is tested before it is raised, or the one that could not be read."""

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from errata.linter._code import Function, Site

_NO_ARGUMENTS = frozenset({"args", "arguments", "cls", "context", "ctx", "kwargs", "params", "request", "self"})
_NO_ARGUMENT_TYPES = frozenset({"Context", "Request", "RequestContext", "Session"})
_Node = TypeVar("_Node", bound=ast.AST)


class Suspect(NamedTuple):
    """An argument that is at fault."""

    path: str
    """A parameter, or a field of it: `order.email`."""
    is_exact: bool
    """Whether it is the very thing that is tested, and not what it was taken from."""


def suspect(function: Function, site: Site[ast.Raise]) -> Suspect | None:
    """Find the one argument that decides whether this is raised; None if there are several, or none."""
    deciding = _what_decides(function, site)
    found = {each for node in deciding for each in _suspects(function, node)}
    parameters = {each.path.partition(".")[0] for each in found}
    if len(parameters) != 1:
        return None
    exact = [each for each in found if each.is_exact]
    return exact[0] if len(found) == 1 and exact else Suspect(parameters.pop(), len(exact) == len(found))


def arguments_of(function: Function) -> set[str]:
    """Name the parameters that a caller fills."""
    return {
        parameter.arg
        for parameter in function.parameters
        if parameter.arg not in _NO_ARGUMENTS and not _is_for_server(parameter.annotation)
    }


def _is_for_server(annotation: ast.expr | None) -> bool:
    nodes = ast.walk(annotation) if annotation is not None else ()
    return any(getattr(node, "id", getattr(node, "attr", None)) in _NO_ARGUMENT_TYPES for node in nodes)


def _what_decides(function: Function, site: Site[ast.Raise]) -> list[ast.AST]:
    """Give the innermost test around a place, or the body of the `try` if its clause is nearer."""
    line = site.node.lineno
    around = [each.node for each in function.ifs if each.node.lineno <= line <= (each.node.end_lineno or 0)]
    nearest = max(around, key=lambda node: (node.lineno, node.col_offset), default=None)
    clause = site.clause
    if clause is not None and (nearest is None or nearest.lineno < clause.lineno):
        return [node for tried, each in function.clauses if each is clause for node in tried.node.body]
    return [nearest.test] if nearest is not None else []


def _suspects(function: Function, node: ast.AST) -> Iterator[Suspect]:
    """Find the arguments that something is made of, also by way of local names."""
    arguments = arguments_of(function)
    methods = {id(each.func) for each in _of_kind(node, ast.Call)}
    owners = {id(each.value): each for each in _of_kind(node, ast.Attribute) if id(each) not in methods}
    for name in _of_kind(node, ast.Name):
        if name.id in arguments:
            attribute = owners.get(id(name))
            yield Suspect(f"{name.id}.{attribute.attr}" if attribute else name.id, is_exact=True)
        elif (bound := function.bindings.get(name.id)) is not None:
            yield from (Suspect(each.id, is_exact=False) for each in _of_kind(bound, ast.Name) if each.id in arguments)


def _of_kind(node: ast.AST, kind: type[_Node]) -> list[_Node]:
    return [each for each in ast.walk(node) if isinstance(each, kind)]
