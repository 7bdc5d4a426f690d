"""Swallowed failures: except clauses that give the caller a result in place of the failure."""

import ast
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from errata.linter.analysis._control_flow import list_assignments, list_endings, list_filled_names, list_following
from errata.linter.analysis._raised_errors import list_caught, list_suppressions
from errata.linter.analysis._success_shapes import NOTHING, Shape, Shapes
from errata.linter.analysis._tried_calls import TriedCall, find_tried_call, is_remote
from errata.linter.syntax import Function, Site, Try, get_called_name, get_last_part, spell_name

# fmt: off
# Errors about a value, or about something that does not exist: real results, not outages.
_ABOUT_VALUES = frozenset([
    "ArithmeticError", "AttributeError", "EOFError", "FileExistsError", "FileNotFoundError", "IndexError",
    "IsADirectoryError", "KeyError", "LookupError", "NotADirectoryError", "NotImplementedError", "OverflowError",
    "RecursionError", "StopAsyncIteration", "StopIteration", "SyntaxError", "TypeError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "ValueError", "ZeroDivisionError",
])
_OUTAGES = frozenset(["ConnectionError", "TimeoutError", "asyncio.TimeoutError"])
# Catching these hides no failure; cancellation has a rule of its own.
_NO_FAILURES = frozenset([
    "CancelledError", "Cancelled", "GeneratorExit", "ImportError", "KeyboardInterrupt", "ModuleNotFoundError",
    "PackageNotFoundError", "SystemExit",
])
# fmt: on
_ABOUT_VALUES_LIKELY = re.compile(
    r"(Decode|Does?NotExist|Empty|Missing|NoResult|NoSuch|NotFound|Pars|Syntax|Validation)"
)
_MADE_OF_NAMES = (
    ast.Dict, ast.List, ast.Call, ast.BoolOp, ast.IfExp, ast.Subscript, ast.JoinedStr, ast.ListComp, ast.DictComp
)  # fmt: skip
_WRAPS = frozenset({
    "copy", "dict", "dumps", "items", "join", "keys", "len", "list", "max", "min", "model_dump", "set", "sorted", "str",
    "sum", "tuple", "values",
})  # fmt: skip
_RECORDS = frozenset({"add", "append", "extend", "insert", "put", "put_nowait", "set_exception", "update"})


class SwallowedFailure(NamedTuple):
    """A failure that becomes a result."""

    at: ast.AST
    shape: Shape
    clause: ast.ExceptHandler
    how: str
    """`return`, `yield`, `default` for a name that was bound before, `filled` for one that was filled until it failed,
    or `end` for the end of the function."""
    name: str = ""
    """For `default` and `filled`, the name."""
    helper: ast.expr | None = None
    """A function that the clause calls last before it falls through, and that perhaps never returns."""
    attempt: TriedCall = TriedCall("reading", "")
    """What failed."""
    asks_outside: bool = False
    """Whether what failed talks to another process, judging by the call or by what is caught."""


def is_about_values(function: Function, clause: ast.ExceptHandler) -> bool:
    """Return whether a clause only catches errors about values, or about something that does not exist."""
    names = [get_last_part(name) for name in list_caught(function, clause)]
    return all(name in _ABOUT_VALUES or _ABOUT_VALUES_LIKELY.search(name) for name in names)


def _is_no_failure(function: Function, clause: ast.ExceptHandler) -> bool:
    return any(get_last_part(name) in _NO_FAILURES for name in list_caught(function, clause))


def find_swallowed_failures(function: Function) -> Iterator[SwallowedFailure]:
    """Find the except clauses of a function that turn a failure into a result."""
    for site, clause in function.clauses:
        if _is_no_failure(function, clause):
            continue
        keeps = _records(clause)
        for each in _find_in_clause(function, site, clause):
            if each.shape.family != "empty" or not keeps:
                yield _add_attempt(function, site, each, site.node)
    yield from _find_suppressed(function)


def _find_suppressed(function: Function) -> Iterator[SwallowedFailure]:
    """Find failures that `with suppress(Exception):` swallows, read as the `try` it stands for."""
    for site in function.withs:
        for call in list_suppressions(function, site.node.items):
            clause = ast.ExceptHandler(type=ast.Tuple(elts=call.args), name=None, body=[ast.Pass()])
            if not call.args or _is_no_failure(function, clause):
                continue
            attempt = ast.Try(body=site.node.body, handlers=[clause], orelse=[], finalbody=[])
            stands_for = Site[Try](ast.copy_location(attempt, site.node), site.around)
            for each in _find_fallen_through(function, stands_for, clause, clause.body[0], site.node):
                if each.how in {"default", "filled"} or isinstance(site.node.body[-1], ast.Return):
                    yield _add_attempt(function, stands_for, each._replace(at=call), site.node)


