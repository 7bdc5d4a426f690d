"""Finds tools that change something and do not say so: nobody can know whether a call that timed out may be repeated.

## Why it hurts

After a timeout the agent has to decide: call again, or look first? A tool that creates, sends or deletes and has no
annotations leaves it to guess, and a guess books the flight twice. A tool that says `readOnlyHint` and deletes is worse:
clients call it without asking, and repeat it at will. And of a tool that charges and then mails, a failed mail says that
"nothing happened", unless the charge is marked as an effect.

## Example

```python
import httpx
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def create_order(article: str) -> str:
    async with httpx.AsyncClient() as client:
        answer = await client.post("https://orders.example", json={"article": article})
    return answer.text
```

## Write instead

```python
import httpx
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from errata.resilience import effect

server = MCPServer("orders")


@server.tool(annotations=ToolAnnotations(destructive_hint=False, idempotent_hint=False))
async def create_order(article: str) -> str:
    async with httpx.AsyncClient() as client:
        with effect(verify_tool="list_orders"):
            answer = await client.post("https://orders.example", json={"article": article})
    return answer.text
```

`with effect():` alone is enough for errata: after a timeout inside the block the agent is told to look first. Of a timeout
before the block, errata knows that nothing has happened only if the function also declares, with `@marks_effects`, that it
marks everything it changes. The annotations tell every client.

## What it leaves alone

Tools whose name does not announce a change, and tools without a visible change. Annotations in a variable that cannot be
resolved are trusted.
"""

from collections.abc import Iterator

from errata.linter.link import LinkedHandler, list_changes, locate_head, marks_its_effect
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.summary import SideEffect

_ANSWERS = {"readOnlyHint", "idempotentHint", "destructiveHint"}
_DECLARE = (
    "write `annotations=ToolAnnotations(destructiveHint=…, idempotentHint=…)`, or put `with effect():` around `{}`"
)


def _check(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    if handler.kind != "tool" or handler.hints is None:
        return
    change = next(list_changes(handler), None)
    if handler.hints.get("readOnlyHint"):
        change = next(filter(_is_no_question, list_changes(handler)), None)
    if change and handler.hints.get("readOnlyHint"):
        yield _make_violation(
            handler,
            f"`{handler.name}` is declared `readOnlyHint=True` and calls `{change}`",
            f"declare what is true: `readOnlyHint=False`, and `idempotentHint=True` if `{handler.name}` may be repeated",
        )
    elif change and _ANSWERS.isdisjoint(handler.hints) and not marks_its_effect(handler):
        yield _make_violation(
            handler,
            f"`{handler.name}` calls `{change}` and does not say whether it may be repeated: "
            "after a timeout the agent has to guess",
            _DECLARE.format(change),
        )
    if not handler.is_repeatable and not marks_its_effect(handler):
        yield from _check_second_effect(handler)


def _is_no_question(change: str) -> bool:
    """Return whether a call is certainly no search sent by POST."""
    return not change.lower().endswith("post")


def _make_violation(handler: LinkedHandler, message: str, advice: str) -> LinkedViolation:
    return LinkedViolation(handler.where.file.path, locate_head(handler.where), message, advice)


def _check_second_effect(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    """Report two changes in the tool itself: if the second fails, the first has already happened."""
    side_effects = [
        effect for effect in handler.where.function.side_effects if effect.kind == "changes" and effect.in_turn
    ]
    first = next((effect for effect in side_effects if effect.each_time), None)
    second = next((effect for effect in side_effects if first and _is_another(first, effect)), None)
    if first and second:
        yield LinkedViolation(
            handler.where.file.path,
            first.location,
            f"if `{second.what}` in line {second.location.line} is refused, the agent is told that nothing happened, "
            f"but `{first.what}` has",
            f'put `with effect(verify_tool="…"):` around `{first.what}`',
        )


def _is_another(first: SideEffect, effect: SideEffect) -> bool:
    is_the_end_of_it = effect.what.endswith("commit")  # A refused commit undoes what was executed before it.
    return effect.location > first.location and effect.what != first.what and not is_the_end_of_it


RULE = Rule("undeclared-effect", Severity.WARNING, __doc__, of_handler=_check)
