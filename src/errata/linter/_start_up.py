"""Linting a server when it starts: findings in its own modules are logged, and nothing is stopped."""

import logging
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType

from errata.linter.judge import Settings, lint, read_project_settings
from errata.linter.source import Finding, LintError, locate_module

_LOG = logging.getLogger("errata")
_INSTALLED = frozenset({"site-packages", "dist-packages"})


def lint_at_start_up(frame: FrameType | None) -> None:
    """Lint the loaded modules beside the one that called `install`, and log the findings."""
    file = _find_first_outside(frame)
    if file is None:
        _LOG.warning("the linter found no file to begin with: `install` was called from none")
        return
    try:
        findings = lint(_list_loaded_beside(file), _read_settings(file)).findings
    except Exception as error:  # noqa: BLE001 - a server starts whatever the linter stumbles over.
        _LOG.warning("the linter could not look at %s: %s", file, type(error).__name__)
        return
    for finding in findings:
        _LOG.warning("%s", _write_line(finding), extra={"errata": _list_facts(finding)})


def _read_settings(file: Path) -> Settings:
    try:
        return read_project_settings(file)
    except LintError as error:
        _LOG.warning("the linter goes by its own settings: %s", error)
        return Settings()


def _find_first_outside(frame: FrameType | None) -> Path | None:
    """Return the file of the first stack frame outside errata."""
    own = __name__.partition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == own:
        frame = frame.f_back
    file = frame and frame.f_globals.get("__file__")
    return Path(file) if isinstance(file, str) and Path(file).is_file() else None


def _list_loaded_beside(file: Path) -> list[Path]:
    """List the files of loaded modules that are in the directory of a file, or below it."""
    root = Path(locate_module(file).root)
    beside = {each for each in _list_loaded() if each.is_relative_to(root) and _INSTALLED.isdisjoint(each.parts)}
    return sorted({file.absolute(), *beside})


def _list_loaded() -> Iterator[Path]:
    modules: Iterable[object] = [*sys.modules.values()]
    for module in modules:
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py"):
            yield Path(file).absolute()


def _write_line(finding: Finding) -> str:
    return f"{finding.path}:{finding.location.line}: {finding.rule}: {finding.message}; {finding.help}"


def _list_facts(finding: Finding) -> dict[str, object]:
    location = {"path": finding.path, "line": finding.location.line, "column": finding.location.column}
    return {"rule": finding.rule, "severity": str(finding.severity), **location, "message": finding.message}
