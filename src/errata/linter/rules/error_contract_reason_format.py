"""Finds a reason that is not written in snake_case.

## Why it hurts

A reason is compared as it is, by programs and by models. Where one server says `noMatch` and another `no_match`, whoever
handles both handles neither.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    noMatch = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
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
"""

from collections.abc import Iterator

from errata.contracts import is_snake_case, shown, snake_case
from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import text_or_none
from errata.redaction import text_of


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        reason = entry.reason
        text = text_of(reason.read) if reason and isinstance(reason.read, str) else ""
        if reason and text_or_none(text) and not is_snake_case(text):
            message = f"reason {shown(text)} of {entry.owner} is not snake_case"
            yield Found(reason.node, message, f"call it {shown(snake_case(text))}")


RULE = Rule("error-contract-reason-format", Severity.WARNING, __doc__, in_contract=_found)
