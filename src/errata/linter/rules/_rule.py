"""What a rule is: a name, a severity, a page, and where it looks.

A rule is one file in `rules/`. Its docstring is its page; `errata explain NAME` prints it. It looks at

- a function (`in_function`): what it yields counts if a handler is that function, or reaches it;
- a declaration (`in_contract`): a contract, a `@raises` or an `install(contracts=…)`, as it is written;
- a contract with what it inherits and names (`of_contract`), when every file has been read;
- a handler with all that it reaches (`of_handler`), when every file has been read;
- the project as a whole (`of_project`), if no file of its servers was left out.
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
    """Which handlers it is about, of those that reach what `in_function` found; by default all."""
    only_handlers: bool = False
    """Whether what `in_function` finds counts in the handler's own function alone, not in what it calls."""
    still_holds: Callable[[Project, LinkedHandler, LocatedFunction, Candidate], bool] | None = None
    """Whether what `in_function` found still stands once all files are linked; by default it does."""
    fixable: bool = False
    needs: tuple[str, ...] = ()
    """What a function must have for `in_function` to find something: some of its `tries`, `withs`, `raises`, `returns`."""

    @property
    def summary(self) -> str:
        """The first paragraph of its page, in one line."""
        return " ".join((self.page or "").partition("\n\n")[0].split())
