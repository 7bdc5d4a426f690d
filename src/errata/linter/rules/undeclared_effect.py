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

With `with effect():` alone, errata knows too. The annotations tell every client.

## What it leaves alone

Tools whose name says nothing of a change, and tools that change nothing that can be seen from here. Annotations that stand
in a variable which cannot be followed are believed.
"""

from collections.abc import Iterator

from errata.linter.link import Handler, changes_made, head_of, marks_its_effect
from errata.linter.rules._rule import Rule, Told
from errata.linter.source import Severity
from errata.linter.summary import Act

_ANSWERS = {"readOnlyHint", "idempotentHint", "destructiveHint"}
_DECLARE = (
    "write `annotations=ToolAnnotations(destructiveHint=…, idempotentHint=…)`, or put `with effect():` around `{}`"
)


def _told(handler: Handler) -> Iterator[Told]:
    if handler.kind != "tool" or handler.hints is None:
        return
    change = next(changes_made(handler), None)
    if handler.hints.get("readOnlyHint"):
        change = next(filter(_is_no_question, changes_made(handler)), None)
    if change and handler.hints.get("readOnlyHint"):
        yield _at_head(
            handler,
            f"`{handler.name}` is declared `readOnlyHint=True` and calls `{change}`",
            f"declare what is true: `readOnlyHint=False`, and `idempotentHint=True` if `{handler.name}` may be repeated",
        )
    elif change and _ANSWERS.isdisjoint(handler.hints) and not marks_its_effect(handler):
        yield _at_head(
            handler,
            f"`{handler.name}` calls `{change}` and does not say whether it may be repeated: "
            "after a timeout the agent has to guess",
            _DECLARE.format(change),
        )
    if not handler.is_repeatable and not marks_its_effect(handler):
        yield from _two_effects(handler)


def _is_no_question(change: str) -> bool:
    """Whether a call cannot be a search that is sent by POST."""
    return not change.lower().endswith("post")


def _at_head(handler: Handler, message: str, advice: str) -> Told:
    return Told(handler.where.file.path, head_of(handler.where), message, advice)


def _two_effects(handler: Handler) -> Iterator[Told]:
    """Find a second effect in the tool itself: if that one fails, the first has happened all the same."""
    acts = [act for act in handler.where.function.acts if act.kind == "changes" and act.in_turn]
    first = next((act for act in acts if act.each_time), None)
    second = next((act for act in acts if first and _is_another(first, act)), None)
    if first and second:
        yield Told(
            handler.where.file.path,
            first.place,
            f"if `{second.what}` in line {second.place.line} is refused, the agent is told that nothing happened, "
            f"but `{first.what}` has",
            f'put `with effect(verify_tool="…"):` around `{first.what}`',
        )


def _is_another(first: Act, act: Act) -> bool:
    is_the_end_of_it = act.what.endswith("commit")  # A refused commit undoes what was executed before it.
    return act.place > first.place and act.what != first.what and not is_the_end_of_it


RULE = Rule("undeclared-effect", Severity.WARNING, __doc__, of_handler=_told)
