"""Every rule, one file each."""

import pkgutil
from importlib import import_module

from errata.linter._rule import Rule

_FOUND: list[Rule] = [import_module(f"{__name__}.{each.name}").RULE for each in pkgutil.iter_modules(__path__)]

RULES: dict[str, Rule] = {rule.name: rule for rule in sorted(_FOUND, key=lambda rule: rule.name)}
"""By name."""
