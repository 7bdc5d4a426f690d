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

from errata.linter.analysis import (
    TextPart,
    find_data,
    find_messages,
    is_certain,
    list_raised_calls,
    read_words,
    walk_text_parts,
)
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation
from errata.linter.syntax import Function, get_called_name, get_last_part
from errata.redaction import is_innocent_in, read_promise, redact

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
_SECRET_KINDS = frozenset({"card", "cookie", "key", "national id", "password", "secret", "token"})
_LOOKUPS = frozenset({"get", "getenv", "pop", "get_secret"})
_SAME_VALUE = frozenset({"decode", "encode", "get_secret_value", "lower", "lstrip", "rstrip", "strip", "upper"})
_HARMLESS_TYPES = frozenset({"bool", "int", "float"})

# Last words with another meaning in code: a test that passed, a sine, a pan, the secrets that a cluster lists.
_AMBIGUOUS = frozenset({"bearer", "nino", "pan", "pass", "psk", "pw", "secrets", "sin"})
_CREDENTIALS = re.compile(r"(?:^|_)(?:credentials?|creds)$")
_CONNECTION = re.compile(
    r"(?:^|_)(?:dsn|conn(?:ection)?_?str(?:ing)?|(?:connection|conn|database|db|mongo(?:db)?|postgres(?:ql)?|mysql)_ur[il])$"
)
# Names of names: the setting, not what is in it.
_ABOUT = re.compile(
    r"^(?:env|environ|missing|required|unknown|invalid|num|has|is|no)_|^(?:ENV|HEADER|PARAM|FIELD|KEY|ARG)_"
)
# A token may be one of a language, a page or a plan, and a secret one of a cluster: something else has to tell.
_VAGUE = frozenset({"secret", "token"})
_OWNERS = re.compile(
    r"(?:^|_)(?:access|admin|api|app|atlassian|auth|aws|azure|bearer|bot|client|consumer|deploy|discord|figma|github|gitlab"
    r"|google|hf|huggingface|id|jira|jwt|linear|login|notion|oauth2?|personal|private|refresh|secret|service|session|shared"
    r"|signing|slack|stripe|telegram|user|webhook)_?(?:secret|token)$"
    r"|(?:^|_)(?:auth|cfg|conf|config|credentials|creds|env|settings)\.(?:secret|token)$"
)
_WORDS_ABOUT_ACCESS = re.compile(
    r"auth|bearer|log.?in|credential|sign.?in"
    r"|(?:access|api|bad|expired|incorrect|invalid|refused|rejected|revoked|using|with|wrong)\W+(?:\w+\W+)?(?:secret|token)",
    re.IGNORECASE,
)
_PARSES = re.compile(r"_*(parse|tokeni[sz]e|lex|split)")
_PARSER = re.compile(
    r"unexpected|expected|syntax|pars(?:e|ing)|position|column|\bline\b|lex|unknown token", re.IGNORECASE
)


def _check(function: Function) -> Iterator[Violation]:
    for site in function.raises:
        for call in list_raised_calls(function, site.node):
            yield from _search_texts(function, _find_texts_of_error(function, call))
    for returned in function.returns:
        if isinstance(returned.node.value, ast.expr):
            yield from _search_texts(function, _find_error_texts(returned.node.value))


def _find_texts_of_error(function: Function, call: ast.Call) -> Iterator[ast.expr]:
    yield from find_messages(function, call)
    if (data := find_data(function, call)) is not None:
        yield from _list_values(data)


