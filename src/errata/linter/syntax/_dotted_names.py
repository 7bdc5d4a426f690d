"""Dotted names: as written (`app.tool`), and as what they stand for (`fastmcp.FastMCP().tool`).

A dotted name says where something comes from, as far as the file tells: `orders.service.OrderService().fetch` is the
method of what that class gives when it is called. What nobody can know begins with a question mark.
"""

import ast
import functools
from collections.abc import Iterator
from importlib import import_module

UNKNOWN = "?"
_OWN_MODULES = ("errata", "errata.dialects", "errata.http", "errata.resilience")
MEMBERS = "[]"
"""After the name of a list or a table: the functions in it."""


def spell_name(node: ast.AST) -> str | None:
    """Return a chain of names, attributes and calls as text; None for anything else.

    Nearly every call, argument and raise of every file comes by here: `isinstance` is twice as fast as `match`.
    """
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            parts.append(f".{node.attr}")
            node = node.value
        elif isinstance(node, ast.Call):
            parts.append("()")
            node = node.func
        elif isinstance(node, ast.Await):
            node = node.value
        else:
            return None
    if parts:
        parts.append(node.id)
        parts.reverse()
        return "".join(parts)
    return node.id


def list_imported_names(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds, each with what it stands for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (first, first)
        return
    origin = _find_origin(node, package)
    for alias in node.names:
        if alias.name != "*":
            yield alias.asname or alias.name, f"{origin}.{alias.name}" if origin else alias.name


def find_star_import(node: ast.ImportFrom, package: str) -> str | None:
    """Return the module of a `from … import *`; None for other imports."""
    return _find_origin(node, package) if any(alias.name == "*" for alias in node.names) else None


@functools.lru_cache(maxsize=16)
def list_names_offered(module: str) -> tuple[str, ...]:
    """Return the names that `from … import *` binds, for modules of errata; none for others."""
    return tuple(import_module(module).__all__) if module in _OWN_MODULES else ()


def _find_origin(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def get_called_name(call: ast.Call) -> str:
    """Return the name of the called function or method, without its owner; empty if it has none."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def get_last_part(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]
