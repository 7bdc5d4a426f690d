"""The linter: finds the handlers that will fail badly, before they do. It reads source, and imports none of it."""

from errata.linter._baseline import Baseline as Baseline, Compared as Compared
from errata.linter._engine import Report, lint, lint_source
from errata.linter._finding import Edit, Finding, Place, Severity
from errata.linter._fixing import (
    by_file as by_file,
    diff as diff,
    fix as fix,
    mended_file as mended_file,
    mended_source as mended_source,
)
from errata.linter._project import project_settings as project_settings
from errata.linter._reports import (
    counted as counted,
    github_report as github_report,
    harmless as harmless,
    json_report as json_report,
    sarif_report as sarif_report,
    statistics_report as statistics_report,
    summary as summary,
    text_report as text_report,
)
from errata.linter._rule import Rule as Rule
from errata.linter._setting_aside import UNUSED as UNUSED
from errata.linter._settings import OFF as OFF, Settings
from errata.linter._source import UnreadableError as UnreadableError, decoded as decoded
from errata.linter._sources import Sources as Sources
from errata.linter._start_up import lint_at_start_up as lint_at_start_up
from errata.linter._trouble import LintError
from errata.linter._writing import write_whole as write_whole

__all__ = ["Edit", "Finding", "LintError", "Place", "Report", "Settings", "Severity", "lint", "lint_source"]
