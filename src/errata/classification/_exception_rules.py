"""What a rule may say about an exception, the pieces that rules are put together from, and outcomes that many rules share."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from errata.classification._foreign import find_cause_or_context, read_exception, read_text
from errata.model import Code, FieldIssue, Recovery, Retry

WITHHELD = ""
"""As the text of a classification: the exception's own words are not sent, and the code's sentence speaks instead."""


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
    """Whether it rests on a phrase that a user registered."""
    recovery: Recovery | None = None
    """The way out, where a user registered one."""
    body: str | None = None
    """The body of the upstream's response, redacted and cut."""
    is_prose: bool = False
    """Whether the code rests on a text alone, which may quote anybody."""


RuleResult: TypeAlias = Code | Classification | BaseException | None
"""What a reader may return: a classification, another exception to classify in place of this one, or nothing."""
Reader: TypeAlias = Callable[[BaseException], RuleResult]
"""A rule that reads the exception's attributes. Its docstring says which, and is shown to users."""
Rule: TypeAlias = Code | Classification | Reader
Table: TypeAlias = "Mapping[str, Rule | Otherwise]"
"""Rules by the dotted name of an exception class. The order means nothing: the most specific class wins."""


class Otherwise(NamedTuple):
    """A rule that is tried last, for a class that means little by itself: what it carries and its words come first."""

    rule: Rule


# Outcomes.

BUG = Classification(Code.INTERNAL_ERROR, text=WITHHELD)
"""Something was used in the wrong way. The text is for the server's author: of no use to an agent, and revealing."""
LOCKED = Classification(Code.CONFLICT, Retry.SAME_CALL)
"""Somebody else is at it: a deadlock, a lock, a transaction that lost. Nothing was changed."""
REFUSED = Classification(Code.NETWORK_ERROR, Retry.SAME_CALL)
"""Nobody took the call."""
UNKNOWN_HOST = Classification(Code.NETWORK_ERROR, Retry.NEVER)
TLS = Classification(Code.NETWORK_ERROR, Retry.NEVER)
"""No time mends a certificate."""
WAIT = Classification(Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)
"""It takes no work now."""
NOT_SENT_IN_TIME = Classification(Code.TIMEOUT, Retry.SAME_CALL)
"""The time ran out while connecting, or while waiting for a free connection."""
REDIRECTS = Classification(Code.UPSTREAM_ERROR, Retry.NEVER)
"""The server sends us in circles, or where we do not go."""
NOT_HTTP = Classification(Code.UPSTREAM_ERROR, text="The server's answer is not valid HTTP.")
"""The exception's text would quote the response."""
BAD_HEADER = Classification(
    Code.INVALID_PARAMS, text="The request is not valid HTTP: a header, the method or the body's length is malformed."
)
"""The exception's text would quote the header, which may be the one with the key."""


# Rules made of others.


def first(*rules: Rule) -> Reader:
    """Make one rule of several: the first that returns something decides."""

    def read(error: BaseException) -> RuleResult:
        for rule in rules:
            if (result := rule(error) if callable(rule) else rule) is not None:
                return result
        return None

    read.__doc__ = ", else ".join(map(_uncapitalise, map(describe_rule, rules)))
    return read


Words: TypeAlias = Callable[[BaseException], str | None]
"""Finds better words than an exception's own text; None where that has to do."""


def words_at(*path: str) -> Words:
    """Make a finder of the words at a path."""
    return lambda error: read_text(error, *path)


def in_words(words: Words, rule: Rule) -> Reader:
    """Make a rule whose classification is put in other words: the exception's text dumps headers, rows or a whole reply."""

    def read(error: BaseException) -> RuleResult:
        result = as_classification(rule(error) if callable(rule) else rule)
        return (
            result._replace(text=words(error)) if isinstance(result, Classification) and result.text is None else result
        )

    read.__doc__ = describe_rule(rule)
    return read


def by_cause(error: BaseException) -> RuleResult:
    """The exception it was raised from."""
    return read_exception(error, "__cause__")


def by_cause_or_context(error: BaseException) -> RuleResult:
    """The exception that was being handled when it was raised."""
    return find_cause_or_context(error)


def by_exception_at(*path: str) -> Reader:
    """Make a rule that classifies the exception at a path instead."""

    def read(error: BaseException) -> RuleResult:
        return read_exception(error, *path)

    read.__doc__ = f"The exception in `{'.'.join(path)}`"
    return read


def as_classification(result: RuleResult) -> Classification | BaseException | None:
    """Return the classification that a bare code stands for, and everything else as it is."""
    return Classification(result) if isinstance(result, Code) else result


def describe_rule(rule: Rule) -> str:
    """Return in a few words what a rule says, or what it reads."""
    if isinstance(rule, Classification):
        return f"{rule.code}, {rule.retry}" if rule.retry else str(rule.code)
    if isinstance(rule, Code):
        return str(rule)
    return (rule.__doc__ or "what it says itself").strip().rstrip(".")


def _uncapitalise(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]
