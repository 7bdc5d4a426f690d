"""Findings, their locations and edits, and the error for a linter that cannot run."""

import dataclasses
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How bad it is: an error breaks at run time or lies to the agent, a warning makes a failure harder to act on."""

    ERROR = "error"
    WARNING = "warning"


class Location(NamedTuple):
    """A range of source: lines from 1, columns from 1 and in characters, the end not included."""

    line: int
    column: int
    end_line: int
    end_column: int


Place = Location
"""The name of `Location` in 0.1."""


class Edit(NamedTuple):
    """A range of source, and the text to replace it by."""

    location: Location
    text: str

    @property
    def place(self) -> Location:
        """The name of `location` in 0.1."""
        return self.location


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One violation of a rule, as it is reported."""

    rule: str
    severity: Severity
    path: str
    location: Location
    message: str
    """What is wrong: lower case, no full stop."""
    help: str
    """What to write instead; begins with a verb."""
    edits: tuple[Edit, ...] = ()
    """What `--fix` changes; empty where a person has to decide."""

    @property
    def place(self) -> Location:
        """The name of `location` in 0.1."""
        return self.location


class LintError(Exception):
    """The linter could not run; carries what is wrong and what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice

    def __str__(self) -> str:
        """Return both in one line."""
        return f"{self.what}; {self.advice}"
