"""Secrets that were encoded or taken apart: base64, base32, hexadecimal, percent signs, escapes, broken lines.

What may be encoded text is decoded and judged as any text is; if there is a secret in it, all of it is hidden. Every
letter is decoded a fixed number of times at most, so that the time grows with the length of the text, and no faster.
"""

import re
from binascii import a2b_base64, unhexlify
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate

from errata.redaction._spans import MARK, Kind, Span, compile_late
from errata.redaction._token_formats import find_tokens
from errata.redaction._value_looks import is_hexadecimal

Judge = Callable[[str], str]
"""Redacts a text that is not encoded any more."""

_DEPTH = 3
"""How many encodings may lie one upon the other."""
_LEAST = 16
_HEAD = 24
"""How many letters tell whether decoding the others is worth it."""
_MOST_UNPACKED = 65_536

_WIDE_SPACES = (0xA0, 0x2007, 0x202F, 0x3000)
_FULL_WIDTH = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | dict.fromkeys(_WIDE_SPACES, 0x20)
_WIDE = re.compile("[\uff01-\uff5e\xa0\u2007\u202f\u3000]")


def may_be_encoded(text: str, long: str) -> bool:
    """Return whether decoding is worth a try; `long` are the words of the text that are long."""
    return bool(long) or _BYTES.search(text) is not None


_BYTES = re.compile(r"(?:[0-9a-fA-F]{2}[ :]){11}")


def find_encoded(text: str, judge: Judge, depth: int = _DEPTH) -> Iterator[Span]:
    """Find encoded secrets."""
    spans = [*_in_base64(text, judge, depth), *_in_hexadecimal(text, judge, depth), *_in_percent(text, judge, depth)]
    return iter(sorted(spans))


def unescape(text: str) -> str:
    r"""Return a text with plain letters in place of escapes (`\x41`, `&#65;`, `%41`) and of full-width letters."""
    if not text.isascii() and _WIDE.search(text):
        text = text.translate(_FULL_WIDTH)
    if "\\" in text or "&#" in text or "%" in text:
        return _ESCAPE.sub(_decode_escape, text)
    return text


_PRINTABLE = "2[0-9a-f]|[3-6][0-9a-f]|7[0-9a-e]"
_ESCAPE = compile_late(
    rf"(?i)\\{{1,2}}(?:u00|x)(?P<hex>{_PRINTABLE})|\\(?P<octal>0[4-7][0-7]|1[0-6][0-7]|17[0-6])|\\u\{{0{{0,2}}(?P<braced>{_PRINTABLE})\}}"
    rf"|&\#(?:0{{0,4}}(?P<decimal>3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])|x0{{0,4}}(?P<page>{_PRINTABLE}));"
    r"|%(?:25){0,2}(?P<percent>3[0-9]|[46][1-9a-f]|[57][0-9a]|2[de]|5f|7e)"
)
"""Matches a letter that somebody wrote as its number; after a percent sign, one for which there was no need."""


def _decode_escape(escape: re.Match[str]) -> str:
    if escape["octal"]:
        return chr(int(escape["octal"], 8))
    number = escape["hex"] or escape["braced"] or escape["page"] or escape["percent"]
    return chr(int(number, 16) if number else int(escape["decimal"]))


# Base64


_BASE64 = compile_late(
    rf"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{{{_LEAST},}}+(?:(?:\\?\r?\n[ \t]{{0,16}}|\\r\\n|\\n)[A-Za-z0-9+/_\-]{{4,}}+)*+={{0,6}}+"
)
"""Matches a word of base64, over the ends of lines that it was wrapped at."""


_LINE_END = re.compile(r"\\?\r?\n[ \t]*|\\r\\n|\\n")


def _in_base64(text: str, judge: Judge, depth: int) -> Iterator[Span]:
    for match in _BASE64.finditer(text):
        whole = _LINE_END.sub("", match[0])
        if kind := _kind_of_bytes(_from_base64(whole), judge, depth) or _in_base32(whole, judge, depth):
            yield Span(*match.span(), kind)
        elif len(whole) < len(match[0]):
            yield from _line_by_line(match, judge, depth)


