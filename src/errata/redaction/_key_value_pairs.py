"""Values behind a telling name: `password=…`, `"apiKey": "…"`, `X-Api-Key: …`, `--token …`, `<secret>…</secret>`."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from errata.redaction._header_values import find_cookies, find_credentials
from errata.redaction._spans import COLOUR, MARK, QUOTE, Ends, Kind, Span, compile_late
from errata.redaction._telling_names import STEMS, Promise, read_promise, read_promise_in
from errata.redaction._value_looks import REFERENCE, Manner, is_code, is_machine_made, is_worth_hiding

_LONGEST_NAME = 64
_LONGEST_COLOUR = 24
_LONGEST_JUDGED = 256
"""How much of a value is looked at to decide about it; whatever it is, its first letters say so."""
_LONGEST_ELEMENT = 4_096
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$")
_QUERY_ONLY = {"key": Promise("key", sure=False), "code": Promise("token", sure=False)}
_NEAR = 240
_OAUTH = ("grant_type", "redirect_uri", "authorization_code", "code_verifier")
"""What stands beside a `code` that somebody logs in with."""
_LEVELS = ("debug:", "info:", "warning:", "error:", "critical:")
_QUERY = ("?", "&", "%26", "%3F", "%3f", "\\u0026", "&amp;")
_WITH_ANY_SIGN = frozenset({"password", "secret"})
_TO_ANGLE = re.compile("[^<>]*+")
_TO_QUERY = re.compile("[^?]*+")
_MORE = re.compile(rf"{QUOTE},\s{{0,40}}+{QUOTE}")
_CHANGED = re.compile(rf"{QUOTE}[ ]{{0,4}}(?:->|=>|→)[ ]{{0,4}}{QUOTE}")
_TYPE = re.compile(r"(?i)\w{1,40}\(|(?:argon|sha|md|bcrypt|scrypt|pbkdf|hmac|utf|base|iso|rfc)[\w\-]{0,40}\d")
_LEAST_CELL = 8
_PHRASE = re.compile(r"[a-z]{3,16}(?:-[a-z]{3,16}){2,5}")
_LONGEST_TAIL = 16
_MOST_LINES = 400
_BLOCK_SIGNS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
_MOST_REPEATED = 16
_LEAST_REPEATED = 6
_TO_NEWLINE = re.compile(r"[^\r\n]*+")
_TO_ESCAPED_NEWLINE = re.compile(r"(?:[^\r\n\\]|\\(?![rn]))*+")
_LINE_BELOW = re.compile(r"\r?\n(?P<indent>[ \t]{0,80}+)(?P<line>[^\r\n]*+)")
_ESCAPED_LINE_BELOW = re.compile(r"(?:\\r)?\\n(?P<indent>[ ]{0,80}+)(?P<line>(?:[^\r\n\\\"']|\\(?![rn\"']))*+)")
_INDENT = re.compile(r"(?:[ \t]|- )*")
_MAPPING = re.compile(r"(?:- )?[\"']?[\w.\-]{1,64}[\"']?:(?: |$)")
_WORD_BELOW = re.compile(r"[^\s()\[\]{}=,;:'\"]{6,256}+")
_PART = re.compile(r"""(?:form-data|attachment|inline)[^\n]{0,80};\s?name=\\{0,3}["']?$""")
_NAME_OF_PROGRAM = re.compile(r"[$@]?[A-Za-z_][A-Za-z_.]{0,120}+(?:->[A-Za-z_]{1,40}+){0,8}")
_TYPE_NAME = re.compile(
    r"(?:[A-Z]{1,4}[a-z]{1,30}){2,6}T?|_(?:[A-Z]{1,4}[a-z]{1,30}){1,6}T?|[A-Z]{2,7}\d{1,3}(?:[A-Z][a-z]{2,20}){2,5}"
)
_TYPE_OF_MODULE = re.compile(r"_?[A-Za-z][a-z]{1,20}+(?:\.[a-z_]{1,20}+){0,3}+\.[A-Z][a-z][A-Za-z]{1,40}+")
_CONSTANT = re.compile(r"[A-Z]{2,20}+(?:_[A-Z]{1,20}+){1,6}+")
_MEMBER = re.compile(r"[A-Za-z_]\w{0,40}+(?:\.\w{1,40}+){0,3}+\.[A-Za-z_]{1,40}+")
_STATEMENTS = frozenset({"pass", "raise", "return", "continue", "break", "yield", "..."})
"""What a program does behind a colon: `if token == other: raise`."""
_ITEM_OF_CODE = re.compile(r"\d{1,3}|[A-Za-z_]{1,40}(?:\.[A-Za-z_]{1,40}){0,3}")
_SENTENCE_GOES_ON = re.compile(r" [a-z]{2}| [A-Z][a-z]{1,20}[ ,]| [A-Z]{2,5} [a-z]")
_BEHIND_TYPE = (",", ")", "]", " |", ":", "<")
_GOES_ON_AS_CODE = (" = ", " == ", " if ", " else", " or ", " and ", " | ", " + ", " for ", "<")
_OF_OBJECT = ("self.", "this.", "cls.", "@", "$")
_TARGETS = re.compile(r"\s{0,80}(?:[\w.]{1,64},\s?){1,8}")
_CALLED = re.compile(r"[A-Za-z_](?:[\w.]|::){0,80}+")
_SUBSCRIPT = re.compile(r"[A-Za-z_][A-Za-z_.]{0,80}+\[[A-Za-z_.]{1,40}+")
_OPERATORS = (" + ", " - ", " * ", " % ", " // ")
_CMDLET = re.compile(r"[A-Z][a-z]{1,20}-[A-Z][A-Za-z]{1,30}")
_BOUND = re.compile(r"[a-z_]{1,40}")
_HEX_COLOUR = re.compile(r"\#[0-9a-fA-F]{3,8}")
_HEADER_NAME = re.compile(r"(?:X|[A-Z][A-Za-z]{1,20})(?:-[A-Z][A-Za-z]{1,20}){1,5}")
_TO_FILL_IN = re.compile(r"(?:<[\w .:\-]{1,60}+>|\{[A-Za-z_][\w.!()\[\]]{0,60}+\})(?![\w!@\#$%^*])")
_CLOSED = re.compile(r"""(?P<cdata>\]\]>)|[\\"'`)\]]{0,4}+(?:<|&lt;)/(?:\w{1,30}+:)?""")
_PROPERTY = re.compile(
    r"""<(?:property|string|data|value|option|credential|constant|entry|param|parameter|setting|item|attribute|field|arg|var|env)\s[^<>]{0,64}["']$"""
)
_BYTES = re.compile(r"\d{1,3}(?:,? ?\d{1,3}){5,255}")
"""A value as the numbers of its bytes."""
_LOWER_NAME = re.compile(r"[a-z]{2,20}(?:_[a-z0-9]{1,20}){1,6}")
_WORKING_DIRECTORY = frozenset({"PWD", "OLDPWD"})
_SETTER = re.compile(r"""[sS]et\w{0,16}\(\s{0,8}["'][^"'\n]{0,64}["'],\s{0,8}["']$""")
"""`config.set("db", "password", …)`"""
_APP_PASSWORD = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}(?![\w ])|[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}(?![\w ])")
"""Passwords of Google and of WordPress for one program, in groups of four."""
_FILE_OF_RAILS = re.compile(r"\.key:\s{1,4}[0-9a-f]{32}(?![0-9a-f])")
"""`config/master.key: …`"""
_NO_VALUE = (" ", "\n", ", ", ",\n", ") ", "] ", "} ", '"', "'")
"""What follows where a quotation mark closed something, and opened nothing: `"password=" + secret`."""


