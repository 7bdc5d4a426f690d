"""Finds something in a contract that is no failure.

## Why it hurts

What stands in a contract is published as a way in which the tool can fail. A text or a code in its place has no `when`
and no recovery, and the module cannot be imported.

## Example

```python
from errata import Code, Contract, Failure


class OrderErrors(Contract):
    no_match = "NOT_FOUND"
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

Methods, properties and classes may stand beside the failures, and so may any value whose name begins with an underscore.
"""

from collections.abc import Iterator
from types import FunctionType

from errata.contracts import shown
from errata.linter._contracts import Declaration, Entry
from errata.linter._finding import Severity
from errata.linter._rule import Found, Rule


def _found(declaration: Declaration) -> Iterator[Found]:
    last = {entry.attribute: entry for entry in declaration.entries if declaration.is_class}
    for entry in last.values():
        if _is_none(entry):
            advice = (
                f"declare it as `{entry.attribute} = Failure(Code.…, when=…, recovery=…)`, or begin its name with `_`"
            )
            yield Found(entry.written, f"{shown(entry.attribute)} of {entry.owner} is no Failure", advice)


def _is_none(entry: Entry) -> bool:
    """Whether an entry is sure to be nothing that may stand in a contract."""
    value = entry.value
    return value is not None and value.kind is not FunctionType and not entry.attribute.startswith("_")


RULE = Rule("error-contract-entry-type", Severity.ERROR, __doc__, in_contract=_found)
