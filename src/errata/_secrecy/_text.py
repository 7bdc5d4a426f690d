"""Text that may be seen by anybody: every layer in turn, and for most texts none of them."""

import re
from collections.abc import Callable, Iterator

from errata._secrecy._keys import private_keys
from errata._secrecy._known import known, knows_any_in
from errata._secrecy._marks import TEXT, Span, hide, mark
from errata._secrecy._pairs import STEMS, pairs
from errata._secrecy._personal import personal
from errata._secrecy._prose import commands, schemes, sentences
from errata._secrecy._tokens import tokens
from errata._secrecy._urls import passwords

_ROUNDS = 6
_SHORTEST_TOKEN = 16
_SHORT_TEXT = 4_096


def redact(text: str) -> str:
    """Hide what nobody outside may see: credentials, keys and personal data. Each leaves a mark that says what it was.

    What is only about secrets, and identifiers that are none, stay as they are. Redacting again changes nothing.
    """
    for _ in range(_ROUNDS):
        after = _once(text)
        if after == text:
            return text
        text = after
    # Each mark made something else look like a secret: nobody writes such text by accident.
    return mark(TEXT)


def _once(text: str) -> str:
    """Apply the layers; what one of them hid, the next does not see."""
    if knows_any_in(text):
        text = hide(text, known(text))
    lower = _lower(text)
    for layer, is_needed in _LAYERS:
        if is_needed(text, lower):
            after = hide(text, layer(text, lower))
            text, lower = (text, lower) if after == text else (after, _lower(after))
    return text


def _lower(text: str) -> str:
    """Make lower case without moving a letter; one letter of Unicode becomes two."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").lower()


_FIGURES = re.compile(r"[0-9][0-9 .:()\-\u00a0/]{5}[0-9]|[23][0-9a-fA-F]{3}:|\d{2}[A-Z0-9 ]{4}|%2[bB]\d")
_STEM = re.compile("|".join(STEMS))
"""What every number or address has that is personal."""

_Layer = Callable[[str, str], Iterator[Span]]
_Need = Callable[[str, str], object]


def _has_long_word(text: str, lower: str) -> bool:  # noqa: ARG001 - one signature for all.
    """Whether a word could be a token; in a long text there is always one."""
    return len(text) > _SHORT_TEXT or max(map(len, text.split()), default=0) >= _SHORTEST_TOKEN


def _has_stem(text: str, lower: str) -> object:  # noqa: ARG001
    return _STEM.search(lower)


def _has_key(text: str, lower: str) -> bool:  # noqa: ARG001
    return "PRIVATE" in text or "MI" in text or "MHcC" in text or "b3Blbn" in text or "AGE-SEC" in text or "prv" in text


def _has_figures(text: str, lower: str) -> object:  # noqa: ARG001
    return "@" in text or "%40" in text or "u0040" in text or _FIGURES.search(text)


def _has_address(text: str, lower: str) -> bool:  # noqa: ARG001
    return "@" in text or "%40" in text


def _has_command(text: str, lower: str) -> bool:
    return " -" in text or "'-" in text or '"-' in text or "identified" in lower or "password '" in lower


_LAYERS: tuple[tuple[_Layer, _Need], ...] = (
    (lambda text, _: private_keys(text), _has_key),
    (lambda text, _: passwords(text), _has_address),
    (pairs, _has_stem),
    (lambda text, _: commands(text), _has_command),
    (schemes, _has_stem),
    (lambda text, _: tokens(text), _has_long_word),
    (sentences, _has_stem),
    (lambda text, _: personal(text), _has_figures),
)