_STEM = compile_late(rf"(?:{'|'.join(STEMS)})[a-z0-9_.$\-à-ÿ]{{0,{_LONGEST_NAME}}}+")


_COLOUR = compile_late(COLOUR)


_WRAPPERS = (
    "Some|Ok|Just|Right|Present|Optional|Nullable|NullString|Box|Arc|Rc|Borrowed|Owned|from|of|String|Str|Text|Value|Secret"
    "|SecretStr|SecretBytes|SecretString|SecretBox|SecretValue|Sensitive|Password|Masked|Protected|Hidden|bytes|str|bytearray"
    "|MD5|SHA|SHA1|SHA2|SHA256|SHA512|md5|sha1|sha2|sha256|sha512"
)
"""What a language writes around a value that may be missing, or may not be shown."""
_MASK = r"(?i:[\[<(](?:redacted|masked|hidden|filtered|removed|omitted)[^\]\[<>()\n]{0,60}+[\])>])"
"""Matches what stands for a hidden value, ours or another's; what follows it at once may be the value."""
_NEWLINE = r"(?:\r?\n|\\r\\n|\\n)"
_CLOSING_OF = {"“": "”", "„": "“", "«": "»", "「": "」", "[": "]", "(": ")", "{": "}"}


_JOINT = compile_late(
    rf"""(?x)
    {COLOUR}{{0,8}}+(?:(?P<csv>"")|(?P<close>{QUOTE}))?{COLOUR}{{0,8}}+
    (?:\[\]|[)\]]|(?(close)\}}|(?!))|%5[dD]|@entry|\*\*(?=:)|</\w{{1,10}}+>(?=:)|:?[ ](?:&(?:'\w{{1,10}}[ ])?)?[\w*]{{1,20}}+(?=[ ]=[ ]))?
    (?:
        (?:[ \t]|%20){{0,1000}}+ (?P<assign>=>|:=|<-|\?=|\|\|=|(?P<compared>[!=]={{1,2}})|=|->|%3[dD]|\\u003[dD])
      | (?:[ \t]|%20){{0,1000}}+ (?P<colon>:(?!//|:)|\uff1a|%3[aA](?!%2[fF]))
      | [,;]?\s{{0,40}}+{QUOTE}?(?:(?:[A-Z]\w{{0,20}}?)?[vV]al(?:ue)?|v|content|input){QUOTE}?\s{{0,4}}+(?P<value>[:=])
      | (?P<tag>(?:[ \t][^<>=]{{1,40}}+=[^<>]{{0,200}}+)?+>(?:<!\[CDATA\[)?|(?:[ \t][^<>=&]{{1,40}}+=[^<>&]{{0,200}}+)?+&gt;)
      | (?P<call>\() [ \t]{{0,1000}}+ (?:\w{{1,20}}+[ \t]{{0,1000}}+=[ \t]{{0,1000}}+)? (?=[bBuUrR]?{QUOTE})
      | (?P<cell>[ \t]{{0,1000}}+\|[ \t]{{0,1000}}+|</\w{{1,10}}+>\s{{0,40}}+(?:<\w{{1,10}}+(?:\s[^<>]{{0,80}}+)?>\s{{0,40}}+){{1,3}})
      | (?P<part>(?:;[^\r\n\\]{{0,200}}+)?(?:{_NEWLINE}[A-Za-z\-]{{1,40}}+:[^\r\n\\]{{0,200}}+){{0,4}}+{_NEWLINE}{{2}})
      | (?P<flag>[ \t\0]{{1,1000}}+|,[ \t]{{0,1000}}+(?=(?:[bBuU]|<<)?{QUOTE}))
    )
    (?P<below>[ \t]{{0,80}}+(?:(?:!!\w{{1,10}}+[ ])?[|>][+\-\d]{{0,3}}+[ \t]{{0,80}}+(?:\#[^\n\\]{{0,80}}+)?(?={_NEWLINE}{{1,3}}[ ])|(?={_NEWLINE}[ ]{{1,80}}+(?!string\(\d)[^\s"'`\\])))?
    (?:[ \t]|\*\*(?=[ ])|%20|%09|\\t|&nbsp;|\\u0020|\+(?={QUOTE})|{COLOUR}|(?:\s|\\[nr]|%0[aAdD]){{1,40}}+(?={QUOTE}|string\(\d)){{0,1000}}+
    (?:(?:!!(?:str|binary)|&\w{{1,20}}+)[ \t]{{1,1000}}+)?
    (?P<bracket>
        (?:&?(?:[A-Za-z_]\w{{0,20}}(?:::|\.)){{0,3}}(?:{_WRAPPERS})(?:[\[(]|[ ]?\{{)\s{{0,40}}+(?:(?:String|value|Value|inner)\s?[:=]\s?)?){{1,3}}+
      | (?:Just|\(\*string\)\()[ ]?(?={QUOTE})
      | \{{\s{{0,40}}+{QUOTE}?(?:value|val|v|S|B|stringValue|plain|plaintext|raw|text|string|current|old|new){QUOTE}?\s{{0,4}}+[:=]\s{{0,4}}+
      | \{{\s{{0,4}}+{QUOTE}?type{QUOTE}?:[ ]?{QUOTE}Buffer{QUOTE},[ ]?{QUOTE}?data{QUOTE}?:[ ]?\[\s{{0,4}}+
      | \[\](?:string|uint8|byte)[({{]\s{{0,40}}+\[?
      | (?!{_MASK})[\[(]\s{{0,40}}+
    )?
    (?:<(?:span|font|code|em|b|i|strong|var|pre|tt|samp)(?:[ ][^<>]{{0,80}}+)?>[ ]?){{0,3}}+
    (?:(?:string\(\d{{1,9}}\)|0x[0-9a-fA-F]{{1,16}}+|\{{\w{{1,20}}+\}}|\(\w{{1,20}}+\*?\)|<\w{{1,20}}+>)[ ]{{1,4}}(?={QUOTE}))?
    (?:(?:[bBuUrRfF@$N]{{1,2}}|<<)(?={QUOTE}))?
    (?P<open>(?(csv)""|(?:'{{3}}|"{{3}}|''(?=[^\s',;)\]}}])|""(?=[^\s",;)\]}}])|{QUOTE}|[“„«「])))?
    """
)
"""Matches what stands between a name and its value."""


