"""What a rule is: a name, a severity, a page, and functions that look for violations.

A rule is one file in `rules/` with a `RULE`. The docstring of the file is its page; `errata explain NAME` prints it. A rule
looks at one or more of these:

- a function (`in_function`), while its file is summarised: a violation counts if a handler is or reaches the function;
- a declaration (`in_contract`), likewise: a contract, a `@raises` or an `install(contracts=…)` as it is written;
- a contract with all that it inherits and names (`of_contract`), once files are linked;
- a handler with all that it reaches (`of_handler`), once files are linked;
- the project as a whole (`of_project`), if all files of its servers were read.
"""

import dataclasses
from collections.abc import Callable, Iterable
from typing import NamedTuple

from errata.linter.link import LinkedContract, LinkedHandler, LocatedFunction, Project
from errata.linter.source import Edit, Location, Severity
from errata.linter.summary import Candidate, Declaration, Violation
from errata.linter.syntax import Function


class LinkedViolation(NamedTuple):
    """A violation that a rule sees once files are linked; it may be in any of them."""

    path: str
    location: Location
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
    in_function: Callable[[Function], Iterable[Violation]] | None = None
    in_contract: Callable[[Declaration], Iterable[Violation]] | None = None
    of_contract: Callable[[LinkedContract], Iterable[LinkedViolation]] | None = None
    of_handler: Callable[[LinkedHandler], Iterable[LinkedViolation]] | None = None
    of_project: Callable[[Project], Iterable[LinkedViolation]] | None = None
    concerns: Callable[[LinkedHandler], bool] | None = None
    """Whether it applies to a handler that reaches what `in_function` saw; by default to all."""
    only_handlers: bool = False
    """Whether what `in_function` sees counts in the handler's own function only, and not in what it calls."""
    still_holds: Callable[[Project, LinkedHandler, LocatedFunction, Candidate], bool] | None = None
    """Whether what `in_function` saw is still wrong once files are linked; by default it is."""
    fixable: bool = False
    needs: tuple[str, ...] = ()
    """The parts of a function that `in_function` looks at: `tries`, `withs`, `raises` or `returns`. Empty means any function."""

    @property
    def summary(self) -> str:
        """The first paragraph of its page, in one line."""
        return " ".join((self.page or "").partition("\n\n")[0].split())
