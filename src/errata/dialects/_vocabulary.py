"""A dialect's words: which one says a fault, and which code one is read as."""

from collections.abc import Mapping
from typing import Generic, TypeVar, cast

from errata.model import Code, Fault, status_to_code

Word = TypeVar("Word", bound=str | int)


class Vocabulary(Generic[Word]):
    """The words of one dialect.

    `words` has the word for each code, `shared` what a word that several codes share is read as. `statuses` has the
    word for an upstream's HTTP status where the dialect has a rule of its own, `status_classes` that for all other
    statuses by their first digit.
    """

    __slots__ = ("_codes", "shared", "status_classes", "statuses", "words")

    def __init__(
        self,
        words: Mapping[Code, Word],
        shared: Mapping[Word, Code] | None = None,
        statuses: Mapping[int, Word] | None = None,
        status_classes: Mapping[int, Word] | None = None,
    ) -> None:
        self.words: Mapping[Code, Word] = words
        self.shared: Mapping[Word, Code] = shared or {}
        self.statuses: Mapping[int, Word] = statuses or {}
        self.status_classes: Mapping[int, Word] = status_classes or {}
        self._codes: dict[Word, list[Code]] = {}
        for code, word in words.items():
            self._codes.setdefault(word, []).append(code)
        if unsettled := [word for word, codes in self._codes.items() if len(codes) > 1 and word not in self.shared]:
            raise ValueError(f"Several codes share the word `{unsettled[0]}`. Say in `shared` which one it is read as.")

    def word_for(self, fault: Fault) -> Word:
        """Choose the word: by the status when the status is what decided, else by the code."""
        by_status = self.word_of_status(fault.http_status) if status_decided(fault) else None
        return self.words[fault.code] if by_status is None else by_status

    def code_for(self, word: object, status: int | None = None) -> Code | None:
        """Read a word; a status beside it says more where it leads to the same word. None: no word of ours."""
        codes = self.codes_for(word)
        if not codes:
            return None
        if status is not None and self.word_of_status(status) == word:
            return status_to_code(status)
        return self.shared.get(self.words[codes[0]], codes[0])

    def codes_for(self, word: object) -> tuple[Code, ...]:
        """List every code that this word can stand for."""
        return tuple(self._codes.get(cast("Word", word), ())) if isinstance(word, str | int) else ()

    def word_of_status(self, status: int | None) -> Word | None:
        """Look a status up in the dialect's own table; None where it has no rule."""
        if status is None:
            return None
        return self.statuses.get(status, self.status_classes.get(status // 100))


def status_decided(fault: Fault) -> bool:
    """Whether the code is simply what the upstream's status means."""
    status = fault.http_status
    return status is not None and 400 <= status <= 599 and fault.code is status_to_code(status)  # noqa: PLR2004 - HTTP's errors
