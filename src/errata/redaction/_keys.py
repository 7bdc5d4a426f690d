"""Private keys: PEM, OpenSSH, PGP, PuTTY, age, JWK and those of wallets; whole, cut off, escaped, or without their frame.

Certificates and public keys are public, and stay.
"""

import re
from collections.abc import Iterator
from functools import cache

from errata.redaction._edges import QUOTE
from errata.redaction._marks import Span

_SPACE = r"(?:\s|\\{1,4}[nrt]|%0[AaDd]|%20|\+|&\#10;|\\u000a|[|>])"
_LINE = r"[A-Za-z0-9+/=_\-]|%2[BbFf]|%3[Dd]|\\/"
_FOLLOWING = 65_536
"""How far the end of a key may be from its beginning."""


@cache
def _begin() -> re.Pattern[str]:
    return re.compile(
        r"-{4,5}[ +]?BEGIN(?:[ +_]|%20)(?:[A-Z0-9 +%]{0,40}?PRIVATE(?:[ +_]|%20)KEY(?:(?:[ +_]|%20)BLOCK)?|OpenVPN Static key V1)[ +]?-{4,5}"
    )


@cache
def _end() -> re.Pattern[str]:
    return re.compile(
        r"-{4,5}[ +]?END(?:[ +_]|%20)(?:[A-Z0-9 +%]{0,40}?PRIVATE(?:[ +_]|%20)KEY(?:(?:[ +_]|%20)BLOCK)?|OpenVPN Static key V1)[ +]?-{4,5}"
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
        rf"(?<![A-Za-z0-9+/=_\-])(?:(?:{_LINE}){{16,8192}}+{_SPACE}{{1,8}}+)++(?:(?:{_LINE}){{1,76}}+{_SPACE}{{1,8}}+)?"
    )


def naked_keys(text: str, lower: str) -> Iterator[Span]:
    """Find keys without a frame."""
    spans = [*_blocks(text, lower), *_wallet_keys(text)]
    if any(map(text.__contains__, _NAKED)):
        spans += [Span(*found.span(), "private key") for found in _naked().finditer(text)]
    if any(map(lower.__contains__, _STORES)):
        spans += [Span(*found.span("value"), "private key") for found in _store().finditer(lower)]
    if "kty" in text:
        spans += [Span(*found.span("value"), "private key") for found in _private_member().finditer(text)]
    return iter(sorted(spans))


_STORES = ("p12", "pfx", "pkcs", "keystore", "jks")


@cache
def _store() -> re.Pattern[str]:
    """Match a store of keys in base64 behind its name, in lower case."""
    return re.compile(
        r"(?:p12|pfx|pkcs_?(?:8|12)|keystore|jks)\w{0,16}[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:data:[\w/.+\-]{1,64};base64,)?(?P<value>[a-z0-9+/]{64,}+={0,2})"
    )


PRIVATE_MEMBERS = frozenset({"d", "k", "p", "q", "dp", "dq", "qi"})
"""The members of a JSON Web Key that are not public."""


@cache
def _private_member() -> re.Pattern[str]:
    return re.compile(
        rf"{QUOTE}(?:[dkpq]|d[pq]|qi){QUOTE}[ \t]{{0,4}}(?::|=>|%3[aA])[ \t]{{0,4}}{QUOTE}(?P<value>[A-Za-z0-9_+/=\-]{{16,}}+)"
    )


@cache
def _block() -> re.Pattern[str]:
    """Match lines of base64 as long as those of PEM, and the shorter one behind them."""
    ended = rf"(?:{_SPACE}{{1,24}}|[\"']\s{{0,4}}[,+]\s{{0,24}}[\"'])"
    return re.compile(
        rf"(?<![A-Za-z0-9+/=])(?P<first>[A-Za-z0-9+/]{{64}}(?:[A-Za-z0-9+/]{{6}})?)(?:{ended}[A-Za-z0-9+/]{{64,70}}+(?![A-Za-z0-9+/]))++"
        rf"(?:{ended}[A-Za-z0-9+/]{{4,69}}+={{0,2}}(?![A-Za-z0-9+/:]))?"
    )


_ABOUT_KEYS = re.compile(r"key|pem\b|private|secret|ssl|tls|crypt|x509|pkcs|asn1|asn\.1|rsa|ecdsa|ed25519|sign")
_PUBLIC_LINE = re.compile(
    r"(?:CERTIFICATE|PUBLIC KEY|SIGNATURE|MESSAGE|REQUEST|CRL|PARAMETERS|PKCS7|CMS)[A-Z ]{0,12}-{4,5}\s{0,24}$"
)
_PUBLIC_HEADS = (
    re.compile(
        r"MII[A-Za-z0-9+/]{3}CC|MIIB[A-Za-z0-9+/]{2}|MII[A-Za-z0-9+/]{4}D[A-Za-z0-9+/]BgkqhkiG9w0BAQEF|M[CFIH][A-Za-z0-9+/]wE"
    ),
    re.compile(
        r"iVBOR|/9j/|R0lGOD|JVBERi|UEsDB|H4sI|UklGR|PHN2Zy|PD94bWw|AAAA|d09G|AAEAAA|f0VMRg|yv66vg|Qk0|SUkq|T2dnUw|SUQz|GkXf"
    ),
)
"""How certificates and public keys begin in base64, and pictures, archives, sounds and programs."""


