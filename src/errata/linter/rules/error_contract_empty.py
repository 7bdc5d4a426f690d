"""Finds a contract, or a `@raises`, that declares nothing.

## Why it hurts

An empty contract tells every client that the tool cannot fail in any way it could plan for. That is hardly ever so, and
nothing that is raised is compared with it.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    pass
```

## Write instead

Declare what can fail, or leave the contract out.

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call list_orders to see valid numbers.",
    )
```

## What it leaves alone

A class that inherits failures, from this file or another one.
"""

from collections.abc import Iterator

from errata.linter._agreements import Agreement
from errata.linter._contracts import CONTRACT
from errata.linter._finding import Severity
from errata.linter._rule import Rule, Told


def _found(agreement: Agreement) -> Iterator[Told]:
    contract = agreement.contract
    names_another = not contract.is_class and any(entry.name != CONTRACT for entry in contract.entries)
    if agreement.is_whole and not (agreement.failures or agreement.strangers or names_another):
        advice = "declare what can fail, or leave the contract out"
        yield Told(agreement.path, contract.place, f"{contract.owner} declares no failure", advice)


RULE = Rule("error-contract-empty", Severity.WARNING, __doc__, of_contract=_found)
