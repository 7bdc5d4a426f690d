"""For a person: the message, where it is, the source line with a caret, and what to write instead; or the counts alone.

Nothing in a file's name or in a source line drives the terminal.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from errata.linter.source import Finding, Severity, Sources
from errata.redaction import make_visible

_TAB = 4


def harmless(text: str) -> str:
    """Write what a reader would not see, or a terminal would obey, as its escape, on one line."""
    return text if text.isprintable() and text.isascii() else "".join(map(_shown, text))


def cells(line: str) -> list[str]:
    """Show each character of a line by what takes its place on a terminal: a tab by blanks, an escape by its name."""
    return [" " * _TAB if character == "\t" else _shown(character) for character in line]


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _shown(character: str) -> str:
    if character.isprintable() and make_visible(character) == character:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


Painter = Callable[..., str]
"""Gives a text its styles: `paint("error", "bold", "red")`."""

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow"}
_WIDEST = 120  # Columns of source that are shown of a longer line.
_LEFT = 40  # How many of them stand before the caret.


def text_report(findings: Iterable[Finding], sources: Sources, paint: Painter) -> Iterator[str]:
    """Write one block of lines for each finding."""
    for finding in findings:
        yield "\n".join(_block(finding, sources, paint))


def _block(finding: Finding, sources: Sources, paint: Painter) -> Iterator[str]:
    style = _STYLES[finding.severity]
    number = str(finding.place.line)
    gutter = " " * len(number)
    title = paint(f"{finding.severity}[{finding.rule}]", "bold", style)
    yield f"{title}{paint(f': {harmless(finding.message)}', 'bold')}"
    where = f"{finding.path}:{number}:{finding.place.column}"
    yield f"{gutter}{paint('-->', 'cyan')} {harmless(where)}"
    line = sources.line(finding.path, finding.place.line)
    if line.strip():
        shown, caret = _excerpt(line, *_stretch(finding, line))
        yield paint(f"{gutter} |", "cyan")
        yield f"{paint(f'{number} |', 'cyan')} {shown}"
        yield f"{paint(f'{gutter} |', 'cyan')} {paint(caret, 'bold', style)}"
    yield f"{paint('help', 'bold', 'cyan')}: {harmless(finding.help)}\n"


def _stretch(finding: Finding, line: str) -> tuple[int, int]:
    """Say from which to which character the finding is on its first line; at least one is marked."""
    place = finding.place
    length = len(line.rstrip())
    start = min(max(place.column - 1, 0), len(line))
    end = min(place.end_column - 1, len(line)) if place.end_line == place.line else length
    return start, max(end, start + 1)


def _excerpt(line: str, start: int, end: int) -> tuple[str, str]:
    """Show a line, or what is around the caret if it is long, and the line of carets for below."""
    text = line.rstrip()
    first, last = _window(text, start)
    shown = cells(text[first:last])
    before, after = ("… " if first else ""), (" …" if last < len(text) else "")
    blanks = width(before + "".join(shown[: start - first])) + max(start - len(text), 0)
    marked = width("".join(shown[start - first : end - first]))
    return f"{before}{''.join(shown)}{after}", " " * blanks + "^" * max(marked, 1)


def _window(text: str, start: int) -> tuple[int, int]:
    """Choose the characters that are shown: all, or as many as fit around the caret."""
    if len(text) <= _WIDEST and width("".join(cells(text))) <= _WIDEST:
        return 0, len(text)
    caret = min(start, len(text))
    first = caret - _fitting(reversed(cells(text[max(caret - _LEFT, 0) : caret])), _LEFT)
    return first, first + _fitting(cells(text[first : first + _WIDEST]), _WIDEST)


def _fitting(shown: Iterable[str], columns: int) -> int:
    """Count the characters that fit into so many columns."""
    count = 0
    for character in shown:
        columns -= max(width(character), 1)
        if columns < 0:
            break
        count += 1
    return count


def statistics_report(findings: Sequence[Finding]) -> str:
    """Count the findings of each rule, the most frequent first."""
    counts = Counter((finding.rule, finding.severity) for finding in findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    digits = max((len(str(count)) for count in counts.values()), default=0)
    longest = max((len(severity) for _, severity in counts), default=0)
    return "\n".join(f"{count:>{digits}}  {severity:<{longest}}  {rule}" for (rule, severity), count in rows)


def summarise_findings(findings: Collection[Finding], files: int, handlers: int | None) -> str:
    """Say in one line what was found, in how much, and what can be mended without thinking."""
    if not findings:
        told = "" if handlers is None else f" with {counted(handlers, 'handler')}"
        return f"nothing found in {counted(files, 'file')}{told}"
    severities = Counter(finding.severity for finding in findings)
    kinds = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"))
    amounts = " and ".join(counted(severities[kind], word) for kind, word in kinds if severities[kind])
    where = len({finding.path for finding in findings})
    fixable = sum(bool(finding.edits) for finding in findings)
    ending = f"; {fixable} can be fixed with `--fix`" if fixable else ""
    return f"found {amounts} in {where} of {counted(max(files, where), 'file')}{ending}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Say how many there are."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
