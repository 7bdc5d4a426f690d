"""Where in the server's own code an exception came from: the frames, and the expression that was being evaluated.

Source is read only after a failure, only of the server's own modules, and each file once.
"""

import ast
import linecache
import stat
import sysconfig
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple, TypeAlias

from errata.classification._foreign import peek
from errata.model import is_a

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_MOST_FRAMES = 400
_MOST_OWN = 24
_LONGEST_FILE = 400_000
"""Characters; a longer file is not parsed, and counts as having no source."""
_MOST_FILES = 128
_MOST_SITES = 1024
_LIBRARY_FOLDERS = ("/site-packages/", "/dist-packages/")
_STANDARD_LIBRARY = tuple(
    f"{folder}/" for name in ("stdlib", "platstdlib") if (folder := sysconfig.get_paths().get(name))
)


class FailingSite(NamedTuple):
    """One frame of the server's own code on the way to a failure, and what it was evaluating."""

    frame: FrameType
    code: CodeType
    function: Function
    node: ast.AST
    parents: tuple[ast.AST, ...]
    """What surrounds the node, outermost first, beginning with the function."""
    parameters: tuple[str, ...]
    """The names of the function's parameters."""
    handed_on: tuple[tuple[str, ast.expr], ...]
    """The names under which the function hands values on: keywords of calls, and the keys of literal dicts."""


class TracePath(NamedTuple):
    """The way of an exception through the server's own code."""

    sites: tuple[FailingSite, ...]
    """Outermost first."""
    beyond: FrameType | None
    """The first frame of a library below the last site; None where the server's own expression failed by itself."""

    @property
    def last(self) -> FailingSite | None:
        """The innermost site."""
        return self.sites[-1] if self.sites else None


class OwnCode:
    """Tells the modules of a server from the libraries it uses."""

    __slots__ = ("_package",)

    def __init__(self, function: Callable[..., object] | None) -> None:
        name = peek(function, "__module__")
        package = name.partition(".")[0] if is_a(name, str) else ""
        self._package = "" if package in _NOBODYS else package

    def includes(self, frame: FrameType) -> bool:
        """Return whether a frame runs code of the server."""
        name = frame.f_globals.get("__name__")
        package = name.partition(".")[0] if is_a(name, str) else ""
        if package == "errata":
            return False
        if self._package and package == self._package:
            return True
        return is_own_file(frame.f_code.co_filename)


_NOBODYS = {"", "builtins", "functools", "__main__", "mcp", "fastmcp", "errata"}


@lru_cache(maxsize=1024)
def is_own_file(file: str) -> bool:
    path = file.replace("\\", "/")
    if path.startswith("<") or any(folder in path for folder in _LIBRARY_FOLDERS):
        return False
    return not path.startswith(_STANDARD_LIBRARY)


def trail_of(error: BaseException, own: OwnCode) -> TracePath:
    """Return the sites of an exception, read from its traceback."""
    steps = list(islice(_steps(error), _MOST_FRAMES))
    owned = [index for index, step in enumerate(steps) if own.includes(step.tb_frame)]
    sites = [site for index in owned[-_MOST_OWN:] if (site := _site(steps[index])) is not None]
    beyond = steps[owned[-1] + 1].tb_frame if owned and owned[-1] + 1 < len(steps) else None
    return TracePath(tuple(sites), beyond)


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = peek(error, "__traceback__")
    while is_a(step, TracebackType):
        yield step
        step = step.tb_next


