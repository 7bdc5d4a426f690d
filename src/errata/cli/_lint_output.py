"""What `errata lint` prints: findings, patches, notes and progress."""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from errata.cli._terminal import complain, paint
from errata.linter import (
    RULES,
    Finding,
    LintError,
    Report,
    SourceLines,
    count_of,
    escape_text,
    fix_file,
    fix_source,
    group_by_file,
    replace_file,
    summarise_findings,
    write_diff,
    write_github_report,
    write_json_report,
    write_sarif_report,
    write_statistics,
    write_text_report,
)

_PATIENCE_S = 0.5
_BETWEEN_S = 0.1


def show(
    given: argparse.Namespace, findings: Sequence[Finding], sources: SourceLines, root: Path, report: Report | None
) -> None:
    """Print findings in the requested format, or write them to a file."""
    text = "\n".join(_write_report(given, findings, sources, root, report))
    if given.output is None:
        if text:
            print(text)
        return
    try:
        replace_file(Path(given.output), f"{text}\n".encode(errors="backslashreplace"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LintError(f"cannot write `{given.output}`: {reason}", "name a file that can be written") from error


def show_diff(findings: Sequence[Finding], *, is_quiet: bool, texts: Mapping[str, str] | None = None) -> int:
    """Print what `--fix` would change, and return the exit code: 1 if there are findings."""
    count = 0
    status = int(bool(findings))
    for path, of_file in group_by_file(findings):
        try:
            fixed = fix_source(texts[path], of_file) if texts else fix_file(Path(path), of_file)
        except LintError as error:
            status = complain(escape_text(error.what), escape_text(error.advice))
            continue
        count += fixed.fixed
        _print_patch(write_diff(path, fixed))
    if not is_quiet:
        print_note(f"{count} of {count_of(len(findings), 'finding')} would be fixed")
    return status


def show_rules() -> None:
    """Print all rules, each with its severity and the first sentence of its page."""
    longest = max(map(len, RULES))
    for name, rule in sorted(RULES.items()):
        mark = " (can be fixed)" if rule.fixable else ""
        print(f"{paint(f'{name:<{longest}}', 'bold')}  {rule.severity:<7}  {rule.summary}{mark}")


def print_note(text: str) -> None:
    """Print a note on standard error."""
    print(f"note: {text}", file=sys.stderr)


def _write_report(
    given: argparse.Namespace, findings: Sequence[Finding], sources: SourceLines, root: Path, report: Report | None
) -> Iterator[str]:
    if given.format == "json":
        yield write_json_report(findings)
    elif given.format == "sarif":
        yield write_sarif_report(findings, sources, root)
    elif given.format == "github":
        yield from write_github_report(findings)
    else:
        yield from _write_for_person(given, findings, sources, report)


def _write_for_person(
    given: argparse.Namespace, findings: Sequence[Finding], sources: SourceLines, report: Report | None
) -> Iterator[str]:
    painter = paint if given.output is None else _leave_plain
    if not given.statistics:
        yield from write_text_report(findings, sources, painter)
    elif findings:
        yield write_statistics(findings)
    if not given.quiet:
        files, handlers = (report.files, report.handlers) if report else (1, None)
        yield summarise_findings(findings, files, handlers)


def _leave_plain(text: str, *_styles: str) -> str:
    return text


def _print_patch(patch: str) -> None:
    """Print a patch unchanged for `patch` to read, or with control characters escaped on a terminal."""
    if sys.stdout is not None and sys.stdout.isatty():
        patch = "".join(f"{escape_text(line.expandtabs())}\n" for line in patch.splitlines())
    print(patch, end="")


class Progress:
    """A line on standard error that says how far a long run has come; on a terminal only, and gone at the end."""

    def __init__(self, *, is_wanted: bool = True) -> None:
        self._is_wanted = is_wanted and sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _PATIENCE_S
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        """Show how many of the files are done."""
        now = time.monotonic()
        if self._is_wanted and now >= self._next:
            self._next = now + _BETWEEN_S
            self._is_shown = True
            print(f"\rread {done} of {total} files\x1b[K", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
