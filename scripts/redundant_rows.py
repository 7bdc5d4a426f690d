"""List the plain rows that say what the row of a base class says already; run it where the libraries are: .venv-corpus.

A row is redundant if its class can be imported and, without it, the next row along the class's MRO decides the same at
once. Subclasses then follow as well. Rows of a library whose every exception has to be decided about stay: they are the
decision (see `check_decided` in tests/support/library_tables.py).
"""

import importlib
import sys
from collections.abc import Iterator

from errata.classification import FAMILIES, REGISTRY, Otherwise, Rule


def main() -> int:
    for name in redundant_rows():
        print(name)
    return 0


def redundant_rows() -> Iterator[str]:
    rows = {name: rule for table in FAMILIES.values() for name, rule in table.items()}
    for name, rule in rows.items():
        if callable(rule) or (kind := class_named(name)) is None or dotted(kind) != name:
            continue
        if rule == next_rule(kind, name):
            yield name


def class_named(name: str) -> type | None:
    module, _, rest = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), rest)
    except Exception:  # noqa: BLE001 - not installed, of another version, or broken where it is imported.
        return None
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def dotted(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def next_rule(kind: type, name: str) -> Rule | Otherwise | None:
    """Return the rule that would hold for a class without its own row; None if words would be asked first."""
    for base in kind.__mro__[1:]:
        rule = REGISTRY.rule_for(dotted(base))
        if rule is not None:
            return None if base.__module__ == "builtins" and not name.startswith("builtins.") else rule
    return None


if __name__ == "__main__":
    sys.exit(main())
