"""What callers and foreign objects pass, read as what it should be: a usable value or none, and never an exception.

This is the border. `type(value)` decides what a value is, because `isinstance` also asks the value itself, which may lie or
raise; the methods of `int`, `float` and `str` are called by name, because a subclass may have others. Inside errata, values
that passed here are plain, and `isinstance` will do.
"""

import re
from collections.abc import Iterable
from enum import Enum, StrEnum
from itertools import islice
from typing import TypeGuard, TypeVar, cast

from errata.model._codes import Code
from errata.redaction import text_of

_MOST_ITEMS = 10_000  # Of issues, actions or options; an iterator may have no end.

_Kind = TypeVar("_Kind")
_Word = TypeVar("_Word", bound=StrEnum)


def is_a(value: object, kind: type[_Kind]) -> TypeGuard[_Kind]:
    """Return whether a value is of a type, whatever it claims itself."""
    return issubclass(type(value), kind)


def is_any(value: object, *kinds: type) -> bool:
    """Return whether a value is of one of some types, whatever it claims itself."""
    return issubclass(type(value), kinds)


_TOOL_NAME = re.compile(r"\w[\w.\-/:]{0,127}")
"""The letters of MCP's tool names, those of other scripts, and what servers put between a namespace and a name."""


def tool_name_or_none(value: object) -> str | None:
    """Return a value that can be the name of a tool; None for any other, so that no sentence passes for one."""
    name = text_or_none(value)
    return name if name is not None and _TOOL_NAME.fullmatch(name) else None


def text_or_none(value: object) -> str | None:
    """Return a value as text; None for a blank one."""
    if value is None:
        return None
    text = value if type(value) is str and value.isascii() else text_of(value)
    return text if text.strip() else None


def known_word(kind: type[_Word], value: object) -> _Word | None:
    """Return the member of an enumeration that a word stands for; None for one it does not have."""
    if type(value) is kind or is_a(value, kind):
        return value
    try:
        return kind(str.__str__(value)) if is_a(value, str) else None
    except ValueError:
        return None


def code_or_none(value: object) -> Code | None:
    """Return the code that a value stands for; a member of an enumeration may have it as `code`, as dialects' words do."""
    if type(value) is Code:
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
    """Return the items of a value that should have several; a lone one, such as a text, is one."""
    if value is None or is_a(value, str):
        return (value,) if value is not None and str.__len__(value) else ()
    try:
        return tuple(islice(cast("Iterable[object]", value), _MOST_ITEMS))
    except Exception:  # noqa: BLE001 - not iterable, or an iterator that fails.
        return (value,)


def http_status_or_none(value: object) -> int | None:
    """Return a value as an HTTP status; None for what cannot be one."""
    status = value if type(value) is int else int.__index__(value) if is_a(value, int) else 0
    return status if 100 <= status <= 599 else None  # noqa: PLR2004 - HTTP's range
