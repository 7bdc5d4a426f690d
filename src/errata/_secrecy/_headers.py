"""What stands in an `Authorization` or a `Cookie` header."""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._looks import is_machine_made, is_placeholder, is_statement
from errata._secrecy._marks import ANY_MARK, Span
from errata._secrecy._names import announced

_LEAST_COOKIE = 12
_SCHEME_ONLY = frozenset({"bearer", "basic", "digest", "negotiate", "token", "ntlm"})
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment"})


@cache
def _credentials() -> re.Pattern[str]:
    """Match a scheme and what follows it: one word, or a list of parameters as Digest, OAuth and AWS have them."""
    return re.compile(
        rf"""(?x)
        (?P<scheme>[A-Za-z][\w\-]{{1,30}}+[ \t]++)?
        (?P<secret>
            [\w\-]{{1,40}}+=(?:"[^"\n]{{0,1000}}+"|[^\s,"']{{1,1000}}+)(?:,[ \t]*+[\w\-]{{1,40}}+=(?:"[^"\n]{{0,1000}}+"|[^\s,"']{{0,1000}}+))++
          | (?:{ANY_MARK}|[^\s,;"'<>\\])++
        )"""
    )


def authorization(text: str, start: int, end: int, *, whole: bool) -> Iterator[Span]:
    """Find the credentials in the value of an Authorization header; the scheme may be seen."""
    found = _credentials().match(text, start, end)
    if found is None:
        return
    scheme = (found["scheme"] or "").strip().lower()
    first = found.start("secret")
    last = end if whole and scheme else found.end("secret")
    secret = text[first:last]
    if is_placeholder(secret) or is_statement(secret) or (not scheme and secret.lower() in _SCHEME_ONLY):
        return
    if scheme in _SCHEME_ONLY or not is_statement(scheme):
        yield Span(first, last, "token")


@cache
def _crumb() -> re.Pattern[str]:
    name, value = r"""[^\s=;,"'\\]{1,128}+""", rf"""(?:{ANY_MARK}|[^;\s,"'\\])*+"""
    return re.compile(rf"(?:[;,]?[ \t]*+)(?P<name>{name})(?:=(?P<value>{value}))?")


def cookies(text: str, start: int, end: int) -> Iterator[Span]:
    """Find the cookies that are more than a preference, one behind the other; `theme=dark` may be seen."""
    if text.find("=", start, end) < 0:
        yield from [Span(start, end, "cookie")] if _is_more("", text[start:end]) else []
        return
    position = start
    while found := _crumb().match(text, position, end):
        position = found.end()
        name, value = found["name"], found["value"] or ""
        if name.lower() not in _ATTRIBUTES and not is_placeholder(value) and _is_more(name, value):
            yield Span(*found.span("value"), "cookie")
        if text[position : position + 1] != ";":
            return


def _is_more(name: str, value: str) -> bool:
    long = len(value) > 2 * _LEAST_COOKIE and " " not in value
    return bool(announced(name)) or long or is_machine_made(value, _LEAST_COOKIE)
