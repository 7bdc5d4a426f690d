"""From a project to findings: rules by their settings, comments that ignore, and a baseline of old findings."""

from errata.linter.judge._baseline import Baseline, BaselineError, Compared, hashes
from errata.linter.judge._judgement import Report, lint, lint_source
from errata.linter.judge._lint_settings import OFF, Settings, SettingsError, matching, project_settings
from errata.linter.judge._suppression import UNUSED, apply

__all__ = [
    "OFF",
    "UNUSED",
    "Baseline",
    "BaselineError",
    "Compared",
    "Report",
    "Settings",
    "SettingsError",
    "apply",
    "hashes",
    "lint",
    "lint_source",
    "matching",
    "project_settings",
]
