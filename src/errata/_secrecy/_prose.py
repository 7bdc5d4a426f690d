"""Secrets in sentences, where no `=` or `:` announces them."""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._commands import logins
from errata._secrecy._looks import is_machine_made, is_placeholder
from errata._secrecy._marks import Kind, Span
from errata._secrecy._names import is_innocent_in

_KEYS = "api private access license licence product activation encryption decryption signing master storage account"

# Every alternative begins with a letter, so that the engine can skip to the next of them.
_THING = "|".join(
    (
        *(f"{word}[ _-]?key" for word in _KEYS.split()),
        r"token|secret(?:[ _-](?:access[ _-])?key)?|credentials?|password|passphrase|passwd|p(?<![a-z].)ass",
        r"s(?<![a-z].)ession(?:[ _-]?id)?",
    )
)


@cache
def _after_a_thing() -> re.Pattern[str]:
    """Match `API key X`, `the token 'X'`, `password is X`, in lower case."""
    return re.compile(
        rf"(?P<thing>{_THING})(?P<verb> (?:is|was|of|value|provided|used|given|supplied|set to|changed to|reset to|to)(?: now)?)?:? "
        r"(?:(?P<quote>[\"'`])(?P<quoted>[^\s\"'`]{4,512}+)(?P=quote)|(?P<word>[^\s\"'`<>(\[{]{6,2048}+))"
    )


_PURPOSE = "verification|security|login|one-time|access|authentication|confirmation|sms|otp|2fa|mfa|activation|reset"


@cache
def _codes() -> re.Pattern[str]:
    """Match `Your verification code is 123456`, in lower case."""
    return re.compile(
        rf"(?:{_PURPOSE})"
        r" (?:code|passcode|pin|password)(?: is| was)?:? (?P<code>\d{4,8})(?!\d)"
    )


@cache
def _codes_before() -> re.Pattern[str]:
    """Match `123456 is your verification code`, in lower case."""
    return re.compile(
        r"\d(?<![\w.\-].)(?P<rest>\d{3,7}) (?:is|as) your (?:[\w\-]{1,20} ){0,2}"
        rf"(?:{_PURPOSE}) (?:code|passcode|pin|password)(?!\w)"
    )


@cache
def _verdict() -> re.Pattern[str]:
    """Match what follows X in `X is not a valid token`, in lower case."""
    return re.compile(rf"[\"'`]? (?:is|was) (?:not |no )?(?:an? |the |no )?(?:\w{{1,12}}+ )?(?:{_THING})")


@cache
def _schemes() -> re.Pattern[str]:
    return re.compile(
        r"(?P<scheme>bearer|basic|token|apikey|negotiate|ntlm|ssws)(?:[ \t+]|%20)+(?P<secret>[\w\-.~+/%]{8,}+={0,2})"
    )


def sentences(text: str, lower: str) -> Iterator[Span]:
    """Find secrets that a sentence speaks of."""
    spans = [span for found in _after_a_thing().finditer(lower) for span in _spoken_of(text, found)]
    spans += [Span(*found.span("code"), "code") for found in _codes().finditer(lower)]
    spans += [Span(found.start(), found.end("rest"), "code") for found in _codes_before().finditer(lower)]
    seen = 0
    for found in _verdict().finditer(lower):
        word = _BREAK.split(text[max(seen, found.start() - _LONGEST) : found.start()])[-1]
        seen = found.end()
        if is_machine_made(word, _LEAST_SPOKEN):
            spans.append(Span(found.start() - len(word), found.start(), "token"))
    return iter(sorted(spans))


def _spoken_of(text: str, found: re.Match[str]) -> Iterator[Span]:
    group = "quoted" if found["quoted"] else "word"
    start, end = found.span(group)
    value = text[start:end] if found["quoted"] else text[start:end].rstrip(".,;:!?)")
    kind = _kind(found["thing"])
    if is_placeholder(value) or is_innocent_in(text, *found.span("thing")):
        return
    said = kind == "password" and (
        found["quoted"]
        or found["verb"]
        or text[max(0, found.start() - 6) : found.start()].lower().endswith(("with ", "using "))
        or any(sign in value[:-1] for sign in _SIGNS)
    )
    if is_machine_made(value, _LEAST_SPOKEN) or (said and _is_chosen(value)) or _LICENCE.fullmatch(value):
        yield Span(start, start + len(value), kind)


def _kind(thing: str) -> Kind:
    if thing.startswith("session"):
        return "session"
    return "password" if thing.startswith("pass") else "token"


def _is_chosen(value: str) -> bool:
    """Whether a person might have chosen it as a password: letters and digits, and no path."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and "/" not in value


_SIGNS = "!@#$%^&*?"
_LEAST_SPOKEN = 14
_LICENCE = re.compile(r"(?=[A-Z\-]{0,40}\d)(?=[\d\-]{0,40}[A-Z])[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7}")
_LONGEST = 2_048
_BREAK = re.compile(r"[\s\"'`:=(]")


def schemes(text: str, lower: str) -> Iterator[Span]:
    """Find what follows `Bearer` or `Basic`, wherever that stands, and what somebody typed to log in."""
    spans = [*logins(text, lower)]
    for found in _schemes().finditer(lower):
        start, end = found.span("secret")
        secret = text[start:end]
        if found["scheme"] == "token" and is_innocent_in(text, *found.span("scheme")):
            continue
        real = _is_user_and_password(secret) if found["scheme"] == "basic" else is_machine_made(secret, 16)
        if real and not is_placeholder(secret):
            spans.append(Span(start, end, "token"))
    return iter(sorted(spans))


def _is_user_and_password(encoded: str) -> bool:
    """Whether a word is the base64 of `user:password`, and not just a word, as in `Basic authentication`."""
    from base64 import b64decode  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    try:
        return b":" in b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4), validate=True)
    except ValueError:
        return is_machine_made(encoded)
