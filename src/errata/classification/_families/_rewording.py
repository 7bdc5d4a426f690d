"""Words better than an exception's text, where that also dumps headers, rows or a whole reply."""

from collections.abc import Callable
from typing import TypeAlias

from errata.classification._answer import Answer, Reader, Rule, Said, described
from errata.classification._reach import text_at
from errata.model import Code

Words: TypeAlias = Callable[[BaseException], str | None]
"""Finds the words; None where the exception's own text has to do."""


def words_at(*path: str) -> Words:
    """Find the words at a path."""
    return lambda error: text_at(error, *path)


def in_words(words: Words, rule: Rule) -> Reader:
    """Let a rule's answer be told in these words, unless it has its own."""

    def read(error: BaseException) -> Said:
        said = rule(error) if callable(rule) else rule
        answer = Answer(said) if isinstance(said, Code) else said
        return answer._replace(text=words(error)) if isinstance(answer, Answer) and answer.text is None else answer

    read.__doc__ = described(rule)
    return read
