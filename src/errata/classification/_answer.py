"""What a rule says about an exception, and what a rule can be."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from errata.model import Code, FieldIssue, Recovery, Retry

WITHHELD = ""
"""As an answer's text: the exception's own words stay here, and the code's sentence speaks instead."""


class Classification(NamedTuple):
    """What is known of a failure; None where the taxonomy, or the exception itself, decides."""

    code: Code
    retry: Retry | None = None
    http_status: int | None = None
    retry_after_ms: int | None = None
    text: str | None = None
    """What to say instead of the exception's own text."""
    issues: tuple[FieldIssue, ...] = ()
    is_declared: bool = False
    """Whether a user registered the phrase that says so."""
    recovery: Recovery | None = None
    """The way out, where a user registered one."""
    body: str | None = None
    """What the upstream answered, redacted and cut."""
    is_prose: bool = False
    """Whether the code rests on a text alone, which may quote anybody."""


RuleResult: TypeAlias = Code | Classification | BaseException | None
"""What a reader may say: an answer, that another exception inside this one should be asked, or nothing."""
Reader: TypeAlias = Callable[[BaseException], RuleResult]
"""A rule that looks at the exception's attributes. Its docstring says what it looks at."""
Rule: TypeAlias = Code | Classification | Reader
Table: TypeAlias = "Mapping[str, Rule | Otherwise]"
"""Rules by the dotted name of an exception class. The order says nothing: the most specific class wins."""


def first(*rules: Rule) -> Reader:
    """Make one rule of several: the first that says something."""

    def read(error: BaseException) -> RuleResult:
        for rule in rules:
            if (said := rule(error) if callable(rule) else rule) is not None:
                return said
        return None

    read.__doc__ = ", else ".join(map(_uncapitalised, map(describe_rule, rules)))
    return read


def _uncapitalised(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def describe_rule(rule: Rule) -> str:
    """Say in a few words what a rule says."""
    if isinstance(rule, Classification):
        return f"{rule.code}, {rule.retry}" if rule.retry else str(rule.code)
    if isinstance(rule, Code):
        return str(rule)
    return (rule.__doc__ or "what it says itself").strip().rstrip(".")


class Otherwise(NamedTuple):
    """A rule that speaks last, for a class that by itself says little: what it carries and its words come first."""

    rule: Rule
