"""Finds a failure that has no reason.

## Why it hurts

The reason is the name of a failure on the wire. Two failures may share a code; by its reason a client tells them apart
without reading the message. In a `Contract` the name of the attribute is the reason; a failure that stands alone has
none of its own.

## Example

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
@raises(
    OrderErrors,
    Failure(
        Code.CONFLICT,
        when="The shop is closed",
        recovery="Call opening_hours before you order again.",
    ),
)
def get_order(number: int) -> str:
    return orders.find(number)
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
@raises(
    OrderErrors,
    Failure(
        Code.CONFLICT,
        reason="shop_closed",
        when="The shop is closed",
        recovery="Call opening_hours before you order again.",
    ),
)
def get_order(number: int) -> str:
    return orders.find(number)
```
"""

from collections.abc import Iterator

from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import text_or_none


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        reason = entry.reason
        if reason and _is_none(reason.kind, reason.read):
            advice = 'give it one, as in `Failure(…, reason="no_match")`, or make it an attribute of a Contract'
            yield Found(reason.node, f"a failure of {entry.owner} has no reason", advice)


def _is_none(kind: type[object], read: object) -> bool:
    return not issubclass(kind, str) or (isinstance(read, str) and text_or_none(read) is None)


RULE = Rule("error-contract-reason-required", Severity.ERROR, __doc__, in_contract=_found)
