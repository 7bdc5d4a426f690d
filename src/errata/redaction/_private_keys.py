"""Private keys: PEM, OpenSSH, PGP, PuTTY, age, JWK and those of wallets; whole, cut off, escaped, or without their frame.

Certificates and public keys are public, and stay.
"""

import re
from collections.abc import Iterator

from errata.redaction._spans import QUOTE, Span, compile_late

_SPACE = r"(?:\s|\\{1,4}[nrt]|%0[AaDd]|%20|\+|&\#10;|\\u000a|[|>])"
_LINE = r"[A-Za-z0-9+/=_\-]|%2[BbFf]|%3[Dd]|\\/"
_FOLLOWING = 65_536
"""How far the end of a key may be from its beginning."""


_BEGIN = compile_late(
    r"-{4,5}[ +]?BEGIN(?:[ +_]|%20)(?:[A-Z0-9 +%]{0,40}?PRIVATE(?:[ +_]|%20)KEY(?:(?:[ +_]|%20)BLOCK)?|OpenVPN Static key V1)[ +]?-{4,5}"
)


_END = compile_late(
    r"-{4,5}[ +]?END(?:[ +_]|%20)(?:[A-Z0-9 +%]{0,40}?PRIVATE(?:[ +_]|%20)KEY(?:(?:[ +_]|%20)BLOCK)?|OpenVPN Static key V1)[ +]?-{4,5}"
)


_BODY_HEADER = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)(?:: |%3A)[^\n\\]{0,200}+)"
_BODY = compile_late(
    rf"(?:{_SPACE}{{0,40}}+(?:{_BODY_HEADER}|(?:{_LINE}){{16,}}+))*+(?:{_SPACE}{{0,40}}+(?:{_LINE}){{1,76}}+(?=$|…|\.\.|[\"']|\[))?"
)
"""Matches lines of a key whose end is missing: long ones, and the rest of one that was cut."""


_UNFRAMED = compile_late(
    rf"(?:MII[A-Za-z0-9+/]{{3}}IBA[AD]|MH[cQ]CAQEE|MI[GH][A-Za-z0-9+/]AgEAM|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdjE)"
    rf"(?:{_SPACE}{{0,8}}+(?:{_LINE}){{4,}}+)++"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{20,}+"
    rf"|(?<=Private-Lines: )\d{{1,3}}(?:{_SPACE}{{1,8}}+(?:{_LINE}){{16,}}+)++"
    r"|[xyz]prv[1-9A-HJ-NP-Za-km-z]{80,}+"
)
"""Matches a key without its first line, known by how its base64 begins, and formats with lines of their own."""


_UNFRAMED_HEADS = ("MII", "CAQEE", "MIG", "MIH", "MC4C", "b3Blbn", "AGE-SEC", "-Lines", "prv")


_BEFORE = compile_late(
    rf"(?<![A-Za-z0-9+/=_\-])(?:(?:{_LINE}){{16,8192}}+{_SPACE}{{1,8}}+)++(?:(?:{_LINE}){{1,76}}+{_SPACE}{{1,8}}+)?"
)


def find_unframed_keys(text: str, lower: str) -> Iterator[Span]:
    """Find keys without a frame."""
    spans = [*_find_blocks(text, lower), *_find_wallet_keys(text)]
    if any(map(text.__contains__, _UNFRAMED_HEADS)):
        spans += [Span(*match.span(), "private key") for match in _UNFRAMED.finditer(text)]
    if any(map(lower.__contains__, _STORES)):
        spans += [Span(*match.span("value"), "private key") for match in _STORE.finditer(lower)]
    if "kty" in text:
        spans += [Span(*match.span("value"), "private key") for match in _PRIVATE_MEMBER.finditer(text)]
    return iter(sorted(spans))


_STORES = ("p12", "pfx", "pkcs", "keystore", "jks")


_STORE = compile_late(
    r"(?:p12|pfx|pkcs_?(?:8|12)|keystore|jks)\w{0,16}[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:data:[\w/.+\-]{1,64};base64,)?(?P<value>[a-z0-9+/]{64,}+={0,2})"
)
"""Matches a store of keys in base64 behind its name, in lower case."""


PRIVATE_MEMBERS = frozenset({"d", "k", "p", "q", "dp", "dq", "qi"})
"""The members of a JSON Web Key that are not public."""


_PRIVATE_MEMBER = compile_late(
    rf"{QUOTE}(?:[dkpq]|d[pq]|qi){QUOTE}[ \t]{{0,4}}(?::|=>|%3[aA])[ \t]{{0,4}}{QUOTE}(?P<value>[A-Za-z0-9_+/=\-]{{16,}}+)"
)


_BLOCK_LINE_END = rf"(?:{_SPACE}{{1,24}}|[\"']\s{{0,4}}[,+]\s{{0,24}}[\"'])"
_BLOCK = compile_late(
    rf"(?<![A-Za-z0-9+/=])(?P<first>[A-Za-z0-9+/]{{64}}(?:[A-Za-z0-9+/]{{6}})?)(?:{_BLOCK_LINE_END}[A-Za-z0-9+/]{{64,70}}+(?![A-Za-z0-9+/]))++"
    rf"(?:{_BLOCK_LINE_END}[A-Za-z0-9+/]{{4,69}}+={{0,2}}(?![A-Za-z0-9+/:]))?"
)
"""Matches lines of base64 as long as those of PEM, and the shorter one behind them."""


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


