"""E-mail addresses, and what only looks like one: `git@github.com:a/b.git`, `icon@2x.png`, `user@1000.service`."""

import re
import string
from collections.abc import Iterator
from functools import cache

from errata.redaction._marks import Span

# fmt: off
_NO_DOMAIN = frozenset({
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "cjs", "ts", "tsx", "jsx", "css", "scss", "py", "rb",
    "json", "yaml", "yml", "toml", "lock", "tgz", "gz", "zip", "jar", "whl", "html", "txt", "log", "conf", "cfg",
    "service", "socket", "timer", "target", "slice", "scope", "mount", "path", "swap", "device", "git", "sock",
})
"""Endings of files and of systemd's units."""
# fmt: on
_MACHINES = frozenset({"git", "hg", "svn", "gitea", "ec2-user", "oauth2", "x-access-token"})
_EXAMPLES = frozenset(
    {"name", "user", "username", "you", "someone", "somebody", "me", "email", "mail", "example", "foo"}
)
_LOCAL = string.ascii_letters + string.digits + "._%+-'!#$&*/=?^{|}~"
_EDGES = ".%'!#$&*/=?^{|}~-"
_LONGEST = 64


@cache
def _domain() -> re.Pattern[str]:
    return re.compile(
        r"(?:@|%40|\\u0040|&\#64;|\\x40)(?P<domain>(?:[^\W_](?:[^\W_]|-){0,62}+\.){1,8}(?:xn--[A-Za-z0-9\-]{2,59}+|[^\W\d_]{2,24}+)"
        r"|\[(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|IPv6:[0-9a-fA-F:]{2,39}+)\])(?![\w@])"
        r"(?P<path>:(?:[~/]|[\w.\-]{1,99}+/))?"
    )


@cache
def _spelled() -> re.Pattern[str]:
    """Match `ann [at] example [dot] org`, as people write for people."""
    return re.compile(
        r"(?i)(?<![\w.+\-])[\w.+\-]{1,64}+ ?[\[({] ?at ?[\])}] ?[a-z0-9\-]{1,63}+(?:(?: ?[\[({] ?dot ?[\])}] ?|\.)[a-z0-9\-]{2,63}+){1,4}"
    )


def emails(text: str) -> Iterator[Span]:
    """Find the addresses; each is looked for from its @, no further back than to the one before."""
    yield from (Span(*found.span(), "email") for found in _spelled().finditer(text))
    seen = 0
    for found in _domain().finditer(text):
        start = _start(text, max(seen, found.start() - _LONGEST), found.start())
        seen = found.end("domain")
        if start < found.start() and _is_somebody(text, start, found):
            yield Span(start, seen, "email")


def _start(text: str, floor: int, end: int) -> int:
    before = text[floor:end]
    if quoted := _QUOTED.search(before):
        return floor + quoted.start()
    local = before[len(before.rstrip(_LOCAL)) :]
    if (sign := max(local.rfind("="), local.rfind("&"), local.rfind("/"), local.rfind("?"), local.rfind("%3D"))) >= 0:
        local = local[sign + (3 if local[sign] == "%" else 1) :]
    start = end - len(local.lstrip(_EDGES))
    escaped = start > 0 and text[start - 1] == "\\" and text[start] in "nrt" if start < end else False
    if start > 0 and not text[start - 1].isascii() and text[start - 1].isalpha():
        start = _start_of_word(text, floor, start)
    return start + 1 if escaped else start


_QUOTED = re.compile(r"\"[\w.+\- ]{1,40}\"$")


def _start_of_word(text: str, floor: int, start: int) -> int:
    """Go back over letters of other alphabets, which are allowed there by now."""
    while start > floor and (text[start - 1].isalpha() or text[start - 1] in "._-"):
        start -= 1
    return start


def _is_somebody(text: str, start: int, found: re.Match[str]) -> bool:
    user, domain = text[start : found.start()].lower(), found["domain"].lower()
    if text.endswith("://", 0, start) or found["path"] or user in _MACHINES or user.endswith("}"):  # `${USER}@host`
        return False
    if user in _EXAMPLES and domain.startswith("example."):  # "Write it as name@example.org."
        return False
    return domain.rpartition(".")[2] not in _NO_DOMAIN and re.match(r"v?\d+\.\d", domain) is None
