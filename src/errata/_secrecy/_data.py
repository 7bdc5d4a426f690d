"""Plain JSON that may be seen by anybody. A key announces its value, as a name does in text."""

import re
from functools import lru_cache
from typing import cast

from errata._secrecy._headers import authorization, cookies
from errata._secrecy._looks import Manner, is_worth_hiding
from errata._secrecy._marks import free_name, hide, mark
from errata._secrecy._names import Announced, announced_in
from errata._secrecy._text import redacted as redact

_NAME_AT_THE_END = re.compile(r"[\w.$\-]*$")  # What `password` is in "your password", in a key as in a text.
_LEAST_NUMBER = 10**8  # Shorter ones are nobody's card or account.
_LABELS = ("name", "key", "Name", "Key", "field", "loc", "path", "param", "parameter", "property", "header")
_LABELLED = frozenset({"value", "Value"})
_REFUSED = frozenset(
    {"input", "received", "given", "actual", "got", "rejectedValue", "rejected_value", "invalid_value"}
)
"""What a validator calls the value that it refused; an object there is the whole input, and no secret as such."""


def redacted_plain(value: object, promise: Announced | None = None) -> object:
    """Copy JSON without what nobody outside may see; `promise` is what the key above announced."""
    match value:
        case str():
            return _text(value, promise)
        case bool() | None:
            return value
        case int() | float():
            return _number(value, promise)
        case list():
            return _list(cast("list[object]", value), promise)
        case dict():
            return _object(cast("dict[str, object]", value), promise)
        case _:
            return value


def _text(text: str, promise: Announced | None) -> str:
    if promise is None:
        return redact(text)
    if promise.kind == "cookie":
        return redact(hide(text, cookies(text, 0, len(text))))
    text = redact(text)
    return mark(promise.kind) if is_worth_hiding(promise, text, Manner()) else text


def _number(number: float, promise: Announced | None) -> object:
    text = repr(number)
    if promise is not None and is_worth_hiding(promise, text, Manner(quoted=False)):
        return mark(promise.kind)
    if abs(number) < _LEAST_NUMBER:
        return number
    after = redact(text)
    return number if after == text else after


def _list(items: list[object], promise: Announced | None) -> list[object]:
    """Copy a list; in one of pairs, the first of two announces the second, and in a command, a flag the next word."""
    if promise is None and items and all(_is_pair(item) for item in items):
        return [_pair(*cast("list[str]", item)) for item in items]
    flags = [None, *(_announced_by(item) if isinstance(item, str) and item[:1] == "-" else None for item in items)]
    return [
        redacted_plain(item, flag if flag and isinstance(item, str) and item[:1] != "-" else promise)
        for flag, item in zip(flags, items, strict=False)
    ]


def _is_pair(item: object) -> bool:
    match item:
        case [str(), str()]:
            return True
        case _:
            return False


def _pair(name: str, value: str) -> list[object]:
    return [redact(name), _member(name, value, _announced_by(name))]


def _object(members: dict[str, object], promise: Announced | None) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, item in members.items():
        name = free_name(redact(key), plain)
        plain[name] = _member(key, item, _announced(key, item, members) or promise)
    return plain


def _announced(key: str, item: object, members: dict[str, object]) -> Announced | None:
    """Say what a key announces; that of a `value` is the `name` beside it."""
    if key in _LABELLED or (key in _REFUSED and not isinstance(item, dict)):
        key = next((name for label in _LABELS if (name := _label(members.get(label)))), key)
    return _announced_by(key)


def _label(value: object) -> str | None:
    """Give the name that a label holds; the place of a value in others is a list that ends with it."""
    last = cast("list[object]", value)[-1:] if isinstance(value, list) else [value]
    return last[0] if last and isinstance(last[0], str) else None


def _member(key: str, item: object, promise: Announced | None) -> object:
    if promise is None:
        return redacted_plain(item)
    if isinstance(item, str) and key.lower().endswith("authorization"):
        return redact(hide(item, authorization(item, 0, len(item), whole=True)))
    return redacted_plain(item, promise)


@lru_cache(maxsize=512)
def _announced_by(key: str) -> Announced | None:
    name = key[-80:].rstrip("])\"' ")
    found = _NAME_AT_THE_END.search(name)
    return announced_in(name, found.start(), found.end()) if found else None
