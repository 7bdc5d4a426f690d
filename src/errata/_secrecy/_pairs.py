"""Values behind a telling name: `password=…`, `"apiKey": "…"`, `X-Api-Key: …`, `--token …`, `<secret>…</secret>`."""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._edges import COLOUR, QUOTE
from errata._secrecy._headers import authorization, cookies
from errata._secrecy._looks import REFERENCE, Manner, is_machine_made, is_worth_hiding
from errata._secrecy._marks import ANY_MARK, MARK, Span
from errata._secrecy._names import STEMS, Announced, announced_in

_LONGEST_NAME = 64
_LONGEST_COLOUR = 24
_LONGEST_ELEMENT = 4_096
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$")
_QUERY_ONLY = {"key": Announced("key", sure=False), "code": Announced("token", sure=False)}
_NEAR = 240
_OAUTH = ("grant_type", "redirect_uri", "authorization_code", "code_verifier")
"""What stands beside a `code` that somebody logs in with."""
_LEVELS = ("debug:", "info:", "warning:", "error:", "critical:")
_QUERY = ("?", "&", "%26", "%3F", "%3f", "\\u0026", "&amp;")
_WITH_ANY_SIGN = frozenset({"password", "secret"})
_ANGLE = re.compile("[<>]")
_TYPE = re.compile(r"(?i)\w+\(|(?:argon|sha|md|bcrypt|scrypt|pbkdf|hmac|utf|base|iso|rfc)[\w\-]*\d")
_LEAST_CELL = 8
_TO_FILL_IN = re.compile(r"<[\w .:\-]{1,60}+>(?![\w!@\#$%^*])")
_CLOSED = re.compile(r"""(?P<cdata>\]\]>)|[\\"'`)\]]{0,4}+</(?:\w{1,30}+:)?""")
_PROPERTY = re.compile(r"""<(?:property|entry|param|parameter|setting|item|attribute|field|arg|var|env)\s[^<>]*["']$""")
_NO_VALUE = (" ", "\n", ", ", ",\n", ") ", "] ", "} ", '"', "'")
"""What follows where a quotation mark closed something, and opened nothing: `"password=" + secret`."""


@cache
def _stem() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(STEMS)})[a-z0-9_.$\-à-ÿ]{{0,{_LONGEST_NAME}}}+")


@cache
def _colour() -> re.Pattern[str]:
    return re.compile(COLOUR)


@cache
def _joint() -> re.Pattern[str]:
    """Match what stands between a name and its value."""
    return re.compile(
        rf"""(?x)
        {COLOUR}*+(?P<close>{QUOTE})?{COLOUR}*+(?:\[\]|[)\]]|%5[dD]|\*\*(?=:)|</\w{{1,10}}+>(?=:))?
        (?:
            [ \t]*+ (?P<assign>=>|:=|\?=|\|\|=|={{1,2}}|->|%3[dD]|\\u003[dD])
          | [ \t]*+ (?P<colon>:(?!//|:)|\uff1a|%3[aA](?!%2[fF]))
          | ,?\s{{0,40}}+{QUOTE}?[vV]alue{QUOTE}?\s{{0,4}}+(?P<value>[:=])
          | (?P<tag>(?:[ \t][^<>=]{{1,40}}+=[^<>]{{0,200}}+)?+>(?:<!\[CDATA\[)?)
          | (?P<call>\() [ \t]*+ (?:\w{{1,20}}+[ \t]*+=[ \t]*+)? (?=[bBuUrR]?{QUOTE})
          | (?P<cell>[ \t]++\|[ \t]++|</\w{{1,10}}+>\s{{0,40}}+<\w{{1,10}}+>)
          | (?P<part>(?:\r?\n|\\r\\n){{2}})
          | (?P<flag>[ \t]++|,[ \t]*+(?=[bBuU]?{QUOTE}))
        )
        (?:[ \t]|{COLOUR}|\s{{0,40}}+(?={QUOTE}))*+
        (?:(?:!!(?:str|binary)|&\w{{1,20}}+)[ \t]++)?
        (?P<bracket>[\[(]\s{{0,40}}+)?
        (?:[bBuUrRfF@$]{{1,2}}(?={QUOTE}))?
        (?P<open>{QUOTE})?
        """
    )


