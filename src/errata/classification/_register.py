"""Rows that users add, for their own exceptions and for what their upstreams say."""

import logging
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast, overload

from errata._log import format_indented_stack
from errata.classification._exception_rules import Classification, Reader, Rule
from errata.classification._matcher import BadPhraseError, split_phrase
from errata.classification._patterns import Pattern
from errata.classification._registry import REGISTRY, dotted_name
from errata.classification._words import PATTERNS
from errata.model import NO_RECOVERY, Code, Recovery, Retry, did_you_mean, is_a, items_of, known_word, wait_ms

_LOG = logging.getLogger("errata")
_Word = TypeVar("_Word", Code, Retry)
_TakeBack = Callable[[], None]
_PHRASES = (
    "Write plain lower-case words with one space between them; ` … ` stands for anything on the same line, "
    "`:` for what introduces a value, `{status}` for an HTTP status."
)


@overload
def register(
    name: str | type[BaseException],
    code: Code,
    *,
    retry: Retry | None = None,
    retry_after_ms: int | Callable[[Any], float | None] | None = None,
    recovery: str | Recovery | None = None,
) -> _TakeBack: ...
@overload
def register(
    *,
    code: Code,
    pattern: str | Iterable[str],
    retry: Retry | None = None,
    retry_after_ms: int | None = None,
    recovery: str | Recovery | None = None,
) -> _TakeBack: ...
def register(  # noqa: PLR0913 - a row has as many columns.
    name: str | type[BaseException] | None = None,
    code: Code | None = None,
    *,
    pattern: str | Iterable[str] | None = None,
    retry: Retry | None = None,
    retry_after_ms: int | Callable[[Any], float | None] | None = None,
    recovery: str | Recovery | None = None,
) -> _TakeBack:
    """Teach `classify` an exception class or a phrase; what users register comes before what errata knows.

        register("mylib.errors.QuotaExceeded", Code.RATE_LIMITED, retry_after_ms=lambda error: error.wait * 1000)
        register(pattern="no seats left", code=Code.CONFLICT, recovery="Call `list_flights` and choose another flight.")

    A class is given by its dotted name, so that nothing has to be imported, or itself; its subclasses follow it. A
    pattern is a phrase or several. The `recovery` is what an agent should do next, as a sentence or as a `Recovery`.
    Whatever cannot work is refused at once. Calling what is returned takes the row back.
    """
    if (name is None) is (pattern is None):
        raise TypeError("`register` takes either the name of an exception class or `pattern=`. Give it one of the two.")
    verdict = None if retry is None else _word(Retry, "retry", retry)
    known = Classification(_word(Code, "code", code), verdict, recovery=_recovery(recovery))
    if pattern is not None:
        row = Pattern(known.code, _phrases(pattern), known.retry, _read_wait(retry_after_ms), known.recovery)
        PATTERNS.add(row)
        return lambda: PATTERNS.remove(row)
    entry = (_class_name(name), _rule(known, retry_after_ms))
    REGISTRY.add(entry)
    return lambda: REGISTRY.remove(entry)


def rules_in_force() -> tuple[int, int]:
    """Return numbers that change whenever a row is added or taken back, so that a cache can tell."""
    return REGISTRY.edition, PATTERNS.edition


def _word(kind: type[_Word], what: str, value: object) -> _Word:
    word = known_word(kind, value)
    if word is None:
        question = did_you_mean(value.upper(), kind.__members__) if is_a(value, str) else ""
        raise ValueError(
            f"`{value}` is no {what}. {question} Use a member of `errata.{kind.__name__}`.".replace(".  ", ". ")
        )
    return word


def _class_name(name: object) -> str:
    if is_a(name, type):
        if not issubclass(name, BaseException):
            raise TypeError(f"`{name.__name__}` is no exception class. Only what can be raised can be registered.")
        return dotted_name(name)
    if not is_a(name, str):
        raise TypeError(f"{name!r} is no exception class and no dotted name. Pass the class, or its name as text.")
    parts = name.split(".")
    if len(parts) == 1 or not all(part.isidentifier() or part == "<locals>" for part in parts):
        raise ValueError(
            f"`{name}` is no dotted name. Write it with its module, as in `mylib.errors.QuotaExceeded`, or pass the class."
        )
    return name


def _phrases(pattern: object) -> tuple[str, ...]:
    given = items_of(pattern)
    phrases = tuple(phrase for phrase in given if is_a(phrase, str))
    if not phrases or len(phrases) != len(given):
        raise TypeError(f"`pattern` is {pattern!r}; it has to be a phrase, or several. {_PHRASES}")
    for phrase in phrases:
        try:
            split_phrase(phrase)
        except BadPhraseError:
            raise ValueError(f"`{phrase}` is no phrase. {_PHRASES}") from None
    return phrases


def _read_wait(wait: object) -> int | None:
    if wait is not None and wait_ms(wait) is None:
        raise ValueError(f"`retry_after_ms` is {wait!r}; it has to be a number of milliseconds, not less than 0.")
    return wait_ms(wait)


def _recovery(recovery: object) -> Recovery | None:
    if recovery is None:
        return None
    if not (is_a(recovery, str) or is_a(recovery, Recovery)):
        raise TypeError(f"`recovery` is {recovery!r}; it has to be a sentence for the agent, or an `errata.Recovery`.")
    given = recovery if is_a(recovery, Recovery) else Recovery(hint=str(recovery))
    if given == NO_RECOVERY:
        raise ValueError("`recovery` says nothing. Write what an agent should do next, in at least five words.")
    return given


def _rule(known: Classification, wait: object) -> Rule:
    return (
        _with_wait(known, cast("Reader", wait)) if callable(wait) else known._replace(retry_after_ms=_read_wait(wait))
    )


def _with_wait(known: Classification, read_wait: Callable[[BaseException], object]) -> Reader:
    def read(error: BaseException) -> Classification:
        try:
            return known._replace(retry_after_ms=wait_ms(read_wait(error)))
        except Exception as failure:  # noqa: BLE001 - a user's function; the code it stands beside holds without it.
            name = dotted_name(type(error))
            _LOG.warning("The `retry_after_ms` registered for %s failed.\n%s", name, format_indented_stack(failure))
            return known

    read.__doc__ = f"{known.code}, with a wait of its own"
    return read
