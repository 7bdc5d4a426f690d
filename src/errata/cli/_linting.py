"""What `errata lint` does: read the settings, lint, compare with the baseline, then show, fix or write."""

import argparse
import dataclasses
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from errata.cli._lint_output import note, show, show_diff, show_rules
from errata.cli._progress import Progress
from errata.cli._terminal import complain
from errata.linter import (
    OFF,
    UNUSED_IGNORE,
    Baseline,
    Comparison,
    Finding,
    LintError,
    Report,
    Settings,
    SourceLines,
    UnreadableError,
    count_of,
    decode_source,
    escape_text,
    fix,
    lint,
    lint_source,
    read_project_settings,
)

_STDIN = "-"


def answer(given: argparse.Namespace) -> int:
    """Do what was asked; answer with the exit code."""
    if given.rules:
        show_rules()
        return 0
    try:
        _check(given)
        return _answer_for_source(given) if given.paths == [_STDIN] else _answer_for_paths(given)
    except LintError as trouble:
        return complain(escape_text(trouble.what), escape_text(trouble.advice))


def _check(given: argparse.Namespace) -> None:
    if _STDIN in given.paths and (given.fix or given.init or len(given.paths) > 1):
        raise LintError("`-` stands for one source that is read and not written", "name files, or give `-` alone")
    if given.stdin_filename and given.paths != [_STDIN]:
        raise LintError("`--stdin-filename` names what comes from standard input", "give `-` as the path, too")
    if given.select and not _names(given.select):
        raise LintError("`--select` names no rule", "name one, or list them with `errata lint --rules`")
    if not all(given.paths):
        raise LintError("one of the paths is empty", "name a file or a directory, or leave it out")
    if given.statistics and given.format != "text":
        raise LintError(f"`--statistics` has no `--format {given.format}`", "leave one of the two out")
    if given.jobs is not None and given.jobs < 1:
        raise LintError(f"`--jobs` is {given.jobs}; the lowest allowed is 1", "leave it out, or give a number from 1")


def _answer_for_paths(given: argparse.Namespace) -> int:
    paths = [Path(path) for path in given.paths or ["."]]
    run = _Run(given, paths, _settings(given, paths))
    if given.init:
        return run.init()
    if given.fix:
        return run.fix()
    report, compared = run.look()
    run.tell(report, compared)
    if given.diff:
        return _exit_code(show_diff(compared.new, is_quiet=given.quiet), given)
    return run.shown(compared.new, report)


def _answer_for_source(given: argparse.Namespace) -> int:
    path = given.stdin_filename or "stdin.py"
    settings = _settings(given, [Path(path)])
    try:
        text = decode_source(_standard_input())
    except UnreadableError as error:
        raise LintError(f"standard input {error.what}", error.advice) from error
    findings = tuple(lint_source(text, path, settings))
    if given.diff:
        return _exit_code(show_diff(findings, is_quiet=given.quiet, texts={path: text}), given)
    show(given, findings, SourceLines({path: text}), settings.root, None)
    return _exit_code(int(bool(findings)), given)


def _exit_code(code: int, given: argparse.Namespace) -> int:
    return 0 if given.exit_zero and code == 1 else code


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise LintError("standard input is closed", "pipe a source into it, or name a file")
    return sys.stdin.buffer.read()


def _settings(given: argparse.Namespace, paths: Sequence[Path]) -> Settings:
    settings = read_project_settings(paths[0], Path(given.config) if given.config else None)
    select, ignore = _names(given.select), _names(given.ignore)
    if select:  # Who asks for a rule wants to see it, also if the project does not.
        settings = dataclasses.replace(settings, select=select, ignore=(), severity=_without_off(settings))
    settings = settings.without(*ignore)
    # Whether a comment is of use is seen only where the handlers are that come by: not in single files.
    is_partial = not any(path.is_dir() for path in paths) and UNUSED_IGNORE not in select
    return settings.without(UNUSED_IGNORE) if is_partial else settings


def _names(given: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for names in given or () for name in names.split(",") if name.strip())


def _without_off(settings: Settings) -> dict[str, str]:
    return {rule: word for rule, word in settings.severity.items() if word != OFF}


class _Run:
    """One run over paths."""

    def __init__(self, given: argparse.Namespace, paths: Sequence[Path], settings: Settings) -> None:
        self._given = given
        self._paths = paths
        self._settings = settings

    def look(self) -> tuple[Report, Comparison]:
        """Lint, and take away what is in the baseline."""
        baseline = None if self._given.no_baseline or self._given.init else Baseline.read(self._settings)
        report = self._lint()
        if baseline is None:
            return report, Comparison(report.findings, 0, 0)
        return report, baseline.compare(report.findings, SourceLines(), self._paths, self._settings)

    def init(self) -> int:
        """Write the baseline."""
        report = self._lint()
        baseline = Baseline.write_anew(self._settings, report.findings, SourceLines(), self._paths)
        self.tell(report, Comparison((), 0, 0))
        if not self._given.quiet:
            file = escape_text(str(baseline.file))
            print(f"wrote {count_of(len(baseline), 'finding')} to {file}; from now on only new ones count")
        return 0

    def fix(self) -> int:
        """Mend what is mechanical, and show what is left."""
        report, compared = self.look()
        seen = [(report, compared)]
        fixed, left, troubles = fix(compared.new, lambda: self._again(seen))
        report, compared = seen[-1]
        self.tell(report, compared)
        if fixed and not self._given.quiet:
            note(f"fixed {count_of(fixed, 'finding')}")
        status = self.shown(left, report)
        for trouble in troubles:
            status = complain(escape_text(trouble.what), escape_text(trouble.advice))
        return status

    def tell(self, report: Report, compared: Comparison) -> None:
        """Say what nobody would guess from the findings."""
        if self._given.quiet:
            return
        if not report.files:
            note("no Python file was found; name the directory that your server is in")
        elif not report.handlers:
            note("no MCP handler was found, so that there was little to judge; lint the whole project, server and all")
        if report.elsewhere:
            more = count_of(report.elsewhere, "more finding is", "more findings are")
            note(f"{more} in files that these import and nobody named; name their directory to see them")
        if compared.old:
            note(f"{count_of(compared.old, 'old finding is', 'old findings are')} in the baseline")
        if compared.gone:
            entries = count_of(compared.gone, "entry of the baseline is", "entries of the baseline are")
            note(f"{entries} no longer needed; write it anew with `errata lint --init`")

    def shown(self, findings: Sequence[Finding], report: Report) -> int:
        """Show findings; answer with the exit code."""
        show(self._given, findings, SourceLines(), self._settings.root, report)
        return _exit_code(int(bool(findings)), self._given)

    def _again(self, seen: list[tuple[Report, Comparison]]) -> Sequence[Finding]:
        seen.append(self.look())
        return seen[-1][1].new

    def _lint(self) -> Report:
        with Progress(is_wanted=not self._given.quiet) as progress:
            return lint(self._paths, self._settings, progress=progress)
