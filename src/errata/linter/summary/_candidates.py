"""What rules see in one file: each looks at every function and at every declaration of a contract."""

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from errata.linter.source import Edit, Place
from errata.linter.summary._contract_declarations import Declaration
from errata.linter.summary._file_summary import Candidate
from errata.linter.syntax import Function, Module


class Found(NamedTuple):
    """One thing that a rule sees in a file."""

    at: ast.AST | Place
    message: str
    help: str
    edits: tuple[Edit, ...] = ()
    facts: tuple[str, ...] = ()
    """What `upheld` is to know."""


class Check(Protocol):
    """The half of a rule that looks at one file; the other half needs all files (see `rules`)."""

    @property
    def name(self) -> str:
        """The name of the rule."""
        ...

    @property
    def in_function(self) -> Callable[[Function], Iterable[Found]] | None:
        """Look at a function."""
        ...

    @property
    def in_contract(self) -> Callable[[Declaration], Iterable[Found]] | None:
        """Look at a declaration of a contract."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """What a function must have for `in_function` to see something: some of its `tries`, `withs`, `raises`, `returns`."""
        ...


def candidates_in(function: Function, rules: Iterable[Check]) -> Iterator[Candidate]:
    """Let the rules look at a function."""
    for rule in rules:
        if rule.in_function is None or not _has(function, rule.needs):
            continue
        for found in rule.in_function(function):
            yield _candidate(rule, found, function.module)


def _has(function: Function, needs: tuple[str, ...]) -> bool:
    for each in needs:
        if getattr(function, each):
            return True
    return not needs


def candidates_of(declaration: Declaration, module: Module, rules: Iterable[Check]) -> Iterator[Candidate]:
    """Let the rules look at a declaration."""
    for rule in rules:
        if rule.in_contract is not None:
            yield from (_candidate(rule, each, module) for each in rule.in_contract(declaration))


def _candidate(rule: Check, found: Found, module: Module) -> Candidate:
    place = module.lines.place_of(found.at) if isinstance(found.at, ast.AST) else found.at
    return Candidate(rule.name, place, found.message, found.help, found.edits, found.facts)
