"""Positions in a text: spans that may not be seen, the marks that replace them, word boundaries, and views.

A rule takes a text, and the same text in lower case, and yields spans. `hide` puts a mark in the place of each.
"""

import re
from array import array
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal, NamedTuple, cast, get_args

Kind = Literal[
    "account",
    "address",
    "birth date",
    "card",
    "code",
    "cookie",
    "email",
    "ip address",
    "key",
    "mac address",
    "name",
    "national id",
    "password",
    "password hash",
    "phone",
    "private key",
    "secret",
    "session",
    "signature",
    "text",
    "token",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

ANY_MARK = r"\[redacted:\ (?:" + "|".join(KINDS).replace(" ", r"\ ") + r")\]"
"""Matches a mark of ours. What only looks like one is foreign text, and protects nothing."""
MARK = re.compile(ANY_MARK)
TEXT: Final = "text"
"""The kind of a whole text that had to go."""


class Span(NamedTuple):
    """A part of a text that may not be seen, and what it is."""

    start: int
    end: int
    kind: Kind


def mark(kind: Kind) -> str:
    """Return the mark for something of a kind: `[redacted: token]`."""
    return f"[redacted: {kind}]"


def hide(text: str, spans: Iterable[Span]) -> str:
    """Replace parts of a text by marks; the spans are given in order, and one that reaches into another is joined to it."""
    pieces: list[str] = []
    seen = 0
    for start, end, kind in spans:
        if start < seen:
            seen = max(seen, end)
            continue
        pieces += (text[seen:start], mark(kind))
        seen = end
        if (hidden := _HIDDEN.get()) is not None:
            hidden.setdefault(text[start:end], kind)
    return "".join((*pieces, text[seen:])) if pieces else text


_HIDDEN: ContextVar[dict[str, Kind] | None] = ContextVar("errata_hidden", default=None)


@contextmanager
def note_hidden() -> Generator[dict[str, Kind], None, None]:
    """Give a dict to which `hide` adds every value that it hides, with its kind, as long as the block runs."""
    hidden: dict[str, Kind] = {}
    token = _HIDDEN.set(hidden)
    try:
        yield hidden
    finally:
        _HIDDEN.reset(token)


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, with a number behind it if need be: two keys may have become alike."""
    if name not in taken:
        return name
    numbered = f"{name}~{len(taken) + 1}"
    while numbered in taken:  # Each of those is passed for this number only, so that many names together cost no more.
        numbered += "~"
    return numbered


class _LatePattern:
    """A regular expression that takes the methods of the compiled one when it is first used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.source = pattern
        self.source_flags = flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self.source, self.source_flags)
        for method in ("search", "match", "fullmatch", "finditer", "sub", "split", "pattern", "flags"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def compile_late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used: to compile all of them takes a second."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


BEGAN = (
    r"(?:(?<![A-Za-z0-9].)"
    r"|(?<=\\[nrtbf0].)"  # A newline or a tab that somebody escaped: `\nAKIA…`
    r"|(?<=%[0-9A-Fa-f]{2}.)"  # `token%3DAKIA…`
    r"|(?<=\\u00[0-9A-Fa-f]{2}.)|(?<=\\x[0-9A-Fa-f]{2}.)"
    r"|(?<=\x1b\[[0-9]m.)|(?<=\x1b\[[0-9]{2}m.)|(?<=\x1b\[[0-9];[0-9]{2}m.))"
)
"""Matches behind the first letter of a word. Before it, it would have to be tried at every letter of a text."""

QUOTE = r"""(?:\\{0,7}["'`]|%2[27]|&quot;|&apos;|&\#3[49];|&\#x2[27];|\\u002[27]|\\x2[27])"""
"""Matches a quotation mark, however often it was escaped."""

COLOUR = r"(?:(?:\x1b|\\x1b|\\u001[bB]|\\033)\[[0-9;]{0,16}+m)"
"""Matches what makes the following text coloured in a terminal, as it is or escaped."""

# fmt: off
UNSEEN = (
    r"\u200b-\u200f\u2060-\u206f\ufeff"      # Of no width, the joiners among them.
    r"\u061c\u202a-\u202e"                   # They turn the direction of reading.
    r"\xad\u034f\u180b-\u180f"
    r"\ufe00-\ufe0f\U000e0000-\U000e0fff"    # Selectors of variants; tags: the letters of ASCII once more.
    r"\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # Letters without a glyph.
    r"\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
# fmt: on
"""The characters that nobody sees, as a class of `re`; they may stand in the middle of a name or a token."""
INVISIBLE = re.compile(f"[{UNSEEN}]")


def fold_case(text: str) -> str:
    """Make lower case without moving a letter; one letter of Unicode becomes two."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").lower()


class Ends:
    """Where runs of a text end; each run is walked through once, however many names stand in it.

    What a run is made of says where it ends, and not where in it somebody begins to look. So the end that was found from
    one position holds for all positions up to it, and all looking together costs one walk through the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._runs: dict[re.Pattern[str], tuple[int, int]] = {}
        self._signs: dict[str, tuple[int, int]] = {}

    def run(self, pattern: re.Pattern[str], start: int) -> int:
        """Return how far a pattern of single characters goes on from a position."""
        begin, end = self._runs.get(pattern, (0, -1))
        if not begin <= start < end:
            match = pattern.match(self.text, start)
            begin, end = start, match.end() if match else start
            self._runs[pattern] = begin, end
        return end

    def sign(self, sign: str, start: int) -> int:
        """Return the next position of a sign, or the end of the text."""
        begin, at = self._signs.get(sign, (0, -1))
        if not begin <= start <= at:
            at = self.text.find(sign, start)
            at = len(self.text) if at < 0 else at
            self._signs[sign] = start, at
        return at


_RUN = re.compile(r"[A-Za-z0-9]+")
_ESCAPED = re.compile(
    r"\\(?:[nrtbf0]|u00[0-9A-Fa-f]{2}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}|\x1b\[[0-9](?:[0-9]|;[0-9]{2})?m"
)
"""What a word may begin behind, as `BEGAN` has it."""


def find_word_starts(text: str) -> list[int]:
    """Return the positions of letters and digits where a word may begin; `BEGAN` holds nowhere else."""
    starts = [run.start() for run in _RUN.finditer(text)]
    if "\\" in text or "%" in text or "\x1b" in text:
        return sorted({*starts, *(escape.end() for escape in _ESCAPED.finditer(text))})
    return starts


def find_all(text: str, literal: str) -> Iterator[int]:
    """Yield the positions of a literal."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)


def match_at(pattern: re.Pattern[str], text: str, positions: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield what `finditer` does of a pattern that matches at some positions only, given in order."""
    end = 0
    for position in positions:
        if position >= end and (match := pattern.match(text, position)):
            end = match.end()
            yield match


Rule = Callable[[str, str], Iterator[Span]]
"""Yields the spans of a text that may not be seen, in order; it is also given the text in lower case."""


class View(NamedTuple):
    """A text as it was before somebody quoted or wrapped it, and where each of its letters stands now."""

    text: str
    positions: "array[int]"
    """A list would take five times the room."""

    def search(self, rule: Rule) -> Iterator[Span]:
        """Yield the spans that a rule finds in the view, as spans of the text."""
        yield from self.map_back(rule(self.text, fold_case(self.text)))

    def map_back(self, spans: Iterable[Span]) -> Iterator[Span]:
        """Turn spans of the view into spans of the text."""
        for start, end, kind in spans:
            if start < end:
                yield Span(self.positions[start], self.positions[end - 1] + 1, kind)


class ViewBuilder:
    """Puts a view together from parts of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._positions = array("q")

    def keep(self, start: int, end: int) -> None:
        """Take over a part of the text as it is."""
        self._parts.append(self._text[start:end])
        self._positions.extend(range(start, end))

    def write(self, letter: str, position: int) -> None:
        """Write one letter for something else that stands at a position."""
        self._parts.append(letter)
        self._positions.append(position)

    def build(self) -> View:
        return View("".join(self._parts), self._positions)
