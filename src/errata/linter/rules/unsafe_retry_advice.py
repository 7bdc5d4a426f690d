"""Finds "please try again" in what a tool says after a failure, if the tool changes something and may have done so.

## Why it hurts

An agent does what it is told. After a timeout nobody knows whether the order was placed, and "please try again" places it a
second time. The message is the last chance to say "look first".

## Example

```python
import httpx
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def create_order(article: str) -> str:
    try:
        async with httpx.AsyncClient() as client:
            answer = await client.post("https://orders.example", json={"article": article})
    except httpx.HTTPError as error:
        raise RuntimeError("The order service failed. Please try again.") from error
    return answer.text
```

## Write instead

Let errata say what may be done: it knows a refusal from a timeout, and whether the effect has begun.

```python
import httpx
from mcp.server.mcpserver import MCPServer

from errata.resilience import effect

server = MCPServer("orders")


@server.tool()
async def create_order(article: str) -> str:
    async with httpx.AsyncClient() as client:
        with effect(verify_tool="list_orders"):
            answer = await client.post("https://orders.example", json={"article": article})
    return answer.text
```

## What it leaves alone

Tools that are declared read-only or idempotent; advice that begins with something to correct ("with a valid id", "log in
and try again"); and refusals, after which nothing has happened: rate limits, conflicts, what is busy or not ready yet.
"""

import ast
import re
from collections.abc import Iterator

from errata.linter.analysis import list_caught
from errata.linter.link import LinkedHandler, list_changes, marks_its_effect
from errata.linter.rules._rule import Rule
from errata.linter.source import Severity
from errata.linter.summary import Violation, read_change
from errata.linter.syntax import Function, Try, get_called_name
from errata.tools import find_verb, split_words

_ADVICE = re.compile(
    r"(?:please |wait[^.]{0,30} and |then |^|[.;:,!] *)(?:try|retry)(?: (?:it|this|that|(?:the|your) (?:request|call|operation|command)))?"
    r"(?: again)?(?: later| (?:in|after) (?:a |an |some |few |\w+ )*(?:moment|seconds?|minutes?|while|time))?(?: please)?(?=[.!;)\"]| *$)",
    re.IGNORECASE,
)
# Something is to be corrected first, or nothing has happened, or it says the opposite.
_HARMLESS = re.compile(
    r"not (?:re)?try|n't (?:re)?try|never retry|before (?:re)?trying|rate.?limit|too many|quota|429|throttl|conflict|version"
    r"|locked|busy|not ready|starting|unavailable|authenti|log ?in|sign in|token|credential|permission|valid|correct"
    r"|check |ensure|make sure|verify|specify|provide|different|another|instead|refresh|reload|not found|expired|restart",
    re.IGNORECASE,
)
# What is caught here has nothing to do with what was sent.
_LOCAL = re.compile(
    r"(^|\.)(ValueError|KeyError|TypeError|IndexError|ImportError|ModuleNotFoundError|FileNotFoundError|LookupError"
    r"|JSONDecodeError|ValidationError|PermissionError|StopIteration|AttributeError)$|RateLimit|Throttl|Conflict|NotFound"
    r"|ConnectError|ConnectionRefused|Auth|Busy|Locked"
)


def _check(function: Function) -> Iterator[Violation]:
    for tried, clause in function.clauses:
        for text in _find_texts(clause):
            if _says_to_repeat(text.value) and _may_have_happened(function, tried.node, clause):
                yield Violation(
                    text,
                    "this tells the agent to repeat a call that may have happened, and the tool changes something",
                    "say how to look whether it happened before calling again, "
                    'or put `with effect(verify_tool="…"):` around the change and let errata tell',
                )


def _find_texts(clause: ast.ExceptHandler) -> Iterator[ast.Constant]:
    """Find the texts in what an except clause raises or returns."""
    for statement in clause.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Raise | ast.Return):
                yield from (each for each in ast.walk(node) if isinstance(each, ast.Constant))


def _may_have_happened(function: Function, tried: Try, clause: ast.ExceptHandler) -> bool:
    """Return whether something is changed inside the `try`; a look-up before it changes nothing."""
    if all(map(_LOCAL.search, list_caught(function, clause))):
        return False
    return any(_changes(function, site.node) for site in function.calls if tried in site.walk_blocks())


def _changes(function: Function, call: ast.Call) -> bool:
    name = get_called_name(call)
    return read_change(function, call, name) is not None or (len(split_words(name)) > 1 and find_verb(name) is not None)


def _says_to_repeat(text: object) -> bool:
    return isinstance(text, str) and bool(_ADVICE.search(text.strip())) and not _HARMLESS.search(text)


def _concerns(handler: LinkedHandler) -> bool:
    if handler.kind != "tool" or handler.hints is None or handler.is_repeatable or marks_its_effect(handler):
        return False
    return bool(handler.hints.get("destructiveHint")) or next(list_changes(handler), None) is not None


RULE = Rule("unsafe-retry-advice", Severity.WARNING, __doc__, in_function=_check, needs=("tries",), concerns=_concerns)
