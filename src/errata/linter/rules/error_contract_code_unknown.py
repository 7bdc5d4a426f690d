"""Finds a failure whose code does not exist.

## Why it hurts

A client knows the thirty codes of `errata.Code` and decides by them. A word of one's own means nothing to it, and a
misspelt one stops the server from starting.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOND,
        when="No order has this number",
        recovery="Call list_orders to see valid numbers.",
    )
```

## Write instead

Choose the code that says what kind of failure it is; the name of the attribute says which one.

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

from errata.contracts import shown
from errata.linter._contracts import Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import Code, known_word, nearest


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        code = entry.given("code")
        if code and isinstance(code.read, str) and known_word(Code, code.read) is None:
            message = f"{entry.subject} has the code {shown(code.read)}, which does not exist"
            yield Found(code.node, message, _advice(code.read))


def _advice(word: str) -> str:
    near = nearest(word.upper(), Code)
    return f"write {' or '.join(f'`Code.{each}`' for each in near)}" if near else "choose a member of `Code`"


RULE = Rule("error-contract-code-unknown", Severity.ERROR, __doc__, in_contract=_found)
