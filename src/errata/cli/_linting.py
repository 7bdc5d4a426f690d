"""How `errata lint` runs: read the settings, lint, compare with the baseline, then show, fix or write."""

import argparse
import dataclasses
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from errata.cli._lint_output import Progress, print_note, show, show_diff, show_rules
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


def run_lint(given: argparse.Namespace) -> int:
    """Run `errata lint` and return the exit code."""
    if given.rules:
        show_rules()
        return 0
    try:
        _check(given)
        return _lint_standard_input(given) if given.paths == [_STDIN] else _lint_paths(given)
    except LintError as error:
        return complain(escape_text(error.what), escape_text(error.advice))


def _check(given: argparse.Namespace) -> None:
    if _STDIN in given.paths and (given.fix or given.init or len(given.paths) > 1):
        raise LintError("`-` stands for one source that is read and not written", "name files, or give `-` alone")
    if given.stdin_filename and given.paths != [_STDIN]:
        raise LintError("`--stdin-filename` names what comes from standard input", "give `-` as the path, too")
    if given.select and not _split_names(given.select):
        raise LintError("`--select` names no rule", "name one, or list them with `errata lint --rules`")
    if not all(given.paths):
        raise LintError("one of the paths is empty", "name a file or a directory, or leave it out")
    if given.statistics and given.format != "text":
        raise LintError(f"`--statistics` has no `--format {given.format}`", "leave one of the two out")
    if given.jobs is not None and given.jobs < 1:
        raise LintError(f"`--jobs` is {given.jobs}; the lowest allowed is 1", "leave it out, or give a number from 1")


def _lint_paths(given: argparse.Namespace) -> int:
    paths = [Path(path) for path in given.paths or ["."]]
    run = _Run(given, paths, _read_settings(given, paths))
    if given.init:
        return run.init()
    if given.fix:
        return run.fix()
    report, comparison = run.compare()
    run.write_notes(report, comparison)
    if given.diff:
        return _choose_exit_code(show_diff(comparison.new, is_quiet=given.quiet), given)
    return run.show_report(comparison.new, report)


def _lint_standard_input(given: argparse.Namespace) -> int:
    path = given.stdin_filename or "stdin.py"
    settings = _read_settings(given, [Path(path)])
    try:
        text = decode_source(_read_standard_input())
    except UnreadableError as error:
        raise LintError(f"standard input {error.what}", error.advice) from error
    findings = tuple(lint_source(text, path, settings))
    if given.diff:
        return _choose_exit_code(show_diff(findings, is_quiet=given.quiet, texts={path: text}), given)
    show(given, findings, SourceLines({path: text}), settings.root, None)
    return _choose_exit_code(int(bool(findings)), given)


def _choose_exit_code(code: int, given: argparse.Namespace) -> int:
    return 0 if given.exit_zero and code == 1 else code


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise LintError("standard input is closed", "pipe a source into it, or name a file")
    return sys.stdin.buffer.read()


def _read_settings(given: argparse.Namespace, paths: Sequence[Path]) -> Settings:
    settings = read_project_settings(paths[0], Path(given.config) if given.config else None)
    select, ignore = _split_names(given.select), _split_names(given.ignore)
    if select:  # A rule that is named is shown, even if the project switches it off.
        settings = dataclasses.replace(settings, select=select, ignore=(), severity=_drop_off(settings))
    settings = settings.without(*ignore)
    # Whether a comment is used depends on handlers in other files, so single files cannot tell.
    is_partial = not any(path.is_dir() for path in paths) and UNUSED_IGNORE not in select
    return settings.without(UNUSED_IGNORE) if is_partial else settings


def _split_names(given: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(name.strip() for names in given or () for name in names.split(",") if name.strip())


def _drop_off(settings: Settings) -> dict[str, str]:
    return {rule: word for rule, word in settings.severity.items() if word != OFF}


class _Run:
    """One run over files and directories."""

    def __init__(self, given: argparse.Namespace, paths: Sequence[Path], settings: Settings) -> None:
        self._given = given
        self._paths = paths
        self._settings = settings

    def compare(self) -> tuple[Report, Comparison]:
        """Lint, and compare the findings with the baseline."""
        baseline = None if self._given.no_baseline or self._given.init else Baseline.read(self._settings)
        report = self._lint()
        if baseline is None:
            return report, Comparison(report.findings, 0, 0)
        return report, baseline.compare(report.findings, SourceLines(), self._paths, self._settings)

    def init(self) -> int:
        """Write the baseline and return the exit code."""
        report = self._lint()
        baseline = Baseline.write_anew(self._settings, report.findings, SourceLines(), self._paths)
        self.write_notes(report, Comparison((), 0, 0))
        if not self._given.quiet:
            file = escape_text(str(baseline.file))
            print(f"wrote {count_of(len(baseline), 'finding')} to {file}; from now on only new ones count")
        return 0

    def fix(self) -> int:
        """Fix what is mechanical, show what is left, and return the exit code."""
        report, comparison = self.compare()
        runs = [(report, comparison)]
        fixed, left, errors = fix(comparison.new, lambda: self._lint_again(runs))
        report, comparison = runs[-1]
        self.write_notes(report, comparison)
        if fixed and not self._given.quiet:
            print_note(f"fixed {count_of(fixed, 'finding')}")
        status = self.show_report(left, report)
        for error in errors:
            status = complain(escape_text(error.what), escape_text(error.advice))
        return status

    def write_notes(self, report: Report, comparison: Comparison) -> None:
        """Print what the findings do not show: no handlers, findings elsewhere, the state of the baseline."""
        if self._given.quiet:
            return
        if not report.files:
            print_note("no Python file was found; name the directory that your server is in")
        elif not report.handlers:
            print_note(
                "no MCP handler was found, so that there was little to judge; lint the whole project, server and all"
            )
        if report.elsewhere:
            more = count_of(report.elsewhere, "more finding is", "more findings are")
            print_note(f"{more} in files that these import and nobody named; name their directory to see them")
        if comparison.old:
            print_note(f"{count_of(comparison.old, 'old finding is', 'old findings are')} in the baseline")
        if comparison.gone:
            entries = count_of(comparison.gone, "entry of the baseline is", "entries of the baseline are")
            print_note(f"{entries} no longer needed; write it anew with `errata lint --init`")

    def show_report(self, findings: Sequence[Finding], report: Report) -> int:
        """Show findings and return the exit code."""
        show(self._given, findings, SourceLines(), self._settings.root, report)
        return _choose_exit_code(int(bool(findings)), self._given)

    def _lint_again(self, runs: list[tuple[Report, Comparison]]) -> Sequence[Finding]:
        runs.append(self.compare())
        return runs[-1][1].new

    def _lint(self) -> Report:
        with Progress(is_wanted=not self._given.quiet) as progress:
            return lint(self._paths, self._settings, progress=progress)
