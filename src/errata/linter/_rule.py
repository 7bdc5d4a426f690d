"""What a rule is: a name, a severity, a page, and where it looks.

A rule is one file in `rules/`. Its docstring is its page; `errata explain NAME` prints it. It looks at

- a function (`in_function`): what it yields counts if a handler is that function, or reaches it;
- a declaration (`in_contract`): a contract, a `@raises` or an `install(contracts=…)`, as it is written;
- a contract with what it inherits and names (`of_contract`), when every file has been read;
- a handler with all that it reaches (`of_handler`), when every file has been read;
- the project as a whole (`of_project`), if no file of its servers was left out.
"""

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from errata.linter._code import Function, Module
from errata.linter._contracts import Declaration
from errata.linter._finding import Edit, Place, Severity
from errata.linter._summary import Candidate

if TYPE_CHECKING:
    from errata.linter._agreements import Agreement
    from errata.linter._handlers import Handler
    from errata.linter._linking import Project
    from errata.linter._trails import Located


class Found(NamedTuple):
    """One thing that a rule sees in a file."""

    at: ast.AST | Place
    message: str
    help: str
    edits: tuple[Edit, ...] = ()
    facts: tuple[str, ...] = ()
    """What `upheld` is to know."""


class Told(NamedTuple):
    """One thing that a rule sees once all files are known; it may stand in any of them."""

    path: str
    place: Place
    message: str
    help: str
    edits: tuple[Edit, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    name: str
    severity: Severity
    page: str | None
    """Markdown: what it does, why it hurts, an example, and what to write instead."""
    in_function: Callable[[Function], Iterable[Found]] | None = None
    in_contract: Callable[[Declaration], Iterable[Found]] | None = None
    of_contract: "Callable[[Agreement], Iterable[Told]] | None" = None
    of_handler: "Callable[[Handler], Iterable[Told]] | None" = None
    of_project: "Callable[[Project], Iterable[Told]] | None" = None
    concerns: "Callable[[Handler], bool] | None" = None
    """Which handlers it is about, of those that reach what `in_function` found; by default all."""
    only_handlers: bool = False
    """Whether what `in_function` finds counts in the handler's own function alone, not in what it calls."""
    upheld: "Callable[[Project, Handler, Located, Candidate], bool] | None" = None
    """Whether what `in_function` found still stands once all files are linked; by default it does."""
    fixable: bool = False
    needs: tuple[str, ...] = ()
    """What a function must have for `in_function` to find something: some of its `tries`, `withs`, `raises`, `returns`."""

    @property
    def summary(self) -> str:
        """The first paragraph of its page, in one line."""
        return " ".join((self.page or "").partition("\n\n")[0].split())


def candidates_in(function: Function, rules: Iterable[Rule]) -> Iterator[Candidate]:
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


def candidates_of(declaration: Declaration, module: Module, rules: Iterable[Rule]) -> Iterator[Candidate]:
    """Let the rules look at a declaration."""
    for rule in rules:
        if rule.in_contract is not None:
            yield from (_candidate(rule, each, module) for each in rule.in_contract(declaration))


def _candidate(rule: Rule, found: Found, module: Module) -> Candidate:
    place = module.lines.place_of(found.at) if isinstance(found.at, ast.AST) else found.at
    return Candidate(rule.name, place, found.message, found.help, found.edits, found.facts)