def _find_in_clause(function: Function, site: Site[Try], clause: ast.ExceptHandler) -> Iterator[SwallowedFailure]:
    for ending in list_endings(clause.body):
        if ending.how == "return" and isinstance(ending.last, ast.Return):
            yield from _find_returned(function, site, clause, ending.last)
        elif ending.how == "through":
            yield from _find_fallen_through(function, site, clause, ending.last)


def _add_attempt(function: Function, site: Site[Try], each: SwallowedFailure, block: ast.AST) -> SwallowedFailure:
    attempt = find_tried_call(function, block)
    return each._replace(attempt=attempt, asks_outside=_asks_outside(function, site, attempt))


def _asks_outside(function: Function, site: Site[Try], attempt: TriedCall) -> bool:
    """Return whether another process can fail here; a clause for timeouts says so of an unknown call."""
    if attempt.kind != "inside":
        return attempt.kind == "outside"
    names = [name for clause in site.node.handlers for name in list_caught(function, clause)]
    return any(name in _OUTAGES or is_remote(function, name) for name in names)


def _records(clause: ast.ExceptHandler) -> bool:
    """Return whether a clause records the failure: `errors.append(…)`, `self.last_error = error`."""
    for each in clause.body:
        match each:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method))) if method in _RECORDS:
                return True
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                return True
            case _:
                continue
    return False


def _find_returned(
    function: Function, site: Site[Try], clause: ast.ExceptHandler, last: ast.Return
) -> Iterator[SwallowedFailure]:
    inside = dict(list_assignments(clause.body))
    value = last.value
    if isinstance(value, ast.Name) and value.id not in inside:
        yield from _find_default(function, site, clause, last, value.id)
    elif (shape := Shapes(inside, clause.name).read(value)) is not None:
        yield SwallowedFailure(last, shape, clause, "return")


def _find_fallen_through(
    function: Function, site: Site[Try], clause: ast.ExceptHandler, last: ast.stmt, written_as: ast.stmt | None = None
) -> Iterator[SwallowedFailure]:
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Yield):
        shape = Shapes(dict(list_assignments(clause.body)), clause.name).read(last.value.value)
        if shape and (shape.family == "error" or (shape.family == "empty" and not _is_resource(function))):
            yield SwallowedFailure(last, shape, clause, "yield")
        return
    if isinstance(function.node, ast.Module) or not _only_tells(clause.body):
        return
    rest = list_following(function.node.body, written_as or site.node)
    if rest is None:
        return
    rest = [each for each in rest if not _is_telling(each)]
    helper = _find_called(last)
    if not rest:
        yield SwallowedFailure(clause, NOTHING, clause, "end", helper=helper)
    else:
        for each in _find_answer_after(function, site, clause, rest):
            yield each._replace(helper=helper)


def _find_answer_after(
    function: Function, site: Site[Try], clause: ast.ExceptHandler, rest: list[ast.stmt]
) -> Iterator[SwallowedFailure]:
    """Follow the code after a `try` to its result: `total = len(rows)`, `if not rows: return "none"`, `return rows`."""
    made_of: dict[str, str] = {}
    for each in rest:
        match each:
            case ast.Assign(targets=[ast.Name(id=new)], value=value) if name := _find_source(function, value, made_of):
                made_of[new] = name
            case ast.If(test=test, body=[ast.Return(value=value)], orelse=[]) if name := _find_missed(test):
                if _is_plain(value, clause):
                    yield from _find_default(function, site, clause, clause, name)
                return
            case ast.Return(value=value):
                yield from _find_returned_after(function, site, clause, value, made_of)
                return
            case _:
                return


