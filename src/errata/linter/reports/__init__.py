"""Findings as text for a person, as JSON, as SARIF and as GitHub annotations."""

from errata.linter.reports._machine_reports import github_report, json_report, sarif_report
from errata.linter.reports._text_report import counted, harmless, statistics_report, summarise_findings, text_report

__all__ = [
    "counted",
    "github_report",
    "harmless",
    "json_report",
    "sarif_report",
    "statistics_report",
    "summarise_findings",
    "text_report",
]
