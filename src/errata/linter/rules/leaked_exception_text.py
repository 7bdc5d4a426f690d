"""Finds the text of a caught exception (`str(e)`, `f"{e}"`, a traceback) in what a handler returns or raises.

## Why it hurts

That text was written for the author of some library. It names hosts, file paths, statements and their parameters, and
now and then a token; whoever can make the call fail can read them. And it does not help the agent: "[Errno 111] Connect
call failed ('10.0.3.7', 5432)" says neither whether the same call may be repeated nor what to do instead.

A server with `errata.install` redacts what is raised, so passwords and tokens do not get out by way of an error. Nothing
redacts what is *returned*, and redacted text is still text about the inside of a server.

## Example

```python
import httpx
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def find_order(number: int) -> dict[str, object]:
    try:
        answer = await httpx.AsyncClient().get(f"https://orders.internal/{number}")
        return answer.raise_for_status().json()
    except httpx.HTTPError as error:
        raise RuntimeError(f"Could not fetch the order: {error}") from error
```

## Write instead

Say in your own words what failed and whether trying again helps. `from error` keeps the rest for the log.

```python
import httpx
from mcp.server.mcpserver import MCPServer

from errata import service_unavailable

server = MCPServer("orders")


@server.tool()
async def find_order(number: int) -> dict[str, object]:
    try:
        answer = await httpx.AsyncClient().get(f"https://orders.internal/{number}")
        return answer.raise_for_status().json()
    except httpx.HTTPError as error:
        raise service_unavailable("The order service does not answer.", retry_after_ms=5_000) from error
```

With `errata.install(server)` the `try` may go altogether: httpx's exceptions, and those of many other libraries, become
errors with a code and a verdict by themselves.

## What it leaves alone

- Exceptions whose text is meant for the caller: those of the project itself, of errata and of the SDKs,
  `ValueError`, a validation error. Only `Exception`, those of the operating system, and those of libraries that talk to
  something else count.
- A `try` that only reads or converts what the caller gave: its text is about the argument.
- Logs, `print`, and `ctx.error`, which is a message to a log.
- The class of the exception, a status code, and what is looked up with `isinstance`.
- A result that lists failures beside data, and a tool whose job is to report a status: `health_check`, `status`.
- Text that goes through a function which, by its name, changes it: `redact(str(error))`.
"""

import ast
from collections.abc import Iterable, Iterator

from errata.linter.analysis import (
    BROAD,
    Leak,
    find_leaks,
    is_foreign,
    is_traceback,
    list_calls_in,
    name_caught,
    only_computes,
    tells_status,
)
from errata.linter.link import LinkedHandler, LocatedFunction, Project
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Candidate, Summary, Violation
from errata.linter.syntax import Function, get_last_part

_MOST_FUNCTIONS = 200


def _check(function: Function) -> Iterator[Violation]:
    seen: set[ast.AST] = set()
    for site, clause in function.clauses:
        for leak in find_leaks(function, clause):
            if leak.at in seen or not _hurts(function, clause, leak):
                continue
            seen.add(leak.at)
            facts = () if is_traceback(function, leak.at) else ("", *list_calls_in(function, site.node))
            yield Violation(
                leak.at, _write_message(function, clause, leak), _write_help(function, clause, leak), facts=facts
            )


def _hurts(function: Function, clause: ast.ExceptHandler, leak: Leak) -> bool:
    if isinstance(leak.sink, ast.Return) and (tells_status(function) or isinstance(leak.sink.value, ast.Tuple)):
        return False  # Whoever unpacks a tuple decides which of it the client gets.
    return is_foreign(function, clause) or is_traceback(function, leak.at)


def _write_message(function: Function, clause: ast.ExceptHandler, leak: Leak) -> str:
    what = (
        "the traceback"
        if is_traceback(function, leak.at)
        else f"the text of the caught {name_caught(function, clause)}"
    )
    if isinstance(leak.sink, ast.Raise) and isinstance(leak.sink.exc, ast.Call):
        raised = get_last_part(function.resolve(leak.sink.exc.func) or "")
        return f"{what} goes to the client in `{raised}`" if raised else f"{what} goes to the client in an error"
    return f"{what} goes to the client as a result"


def _write_help(function: Function, clause: ast.ExceptHandler, leak: Leak) -> str:
    name = clause.name or "error"
    if is_traceback(function, leak.at):
        return "log it with `logger.exception(…)`, and raise an error that says in your own words what failed"
    return (
        f"say in your own words what failed and what to do next: `raise service_unavailable(…) from {name}`, or the "
        f"factory that fits; `from {name}` keeps the text for the log"
    )


def _still_holds(project: Project, _: LinkedHandler, where: LocatedFunction, candidate: Candidate) -> bool:
    """Return whether text of another library can arrive here; what the project's own functions raise is meant for clients."""
    return not candidate.facts or _lets_out(project, candidate.facts[1:], where.file)


def _lets_out(project: Project, names: Iterable[str], file: Summary) -> bool:
    """Return whether an exception of another library can come out of these calls uncaught."""
    waiting = [(name, file) for name in names]
    seen: set[int] = set()
    while waiting:
        name, at = waiting.pop()
        located = project.find_function(name, at)
        if located is None and not only_computes(name):
            return True
        if located is None or id(located.function) in seen:
            continue
        seen.add(id(located.function))
        if len(seen) > _MOST_FUNCTIONS:
            return True
        waiting += [(each.name, located.file) for each in located.function.calls if BROAD.isdisjoint(each.caught)]
    return False


RULE = Rule(
    "leaked-exception-text", Severity.WARNING, __doc__, in_function=_check, needs=("tries",), still_holds=_still_holds
)
