"""Finds a reason that stands for two failures.

## Why it hurts

By its reason a client tells one failure from another. Where two have the same, it follows the recovery of the wrong one;
errata refuses such a contract when it is made.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call list_orders to see valid numbers.",
    )
    no_match = Failure(
        Code.CONFLICT,
        when="Two orders have this number",
        recovery="Call list_orders to see valid numbers.",
    )
```

## Write instead

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call list_orders to see valid numbers.",
    )
    two_match = Failure(
        Code.CONFLICT,
        when="Two orders have this number",
        recovery="Call list_orders to see valid numbers.",
    )
```

## What it leaves alone

A subclass may declare an inherited failure anew, and two contracts may share one that they inherit.
"""

from collections.abc import Iterator

from errata.contracts import shown
from errata.linter._agreements import Agreement
from errata.linter._finding import Severity
from errata.linter._rule import Rule, Told


def _found(agreement: Agreement) -> Iterator[Told]:
    for held in agreement.repeated:
        reason = shown(held.entry.reason or held.entry.attribute)
        message = f"reason {reason} of {agreement.contract.owner} is declared twice"
        yield Told(held.path, held.entry.place, message, "rename one of the two, or remove it")


RULE = Rule("error-contract-reason-unique", Severity.ERROR, __doc__, of_contract=_found)
