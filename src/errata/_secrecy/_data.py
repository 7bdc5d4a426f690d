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
_LABELS = ("name", "key", "Name", "Key")


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
            return [redacted_plain(item, promise) for item in cast("list[object]", value)]
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


def _object(members: dict[str, object], promise: Announced | None) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, item in members.items():
        name = free_name(redact(key), plain)
        plain[name] = _member(key, item, _announced(key, members) or promise)
    return plain


def _announced(key: str, members: dict[str, object]) -> Announced | None:
    """Say what a key announces; that of a `value` is the `name` beside it."""
    if key in {"value", "Value"}:
        key = next((name for label in _LABELS if isinstance(name := members.get(label), str)), key)
    return _announced_by(key)


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
