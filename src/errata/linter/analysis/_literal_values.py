"""Values known from the source: texts, numbers, codes, and names bound to them exactly once."""

import ast
from collections import Counter
from collections.abc import Iterator
from types import FunctionType
from typing import NamedTuple

from errata.linter.analysis._raised_errors import CODE_OF_FACTORY, CONSTRUCTORS
from errata.linter.syntax import Function
from errata.model import Code

_DEEPEST = 40  # Nesting of concatenated texts, and of names for names.
_CODE = "errata.Code."
_NUMBERS = ("http.HTTPStatus.", "errata.dialects.JsonRpcErrorCode.")  # Enumerations that people take for codes.
_KINDS: dict[type[ast.expr], type[object]] = {
    ast.Dict: dict,
    ast.DictComp: dict,
    ast.List: list,
    ast.ListComp: list,
    ast.Set: set,
    ast.SetComp: set,
    ast.Tuple: tuple,
    ast.Lambda: FunctionType,
}
_MADE_BY_CALLING: dict[str, type[object]] = {
    "dict": dict,
    "list": list,
    "set": set,
    "tuple": tuple,
    **dict.fromkeys([*CODE_OF_FACTORY, *CONSTRUCTORS], Exception),
}


class Unreadable:
    """A value of which only the type is known."""


UNREADABLE = Unreadable()


class LiteralValue(NamedTuple):
    """A value, as far as the source shows it."""

    node: ast.AST
    """Where it is written."""
    kind: type[object]
    read: object = UNREADABLE


def read_value(scope: "LiteralScope", node: ast.expr, depth: int = 0) -> LiteralValue | None:
    """Return the value of an expression; None if only the running program knows it."""
    match scope.look_up(node):
        case ast.Constant(value=value) as held:
            return LiteralValue(held, type(value), value)
        case ast.BinOp(op=ast.Add(), left=left, right=right) as held if depth < _DEEPEST:
            return _add_texts(held, read_value(scope, left, depth + 1), read_value(scope, right, depth + 1))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float() as number)) as held:
            return LiteralValue(held, type(number))
        case ast.Attribute() as held:
            return _read_member(held, scope.function.resolve(held) or "")
        case ast.Call(func=func) as held:
            kind = _MADE_BY_CALLING.get(scope.function.resolve(func) or "")
            return LiteralValue(held, kind) if kind else None
        case held:
            return LiteralValue(held, _KINDS[type(held)]) if type(held) in _KINDS else None


def _add_texts(node: ast.expr, left: LiteralValue | None, right: LiteralValue | None) -> LiteralValue | None:
    if left and right and isinstance(left.read, str) and isinstance(right.read, str):
        return LiteralValue(node, str, left.read + right.read)
    return None


def _read_member(node: ast.expr, name: str) -> LiteralValue | None:
    """Return a member of an enumeration that errata knows."""
    if name.startswith(_NUMBERS):
        return LiteralValue(node, int) if "." not in _strip_beginning(name, _NUMBERS) else None
    word = name.removeprefix(_CODE)
    if word == name or "." in word or "(" in word:
        return None
    if word in Code.__members__:
        return LiteralValue(node, Code, Code[word])
    return None if hasattr(Code, word) else LiteralValue(node, Code, word)


def _strip_beginning(name: str, beginnings: tuple[str, ...]) -> str:
    return next((name.removeprefix(each) for each in beginnings if name.startswith(each)), name)


class LiteralScope:
    """The scope of an expression: a function or a module, and perhaps the body of a class."""

    def __init__(self, function: Function, bindings: "FileBindings", body: ast.ClassDef | None = None) -> None:
        self.function = function
        self._bindings = bindings
        self._body = body

    def look_up(self, node: ast.expr) -> ast.expr:
        """Return the expression a name stands for, if the file binds it exactly once."""
        for _ in range(_DEEPEST):
            if not isinstance(node, ast.Name):
                return node
            bound = self._bindings.find_only(node.id, self._body, self.function)
            if bound is None:
                return node
            node = bound
        return node


class FileBindings:
    """What the names of a file are bound to; computed on first use."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._bound: Counter[str] | None = None
        self._top: dict[str, ast.expr] = {}

    def find_only(self, name: str, body: ast.ClassDef | None, function: Function) -> ast.expr | None:
        """Return the only expression that a name is bound to, if that binding is visible here."""
        if self._bound is None:
            self._bound = Counter(list_bound_names(self._tree))
            self._top = dict(_list_top_assignments(self._tree.body))
        if self._bound[name] != 1:
            return None
        in_class = dict(_list_top_assignments(body.body)).get(name) if body else None
        return in_class or self._top.get(name) or _find_local(name, function)


def _find_local(name: str, function: Function) -> ast.expr | None:
    bound = (dict(_list_top_assignments(scope.node.body)).get(name) for scope in function.walk_scopes())
    return next((each for each in bound if each is not None), None)


def _list_top_assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """List the names that statements assign, without those in nested blocks."""
    for node in body:
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


def list_bound_names(tree: ast.AST) -> Iterator[str]:
    """List every binding of a name in a file: assignments, imports, parameters, definitions."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ExceptHandler(name=str(name)) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=alias):
                yield alias or name.partition(".")[0]
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case _:
                pass
