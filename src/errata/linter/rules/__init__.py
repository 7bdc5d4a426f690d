"""Every rule: one file each, except for those about what a contract says, which are rows of `contract_entries`."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from errata.linter.rules._rule import Rule

__all__ = ["RULES", "Rule"]


def _load_rules() -> Iterator[Rule]:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            loaded = import_module(f"{__name__}.{module.name}")
            yield from getattr(loaded, "RULES", None) or [loaded.RULE]


RULES: dict[str, Rule] = {rule.name: rule for rule in sorted(_load_rules(), key=lambda rule: rule.name)}
"""By name."""
