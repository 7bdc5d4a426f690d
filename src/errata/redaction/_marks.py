"""What stands where something was: a mark that says of what kind it was."""

import re
from collections.abc import Collection, Iterable
from typing import Final, Literal, NamedTuple, get_args

Kind = Literal[
    "account",
    "address",
    "birth date",
    "card",
    "code",
    "cookie",
    "email",
    "ip address",
    "key",
    "mac address",
    "name",
    "national id",
    "password",
    "password hash",
    "phone",
    "private key",
    "secret",
    "session",
    "signature",
    "text",
    "token",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

ANY_MARK = r"\[redacted:\ (?:" + "|".join(KINDS).replace(" ", r"\ ") + r")\]"
"""Matches a mark of ours. What only looks like one is foreign text, and protects nothing."""
MARK = re.compile(ANY_MARK)
TEXT: Final = "text"
"""The kind of a whole text that had to go."""


class Span(NamedTuple):
    """A part of a text that may not be seen, and what it is."""

    start: int
    end: int
    kind: Kind


def mark(kind: Kind) -> str:
    """Say that something of a kind was here."""
    return f"[redacted: {kind}]"


def hide(text: str, spans: Iterable[Span]) -> str:
    """Put marks in the place of parts of a text, given in order; one that reaches into another is joined to it."""
    pieces: list[str] = []
    seen = 0
    for start, end, kind in spans:
        if start < seen:
            seen = max(seen, end)
            continue
        pieces += (text[seen:start], mark(kind))
        seen = end
    return "".join((*pieces, text[seen:])) if pieces else text


def free_name(name: str, taken: Collection[str]) -> str:
    """Give a name, or one with a number behind it: two keys of an object may have become alike."""
    if name not in taken:
        return name
    numbered = f"{name}~{len(taken) + 1}"
    while numbered in taken:  # Each of those is passed for this number only, so that many names together cost no more.
        numbered += "~"
    return numbered
