"""What a result looks like to an agent that gets it: nothing there, or an error dressed as a result."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from errata.linter.analysis._control_flow import list_assignments, list_endings, never_returns
from errata.linter.syntax import Function, get_last_part, spell_name

_DEEPEST = 6  # Nesting of lists and calls, and of names for names.

_ERROR_KEYS = frozenset(
    {"err", "error", "error_message", "error_type", "errormessage", "errors", "exception", "failure"}
)
SUCCESS_KEYS = frozenset({"ok", "success", "succeeded", "successful"})
_TEXT_KEYS = frozenset({"detail", "details", "info", "message", "msg", "note", "reason", "result", "text", "warning"})
STATUS_KEYS = frozenset({"state", "status"})
FAILED_STATUSES = frozenset({"err", "error", "fail", "failed", "failure"})
FLAGS = frozenset({"is_error", "isError"})
_DUMPS = frozenset({"dump_json", "dumps", "json_dumps", "to_json"})
_COLLECTIONS = frozenset({"Counter", "OrderedDict", "defaultdict", "deque"})
_MODELS = frozenset({"dict", "model_dump", "model_dump_json"})
_ERROR_WORD = re.compile(
    r"\b(can ?not|can't|could not|couldn't|errors?|exceptions?|fail(ed|s|ure)?|timed out|unable to|went wrong)\b",
    re.IGNORECASE,
)


class Shape(NamedTuple):
    """What a result looks like to an agent."""

    family: str
    """`empty`, `error` for an error returned as a result, `typed` for one in an object of its own class, or `call`
    for what a function gives back."""
    looks: str
    """What it is and how it reads; empty for `call`."""
    function: ast.expr | None = None
    """For `call`, the function."""


NOTHING = Shape("empty", '`None`, which reads like "there is none"')
NO = Shape("empty", '`False`, which reads like the answer "no"')
ZERO = Shape("empty", "`0`, which reads like a count")
NO_TEXT = Shape("empty", "empty text, which reads like something that is empty")
_NO_LIST = Shape("empty", 'an empty list, which reads like "nothing found"')
_NO_OBJECT = Shape("empty", 'an empty object, which reads like "nothing there"')
_TEXT = Shape("error", "text, which reads like a result: isError is not set")
_JSON = Shape("error", "JSON with an error in it, which reads like a result: isError is not set")
_CONTENT = Shape("error", "text content, which reads like a result: isError is not set")


class Shapes:
    """Recognises shapes, given the names bound around an expression and the name of the caught exception."""

    def __init__(self, bound: Mapping[str, ast.expr], error: str | None) -> None:
        self._bound = bound
        self._error = error

    def read(self, value: ast.expr | None, depth: int = 0) -> Shape | None:  # noqa: C901, PLR0911 - one for each kind.
        """Return the shape of an expression; None for what may well be a real result."""
        if depth > _DEEPEST:
            return None
        match value:
            case None | ast.Constant(value=None):
                return NOTHING
            case ast.Constant():
                return self._read_constant(value)
            case ast.JoinedStr() | ast.BinOp():
                return _TEXT if self._tells_error(value) else None
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self._read_list(value, items, depth)
            case ast.Dict():
                return self._read_pairs(list_pairs(value), depth) if value.keys else _NO_OBJECT
            case ast.Name(id=name) if name in self._bound:
                return self.read(self._bound[name], depth + 1)
            case ast.Await(value=inner):
                return self.read(inner, depth + 1)
            case ast.IfExp(body=one, orelse=other):
                return self.read(one, depth + 1) and self.read(other, depth + 1)
            case ast.Call():
                return self._read_call(value, depth)
            case _:
                return None

    def _read_constant(self, value: ast.Constant) -> Shape | None:
        match value.value:
            case False:
                return NO
            case "":
                return NO_TEXT
            case str(text):
                return _TEXT if _ERROR_WORD.search(text) else None
            case 0 | 0.0:
                return ZERO
            case _:
                return None

    def _read_list(self, value: ast.expr, items: list[ast.expr], depth: int) -> Shape | None:
        if not items:
            return _NO_LIST
        if isinstance(value, ast.Tuple) or len(items) > 1:
            return None  # `return None, "failed"` is for a caller that tests both.
        inside = self.read(items[0], depth + 1)
        return inside if inside and inside.family in {"error", "typed"} else None

    def _read_pairs(self, pairs: list[tuple[str, ast.expr]], depth: int) -> Shape | None:
        if any(name in FLAGS for name, _ in pairs):
            return None  # The author flags errors; other code reads the flag.
        for name, value in pairs:
            if self._marks_error(name.lower(), value):
                return Shape("error", f"an object with `{name}` in it, which reads like a result: isError is not set")
        return self._read_empty_fields(pairs, depth)

    def _marks_error(self, name: str, value: ast.expr) -> bool:
        constant = value.value if isinstance(value, ast.Constant) else ...
        if name in SUCCESS_KEYS:
            return constant is False
        if name in STATUS_KEYS:
            return isinstance(constant, str) and constant.lower() in FAILED_STATUSES
        if name in _TEXT_KEYS:
            return self._tells_error(value)
        return name in _ERROR_KEYS and bool(constant) and not _is_empty(value)

    def _read_empty_fields(self, pairs: list[tuple[str, ast.expr]], depth: int) -> Shape | None:
        empty = [name for name, value in pairs if _is_empty(value)]
        if not empty or not all(_is_empty(value) or _says_no_more(value) for _, value in pairs):
            return None
        if depth and len(empty) < len(pairs):
            return None
        return Shape("empty", f'a result whose `{empty[0]}` is empty, which reads like "nothing found"')

    def _read_call(self, call: ast.Call, depth: int) -> Shape | None:  # noqa: PLR0911 - as above.
        method = get_last_part(spell_name(call.func) or "")
        first = call.args[0] if call.args else None
        if method in _DUMPS and first is not None:
            return _dress_as_json(self.read(first, depth + 1))
        if method in _MODELS and isinstance(call.func, ast.Attribute):
            return self.read(call.func.value, depth + 1)
        if method == "TextContent":
            return (
                _CONTENT if any(self._tells_error(each.value) for each in call.keywords if each.arg == "text") else None
            )
        if method in {"list", "dict", "tuple", "set", "str"} and isinstance(call.func, ast.Name):
            return self._read_builtin(call, method)
        if method in _COLLECTIONS:
            return _read_collection(call, method)
        if method == "format":
            return _TEXT if self._tells_error(call) else None
        if method[:1].isupper():
            return self._read_object(call, depth)
        return Shape("call", "", call.func)

    def _read_builtin(self, call: ast.Call, name: str) -> Shape | None:
        if name == "str":
            return _TEXT if self._tells_error(call) else None
        return None if call.args or call.keywords else _NO_OBJECT if name == "dict" else _NO_LIST

    def _read_object(self, call: ast.Call, depth: int) -> Shape | None:
        """Return the shape of `Page(orders=[])`, `Answer(success=False)` or `ToolResult(content=[TextContent(…)])`."""
        pairs = [(each.arg or "", each.value) for each in call.keywords]
        if any(name in FLAGS for name, _ in pairs) or call.args or not pairs:
            return None
        if content := next((value for name, value in pairs if name == "content"), None):
            return self.read(content, depth + 1)
        shape = self._read_pairs(pairs, depth)
        return shape._replace(family="typed") if shape and shape.family == "error" else shape

    def _tells_error(self, value: ast.expr) -> bool:
        """Return whether a text tells of an error, in words or with the caught exception."""
        for node in self._walk_nodes(value):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _ERROR_WORD.search(node.value):
                return True
            if isinstance(node, ast.Name) and node.id == self._error:
                return True
        return False

    def _walk_nodes(self, value: ast.expr) -> Iterator[ast.AST]:
        for node in ast.walk(value):
            yield node
            if isinstance(node, ast.Name) and node.id in self._bound:
                yield from ast.walk(self._bound[node.id])


def _read_collection(call: ast.Call, name: str) -> Shape | None:
    """Return the shape of `defaultdict(list)` and its like: empty, unless it is given something."""
    if call.keywords or len(call.args) > (name == "defaultdict"):
        return None
    return _NO_LIST if name == "deque" else _NO_OBJECT


def list_pairs(value: ast.Dict) -> list[tuple[str, ast.expr]]:
    """List the keys and values of a dictionary; a key that is not a literal is empty."""
    return [
        (key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else "", item)
        for key, item in zip(value.keys, value.values, strict=True)
    ]


def _dress_as_json(inside: Shape | None) -> Shape | None:
    return _JSON if inside and inside.family in {"error", "typed"} else inside


def _is_empty(value: ast.expr) -> bool:
    """Return whether a field is empty; `False` is not."""
    match value:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Constant(value=None | ""):
            return True
        case ast.Constant(value=number) if number.__class__ in {int, float}:
            return number == 0
        case ast.Dict(values=values):
            return all(map(_is_empty, values))
        case _:
            return False


def _says_no_more(value: ast.expr) -> bool:
    """Return whether a field only repeats an argument."""
    return isinstance(value, ast.Name | ast.Attribute) or (isinstance(value, ast.Constant) and value.value is not True)


RAISES = "raises"
ERROR = "error"
_MOST_NAMES = 20  # Between a test and the calls behind it.


def read_outcome(function: Function) -> str:
    """Return `raises` for a function that never returns, `error` for one that returns only errors as results, else nothing."""
    if never_returns(function):
        return RAISES
    shapes = Shapes(function.bindings, None)
    returned = (shapes.read(site.node.value) for site in function.returns)
    return ERROR if function.returns and all(shape and shape.family == "error" for shape in returned) else ""


def list_checked_functions(function: Function) -> Iterator[str]:
    """List the functions whose results are tested, and lead to an error if the test says so."""
    bound: dict[str, list[ast.expr]] | None = None
    for site in function.ifs:
        for branch in (site.node.body, site.node.orelse):
            if branch and _ends_in_error(branch) and _looks_at_result(function, site.node.test):
                bound = _list_bindings(function) if bound is None else bound
                for call in _list_calls_behind(bound, site.node.test):
                    if name := function.resolve(call.func):
                        yield name
                break


def _looks_at_result(function: Function, test: ast.expr) -> bool:
    """Return whether a test contains a call, or a name bound in the function."""
    return any(
        isinstance(node, ast.Call) or (isinstance(node, ast.Name) and node.id in function.bindings)
        for node in ast.walk(test)
    )


def _ends_in_error(branch: list[ast.stmt]) -> bool:
    """Return whether a branch ends in an error: raised, flagged, or returned as a result."""
    ending = next(iter(list_endings(branch)))
    if ending.how == "raise":
        return True
    if not isinstance(ending.last, ast.Return) or ending.last.value is None:
        return False
    value = ending.last.value
    if isinstance(value, ast.Call) and any(each.arg in FLAGS for each in value.keywords):
        return True
    shape = Shapes({}, None).read(value)
    return shape is not None and shape.family == "error"


def _list_bindings(function: Function) -> dict[str, list[ast.expr]]:
    """Return all expressions that each name of a function is bound to."""
    bindings: dict[str, list[ast.expr]] = {}
    for name, value in list_assignments(function.node.body):
        bindings.setdefault(name, []).append(value)
    return bindings


def _list_calls_behind(bound: dict[str, list[ast.expr]], test: ast.expr) -> Iterator[ast.Call]:
    """List the calls in a test, and those behind the names in it."""
    waiting, seen = [test], set[str]()
    while waiting and len(seen) < _MOST_NAMES:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Call):
                yield node
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                waiting.extend(bound.get(node.id, ()))
