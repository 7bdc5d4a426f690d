"""Finds failures that reach the agent as an ordinary result: `[]`, `None`, `{"error": …}`, or text that says "Error".

## Why it hurts

An agent cannot tell "there are no orders" from "the order service is down" if it gets `[]` for both. It will say that
there are none, create what exists already, or stop looking. An error returned as text or under a key `error` is no better:
the result is not marked as an error, so the client shows it as one that worked, counts it as one, and never retries.

## Example

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def list_orders(customer: str) -> list[dict]:
    try:
        return await orders.fetch(customer)
    except Exception:
        return []
```

The same, as text:

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def list_orders(customer: str) -> dict:
    try:
        return {"orders": await orders.fetch(customer)}
    except ConnectionError as error:
        return {"success": False, "error": str(error)}
```

And in a list, which is empty or half full when something fails:

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def list_orders(customer: str) -> list[dict]:
    found = []
    try:
        async for page in orders.pages(customer):
            found.extend(page)
    except ConnectionError:
        pass
    return found
```

## Write instead

Take the `except` out: whatever is raised becomes an error result. Where you know more than the exception does, say it:

```python
from mcp.server.mcpserver import MCPServer

from errata import service_unavailable

server = MCPServer("orders")


@server.tool()
async def list_orders(customer: str) -> list[dict]:
    try:
        return await orders.fetch(customer)
    except ConnectionError as error:
        raise service_unavailable("The order service does not answer.") from error
```

## What it leaves alone

- Values: `except (KeyError, ValueError): return None` around a lookup, or around `int(text)` and `json.loads(text)`;
  `except FileNotFoundError` and other exceptions which say that something does not exist.
- A result that is marked as an error: `CallToolResult(isError=True, …)`, `ToolResult(is_error=True, …)`.
- Clauses that try something else, that keep the failure in a list for later, or that end in a function that never
  returns.
- Loops that skip what failed and go on with the next, and lists that had something in them before the `try`.
- Tools and functions whose name promises a status: `health_check`, `is_connected`, `validate_config`.
- In functions that a handler calls, unless it returns their result unchanged: everything but failures of calls to another
  process, such as a request, a query, a command, anything awaited.
- Empty results of functions that no handler calls directly, unless a handler returns them unchanged.
- Results that a caller tests for an error: `if orders is None: raise …`.
"""

import ast
import re
from collections.abc import Iterator

from errata.linter.analysis import (
    ERROR,
    NO,
    NO_TEXT,
    NOTHING,
    RAISES,
    ZERO,
    SwallowedFailure,
    find_swallowed_failures,
    is_about_values,
    list_caught,
    tells_status,
)
from errata.linter.link import LinkedHandler, LocatedFunction, Project
from errata.linter.rules._rule import Rule
from errata.linter.source import Location, Severity
from errata.linter.summary import Candidate, Violation
from errata.linter.syntax import Function, get_last_part

# By what a clause catches, the error to raise.
_INSTEAD = {
    "FileNotFoundError": "not_found",
    "KeyError": "not_found",
    "PermissionError": "forbidden",
    "TimeoutError": "timeout",
    "TimeoutException": "timeout",
    "TypeError": "invalid_params",
    "ValidationError": "validation_error",
    "ValueError": "invalid_params",
}
# A caller that gets one of these usually has an answer of its own to it.
_NEEDS_CALLER = frozenset({NOTHING, NO, NO_TEXT, ZERO})
_OTHERWISE = "service_unavailable"
# Functions that promise no more than to try, by their names.
_BEST_EFFORT = re.compile(
    r"^_*(maybe|optional|safe|safely|try|attempt)_|(^|_)(cache|cached|clean|cleanup|close|disconnect|emit|exists|log|notify|"
    r"available|detect|enabled|installed|parse|record|shutdown|supported|supports|telemetry|track|version|warm)(_|$)|^__"
)


def _check(function: Function) -> Iterator[Violation]:
    if not (function.tries or function.withs) or tells_status(function):
        return
    for each in find_swallowed_failures(function):
        if each.attempt.cleans_up:
            continue
        in_service = _counts_in_service(function, each)
        if in_service or _counts_in_handler(function, each):
            scope = "any" if in_service and each.shape not in _NEEDS_CALLER else "given"
            facts = scope, each.shape.family, *_name_functions(function, each)
            yield Violation(
                _choose_location(function, each),
                _write_message(function, each),
                _write_help(function, each),
                facts=facts,
            )


def _counts_in_handler(function: Function, each: SwallowedFailure) -> bool:
    """Return whether this is wrong in a handler itself; returned errors are, whatever was caught."""
    if each.shape.family != "empty":
        return True
    return each.attempt.kind != "reading" and not is_about_values(function, each.clause)