def _site(step: TracebackType) -> FailingSite | None:
    code = step.tb_frame.f_code
    module = parse_file(code.co_filename, step.tb_frame.f_globals)
    if module is None:
        return None
    key = (code, step.tb_lasti)
    located = module.sites.get(key, _UNREAD)
    if located is _UNREAD:
        if len(module.sites) >= _MOST_SITES:
            module.sites.clear()
        position = next(islice(code.co_positions(), step.tb_lasti // 2, None), None)
        located = module.sites[key] = _locate(module, code, position) if position else None
    return FailingSite(step.tb_frame, code, *located) if located else None


_Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]
_Located: TypeAlias = tuple[Function, ast.AST, tuple[ast.AST, ...], tuple[str, ...], tuple[tuple[str, ast.expr], ...]]


_UNREAD: Any = object()


class ParsedFile:
    """A parsed file, with the sites in it that were looked up before."""

    __slots__ = ("functions", "sites", "tables")

    def __init__(self, tree: ast.Module) -> None:
        self.tables: dict[str, tuple[str, ...]] = dict(_tables_in(tree.body))
        self.functions = tuple(node for node in ast.walk(tree) if isinstance(node, Function))
        self.sites: dict[tuple[CodeType, int], _Located | None] = {}

    def function_of(self, code: CodeType) -> Function | None:
        """Return the definition that a code object was compiled from."""
        return next(
            (each for each in self.functions if each.name == code.co_name and _first_line(each) == code.co_firstlineno),
            None,
        )

    def around(self, line: int) -> Function | None:
        """Return the innermost function around a line."""
        around = [each for each in self.functions if each.lineno <= line <= (each.end_lineno or 0)]
        return max(around, key=lambda each: each.lineno, default=None)


_modules: dict[str, ParsedFile | None] = {}


def parse_file(file: str, scope: dict[str, object]) -> ParsedFile | None:
    """Parse a source file once; None for one that is not there, too long, or not Python."""
    module: ParsedFile | None = _modules.get(file, _UNREAD)
    if module is _UNREAD:
        if len(_modules) >= _MOST_FILES:
            _modules.clear()
        module = _modules[file] = _parse(file, scope)
    return module


def _parse(file: str, scope: dict[str, object]) -> ParsedFile | None:
    try:
        status = Path(file).stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST_FILE:  # A pipe would be waited for.
        return None
    try:
        return ParsedFile(ast.parse("".join(linecache.getlines(file, scope))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tables_in(body: list[ast.stmt]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """List the tables that are written out in the source, with their keys, which are no secret."""
    for statement in body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=keys))
            ):
                yield (
                    name,
                    tuple(each.value for each in keys if isinstance(each, ast.Constant) and is_a(each.value, str)),
                )
            case _:
                pass


def keys_written_out(site: FailingSite) -> tuple[str, ...]:
    """Return the keys of the table that a site looked into, if the source shows them."""
    if not isinstance(site.node, ast.Subscript) or not isinstance(site.node.value, ast.Name):
        return ()
    module = parse_file(site.code.co_filename, site.frame.f_globals)
    tables = (module.tables if module else {}) | dict(_tables_in(site.function.body))
    return tables.get(site.node.value.id, ())


def _first_line(function: Function) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _locate(module: ParsedFile, code: CodeType, position: _Position) -> _Located | None:
    line, end_line, column, end_column = position
    if line is None or end_line is None or column is None or end_column is None:
        return None
    function = module.function_of(code) if not code.co_name.startswith("<") else module.around(line)
    if function is None or not function.lineno <= line <= (function.end_lineno or 0):
        return None
    start, end = (line, column), (end_line, end_column)
    around = [path for path in _paths(function) if _contains(path[-1], start, end)]
    best = max(around, key=lambda path: (_fit(path[-1], start, end), len(path)), default=None)
    if best is None:
        return None
    parameters = tuple(each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg))
    return function, best[-1], best[:-1], parameters, tuple(_list_handed_on(function))


def _list_handed_on(function: Function) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            yield from ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and is_a(key.value, str):
                    yield key.value, value


def _paths(function: Function) -> Iterator[tuple[ast.AST, ...]]:
    """Walk a function with what surrounds each node; functions inside of it have frames of their own."""
    waiting: list[tuple[ast.AST, ...]] = [(function,)]
    while waiting:
        path = waiting.pop()
        yield path
        waiting += [(*path, child) for child in ast.iter_child_nodes(path[-1]) if not isinstance(child, Function)]


def _start(node: ast.AST) -> tuple[int, int] | None:
    return (node.lineno, node.col_offset) if isinstance(node, ast.expr | ast.stmt) else None


def _end(node: ast.AST) -> tuple[int, int] | None:
    if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno is None or node.end_col_offset is None:
        return None
    return node.end_lineno, node.end_col_offset


def _contains(node: ast.AST, start: tuple[int, int], end: tuple[int, int]) -> bool:
    first, last = _start(node), _end(node)
    return first is not None and last is not None and first <= start and end <= last


def _fit(node: ast.AST, start: tuple[int, int], end: tuple[int, int]) -> tuple[bool, bool, tuple[int, int]]:
    """Prefer the exact extent, then the same end (a call in a chain over several lines), then the latest start."""
    first, last = _start(node) or (0, 0), _end(node)
    return first == start and last == end, last == end, first
