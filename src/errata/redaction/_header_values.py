"""What stands in an `Authorization` or a `Cookie` header."""

from collections.abc import Iterator

from errata.redaction._spans import ANY_MARK, Ends, Span, compile_late
from errata.redaction._telling_names import read_promise
from errata.redaction._value_looks import is_machine_made, is_placeholder, is_statement

_LEAST_COOKIE = 12
_SCHEME_ONLY = frozenset({"bearer", "basic", "digest", "negotiate", "token", "ntlm"})
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version", "comment"})


_LONGEST_JUDGED = 256


_SCHEME = compile_late(r"[A-Za-z][\w\-]{1,30}+[ \t]{1,40}+")


_PARAMETER_VALUE = r"""(?:"[^"\n]{0,1000}+"|[^\s,"']{0,1000}+)"""
_MORE_PARAMETERS = rf"(?:,[ \t]{{0,40}}+[\w\-]{{1,40}}+={_PARAMETER_VALUE})"
_PARAMETERS = compile_late(
    rf"""[\w\-]{{1,40}}+=(?:"[^"\n]{{0,1000}}+"{_MORE_PARAMETERS}*+|{_PARAMETER_VALUE}{_MORE_PARAMETERS}++)"""
)
"""Matches the parameters of Digest, OAuth and AWS: one in quotation marks, or two at least."""


_WORD = compile_late(rf"""(?:{ANY_MARK}|[^\s,;"'<>\\])++""")


def find_credentials(ends: Ends, start: int, end: int, *, whole: bool) -> Iterator[Span]:
    """Find the credentials in the value of an Authorization header; the scheme may be seen."""
    text = ends.text
    begun = _SCHEME.match(text, start, end)
    first = begun.end() if begun else start
    last = _end_of_credentials(ends, first, end)
    if last == first:  # A scheme alone, or one word without any.
        first, last, begun = start, _end_of_credentials(ends, start, end), None
    if last == first:
        return
    scheme = begun[0].strip().lower() if begun else ""
    last = end if whole and scheme else last
    secret = text[first : min(last, first + _LONGEST_JUDGED)]
    if is_placeholder(secret) or is_statement(secret) or (not scheme and secret.lower() in _SCHEME_ONLY):
        return
    if not scheme and not whole and secret.isalpha() and len(secret) < _LEAST_COOKIE:  # `'Authorization': auth`
        return
    if scheme in _SCHEME_ONLY or not is_statement(scheme):
        yield from _find_parameters(text, first, last)


_PARAMETER = compile_late(
    rf"""(?P<name>[\w\-]{{1,40}}+)=(?:"(?P<quoted>[^"\n]{{0,1000}}+)"|(?P<bare>(?:{ANY_MARK}|[^\s,"'&]){{0,1000}}+))(?:&|,[ \t]{{0,40}}+|$)"""
)


_PUBLIC = frozenset(
    """username realm uri algorithm qop nc charset id ts app dlg version headers signedheaders keyid created expires se skn sr
    credential oauth_version oauth_signature_method oauth_timestamp oauth_consumer_key""".split()  # noqa: SIM905
)
"""Parameters that say who asks for what, and prove nothing."""


def _find_parameters(text: str, start: int, end: int) -> Iterator[Span]:
    """Find the credentials among several parameters: `username="ann", response="…"`; without those, all of it."""
    spans: list[Span] = []
    position, count = start, 0
    while position < end and (match := _PARAMETER.match(text, position, end)):
        group = "bare" if match["quoted"] is None else "quoted"
        value = match[group]
        public = match["name"].lower() in _PUBLIC and not is_machine_made(value)
        if value and not public and not is_placeholder(value):
            spans.append(Span(*match.span(group), "token"))
        position, count = match.end(), count + 1
    yield from spans if position == end and count > 1 else [Span(start, end, "token")]


def _end_of_credentials(ends: Ends, start: int, end: int) -> int:
    return min(end, max(ends.run(_PARAMETERS, start), ends.run(_WORD, start)))


_CRUMB_NAME = r"""[^\s=;,"'\\]{1,128}+"""
_CRUMB_VALUE = rf"""(?:{ANY_MARK}|[^;\s,"'\\])*+"""
_QUOTED_CRUMB = r"""(?P<quote>["'])(?P<quoted>[^;\s,"'\\]{1,4096}+)(?P=quote)"""
_CRUMB = compile_late(
    rf"(?:[;,]?[ \t]{{0,80}}+)(?P<name>{_CRUMB_NAME})(?:=(?:{_QUOTED_CRUMB}|(?P<value>{_CRUMB_VALUE})))?"
)


def find_cookies(text: str, start: int, end: int) -> tuple[list[Span], int]:
    """Find the cookies that are more than a preference, and where all of them end; `theme=dark` may be seen."""
    spans: list[Span] = []
    position = start
    while match := _CRUMB.match(text, position, end):
        position = match.end()
        name, group = match["name"], "value" if match["quoted"] is None else "quoted"
        value = match[group]
        if value is None and match.start() == start and text[position : position + 1] != ";":
            return _find_lonely_cookie(text, start, end)
        if name.lower() not in _ATTRIBUTES and value and not is_placeholder(value) and _is_more(name, value):
            spans.append(Span(*match.span(group), "cookie"))
        if text[position : position + 1] != ";":
            break
    return spans, position


def _find_lonely_cookie(text: str, start: int, end: int) -> tuple[list[Span], int]:
    """Take a header without any `=` for the value of a cookie."""
    match = _WORD.match(text, start, end)
    if match is None or match.end() < end or "=" in match[0] or not _is_more("", match[0]):
        return [], match.end() if match else start
    return [Span(*match.span(), "cookie")], match.end()


def _is_more(name: str, value: str) -> bool:
    long = len(value) > 2 * _LEAST_COOKIE and " " not in value
    return bool(read_promise(name)) or long or is_machine_made(value, _LEAST_COOKIE)
