"""How findings are shown: to a person, to a program, to code scanning, to a pull request."""

from errata.linter._reports._github import github_report
from errata.linter._reports._machine import json_report
from errata.linter._reports._sarif import sarif_report
from errata.linter._reports._showing import harmless
from errata.linter._reports._statistics import counted, statistics_report, summary
from errata.linter._reports._text import Painter, text_report

__all__ = [
    "Painter",
    "counted",
    "github_report",
    "harmless",
    "json_report",
    "sarif_report",
    "statistics_report",
    "summary",
    "text_report",
]
