"""Finds a `retryable` that is neither True nor False.

## Why it hurts

Whether a call may be repeated is a yes or a no. errata ignores anything else, so the client gets the answer that the
code gives, and the one that was meant is lost.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Call list_orders to see valid numbers.",
        retryable="no",
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
        retryable=False,
    )
```

## What it leaves alone

A value that is known only when the program runs is checked when it runs.
"""

from collections.abc import Iterator

from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        flag = entry.given("retryable")
        if flag and flag.kind not in {bool, type(None)}:
            message = f"{entry.subject} has a `retryable` of type `{flag.kind.__name__}`, which is ignored"
            yield Found(flag.node, message, "give True or False, or leave it out")


RULE = Rule("error-contract-retryable-type", Severity.WARNING, __doc__, in_contract=_found)