# A `,`, `;` or `&` ends a value where another pair, a space or a quotation mark follows; a bracket where nothing does.
_BARE = compile_late(
    rf"""(?x)
    (?:
        {_MASK}
      | [^\s"'`&;,<>(){{}}\[\]|\\%\x1b\0\u2039\u203a]
      | [&;,](?![\s"'\\]|$|[\w.\[\]\-]{{1,64}}+(?:=|:|%5[bBdD]))
      | [(\[{{)\]}}](?=[\w!@\#$%^*+/~?=-])
      | [|>](?=[<>(){{}}\[\]|]{{0,2}}+[\w!@\#$%^*+/~?=-])
      | <(?=[<>(){{}}\[\]|]{{0,2}}+[\w@\#$%^*+~?=-])(?![A-Za-z][A-Za-z_:\-]{{0,40}}+\d?[ \t/]{{0,8}}+>|[A-Za-z]{{1,20}}+[ ])
      | \\(?![\\nrt"'u]|x1b|x2[27])
      | %(?!26|2[27]|0[aAdD]|3[bB])
    )++"""
)


class _Value(NamedTuple):
    """Where a value is in a text, and what of it is looked at."""

    start: int
    end: int
    text: str


class _Pairs:
    """One walk through a text, from name to name.

    It never looks twice at the same thing: ends of values come from `Ends`, and what is decided from a value is decided
    from its first letters. So the time it takes grows as the text does, whatever the text is.
    """

    def __init__(self, text: str, lower: str) -> None:
        self._text = text
        self._lower = lower
        self._ends = Ends(text)
        self._closings: dict[str, tuple[int, int]] = {}
        self._position = 0
        self._listed = 0

    def spans(self) -> Iterator[Span]:
        stem, joint = _STEM, _JOINT
        while match := stem.search(self._lower, self._position):
            self._position = match.end()
            if joined := joint.match(self._text, self._position):
                for span in self._behind(self._start_of_name(match.start()), joined, match.start()):
                    yield span
                    self._position = max(self._position, span.end)

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
        return max([start, *(match.end() for match in _COLOUR.finditer(self._text, before, stem))])

    def _behind(self, first: int, joined: re.Match[str], stem: int) -> Iterator[Span]:
        name = self._text[first : joined.start()]
        promise = read_promise_in(self._text, first, joined.start()) or self._in_query(name, joined, stem)
        if promise is None or self._is_segment(first, joined) or self._is_in_mark(first):
            return
        if joined["below"] is not None:
            yield from self._block(first, joined, promise)
            return
        value = self._value(joined, self._end_of_value(joined, promise))
        if _is_directory(name, value.text) or not self._is_believable(name, promise, joined, value):
            return
        header = promise.kind == "cookie" or name.lower().endswith("authorization")
        if not (header and joined["colon"]) and self._is_variable(name, joined, value):
            return
        if header:
            yield from self._header(promise, joined, value)
        elif is_worth_hiding(promise, value.text, self._manner(joined, value.end)):
            yield Span(value.start, value.end, promise.kind)
            yield from self._others(joined, promise, value.end)
            if joined["open"] and (changed := _CHANGED.match(self._text, value.end)):  # `"old" -> "new"`
                yield Span(changed.end(), self._find_closing(joined["open"], changed.end()), promise.kind)
        elif (joined["bracket"] or "").startswith("(") and name.lower().endswith("auth"):  # `auth=("user", "password")`
            yield from self._others(joined, Promise("password", sure=True), value.end)

    def _is_in_mark(self, first: int) -> bool:
        """Return whether a name is what a mark of ours says: `[redacted: token]:…`."""
        at = first - len("[redacted: ")
        return at >= 0 and MARK.match(self._text, at) is not None

    def _header(self, promise: Promise, joined: re.Match[str], value: _Value) -> Iterator[Span]:
        quoted = joined["open"] is not None
        if not quoted and is_code(value.text):
            return
        end = self._end_of_header(joined, value.end)
        if promise.kind == "cookie":
            crumbs, self._position = find_cookies(self._text, value.start, end)
            yield from crumbs
        else:
            yield from find_credentials(self._ends, value.start, end, whole=quoted)

    def _block(self, first: int, joined: re.Match[str], promise: Promise) -> Iterator[Span]:
        """Hide the lines below a name of YAML that are further in than it is; the first of them decides."""
        position = joined.end("below")
        line = _LINE_BELOW if self._text.startswith(("\r", "\n"), position) else _ESCAPED_LINE_BELOW
        outer = self._indent(first)
        folded = joined["below"].strip() != ""
        match = line.match(self._text, position)
        for _ in range(2):
            if match and not match["line"].strip():
                match = line.match(self._text, match.end())
        if match is None or not self._is_block(promise, match["line"][:_LONGEST_JUDGED], folded=folded):
            return
        for _ in range(_MOST_LINES):
            if match is None or (match["line"].strip() and len(match["indent"]) <= outer):
                return
            start = match.start("line") + (2 if match["line"].startswith("- ") else 0)
            if match["line"].strip() and not MARK.fullmatch(self._text, start, match.end()):
                yield Span(start, match.end(), promise.kind)
            match = line.match(self._text, match.end())

    def _is_block(self, promise: Promise, line: str, *, folded: bool) -> bool:
        value = line.removeprefix("- ").strip()
        if folded:
            return is_worth_hiding(promise, value, Manner())
        # Below `if token:` stands code, and below `password:` in a docstring a sentence: one word that is neither.
        word = promise.sure and not _MAPPING.match(line) and _WORD_BELOW.fullmatch(value) is not None
        return word and is_worth_hiding(promise, value, Manner(quoted=False)) and not value.replace("_", "").isalpha()

    def _indent(self, first: int) -> int:
        """Count how far in the line of a name begins."""
        floor = max(0, first - _NEAR)
        before = self._text[floor:first]
        newline = max(before.rfind("\n") + 1, before.rfind("\\n") + 2 if "\\n" in before else 0)
        match = _INDENT.match(before, newline)
        return len(match[0]) if match else 0

    def _value(self, joined: re.Match[str], end: int) -> _Value:
        start = joined.end()
        return _Value(start, end, self._text[start : min(end, start + _LONGEST_JUDGED)])

    def _in_query(self, name: str, joined: re.Match[str], stem: int) -> Promise | None:
        """Return what a name announces in the query of an address (`?key=`, `&code=`), or as the `code` of OAuth."""
        if name.lower() == "code" and (joined["assign"] or joined["colon"]):
            around = self._lower[max(0, stem - _NEAR) : joined.end() + _NEAR]
            if any(map(around.__contains__, _OAUTH)):
                return _QUERY_ONLY["code"]
        inside = joined["assign"] and self._text.endswith(_QUERY, 0, stem)
        return _QUERY_ONLY.get(name[stem - joined.start() :].lower()) if inside else None

    def _is_believable(self, name: str, promise: Promise, joined: re.Match[str], value: _Value) -> bool:
        """Return whether what joins name and value makes them a pair at all."""
        if joined["flag"] is not None or joined["cell"] is not None or joined["part"] is not None:
            return self._is_apart(name, promise, joined, value.text)
        if joined["call"] is not None:
            return _is_argument(promise, value.text)
        if joined["tag"] is not None:
            return self._is_element(joined.start() - len(name), name, value.end)
        if joined["compared"] is not None:  # Code, in most cases: `if token == expected`
            return is_machine_made(value.text) or (
                joined["open"] is not None and _is_telling_password(promise, value.text)
            )
        if joined["open"] is None:
            return value.text not in _BLOCK_SIGNS and not _is_signature(joined, value.text)
        begun = not value.text.startswith(_NO_VALUE) and value.text[:1].isalnum()
        return begun or self._is_opening(joined, joined.start() - len(name))

    def _is_opening(self, joined: re.Match[str], first: int) -> bool:
        """Return whether a quotation mark opens the value, and does not close a text that ends with the name: `"password=" + x`."""
        if joined["close"] is not None or joined["csv"] is not None:
            return True
        before = self._text[max(0, first - _NEAR) : first].rpartition("\n")[2]
        return before.count(joined["open"]) % 2 == 0

    def _is_element(self, first: int, name: str, end: int) -> bool:
        """Return whether a name is that of an element: `<password>…</password>`, not `login <user> <password>`."""
        before = self._lower[max(0, first - _LONGEST_NAME) : first]
        closed = _CLOSED.match(self._lower, end)
        if closed is None:
            return False
        if before.endswith(("<", ":", "&lt;")):
            return closed["cdata"] is not None or self._lower.startswith(name.lower(), closed.end())
        return _PROPERTY.search(before) is not None

    def _is_apart(self, name: str, promise: Promise, joined: re.Match[str], value: str) -> bool:
        """Return whether name and value are a pair where only space or a frame is between them."""
        if joined["cell"] is not None:
            return joined["cell"].startswith(("</key>", "</name>")) or _is_cell(promise, value)
        if joined["part"] is not None:
            first = joined.start() - len(name)
            return _PART.search(self._lower[max(0, first - 120) : first]) is not None
        return (
            _is_option(name, value)
            or self._is_in_tuple(name, joined, value)
            or self._is_pair(name, promise, joined, value)
            or self._is_in_row(name, promise, joined, value)
        )

    def _is_in_tuple(self, name: str, joined: re.Match[str], value: str) -> bool:
        """Return whether name and value are a tuple: `define('DB_PASSWORD', '…')`, not `['password', 'username']`."""
        if name.startswith("-") or joined["open"] is None or joined["close"] is None:
            return False
        first = joined.start() - len(name)
        is_first = not self._text[max(0, first - 4) : first].rstrip("\\\"'bu ").endswith(":")
        is_constant = is_first and name.isupper() and "_" in name and not value.isupper()
        return is_constant or is_machine_made(value) or value.startswith(("Bearer ", "Basic "))

    def _is_pair(self, name: str, promise: Promise, joined: re.Match[str], value: str) -> bool:
        """Return whether name and value are a pair of a list, `('password', '…')`, and not two names."""
        if joined["open"] is None or not promise.sure:
            return False
        first, last = joined.start() - len(name), joined.end() + len(value) + len(joined["open"])
        before = self._text[max(0, first - 4) : first].rstrip("\\\"'bu")
        if joined["close"] is None:  # Erlang: `{password,<<"…">>}`
            return before.endswith("{") and self._text.startswith(("}", ">>}"), last)
        listed = before.endswith(("[[", ", [")) and self._text.startswith(("]]", "],"), last)  # As Rails writes
        called = before.endswith("(") or _SETTER.search(self._text[max(0, first - _NEAR) : first]) is not None
        paired = called and self._text.startswith(")", last)
        return (listed or paired) and not value.replace("_", "").isalpha() and read_promise(value) is None

    def _is_in_row(self, name: str, promise: Promise, joined: re.Match[str], value: str) -> bool:
        """Return whether name and value are cells of one line: `…<tab>sessionid<tab>…` of a cookie jar."""
        first = joined.start() - len(name)
        before = self._text[max(0, first - 1) : first]
        if (
            joined["open"] and joined[0].startswith("  ") and joined["close"] is None
        ):  # A list of locals, in two columns
            return self._is_line_of_its_own(first, joined.end() + len(value) + len(joined["open"]))
        if joined[0] != "\t":
            return False
        return is_machine_made(value) if before == "\t" else before in {"", "\n"} and _is_cell(promise, value)

    def _is_line_of_its_own(self, first: int, last: int) -> bool:
        before = self._text[max(0, first - _LONGEST_NAME) : first]
        return not before.rpartition("\n")[2].strip() and self._text[last : last + 1] in {"", "\n", "\r"}

    def _is_segment(self, first: int, joined: re.Match[str]) -> bool:
        """Return whether a name is a part of a longer one: of a path, `/etc/passwd: …`, or of an ARN, `…:secret:prod/db`.

        Decided before the value is looked for, which may be all the rest of the text.
        """
        before = self._lower[max(0, first - _NEAR) : first] if joined["colon"] is not None else ""
        if before.endswith("::") and joined["close"] is not None:  # `"AWS::IAM::AccessKey": …`
            return True
        if before.endswith(("user/", "username/")) or _FILE_OF_RAILS.match(self._lower, max(0, joined.start() - 4)):
            return False
        if before.endswith("/"):
            return joined[0] != ":" or before[-2:-1].strip() != ""  # Else an option: `/password:…`
        if not before.endswith(":") or joined[0] != ":" or not before[-2:-1].isalnum():
            return False
        return not before.split()[-1].startswith(_LEVELS)  # `ERROR:root:password:…`, as logging writes

    def _is_variable(self, name: str, joined: re.Match[str], value: _Value) -> bool:
        """Return whether a value is a name of the program: `api_key=api_key`, `password = getpass.getpass()`."""
        if value.text == name or joined["tag"] is not None or joined["open"] is not None:
            return _is_same_name(name, value.text) or names_another(value.text)
        text, following = value.text, self._text[value.end : value.end + 8]
        if joined[0] == " :" and _BOUND.fullmatch(text):  # Of a statement: `WITH PASSWORD :pw`
            return True
        if name.startswith("$") and _CMDLET.fullmatch(text):  # `$password = Read-Host`
            return True
        return _is_about_one(text, following) or self._is_name_of_program(name, joined, text, following)

    def _is_name_of_program(self, name: str, joined: re.Match[str], text: str, following: str) -> bool:
        """Return whether a value that is not quoted is a call, a type, a variable or several of them."""
        if _SUBSCRIPT.fullmatch(text) and following.startswith(_OPERATORS):  # `token = tokens[i + 1]`
            return True
        if following.startswith("]"):  # `token = tokens[i]`
            text, following = text.partition("[")[0], text[text.find("[") :] if "[" in text else following
        if _is_called(text, following) or following.startswith("["):
            return _NAME_OF_PROGRAM.match(text) is not None
        if not _NAME_OF_PROGRAM.fullmatch(text):
            return _is_several_or_numbered(joined, text, following)
        if joined["bracket"] or following.startswith(_GOES_ON_AS_CODE):  # `Optional[str]`, `password = port = None`
            return True
        if joined["colon"] is not None:
            in_dict = joined["close"] is not None and "_" in text.strip("_") and following.startswith((",", "}"))
            return in_dict or self._is_type_or_sentence(text, following)
        return self._is_assigned(name, joined, text.lstrip("$@"), following)

    def _is_type_or_sentence(self, text: str, following: str) -> bool:
        """Return whether `token: Token,` annotates, or `token: JWT token to verify` explains."""
        if _TYPE_OF_MODULE.fullmatch(text):
            return True
        if _CONSTANT.fullmatch(text):
            return following.startswith((",", ")", " |"))
        if _TYPE_NAME.fullmatch(text) and (following.startswith(_BEHIND_TYPE) or read_promise(text) is not None):
            return True
        return text.isalpha() and text[0].isupper() and _SENTENCE_GOES_ON.match(following) is not None

    def _is_assigned(self, name: str, joined: re.Match[str], text: str, following: str) -> bool:
        """Return whether one name is assigned to another: `self.secret = secret`, `user, password = auth`."""
        owner = name[: -len(text)] if name.endswith(text) else "x"
        if not owner or owner[-1] in "._>$@-" or name.startswith(_OF_OBJECT):
            return True
        spaced = joined[0].startswith(" ") and joined[0].endswith(" ")
        if "_" in text.strip("_") or "." in text:
            return spaced or following.startswith((",", ")")) or read_promise(text) is not None
        before = self._text[max(0, joined.start() - len(name) - _NEAR) : joined.start() - len(name)].rpartition("\n")[2]
        return spaced and _TARGETS.fullmatch(before) is not None

    def _manner(self, joined: re.Match[str], end: int) -> Manner:
        quoted = joined["open"] is not None or joined["tag"] is not None
        sure = quoted or joined["colon"] is None
        return Manner(quoted=quoted, alone=sure or self._text[end : end + 1] in {"", "\n", "\r", ",", "}", "\x1b"})

    def _end_of_value(self, joined: re.Match[str], promise: Promise) -> int:
        start, quote = joined.end(), joined["open"]
        if quote is not None:
            return self._find_closing(_CLOSING_OF.get(quote, quote), start)
        if joined["bracket"] is not None:
            opened = joined["bracket"].rstrip().rstrip("=: ")
            return self._find_closing(_CLOSING_OF.get(opened[-1:], ")"), start)
        if joined["part"] is not None:
            return self._ends.run(_TO_ESCAPED_NEWLINE if "\\" in joined["part"] else _TO_NEWLINE, start)
        if joined["tag"] is not None:
            tag = joined["tag"]
            return self._find_closing("]]>", start) if tag.endswith("[") else self._end_of_element(start, tag)
        return self._end_of_bare(joined, promise)

    def _end_of_element(self, start: int, tag: str) -> int:
        """Find the next closing tag, if it is near; what opened it says how that is written."""
        at = self._ends.sign("&lt;/" if tag.endswith("&gt;") else "</", start)
        return at if at - start < _LONGEST_ELEMENT and at < len(self._text) else start

    def _end_of_bare(self, joined: re.Match[str], promise: Promise) -> int:
        start = joined.end()
        if match := REFERENCE.match(self._text, start) or _TO_FILL_IN.match(self._text, start):
            return match.end()
        if promise.kind == "password" and (match := _APP_PASSWORD.match(self._text, start)):
            return match.end()
        end = self._ends.run(_BARE, start)
        if promise.kind not in _WITH_ANY_SIGN:
            end = min(end, self._ends.run(_TO_ANGLE, start))
        if self._lower.endswith(";jsessionid", 0, joined.start()):  # A part of a path, which a query may follow.
            end = min(end, self._ends.run(_TO_QUERY, start))
        last = self._text[max(start, end - _LONGEST_TAIL) : end]
        return end - len(last) + len(last.rstrip(".,:;!?)" if joined["colon"] else ",;)"))

    def _find_closing(self, mark: str, start: int) -> int:
        """Find the mark that closes a value; without one it ends with its line."""
        begin, at = self._closings.get(mark, (0, -1))
        if not begin <= start <= at:
            at = self._text.find(mark, start)
            while at > start and (twice := self._goes_on(mark, at, start)):
                at = self._text.find(mark, at + twice * len(mark))
            at = len(self._text) if at < 0 else at
            self._closings[mark] = start, at
        return at if at < len(self._text) else self._end_of_line(start)

    def _goes_on(self, mark: str, at: int, start: int) -> int:
        """Count the marks to step over where a value does not end: escaped, doubled as in SQL, or the end of our own."""
        if self._is_escaped(at) or self._ends_a_mark(at, start):
            return 1
        return 2 if mark in {"'", '"'} and self._text.startswith(mark, at + 1) else 0

    def _end_of_line(self, start: int) -> int:
        return self._ends.sign("\n", start)

    def _ends_a_mark(self, at: int, start: int) -> bool:
        """Return whether a bracket is one of our own: `secrets=[[redacted: secret]]`."""
        opened = self._text.rfind("[redacted: ", max(start, at - _LONGEST_NAME), at) if self._text[at] == "]" else -1
        match = MARK.match(self._text, opened) if opened >= 0 else None
        return match is not None and match.end() == at + 1

    def _is_escaped(self, at: int) -> bool:
        before = self._text[max(0, at - 16) : at]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1

    def _end_of_header(self, joined: re.Match[str], end: int) -> int:
        """Find where a header ends, which is made of several words."""
        return end if joined["open"] is not None else self._end_of_line(joined.end())

    def _others(self, joined: re.Match[str], promise: Promise, end: int) -> Iterator[Span]:
        """Find the other values of a list; names inside it do not begin the list again."""
        quote = joined["open"]
        if not joined["bracket"] or not quote or end < self._listed:
            return
        while more := _MORE.match(self._text, end):
            start, end = more.end(), self._find_closing(quote, more.end())
            self._listed = end
            if is_worth_hiding(promise, self._text[start : min(end, start + _LONGEST_JUDGED)], Manner()):
                yield Span(start, end, promise.kind)


