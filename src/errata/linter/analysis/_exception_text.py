"""The text of a caught exception: which expressions carry it, and where it leaves the function (a taint analysis)."""

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from errata.linter.syntax import Function, get_last_part, spell_name

Sink = ast.Return | ast.Yield | ast.Raise

_TRACEBACKS = frozenset(
    [
        "sys.exc_info",
        "traceback.format_exc",
        "traceback.format_exception",
        "traceback.format_exception_only",
        "traceback.format_tb",
    ]
)
_WORDS_OF = frozenset({"str", "repr", "format", "ascii"})
_STILL_TEXT = frozenset({"strip", "rstrip", "lstrip", "lower", "upper", "title", "split", "splitlines", "capitalize"})
_WRAPPERS = frozenset({"dumps", "str", "dict", "list", "tuple", "dedent", "asdict", "model_dump", "model_dump_json"})
# By their names, functions that build a response from what they are given, and functions that change the text.
_ANSWERS = ("error", "fail", "result", "response", "reply", "answer", "text")
_CHANGES = (
    "sanit",
    "redact",
    "mask",
    "clean",
    "scrub",
    "escap",
    "safe",
    "classif",
    "pars",
    "extract",
    "friendly",
    "to_",
    "map",
    "handle",
    "from_",
)
_SHOWN = frozenset({"message", "msg", "detail", "details", "data", "description", "reason", "text", "error", "content"})


class Leak(NamedTuple):
    """A statement that passes the text of an exception to the caller."""

    sink: Sink
    at: ast.expr
    """The expression in the except clause that carries the text."""


class ExceptionTexts:
    """The names that hold a caught exception or its text, at one point of an except clause."""

    def __init__(self, function: Function, caught: str | None) -> None:
        self._function = function
        self._caught = {caught} if caught else set[str]()
        self.held: dict[str, ast.expr] = {}
        """Names, each with the expression that brought the text."""

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        """Record an assignment to a name. Assignments to items and attributes are ignored: they build a report."""
        if not isinstance(target, ast.Name):
            return
        if self._is_caught(value):
            self._caught.add(target.id)
        elif (text := self.find_carrier(value)) is not None:
            self.held[target.id] = text
        else:
            self.held.pop(target.id, None)

    def find_in_error(self, raised: ast.expr | None) -> ast.expr | None:
        """Find the exception's text among the arguments of a raised error."""
        if not isinstance(raised, ast.Call):
            return None
        if (
            raised.args
            and self._is_caught(raised.args[0])
            and get_last_part(spell_name(raised.func) or "")[:1].isupper()
        ):
            return raised.args[
                0
            ]  # `raise ToolError(e)` carries the text; a function such as `mapped(e)` chooses its own words.
        shown = [each.value for each in raised.keywords if each.arg in _SHOWN]
        return self._find_first([*raised.args, *shown])

    def find_carrier(self, value: ast.expr | None) -> ast.expr | None:
        """Return the expression that puts the exception's text into a value; None if nothing does."""
        match value:
            case ast.Name(id=name):
                return value if name in self.held else None
            case ast.Call():
                return self._find_in_call(value)
            case ast.JoinedStr(values=parts):
                inside = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
                return value if self._carries_any(inside) else None
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                given = right.elts if isinstance(right, ast.Tuple) else [right]
                return value if self._carries_any(given) or self.find_carrier(left) else None
            case ast.Attribute(value=ast.Name(id=name), attr="args"):
                return value if name in self._caught else None
            case _:
                return self._find_first(_list_parts(value))

    def _find_in_call(self, call: ast.Call) -> ast.expr | None:
        given = [*call.args, *(each.value for each in call.keywords)]
        name = self._function.resolve(call.func) or ""
        if name in _TRACEBACKS:
            return call
        if name in _WORDS_OF:
            return call if self._carries_any(given[:1]) else None
        if isinstance(call.func, ast.Attribute):
            if call.func.attr == "format" and self._carries_any(given):
                return call
            if call.func.attr in _STILL_TEXT:
                return self.find_carrier(call.func.value)
            if call.func.attr == "join":
                return self._find_first(given)
        return self._find_first(given) if _passes_on(call.func) else None

    def _carries_any(self, values: Iterable[ast.expr]) -> bool:
        return any(self._is_caught(value) or self.find_carrier(value) is not None for value in values)

    def _find_first(self, values: Iterable[ast.expr]) -> ast.expr | None:
        return next((carrier for value in values if (carrier := self.find_carrier(value)) is not None), None)

    def _is_caught(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Name) and value.id in self._caught

    def find_origin(self, text: ast.expr) -> ast.expr:
        """Return the expression from which a value got the exception's text."""
        names = (node.id for node in ast.walk(text) if isinstance(node, ast.Name))
        return next((self.held[name] for name in names if name in self.held), text)

    def narrows(self, test: ast.expr) -> bool:
        """Return whether a test checks the class of the exception, so that its text is known to be safe."""
        match test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[subject, *_]):
                return self._is_caught(subject)
            case ast.BoolOp(op=ast.And(), values=values):
                return any(map(self.narrows, values))
            case _:
                return False


