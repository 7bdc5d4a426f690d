"""Anything at all, made into plain JSON, without ever raising.

Authors attach what is at hand to an error, and the wire brings what a stranger sent. Both pass here once, so
that everything behind this file deals with `None`, `bool`, `int`, `float`, `str`, `list` and `dict` only.
docs/data.md says what becomes of each kind of value.
"""

import dataclasses
import math
import re
from collections.abc import Collection, Iterable, Mapping, Set as AbstractSet
from datetime import date, time
from enum import Enum
from itertools import islice
from typing import cast

from errata.redaction._redact import redact
from errata.redaction._spans import MARK, free_name

SIZE = 64 * 1024
"""How many characters of data travel with an error; what is over is cut and says so."""
DEPTH = 32
"""How deep that data may nest."""

_CUT = "… [cut]"
SEEN_BEYOND = 16 * 1024  # How much is read of what will be cut, so that a secret on the edge is seen whole.
_EDGE = 4 * 1024
_ROUNDS = 5
_CYCLE = "[cycle]"
_TOO_DEEP = "[nested too deep]"
_ADDRESS = r" at 0x[0-9A-Fa-f]+(?=>$)"  # Where in memory it was helps nobody, and tells attackers.
_TYPE_NAME = type.__dict__["__name__"].__get__
_MOST_NODES = 250_000  # A small text can hold a great many empty lists.
_MOST_BITS = 1024  # Python itself refuses to print an integer of more than 4300 digits.


