"""Header fields, whoever brings them: lower-case names, text values, and never an exception."""

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import cast

from errata.model import is_a
from errata.redaction import text_of

_MOST_FIELDS = 1000
_LONGEST_VALUE = 1000


def header_fields(headers: object) -> dict[str, str]:
    """Read headers: a mapping, those of any HTTP client, or pairs, as text or bytes. The first of a name counts."""
    fields: dict[str, str] = {}
    with suppress(Exception):  # Whatever a foreign object raises, what was read until then counts.
        for name, value in islice(_pairs(headers), _MOST_FIELDS):
            fields.setdefault(_text(name).lower(), _text(value))
    return fields


def _pairs(headers: object) -> Iterable[tuple[object, object]]:
    items = getattr(headers, "items", None)
    return cast("Iterable[tuple[object, object]]", items() if callable(items) else headers or ())


def _text(value: object) -> str:
    if is_a(value, list) or is_a(value, tuple):
        value = next(iter(cast("Iterable[object]", value)), "")
    if is_a(value, bytes):
        value = bytes.decode(value[:_LONGEST_VALUE], "latin-1")
    return text_of(value)[:_LONGEST_VALUE].strip()
