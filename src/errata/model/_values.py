"""What callers pass, taken for what it should be: a usable value or none, and never an exception.

Kinds are told by `type(value)`: `isinstance` also asks the value itself, which may lie or raise. The methods of
`int`, `float`, `str` and `datetime` are called by name, because a subclass may have others.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from enum import Enum, StrEnum
from itertools import islice
from typing import TypeGuard, TypeVar, cast

from errata.model._codes import Code
from errata.model._identity import written
from errata.redaction import text_of

_LONGEST_WORD = 200  # Of a name; to compare takes the square of it.
_MOST_ITEMS = 10_000  # Of issues, actions or options; an iterator may have no end.

_Kind = TypeVar("_Kind")
_Word = TypeVar("_Word", bound=StrEnum)


def is_a(value: object, kind: type[_Kind]) -> TypeGuard[_Kind]:
    """Whether a value is of a kind, whatever it says itself."""
    return issubclass(type(value), kind)


def is_any(value: object, *kinds: type) -> bool:
    """Whether a value is of one of some kinds, whatever it says itself."""
    return issubclass(type(value), kinds)


_TOOL_NAME = re.compile(r"\w[\w.\-/:]{0,127}")
"""The letters of MCP's tool names, those of other scripts, and what servers put between a namespace and a name."""


def tool_name_or_none(value: object) -> str | None:
    """Return a value that can be the name of a tool; None for any other, so that no sentence passes for one."""
    name = text_or_none(value)
    return name if name is not None and _TOOL_NAME.fullmatch(name) else None


def text_or_none(value: object) -> str | None:
    """Read a text; a blank one is none."""
    text = "" if value is None else text_of(value)
    return text if text.strip() else None


def known_word(kind: type[_Word], value: object) -> _Word | None:
    """Look a word up in an enumeration; None for one it does not have."""
    if is_a(value, kind):
        return value
    try:
        return kind(str.__str__(value)) if is_a(value, str) else None
    except ValueError:
        return None


def code_or_none(value: object) -> Code | None:
    """Read a code; a member of an enumeration, such as a dialect's words, may say in `code` which one it stands for."""
    if is_a(value, Code):
        return value
    if is_a(value, Enum):
        try:
            code = getattr(value, "code", None)
        except Exception:  # noqa: BLE001 - somebody else's property.
            code = None
        if is_a(code, Code):
            return code
    return known_word(Code, value)


def items_of(value: object) -> tuple[object, ...]:
    """Read several things from what should be several; a lone one, such as a text, is one."""
    if value is None or is_a(value, str):
        return (value,) if value is not None and str.__len__(value) else ()
    try:
        return tuple(islice(cast("Iterable[object]", value), _MOST_ITEMS))
    except Exception:  # noqa: BLE001 - not iterable, or an iterator that fails.
        return (value,)


def http_status_or_none(value: object) -> int | None:
    """Read an HTTP status; None for what cannot be one."""
    status = int.__index__(value) if is_a(value, int) else 0
    return status if 100 <= status <= 599 else None  # noqa: PLR2004 - HTTP's range


def timestamp_or_none(value: object) -> str | None:
    """Read a moment; one that is not text yet is written in ISO 8601, UTC."""
    try:
        return written(value) if is_a(value, datetime) else text_or_none(value)
    except Exception:  # noqa: BLE001 - a foreign time zone may raise anything.
        return None


def nearest(word: str, known: Iterable[str]) -> list[str]:
    """Find the known words nearest to one, four at most."""
    import difflib  # noqa: PLC0415 - only somebody's mistake pays for loading it.

    return difflib.get_close_matches(word[:_LONGEST_WORD], sorted(islice(known, _MOST_ITEMS)), n=4)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Ask whether one of the nearest known words was meant; nothing is asked if none is near."""
    return asked_for(nearest(word, known))


def asked_for(near: Iterable[str]) -> str:
    """Ask whether one of these was meant; nothing is asked if there are none."""
    named = " or ".join(f"`{each}`" for each in near)
    return f"Did you mean {named}?" if named else ""
