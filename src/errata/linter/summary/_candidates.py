"""What rules see in one file: each looks at every function and at every declaration of a contract."""

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from errata.linter.source import Edit, Location
from errata.linter.summary._contract_declarations import Declaration
from errata.linter.summary._file_summary import Candidate
from errata.linter.syntax import Function, Module


class Violation(NamedTuple):
    """A violation that a rule sees in one file."""

    at: ast.AST | Location
    message: str
    help: str
    edits: tuple[Edit, ...] = ()
    facts: tuple[str, ...] = ()
    """What `Rule.still_holds` needs."""


class Check(Protocol):
    """The half of a rule that looks at one file; the other half needs all files (see `rules`)."""

    @property
    def name(self) -> str:
        """The name of the rule."""
        ...

    @property
    def in_function(self) -> Callable[[Function], Iterable[Violation]] | None:
        """Look at a function."""
        ...

    @property
    def in_contract(self) -> Callable[[Declaration], Iterable[Violation]] | None:
        """Look at a declaration of a contract."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """The parts of a function that `in_function` looks at: `tries`, `withs`, `raises` or `returns`. Empty means any function."""
        ...


def look_at_function(function: Function, rules: Iterable[Check]) -> Iterator[Candidate]:
    """Yield what rules see in a function."""
    for rule in rules:
        if rule.in_function is None or not _has(function, rule.needs):
            continue
        for violation in rule.in_function(function):
            yield _make_candidate(rule, violation, function.module)


def _has(function: Function, needs: tuple[str, ...]) -> bool:
    for each in needs:
        if getattr(function, each):
            return True
    return not needs


def look_at_declaration(declaration: Declaration, module: Module, rules: Iterable[Check]) -> Iterator[Candidate]:
    """Yield what rules see in a declaration."""
    for rule in rules:
        if rule.in_contract is not None:
            yield from (_make_candidate(rule, each, module) for each in rule.in_contract(declaration))


def _make_candidate(rule: Check, violation: Violation, module: Module) -> Candidate:
    location = module.lines.locate(violation.at) if isinstance(violation.at, ast.AST) else violation.at
    return Candidate(rule.name, location, violation.message, violation.help, violation.edits, violation.facts)