def _line_by_line(match: re.Match[str], judge: Judge, depth: int) -> Iterator[Span]:
    """Judge each line by itself: the lines are no single word that was wrapped."""
    start = 0
    for ended in [*_LINE_END.finditer(match[0]), None]:
        end = ended.start() if ended else len(match[0])
        word = match[0][start:end]
        if kind := _kind_of_bytes(_from_base64(word), judge, depth):
            yield Span(match.start() + start, match.start() + end, kind)
        start = ended.end() if ended else end


def _from_base64(word: str) -> bytes | None:
    """Decode a word if its first letters look promising; one that was cut is decoded as far as it goes."""
    letters = word.rstrip("=").replace("-", "+").replace("_", "/")
    letters = letters[: len(letters) - 1] if len(letters) % 4 == 1 else letters
    if len(letters) < _LEAST or not _is_promising(a2b_base64(letters[: min(_HEAD, len(letters) // 4 * 4)])):
        return None
    return a2b_base64(letters + "=" * (-len(letters) % 4))


def is_readable_base64(word: str) -> bool:
    """Return whether a word is base64 of readable text; one with a secret in it was hidden before."""
    raw = _from_base64(word) if _BASE64.fullmatch(word) else None
    return raw is not None and _is_readable(raw) and _is_whole_text(raw)


def _is_whole_text(raw: bytes) -> bool:
    """Return whether all of it is text, but for a letter that was cut: random bytes are half text, too."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(raw) - 3
    return True


def _in_base32(word: str, judge: Judge, depth: int) -> Kind | None:
    from base64 import b32decode  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    letters = word.rstrip("=")
    if not _BASE32.fullmatch(letters) or not _is_readable(b32decode(letters[:_HEAD])):
        return None
    letters = letters[: len(letters) - len(letters) % 8]
    return _kind_of_bytes(b32decode(letters), judge, depth)


_BASE32 = re.compile(r"[A-Z2-7]{24,}")


# Hexadecimal numbers, and lists of numbers


_HEXADECIMAL = compile_late(
    r"(?<![0-9A-Za-z])(?:0[xX]|\\x)?(?:[0-9a-fA-F]{24,}+|(?:[0-9a-fA-F]{2}(?:[ :]|\\x)){11,}+(?:[0-9a-fA-F]{2}(?![0-9A-Za-z]))?)"
)


_BETWEEN_BYTES = re.compile(r"0[xX]|\\x|[ :]")


def _in_hexadecimal(text: str, judge: Judge, depth: int) -> Iterator[Span]:
    for match in _HEXADECIMAL.finditer(text):
        written = match[0].rstrip(" :")
        end = match.start() + len(written)
        digits = _BETWEEN_BYTES.sub("", written)
        digits = digits[: len(digits) - len(digits) % 2]
        if text[end : end + 1].isalnum() or not _is_promising(unhexlify(digits[:_HEAD])):
            continue  # Other letters follow, so that it is no number; or nobody could read it.
        if kind := _kind_of_bytes(unhexlify(digits), judge, depth):
            yield Span(match.start(), end, kind)


# Percent signs upon percent signs


_PERCENT = compile_late(r"(?:%(?:25)?[0-9A-Fa-f]{2}|[\w.~!*()+\-=:,/@$;])++")


def _in_percent(text: str, judge: Judge, depth: int) -> Iterator[Span]:
    if "%25" not in text:
        return
    from urllib.parse import unquote  # noqa: PLC0415

    for match in _PERCENT.finditer(text):
        if "%25" not in match[0] or not (kind := _kind_of_text(unquote(unquote(match[0])), judge, depth)):
            continue
        spans = [
            Span(match.start() + part.start(), match.start() + part.end(), guilty)
            for part in _PARAMETER.finditer(match[0])
            if "%25" in part[0] and (guilty := _kind_of_text(unquote(unquote(part[0])), judge, depth))
        ]
        yield from spans or [Span(*match.span(), kind)]


_PARAMETER = compile_late(r"(?:[^%&?]|%(?!25(?:26|3[fF])))++")
"""Matches a part of an address that was encoded twice, up to the next `?` or `&`."""


# What was decoded


def _kind_of_bytes(raw: bytes | None, judge: Judge, depth: int) -> Kind | None:
    if not raw:
        return None
    if _is_private_key(raw):
        return "private key"
    if _is_wide(raw):
        raw = raw.decode("utf-16-le", "ignore").encode()
    if _is_packed(raw) and (unpacked := _unpack(raw)):
        raw = unpacked
    try:
        decoded = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        decoded = raw[: error.start].decode("utf-8") if error.start >= len(raw) - 3 else ""
    return _kind_of_text(decoded, judge, depth) if decoded else None


_HARMLESS_INSIDE = frozenset({"ip address", "phone", "national id", "account", "code"})
"""Kinds that a number in somebody's cursor looks like too often."""


def _kind_of_text(decoded: str, judge: Judge, depth: int) -> Kind | None:
    if _is_login(decoded) or _KEPT_APART.search(decoded):
        return "secret"
    after = judge(decoded)
    kinds = {match[0][11:-1] for match in MARK.finditer(after)} - _HARMLESS_INSIDE
    if after != decoded and kinds:
        return "private key" if "private key" in kinds else "secret"
    if depth > 1 and (inside := next(find_encoded(decoded, judge, depth - 1), None)):
        return inside.kind
    return None


_KEPT_APART = re.compile(
    r'\{"a": ?"[0-9a-f]{32}", ?"t": ?"[0-9a-f\-]{36}", ?"s": ?"'  # What Cloudflare gives a tunnel
    r'|\{"k": ?"\w{24,128}", ?"n": ?"[^"]{1,200}", ?"id": ?\d'  # A key of Grafana
)
"""Secrets under names of one letter."""

_LOGIN = re.compile(r"(?P<user>[A-Za-z0-9][\w.@+\-]{0,63}|):(?P<password>[^\s:\x00-\x1f]{6,256})")
_TYPES = re.compile(r"[A-Z][A-Za-z]+|\d+|v\d+")
_COUNTED = frozenset(
    """after array arrayconnection before connection cursor data date event gid group hash id index item key last link
    message model next node num number object offset order page position post prev product record ref row search
    sha sha1 sha256 md5 sort time timestamp type urn uuid version""".split()  # noqa: SIM905
)
"""What stands before the colon in cursors and in the identifiers of objects."""


def _is_login(decoded: str) -> bool:
    """Return whether it is `user:password`, and not the type and the number of an object, as GraphQL encodes them."""
    match = _LOGIN.fullmatch(decoded)
    if match is None:
        return False
    user, password = match["user"], match["password"]
    if _TYPES.fullmatch(user) or user.lower() in _COUNTED or password.startswith("//") or is_hexadecimal(password):
        return False
    letters, digits = any(map(str.isalpha, password)), any(map(str.isdigit, password))
    signs = any(character in "!@#$%^&*?~" for character in password)
    return letters and (digits or signs) and len(password) >= _LEAST_PASSWORD


_LEAST_PASSWORD = 8


def _is_readable(raw: bytes) -> bool:
    """Return whether bytes are text, or the beginning of one; of letters that are not ASCII, at least half a line is."""
    if raw.isascii():
        return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in raw)  # noqa: PLR2004
    try:
        return raw.decode("utf-8", "ignore").isprintable() and len(raw.decode("utf-8", "ignore")) * 2 > len(raw)
    except ValueError:
        return False


def _is_promising(head: bytes) -> bool:
    """Return whether first bytes may be those of a text, of a packed one, or of a key."""
    return _is_readable(head) or _is_packed(head) or _could_be_key(head) or _is_wide(head)


def _is_wide(raw: bytes) -> bool:
    """Return whether bytes are text of two bytes for each letter, as Windows encodes it."""
    head = raw[:_HEAD]
    return len(head) >= _LEAST_WIDE and not any(head[1::2]) and _is_readable(head[::2])


_LEAST_WIDE = 12


def _is_packed(raw: bytes) -> bool:
    return raw.startswith((b"\x1f\x8b\x08", b"x\x9c", b"x\xda", b"x\x01", b"x\x5e"))


def _unpack(raw: bytes) -> bytes | None:
    """Unpack no more than a bounded part: a small text may hold a large one."""
    import zlib  # noqa: PLC0415

    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(raw, _MOST_UNPACKED)
    except zlib.error:
        return None


_KEY_HEADS = (b"openssh-key-v1\x00", b"\xfe\xed\xfe\xed", b"PuTTY-User-Key-File")
_ENCRYPTED = (b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05", b"\x06\x0a\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01")
"""The algorithms with which a private key is encrypted, as its first lines name them."""


def _could_be_key(head: bytes) -> bool:
    return head[:1] == b"0" or head.startswith(tuple(name[:15] for name in _KEY_HEADS))


def _is_private_key(raw: bytes) -> bool:
    """Return whether bytes are a private key: in DER, a sequence that begins with its version, or with how it is encrypted."""
    if raw.startswith(_KEY_HEADS):
        return True
    if len(raw) < _LEAST_KEY or raw[0] != 0x30:  # noqa: PLR2004 - a sequence
        return False
    at = 2 + (raw[1] & 0x7F if raw[1] & 0x80 else 0)
    version, following = raw[at : at + 3], raw[at + 3 : at + 4]
    if version in {b"\x02\x01\x00", b"\x02\x01\x01", b"\x02\x01\x03"}:
        return following in {b"\x02", b"\x04", b"\x30"} and _fits(raw)
    return any(algorithm in raw[at : at + 20] for algorithm in _ENCRYPTED)


def _fits(raw: bytes) -> bool:
    """Return whether a sequence is as long as it says, or was cut."""
    size = int.from_bytes(raw[2 : 2 + (raw[1] & 0x7F)], "big") if raw[1] & 0x80 else raw[1]
    return len(raw) <= size + 8


_LEAST_KEY = 40


# Tokens over the end of a line


_BREAK = compile_late(
    r"(?<=[A-Za-z0-9+/_\-.=])(?P<end>(?P<told>\\\r?\n|=\r?\n)|\r?\n|\\r\\n|\\n)[ \t>|]{0,16}+(?=(?P<next>[A-Za-z0-9+/_\-.]{4,512}+)(?![=:\w]))"
)


def find_broken_tokens(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all rules.
    """Find tokens that a line end breaks into parts, none of which might be one."""
    breaks = [match for match in _BREAK.finditer(text) if match["told"] or _is_rest(match["next"])]
    if not breaks:
        return
    starts, ends = [0, *(match.end() for match in breaks)], [*(match.start() for match in breaks), len(text)]
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    joints = [*accumulate(map(len, pieces[:-1]))]
    gaps = [0, *accumulate(match.end() - match.start() for match in breaks)]
    joined = "".join(pieces)
    begun: set[int] | None = None
    for start, end, kind in find_tokens(joined, joined):
        first, last = bisect_right(joints, start), bisect_right(joints, end - 1)
        if first == last:
            continue
        begun = begun if begun is not None else {start for start, _, _ in find_tokens(text, text)}
        if begun.isdisjoint(starts[first + 1 : last + 1]):  # Else it begins behind the line end.
            yield Span(start + gaps[first], end + gaps[last], kind)


def _is_rest(word: str) -> bool:
    """Return whether a word may be the rest of a token: it is none of a language."""
    return any(map(str.isdigit, word)) or not (word.islower() or word.isupper() or word.istitle())
