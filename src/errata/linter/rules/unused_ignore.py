"""Finds `# errata: ignore[…]` where there is nothing to ignore: the code was fixed, or a name is mistyped.

## Why it hurts

A comment that ignores nothing today hides a finding tomorrow, when somebody breaks the same line in the same way. A
comment with a mistyped name never worked.

This is judged only where directories are linted, because the handlers that reach a line may be in other files; and only
for rules that are selected.

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
