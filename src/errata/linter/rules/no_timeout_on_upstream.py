"""Finds requests without a time limit in a handler, or in what it calls: an upstream that hangs never becomes an error.

## Why it hurts

`requests` and `urllib` wait for ever unless they are told otherwise. An upstream that takes the connection and says
nothing then keeps the tool waiting until the client gives up, and the agent is never told TIMEOUT: it cannot know whom to
blame, whether to wait, or which tool to use instead.

## Example

```python
import requests
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
def get_order(number: int) -> str:
    return requests.get(f"https://orders.example/{number}").text
```

## Write instead

```python
import requests
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
def get_order(number: int) -> str:
    return requests.get(f"https://orders.example/{number}", timeout=10).text
```

## What it leaves alone

Clients that have a limit of their own unless it is taken away: `httpx` and `aiohttp` are reported for `timeout=None` only.
A session that is given an adapter or a `request` of your own may have its limit there.
"""

import ast
from collections.abc import Iterator

from errata.linter.analysis import find_keyword
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, get_called_name, resolve_origin

_METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "request")
_SESSIONS = ("requests.Session()", "requests.session()")
_UNLIMITED = {
    **{f"{client}.{method}": 99 for client in ("requests", *_SESSIONS) for method in _METHODS},
    "urllib.request.urlopen": 2,
}
"""Calls that wait for ever, each with the position of the limit, if it may be given by position."""
_LIMITED = {
    *(f"{client}.{method}" for client in ("httpx", "httpx.Client()", "httpx.AsyncClient()") for method in _METHODS),
    *("httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession"),
}
_NAMES = {*_METHODS, "urlopen", "Client", "AsyncClient", "ClientSession"}


def _check(function: Function) -> Iterator[Violation]:
    for site in function.calls if not _NAMES.isdisjoint(function.called) else ():
        name = get_called_name(site.node)
        if name in _NAMES and (what := _name_endless_call(function, site.node)):
            yield Violation(
                site.node.func,
                f"`{what}` waits for ever: an upstream that hangs never becomes an error",
                f"write `{name}(…, timeout=10)`, so that the agent is told of a timeout",
            )


def _name_endless_call(function: Function, call: ast.Call) -> str | None:
    origin = resolve_origin(function, call.func) or ""
    if origin not in _UNLIMITED and origin not in _LIMITED:
        return None
    given = find_keyword(call, "timeout")
    if given is not None:
        is_none = isinstance(given, ast.Constant) and given.value is None
        return origin.replace("()", "") if is_none else None
    if origin in _LIMITED or any(each.arg is None for each in call.keywords):
        return None
    if _is_given_elsewhere(function, origin) or (
        origin.startswith(_SESSIONS) and not _is_made_here(function, call.func)
    ):
        return None
    return origin.replace("()", "") if len(call.args) <= _UNLIMITED[origin] else None


def _is_given_elsewhere(function: Function, origin: str) -> bool:
    """Return whether the limit may be set on an adapter, in a replaced `request`, or for all sockets."""
    if not origin.startswith(_SESSIONS):
        return any(name.endswith("setdefaulttimeout") for name in _list_calls_on_top(function))
    return any("timeout" in name.lower() for name in function.module.names) or "request" in _list_replaced(function)


def _is_made_here(function: Function, called: ast.expr) -> bool:
    """Return whether a session is created in this file, so that no other code has set a limit."""
    match called:
        case ast.Attribute(value=ast.Call()):
            return True
        case ast.Attribute(value=ast.Name(id=name)):
            return isinstance(function.bindings.get(name) or function.module.body.bindings.get(name), ast.Call)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name)) if function.owner:
            return isinstance(function.owner.bindings.get(name, (None, None))[1], ast.Call)
        case _:
            return False


def _list_calls_on_top(function: Function) -> Iterator[str]:
    body = function.module.body
    return (name for site in body.calls if (name := body.resolve(site.node.func)))


def _list_replaced(function: Function) -> set[str]:
    """Return the attributes set on other objects: `session.request = partial(session.request, timeout=5)`."""
    return {
        target.attr
        for each in function.module.functions
        if isinstance(each.node, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in each.node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Attribute)
    }


RULE = Rule("no-timeout-on-upstream", Severity.WARNING, __doc__, in_function=_check)