# A `,`, `;` or `&` ends a value where another pair, a space or a quotation mark follows; a bracket where nothing does.
@cache
def _bare() -> re.Pattern[str]:
    return re.compile(
        rf"""(?x)
        (?:
            {ANY_MARK}
          | [^\s"'`&;,<>(){{}}\[\]|\\%\x1b]
          | [&;,](?![\s"'\\]|$|[\w.\[\]\-]{{1,64}}+(?:=|:|%5[bBdD]))
          | [(\[{{)\]}}](?=[\w!@\#$%^*+/~?=-])
          | [|>](?=[<>(){{}}\[\]|]{{0,2}}+[\w!@\#$%^*+/~?=-])
          | <(?=[<>(){{}}\[\]|]{{0,2}}+[\w@\#$%^*+~?=-])(?![A-Za-z][A-Za-z_:\-]{{0,40}}+\d?[ \t/]*+>|[A-Za-z]{{1,20}}+[ ])
          | \\(?![\\nrt"'u]|x1b|x2[27])
          | %(?!26|2[27]|0[aAdD]|3[bB])
        )++"""
    )


class _Pairs:
    """One walk through a text, from name to name."""

    def __init__(self, text: str, lower: str) -> None:
        self._text = text
        self._lower = lower
        self._absent: set[str] = set()
        self._line = (0, -1)

    def spans(self) -> Iterator[Span]:
        position = 0
        stem, joint = _stem(), _joint()
        while found := stem.search(self._lower, position):
            position = found.end()
            if joined := joint.match(self._text, position):
                for span in self._behind(self._start_of_name(found.start()), joined, found.start()):
                    yield span
                    position = max(position, span.end)

    def _start_of_name(self, stem: int) -> int:
        start = stem
        floor = max(0, start - _LONGEST_NAME)
        while start > floor and self._text[start - 1] in _NAME:
            start -= 1
        escaped = self._text[start - 1 : start] == "\\" and self._text[start] in "nrt"
        return start + 1 if escaped else self._behind_colour(start, stem)

    def _behind_colour(self, start: int, stem: int) -> int:
        """Step over a colour, whose last letter looks like the first of the name."""
        before = max(0, start - _LONGEST_COLOUR)
        if "[" not in self._text[before:start]:
            return start
        return max([start, *(found.end() for found in _colour().finditer(self._text, before, stem))])

    def _behind(self, first: int, joined: re.Match[str], stem: int) -> Iterator[Span]:
        name = self._text[first : joined.start()]
        promise = announced_in(self._text, first, joined.start()) or self._in_query(name, joined, stem)
        if promise is None or self._is_segment(first, joined):
            return
        start, end = joined.end(), self._end_of_value(joined, promise)
        value = self._text[start:end]
        if not self._is_believable(name, promise, joined, value):
            return
        if promise.kind == "cookie":
            yield from cookies(self._text, start, self._end_of_header(joined, end))
        elif name.lower().endswith("authorization"):
            quoted = joined["open"] is not None
            yield from authorization(self._text, start, self._end_of_header(joined, end), whole=quoted)
        elif not self._is_variable(name, joined, end) and is_worth_hiding(promise, value, self._manner(joined, end)):
            yield Span(start, end, promise.kind)
            yield from self._others(joined, promise, end)
        elif joined["bracket"] and name.lower().endswith("auth"):  # `auth=("user", "password")`
            yield from self._others(joined, Announced("password", sure=True), end)

    def _in_query(self, name: str, joined: re.Match[str], stem: int) -> Announced | None:
        """Take `?key=` and `&code=` of an address, and the `code` of OAuth, for what they are there."""
        if name.lower() == "code" and (joined["assign"] or joined["colon"]):
            around = self._lower[max(0, stem - _NEAR) : joined.end() + _NEAR]
            if any(map(around.__contains__, _OAUTH)):
                return _QUERY_ONLY["code"]
        inside = joined["assign"] and self._text.endswith(_QUERY, 0, stem)
        return _QUERY_ONLY.get(name[stem - joined.start() :].lower()) if inside else None

    def _is_believable(self, name: str, promise: Announced, joined: re.Match[str], value: str) -> bool:
        """Whether what joins name and value makes them a pair at all."""
        if joined["flag"] is not None or joined["cell"] is not None or joined["part"] is not None:
            return self._is_apart(name, promise, joined, value)
        if joined["call"] is not None:
            return _is_argument(promise, value)
        if joined["tag"] is not None:
            return self._is_element(joined.start() - len(name), name, joined.end() + len(value))
        return not value.startswith(_NO_VALUE)

    def _is_element(self, first: int, name: str, end: int) -> bool:
        """Tell `<password>…</password>` and `<property name="password">…` from `login <user> <password>`."""
        before = self._lower[max(0, first - _LONGEST_NAME) : first]
        closed = _CLOSED.match(self._lower, end)
        if closed is None:
            return False
        if before.endswith(("<", ":")):
            return closed["cdata"] is not None or self._lower.startswith(name.lower(), closed.end())
        return _PROPERTY.search(before) is not None

    def _is_apart(self, name: str, promise: Announced, joined: re.Match[str], value: str) -> bool:
        """Decide the same where only space or a frame is between name and value."""
        if joined["cell"] is not None:
            return _is_cell(promise, value)
        if joined["part"] is not None:
            first = joined.start() - len(name)
            return "form-data; name=" in self._lower[max(0, first - 24) : first]
        return _is_option(name, value) or _is_in_tuple(name, joined, value) or self._is_in_row(name, joined, value)

    def _is_in_row(self, name: str, joined: re.Match[str], value: str) -> bool:
        """Tell a line of a cookie jar, `…<tab>sessionid<tab>…`, from names beside each other."""
        first = joined.start() - len(name)
        return joined[0] == "\t" == self._text[max(0, first - 1) : first] and is_machine_made(value)

    def _is_segment(self, first: int, joined: re.Match[str]) -> bool:
        """Whether a name is a part of a longer one: of a path, `/etc/passwd: …`, or of an ARN, `…:secret:prod/db`.

        Asked before the value is looked for, which may be all the rest of the text.
        """
        before = self._lower[max(0, first - _NEAR) : first] if joined["colon"] is not None else ""
        if before.endswith("/"):
            return True
        if not before.endswith(":") or joined[0] != ":" or not before[-2:-1].isalnum():
            return False
        return not before.split()[-1].startswith(_LEVELS)  # `ERROR:root:password:…`, as logging writes

    def _is_variable(self, name: str, joined: re.Match[str], end: int) -> bool:
        """Whether a bare value is a name of the program: `api_key=api_key`, `password = getpass.getpass()`."""
        value = self._text[joined.end() : end]
        called = self._text.startswith("(", end) and value.replace(".", "").replace("_", "").isalpha()
        return joined["open"] is None and joined["tag"] is None and (called or value == name)

    def _manner(self, joined: re.Match[str], end: int) -> Manner:
        quoted = joined["open"] is not None or joined["tag"] is not None
        sure = quoted or joined["colon"] is None
        return Manner(quoted=quoted, alone=sure or self._text[end : end + 1] in {"", "\n", "\r", ",", "}", "\x1b"})

    def _end_of_value(self, joined: re.Match[str], promise: Announced) -> int:
        start, quote = joined.end(), joined["open"]
        if quote is not None:
            return self._closing(quote, start)
        if joined["bracket"] is not None:
            return self._closing("]" if joined["bracket"].startswith("[") else ")", start)
        if joined["tag"] is not None:
            return self._closing("]]>", start) if joined["tag"].endswith("[") else self._end_of_element(start)
        return start + len(self._bare_value(joined, promise))

    def _end_of_element(self, start: int) -> int:
        """Find the next closing tag, but not through all of the text: many may have been opened."""
        at = self._text.find("</", start, start + _LONGEST_ELEMENT)
        return start if at < 0 else at

    def _bare_value(self, joined: re.Match[str], promise: Announced) -> str:
        start = joined.end()
        if found := REFERENCE.match(self._text, start) or _TO_FILL_IN.match(self._text, start):
            return found[0]
        value = bare[0] if (bare := _bare().match(self._text, start)) else ""
        if promise.kind not in _WITH_ANY_SIGN:
            value = _ANGLE.split(value, maxsplit=1)[0]
        if self._lower.endswith(";jsessionid", 0, joined.start()):  # A part of a path, which a query may follow.
            value = value.partition("?")[0]
        return value.rstrip(".,:;!?)" if joined["colon"] else ",;)")

    def _closing(self, mark: str, start: int) -> int:
        """Find the mark that closes a value; without one it ends with its line."""
        at = -1 if mark in self._absent else self._text.find(mark, start)
        while at > start and (self._is_escaped(at) or self._ends_a_mark(at, start)):
            at = self._text.find(mark, at + len(mark))
        if at >= 0:
            return at
        self._absent.add(mark)  # So that nobody looks for it again, through all of the text.
        return self._end_of_line(start)

    def _end_of_line(self, start: int) -> int:
        """Find the next newline, and remember it: a line may have a thousand names."""
        seen_from, end = self._line
        if not seen_from <= start <= end:
            at = self._text.find("\n", start)
            end = len(self._text) if at < 0 else at
            self._line = (start, end)
        return end

    def _ends_a_mark(self, at: int, start: int) -> bool:
        """Whether a bracket is one of our own: `secrets=[[redacted: secret]]`."""
        opened = self._text.rfind("[redacted: ", max(start, at - _LONGEST_NAME), at) if self._text[at] == "]" else -1
        found = MARK.match(self._text, opened) if opened >= 0 else None
        return found is not None and found.end() == at + 1

    def _is_escaped(self, at: int) -> bool:
        before = self._text[max(0, at - 16) : at]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1

    def _end_of_header(self, joined: re.Match[str], end: int) -> int:
        """Find where a header ends, which is made of several words."""
        return end if joined["open"] is not None else self._end_of_line(joined.end())

    def _others(self, joined: re.Match[str], promise: Announced, end: int) -> Iterator[Span]:
        """Go on with the other values of a list."""
        quote = joined["open"]
        while (
            joined["bracket"] and quote and (more := re.compile(rf"{QUOTE},\s{{0,40}}+{QUOTE}").match(self._text, end))
        ):
            start, end = more.end(), self._closing(quote, more.end())
            if is_worth_hiding(promise, self._text[start:end], Manner()):
                yield Span(start, end, promise.kind)


