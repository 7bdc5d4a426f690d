"""What is inside a callable, and which decorators stand above it.

`@raises` above `@server.tool()` would do nothing: the server has the function already, without the contract. The official
SDK's decorators return the function as it was, so there is nothing to see on it, but the source tells: the caller's line is
that of the decorator being applied, and the decorators below it were applied before.
"""

import ast
import functools
import linecache
from collections.abc import Iterator
from itertools import islice
from types import CodeType, FrameType, FunctionType

from errata.model import is_a

_MOST_LINES = 200  # Of decorators above one function.
# fmt: off
_REGISTERS = {
    "tool", "resource", "prompt", "add_tool", "add_resource", "add_prompt",  # MCPServer and FastMCP
    "call_tool", "read_resource", "get_prompt",                              # the low-level Server before mcp 2
}
# fmt: on
_MOST = 100  # Layers looked at; some objects have any attribute one asks for.


def walk_layers(function: object) -> Iterator[object]:
    """Yield a callable, then the callables inside it: those of wrappers, partials, methods and callable objects."""
    return islice(_peel(function), _MOST)


def read_attribute(value: object, name: str) -> object:
    """Return an attribute; None if there is none, or if reading it fails."""
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a foreign property may raise anything.
        return None


def _peel(function: object) -> Iterator[object]:
    waiting = [function]
    while waiting:
        layer = waiting.pop(0)
        yield layer
        waiting += [inner for inner in _inside(layer) if inner is not None]


def _inside(layer: object) -> Iterator[object]:
    yield read_attribute(layer, "__wrapped__")
    yield read_attribute(layer, "__func__")
    if issubclass(type(layer), (functools.partial, functools.partialmethod)):
        yield read_attribute(layer, "func")
    if is_a(call := read_attribute(type(layer), "__call__"), FunctionType):
        yield call


def find_registration_below(function: object, caller: FrameType) -> str | None:
    """Return the decorator that gave a function to a server before the caller's line applies another one."""
    for layer in walk_layers(function):
        code = read_attribute(layer, "__code__")
        if is_a(code, CodeType) and code.co_filename == caller.f_code.co_filename:
            decorators = _decorators(code, caller)
            if caller.f_lineno in decorators:
                below = (name for line, name in decorators.items() if line > caller.f_lineno)
                return next((name for name in below if name.rpartition(".")[2] in _REGISTERS), None)
    return None


def _decorators(code: CodeType, caller: FrameType) -> dict[int, str]:
    """Return the decorators of a function from its source: the line of each, and the name it begins with."""
    first = code.co_firstlineno
    if not first <= caller.f_lineno < first + _MOST_LINES:
        return {}
    lines = linecache.getlines(code.co_filename, caller.f_globals)[first - 1 : first - 1 + _MOST_LINES]
    return {first + node.lineno - 2: _name(node) for node in _parse_decorators(lines)}


def _parse_decorators(lines: list[str]) -> list[ast.expr]:
    """Return the decorators above the first `def` of some lines."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else ""
    before = "if True:\n" if indent else "\n"  # Lets the rest be indented as it is.
    for count, line in enumerate(lines):
        if line.lstrip().startswith(("def ", "async def ")):
            function = _parse_function(f"{before}{''.join(lines[:count])}{indent}def _(): ...\n")
            if function is not None:
                return function.decorator_list
    return []


def _parse_function(source: str) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None  # That `def` stands in the arguments of a decorator, or this is not the source any more.
    return next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)


def _name(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
