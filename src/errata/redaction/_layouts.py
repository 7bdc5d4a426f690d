"""A text as it was before somebody quoted it: with line ends that are escaped now, without margins, bars and labels.

A table in the text of an exception is in a traceback behind `RuntimeError: `, in an exception group behind bars, and in JSON or
a `repr` on one line. A view is such a text as it was; what is found in it is hidden where it stands now.
"""

import re
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

from errata.redaction._edges import lowered
from errata.redaction._marks import Span

_Layer = Callable[[str, str], Iterator[Span]]

_MARGIN = r"[ \t]{0,40}+(?:[|>#]{1,3}(?: |(?=[\r\n]|$))|\[[\w.\-]{1,40}\] )"
_WRITTEN = re.compile(
    rf"(?P<end>(?:\\{{1,4}}r)?\\{{1,4}}n|\r?\n)(?:{_MARGIN})?"
    rf"|(?P<margin>\A{_MARGIN})"
    r"|\\{1,4}(?P<quote>[\"'])"
    r"|(?P<tab>\\{1,4}t)"
)
"""A line end with the margin of the next line, the margin of the first, a quotation mark or a tab, as they are or escaped."""
_LABEL_OR_QUOTE = re.compile(r": |[\"']")
_LINE = re.compile(r"[^ \t\n][^\n]*+\n?+|\n")
"""A line without the blanks before it."""


class _View(NamedTuple):
    text: str
    positions: "array[int]"
    """Where each of its letters stands; a list would take five times the room."""

    def found(self, layer: _Layer) -> Iterator[Span]:
        for start, end, kind in layer(self.text, lowered(self.text)):
            if start < end:
                yield Span(self.positions[start], self.positions[end - 1] + 1, kind)


def may_be_quoted(text: str) -> bool:
    """Whether a text has several lines, or had them before somebody wrote it on one."""
    return "\n" in text or "\\n" in text


def found_in_views(text: str, rows: _Layer, pairs: _Layer, tables: _Layer) -> Iterator[Span]:
    """Find what a text says in lines that it has not, or not at their beginning, any more."""
    whole = _as_it_was(text)
    spans = [*whole.found(rows), *whole.found(pairs)] if whole.text != text else []
    if "\n" in whole.text:
        spans += _without_blanks(_in_parts(whole)).found(tables)
        spans += _without_blanks(whole).found(rows) if "input_value=" in text else ()
    return iter(sorted(spans))


def _as_it_was(text: str) -> _View:
    """Undo what was done to the line ends, the quotation marks and the margin of a text."""
    parts: list[str] = []
    positions = array("q")
    start = 0
    for found in _WRITTEN.finditer(text):
        parts.append(text[start : found.start()])
        positions.extend(range(start, found.start()))
        if found["margin"] is None:
            parts.append("\n" if found["end"] else found["quote"] or "\t")
            positions.append(found.end() - 1 if found["quote"] else found.start())
        start = found.end()
    parts.append(text[start:])
    positions.extend(range(start, len(text)))
    return _View("".join(parts), positions)


def _in_parts(view: _View) -> _View:
    """Begin a line behind every label and every quotation mark: `RuntimeError: user,password`."""
    return view._replace(text=_LABEL_OR_QUOTE.sub(lambda found: ":\n" if found[0] == ": " else "\n", view.text))


def _without_blanks(view: _View) -> _View:
    """Take away what stands before the lines."""
    lines: list[str] = []
    positions = array("q")
    for found in _LINE.finditer(view.text):
        lines.append(found[0])
        positions.extend(view.positions[found.start() : found.end()])
    return _View("".join(lines), positions)