def _is_directory(name: str, value: str) -> bool:
    """Return whether a variable of the shell tells where somebody works: `PWD=/root`."""
    return name in _WORKING_DIRECTORY and value.startswith(("/", "~"))


def _is_telling_password(promise: Promise, value: str) -> bool:
    """Return whether somebody compares with a password: letters and digits, and no name of a constant."""
    telling = any(map(str.isdigit, value)) and any(map(str.islower, value))
    return promise.kind == "password" and telling and " " not in value


def _is_same_name(name: str, value: str) -> bool:
    """Return whether a value is only the name once more, written another way: `CHALLENGE_PASSWORD: "challengePassword"`."""
    last = name.rpartition(".")[2]
    return value == name or (value != last.lower() and "_" in last and last.replace("_", "").lower() == value.lower())


def _is_signature(joined: re.Match[str], value: str) -> bool:
    """Return whether a name ends what a function takes or a condition: `(token: Token) -> Coord:`, `if x == token: raise`."""
    if joined["assign"] == "->" and joined[0].startswith(")"):
        return True
    if joined[0].startswith("] = ") and (value.isalpha() or _LOWER_NAME.fullmatch(value)):  # `styles[token] = style`
        return True
    return joined["colon"] is not None and value in _STATEMENTS


def _is_several_or_numbered(joined: re.Match[str], text: str, following: str) -> bool:
    """Return whether a value is several names of the program, or one with a number: `(0, Generic.Error, line)`, `win32api.Key`."""
    if joined["bracket"] and _BYTES.fullmatch(text):
        return False
    if joined["bracket"] and ", " in text:
        return all(map(_ITEM_OF_CODE.fullmatch, text.split(", ")))
    if joined["colon"] is not None:
        return _TYPE_NAME.fullmatch(text) is not None and following.startswith(_BEHIND_TYPE)
    return joined[0] == " = " and _MEMBER.fullmatch(text) is not None and not is_machine_made(text)


