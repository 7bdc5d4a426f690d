"""Finds a message that contains a whole response: `json.dumps(…)`, `response.text`, `response.json()`.

## Why it hurts

Whatever the other service said goes to the model: its internals, its stack trace, the record of somebody else, a line
that reads like an instruction. And the one sentence that the agent needs drowns in it.

## Example

```python
import httpx
from mcp.server.mcpserver import MCPServer

from errata import upstream_error

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    async with httpx.AsyncClient(timeout=10) as client:
        response = await client.get(f"https://orders.example/{customer}")
    if response.is_error:
        raise upstream_error(f"The order service said {response.text}")
    return response.json()["total"]
```

## Write instead

Say in a sentence what happened; what machines may need goes to `data=`, piece by piece. For a response there is
`error_from_response`, which takes code, wait and cause from it.

```python
import httpx
from mcp.server.mcpserver import MCPServer

from errata import upstream_error

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    async with httpx.AsyncClient(timeout=10) as client:
        response = await client.get(f"https://orders.example/{customer}")
    if response.is_error:
        raise upstream_error("The order service refused the question.", data={"status": response.status_code})
    return response.json()["total"]
```

## What it leaves alone

- `data=`, which is redacted and cut, and which is for machines.
- An excerpt of at most 300 characters, `response.text[:200]`.
- One field of an answer, `response.json()["message"]`.
- What the caller gave: `json.dumps(filters)` of a parameter tells nobody anything new.
- The text of an exception, `str(error)`: that is `leaked-exception-text`.
"""

import ast
import re
from collections.abc import Iterator

from errata.linter.analysis import TextPart, find_messages, is_certain, list_raised_calls, walk_text_parts
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, spell_name

_DUMPS = frozenset(
    {
        "json.dumps",
        "orjson.dumps",
        "pprint.pformat",
        "pprint.saferepr",
        "rapidjson.dumps",
        "simplejson.dumps",
        "ujson.dumps",
        "yaml.dump",
        "yaml.safe_dump",
    }
)
_BODY = frozenset({"body", "content", "data", "json", "read", "text"})
_AN_EXCERPT = 300  # Characters; so much is read as a part of the sentence.
_RESPONSE = re.compile(r"(?:^|_)(?:r|res|resp|response|reply)$")


def _check(function: Function) -> Iterator[Violation]:
    for site in function.raises:
        seen: set[str] = set()
        for part in _walk_parts(function, site.node):
            what = _name_answer(function, part.node)
            if what and what not in seen and is_certain(function, part):
                seen.add(what)
                yield Violation(
                    site.node,
                    f"`{what}` is poured into the message of an error, whatever it holds",
                    "say in one sentence what happened, and give what machines need piece by piece in `data=`",
                )


def _walk_parts(function: Function, raised: ast.Raise) -> Iterator[TextPart]:
    for call in list_raised_calls(function, raised):
        messages = list(find_messages(function, call))
        for message in messages:
            for part in walk_text_parts(function, message):
                # `ApiError(status, reason, body)` keeps the body; whether it says it too, nobody here knows.
                if len(messages) == 1 or part.before:
                    yield part


def _name_answer(function: Function, node: ast.expr) -> str | None:
    """Return the expression that puts a whole response into a text, as it is written; None for everything else."""
    match node:
        case ast.Subscript(value=value, slice=ast.Slice(upper=most)):
            return None if _is_short(most) else _name_answer(function, value)
        case ast.Await(value=value):
            return _name_answer(function, value)
        case ast.Call(func=called, args=[given, *_]) if function.resolve(called) in _DUMPS:
            return f"{spell_name(called)}(…)" if _is_from_elsewhere(function, given) else None
        case ast.Call(func=ast.Attribute() as called, args=[]):
            return f"{body}()" if (body := _name_body(called)) else None
        case ast.Attribute():
            return _name_body(node)
        case _:
            return None


def _is_short(most: ast.expr | None) -> bool:
    return isinstance(most, ast.Constant) and isinstance(most.value, int) and most.value <= _AN_EXCERPT


def _name_body(node: ast.Attribute) -> str | None:
    """Return `response.text` and its like as written; None for anything else."""
    if node.attr not in _BODY or not isinstance(node.value, ast.Name | ast.Attribute):
        return None
    owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
    return spell_name(node) if _RESPONSE.search(owner.lower()) else None


def _is_from_elsewhere(function: Function, given: ast.expr) -> bool:
    """Return whether an expression uses anything but the function's own parameters."""
    parameters = {parameter.arg for parameter in function.parameters}
    names = {node.id for node in ast.walk(given) if isinstance(node, ast.Name)}
    return bool(names - parameters)


RULE = Rule("no-stringify-upstream-error", Severity.WARNING, __doc__, in_function=_check, needs=("raises",))
