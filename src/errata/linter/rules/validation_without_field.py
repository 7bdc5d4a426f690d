"""Finds an error about an argument that does not say, for machines, which argument it is about.

## Why it hurts

An agent that is told `field` corrects that one argument and calls again. Told only "must be positive", it guesses which of
six was meant, changes two of them, and may get a result for a question nobody asked.

## Example

```python
from mcp.server.mcpserver import MCPServer

from errata import invalid_params

server = MCPServer("orders")


@server.tool()
async def list_orders(customer: str, limit: int) -> list[dict]:
    if limit > 100:
        raise invalid_params(f"The limit is {limit}; the highest is 100.")
    return await orders.of(customer, limit)
```

## Write instead

Name the argument, as a path if it is inside another one: `field="order.customer.email"`. Several at once go to `issues=`.
`--fix` adds the field in a handler, where the test before it tells which one is meant.

```python
from mcp.server.mcpserver import MCPServer

from errata import invalid_params

server = MCPServer("orders")


@server.tool()
async def list_orders(customer: str, limit: int) -> list[dict]:
    if limit > 100:
        raise invalid_params(f"The limit is {limit}; the highest is 100.", field="limit")
    return await orders.of(customer, limit)
```

## What it leaves alone

- A test of several arguments at once ("give either a name or a number"), or of none.
- `ValueError` and other exceptions, which have no `field`.
- Data that is put together elsewhere: the field may be in it.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from errata.linter.analysis import find_data, find_keyword, find_messages, list_raised_calls, read_error, read_words
from errata.linter.rules._rule import Rule
from errata.linter.source import Edit, Location, Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, Site
from errata.model import Code

_ABOUT_ARGUMENTS = frozenset(
    {Code.INVALID_PARAMS, Code.MISSING_REQUIRED_FIELD, Code.INVALID_FORMAT, Code.VALIDATION_FAILED}
)
_HANDLER_DECORATORS = frozenset({"mcp_prompt", "mcp_resource", "mcp_tool", "prompt", "resource", "tool"})
_NO_ARGUMENTS = frozenset({"args", "arguments", "cls", "context", "ctx", "kwargs", "params", "request", "self"})
_NO_ARGUMENT_TYPES = frozenset({"Context", "Request", "RequestContext", "Session"})
_Node = TypeVar("_Node", bound=ast.AST)


class SuspectArgument(NamedTuple):
    """The argument that an error is about."""

    path: str
    """A parameter, or a field of it: `order.email`."""
    is_exact: bool
    """Whether it is tested itself, and not only something derived from it."""


def _check(function: Function) -> Iterator[Violation]:
    for site in function.raises:
        for call in list_raised_calls(function, site.node):
            error = read_error(function, call)
            if error.code in _ABOUT_ARGUMENTS and not _says_which(function, call):
                yield from _judge(function, site, call)


def _says_which(function: Function, call: ast.Call) -> bool:
    """Return whether an error names a field, or may do so in a value that is unknown."""
    if any(each.arg in {"field", "issues", None} for each in call.keywords):
        return True
    match find_data(function, call):
        case None:
            return False
        case ast.Dict(keys=keys):
            return any(key is None or (isinstance(key, ast.Constant) and key.value == "field") for key in keys)
        case _:
            return True


def _judge(function: Function, site: Site[ast.Raise], call: ast.Call) -> Iterator[Violation]:
    named = _list_named_arguments(function, call)
    suspect = _find_suspect(function, site)
    if suspect is None and len(named) == 1:
        suspect = SuspectArgument(next(iter(named)), is_exact=False)
    if suspect is None or named - {suspect.path.partition(".")[0]}:
        return
    yield Violation(
        call,
        f"this error is about `{suspect.path}`, and does not say so for machines",
        f'add `field="{suspect.path}"`',
        _make_edits(function, call, suspect),
    )


def _list_named_arguments(function: Function, call: ast.Call) -> set[str]:
    """Return the arguments that a message mentions, by name or by value."""
    named: set[str] = set()
    for message in find_messages(function, call):
        words = read_words(message)
        values = {node.id for node in ast.walk(message) if isinstance(node, ast.Name)}
        named |= {name for name in _list_arguments(function) if name in values or _is_spoken_of(name, words)}
    return named


def _is_spoken_of(name: str, words: str) -> bool:
    """Return whether a text mentions an argument; a plain word counts only in quotation marks."""
    around = r"\b{}\b" if "_" in name else r"[`'\"]{}[`'\"]"
    return re.search(around.format(re.escape(name)), words) is not None


def _make_edits(function: Function, call: ast.Call, suspect: SuspectArgument) -> tuple[Edit, ...]:
    last = max([*call.args, *(each.value for each in call.keywords)], key=_get_end, default=None)
    if last is None or not suspect.is_exact or not _is_decorated(function) or find_keyword(call, "code") is last:
        return ()
    end, closed = function.locate(last), function.locate(call)
    rest = function.module.lines.excerpt(Location(end.end_line, end.end_column, closed.end_line, closed.end_column))
    if not re.fullmatch(r"\s*,?\s*\)", rest):
        return ()
    return (Edit(Location(end.end_line, end.end_column, end.end_line, end.end_column), f', field="{suspect.path}"'),)


def _get_end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _is_decorated(function: Function) -> bool:
    """Return whether a function is registered by a decorator, so that agents know its parameters by name."""
    for decorator in getattr(function.node, "decorator_list", ()):
        made = decorator.func if isinstance(decorator, ast.Call) else decorator
        if getattr(made, "attr", getattr(made, "id", None)) in _HANDLER_DECORATORS:
            return True
    return False


def _find_suspect(function: Function, site: Site[ast.Raise]) -> SuspectArgument | None:
    """Return the only argument that decides whether this is raised; None if there are several, or none."""
    deciding = _find_deciding(function, site)
    suspect = {each for node in deciding for each in _find_suspects(function, node)}
    parameters = {each.path.partition(".")[0] for each in suspect}
    if len(parameters) != 1:
        return None
    exact = [each for each in suspect if each.is_exact]
    return exact[0] if len(suspect) == 1 and exact else SuspectArgument(parameters.pop(), len(exact) == len(suspect))


def _list_arguments(function: Function) -> set[str]:
    """Return the parameters that a client fills."""
    return {
        parameter.arg
        for parameter in function.parameters
        if parameter.arg not in _NO_ARGUMENTS and not _is_for_server(parameter.annotation)
    }


def _is_for_server(annotation: ast.expr | None) -> bool:
    nodes = ast.walk(annotation) if annotation is not None else ()
    return any(getattr(node, "id", getattr(node, "attr", None)) in _NO_ARGUMENT_TYPES for node in nodes)


def _find_deciding(function: Function, site: Site[ast.Raise]) -> list[ast.AST]:
    """Return the innermost test around a raise, or the body of the `try` if its clause is nearer."""
    line = site.node.lineno
    around = [each.node for each in function.ifs if each.node.lineno <= line <= (each.node.end_lineno or 0)]
    nearest = max(around, key=lambda node: (node.lineno, node.col_offset), default=None)
    clause = site.clause
    if clause is not None and (nearest is None or nearest.lineno < clause.lineno):
        return [node for tried, each in function.clauses if each is clause for node in tried.node.body]
    return [nearest.test] if nearest is not None else []


def _find_suspects(function: Function, node: ast.AST) -> Iterator[SuspectArgument]:
    """Find the arguments in an expression, directly or through local names."""
    arguments = _list_arguments(function)
    methods = {id(each.func) for each in _list_nodes(node, ast.Call)}
    owners = {id(each.value): each for each in _list_nodes(node, ast.Attribute) if id(each) not in methods}
    for name in _list_nodes(node, ast.Name):
        if name.id in arguments:
            attribute = owners.get(id(name))
            yield SuspectArgument(f"{name.id}.{attribute.attr}" if attribute else name.id, is_exact=True)
        elif (bound := function.bindings.get(name.id)) is not None:
            yield from (
                SuspectArgument(each.id, is_exact=False)
                for each in _list_nodes(bound, ast.Name)
                if each.id in arguments
            )


def _list_nodes(node: ast.AST, kind: type[_Node]) -> list[_Node]:
    return [each for each in ast.walk(node) if isinstance(each, kind)]


RULE = Rule("validation-without-field", Severity.WARNING, __doc__, in_function=_check, needs=("raises",), fixable=True)
