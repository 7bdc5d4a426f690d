"""Phrases, found in a text in one pass over its words.

A phrase is plain words with little between them:

    too many requests            one or more of white space, `_` and `-` between words
    couldn't find                a straight or a typographic apostrophe
    status code:{status}         what introduces a value: white space, or any of `: = ( [ { , < " ' - /`
    access … denied              anything at all, on the same line
    {status}                     an HTTP status from 400 to 599

Words match whole and in any case: `dns` does not find `dnsPolicy`. The last word of a phrase matches with an `s` behind
it as well: `merge conflict` finds `merge conflicts`. Two things that hold a phrase do not say it:

    not_found_page, timeout.log  a longer name, unless it goes on with `error`, `exception`, `exceeded` or the like; or
                                 the phrase is one that comes first in names: `invalid_order`
    in state 'unauthorized'      a quoted name, unless what stands before introduces what was said: `error "timeout"`

The answers are those of trying one regular expression after the other (tests/support/reference_matcher.py does just
that), but no text can make it slow: `re` is cubic on `not.*logged.*in`; this looks at every word once, and follows at
most a phrase's length from there.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_WORDS = r"([a-z0-9]+)([^a-z0-9]*)"
_PARTS = r"(\{status\}|[a-z0-9]+)( … |[ ':]|$)"
_GLUE = {" ": r"[\s_\-]+", "'": "['\u2019]", ":": r"[\s:=(\[{,<\"'\-/]+"}
_GAP = " … "
_STATUS = "{status}"
_JOINTS = "_-./"
_SHORTEST_NOUN = 3
"""Shorter words have no plural: `must be a` does not find `must be as`."""
_TAILS = frozenset({"code", "err", "error", "errors", "exceeded", "exception", "failure", "fault", "reached"})
_LEADS = frozenset({
    "bad", "duplicate", "illegal", "incorrect", "insufficient", "invalid", "malformed", "missing", "no", "unknown",
    "unsupported", "wrong",
})  # fmt: skip
_MARKS = frozenset("'\"`\u2018\u2019\u201c\u201d")
_SAYS = frozenset(
    {"code", "error", "errors", "exception", "message", "reason", "returned", "said", "says", "status", "with"}
)
_SHORT = 500
"""Of texts up to this length the answer is kept: one failure is looked up several times, and most failures come again."""
_MOST_ANSWERS = 512
# What `re.IGNORECASE` takes for an ASCII letter beyond what lower() makes one.
_FOLDED = {0x130: "i", 0x131: "i", 0x17F: "s"}


class PhraseMatch(NamedTuple):
    """The first row that fits, and the HTTP status it names, if it names one."""

    row: int
    status: int | None


_NOT_YET = PhraseMatch(-1, None)


class BadPhraseError(ValueError):
    """The text is not a phrase."""


class _PieceEnd(NamedTuple):
    """Where a piece of a phrase belongs."""

    row: int
    phrase: int
    piece: int
    is_last: bool
    leads: bool
    """Whether it comes first in names."""


class _Node:
    __slots__ = ("ends", "following")

    def __init__(self) -> None:
        self.following: dict[str, _Node] = {}
        self.ends: list[_PieceEnd] = []


def fold_case(text: str) -> str:
    """Put a text in lower case, the way `re.IGNORECASE` understands it."""
    return (text if text.isascii() else text.translate(_FOLDED)).lower()


def split_phrase(phrase: str) -> list[list[tuple[str, str]]]:
    """Take a phrase apart: pieces between gaps, each a list of (what stands before the word, the word)."""
    pieces: list[list[tuple[str, str]]] = [[]]
    before, end = "", 0
    for part in re.finditer(_PARTS, phrase):
        if part.start() != end:
            break
        word, after = part.groups()
        pieces[-1].append((before, word))
        before, end = after, part.end()
        if after == _GAP:
            pieces.append([])
            before = ""
    if end != len(phrase) or before or not all(pieces):
        raise BadPhraseError(phrase)
    return pieces


def list_forms(word: str) -> tuple[str, ...]:
    """List the forms in which the last word of a phrase matches: as it is written, and with an `s`."""
    has_plural = len(word) >= _SHORTEST_NOUN and word.isalpha() and not word.endswith("s")
    return (word, f"{word}s") if has_plural else (word,)


class Matcher:
    """Rows of phrases; the first row with a phrase that the text holds is the answer."""

    __slots__ = ("_answers", "_kinds", "_kinds_of_a_space", "_root", "_words")

    def __init__(self, rows: Sequence[Iterable[str]]) -> None:
        self._root = _Node()
        self._answers: dict[str, PhraseMatch | None] = {}
        self._words = re.compile(_WORDS)
        self._kinds = {kind: re.compile(glue).fullmatch for kind, glue in _GLUE.items()}
        self._kinds_of_a_space = [kind for kind, fits in self._kinds.items() if fits(" ")]
        number = 0
        for row, phrases in enumerate(rows):
            for phrase in phrases:
                self._learn(row, number, split_phrase(phrase))
                number += 1

    def _learn(self, row: int, phrase: int, pieces: list[list[tuple[str, str]]]) -> None:
        for index, piece in enumerate(pieces):
            is_last, leads = index == len(pieces) - 1, pieces[0][0][1] in _LEADS
            node = self._root
            for before, word in piece[:-1]:
                node = node.following.setdefault(before + word, _Node())
            before, word = piece[-1]
            for form in list_forms(word) if is_last else (word,):
                end = node.following.setdefault(before + form, _Node())
                end.ends.append(_PieceEnd(row, phrase, index, is_last=is_last, leads=leads))

    def first(self, text: str) -> PhraseMatch | None:
        """Find the first row that has a phrase in the text."""
        if len(text) > _SHORT:
            return self._search(text)
        known = self._answers.get(text, _NOT_YET)
        if known is not _NOT_YET:
            return known
        if len(self._answers) >= _MOST_ANSWERS:
            self._answers.clear()
        answer = self._answers[text] = self._search(text)
        return answer

    def _search(self, text: str) -> PhraseMatch | None:
        words: list[tuple[str, str]] = self._words.findall(fold_case(text))
        hits = _Hits(words)
        known = self._root.following
        for start, (word, _) in enumerate(words):
            if word in known or _is_status(word):
                for piece_end, end, status in self._walk(words, start):
                    hits.add(piece_end, start, end, status)
        return hits.best

    def _walk(self, words: list[tuple[str, str]], start: int) -> Iterator[tuple[_PieceEnd, int, int | None]]:
        """Follow the phrases that begin at a word; give every piece that is complete, where, and the status in it."""
        open_nodes: list[tuple[_Node, int, int | None]] = [(self._root, start, None)]
        while open_nodes:
            node, at, status = open_nodes.pop()
            for piece_end in node.ends:
                yield piece_end, at - 1, status
            if not node.following or at == len(words):
                continue
            word = words[at][0]
            names_status = _is_status(word)
            for kind in ("",) if at == start else self._kinds_of(words[at - 1][1]):
                if following := node.following.get(kind + word):
                    open_nodes.append((following, at + 1, status))
                if names_status and (following := node.following.get(kind + _STATUS)):
                    open_nodes.append((following, at + 1, int(word)))

    def _kinds_of(self, between: str) -> list[str]:
        if between == " ":  # As it mostly is.
            return self._kinds_of_a_space
        return [kind for kind, fits in self._kinds.items() if fits(between)]


def _is_part_of_a_name(words: list[tuple[str, str]], end: int, piece_end: _PieceEnd) -> bool:
    """Return whether the word at the end is joined to another that takes its meaning away."""
    joint = words[end][1]
    if not joint or end + 1 == len(words) or joint.strip(_JOINTS) or words[end + 1][0] in _TAILS:
        return False
    return not (piece_end.leads and "." not in joint)


def _is_status(word: str) -> bool:
    return len(word) == 3 and word[0] in "45" and word.isdecimal()  # noqa: PLR2004 - 400 to 599


class _Hits:
    """The best row so far, and how far the phrases with gaps have come."""

    __slots__ = ("_ends", "_lines", "_words", "best")

    def __init__(self, words: list[tuple[str, str]]) -> None:
        self.best: PhraseMatch | None = None
        self._words = words
        self._lines: list[int] = []
        self._ends: dict[tuple[int, int], list[int]] = {}

    def add(self, piece_end: _PieceEnd, start: int, end: int, status: int | None) -> None:
        if self.best and self.best.row <= piece_end.row:
            return
        if piece_end.piece and not self._follows(piece_end, start):
            return
        if piece_end.is_last:
            if not _is_part_of_a_name(self._words, end, piece_end) and (
                piece_end.piece or not self._is_quoted(start, end)
            ):
                self.best = PhraseMatch(piece_end.row, status)
        else:
            self._ends.setdefault((piece_end.phrase, piece_end.piece), []).append(end)

    def _follows(self, piece_end: _PieceEnd, start: int) -> bool:
        """Return whether the piece before this one ended earlier, on the same line."""
        ends = self._ends.get((piece_end.phrase, piece_end.piece - 1), [])
        before = bisect_left(ends, start)
        return before > 0 and self._line(ends[before - 1]) == self._line(start)

    def _is_quoted(self, start: int, end: int) -> bool:
        """Return whether the words are all that stands in quotes, and nothing says that somebody said it."""
        if not start or self._words[end][1][:1] not in _MARKS:
            return False
        noun, before = self._words[start - 1]
        return before[-1:] in _MARKS and before[:-1].isspace() and noun not in _SAYS

    def _line(self, word: int) -> int:
        if not self._lines:
            self._lines = list(accumulate(("\n" in after for _, after in self._words), initial=0))
        return self._lines[word]
