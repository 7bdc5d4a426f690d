"""Finds a failure that does not say when it happens.

## Why it hurts

`when` is published with the tool, so that an agent knows what can go wrong before it calls. It is also the message of
every exception that is given none: without it the agent reads an empty text.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
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
```

## What it leaves alone

A value that is known only when the program runs is checked when it runs.
"""

from collections.abc import Iterator

from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import text_or_none


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        when = entry.given("when")
        if when and (not issubclass(when.kind, str) or (isinstance(when.read, str) and not text_or_none(when.read))):
            advice = 'say in one sentence when it happens, as in `when="No order has this number"`'
            yield Found(when.node, f"{entry.subject} has no `when`", advice)


RULE = Rule("error-contract-when-required", Severity.ERROR, __doc__, in_contract=_found)
