"""Finds a failure without a code, or with one that is no code at all.

## Why it hurts

The code is what a client decides by: whether to repeat the call, to mend its arguments or to ask somebody. A status of
HTTP or an exception in its place says nothing to it, and the module cannot even be imported.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        404,
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

## What it leaves alone

A value that is known only when the program runs is checked when it runs.
"""

from collections.abc import Iterator

from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        code = entry.given("code")
        if code and not issubclass(code.kind, str):
            given = "no code" if code.read is None else f"a code of type `{code.kind.__name__}`"
            yield Found(code.node, f"{entry.subject} has {given}", "give a member of `Code`, such as `Code.NOT_FOUND`")


RULE = Rule("error-contract-code-type", Severity.ERROR, __doc__, in_contract=_found)