def _find_blocks(text: str, lower: str) -> Iterator[Span]:
    """Find the body of a key whose first and last line are missing, where something is said about a key."""
    for match in _BLOCK.finditer(text):
        start, end = match.span()
        about = lower[max(0, start - _NEAR) : start] + lower[end : end + _NEAR]
        if not _ABOUT_KEYS.search(about) or _PUBLIC_LINE.search(text[max(0, start - 64) : start]):
            continue
        if not any(public.match(match["first"]) for public in _PUBLIC_HEADS) and any(map(str.isdigit, match["first"])):
            yield Span(start, end, "private key")


_NEAR = 160


_WALLET_KEY = compile_late(
    r"(?<![A-Za-z0-9])[5KL9c][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])|(?<![A-Za-z0-9])S[A-Z2-7]{55}(?![A-Za-z0-9])"
)


def _find_wallet_keys(text: str) -> Iterator[Span]:
    """Find keys of Bitcoin and of Stellar, which have a checksum."""
    for match in _WALLET_KEY.finditer(text):
        if _is_stellar_seed(match[0]) or _is_wallet_key(match[0]):
            yield Span(*match.span(), "private key")


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


_BYTE = r"(?:0[xX][0-9a-fA-F]{1,2}|-?[0-9]{1,3})[uU]?8?"
_LIST_OF_BYTES = compile_late(
    rf"[\[{{]\s{{0,4}}+(?P<bytes>{_BYTE}(?:\s{{0,4}}+,\s{{0,4}}+{_BYTE}){{15,127}}+)\s{{0,4}}+,?\s{{0,4}}+[\]}}]"
)


_NAMES_A_KEY = re.compile(r"(?:key|keypair|secret|seed|private|wallet|token|password|credentials?)(?![a-z])")
_SIZES = frozenset({16, 24, 32, 48, 56, 57, 64, 66, 96, 114, 128})
"""How many bytes keys have."""


def find_spelled_keys(text: str, lower: str) -> Iterator[Span]:
    """Find keys that are written as numbers or as words."""
    spans = [*_find_in_lists(text, lower)] if "," in text else []
    if any(map(lower.__contains__, ("mnemonic", "phrase", "seed", "wallet", "recovery", "bip39"))):
        spans += _find_phrases(lower)
    return iter(sorted(spans))


def _find_in_lists(text: str, lower: str) -> Iterator[Span]:
    """Find keys that are written as a list of the numbers of their bytes."""
    for match in _LIST_OF_BYTES.finditer(text):
        before = lower[max(0, match.start() - 48) : match.start()]
        if match["bytes"].count(",") + 1 in _SIZES and _NAMES_A_KEY.search(before) and "public" not in before:
            yield Span(*match.span(), "private key")


_PHRASE = compile_late(
    r"(?:mnemonic|seed|recovery|secret|backup|wallet)(?:[ _-]?(?:phrase|words?|mnemonic|seed|code))?[\"'`]?(?: is| was)?[ :=]{1,4}[\"'`(\[]?"
    r"(?P<words>[a-z]{3,8}+(?:[ ,]{1,2}[a-z]{3,8}+){11,23}+)"
)


_WORDS_IN_A_ROW = compile_late(r"(?<![\w\-'] )(?<![\w\-'])[a-z]{3,8}+(?: [a-z]{3,8}+){11,23}+(?![\w\-']| \w)")


def _find_phrases(lower: str) -> Iterator[Span]:
    """Find the words from which a wallet can be restored: twelve to twenty-four short ones."""
    for match in _PHRASE.finditer(lower):
        if not _CONNECTING.intersection(re.split(r"[ ,]+", match["words"])):
            yield Span(*match.span("words"), "secret")
    for match in _WORDS_IN_A_ROW.finditer(lower):
        words = match[0].split()
        if len(words) % 3 == 0 and not _CONNECTING.intersection(words):
            yield Span(*match.span(), "secret")


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


def find_framed_keys(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001
    """Find keys with the lines that frame them.

    Walk from frame to frame: a beginning goes with the end behind it, unless another beginning comes first.
    """
    frames = sorted(
        [(match.span(), True) for match in _BEGIN.finditer(text)]
        + [(match.span(), False) for match in _END.finditer(text)]
    )
    seen = 0
    for ((start, end), begins), following in zip(frames, [*frames[1:], None], strict=False):
        if begins and start < seen:  # In what was the body of a key before it.
            continue
        if not begins:
            if start >= seen:
                yield Span(_find_start_of_key(text, max(seen, start - _FOLLOWING), start), end, "private key")
            seen = end
        elif following and not following[1] and following[0][0] - end < _FOLLOWING:
            seen = following[0][1]
            yield Span(start, seen, "private key")
        else:
            body = _BODY.match(text, end)
            seen = body.end() if body else end
            if seen > end:  # Else somebody only says how a key begins.
                yield Span(start, seen, "private key")


def _find_start_of_key(text: str, floor: int, end: int) -> int:
    """Go back over the lines before an end without a beginning."""
    match = None
    for match in _BEFORE.finditer(text, floor, end):
        if match.end() == end:
            return match.start()
    return end
