"""The linter: finds the handlers that will fail badly, before they do. It reads source, and imports none of it.

A file goes through `source` (its text), `syntax` (its functions) and `summary` (what is kept of it, and what rules see in
it alone); `link` makes one project of all files, and `judge` asks the `rules` about it. `reports` show what comes out.
"""

from errata.linter._fixes import (
    fix as fix,
    fix_file as fix_file,
    fix_source as fix_source,
    group_by_file as group_by_file,
    write_diff as write_diff,
)
from errata.linter._start_up import lint_at_start_up as lint_at_start_up
from errata.linter.judge import (
    OFF as OFF,
    UNUSED_IGNORE as UNUSED_IGNORE,
    Baseline as Baseline,
    Comparison as Comparison,
    Report,
    Settings,
    lint,
    lint_source,
    read_project_settings as read_project_settings,
)
from errata.linter.reports import (
    count_of as count_of,
    escape_text as escape_text,
    summarise_findings as summarise_findings,
    write_github_report as write_github_report,
    write_json_report as write_json_report,
    write_sarif_report as write_sarif_report,
    write_statistics as write_statistics,
    write_text_report as write_text_report,
)
from errata.linter.rules import RULES as RULES, Rule as Rule
from errata.linter.source import (
    Edit,
    Finding,
    LintError,
    Location,
    Place,
    Severity,
    SourceLines as SourceLines,
    UnreadableError as UnreadableError,
    decode_source as decode_source,
    replace_file as replace_file,
)

__all__ = [
    "Edit",
    "Finding",
    "LintError",
    "Location",
    "Place",
    "Report",
    "Settings",
    "Severity",
    "lint",
    "lint_source",
]
