"""Finds what is given to `@raises`, or to `install(contracts=…)`, and is neither a Contract nor a Failure.

## Why it hurts

`@raises` takes what the tool can fail with as it is told to the agent, not the exceptions of Python. Anything else is
refused when the module is imported.

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
@raises(LookupError)
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
@raises(OrderErrors)
def get_order(number: int) -> str:
    return orders.find(number)
```

## What it leaves alone

A name that comes from a library is not followed into it.
"""

from collections.abc import Iterator

from errata.contracts import shown
from errata.linter._agreements import Agreement
from errata.linter._finding import Severity
from errata.linter._rule import Rule, Told


def _found(agreement: Agreement) -> Iterator[Told]:
    for held in () if agreement.contract.is_class else agreement.strangers:
        what = f"{agreement.contract.owner} is given {shown(held.entry.written)}"
        message = f"{what}, which is neither a Contract nor a Failure"
        yield Told(held.path, held.entry.place, message, "name what can fail, as in `@raises(FetchErrors)`")


RULE = Rule("error-contract-type", Severity.ERROR, __doc__, of_contract=_found)
