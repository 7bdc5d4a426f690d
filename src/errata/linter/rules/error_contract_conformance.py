"""Finds a code that a handler raises, itself or in what it calls, and that its contract does not declare.

## Why it hurts

The contract is what an agent plans by. A failure that is not in it arrives without a reason and without a recovery, and
nobody who read the list of tools could expect it.

## Example

```python
from errata import Code, Contract, Failure, gone, raises
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
    order = orders.find(number)
    if order is None:
        raise gone(f"Order {number} was deleted.")
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
    deleted = Failure(
        Code.GONE,
        when="The order was deleted",
        recovery="Tell the user that it was deleted.",
    )


@server.tool()
@raises(OrderErrors)
def get_order(number: int) -> str:
    order = orders.find(number)
    if order is None:
        raise OrderErrors.deleted(f"Order {number} was deleted.")
    return order.text
```

## What it leaves alone

Nine codes may come from anywhere and need not be declared: `INTERNAL_ERROR`, `SERVICE_UNAVAILABLE`, `TIMEOUT`,
`VALIDATION_FAILED`, `SERIALIZATION_ERROR`, and what the dialect `json-rpc` calls by the same words: `NETWORK_ERROR`,
`UPSTREAM_ERROR`, `CIRCUIT_OPEN` and `CANCELLED`. So may everything that is caught on the way, and whatever a library raises. The
one function that serves all tools of a low-level server is not judged: nobody sees for which tool it raises.

Each code is reported once for each handler, where it is raised first.
"""

from collections.abc import Iterator

from errata.contracts import quote_value
from errata.dialects import BASELINE
from errata.linter.link import LinkedHandler, ReachedError
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.syntax import get_last_part
from errata.model import Code, known_word


def _check(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    linked_contract = handler.promise
    if linked_contract is None:
        return
    first: dict[str, ReachedError] = {}
    for reached in handler.errors:
        code = known_word(Code, reached.raised.code)
        if code and code not in BASELINE and code not in linked_contract.codes:
            first.setdefault(code, reached)
    yield from (_make_violation(handler, code, reached) for code, reached in first.items())


def _make_violation(handler: LinkedHandler, code: str, reached: ReachedError) -> LinkedViolation:
    is_own = reached.where == handler.where
    through = "" if is_own else f" through {quote_value(get_last_part(reached.where.function.name))}"
    message = f"{handler.subject} raises `{code}`{through}, which its contract does not declare"
    advice = f"declare it with a `Failure(Code.{code}, …)` and raise that, or handle it"
    return LinkedViolation(reached.where.file.path, reached.raised.location, message, advice)


RULE = Rule("error-contract-conformance", Severity.WARNING, __doc__, of_handler=_check)
