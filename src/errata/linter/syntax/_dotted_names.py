"""Names as they are written, and what they stand for: `app.tool` is `fastmcp.FastMCP().tool`.

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
    """Write a chain of names, attributes and calls as text; None for anything else.

    Asked of nearly every call, argument and raise of every file: `isinstance` is twice as fast here as `match`.
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
    """List the names that an import binds, each with what it stands for."""
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
    """Name the module that `from … import *` takes all from."""
    return _find_origin(node, package) if any(alias.name == "*" for alias in node.names) else None


@functools.lru_cache(maxsize=16)
def list_names_offered(module: str) -> tuple[str, ...]:
    """List what `from … import *` binds, for the modules of errata; nothing for any other."""
    return tuple(import_module(module).__all__) if module in _OWN_MODULES else ()


def _find_origin(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def get_called_name(call: ast.Call) -> str:
    """Give the name that something is called by, without what it belongs to; empty if it has none."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def get_last_part(name: str) -> str:
    """Give the last part of a dotted name."""
    return name.rpartition(".")[2]