def _find_missed(test: ast.expr) -> str:
    """Return the name that a condition tests for being empty: `not rows`, `rows is None`, `len(rows) == 0`."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
            return name
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return name
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value=0)],
        ):
            return name
        case _:
            return ""


def _is_plain(value: ast.expr | None, clause: ast.ExceptHandler) -> bool:
    """Return whether a result is a literal without an error in it: `[]`, `None`, `"No orders found."`."""
    shape = Shapes({}, clause.name).read(value)
    if shape is not None:
        return shape.family == "empty"
    return value is not None and not any(isinstance(node, ast.Call) for node in ast.walk(value))


def _find_returned_after(
    function: Function, site: Site[Try], clause: ast.ExceptHandler, value: ast.expr | None, made_of: Mapping[str, str]
) -> Iterator[SwallowedFailure]:
    """Judge the `return` after a `try`: of a name, of an object made of one, or of what only a failure leads to."""
    if name := _find_source(function, value, made_of):
        yield from _find_default(function, site, clause, clause, name)
    elif site.clause is None and _returns(function, site.node):
        shape = Shapes({}, clause.name).read(value)
        if shape is not None and shape.family != "call":
            yield SwallowedFailure(clause, shape, clause, "return")


def _find_source(function: Function, value: ast.expr | None, made_of: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the only name that a result is made of: `orders`, or `{"orders": orders, "total": len(orders)}`."""
    if isinstance(value, ast.Name):
        return made_of.get(value.id, value.id)
    if isinstance(function.node, ast.Module) or not isinstance(value, _MADE_OF_NAMES) or not _only_wraps(value):
        return ""
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    names = {made_of.get(name, name) for name in names & _list_bound(function.node) - _list_bound(value)}
    return names.pop() if len(names) == 1 else ""


def _list_bound(node: ast.AST) -> set[str]:
    """Return the names that are bound anywhere below a node."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _only_wraps(value: ast.expr) -> bool:
    """Return whether an expression only reshapes its parts, without calling anything else."""
    for node in ast.walk(value):
        if isinstance(node, ast.Await | ast.Lambda | ast.NamedExpr):
            return False
        if isinstance(node, ast.Call):
            method = get_called_name(node)
            if method not in _WRAPS and not method[:1].isupper():
                return False
    return True


def _returns(function: Function, block: Try) -> bool:
    """Return whether a `try` returns a value on success, so that what follows runs only on failure."""
    return any(
        any(each is block for each in site.walk_blocks()) and site.node.lineno < block.handlers[0].lineno
        for site in function.returns
        if site.node.value is not None
    )


def _is_resource(function: Function) -> bool:
    """Return whether a function is a context manager or a fixture, whose yield is no result."""
    decorators = [] if isinstance(function.node, ast.Module) else function.node.decorator_list
    return any((spell_name(each) or "").endswith(("contextmanager", "fixture")) for each in decorators)


def _find_called(last: ast.stmt) -> ast.expr | None:
    """Return the function that a clause calls last."""
    match last:
        case ast.Expr(value=ast.Call(func=func) | ast.Await(value=ast.Call(func=func))):
            return func
        case _:
            return None


def _find_default(
    function: Function, site: Site[Try], clause: ast.ExceptHandler, at: ast.AST, name: str
) -> Iterator[SwallowedFailure]:
    """Find a name that is empty before the `try` and gets the result inside it."""
    assert not isinstance(function.node, ast.Module)  # noqa: S101 - for type checkers.
    in_clause = dict(list_assignments(clause.body)).get(name)
    before = dict(list_assignments(function.node.body, site.node.lineno)).get(name)
    value = in_clause if in_clause is not None else before
    how = "return" if in_clause is not None else _read_assignment(function, site, name)
    shape = Shapes({}, clause.name).read(value) if value is not None and how else None
    if shape is not None and shape.family != "call":
        yield SwallowedFailure(at, shape, clause, how, name)


def _read_assignment(function: Function, site: Site[Try], name: str) -> str:
    """Return how a `try`, or the loop around it, sets a name that was empty: `default`, `filled`, or an empty string."""
    assert not isinstance(function.node, ast.Module)  # noqa: S101 - for type checkers.
    loops = [block for block in site.walk_blocks() if isinstance(block, ast.For | ast.AsyncFor | ast.While)]
    begin = min(block.lineno for block in (*loops, site.node))
    if name in list_filled_names(function.node.body, begin):
        return ""
    if name in dict(list_assignments(site.node.body)):
        return "default"
    bodies = (site.node.body, *(loop.body for loop in loops))
    return "filled" if any(name in list_filled_names(body) for body in bodies) else ""


def _only_tells(body: list[ast.stmt]) -> bool:
    """Return whether a clause only passes, logs or binds names to literals."""
    return all(_is_telling(each) or _binds_literal(each) for each in body)


def _is_telling(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call() as call) | ast.Expr(value=ast.Await(value=ast.Call() as call)):
            method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            return method not in _RECORDS
        case ast.If(body=body, orelse=orelse):
            return all(map(_is_telling, [*body, *orelse]))
        case _:
            return False


def _binds_literal(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant() | ast.List() | ast.Dict() | ast.JoinedStr()):
            return True
        case _:
            return False
