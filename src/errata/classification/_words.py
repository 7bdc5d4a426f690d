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
_LONGEST_NAME = 200


_ANNOUNCING = re.compile(r"(?:^|(?<=\0 ))\s{0,8}abort(?:ing|ed)?:\s(?=\S)", re.IGNORECASE)
"""A program that gives up says why behind the colon."""
_WITHOUT_QUOTES = dict.fromkeys(map(ord, "'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb"), " ")
CALL: ContextVar[Call | None] = ContextVar("errata_call", default=None)
"""The call whose failure is being judged."""


def blank(text: str) -> str:
    """Return a text without what it quotes in prose, and without what the caller sent; JSON and its like stay."""
    return blank_quotations(blank_arguments(text))


def blank_arguments(text: str) -> str:
    """Return a text without the texts that the caller sent."""
    call = CALL.get()
    for value in call.texts() if call is not None else ():
        text = text.replace(value, " ")
    return text


class Patterns:
    """The tables of patterns, users' rows first; what finds them is built when it is first needed."""

    def __init__(self, rows: tuple[Pattern, ...]) -> None:
        self._rows = rows
        self._matcher: Matcher | None = None
        self._edition = 0

    @property
    def edition(self) -> int:
        """A number that changes when a row is added or taken back."""
        return self._edition

    def first(self, words: str) -> tuple[Pattern, int | None] | None:
        """Return the first row that fits, and the HTTP status in it."""
        rows, matcher = self._rows, self._matcher
        if matcher is None:
            matcher = self._matcher = Matcher([row.phrases for row in rows])
        match = matcher.first(_ANNOUNCING.sub("", in_english(blank(words))))
        return (rows[match.row], match.status) if match else None

    def is_in(self, words: str) -> bool:
        """Return whether any row fits, also in what is quoted and in what the caller sent."""
        if self._matcher is None:
            self._matcher = Matcher([row.phrases for row in self._rows])
        return self._matcher.first(in_english(words)) is not None

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
    words = spell_out(text[:_MOST])
    return PATTERNS.is_in(words) or PATTERNS.is_in(words.translate(_WITHOUT_QUOTES))


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
