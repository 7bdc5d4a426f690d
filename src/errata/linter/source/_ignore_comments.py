"""Comments that ignore findings: `# errata: ignore[rule] because …` and `# errata: ignore-file[rule] because …`.

A comment counts for the statement that it ends or begins with, for the line it stands on, and, alone on a line, for the
statement below.
"""

import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from tokenize import TokenInfo
from typing import NamedTuple

_PRAGMA = re.compile(
    r"#\s*errata:\s*(?P<word>[A-Za-z-]+)"
    r"(?P<brackets>\s*\[(?P<names>[^][#]*)(?P<closed>\])?)?"
    r"(?P<reason>.*?)(?=\s#\s|$)"
)
_WORDS = ("ignore", "ignore-file")
_OPENING = re.compile(r"[\s:;,.–—-]*(?:because\b)?[\s:;,.–—-]*", re.IGNORECASE)  # noqa: RUF001 - dashes as people type them.
_LAYOUT = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT, tokenize.NEWLINE})


class Ignore(NamedTuple):
    """One `# errata:` comment."""

    word: str
    names: Sequence[str] | None
    """The names in the brackets; None without brackets, which means every rule."""
    has_reason: bool
    is_whole: bool
    """Whether its brackets are closed and hold a name."""
    first: int
    """The first and the last line that it applies to."""
    last: int
    line: int
    column: int
    end_column: int
    names_column: int
    names_end_column: int
    cut: Sequence[int]
    """The range to delete if it is unused."""


class _Comment(NamedTuple):
    line: int
    column: int
    text: str
    is_alone: bool
    source: str


def find_ignores(text: str) -> tuple[Ignore, ...]:
    """Find the `# errata:` comments of a source; strings do not count."""
    if "errata:" not in text:
        return ()
    return tuple(
        _read_ignore(pragma, comment, *lines)
        for comment, lines in _find_comments(text)
        for pragma in _PRAGMA.finditer(comment.text)
    )


def _read_ignore(pragma: re.Match[str], comment: _Comment, first: int, last: int) -> Ignore:
    names = pragma["names"]
    column = comment.column + pragma.start()
    inside, inside_end = pragma.span("names")
    listed = None if names is None else tuple(name.strip() for name in names.split(",") if name.strip())
    return Ignore(
        word=pragma["word"],
        names=listed,
        has_reason=any(map(str.isalnum, _OPENING.sub("", pragma["reason"], count=1))),
        is_whole=listed is None or bool(listed and pragma["closed"]),
        first=first,
        last=last,
        line=comment.line,
        column=column + 1,
        end_column=column + len(pragma[0].rstrip()) + 1,
        names_column=comment.column + inside + 1,
        names_end_column=comment.column + inside_end + 1,
        cut=_find_cut(pragma, comment),
    )


def _find_cut(pragma: re.Match[str], comment: _Comment) -> tuple[int, int, int, int]:
    """Return the range to delete with a comment: the comment, the blanks before it too, or its whole line."""
    line, column = comment.line, comment.column + pragma.start()
    end = column + len(pragma[0].rstrip())
    is_last = pragma.end() == len(comment.text)
    if is_last and pragma.start() == 0 and comment.is_alone:
        return line, 1, line + 1, 1
    if is_last:
        return line, len(comment.source[:column].rstrip()) + 1, line, end + 1
    rest = comment.source[end:]
    return line, column + 1, line, end + len(rest) - len(rest.lstrip()) + 1


def _find_comments(text: str) -> Iterator[tuple[_Comment, tuple[int, int]]]:
    """Yield every comment with the first and the last line it applies to."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")  # Lines are counted as the parser counts them.
    statement = _Statement(plain.split("\n"))
    try:
        for token in tokenize.generate_tokens(io.StringIO(plain).readline):
            yield from statement.take(token)
    except (SyntaxError, tokenize.TokenError, ValueError, RecursionError):
        return  # The parser reports it, with a better message.


class _Statement:
    """The statement that is being read: one logical line, with the decorators above it."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._first = 0
        self._edges: set[int] = set()
        self._inside: list[_Comment] = []
        self._above: list[_Comment] = []
        self._starts_line = True
        self._is_decorator = False

    def take(self, token: TokenInfo) -> Iterator[tuple[_Comment, tuple[int, int]]]:
        if token.type == tokenize.COMMENT:
            self._note(token)
        elif token.type == tokenize.NL and not self._lines[token.start[0] - 1].strip() and not self._edges:
            yield from self._give_up()
        elif token.type == tokenize.ENDMARKER:
            yield from (*self._end(token.start[0] - 1), *self._give_up())
        elif token.type == tokenize.NEWLINE:
            self._edges.add(token.start[0])
            if not self._is_decorator:
                yield from self._end(token.start[0])
            self._starts_line = True
        elif token.type not in _LAYOUT:
            self._begin(token)

    def _note(self, token: TokenInfo) -> None:
        line, column = token.start
        source = self._lines[line - 1]
        comment = _Comment(line, column, token.string, not source[:column].strip(), source)
        (self._inside if self._edges else self._above).append(comment)

    def _begin(self, token: TokenInfo) -> None:
        if self._starts_line:
            self._starts_line = False
            self._is_decorator = token.string == "@"
            self._first = self._first or token.start[0]
            self._edges.add(token.start[0])

    def _end(self, last: int) -> Iterator[tuple[_Comment, tuple[int, int]]]:
        for comment in self._above:
            yield comment, (self._first, last)
        for comment in self._inside:
            is_edge = comment.line in self._edges
            yield comment, ((self._first, last) if is_edge else (comment.line, comment.line + comment.is_alone))
        self._first, self._edges, self._inside, self._above = 0, set(), [], []

    def _give_up(self) -> Iterator[tuple[_Comment, tuple[int, int]]]:
        """Yield the comments above an empty line, which apply to their own line only."""
        for comment in self._above:
            yield comment, (comment.line, comment.line)
        self._above = []
