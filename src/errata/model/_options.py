"""What is said to options that nothing can be done with: their name, what was given, and what is expected instead."""

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

from errata.model._values import did_you_mean
from errata.redaction import redact

Rules: TypeAlias = Mapping[str, tuple[Callable[[object], bool], str]]
"""By the name of an option: whether a value fits, and the rule in words."""


def refuse_unknown(taker: str, given: Iterable[str], known: Collection[str]) -> None:
    """Refuse options that do not exist."""
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"It takes {', '.join(f'`{each}`' for each in known)}."
            raise TypeError(f"`{taker}` takes no `{name}`. {hint}")


def refuse_unfit(given: Mapping[str, object], rules: Rules, error: type[Exception]) -> None:
    """Refuse values that break their rule."""
    for name, value in given.items():
        fits, rule = rules.get(name, (None, ""))
        if fits is not None and not fits(value):
            raise error(f"`{name}` is {_shown(value)}. {rule}")


def _shown(given: object) -> str:
    """Show what was given, without the password of an address; what is no plain value is known by its class."""
    if isinstance(given, str):
        return reprlib.repr(redact(given))
    return reprlib.repr(given) if isinstance(given, int | float | None) else f"a {type(given).__name__}"
