"""Text that may be seen by anybody: every layer in turn, and for most texts none of them."""

import re
from collections.abc import Callable, Iterator

from errata._secrecy._commands import commands
from errata._secrecy._keys import framed_keys, naked_keys
from errata._secrecy._known import generation, known, knows_any_in
from errata._secrecy._marks import TEXT, Span, hide, mark
from errata._secrecy._pairs import pairs
from errata._secrecy._personal import personal
from errata._secrecy._prose import schemes, sentences
from errata._secrecy._tokens import tokens
from errata._secrecy._urls import passwords

_ROUNDS = 6
_MOST_REMEMBERED = 512
_LONGEST_REMEMBERED = 512
_SHORTEST_NUMBER = 14
_SHORTEST_TOKEN = 16
_SHORT_TEXT = 4_096

# What a text has to have for a layer to be worth its time. Together they are all that most texts cost.
_STEM = re.compile(
    r"pass|p(?:w|sw|at|sk|hrase)|se(?:cret|ss|nha)|s(?:id|ig|rf|alt)|token|ke(?:y|nnw)|auth|co(?:okie|de|ntrase)|cred|jwt|hmac"
    r"|bearer|basic|negotiate|ntlm|ssws|mnem|macar"
)
_NUMBERED_STEM = re.compile(
    r"phone|mobile|msisdn|tel|fax|card|ssn|sin|nino|iban|pin|otp|cv[vc]|account|tax|nation|security|pan|number|ccn"
)
_INTERESTING = re.compile(r"[0-9=:>%\"'`@\\/\-]")
_DIGITS = re.compile(r"[0-9]")
_FIGURES = re.compile(r"[0-9][0-9 .:()\-\u00a0/]{5}[0-9]|[A-Z]{2}[0-9]{2}|[23][0-9a-fA-F]{3}:|%2[bB][0-9]")
_COMMANDS = (" -", "'", '"-', "sqlplus", "identified", " /u", "@//", ":54", ":6432:", ":*:")
_JOINTS = ("=", ":", ">", "%3", "u003", "--", "',", '",', "('", '("', "value", " -", "| ", "\t", "\uff1a")


def redacted(text: str) -> str:
    """Hide what nobody outside may see. Redacting again changes nothing."""
    known_now = generation()
    if _HARMLESS.get(text) == known_now:
        return text
    for _ in range(_ROUNDS):
        before, text = text, _once(text)
        if text == before:
            _remember(text, known_now)
            return text
    # Each mark made something else look like a secret: nobody writes such text by accident.
    return mark(TEXT)


_HARMLESS: dict[str, int] = {}
"""Short texts in which nothing is to be hidden, and which secrets were known then.

Servers say the same few things again and again. What was hidden is not kept here: it would outlive its time.
"""


def are_harmless(*texts: str | None) -> bool:
    """Whether it is known of all texts that nothing in them is to be hidden; one that was not judged yet is not."""
    known_now = generation()
    return all(text is None or _HARMLESS.get(text) == known_now for text in texts)


def _remember(text: str, known_then: int) -> None:
    if len(text) > _LONGEST_REMEMBERED:
        return
    if len(_HARMLESS) >= _MOST_REMEMBERED:
        _HARMLESS.clear()
    _HARMLESS[text] = known_then


def _once(text: str) -> str:
    """Hide the values that this process knows, then what looks like a secret."""
    if knows_any_in(text):
        text = hide(text, known(text))
    return _by_looks(text)


def _by_looks(text: str) -> str:
    """Apply the layers that are needed; what one of them hid, the next does not see."""
    if len(text) < _SHORTEST_NUMBER and (text.isalnum() or text.isidentifier()):
        return text
    long = _long_words(text)
    if not long and not _INTERESTING.search(text):
        return text
    lower = _lower(text)
    for layer in _needed(text, lower, long):
        after = hide(text, layer(text, lower))
        text, lower = (text, lower) if after is text else (after, _lower(after))
    return text


def _lower(text: str) -> str:
    """Make lower case without moving a letter; one letter of Unicode becomes two."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").lower()


_Layer = Callable[[str, str], Iterator[Span]]


def _needed(text: str, lower: str, long: str) -> Iterator[_Layer]:
    digits = _DIGITS.search(text)
    at = "@" in text or "%40" in text or "u0040" in text
    joint = any(map(text.__contains__, _JOINTS))
    stem = (digits or long or joint) and _STEM.search(lower)
    if "PRIVATE" in text:
        yield framed_keys
    if long:
        yield naked_keys
        yield lambda text, _: tokens(text, _long_words(text))
    if at:
        yield passwords
    if joint and (stem or (digits and _NUMBERED_STEM.search(lower))):
        yield pairs
    if any(map(lower.__contains__, _COMMANDS)) or ("/" in text and "conn" in lower):
        yield commands
    if stem:
        yield schemes
    if stem and (digits or long):
        yield sentences
    if at or (digits and _FIGURES.search(text)):
        yield personal


def _long_words(text: str) -> str:
    """Keep the words that are long enough for a token; of a long text, all."""
    if len(text) > _SHORT_TEXT:
        return text
    return " ".join([word for word in text.split() if len(word) >= _SHORTEST_TOKEN])
