"""The rules for what is declared: errors are raised, warnings warned, and both say what to do.

The linter has the same rules by the same names. A rule about the kind of a value raises TypeError, any other ValueError.
"""

import dataclasses
import inspect
import re
import warnings
from collections.abc import Iterable

from errata.contracts._failure import Failure
from errata.model import Code, did_you_mean, is_a, text_or_none
from errata.redaction import cut, text_of

_FEWEST_WORDS = 5
_SHOWN = 60
_LISTED = 20
_SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_NEXT_STEP = "Tell the agent its next step in at least five words: which tool, which argument, how long to wait."


def check_failure(failure: Failure, owner: str) -> Failure:
    """Apply every rule to a failure and return it, without what is to be ignored."""
    _check_reason(failure.reason, owner, failure.code)
    subject = f"Reason {quote_value(failure.reason)} of {owner}"
    _check_code(failure.code, subject)
    _check_when(failure.when, subject)
    _check_recovery(failure.recovery, subject)
    return _with_usable_flag(failure, subject)


def _check_reason(reason: object, owner: str, code: object) -> None:
    if not is_a(reason, str) or text_or_none(reason) is None:
        raise ValueError(
            f"A failure of {owner} with the code {quote_value(code)} has no reason. "
            'Give it one, as in `Failure(…, reason="no_match")`, or make it an attribute of a Contract. '
            "(error-contract-reason-required)"
        )
    if not is_snake_case(reason):
        warn(
            f"Reason {quote_value(reason)} of {owner} is not snake_case. Call it {quote_value(to_snake_case(reason))}. "
            "(error-contract-reason-format)"
        )


def _check_code(code: object, subject: str) -> None:
    if not is_a(code, str):
        raise TypeError(
            f"{subject} has {quote_value(code)} for a code, which is {name_type(code)}. "
            "Give a member of `errata.Code`, such as `Code.NOT_FOUND`. (error-contract-code-type)"
        )
    if not is_a(code, Code):
        near = did_you_mean(cut(code, _SHOWN).upper(), Code) or "Choose one of `errata.Code`, such as `Code.NOT_FOUND`."
        raise ValueError(f"{subject} has an unknown code, {quote_value(code)}. {near} (error-contract-code-unknown)")
    if code is Code.UNKNOWN_ERROR:
        warn(
            f"{subject} has the code `UNKNOWN_ERROR`, which tells an agent nothing. "
            "Pick the code that says what happened. (error-contract-code-unknown-error)"
        )


def _check_when(when: object, subject: str) -> None:
    if not is_a(when, str) or text_or_none(when) is None:
        raise ValueError(
            f"{subject} has no `when`. Say in one sentence when it happens, "
            'as in `when="No requested PMID returned data"`. (error-contract-when-required)'
        )


def _check_recovery(recovery: object, subject: str) -> None:
    if not is_a(recovery, str):
        given = "no `recovery`" if recovery is None else f"{quote_value(recovery)} for `recovery`, which is no text"
        raise ValueError(f"{subject} has {given}. {_NEXT_STEP} (error-contract-recovery-required)")
    if text_or_none(recovery) is None:
        raise ValueError(f"{subject} has an empty `recovery`. {_NEXT_STEP} (error-contract-recovery-empty)")
    if has_few_words(recovery):
        warn(
            f"{subject} has a `recovery` of few words, {quote_value(recovery)}. {_NEXT_STEP} "
            "(error-contract-recovery-min-words)"
        )


def _with_usable_flag(failure: Failure, subject: str) -> Failure:
    if failure.retryable is None or is_a(failure.retryable, bool):
        return failure
    warn(
        f"{subject} has {quote_value(failure.retryable)} for `retryable`, which is {name_type(failure.retryable)} and ignored. "
        "Give True or False, or leave it out. (error-contract-retryable-type)"
    )
    return dataclasses.replace(failure, retryable=None)


def build_duplicate_error(reason: str, owner: str) -> ValueError:
    """Return the error for a reason that stands for two failures."""
    return ValueError(
        f"Reason {quote_value(reason)} of {owner} is declared twice. Rename one of the two, or remove it. "
        "(error-contract-reason-unique)"
    )


def describe_undeclared(name: str, noun: str, subject: str, declared: Iterable[str]) -> str:
    """Return the sentence that something is not declared, and what is."""
    names = list(declared)
    known = f"Declared: {', '.join(map(quote_value, names[:_LISTED]))}{', …' if len(names) > _LISTED else ''}."
    near = did_you_mean(name[:_SHOWN], names)
    return " ".join(filter(None, [f"{subject} declares no {noun} {quote_value(name)}.", near, known if names else ""]))


def warn_of_none(owner: str) -> None:
    """Warn that nothing is declared at all."""
    warn(
        f"{owner[0].upper()}{owner[1:]} declares no failure. Declare what can fail, or leave the contract out. "
        "(error-contract-empty)"
    )


def warn(message: str) -> None:
    """Warn at the author's line, which is the first one outside errata."""
    level, frame = 1, inspect.currentframe()
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] == __name__.partition(".")[0]:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def quote_value(value: object) -> str:
    """Return a value in backticks for a message, whatever it is and however long."""
    return f"`{cut(' '.join(text_of(value)[: _SHOWN * 2].split()), _SHOWN)}`"


def name_type(value: object) -> str:
    """Return the type of a value in words."""
    return f"of type `{type(value).__name__}`"


def is_snake_case(reason: str) -> bool:
    """Return whether a reason is in snake_case."""
    return bool(_SNAKE_CASE.fullmatch(reason))


def to_snake_case(reason: str) -> str:
    """Return a name in snake_case: `noMatch` and `No match` are `no_match`."""
    words = re.findall(r"[A-Z]*[a-z0-9]+|[A-Z]+", reason[:_SHOWN])
    name = "_".join(words).lower()
    return name if is_snake_case(name) else "no_match"


def has_few_words(recovery: str) -> bool:
    """Return whether a recovery is too short to be a step that somebody can take."""
    return len(recovery.split(maxsplit=_FEWEST_WORDS)) < _FEWEST_WORDS
