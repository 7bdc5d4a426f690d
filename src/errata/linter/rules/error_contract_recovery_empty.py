"""Finds a failure whose recovery is empty, or blank.

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
        recovery="",
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
"""

from collections.abc import Iterator

from errata.linter._contracts import NEXT_STEP, Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import text_or_none


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        recovery = entry.given("recovery")
        if recovery and isinstance(recovery.read, str) and text_or_none(recovery.read) is None:
            yield Found(recovery.node, f"{entry.subject} has an empty `recovery`", NEXT_STEP)


RULE = Rule("error-contract-recovery-empty", Severity.ERROR, __doc__, in_contract=_found)
