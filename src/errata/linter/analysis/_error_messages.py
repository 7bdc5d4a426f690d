"""Messages of errors: the expressions that form them, and the parts these are built from."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from errata.linter.analysis._raised_errors import find_argument, find_keyword, list_makers, read_error
from errata.linter.syntax import Function, get_last_part, spell_name

_DEEPEST = 8  # Nesting of texts, and of names for them.
_POSITION_OF_MESSAGE = {"factory": 0, "constructor": 1, "fail": 1}
_NAMES_OF_MESSAGE = frozenset({"message", "msg", "detail", "details", "description", "reason", "error", "text"})
_SAME_TEXT = frozenset({"str", "repr", "format", "ascii"})
_SAME_TEXT_METHODS = frozenset({"strip", "lstrip", "rstrip", "lower", "upper", "title", "decode"})
GAP = "\0"
"""What stands for everything that is not written out in a text."""


class TextPart(NamedTuple):
    """An expression that becomes part of a text."""

    node: ast.expr
    before: str = ""
    """The literal words before it."""
    names: frozenset[str] = frozenset()
    """The local names through which it gets there."""
    depth: int = 0


def list_raised_calls(function: Function, raised: ast.Raise) -> Iterator[ast.Call]:
    """List the calls that may create the raised error."""
    return (made for made in list_makers(function, raised.exc) if isinstance(made, ast.Call))


def find_messages(function: Function, call: ast.Call) -> Iterator[ast.expr]:
    """Find the expressions that form the message of an error."""
    position = _POSITION_OF_MESSAGE.get(read_error(function, call).how)
    if position is None:
        yield from _find_foreign_messages(call)
    elif (message := find_argument(call, position, "message")) is not None:
        yield message


def find_data(function: Function, call: ast.Call) -> ast.expr | None:
    """Return the `data` argument of an error, if there is one."""
    position = _POSITION_OF_MESSAGE.get(read_error(function, call).how)
    return find_keyword(call, "data") if position is None else find_argument(call, position + 1, "data")


def _find_foreign_messages(call: ast.Call) -> Iterator[ast.expr]:
    """Find the messages of an error that is not errata's: all arguments of a class, the first one of a function."""
    name = get_last_part(spell_name(call.func) or "").lstrip("_")
    for given in call.args if name[:1].isupper() else call.args[:1]:
        yield from _unpack(given)
    for each in call.keywords:
        if each.arg in _NAMES_OF_MESSAGE:
            yield from _unpack(each.value)


def _unpack(given: ast.expr) -> Iterator[ast.expr]:
    """Return the message inside `ErrorData(code=…, message=…)`, or the argument itself."""
    match given:
        case ast.Starred():
            return
        case ast.Call(func=ast.Name(id="ErrorData") | ast.Attribute(attr="ErrorData")):
            if (message := find_argument(given, 1, "message")) is not None:
                yield message
        case _:
            yield given


def walk_text_parts(function: Function, text: ast.expr) -> Iterator[TextPart]:
    """Walk the parts that a text is built from within this function."""
    waiting = [TextPart(text)]
    while waiting:
        part = waiting.pop()
        inside = list(_split_text(function, part)) if part.depth < _DEEPEST else []
        if not inside or isinstance(part.node, ast.Name):
            yield part
        waiting += reversed(inside)


def _split_text(function: Function, part: TextPart) -> Iterator[TextPart]:
    """Split a text expression into its parts, one level deep."""
    one = part._replace(depth=part.depth + 1)
    match part.node:
        case ast.JoinedStr(values=values):
            yield from _split_f_string(values, one)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield one._replace(node=left)
            yield one._replace(node=right, before=part.before + read_words(left))
        case ast.BinOp(left=ast.Constant(value=str()) as left, op=ast.Mod(), right=right):
            for given in right.elts if isinstance(right, ast.Tuple) else [right]:
                yield one._replace(node=given, before=read_words(left).partition("%")[0])
        case ast.IfExp(body=body, orelse=other):
            yield from (one._replace(node=each) for each in (body, other))
        case ast.BoolOp(op=ast.Or(), values=values):
            yield from (one._replace(node=each) for each in values)
        case ast.Call() as call:
            yield from _split_call(function, call, one)
        case ast.Name(id=name) if name in function.bindings and name not in part.names:
            yield one._replace(node=function.bindings[name], names=part.names | {name})
        case _:
            return


def _split_f_string(values: list[ast.expr], one: TextPart) -> Iterator[TextPart]:
    before = one.before
    for value in values:
        if isinstance(value, ast.FormattedValue):
            yield one._replace(node=value.value, before=before)
            before += GAP
        else:
            yield one._replace(node=value, before=before)
            before += read_words(value)


def _split_call(function: Function, call: ast.Call, one: TextPart) -> Iterator[TextPart]:
    match call.func:
        case ast.Attribute(value=ast.Constant(value=str(words)), attr="format"):
            for given in (*call.args, *(each.value for each in call.keywords)):
                yield one._replace(node=given, before=words.partition("{")[0])
        case ast.Attribute(value=ast.Constant(value=str()), attr="join"):
            for given in call.args:
                for each in given.elts if isinstance(given, ast.List | ast.Tuple) else [given]:
                    yield one._replace(node=each)
        case ast.Attribute(value=receiver, attr=name) if name in _SAME_TEXT_METHODS:
            yield one._replace(node=receiver)
        case ast.Name(id=name) if name in _SAME_TEXT and call.args and function.resolve(call.func) == name:
            yield one._replace(node=call.args[0])
        case _:
            return


def is_certain(function: Function, part: TextPart) -> bool:
    """Return whether each local name on the way to a part is bound exactly once."""
    if not part.names:
        return True
    stored = [
        node.id
        for node in ast.walk(function.node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in part.names
    ]
    return len(stored) == len(part.names)


def read_words(text: ast.expr) -> str:
    """Return the literal words of a text expression, with `GAP` for everything else."""
    match text:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=values):
            return "".join(map(read_words, values))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return read_words(left) + read_words(right)
        case ast.BinOp(left=left, op=ast.Mod()) | ast.Call(func=ast.Attribute(value=left, attr="format")):
            return read_words(left)
        case _:
            return GAP
