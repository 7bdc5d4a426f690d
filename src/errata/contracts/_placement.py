"""`@raises` above `@server.tool()` would do nothing: the server has the function already, without the contract.

The official SDK's decorators return the function as it was, so there is nothing to see on it. The source tells: the
caller's line is that of the decorator being applied, and what stands below it was applied before.
"""

import ast
import linecache
from types import CodeType, FrameType

from errata.contracts._layers import attribute_of, layers_of
from errata.model import is_a

_MOST_LINES = 200  # Of decorators above one function.
# fmt: off
_REGISTERS = {
    "tool", "resource", "prompt", "add_tool", "add_resource", "add_prompt",  # MCPServer and FastMCP
    "call_tool", "read_resource", "get_prompt",                              # the low-level Server before mcp 2
}
# fmt: on


def registration_below(function: object, caller: FrameType) -> str | None:
    """Find the decorator that gave a function to a server before the caller's line applies another one."""
    for layer in layers_of(function):
        code = attribute_of(layer, "__code__")
        if is_a(code, CodeType) and code.co_filename == caller.f_code.co_filename:
            decorators = _decorators(code, caller)
            if caller.f_lineno in decorators:
                below = (name for line, name in decorators.items() if line > caller.f_lineno)
                return next((name for name in below if name.rpartition(".")[2] in _REGISTERS), None)
    return None


def _decorators(code: CodeType, caller: FrameType) -> dict[int, str]:
    """Read the decorators of a function from its source: the line of each, and the name it begins with."""
    first = code.co_firstlineno
    if not first <= caller.f_lineno < first + _MOST_LINES:
        return {}
    lines = linecache.getlines(code.co_filename, caller.f_globals)[first - 1 : first - 1 + _MOST_LINES]
    return {first + node.lineno - 2: _name(node) for node in _parsed(lines)}


def _parsed(lines: list[str]) -> list[ast.expr]:
    """Parse what stands above a `def`."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())] if lines else ""
    before = "if True:\n" if indent else "\n"  # Lets the rest be indented as it is.
    for count, line in enumerate(lines):
        if line.lstrip().startswith(("def ", "async def ")):
            found = _function(f"{before}{''.join(lines[:count])}{indent}def _(): ...\n")
            if found is not None:
                return found.decorator_list
    return []


def _function(source: str) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None  # That `def` stands in the arguments of a decorator, or this is not the source any more.
    return next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)


def _name(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
