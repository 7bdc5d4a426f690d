"""Which rules hold for a class: its own, then its bases', most specific first."""

from collections.abc import Iterable
from typing import NamedTuple
from weakref import WeakKeyDictionary

from errata.classification._carried import by_carried
from errata.classification._exception_rules import Otherwise, Rule, Table, first
from errata.classification._families import FAMILIES, GENERAL, PEP249


class Plan(NamedTuple):
    """The rules for a class, each with the dotted name it stands under."""

    rules: tuple[tuple[str, Rule], ...]
    last: tuple[str, Rule] | None
    """The rule that decides when neither these rules nor anything the exception carries does."""
    names: tuple[str, ...]
    """The names that may say something: of the class and its bases, but not Python's own, nor what a table judged."""


class Registry:
    """Rules by class name: ours, and before them those that users added.

    A class is found under its dotted name, or else, among ours, by its package and name alone: libraries move a class
    from module to module and keep the rest.
    """

    def __init__(self, *tables: Table) -> None:
        self._ours = [row for table in tables for row in table.items()]
        self._users: list[tuple[str, Rule]] = []
        self._edition = 0
        self._index()

    def _index(self) -> None:
        self._edition += 1
        rows = [*self._ours, *self._users]
        self._rows = dict(rows)
        self._short = _by_short_name(self._ours)
        self._plans: WeakKeyDictionary[type, Plan] = WeakKeyDictionary()

    @property
    def edition(self) -> int:
        """A number that changes when a rule is added or taken back."""
        return self._edition

    def add(self, row: tuple[str, Rule]) -> None:
        """Add a user's rule, before all that are there."""
        self._users.append(row)
        self._index()

    def remove(self, row: tuple[str, Rule]) -> None:
        """Take a user's rule back; one that is gone already is gone."""
        self._users = [each for each in self._users if each is not row]
        self._index()

    def rule_for(self, name: str) -> Rule | Otherwise | None:
        """Return the rule of a dotted name; None if it has none."""
        return self._rows.get(name) or self._short.get(_package_and_name(name))

    def names(self) -> list[str]:
        """List every dotted name that has a rule."""
        return list(self._rows)

    def plan(self, kind: type) -> Plan:
        """Return the rules that hold for a class, its own before its bases'."""
        plans = self._plans  # A row that is added meanwhile begins a new one.
        if (plan := plans.get(kind)) is None:
            plan = plans[kind] = self._made(kind)
        return plan

    def _made(self, kind: type) -> Plan:
        rules: list[tuple[str, Rule]] = []
        last: tuple[str, Rule] | None = None
        names: list[str] = []
        for cls in kind.__mro__:
            name = dotted_name(cls)
            rule = self.rule_for(name) or _as_a_driver(cls)
            if isinstance(rule, Otherwise):
                last = last or (name, rule.rule)
            elif rule is not None and name in GENERAL and cls is not kind:
                last = last or (name, rule)
            elif rule is not None:
                rules.append((name, rule))
            elif cls.__module__ not in _PYTHON:
                names.append(cls.__name__)
        return Plan(tuple(rules), last, tuple(names))


def _as_a_driver(cls: type) -> Rule | None:
    """Return what PEP 249 says about the name of a class, if its module is a database driver's."""
    if cls.__name__ not in PEP249:
        return None
    names = {base.__name__ for base in cls.__mro__ if _package(base) == _package(cls)}
    telling = {"Error"} if cls.__name__ == "InterfaceError" else {"DatabaseError", "Error"}
    return first(by_carried, PEP249[cls.__name__]) if names >= telling else None


def _package(cls: type) -> str:
    return str(cls.__module__).partition(".")[0]


_PYTHON = {"abc", "builtins", "typing"}


def dotted_name(kind: type) -> str:
    """Return the dotted name of a class: its module and its name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _by_short_name(rows: Iterable[tuple[str, Rule | Otherwise]]) -> dict[str, Rule | Otherwise]:
    """Return rules by package and name, without the names that two classes of a package share."""
    rules: dict[str, Rule | Otherwise] = {}
    shared: set[str] = set()
    for name, rule in rows:
        short = _package_and_name(name)
        if rules.setdefault(short, rule) is not rule:
            shared.add(short)
    return {short: rule for short, rule in rules.items() if short not in shared}


def _package_and_name(name: str) -> str:
    package, _, rest = name.partition(".")
    if package in _NAMESPACES:
        package = f"{package}.{rest.partition('.')[0]}"
    return f"{package}:{rest.rpartition('.')[2]}"


_NAMESPACES = {"azure", "google", "snowflake"}  # Several libraries share these.


REGISTRY = Registry(*FAMILIES.values())
"""The rules in force: ours, and those that users added."""
