"""Finds a recovery of fewer than five words.

## Why it hurts

“Try again.” and “Check the input.” are what an agent does anyway. A step that it can take names a tool, an argument or a
time, and that takes five words.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = Failure(
        Code.NOT_FOUND,
        when="No order has this number",
        recovery="Try again.",
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

A value that is known only when the program runs is checked when it runs. Words are
what blanks part, so a sentence in Chinese or Japanese counts as one; ignore the rule in such a file.
"""

from collections.abc import Iterator

from errata.contracts import has_few_words, shown
from errata.linter._contracts import NEXT_STEP, Declaration
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule
from errata.model import text_or_none


def _found(declaration: Declaration) -> Iterator[Found]:
    for entry in declaration.failures:
        recovery = entry.given("recovery")
        text = text_or_none(recovery.read) if recovery and isinstance(recovery.read, str) else None
        if recovery and text and has_few_words(text):
            message = f"{entry.subject} has a `recovery` of few words, {shown(text)}"
            yield Found(recovery.node, message, NEXT_STEP)


RULE = Rule("error-contract-recovery-min-words", Severity.WARNING, __doc__, in_contract=_found)