def _blocks(text: str, lower: str) -> Iterator[Span]:
    """Find the body of a key whose first and last line are missing, where something is said about a key."""
    for found in _block().finditer(text):
        start, end = found.span()
        about = lower[max(0, start - _NEAR) : start] + lower[end : end + _NEAR]
        if not _ABOUT_KEYS.search(about) or _PUBLIC_LINE.search(text[max(0, start - 64) : start]):
            continue
        if not any(public.match(found["first"]) for public in _PUBLIC_HEADS) and any(map(str.isdigit, found["first"])):
            yield Span(start, end, "private key")


_NEAR = 160


@cache
def _wallet_key() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])|(?<![A-Za-z0-9])S[A-Z2-7]{55}(?![A-Za-z0-9])"
    )


def _wallet_keys(text: str) -> Iterator[Span]:
    """Find keys of Bitcoin and of Stellar, which have a checksum."""
    for found in _wallet_key().finditer(text):
        if _is_stellar_seed(found[0]) or _is_wallet_key(found[0]):
            yield Span(*found.span(), "private key")


def _is_wallet_key(word: str) -> bool:
    from hashlib import sha256  # noqa: PLC0415 - few need it, and importing errata is to be cheap.

    number = 0
    for letter in word:
        digit = _BASE58.find(letter)
        if digit < 0:
            return False
        number = number * 58 + digit
    raw = number.to_bytes(max(38, (number.bit_length() + 7) // 8), "big").lstrip(b"\0")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _is_stellar_seed(word: str) -> bool:
    from base64 import b32decode  # noqa: PLC0415
    from binascii import crc_hqx  # noqa: PLC0415

    if word[0] != "S" or len(word) != 56:  # noqa: PLR2004
        return False
    raw = b32decode(word)
    return crc_hqx(raw[:-2], 0) == int.from_bytes(raw[-2:], "little")


@cache
def _bytes_in_a_list() -> re.Pattern[str]:
    byte = r"(?:0[xX][0-9a-fA-F]{1,2}|-?[0-9]{1,3})[uU]?8?"
    return re.compile(
        rf"[\[{{]\s{{0,4}}+(?P<bytes>{byte}(?:\s{{0,4}}+,\s{{0,4}}+{byte}){{15,127}}+)\s{{0,4}}+,?\s{{0,4}}+[\]}}]"
    )


_NAMES_A_KEY = re.compile(r"(?:key|keypair|secret|seed|private|wallet|token|password|credentials?)(?![a-z])")
_SIZES = frozenset({16, 24, 32, 48, 56, 57, 64, 66, 96, 114, 128})
"""How many bytes keys have."""


def spelled_keys(text: str, lower: str) -> Iterator[Span]:
    """Find keys that are written as numbers or as words."""
    spans = [*_keys_in_lists(text, lower)] if "," in text else []
    if any(map(lower.__contains__, ("mnemonic", "phrase", "seed", "wallet", "recovery", "bip39"))):
        spans += _phrases(lower)
    return iter(sorted(spans))


def _keys_in_lists(text: str, lower: str) -> Iterator[Span]:
    """Find keys that are written as a list of the numbers of their bytes."""
    for found in _bytes_in_a_list().finditer(text):
        before = lower[max(0, found.start() - 48) : found.start()]
        if found["bytes"].count(",") + 1 in _SIZES and _NAMES_A_KEY.search(before) and "public" not in before:
            yield Span(*found.span(), "private key")


@cache
def _phrase() -> re.Pattern[str]:
    return re.compile(
        r"(?:mnemonic|seed|recovery|secret|backup|wallet)(?:[ _-]?(?:phrase|words?|mnemonic|seed|code))?[\"'`]?(?: is| was)?[ :=]{1,4}[\"'`(\[]?"
        r"(?P<words>[a-z]{3,8}+(?:[ ,]{1,2}[a-z]{3,8}+){11,23}+)"
    )


@cache
def _words_in_a_row() -> re.Pattern[str]:
    return re.compile(r"(?<![\w\-'] )(?<![\w\-'])[a-z]{3,8}+(?: [a-z]{3,8}+){11,23}+(?![\w\-']| \w)")


def _phrases(lower: str) -> Iterator[Span]:
    """Find the words from which a wallet can be restored: twelve to twenty-four short ones."""
    for found in _phrase().finditer(lower):
        if not _CONNECTING.intersection(re.split(r"[ ,]+", found["words"])):
            yield Span(*found.span("words"), "secret")
    for found in _words_in_a_row().finditer(lower):
        words = found[0].split()
        if len(words) % 3 == 0 and not _CONNECTING.intersection(words):
            yield Span(*found.span(), "secret")


_CONNECTING = frozenset(
    {
        "the",
        "and",
        "for",
        "was",
        "are",
        "not",
        "has",
        "with",
        "from",
        "that",
        "but",
        "your",
        "its",
        "our",
        "been",
        "were",
        "had",
        "cannot",
    }
)
"""Words of every sentence, which the list of words for wallets leaves out."""


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
        if begins and start < seen:  # In what was the body of a key before it.
            continue
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
