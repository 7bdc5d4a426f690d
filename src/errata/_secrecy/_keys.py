"""Private keys: PEM, OpenSSH, PGP, PuTTY and age; whole, cut off, escaped, or without their first line.

Certificates and public keys are public, and stay.
"""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._marks import Span

_SPACE = r"(?:\s|\\{1,4}[nrt]|%0[AaDd]|%20|\+|&\#10;|\\u000a|[|>])"
_LINE = r"[A-Za-z0-9+/=_\-]|%2[BbFf]|%3[Dd]|\\/"
_FOLLOWING = 65_536
"""How far the end of a key may be from its beginning."""


@cache
def _begin() -> re.Pattern[str]:
    return re.compile(
        r"-{4,5}[ +]?BEGIN(?:[ +_]|%20)[A-Z0-9 +%]{0,40}?PRIVATE(?:[ +_]|%20)KEY(?:(?:[ +_]|%20)BLOCK)?[ +]?-{4,5}"
    )


@cache
def _end() -> re.Pattern[str]:
    return re.compile(
        r"-{4,5}[ +]?END(?:[ +_]|%20)[A-Z0-9 +%]{0,40}?PRIVATE(?:[ +_]|%20)KEY(?:(?:[ +_]|%20)BLOCK)?[ +]?-{4,5}"
    )


@cache
def _body() -> re.Pattern[str]:
    """Match lines of a key whose end is missing: long ones, and the rest of one that was cut."""
    header = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)(?:: |%3A)[^\n\\]{0,200}+)"
    return re.compile(
        rf"(?:{_SPACE}{{0,40}}+(?:{header}|(?:{_LINE}){{16,}}+))*+(?:{_SPACE}{{0,40}}+(?:{_LINE}){{1,76}}+(?=$|…|\.\.|[\"']|\[))?"
    )


@cache
def _naked() -> re.Pattern[str]:
    """Match a key without its first line, known by how its base64 begins, and formats with lines of their own."""
    return re.compile(
        rf"(?:MII[A-Za-z0-9+/]{{3}}IBA[AD]|MH[cQ]CAQEE|MI[GH][A-Za-z0-9+/]AgEAM|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdjE)"
        rf"(?:{_SPACE}{{0,8}}+(?:{_LINE}){{4,}}+)++"
        r"|AGE-SECRET-KEY-1[A-Z0-9]{20,}+"
        rf"|(?<=Private-Lines: )\d{{1,3}}(?:{_SPACE}{{1,8}}+(?:{_LINE}){{16,}}+)++"
        r"|[xyz]prv[1-9A-HJ-NP-Za-km-z]{80,}+"
    )


_NAKED = ("MII", "CAQEE", "MIG", "MIH", "MC4C", "b3Blbn", "AGE-SEC", "-Lines", "prv")


@cache
def _before() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z0-9+/=_\-])(?:(?:{_LINE}){{16,}}+{_SPACE}{{1,8}}+)++(?:(?:{_LINE}){{1,76}}+{_SPACE}{{1,8}}+)?"
    )


def naked_keys(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all layers.
    """Find keys without a frame."""
    if any(map(text.__contains__, _NAKED)):
        yield from (Span(*found.span(), "private key") for found in _naked().finditer(text))


def framed_keys(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001
    """Find keys with the lines that frame them.

    Walk from frame to frame: a beginning goes with the end behind it, unless another beginning comes first.
    """
    frames = sorted(
        [(found.span(), True) for found in _begin().finditer(text)]
        + [(found.span(), False) for found in _end().finditer(text)]
    )
    seen = 0
    for ((start, end), begins), following in zip(frames, [*frames[1:], None], strict=False):
        if not begins:
            if start >= seen:
                yield Span(_start_of_key(text, max(seen, start - _FOLLOWING), start), end, "private key")
            seen = end
        elif following and not following[1] and following[0][0] - end < _FOLLOWING:
            seen = following[0][1]
            yield Span(start, seen, "private key")
        else:
            body = _body().match(text, end)
            seen = body.end() if body else end
            if seen > end:  # Else somebody only says how a key begins.
                yield Span(start, seen, "private key")


def _start_of_key(text: str, floor: int, end: int) -> int:
    """Go back over the lines before an end without a beginning."""
    found = None
    for found in _before().finditer(text, floor, end):
        if found.end() == end:
            return found.start()
    return end