def _list_values(data: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    match data:
        case ast.Dict(values=values) if depth < _DEEPEST:
            for value in values:
                yield from _list_values(value, depth + 1)
        case _:
            yield data


def _find_error_texts(value: ast.expr, depth: int = 0) -> Iterator[ast.expr]:
    """Find the error texts in a returned value, also inside containers and calls."""
    if depth > _DEEPEST:
        return
    match value:
        case ast.JoinedStr() | ast.BinOp() | ast.Call(func=ast.Attribute(attr="format")):
            if _ERROR.match(read_words(value)):
                yield value
        case ast.Dict(keys=keys, values=values):
            if any(isinstance(key, ast.Constant) and key.value == "error" for key in keys):
                yield from values
        case ast.List(elts=inside) | ast.Tuple(elts=inside):
            for each in inside:
                yield from _find_error_texts(each, depth + 1)
        case ast.Call(args=args, keywords=keywords) if get_called_name(value) in _AROUND:
            for each in (*args, *(keyword.value for keyword in keywords)):
                yield from _find_error_texts(each, depth + 1)
        case _:
            return


def _search_texts(function: Function, texts: Iterator[ast.expr]) -> Iterator[Violation]:
    seen: set[str] = set()
    for text in texts:
        for part in walk_text_parts(function, text):
            what = _name_secret(function, part)
            if what and what not in seen and is_certain(function, part):
                seen.add(what)
                yield Violation(
                    text if part.names else part.node,
                    f"{what} is told to whoever reads the error",
                    "name the setting it comes from instead of its value, or leave it out",
                )


def _name_secret(function: Function, part: TextPart) -> str | None:
    """Return what is secret about a part of a text; None if nothing is."""
    if isinstance(part.node, ast.Constant):
        kind = _read_literal_kind(part.node.value) if isinstance(part.node.value, str) else None
        return f"a {kind} that is written out here" if kind else None
    name = _name_held(function, part.node)
    kind = _read_kind(function, name, part.before) if name else None
    return f"the {kind} in `{name}`" if kind else None


@lru_cache(maxsize=256)
def _read_literal_kind(text: str) -> str | None:
    if len(text) < _SHORTEST or not _WORTH_A_LOOK.search(text):
        return None
    hidden = _HIDDEN.search(redact(text))
    if not hidden or _HIDDEN.search(text) or (hidden[1] == "password" and _EXAMPLE.search(text)):
        return None
    return hidden[1]


def _name_held(function: Function, node: ast.expr) -> str | None:  # noqa: PLR0911 - one line for each kind of node.
    """Return the name of what an expression holds: `self.password`, `config["password"]`, `getenv("PASSWORD")`."""
    match node:
        case ast.Name(id=name):
            return None if _is_harmless(function, name) else name
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name) if name in _VAGUE:
            return f"{owner}.{name}"
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case ast.Call(func=ast.Attribute(attr=method, value=receiver)) if method in _SAME_VALUE:
            return _name_held(function, receiver)
        case ast.Call(func=ast.Attribute(attr=method) | ast.Name(id=method), args=[ast.Constant(value=str(key)), *_]):
            return key if method in _LOOKUPS else None
        case ast.Await(value=value):
            return _name_held(function, value)
        case _:
            return None


def _read_kind(function: Function, name: str, before: str) -> str | None:
    """Return the kind of secret a name announces, given the words before it; None for none."""
    if _ABOUT.search(name) or _is_name_of_setting(function, name):
        return None
    if _CREDENTIALS.search(name.lower()):
        return "credentials"
    if _CONNECTION.search(name.lower()):
        return "connection string"
    last = re.split(r"[_\-.]", name.rstrip("_").lower())[-1]
    promise = read_promise(name)
    if promise is None or not promise.sure or promise.kind not in _SECRET_KINDS or last in _AMBIGUOUS:
        return None
    if last in _VAGUE and (_PARSES.match(get_last_part(function.name)) or not _is_for_access(name, before)):
        return None
    return promise.kind


def _is_for_access(name: str, before: str) -> bool:
    """Return whether a token or a secret is a credential, judging by its whole name or the words before it."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return bool(_OWNERS.search(snake)) or (not _is_of_parser(before) and bool(_WORDS_ABOUT_ACCESS.search(before)))


def _is_of_parser(before: str) -> bool:
    """Return whether the words before a token show that it is one of a parser, or of pagination."""
    text = before.rstrip(" :'\"`(=")
    return bool(_PARSER.search(before)) or is_innocent_in(text, max(0, len(text) - 5), len(text))


def _is_harmless(function: Function, name: str) -> bool:
    """Return whether a name is annotated as a number or a boolean."""
    kind = function.annotations.get(name)
    return isinstance(kind, ast.Name) and kind.id in _HARMLESS_TYPES


def _is_name_of_setting(function: Function, name: str) -> bool:
    """Return whether a constant holds the name of a setting: `ENV_TOKEN = "ORDERS_TOKEN"`."""
    if not name.isupper():
        return False
    for node in function.module.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Constant(value=str())) if bound == name:
                return True
            case ast.AnnAssign(target=ast.Name(id=bound), value=ast.Constant(value=str())) if bound == name:
                return True
            case _:
                continue
    return False


RULE = Rule("secret-in-message", Severity.ERROR, __doc__, in_function=_check, needs=("raises", "returns"))
