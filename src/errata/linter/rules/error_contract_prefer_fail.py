"""Finds a declared code that is raised directly, and not by way of the contract.

## Why it hurts

What is raised directly has the code and nothing else: no reason, which clients compare, and no recovery, which was
written down for this very case.

## Example

```python
from errata import Code, Contract, Failure, not_found, raises
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
        raise not_found(f"There is no order {number}.")
    return order.text
```

## Write instead

Raise the declared failure. Where the contract cannot be named, `fail("no_match", …)` finds that of the running tool.

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

## What it leaves alone

In a service, the codes that may come from anywhere (see `error-contract-conformance`), what names its reason in the data,
and what several tools reach, because each of them may declare it otherwise. A handler that declares one of those codes
has a reason for it, and raises it by that.

`--fix` rewrites the call where exactly one declared failure has the code and the contract can be named.
"""

from collections.abc import Iterator

from errata.contracts import quote_value
from errata.dialects import BASELINE
from errata.linter.link import HeldEntry, LinkedHandler, ReachedError, strip_root
from errata.linter.rules._rule import LinkedViolation, Rule
from errata.linter.source import Edit, Severity
from errata.linter.summary import RaisedError, Summary
from errata.linter.syntax import get_last_part
from errata.model import Code, known_word

_LISTED = 4


def _check(handler: LinkedHandler) -> Iterator[LinkedViolation]:
    linked_contract = handler.promise
    if linked_contract is None:
        return
    for reached in handler.errors:
        code = known_word(Code, reached.raised.code)
        declared = [held for held in linked_contract.failures if held.entry.code == code]
        if code and declared and _is_direct(handler, reached, code, linked_contract.reasons):
            yield _make_violation(handler, reached, declared)


def _is_direct(handler: LinkedHandler, reached: ReachedError, code: Code, reasons: list[str]) -> bool:
    if reached.raised.how not in {"factory", "constructor"}:
        return False
    is_shared = id(reached.where.function) in handler.shared
    is_left_alone = is_shared or code in BASELINE or reached.raised.reason in reasons
    return reached.where == handler.where or not is_left_alone


def _make_violation(handler: LinkedHandler, reached: ReachedError, declared: list[HeldEntry]) -> LinkedViolation:
    where, raised = reached
    names = [_write_name(held, where.file) for held in declared]
    shapes = [
        f"`{name}(…)`" if name else f'`fail("{held.entry.reason}", …)`'
        for name, held in zip(names, declared, strict=True)
    ]
    through = "" if where == handler.where else f" through {quote_value(get_last_part(where.function.name))}"
    message = f"{handler.subject} raises `{raised.code}`{through} past its contract, which declares it"
    advice = f"raise {' or '.join(shapes[:_LISTED])}"
    is_sure = len(names) == 1 and where == handler.where and not raised.reason
    return LinkedViolation(
        where.file.path, raised.location, message, advice, _make_edits(raised, names[0]) if is_sure else ()
    )


def _write_name(held: HeldEntry, file: Summary) -> str:
    """Return a failure as a file would write it (`OrderErrors.no_match`); empty if the file does not import its contract."""
    names = (name for name, meaning in file.names.items() if held.holder and strip_root(meaning) == held.contract_name)
    name = next(names, "")
    return f"{name}.{held.entry.attribute}" if name else ""


def _make_edits(raised: RaisedError, name: str) -> tuple[Edit, ...]:
    if not name or raised.head is None:
        return ()
    return (Edit(raised.head, f"{name}(" if raised.how == "constructor" else name),)


RULE = Rule("error-contract-prefer-fail", Severity.WARNING, __doc__, of_handler=_check, fixable=True)
