"""Findings for a person: the message, where it is, the source line with a caret, and what to write instead; or the counts alone.

Nothing in a file's name or in a source line can control the terminal.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from errata.linter.source import Finding, Severity, SourceLines
from errata.redaction import make_visible

_TAB = 4


def escape_text(text: str) -> str:
    """Return a text on one line, with characters that are invisible or control a terminal written as escapes."""
    return text if text.isprintable() and text.isascii() else "".join(map(_show_character, text))


def show_cells(line: str) -> list[str]:
    """Return what a terminal shows for each character of a line: blanks for a tab, an escape for a control character."""
    return [" " * _TAB if character == "\t" else _show_character(character) for character in line]


def count_columns(text: str) -> int:
    """Return the width of a text on a terminal, in columns."""
    return len(text) if text.isascii() else sum(map(_count_cell, text))


def _show_character(character: str) -> str:
    if character.isprintable() and make_visible(character) == character:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _count_cell(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


Painter = Callable[..., str]
"""Gives a text its styles: `paint("error", "bold", "red")`."""

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow"}
_WIDEST = 120  # Columns of source that are shown of a longer line.
_LEFT = 40  # How many of them stand before the caret.


def write_text_report(findings: Iterable[Finding], sources: SourceLines, paint: Painter) -> Iterator[str]:
    """Yield a block of lines for each finding."""
    for finding in findings:
        yield "\n".join(_write_block(finding, sources, paint))


def _write_block(finding: Finding, sources: SourceLines, paint: Painter) -> Iterator[str]:
    style = _STYLES[finding.severity]
    number = str(finding.location.line)
    gutter = " " * len(number)
    title = paint(f"{finding.severity}[{finding.rule}]", "bold", style)
    yield f"{title}{paint(f': {escape_text(finding.message)}', 'bold')}"
    where = f"{finding.path}:{number}:{finding.location.column}"
    yield f"{gutter}{paint('-->', 'cyan')} {escape_text(where)}"
    line = sources.get_line(finding.path, finding.location.line)
    if line.strip():
        shown, caret = _write_excerpt(line, *_find_stretch(finding, line))
        yield paint(f"{gutter} |", "cyan")
        yield f"{paint(f'{number} |', 'cyan')} {shown}"
        yield f"{paint(f'{gutter} |', 'cyan')} {paint(caret, 'bold', style)}"
    yield f"{paint('help', 'bold', 'cyan')}: {escape_text(finding.help)}\n"


def _find_stretch(finding: Finding, line: str) -> tuple[int, int]:
    """Return where a finding starts and ends on its first line; it covers at least one character."""
    location = finding.location
    length = len(line.rstrip())
    start = min(max(location.column - 1, 0), len(line))
    end = min(location.end_column - 1, len(line)) if location.end_line == location.line else length
    return start, max(end, start + 1)


def _write_excerpt(line: str, start: int, end: int) -> tuple[str, str]:
    """Return a source line, cut around the caret if it is long, and the line of carets below it."""
    text = line.rstrip()
    first, last = _choose_window(text, start)
    shown = show_cells(text[first:last])
    before, after = ("… " if first else ""), (" …" if last < len(text) else "")
    blanks = count_columns(before + "".join(shown[: start - first])) + max(start - len(text), 0)
    marked = count_columns("".join(shown[start - first : end - first]))
    return f"{before}{''.join(shown)}{after}", " " * blanks + "^" * max(marked, 1)


def _choose_window(text: str, start: int) -> tuple[int, int]:
    """Return the range of characters to show: all, or as many as fit around the caret."""
    if len(text) <= _WIDEST and count_columns("".join(show_cells(text))) <= _WIDEST:
        return 0, len(text)
    caret = min(start, len(text))
    first = caret - _count_fitting(reversed(show_cells(text[max(caret - _LEFT, 0) : caret])), _LEFT)
    return first, first + _count_fitting(show_cells(text[first : first + _WIDEST]), _WIDEST)


def _count_fitting(shown: Iterable[str], columns: int) -> int:
    """Return how many characters fit into so many columns."""
    count = 0
    for character in shown:
        columns -= max(count_columns(character), 1)
        if columns < 0:
            break
        count += 1
    return count


def write_statistics(findings: Sequence[Finding]) -> str:
    """Return a table of how many findings each rule has, the most frequent first."""
    counts = Counter((finding.rule, finding.severity) for finding in findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    digits = max((len(str(count)) for count in counts.values()), default=0)
    longest = max((len(severity) for _, severity in counts), default=0)
    return "\n".join(f"{count:>{digits}}  {severity:<{longest}}  {rule}" for (rule, severity), count in rows)


def summarise_findings(findings: Collection[Finding], files: int, handlers: int | None) -> str:
    """Return one line: how many findings in how many files, and how many `--fix` can mend."""
    if not findings:
        ending = "" if handlers is None else f" with {count_of(handlers, 'handler')}"
        return f"nothing found in {count_of(files, 'file')}{ending}"
    severities = Counter(finding.severity for finding in findings)
    kinds = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"))
    amounts = " and ".join(count_of(severities[kind], word) for kind, word in kinds if severities[kind])
    where = len({finding.path for finding in findings})
    fixable = sum(bool(finding.edits) for finding in findings)
    ending = f"; {fixable} can be fixed with `--fix`" if fixable else ""
    return f"found {amounts} in {where} of {count_of(max(files, where), 'file')}{ending}"


def count_of(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: `1 file`, `2 files`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
