"""The words an exception is described with: its class's names, the words it carries, and its text.

What somebody quotes decides nothing, and what the caller sent decides nothing: both are blanked before a phrase is
looked for. A ticket called "503 Service Unavailable" says nothing about a service.
"""

import re
from contextvars import ContextVar
from enum import Enum

from errata._languages import in_english
from errata.classification._call import Call
from errata.classification._carried import WORDS_AT, is_bare
from errata.classification._exception_rules import Classification
from errata.classification._foreign import peek, read_text
from errata.classification._matcher import Matcher
from errata.classification._patterns import ROWS, Pattern
from errata.http import status_to_code
from errata.model import decide_retry, is_a
from errata.redaction import blank_quotations

_MOST = 8_000
"""How much of a text is read; whoever writes more says nothing more."""
_APART = " \0 "  # Between the parts: no phrase reaches across it.
_HUMPS = r"[A-Z]{1,8}(?=[A-Z][a-z])|[A-Z][a-z0-9]{1,40}(?=[A-Z])"
_WORD_LIKE = 64
_MOST_WORDS = 500
_LONGEST_NAME = 200
_STATUS_OR_SYMBOL = re.compile(r"(?<![0-9])[45][0-9]{2}(?![0-9])|_|[a-z][A-Z]")


_ANNOUNCING = re.compile(r"(?:^|(?<=\0 ))\s{0,8}abort(?:ing|ed)?:\s(?=\S)", re.IGNORECASE)
"""A program that gives up says why behind the colon."""
_WITHOUT_QUOTES = dict.fromkeys(map(ord, "'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb"), " ")
CALL: ContextVar[Call | None] = ContextVar("errata_call", default=None)
"""The call whose failure is being judged."""


def blank(text: str) -> str:
    """Return a text without what it quotes in prose, and without what the caller sent; JSON and its like stay."""
    return blank_quotations(blank_arguments(text, PATTERNS))


def blank_arguments(text: str, patterns: "Patterns | None" = None) -> str:
    """Return a text without the texts that the caller sent, where they stand as words.

    With patterns, only those are blanked that could decide something by themselves: what the server says may share a word
    with the caller. A text of one word stays, because nothing would be left of it.
    """
    call = CALL.get()
    values = call.texts() if call is not None else ()
    if not values or _is_one_word(text):
        return text
    for value in values:
        if value in text and (patterns is None or _STATUS_OR_SYMBOL.search(value) or patterns.are_in(value)):
            text = _blank_word(text, value)
    return text


def _blank_word(text: str, value: str) -> str:
    """Return a text without a value where it is no part of a longer word; a pattern would be compiled for each value."""
    parts: list[str] = []
    start, position = 0, text.find(value)
    while position >= 0:
        end = position + len(value)
        if _is_of_a_word(text[position - 1 : position]) or _is_of_a_word(text[end : end + 1]):
            end = position + 1
        else:
            parts += (text[start:position], "\u2026")
            start = end
        position = text.find(value, end)
    return "".join((*parts, text[start:])) if parts else text


def _is_of_a_word(letter: str) -> bool:
    return letter == "_" or (letter.isascii() and letter.isalnum())


def _is_one_word(text: str) -> bool:
    words = {*text.replace("\0", " ").split()}
    return len(words) == 1 and words.pop().isalnum()


class Patterns:
    """The tables of patterns, users' rows first; what finds them is built when it is first needed."""

    def __init__(self, rows: tuple[Pattern, ...]) -> None:
        self._rows = rows
        self._matcher: Matcher | None = None
        self._edition = 0
        self._of_words: dict[tuple[str, int], bool] = {}
        """Whether any row fits a word, by the word and the edition: one call of a tool asks for its own several times."""

    @property
    def edition(self) -> int:
        """A number that changes when a row is added or taken back."""
        return self._edition

    def first(self, words: str) -> tuple[Pattern, int | None] | None:
        """Return the first row that fits, and the HTTP status in it."""
        rows, matcher = self._rows, self._matcher
        if matcher is None:
            matcher = self._matcher = Matcher([row.phrases for row in rows])
        for text in dict.fromkeys((blank_arguments(words), blank_arguments(words, self))):
            if match := matcher.first(_ANNOUNCING.sub("", in_english(blank_quotations(text)))):
                return rows[match.row], match.status
        return None

    def is_in(self, words: str) -> bool:
        """Return whether any row fits, also in what is quoted and in what the caller sent."""
        if self._matcher is None:
            self._matcher = Matcher([row.phrases for row in self._rows])
        return self._matcher.first(in_english(words)) is not None

    def are_in(self, text: str) -> bool:
        """Return whether any row fits a text as it is or without its quotation marks, names of classes taken apart."""
        if len(text) > _WORD_LIKE:
            return self._are_in(text[:_MOST])
        key = text, self._edition
        if (fits := self._of_words.get(key)) is None:
            if len(self._of_words) >= _MOST_WORDS:
                self._of_words.clear()
            fits = self._of_words[key] = self._are_in(text)
        return fits

    def _are_in(self, text: str) -> bool:
        words = spell_out(text)
        return self.is_in(words) or self.is_in(words.translate(_WITHOUT_QUOTES))

    def add(self, row: Pattern) -> None:
        """Put a row before all others."""
        self._rows, self._matcher, self._edition = (row, *self._rows), None, self._edition + 1

    def remove(self, row: Pattern) -> None:
        """Take a row back; one that is gone already is gone."""
        self._rows, self._matcher = tuple(each for each in self._rows if each is not row), None
        self._edition += 1


PATTERNS = Patterns(ROWS)
_SHIPPED = frozenset(map(id, ROWS))


def spell_out(text: str) -> str:
    """Return a text with class names taken apart: `AccessDeniedException` reads `Access_Denied_Exception`."""
    return text if text.islower() else re.sub(_HUMPS, _with_a_joint, text)


def _with_a_joint(hump: re.Match[str]) -> str:
    return f"{hump[0]}_"


def words_of(error: BaseException, *, names: tuple[str, ...], text: str | None) -> str:
    """Return all words there are to go by: the names of the class, then the words it carries, then its text.

    Without a text it is about facts: a carried word is one, as `rate_limit_exceeded`, and a sentence is none.
    """
    parts = [
        *(name[:_LONGEST_NAME] for name in names),
        *(word for word in _list_carried_words(error) if text is not None or " " not in word),
        *([blank(text[:_MOST])] if text else []),
    ]
    return spell_out(_APART.join(parts))


def _list_carried_words(error: BaseException) -> list[str]:
    if is_bare(error):
        return []
    words = (_word(peek(error, name)) for name in WORDS_AT)
    return [word for word in words if word and len(word) <= _WORD_LIKE]


def _word(value: object) -> str | None:
    """Return a word that is carried; for a member of an enumeration of numbers, its name."""
    if is_a(value, Enum) and not is_a(value.value, str):
        return value.name
    return read_text(value, "value") if is_a(value, Enum) else read_text(value)


def speaks_of_a_failure(text: str) -> bool:
    """Return whether a text has a phrase of the tables in it, whoever's words they are."""
    return PATTERNS.are_in(text)


def classify_words(words: str) -> Classification | None:
    """Return what the tables of patterns say about some words; None if no phrase fits."""
    match = PATTERNS.first(words)
    if match is None:
        return None
    row, status = match
    code = row.code or status_to_code(status or 0)
    retry = row.retry or decide_retry(code, http_status=status)
    is_declared = id(row) not in _SHIPPED
    return Classification(
        code, retry, retry_after_ms=row.retry_after_ms, recovery=row.recovery, is_declared=is_declared
    )
