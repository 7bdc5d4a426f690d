"""From a project to findings: rules by their settings, comments that ignore, and a baseline of old findings."""

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
