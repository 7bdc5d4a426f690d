"""Finds a failure without a recovery, or with one that is no text.

## Why it hurts

An agent that is told what failed and not what to do next tries the same again, or gives up. The recovery is that next
step; whoever writes the tool knows it, and nobody else does.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
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
```

## What it leaves alone

A value that is known only when the program runs is checked when it runs.
"""

from collections.abc import Iterator

from errata.linter._contracts import NEXT_STEP, Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        recovery = entry.given("recovery")
        if recovery and not issubclass(recovery.kind, str):
            is_text = "no `recovery`" if recovery.read is None else "a `recovery` that is no text"
            yield Found(recovery.node, f"{entry.subject} has {is_text}", NEXT_STEP)


RULE = Rule("error-contract-recovery-required", Severity.ERROR, __doc__, in_contract=_found)
