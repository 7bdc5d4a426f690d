"""The linter: finds the handlers that will fail badly, before they do. It reads source, and imports none of it.

A file goes through `source` (its text), `syntax` (its functions) and `summary` (what is kept of it, and what rules see in
it alone); `link` makes one project of all files, and `judge` asks the `rules` about it. `reports` show what comes out.
"""

from errata.linter._fixes import (
    by_file as by_file,
    diff as diff,
    fix as fix,
    mended_file as mended_file,
    mended_source as mended_source,
)
from errata.linter._start_up import lint_at_start_up as lint_at_start_up
from errata.linter.judge import (
    OFF as OFF,
    UNUSED as UNUSED,
    Baseline as Baseline,
    Compared as Compared,
    Report,
    Settings,
    lint,
    lint_source,
    project_settings as project_settings,
)
from errata.linter.reports import (
    counted as counted,
    github_report as github_report,
    harmless as harmless,
    json_report as json_report,
    sarif_report as sarif_report,
    statistics_report as statistics_report,
    summarise_findings as summarise_findings,
    text_report as text_report,
)
from errata.linter.rules import RULES as RULES, Rule as Rule
from errata.linter.source import (
    Edit,
    Finding,
    LintError,
    Place,
    Severity,
    Sources as Sources,
    UnreadableError as UnreadableError,
    decoded as decoded,
    write_whole as write_whole,
)

__all__ = ["Edit", "Finding", "LintError", "Place", "Report", "Settings", "Severity", "lint", "lint_source"]
