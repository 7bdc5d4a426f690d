"""Values that can be read off the source: texts, numbers, codes, and names that stand for them once and for all."""

import ast
from collections import Counter
from collections.abc import Iterator
from types import FunctionType
from typing import NamedTuple

from errata.linter.analysis._raised_errors import CODE_OF_FACTORY, CONSTRUCTORS
from errata.linter.syntax import Function
from errata.model import Code

_DEEPEST = 40  # Texts that are added to texts.
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
    """A value of which the kind alone is known."""


UNREADABLE = Unreadable()


class Value(NamedTuple):
    """A value as far as the source tells it."""

    node: ast.AST
    """Where it is written."""
    kind: type[object]
    read: object = UNREADABLE


def value_of(scope: "Scope", node: ast.expr, depth: int = 0) -> Value | None:
    """Read a value; None if it is known only when the program runs."""
    match scope.held(node):
        case ast.Constant(value=value) as held:
            return Value(held, type(value), value)
        case ast.BinOp(op=ast.Add(), left=left, right=right) as held if depth < _DEEPEST:
            return _added(held, value_of(scope, left, depth + 1), value_of(scope, right, depth + 1))
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float() as number)) as held:
            return Value(held, type(number))
        case ast.Attribute() as held:
            return _member(held, scope.function.resolve(held) or "")
        case ast.Call(func=func) as held:
            kind = _MADE_BY_CALLING.get(scope.function.resolve(func) or "")
            return Value(held, kind) if kind else None
        case held:
            return Value(held, _KINDS[type(held)]) if type(held) in _KINDS else None


def _added(node: ast.expr, left: Value | None, right: Value | None) -> Value | None:
    if left and right and isinstance(left.read, str) and isinstance(right.read, str):
        return Value(node, str, left.read + right.read)
    return None


def _member(node: ast.expr, name: str) -> Value | None:
    """Read a member of an enumeration that errata knows."""
    if name.startswith(_NUMBERS):
        return Value(node, int) if "." not in _after(name, _NUMBERS) else None
    word = name.removeprefix(_CODE)
    if word == name or "." in word or "(" in word:
        return None
    if word in Code.__members__:
        return Value(node, Code, Code[word])
    return None if hasattr(Code, word) else Value(node, Code, word)


def _after(name: str, beginnings: tuple[str, ...]) -> str:
    return next((name.removeprefix(each) for each in beginnings if name.startswith(each)), name)


class Scope:
    """Where an expression stands: in a function or a module, and perhaps in the body of a class."""

    def __init__(self, function: Function, bindings: "Bindings", body: ast.ClassDef | None = None) -> None:
        self.function = function
        self._bindings = bindings
        self._body = body

    def held(self, node: ast.expr) -> ast.expr:
        """Replace a name by what it stands for, if it is bound once and nothing else can be meant."""
        for _ in range(_DEEPEST):
            if not isinstance(node, ast.Name):
                return node
            found = self._bindings.only(node.id, self._body, self.function)
            if found is None:
                return node
            node = found
        return node


class Bindings:
    """What the names of a file are bound to; counted once, when the first is asked for."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._bound: Counter[str] | None = None
        self._top: dict[str, ast.expr] = {}

    def only(self, name: str, body: ast.ClassDef | None, function: Function) -> ast.expr | None:
        """Find the one expression that a name is bound to in the whole file, if it is bound where it is seen."""
        if self._bound is None:
            self._bound = Counter(names_bound_in(self._tree))
            self._top = dict(_assigned(self._tree.body))
        if self._bound[name] != 1:
            return None
        in_class = dict(_assigned(body.body)).get(name) if body else None
        return in_class or self._top.get(name) or _local(name, function)


def _local(name: str, function: Function) -> ast.expr | None:
    found = (dict(_assigned(scope.node.body)).get(name) for scope in function.scopes())
    return next((each for each in found if each is not None), None)


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """List the names that statements bind to an expression, those in blocks left out."""
    for node in body:
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


def names_bound_in(tree: ast.AST) -> Iterator[str]:
    """List the names that are bound anywhere in a file, by whatever means, each as often as it is."""
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
