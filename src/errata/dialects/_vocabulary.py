"""A dialect's words: which one stands for a fault, which code one is read as, and what its yes or no may say.

Other formats have a flag where errata has a verdict. One rule holds in both directions: the flag may say yes only if
reading it back permits no more than the fault does.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar, cast

from errata.model import Code, Fault, Retry, decide_retry, status_to_code

Word = TypeVar("Word", bound=str | int)
_NOT_TAKEN_ON = 503


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
        """Return the word for a fault: by the status if that is what decided, else by the code."""
        by_status = self.word_of_status(fault.http_status) if is_decided_by_status(fault) else None
        return self.words[fault.code] if by_status is None else by_status

    def code_for(self, word: object, status: int | None = None) -> Code | None:
        """Return the code that a word is read as; None for a word that is not in the vocabulary.

        A status beside it says more where it leads to the same word.
        """
        codes = self.codes_for(word)
        if not codes:
            return None
        if status is not None and self.word_of_status(status) == word:
            return status_to_code(status)
        return self.shared.get(self.words[codes[0]], codes[0])

    def codes_for(self, word: object) -> tuple[Code, ...]:
        """Return every code that this word can stand for."""
        return tuple(self._codes.get(cast("Word", word), ())) if isinstance(word, str | int) else ()

    def word_of_status(self, status: int | None) -> Word | None:
        """Return the word for a status in the dialect's own table; None where it has no rule."""
        if status is None:
            return None
        return self.statuses.get(status, self.status_classes.get(status // 100))


def is_decided_by_status(fault: Fault) -> bool:
    """Return whether the code is simply what the upstream's status means."""
    status = fault.http_status
    return status is not None and 400 <= status <= 599 and fault.code is status_to_code(status)  # noqa: PLR2004 - HTTP's errors


def read_verdict(code: Code, *, flag: bool | None = None, status: int | None = None) -> Retry:
    """Return the verdict of a word, and of the flag and the status beside it.

    Every dialect that has a word for SERVICE_UNAVAILABLE also uses it for broken connections, after which
    the call may have happened. So only a 503 beside it is proof that nothing did.
    """
    retry = decide_retry(code, http_status=status, flag=flag)
    if code is Code.SERVICE_UNAVAILABLE and retry is Retry.SAME_CALL and status != _NOT_TAKEN_ON:
        return Retry.IF_HARMLESS
    return retry


def may_flag_retryable(fault: Fault, code: Code, *, status: int | None = None) -> bool:
    """Return whether "retryable" may be said of a fault whose word is read as this code."""
    return fault.retryable and not read_verdict(code, flag=True, status=status).exceeds(fault.retry)