def _is_about_one(text: str, following: str) -> bool:
    """Return whether a value says where a secret is, or how long: `Configuration["Jwt:Secret"]`, `token: 1024 bytes`."""
    if following.startswith(('"]', "']")):
        return text.isalpha()
    if following.startswith(" bytes"):
        return text.isdigit()
    return names_another(text)


def names_another(text: str) -> bool:
    """Return whether a value is itself a name: `api_key_header: "X-API-Key"`, `env.str("SECRET_KEY")`, or a colour."""
    if _HEX_COLOUR.fullmatch(text):
        return True
    return (_HEADER_NAME.fullmatch(text) or _CONSTANT.fullmatch(text)) is not None and read_promise(text) is not None


def _is_called(text: str, following: str) -> bool:
    """Return whether a value is a call: `getpass()`, `t1.set("x")`, `random_string(20`; a password may have a bracket, too."""
    if following.startswith("("):
        return _CALLED.fullmatch(text) is not None
    called, opened, _ = text.partition("(")
    called = called.partition("[")[0].replace("::", ".").replace("->", ".").lstrip("$")
    return (
        bool(opened) and ("_" in called or "." in called or called.islower()) and called.replace(".", "").isidentifier()
    )


def _is_option(name: str, value: str) -> bool:
    """Return whether a value is that of an option: `--password secret`, not `--password --verbose`, and no sentence."""
    return name.startswith("-") and not value.startswith("-")


