"""Finds `# errata: ignore[…]` where there is nothing to ignore: the code was mended, or a name is mistyped.

## Why it hurts

A comment that sets nothing aside today sets something aside tomorrow, when somebody breaks the same line in the same way
and nobody is told. One with a mistyped name never did what it says.

It is judged only where whole directories are linted: in single files the handlers that come by here are not seen. A rule
that is not selected is not said to be unused.

## Example

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    return await orders.count(customer)  # errata: ignore[bare-except] because the driver raises no class of its own
```

## Write instead

Remove the comment; `--fix` does.

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    return await orders.count(customer)
```
"""

from errata.linter.rules._rule import Rule
from errata.linter.source import Severity

RULE = Rule("unused-ignore", Severity.WARNING, __doc__, fixable=True)
