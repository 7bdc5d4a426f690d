"""For a person: the message, where it is, the source line with a caret, and what to write instead."""

from collections.abc import Callable, Iterable, Iterator

from errata.linter._finding import Finding, Severity
from errata.linter._reports._showing import cells, harmless, width
from errata.linter._sources import Sources

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
