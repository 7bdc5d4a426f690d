"""The linter as a server starts: what is wrong with its own modules is logged, and nothing is stopped by it."""

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
    """Lint the modules loaded so far that lie beside the one whose code called `install`, and log what is found."""
    file = _find_first_outside(frame)
    if file is None:
        _LOG.warning("the linter found no file to begin with: `install` was called from none")
        return
    try:
        found = lint(_list_loaded_beside(file), _read_settings(file)).findings
    except Exception as error:  # noqa: BLE001 - a server starts whatever the linter stumbles over.
        _LOG.warning("the linter could not look at %s: %s", file, type(error).__name__)
        return
    for finding in found:
        _LOG.warning("%s", _write_line(finding), extra={"errata": _list_facts(finding)})


def _read_settings(file: Path) -> Settings:
    try:
        return read_project_settings(file)
    except LintError as error:
        _LOG.warning("the linter goes by its own settings: %s", error)
        return Settings()


def _find_first_outside(frame: FrameType | None) -> Path | None:
    """Find the file of the first code outside errata."""
    own = __name__.partition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == own:
        frame = frame.f_back
    file = frame and frame.f_globals.get("__file__")
    return Path(file) if isinstance(file, str) and Path(file).is_file() else None


def _list_loaded_beside(file: Path) -> list[Path]:
    """List the files of the modules that are imported from the same directory, and of those below it."""
    root = Path(locate_module(file).root)
    beside = {found for found in _list_loaded() if found.is_relative_to(root) and _INSTALLED.isdisjoint(found.parts)}
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