def _counts_in_service(function: Function, each: SwallowedFailure) -> bool:
    """Return whether this is wrong in any function that a handler calls."""
    if each.attempt.kind == "wrapped":
        return each.shape.family != "empty" or not is_about_values(function, each.clause)
    if not each.asks_outside or is_about_values(function, each.clause) or each.shape.family == "typed":
        return False
    if _BEST_EFFORT.search(get_last_part(function.name)):
        return False
    return each.how != "end" or any(site.node.value is not None for site in function.returns)


def _name_functions(function: Function, each: SwallowedFailure) -> tuple[str, ...]:
    """Return the function whose result is passed on, and the one that perhaps never returns."""
    given = function.resolve(each.shape.function) if each.shape.function else None
    helper = function.resolve(each.helper) if each.helper else None
    return given or "", helper or ""


def _choose_location(function: Function, each: SwallowedFailure) -> ast.AST | Location:
    if isinstance(each.at, ast.ExceptHandler):
        line, column, *_ = function.locate(each.at)
        return Location(line, column, line, column + len("except"))
    return each.at


def _write_message(function: Function, each: SwallowedFailure) -> str:
    looks = each.shape.looks or "an error told as a value, which reads like a result: isError is not set"
    if each.attempt.kind == "wrapped":
        wrapper = get_last_part(function.parent.name) if function.parent else get_last_part(function.name)
        what = f"whatever fails in a function that `{wrapper}` wraps"
    else:
        what = f"a failure of `{each.attempt.name}`" if each.attempt.name else "a failure"
    match each.how:
        case "yield":
            return f"{what} is yielded as {looks}"
        case "default":
            return f"{what} leaves `{each.name}` as it was before the `try`: {looks}"
        case "filled":
            return f"{what} leaves in `{each.name}` what was there by then, which reads like all there is"
        case "end":
            return f"{what} is dropped here, and the function ends as if it had worked"
        case _:
            return f"{what} is returned as {looks}"


def _write_help(function: Function, each: SwallowedFailure) -> str:
    kind = get_last_part(list_caught(function, each.clause)[0])
    factory = _INSTEAD.get(kind, _OTHERWISE)
    name = each.clause.name or "error"
    again = f'`raise {factory}("…") from {name}`'
    if each.shape.family == "empty":
        this = "suppress" if isinstance(each.at, ast.Call) else "except"
        return f"let it raise (remove this `{this}`), or say what failed: {again}"
    return f"raise it, so that the result is marked as an error: {again}"


def _still_holds(project: Project, handler: LinkedHandler, where: LocatedFunction, candidate: Candidate) -> bool:
    scope, family, given, helper = candidate.facts
    is_own = where.function is handler.where.function
    if helper and (located := project.find_function(helper, where.file)) and located.function.outcome == RAISES:
        return False
    if family == "call":
        called = project.find_function(given, where.file) if given else None
        if called is None or called.function.outcome != ERROR:
            return False
    if scope == "given" and not is_own and not _is_given_back(project, [handler.where], where):
        return False
    if family == "empty" and not is_own and not _is_given_back(project, [*_list_askable(project, handler)], where):
        return False
    if not is_own and (where.file.path, where.function.name) in project.checked:
        return False
    return family == "empty" or not _is_turned_back(handler, where)


def _list_askable(project: Project, handler: LinkedHandler) -> Iterator[LocatedFunction]:
    """Yield the handler and its direct callees; what deeper helpers return is seldom taken for a result."""
    yield handler.where
    for called in handler.where.function.calls:
        yield from project.find_functions(called.name, handler.where.file)


def _is_given_back(project: Project, waiting: list[LocatedFunction], where: LocatedFunction) -> bool:
    """Return whether one of these functions returns the result of another function unchanged."""
    seen = {id(each.function) for each in waiting}
    while waiting:
        at = waiting.pop()
        if at.function is where.function:
            return True
        for made in at.function.makes:
            located = project.find_function(made.name, at.file)
            if located and id(located.function) not in seen:
                seen.add(id(located.function))
                waiting.append(located)
    return False


def _is_turned_back(handler: LinkedHandler, where: LocatedFunction) -> bool:
    """Return whether a wrapper tests the result of the tool, whichever it is, and makes an error of it again."""
    return any(
        name.startswith("?") and "." not in name
        for each in handler.reached
        if each.function is not where.function
        for name in each.function.checks
    )


RULE = Rule(
    "fake-empty-data", Severity.ERROR, __doc__, in_function=_check, needs=("tries", "withs"), still_holds=_still_holds
)
