"""From one file to its summary: what linking needs, and what rules see in the file alone."""

from errata.linter.summary._candidates import Violation
from errata.linter.summary._contract_declarations import CONTRACT, NEXT_STEP, ContractEntry, Declaration
from errata.linter.summary._file_summary import (
    Advice,
    Candidate,
    ClassSummary,
    ContractSummary,
    ContractUse,
    EntrySummary,
    FunctionSummary,
    RaisedError,
    Registration,
    SideEffect,
    Summary,
)
from errata.linter.summary._side_effects import read_change
from errata.linter.summary._summarise import describe_failed_rule, make_obstacle, summarise_file, summarise_source

__all__ = [
    "CONTRACT",
    "NEXT_STEP",
    "Advice",
    "Candidate",
    "ClassSummary",
    "ContractEntry",
    "ContractSummary",
    "ContractUse",
    "Declaration",
    "EntrySummary",
    "FunctionSummary",
    "RaisedError",
    "Registration",
    "SideEffect",
    "Summary",
    "Violation",
    "describe_failed_rule",
    "make_obstacle",
    "read_change",
    "summarise_file",
    "summarise_source",
]
