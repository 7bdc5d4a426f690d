"""The linter: finds the handlers that will fail badly, before they do. It reads source, and imports none of it."""

from errata.linter._engine import Report, lint, lint_source
from errata.linter._finding import Edit, Finding, Place, Severity
from errata.linter._settings import Settings
from errata.linter._trouble import LintError

__all__ = ["Edit", "Finding", "LintError", "Place", "Report", "Settings", "Severity", "lint", "lint_source"]
