"""What callers pass, taken for what it should be: a usable value or none, and never an exception."""

import math
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import TypeVar, cast

from errata._jsonable import text_of

_LONGEST_WAIT_MS = 10**12  # Thirty years; longer is a mistake in somebody's arithmetic.
_MOST_ITEMS = 10_000  # Of issues, actions or options; an iterator may have no end.

_Word = TypeVar("_Word", bound=StrEnum)


def text_or_none(value: object) -> str | None:
    """Read a text; a blank one is none."""
    text = "" if value is None else text_of(value)
    return text if text.strip() else None


def known_word(kind: type[_Word], value: object) -> _Word | None:
    """Look a word up in an enumeration; None for one it does not have."""
    if isinstance(value, kind):
        return value
    try:
        return kind(value) if isinstance(value, str) else None
    except ValueError:
        return None


def items_of(value: object) -> tuple[object, ...]:
    """Read several things from what should be several; a lone one, such as a text, is one."""
    if value is None or isinstance(value, str):
        return (value,) if value else ()
    try:
        return tuple(islice(cast("Iterable[object]", value), _MOST_ITEMS))
    except Exception:  # noqa: BLE001 - not iterable, or an iterator that fails.
        return (value,)


def http_status_or_none(value: object) -> int | None:
    """Read an HTTP status; None for what cannot be one."""
    return int(value) if isinstance(value, int) and 100 <= value <= 599 else None  # noqa: PLR2004 - HTTP's range


def wait_ms(value: object, *, unit_ms: int = 1) -> int | None:
    """Read a wait, as a number or as a header writes it; None for what is negative, endless or no number."""
    try:
        number = float(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= _LONGEST_WAIT_MS:
        return None
    wait = math.ceil(round(number * unit_ms, 6))
    return wait if wait <= _LONGEST_WAIT_MS else None


def timestamp_or_none(value: object) -> str | None:
    """Read a moment; one that is not text yet is written in ISO 8601."""
    return value.isoformat() if isinstance(value, datetime) else text_or_none(value)