def find_leaks(function: Function, clause: ast.ExceptHandler) -> Iterator[Leak]:
    """Find where an except clause, or the code after it, passes on the text of the caught exception."""
    texts = ExceptionTexts(function, clause.name)
    yield from _search_block(clause.body, texts)
    if texts.held:
        yield from _search_after(function, clause, texts)


def _search_block(statements: Iterable[ast.stmt], texts: ExceptionTexts) -> Iterator[Leak]:
    for statement in statements:
        yield from _search_statement(statement, texts)


def _search_statement(statement: ast.stmt, texts: ExceptionTexts) -> Iterator[Leak]:
    match statement:
        case ast.Return(value=value) as sink:
            yield from _make_leak(sink, texts.find_carrier(value))
        case ast.Expr(value=ast.Yield(value=value) as sink):
            yield from _make_leak(sink, texts.find_carrier(value))
        case ast.Raise(exc=raised) as sink:
            yield from _make_leak(sink, texts.find_in_error(raised))
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                texts.assign(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            texts.assign(target, value)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return
        case _:
            for block in _list_blocks(statement, texts):
                yield from _search_block(block, texts)


def _make_leak(sink: Sink, at: ast.expr | None) -> Iterator[Leak]:
    if at is not None:
        yield Leak(sink, at)


def _list_blocks(statement: ast.stmt, texts: ExceptionTexts) -> Iterator[list[ast.stmt]]:
    """List the blocks of a statement except for its except clauses, which catch another exception."""
    narrowed = isinstance(statement, ast.If) and texts.narrows(statement.test)
    for name in ("orelse",) if narrowed else ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for case in getattr(statement, "cases", []):
        yield case.body


def _search_after(function: Function, clause: ast.ExceptHandler, texts: ExceptionTexts) -> Iterator[Leak]:
    """Find returns and raises after the clause that use a name which holds the text."""
    end = clause.end_lineno or clause.lineno
    for returned in function.returns:
        if returned.node.lineno > end and returned.clause is None:
            at = texts.find_carrier(returned.node.value)
            yield from _make_leak(returned.node, at and texts.find_origin(at))
    for raised in function.raises:
        if raised.node.lineno > end and raised.clause is None:
            at = texts.find_in_error(raised.node.exc)
            yield from _make_leak(raised.node, at and texts.find_origin(at))


def _list_parts(value: ast.expr | None) -> list[ast.expr]:
    """List the parts of a value; conditions are not parts."""
    match value:
        case ast.Dict(values=values) | ast.BoolOp(values=values):
            return values
        case ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
            return values
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [left, right]
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case (
            ast.Await(value=inner) | ast.Subscript(value=inner) | ast.NamedExpr(value=inner) | ast.Starred(value=inner)
        ):
            return [inner]
        case _:
            return []


def _passes_on(called: ast.expr) -> bool:
    """Return whether a call, by its name, returns what it is given."""
    match called:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            pass
        case _:
            return False
    if name in _WRAPPERS or name.lstrip("_")[:1].isupper():
        return True
    lower = get_last_part(name).lower()
    return any(word in lower for word in _ANSWERS) and not any(word in lower for word in _CHANGES)


def is_traceback(function: Function, text: ast.expr) -> bool:
    """Return whether a text contains a traceback."""
    return any(isinstance(node, ast.Call) and function.resolve(node.func) in _TRACEBACKS for node in ast.walk(text))
