"""Finds a password, token, key, connection string or card number in what an error says.

## Why it hurts

What an error says is read by a model, kept in its transcript, written to logs, and shown to whoever asked. A secret that
was there once has to be replaced everywhere. errata hides what it recognises, but nobody recognises every password.

## Example

```python
from mcp.server.mcpserver import MCPServer

from errata import unauthorized

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    api_key = settings.api_key
    if not await orders.knows(api_key):
        raise unauthorized(f"The order service refused the key {api_key}.")
    return await orders.count(customer)
```

## Write instead

Say which secret, not what it is.

```python
from mcp.server.mcpserver import MCPServer

from errata import unauthorized

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    api_key = settings.api_key
    if not await orders.knows(api_key):
        raise unauthorized("The order service refused the key in `ORDERS_API_KEY`.")
    return await orders.count(customer)
```

## What it leaves alone

- Words about secrets, the names of variables and settings: `"invalid API key"`, `ENV_TOKEN = "ORDERS_TOKEN"`.
- What only sounds like a secret: `token_count`, `next_page_token`, `password_field`, the token of a parser.
- What was made harmless: `mask(token)`, `token[:4]`, `len(password)`.
- What a tool is asked for: a result, as opposed to an error, may hold a token.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from errata.linter._code import Function
from errata.linter._finding import Severity
from errata.linter._messages import Poured, calls_raised, data_of, is_certain, messages_of, poured_into, words_of
from errata.linter._names import called_as
from errata.linter._rule import Found, Rule
from errata.linter._secret_names import kind_of, name_of
from errata.redaction import redact

_ERROR = re.compile(
    r"\W*(?:\w+ )?(?:error|fail|invalid|unable|could ?n[o']t|cannot|can't|unauthori|exception|forbidden|denied|refused|wrong"
    r"|incorrect|rejected)",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"\[redacted: (password|token|key|private key|secret|cookie|card|national id)\]")
_WORTH_A_LOOK = re.compile(r"[0-9=:@]|PRIVATE")
# What people write to show how an address or an option looks.
_EXAMPLE = re.compile(
    r"localhost|example|:(?:\w*pass(?:word|wd)?|pwd|secret|[x*.]+)@|changeme|your|<|\{", re.IGNORECASE
)
# What people put around the text of an answer.
_AROUND = frozenset({"CallToolResult", "Content", "Response", "TextContent", "ToolResult", "dumps", "str"})
_SHORTEST = 12
_DEEPEST = 4


def _found(function: Function) -> Iterator[Found]:
    for site in function.raises:
        for call in calls_raised(function, site.node):
            yield from _in_texts(function, _texts_of_error(function, call))
    for returned in function.returns:
        if isinstance(returned.node.value, ast.expr):
            yield from _in_texts(function, _error_texts(returned.node.value))


def _texts_of_error(function: Function, call: ast.Call) -> Iterator[ast.expr]:
    yield from messages_of(function, call)
    if (data := data_of(function, call)) is not None:
        yield from _values(data)


def _values(data: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    match data:
        case ast.Dict(values=values) if depth < _DEEPEST:
            for value in values:
                yield from _values(value, depth + 1)
        case _:
            yield data


def _error_texts(value: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    """Find the texts in an answer that tell of an error, in what people put around them."""
    if depth > _DEEPEST:
        return
    match value:
        case ast.JoinedStr() | ast.BinOp() | ast.Call(func=ast.Attribute(attr="format")):
            if _ERROR.match(words_of(value)):
                yield value
        case ast.Dict(keys=keys, values=values):
            if any(isinstance(key, ast.Constant) and key.value == "error" for key in keys):
                yield from values
        case ast.List(elts=inside) | ast.Tuple(elts=inside):
            for each in inside:
                yield from _error_texts(each, depth + 1)
        case ast.Call(args=args, keywords=keywords) if called_as(value) in _AROUND:
            for each in (*args, *(keyword.value for keyword in keywords)):
                yield from _error_texts(each, depth + 1)
        case _:
            return


def _in_texts(function: Function, texts: Iterator[ast.expr]) -> Iterator[Found]:
    seen: set[str] = set()
    for text in texts:
        for part in poured_into(function, text):
            what = _secret(function, part)
            if what and what not in seen and is_certain(function, part):
                seen.add(what)
                yield Found(
                    text if part.names else part.node,
                    f"{what} is told to whoever reads the error",
                    "name the setting it comes from instead of its value, or leave it out",
                )


def _secret(function: Function, part: Poured) -> str | None:
    """Say what is secret about a part of a text; None if nothing is."""
    if isinstance(part.node, ast.Constant):
        kind = _kind_of_literal(part.node.value) if isinstance(part.node.value, str) else None
        return f"a {kind} that is written out here" if kind else None
    name = name_of(function, part.node)
    kind = kind_of(function, name, part.before) if name else None
    return f"the {kind} in `{name}`" if kind else None


@lru_cache(maxsize=256)
def _kind_of_literal(text: str) -> str | None:
    if len(text) < _SHORTEST or not _WORTH_A_LOOK.search(text):
        return None
    hidden = _HIDDEN.search(redact(text))
    if not hidden or _HIDDEN.search(text) or (hidden[1] == "password" and _EXAMPLE.search(text)):
        return None
    return hidden[1]


RULE = Rule("secret-in-message", Severity.ERROR, __doc__, in_function=_found, needs=("raises", "returns"))
