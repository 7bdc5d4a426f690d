"""From one file to its summary: all that linking needs, and all that rules see in the file alone."""

from errata.linter.summary._candidates import Found
from errata.linter.summary._contract_declarations import CONTRACT, NEXT_STEP, Declaration, Entry
from errata.linter.summary._file_summary import (
    Act,
    Advice,
    Asked,
    Candidate,
    ClassSummary,
    ContractSummary,
    EntrySummary,
    FunctionSummary,
    Raised,
    Registration,
    Summary,
)
from errata.linter.summary._side_effects import change_of
from errata.linter.summary._summarise import summary_of_file, summary_of_source, unjudged, unreadable

__all__ = [
    "CONTRACT",
    "NEXT_STEP",
    "Act",
    "Advice",
    "Asked",
    "Candidate",
    "ClassSummary",
    "ContractSummary",
    "Declaration",
    "Entry",
    "EntrySummary",
    "Found",
    "FunctionSummary",
    "Raised",
    "Registration",
    "Summary",
    "change_of",
    "summary_of_file",
    "summary_of_source",
    "unjudged",
    "unreadable",
]
