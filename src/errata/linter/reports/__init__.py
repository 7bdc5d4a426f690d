"""Findings as text for a person, as JSON, as SARIF and as GitHub annotations."""

from errata.linter.reports._machine_reports import write_github_report, write_json_report, write_sarif_report
from errata.linter.reports._text_report import (
    count_of,
    escape_text,
    summarise_findings,
    write_statistics,
    write_text_report,
)

__all__ = [
    "count_of",
    "escape_text",
    "summarise_findings",
    "write_github_report",
    "write_json_report",
    "write_sarif_report",
    "write_statistics",
    "write_text_report",
]
