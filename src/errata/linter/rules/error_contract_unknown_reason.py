"""Finds a reason, or a failure of a contract, that is used by name and not declared.

## Why it hurts

`fail` cannot raise what the tool does not declare. In place of the failure that was meant, the agent is told that the
server has a bug, without a recovery and without a verdict. `recovery_for` gives nothing, so the recovery is lost; and
`OrderErrors.no_mach` is an AttributeError.

## Example

```python
from errata import Code, Contract, Failure, fail, raises
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
        raise fail("no_mach", f"There is no order {number}.")
    return order.text
```

## Write instead

An attribute of the contract is checked by editors and type checkers as well.

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
    order = orders.find(number)
    if order is None:
        raise OrderErrors.no_match(f"There is no order {number}.")
    return order.text
```

## In services

`fail` asks the contract of the tool that runs. A function that several tools call may ask only for what all of them
declare; it is reported for each tool that does not. `recovery_for` is meant to give nothing where nothing is declared, so
in a service it is reported only if it looks like a typo.

## What it leaves alone

A contract that cannot be seen as a whole, because part of it comes from a library or is computed.
"""

from collections.abc import Iterator

from errata.contracts import quote_value
from errata.linter.link import LinkedContract, LinkedContractUse, LinkedHandler
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Severity
from errata.linter.syntax import get_last_part
from errata.model import find_nearest

_LISTED = 8


def _check(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    for each in handler.contract_uses:
        if each.use.how == "failure":
            yield from _check_failure(each)
        elif each.linked_contract is not None:
            yield from _check_reason(handler, each, each.linked_contract)
        elif each.use.how == "fail":
            message = (
                f"`fail` is called with reason {quote_value(each.use.name)}, and {handler.subject} has no contract"
            )
            advice = "put `@raises(…)` on it, or raise an error that needs no contract, such as `not_found(…)`"
            yield LinkedViolation(each.where.file.path, each.use.location, message, advice)


def _check_failure(each: LinkedContractUse) -> Iterator[LinkedViolation]:
    if each.linked_contract is not None:
        name = get_last_part(each.use.name)
        message = f"{each.linked_contract.contract.owner} declares no failure {quote_value(name)}"
        attributes = [held.entry.attribute for held in each.linked_contract.failures]
        yield LinkedViolation(each.where.file.path, each.use.location, message, _write_advice(name, attributes))


def _check_reason(
    handler: LinkedHandler, each: LinkedContractUse, linked_contract: LinkedContract
) -> Iterator[LinkedViolation]:
    name, reasons = each.use.name, linked_contract.reasons
    is_legible = linked_contract.is_whole and len(reasons) == len(linked_contract.failures)
    is_own = each.where == handler.where
    if not is_legible or name in reasons:
        return
    if each.use.how == "fail" or is_own or find_nearest(name, reasons):
        owner = handler.subject if linked_contract is handler.linked_contract else linked_contract.contract.owner
        verb = "declares" if is_own or linked_contract is not handler.linked_contract else "gets here and declares"
        message = f"{owner} {verb} no reason {quote_value(name)}"
        yield LinkedViolation(each.where.file.path, each.use.location, message, _write_advice(name, reasons))


def _write_advice(name: str, declared: list[str]) -> str:
    if near := find_nearest(name, declared):
        return f"write {' or '.join(map(quote_value, near))}"
    listed = ", ".join(map(quote_value, declared[:_LISTED])) + (", …" if len(declared) > _LISTED else "")
    return (
        f"declare it with a `Failure`, or use what is declared: {listed}" if declared else "declare it with a `Failure`"
    )


RULE = Rule("error-contract-unknown-reason", Severity.ERROR, __doc__, of_handler=_check)
