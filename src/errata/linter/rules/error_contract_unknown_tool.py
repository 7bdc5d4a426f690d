"""Finds advice that sends an agent to a tool which the server does not have.

## Why it hurts

An agent does what a recovery says. If it says to call a tool that was renamed or never written, the agent calls it, is told
that there is no such tool, and has lost the one way out that the error had.

## Example

```python
from errata import Code, Contract, Failure, raises
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call list_order to see valid numbers.",
    )


@server.tool()
def list_orders() -> list[int]:
    return orders.numbers()


@server.tool()
@raises(OrderErrors)
def get_order(number: int) -> str:
    order = orders.find(number)
    if order is None:
        raise OrderErrors.no_match(f"There is no order {number}.")
    return order.text
```

## Write instead

```python
from errata import Code, Contract, Failure, raises
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call list_orders to see valid numbers.",
    )


@server.tool()
def list_orders() -> list[int]:
    return orders.numbers()


@server.tool()
@raises(OrderErrors)
def get_order(number: int) -> str:
    order = orders.find(number)
    if order is None:
        raise OrderErrors.no_match(f"There is no order {number}.")
    return order.text
```

## What it reads

The `recovery` of a `Failure` and of `errata.register`, the `hint` of a `Recovery`, a `fallback_tool`, a `verify_tool`, and
the tool that `effect("…")` names, where they are written out. In a sentence, a word is taken for the name of a tool if the
sentence says so (call `search`, the `search` tool), or if it is written like one and begins with a verb (use list_orders).

## What it leaves alone

Names of parameters and of declared reasons. Tests. And every project whose tools cannot all be seen: tools of a mounted
server or a proxy, tools with a computed name, a low-level server that lists them itself, and a run over single files of a
server, as a hook before a commit does it. There, `errata catalog` and `errata.testing.assert_advice_names_tools` know more.
"""

import os
from collections.abc import Iterator

from errata.contracts import quote_value
from errata.linter.link import Project, is_for_tests
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.summary import Advice
from errata.tools import MissingTool, find_missing_tool, find_missing_tools


def _check(project: Project) -> Iterator[LinkedViolation]:
    tests = {file.path for file in project.files if is_for_tests(os.path.relpath(file.path, file.root or "."))}
    advice = [(path, each, subject) for path, each, subject in _list_advice(project) if path not in tests]
    tools = project.tools if advice else None
    if tools is None:
        return
    others = _collect_other_names(project)
    for path, each, subject in advice:
        single = find_missing_tool(each.text, tools) if each.is_name else None
        missing = find_missing_tools(each.text, tools, others) if not each.is_name else filter(None, [single])
        yield from (_make_violation(path, each, subject, tool) for tool in missing)


def _list_advice(project: Project) -> Iterator[tuple[str, Advice, str]]:
    """Yield every piece of advice to agents, with its file and its subject."""
    for linked_contract in project.contracts:
        for held in linked_contract.failures:
            if held.entry.recovery is not None:
                yield held.path, held.entry.recovery, f"the recovery of {quote_value(held.entry.reason or 'a failure')}"
    for file in project.files:
        yield from ((file.path, each, "this") for each in file.advice)


def _collect_other_names(project: Project) -> set[str]:
    """Return the names of parameters and reasons: advice may mention those too."""
    parameters = {name for file in project.files for function in file.functions for name in function.parameters}
    return parameters | {reason for linked_contract in project.contracts for reason in linked_contract.reasons}


def _make_violation(path: str, advice: Advice, subject: str, missing: MissingTool) -> LinkedViolation:
    message = f"{subject} names the tool {quote_value(missing.name)}, and this project registers no such tool"
    near = " or ".join(map(quote_value, missing.near))
    help_ = f"write {near}" if near else "name a tool that is registered, or say the next step without one"
    return LinkedViolation(path, advice.location, message, help_)


RULE = Rule("error-contract-unknown-tool", Severity.ERROR, __doc__, of_project=_check)
