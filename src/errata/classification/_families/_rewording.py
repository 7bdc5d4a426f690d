"""Words better than an exception's text, where that also dumps headers, rows or a whole reply."""

from collections.abc import Callable
from typing import TypeAlias

from errata.classification._answer import Classification, Reader, Rule, RuleResult, describe_rule
from errata.classification._reach import read_text
from errata.model import Code

Words: TypeAlias = Callable[[BaseException], str | None]
"""Finds the words; None where the exception's own text has to do."""


def words_at(*path: str) -> Words:
    """Find the words at a path."""
    return lambda error: read_text(error, *path)


def in_words(words: Words, rule: Rule) -> Reader:
    """Let a rule's answer be told in these words, unless it has its own."""

    def read(error: BaseException) -> RuleResult:
        said = rule(error) if callable(rule) else rule
        answer = Classification(said) if isinstance(said, Code) else said
        return (
            answer._replace(text=words(error)) if isinstance(answer, Classification) and answer.text is None else answer
        )

    read.__doc__ = describe_rule(rule)
    return read
