"""Finds a failure that is declared as `UNKNOWN_ERROR`.

## Why it hurts

`UNKNOWN_ERROR` is what is left when nothing is known. Whoever declares a failure knows when it happens, so a client
could be told more: whether to repeat the call, to change it, or to give up.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.UNKNOWN_ERROR,
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

from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import Code, known_word


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        code = entry.given("code")
        if code and known_word(Code, code.read) is Code.UNKNOWN_ERROR:
            message = f"{entry.subject} has the code `UNKNOWN_ERROR`, which tells an agent nothing"
            yield Found(code.node, message, "pick the code that says what happened, such as `Code.NOT_FOUND`")


RULE = Rule("error-contract-code-unknown-error", Severity.WARNING, __doc__, in_contract=_found)
