"""Finds `# errata: ignore[…]` that does not say why.

## Why it hurts

Whoever comes next can tell neither whether the reason still holds nor whether there was one. The finding is ignored all
the same.

## Example

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except:  # errata: ignore[bare-except]
        raise RuntimeError("no orders")
```

## Write instead

Say why, in a few words after the brackets.

```python
from mcp.server.mcpserver import MCPServer

server = MCPServer("orders")


@server.tool()
async def count_orders(customer: str) -> int:
    try:
        return await orders.count(customer)
    except:  # errata: ignore[bare-except] because the driver raises no class of its own
        raise RuntimeError("no orders")
```
"""

from errata.linter.rules._rule import Rule
from errata.linter.source import Severity

RULE = Rule("ignore-without-reason", Severity.WARNING, __doc__)