def _is_option(name: str, value: str) -> bool:
    """Tell `--password secret` from `--password --verbose`, and both from a sentence."""
    return name.startswith("-") and not value.startswith("-")


def _is_in_tuple(name: str, joined: re.Match[str], value: str) -> bool:
    """Tell `('authorization', 'Bearer …')` and `define('DB_PASSWORD', '…')` from `['password', 'username']`."""
    if name.startswith("-") or joined["open"] is None or joined["close"] is None:
        return False
    is_constant = name.isupper() and "_" in name and not value.isupper()
    return is_constant or is_machine_made(value) or value.startswith(("Bearer ", "Basic "))


def _is_cell(promise: Announced, value: str) -> bool:
    """Tell a row, `password | hunter22x`, from the head of a table and from types: `password | varchar(255)`."""
    if _TYPE.match(value):
        return False
    mixed = not value.isalpha() and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return is_machine_made(value) or (promise.kind == "password" and mixed and len(value) >= _LEAST_CELL)


def _is_argument(promise: Announced, value: str) -> bool:
    """Tell `Password('…')` from `Token('NAME')`."""
    return (promise.kind == "password" and not value.isalpha() and "/" not in value) or is_machine_made(value)


def pairs(text: str, lower: str) -> Iterator[Span]:
    """Find the values that follow telling names."""
    return _Pairs(text, lower).spans()
