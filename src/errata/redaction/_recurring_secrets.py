"""Secrets that recur: what is hidden in one part of an answer is hidden in every other part.

`{"message": "login of ann with Harbor42x failed", "password": "Harbor42x"}` names a value that the message only holds, and
whoever shows the message by itself has lost the name. So the values are collected once from the whole, and are known while
its parts are shown.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count, islice
from types import MappingProxyType
from typing import Final, NamedTuple

from errata.redaction._jsonable import jsonable
from errata.redaction._redact import redact_plain
from errata.redaction._spans import Kind, note_hidden

_CREDENTIALS: Final[frozenset[Kind]] = frozenset({
    "code", "cookie", "key", "password", "password hash", "private key", "secret", "session", "signature", "token",
})  # fmt: skip
"""The kinds whose values are hidden elsewhere, too; a name or a town also stands for other people and places."""
_MOST: Final = 100
_SEARCHED: Final = 256 * 1024
_SEARCHED_OF_A_TEXT: Final = 24 * 1024
_DEEPEST: Final = 100
_ANNOUNCES: Final = re.compile(
    r"(?:(?<!\))[:=\uff1a]|\\|\b(?:basic|bearer|key|passw(?:ord|d)|secret|token))[ \t]{0,4}[\"']?[ \t]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands at the end of a line; not of `Traceback (most recent call last):`."""


class _ForNow(NamedTuple):
    kinds: Mapping[str, Kind]
    """The forms of each secret, and its kind."""
    generation: int
    """A number that no others have, below zero; zero without any."""


_NONE: Final = _ForNow(MappingProxyType({}), 0)
_NOW: ContextVar[_ForNow] = ContextVar("errata_recurring", default=_NONE)
_NUMBERS: Final = count(1)

known_for_now = _NOW.get
"""Returns what is hidden for as long as a block of `hiding` runs."""


def is_hiding() -> bool:
    """Return whether a block of `hiding` runs, so that the secrets of the whole were collected already."""
    return _NOW.get() is not _NONE


def join_announced_lines(text: str) -> str:
    """Return a text on one line if a line announces what stands on the next, as `Bearer` does with a token; else nothing."""
    if "\n" not in text.strip() or not _ANNOUNCES.search(text):
        return ""
    return " ".join(filter(None, map(str.strip, text.splitlines())))


def collect_secrets(*values: object) -> dict[str, Kind]:
    """Return the credentials that redaction hides in some JSON, as far as they cannot be mistaken for other words."""
    with note_hidden() as hidden:
        for value in filter(None, values):
            if isinstance(value, str):
                redact_plain(jsonable(value))
            else:  # A long text crowds out nothing that stands behind it.
                redact_plain(jsonable(value, size=_SEARCHED, depth=_DEEPEST, longest_text=_SEARCHED_OF_A_TEXT))
    credentials: dict[str, Kind] = {value: kind for value, kind in hidden.items() if kind in _CREDENTIALS}
    if not credentials:
        return credentials
    from errata.redaction._known_values import is_unmistakable  # noqa: PLC0415 - few need it, and it is not small.

    kept = islice((value for value, kind in credentials.items() if is_unmistakable(value, kind)), _MOST)
    return {value: credentials[value] for value in kept}


@contextmanager
def hiding(secrets: Mapping[str, Kind]) -> Generator[None, None, None]:
    """Hide some values wherever they turn up, in every form, as long as the block runs."""
    from errata.redaction._known_values import spell_escaped  # noqa: PLC0415 - as above.

    forms: dict[str, Kind] = {form: kind for value, kind in secrets.items() for form in spell_escaped(value)}
    known = _NOW.get()
    token = _NOW.set(_ForNow({**known.kinds, **forms}, -next(_NUMBERS) if forms else known.generation))
    try:
        yield
    finally:
        _NOW.reset(token)
