"""From a project to findings: run the rules that are selected, apply ignore comments and the baseline."""

from errata.linter.judge._baseline import Baseline, BaselineError, Comparison, hash_findings
from errata.linter.judge._lint_run import Report, lint, lint_source
from errata.linter.judge._lint_settings import OFF, Settings, SettingsError, match_rules, read_project_settings
from errata.linter.judge._suppression import UNUSED_IGNORE, apply_ignores

__all__ = [
    "OFF",
    "UNUSED_IGNORE",
    "Baseline",
    "BaselineError",
    "Comparison",
    "Report",
    "Settings",
    "SettingsError",
    "apply_ignores",
    "hash_findings",
    "lint",
    "lint_source",
    "match_rules",
    "read_project_settings",
]
