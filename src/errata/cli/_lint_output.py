"""What `errata lint` prints, and where."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from errata.cli._terminal import complain, paint
from errata.linter import (
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
from errata.linter.rules import RULES


def show(
    given: argparse.Namespace, findings: Sequence[Finding], sources: SourceLines, root: Path, report: Report | None
) -> None:
    """Print findings in the form that was asked for, or write them to a file."""
    text = "\n".join(_lines(given, findings, sources, root, report))
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
    """Print what a fix would change; answer with 1 if that is something, or if something else was found."""
    count = 0
    status = int(bool(findings))
    for path, of_file in group_by_file(findings):
        try:
            mended = fix_source(texts[path], of_file) if texts else fix_file(Path(path), of_file)
        except LintError as trouble:
            status = complain(escape_text(trouble.what), escape_text(trouble.advice))
            continue
        count += mended.fixed
        _print_patch(write_diff(path, mended))
    if not is_quiet:
        note(f"{count} of {count_of(len(findings), 'finding')} would be fixed")
    return status


def show_rules() -> None:
    """List all rules, each with its severity and the first sentence of its page."""
    longest = max(map(len, RULES))
    for name, rule in sorted(RULES.items()):
        mark = " (can be fixed)" if rule.fixable else ""
        print(f"{paint(f'{name:<{longest}}', 'bold')}  {rule.severity:<7}  {rule.summary}{mark}")


def note(text: str) -> None:
    """Say something beside the findings."""
    print(f"note: {text}", file=sys.stderr)


def _lines(
    given: argparse.Namespace, findings: Sequence[Finding], sources: SourceLines, root: Path, report: Report | None
) -> Iterator[str]:
    if given.format == "json":
        yield write_json_report(findings)
    elif given.format == "sarif":
        yield write_sarif_report(findings, sources, root)
    elif given.format == "github":
        yield from write_github_report(findings)
    else:
        yield from _for_a_person(given, findings, sources, report)


def _for_a_person(
    given: argparse.Namespace, findings: Sequence[Finding], sources: SourceLines, report: Report | None
) -> Iterator[str]:
    painter = paint if given.output is None else _plain
    if not given.statistics:
        yield from write_text_report(findings, sources, painter)
    elif findings:
        yield write_statistics(findings)
    if not given.quiet:
        files, handlers = (report.files, report.handlers) if report else (1, None)
        yield summarise_findings(findings, files, handlers)


def _plain(text: str, *_styles: str) -> str:
    return text


def _print_patch(patch: str) -> None:
    """Print a patch as it is, for `patch` to read; a person's terminal is shown nothing that would drive it."""
    if sys.stdout is not None and sys.stdout.isatty():
        patch = "".join(f"{escape_text(line.expandtabs())}\n" for line in patch.splitlines())
    print(patch, end="")
