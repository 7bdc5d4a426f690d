"""Redaction of plain JSON: by what its keys announce, as names do in text, and in every string."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from errata.redaction._commands import is_command
from errata.redaction._header_values import find_cookies, find_credentials
from errata.redaction._key_value_pairs import names_another
from errata.redaction._private_keys import PRIVATE_MEMBERS
from errata.redaction._redact_text import redact_text as redact
from errata.redaction._spans import INVISIBLE, Ends, Span, free_name, hide
from errata.redaction._telling_names import Promise, read_promise_in
from errata.redaction._value_looks import Manner, is_worth_hiding

_NAME_AT_THE_END = re.compile(
    r"(?<![\w.$\-])[\w.$\-]{0,80}$"
)  # What `password` is in "your password", in a key as in a text.
_LEAST_NUMBER = 10**8  # Shorter ones are nobody's card or account.
# fmt: off
_LABELS = (
    "name", "key", "k", "n", "field", "loc", "path", "param", "parameter", "property", "header", "label", "variable", "var",
    "env", "setting", "option", "attribute", "attr", "column", "col", "argument", "arg", "flag", "fieldname", "field_name",
    "parameterkey", "parametername", "optionname", "settingname", "variablename", "paramname", "param_name", "headername", "header_name", "instancepath",
)
_LABELLED = frozenset({
    "value", "v", "val", "content", "data", "text", "current", "default", "stringvalue", "string_value", "parametervalue", "optionvalue", "settingvalue", "raw", "raw_value",
})
_REFUSED = frozenset({
    "input", "received", "given", "actual", "got", "rejectedvalue", "rejected_value", "invalid_value", "instance",
})
# fmt: on
"""What a validator calls the value that it refused; an object there is the whole input, and no secret as such."""


_HEADS = frozenset(
    {"columns", "cols", "fields", "header", "headers", "names", "keys", "schema", "columnnames", "column_names"}
)
_RECORDS = frozenset({"rows", "values", "data", "records", "items", "tuples", "result", "results"})
_LEAST_LABELLED = _LEAST_ROWS = 2
_Promises = list[Promise | None]


def redact_value(value: object, promise: Promise | None = None) -> object:
    """Copy JSON without what nobody outside may see; `promise` is what the key above announced."""
    match value:
        case str():
            return _redact_string(value, promise)
        case bool() | None:
            return value
        case int() | float():
            return _redact_number(value, promise)
        case list():
            return _redact_list(cast("list[object]", value), promise)
        case dict():
            return _redact_object(cast("dict[str, object]", value), promise)
        case _:
            return value


def redact_json(text: str) -> str:
    """Redact a text that is JSON by its members, too: a name may stand far from its value. Any other stays as it is."""
    if text[:1] not in {"{", "["} or len(text) > _LONGEST_JSON:
        return text
    if not any(map(text.lower().__contains__, _QUOTED_LABELS)):
        return text
    from json import dumps, loads  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    try:
        value: object = loads(text, parse_constant=_refuse)
        plain = redact_value(value)
        return text if plain == value else dumps(plain, ensure_ascii=False)
    except (ValueError, RecursionError):  # It is none, or nests deeper than anybody's body does.
        return text


def _refuse(constant: str) -> object:
    raise ValueError(constant)  # NaN is not even equal to itself.


_LONGEST_JSON = 65_536
_QUOTED_LABELS = tuple(f'"{label}"' for label in sorted(_LABELLED | _REFUSED | _RECORDS))
"""What a text has to have in it for a name to stand far from its value."""


def _redact_string(text: str, promise: Promise | None) -> str:
    if promise is None:
        return redact_json(redact(text))
    if promise.kind == "cookie":
        return redact(hide(text, find_cookies(text, 0, len(text))[0]))
    text = redact(text)
    return _hide_whole(text, promise) if not names_another(text) and is_worth_hiding(promise, text, Manner()) else text


def _hide_whole(text: str, promise: Promise) -> str:
    return hide(text, [Span(0, len(text), promise.kind)])


def _redact_number(number: float, promise: Promise | None) -> object:
    text = repr(number)
    if promise is not None and is_worth_hiding(promise, text, Manner(quoted=False)):
        return _hide_whole(text, promise)
    if abs(number) < _LEAST_NUMBER:
        return number
    after = redact(text)
    return number if after == text else after


def _redact_list(items: list[object], promise: Promise | None) -> list[object]:
    """Copy a list; in one of pairs, the first of two announces the second, and in a command, a flag the next word."""
    if promise is None and (promises := _read_head(items)):
        return [redact_value(items[0]), *(_redact_row(row, promises) for row in items[1:])]
    if promise is None and items and all(_is_pair(item) for item in items):
        return [_redact_pair(*cast("list[str]", item)) for item in items]
    if promise is None and items and all(isinstance(item, str) for item in items):
        words = cast("list[str]", items)
        if is_command(words[0]):
            return [redact(words[0]), *(_redact_word(words, at) for at in range(1, len(words)))]
    flags = [None, *(_read_name(item) if isinstance(item, str) and item[:1] == "-" else None for item in items)]
    return [
        redact_value(item, flag if flag and isinstance(item, str) and item[:1] != "-" else promise)
        for flag, item in zip(flags, items, strict=False)
    ]


def _redact_word(words: list[str], at: int) -> object:
    """Copy a word of a command, hidden if it is the value of an option: `-psecret`, or `-p` before it."""
    word, before = words[at], words[at - 1]
    flag = _read_name(before) if before[:1] == "-" != word[:1] else None
    if flag is not None:
        return redact_value(word, flag)
    option = f"{before} " if at > 1 and before[:1] == "-" else ""
    line = redact(f"{words[0]} {option}{word}")
    start = f"{words[0]} {option}"
    return line[len(start) :] if line.startswith(start) else redact(word)


def _is_pair(item: object) -> bool:
    match item:
        case [str(), str()]:
            return True
        case _:
            return False


def _redact_pair(name: str, value: str) -> list[object]:
    return [redact(name), _redact_member(name, value, _read_name(name))]


def _read_head(items: list[object]) -> _Promises:
    """Return what each column announces in the first row of a table: `[["id", "password"], [1, "…"]]`."""
    rows = [cast("list[object]", row) for row in items if isinstance(row, list)]
    if len(rows) < len(items) or len(rows) < _LEAST_ROWS or not all(isinstance(head, str) for head in rows[0]):
        return []
    # The first of a pair announces the second; in a table of two columns it is a name like any other.
    named = _is_pair(rows[0]) and any(_read_columns(row[:1]) for row in rows)
    alike = len(rows[0]) > 1 and {len(row) for row in rows} == {len(rows[0])}
    return _read_columns(rows[0]) if alike and not named else []


def _read_columns(heads: Sequence[object]) -> _Promises:
    """Return what each of several columns announces; an empty list if none does."""
    promises = [_read_name(name) if (name := _read_column_name(head)) else None for head in heads]
    return promises if any(promises) else []


def _read_column_name(head: object) -> str | None:
    match head:
        case str():
            return head
        case {"name": str(name)} | {"field": str(name)} | {"key": str(name)} | {"id": str(name)}:
            return name
        case _:
            return None


def _redact_row(row: object, promises: _Promises) -> object:
    cells = _cells(row)
    if len(cells) != len(promises):
        return redact_value(row)
    return [redact_value(cell, promise) for cell, promise in zip(cells, promises, strict=True)]


def _cells(row: object) -> list[object]:
    return cast("list[object]", row) if isinstance(row, list) else []


def _redact_object(members: dict[str, object], promise: Promise | None, above: str | None = None) -> dict[str, object]:
    """Copy an object; `above` is the name of what its `value` is, if nothing in it says so."""
    plain: dict[str, object] = {}
    lower = {key.lower(): item for key, item in members.items()} if len(members) >= _LEAST_LABELLED else {}
    heads = [cast("list[object]", item) for key, item in lower.items() if key in _HEADS and isinstance(item, list)]
    promises = _read_columns(heads[0]) if heads else []
    is_schema = lower.get("type") in _TYPES_OF_SCHEMA
    label = (
        next((name for label in _LABELS if label in lower and (name := _read_label(lower[label]))), None)
        or _read_telling_id(lower)
        or above
    )
    for key, item in members.items():
        name = free_name(redact(key), plain)
        if promises and key.lower() in _RECORDS and isinstance(item, list):
            records = cast("list[object]", item)
            is_one = not any(isinstance(row, list | dict) for row in records)
            plain[name] = _redact_row(records, promises) if is_one else [_redact_row(row, promises) for row in records]
        else:
            private = _PRIVATE if "kty" in members and key in PRIVATE_MEMBERS else None
            inherited = None if is_schema and key in _KEYWORDS_OF_SCHEMA else promise
            plain[name] = _redact_member(key, item, private or _read_key(key, item, label) or inherited)
    return plain


_TYPES_OF_SCHEMA = ("string", "number", "integer", "boolean", "object", "array")
_KEYWORDS_OF_SCHEMA = frozenset(
    {"type", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "title", "description", "required"}
)
"""What a JSON Schema says about a value; what it holds under another name is hidden as the value itself is."""
_PRIVATE = Promise("private key", sure=True)
"""What the private members of a JWK hold."""


def _read_key(key: str, item: object, label: str | None) -> Promise | None:
    """Return what a key announces; the key of a `value` is the `name` beside it."""
    lower = key.lower()
    if label and (lower in _LABELLED or (lower in _REFUSED and not isinstance(item, dict))):
        key = label
    return _read_name(key)


def _read_telling_id(lower: dict[str, object]) -> str | None:
    """Return the `id` of a field if it announces something and the field holds one word that is not only letters."""
    name = lower.get("id")
    held = [item for key, item in lower.items() if key in _LABELLED and isinstance(item, str)]
    if not isinstance(name, str) or not held or any(item.isalpha() or " " in item for item in held):
        return None
    return name if _read_name(name) else None


_PASSWORD = Promise("password", sure=True)
_CREDENTIALS = frozenset({"credentials", "credential", "creds"})


def _read_label(value: object) -> str | None:
    """Return the key of a labelled value: `password` of `"name": "password"`, or of `"loc": ["body", "password"]`."""
    last = cast("list[object]", value)[-1:] if isinstance(value, list) else [value]
    return last[0] if last and isinstance(last[0], str) else None


def _redact_member(key: str, item: object, promise: Promise | None) -> object:
    name = key.lower()
    match item:
        case list() if name.endswith("auth") and _is_pair(cast("object", item)):  # `auth=("user", "password")`
            user, password = cast("list[str]", item)
            return [redact(user), _redact_string(password, None if password.isalpha() else _PASSWORD)]
        case dict() if name in _CREDENTIALS:
            return _redact_object(cast("dict[str, object]", item), promise, above="secret")
        case str() if promise is not None and name.endswith("authorization"):
            return redact(hide(item, find_credentials(Ends(item), 0, len(item), whole=True)))
        case _:
            return redact_value(item, promise)


@lru_cache(maxsize=512)
def _read_name(key: str) -> Promise | None:
    if "[redacted: " in key:  # The name of what was hidden, and of nothing else.
        return None
    name = INVISIBLE.sub("", key[-80:]).rstrip("])\"' ")
    match = _NAME_AT_THE_END.search(name)
    return read_promise_in(name, match.start(), match.end()) if match else None
