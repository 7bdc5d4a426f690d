"""Reports a file that could not be linted: it does not parse, is not UTF-8, is too large, nests too deeply, or is gone.

## Why it hurts

What is not read is not judged; the rest of the run goes on, and this file may hold anything.

## Example

```python
def count_orders(:
    return 0
```

## Write instead

```python
def count_orders():
    return 0
```
"""

from errata.linter.rules._rule import Rule
from errata.linter.source import Severity

RULE = Rule("unreadable-file", Severity.ERROR, __doc__)
