"""Which rules hold for a class: its own, then its bases', most specific first."""

from typing import NamedTuple
from weakref import WeakKeyDictionary

from errata.classification import _builtins
from errata.classification._answer import Otherwise, Rule, Table

FAMILIES: dict[str, Table] = {
    "Python": _builtins.TABLE,
}
"""The tables by the name of their family."""


class Plan(NamedTuple):
    """The rules for a class, each with the dotted name it stands under."""

    rules: tuple[tuple[str, Rule], ...]
    last: tuple[str, Rule] | None
    """What is said when neither these rules nor anything the exception carries says more."""


class Registry:
    """Rules by class name. A class is found under its dotted name, or by its package and name alone:
    libraries move a class from module to module and keep the rest."""

    def __init__(self, *tables: Table) -> None:
        self._rows: dict[str, Rule | Otherwise] = {}
        self._short: dict[str, Rule | Otherwise] = {}
        self._plans: WeakKeyDictionary[type, Plan] = WeakKeyDictionary()
        for table in tables:
            for name, rule in table.items():
                self.add(name, rule)

    def add(self, name: str, rule: Rule | Otherwise) -> None:
        """Add a rule, or replace the one that was there."""
        self._rows[name] = rule
        self._short[_package_and_name(name)] = rule
        self._plans.clear()

    def rule_for(self, name: str) -> Rule | Otherwise | None:
        """Look a dotted name up."""
        return self._rows.get(name) or self._short.get(_package_and_name(name))

    def names(self) -> list[str]:
        """List every dotted name that has a rule."""
        return list(self._rows)

    def plan(self, kind: type) -> Plan:
        """Collect the rules that hold for a class."""
        try:
            return self._plans[kind]
        except KeyError:
            plan = self._plans[kind] = self._made(kind)
            return plan

    def _made(self, kind: type) -> Plan:
        rules: list[tuple[str, Rule]] = []
        last: tuple[str, Rule] | None = None
        for cls in kind.__mro__:
            name = dotted_name(cls)
            rule = self.rule_for(name)
            if isinstance(rule, Otherwise):
                last = last or (name, rule.rule)
            elif rule is not None and name in _builtins.GENERAL and cls is not kind:
                last = last or (name, rule)
            elif rule is not None:
                rules.append((name, rule))
        return Plan(tuple(rules), last)


def dotted_name(kind: type) -> str:
    """Name a class by its module and its name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _package_and_name(name: str) -> str:
    package, _, rest = name.partition(".")
    return f"{package}:{rest.rpartition('.')[2]}"


REGISTRY = Registry(*FAMILIES.values())
"""The rules in force: ours, and those that users added."""