def _is_cell(promise: Promise, value: str) -> bool:
    """Return whether a value is a cell of a row, `password | hunter22x`, and no head or type: `password | varchar(255)`."""
    if _TYPE.match(value):
        return False
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    chosen = (mixed and len(value) >= _LEAST_CELL) or _PHRASE.fullmatch(value) is not None
    return is_machine_made(value) or (promise.kind == "password" and chosen)


def _is_argument(promise: Promise, value: str) -> bool:
    """Return whether a value is a secret argument: `Password('…')`, not `Token('NAME')`."""
    return (promise.kind == "password" and not value.isalpha() and "/" not in value) or is_machine_made(value)


def find_pairs(text: str, lower: str) -> Iterator[Span]:
    """Find the values behind telling names, and the same values wherever else they stand in the text."""
    spans = list(_Pairs(text, lower).spans())
    return iter(sorted([*spans, *find_repeats(text, spans)])) if spans else iter(spans)


def find_repeats(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Find the same secrets elsewhere in the text: `args=('ann', 'hunter22x') kwargs={'password': 'hunter22x'}`.

    Of a few values only, and of none that could be a word or a number of somebody else.
    """
    kinds: dict[str, Kind] = {}
    for start, end, kind in spans:
        if len(kinds) == _MOST_REPEATED:
            break
        value = text[start : min(end, start + _LONGEST_JUDGED)]
        if end - start == len(value) >= _LEAST_REPEATED and _is_unlike_words(value):
            kinds[value] = kind
    for value, kind in kinds.items():
        at = text.find(value)
        while at >= 0:
            yield Span(at, at + len(value), kind)
            at = text.find(value, at + len(value))


def _is_unlike_words(value: str) -> bool:
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and "[redacted" not in value and not value.isspace()