def jsonable(value: object, *, size: int = SIZE, depth: int = DEPTH, longest_text: int | None = None) -> object:
    """Copy a value into plain JSON that is at most so large and so deep; of each text, no more than `longest_text`.

    Converting the outcome again changes nothing: what fits is kept as it is, and what does not fit
    is cut to half the size, so that the marks of the cutting fit in as well.
    """
    try:
        return _Copier(size, longest_text, cutting=False).copy(value, depth)
    except _TooLargeError:
        return _Copier(size // 2, longest_text, cutting=True).copy(value, depth)


def jsonable_object(value: object) -> dict[str, object]:
    """Copy a value into a JSON object; one that is none is put under `value`."""
    plain = None if value is None else jsonable(value)
    if plain is None or isinstance(plain, dict):
        return as_object(cast("object", plain))
    return as_object(jsonable({"value": value}))


def as_object(value: object) -> dict[str, object]:
    """Take a JSON value for an object; an empty one if it is something else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return the text of a value, or `<Type>` if it has no usable one."""
    if type(value) is str:
        return repair_unicode(value)
    try:
        text = repair_unicode(str.__str__(str(value)))
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything.
        return type_text(value)
    return re.sub(_ADDRESS, "", text) if text.startswith("<") else text


def type_text(value: object) -> str:
    """Return `<Type>` for a value that has no text of its own."""
    return f"<{_TYPE_NAME(type(value))}>"  # Past a metaclass, which may have its own idea of a name.


def repair_unicode(text: str) -> str:
    """Join surrogate pairs and replace lone halves, which no JSON encoder can send."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def cut(text: str, limit: int, *, goes_on: bool = False) -> str:
    """Shorten a text to the limit; one that was shortened says so. It may be the beginning of one that goes on.

    Half a secret looks like none: what is cut is redacted before, and again as long as the cutting made something look
    like a secret that was none.
    """
    if len(text) <= limit and not goes_on:
        return text
    whole = redact(text[: limit + SEEN_BEYOND])
    if goes_on or len(text) > limit + SEEN_BEYOND:
        whole = whole[:-_EDGE]  # What stands on the edge of what was read may be half of a secret itself.
    for _ in range(_ROUNDS):
        short = _head(whole, limit - len(_CUT)) + _CUT
        whole = redact(short)
        if whole == short:
            return short
    return _CUT


def _head(text: str, length: int) -> str:
    """Take the beginning of a text, and no half of a mark."""
    broken = next((match.start() for match in MARK.finditer(text) if match.start() < length < match.end()), length)
    return text[:broken]


class _TooLargeError(Exception):
    """The value does not fit; it has to be cut."""


class _Copier:
    __slots__ = ("_cutting", "_left", "_longest_text", "_nodes", "_open")

    def __init__(self, size: int, longest_text: int | None, *, cutting: bool) -> None:
        self._left = size
        self._longest_text = longest_text
        self._nodes = _MOST_NODES
        self._cutting = cutting
        self._open: set[int] = set()

    def copy(self, value: object, depth: int) -> object:
        kind = type(value)
        if kind is str:
            return self._text(repair_unicode(str(value)))
        if value is None or kind is bool:
            self._spend(4)
            return value
        if kind is int:
            return self._integer(cast("int", value))
        try:
            if kind is dict or kind is list:
                return self._container(value, cast("Collection[object]", value), depth)
            return self._other(value, depth)
        except _TooLargeError:
            raise
        except Exception:  # noqa: BLE001 - foreign objects may raise anything, from anywhere.
            return self._text(type_text(value))

    def _other(self, value: object, depth: int) -> object:  # noqa: PLR0911 - one line for each kind of value.
        match value:
            case Enum():
                return self.copy(value.value, depth)
            case int():
                return self._integer(int.__index__(value))
            case float():
                self._spend(24)
                return float.__pos__(value) if math.isfinite(value) else None
            case bytes() | bytearray() | memoryview():
                seen = bytes(cast("bytes", value[: max(self._left, 0) + SEEN_BEYOND]))  # The rest would be cut anyway.
                return self._text(seen.decode("utf-8", "backslashreplace"))
            case str():
                return self._text(repair_unicode(str.__str__(value)))
            case date() | time():
                return self._text(value.isoformat())
            case BaseException():
                return self._text(f"{_TYPE_NAME(type(value))}: {text_of(value)}")
            case _:
                return self._container(value, _content_of(value), depth)

    def _container(self, value: object, content: Collection[object] | None, depth: int) -> object:
        if content is None:
            return self._text(text_of(value))
        if id(value) in self._open:
            return self._text(_CYCLE)
        if depth <= 0:
            return self._text(_TOO_DEEP)
        self._open.add(id(value))
        self._spend(2)
        try:
            if type(content) is dict or isinstance(content, Mapping):
                return self._object(cast("Mapping[object, object]", content), depth - 1)
            return self._array(_in_order(content), depth - 1)
        finally:
            self._open.discard(id(value))

    def _object(self, content: Mapping[object, object], depth: int) -> dict[str, object]:
        plain: dict[str, object] = {}
        entries: Iterable[tuple[object, object]] = content.items()
        size = len(content)
        # Another thread may write to a dict meanwhile; a foreign mapping may have no end.
        for key, item in list(entries) if type(content) is dict else entries:
            if self._left <= 0:
                plain["…"] = f"[{size - len(plain)} more]"
                break
            name = free_name(self._text(_key_text(key)), plain)
            plain[name] = self.copy(item, depth)
        return plain

    def _array(self, content: Collection[object], depth: int) -> list[object]:
        plain: list[object] = []
        for item in content:
            if self._left <= 0:
                plain.append(f"[{len(content) - len(plain)} more]")
                break
            plain.append(self.copy(item, depth))
        return plain

    def _integer(self, value: int) -> object:
        if value.bit_length() > _MOST_BITS:
            return self._text(f"[integer of {value.bit_length()} bits]")
        self._spend(value.bit_length() // 3 + 3)  # A decimal digit holds a little more than three bits.
        return value

    def _text(self, text: str) -> str:
        text = text[: self._longest_text]
        if self._cutting:
            text = cut(text, max(self._left, len(_CUT)))
        self._spend(len(text) + 2)
        return text

    def _spend(self, cost: int) -> None:
        self._nodes -= 1
        self._left = self._left - cost if self._nodes > 0 else 0
        if self._left <= 0 and not self._cutting:
            raise _TooLargeError


def _content_of(value: object) -> Collection[object] | None:
    """Open a value that holds others; None for one that is opaque."""
    if isinstance(value, tuple):
        row = cast("tuple[object, ...]", value)
        names: object = getattr(type(row), "_fields", None)
        is_named = isinstance(names, tuple) and len(cast("tuple[str, ...]", names)) == len(row)
        return dict(zip(cast("tuple[str, ...]", names), row, strict=True)) if is_named else row
    if isinstance(value, Collection):  # A mapping is one, too.
        return cast("Collection[object]", value)
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        # A field with repr=False is hidden on purpose.
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
    fields = getattr(type(value), "model_fields", None)  # A pydantic model, recognised without importing pydantic.
    if isinstance(fields, Mapping):
        named = cast("Mapping[str, object]", fields).items()
        return {name: getattr(value, name) for name, field in named if getattr(field, "repr", True)}
    return None


def _in_order(content: Collection[object]) -> Collection[object]:
    """Sort a set, so that the same set is always the same list."""
    return sorted(islice(content, SIZE), key=text_of) if isinstance(content, AbstractSet) else content


def _key_text(key: object) -> str:
    """Spell a key the way JavaScript would; JSON knows only text."""
    if type(key) is str:
        return repair_unicode(key)
    match key:
        case None:
            return "null"
        case bool():
            return "true" if key else "false"
        case Enum():
            return text_of(key.value)
        case _:
            return text_of(key)
