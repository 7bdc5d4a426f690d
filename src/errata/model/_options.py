"""Messages about names and options that cannot be used: what was given, what is expected, and what may be meant."""

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import TypeAlias

from errata.redaction import redact

_LONGEST_WORD = 200  # Of a name; to compare takes the square of it.
_MOST_WORDS = 10_000

Rules: TypeAlias = Mapping[str, tuple[Callable[[object], bool], str]]
"""By the name of an option: whether a value fits, and the rule in words."""


def find_nearest(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words nearest to one, four at most."""
    import difflib  # noqa: PLC0415 - only somebody's mistake pays for loading it.

    return difflib.get_close_matches(word[:_LONGEST_WORD], sorted(islice(known, _MOST_WORDS)), n=4)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "Did you mean …?" with the nearest known words; "" if none is near."""
    return phrase_suggestion(find_nearest(word, known))


def phrase_suggestion(near: Iterable[str]) -> str:
    """Return "Did you mean …?" with these words; "" if there are none."""
    named = " or ".join(f"`{each}`" for each in near)
    return f"Did you mean {named}?" if named else ""


def refuse_unknown(taker: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for an option that does not exist."""
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"It takes {', '.join(f'`{each}`' for each in known)}."
            raise TypeError(f"`{taker}` takes no `{name}`. {hint}")


def refuse_unfit(given: Mapping[str, object], rules: Rules, error: type[Exception]) -> None:
    """Raise the given error for a value that breaks its rule."""
    for name, value in given.items():
        fits, rule = rules.get(name, (None, ""))
        if fits is not None and not fits(value):
            raise error(f"`{name}` is {_show(value)}. {rule}")


def _show(given: object) -> str:
    """Return a value for a message, without the password of an address; only the class of what is no plain value."""
    if isinstance(given, str):
        return reprlib.repr(redact(given))
    return reprlib.repr(given) if isinstance(given, int | float | None) else f"a {type(given).__name__}"
