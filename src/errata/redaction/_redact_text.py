"""Redaction of a text: which rules may find something, their spans, and a mark for each.

The traits of a text say which rules of the table are applied, one after the other. That is repeated until nothing changes,
because a mark may bring something to light; so redacting again changes nothing.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from errata.redaction._commands import find_commands
from errata.redaction._encodings import find_broken_tokens, find_encoded, may_be_encoded, unescape
from errata.redaction._key_value_pairs import find_pairs
from errata.redaction._known_values import find_known, generation, has_known
from errata.redaction._personal_data import ABOUT_PEOPLE, find_personal_data
from errata.redaction._private_keys import find_framed_keys, find_spelled_keys, find_unframed_keys
from errata.redaction._prose import find_schemes, find_sentences
from errata.redaction._spans import INVISIBLE, TEXT, Rule, Span, fold_case, hide, mark
from errata.redaction._tables_and_sql import find_quoted_rows, find_rows, may_be_quoted
from errata.redaction._token_formats import find_tokens
from errata.redaction._urls import KEY_BEHIND, find_links, find_url_passwords

_ROUNDS = 6
_MOST_REMEMBERED = 512
_LONGEST_REMEMBERED = 512
_SHORTEST_NUMBER = 14
_SHORTEST_TOKEN = 16
_SHORT_TEXT = 1_048_576

# What a text has to have in it for a rule to be worth its time.
# fmt: off
_STEMS = (  # One after the other in C; as one pattern they take three times as long.
    "pass", "pw", "psw", "pat", "psk", "pfx", "phrase", "secret", "sess", "senha", "sid", "sig", "srf", "salt", "token", "key", "kennw",
    "auth", "cookie", "code", "contrase", "cred", "jwt", "hmac", "bearer", "basic", "negotiate", "ntlm", "ssws", "mnem", "macar",
    "appid", "license", "licence", "ticket", "assertion", "access", "refresh", "login", "seed", "pepper", "identify", "community",
    "wachtwoord", "losenord", "adgangskode", "salasana", "heslo", "haslo", "parol", "parool", "sifre", "geslo", "lozinka", "kodeord", "matkhau",
    "sandi", "wresult", "clave", "chave", "chiave", "jeton",
)
_FOREIGN_STEMS = (
    "lösenord", "hasło", "şifre", "jelszó", "סיסמה", "пароль", "лозинка", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호",
    "schlüssel", "clé", "токен", "ключ", "令牌", "权杖", "密钥", "密鑰", "金鑰", "トークン", "キー", "秘密鍵", "토큰", "키",
)
# fmt: on
_STEM_IN_PARTS = re.compile(r"(?:sdk|volc|bce|cloud)[ _-]?sk|art[ _-]?api")
_NUMBERED_STEM = re.compile(
    r"phone|mobile|msisdn|tel|fax|card|ssn|sin|nino|iban|pin|otp|cv[vc]|account|tax|nation|security|pan|number|ccn|birth|dob|street|address"
)
_NAMES_OF_PEOPLE = re.compile(
    r"(?:full|first|last|sur|given|family|middle|maiden|holder|patient|legal|customer|employee|passenger|student|guest|beneficiary|recipient"
    r"|contact|payer|payee|sender)[ _-]?name|account[ _-]?holder"
)
_INTERESTING = re.compile(r"[0-9=:>%\"'`@\\/\-\[(]")
_DIGITS = re.compile(r"[0-9]")
_TURNED_DOWN = re.compile(r"reject|revok|refus|declin|denied|leaked|expired")
_FIGURES = re.compile(
    r"[0-9][0-9 .:()\-\u00a0/]{5}[0-9]|<<<|[A-Z]{2}[0-9]{2}|[23][0-9a-fA-F]{3}:|%2[bB][0-9]|(?:[0-9a-fA-F]{2}[:\-]){5}|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\."
)
# fmt: off
_LETTING_IN = (
    "/reset", "/recover", "/set", "/invit", "/magic", "/one", "/otp", "/verif", "/confirm", "/activ", "/unlock",
    "/pass", "/sso", "/login", "magic=", "link=", "invite=", "invitation=", "verify=", "confirm=", "confirmation=",
    "activation=", "ott=", "share=",
)
# fmt: on
_WALLETS = ("seed", "mnemonic", "phrase", "wallet", "bip39", "recovery")
_ROWS = ("'", '"', "`", "\n", "[", "(", "<th", "><")
# fmt: off
_COMMANDS = (
    " -", " /rp ", "net ", "rabbitmqctl", "vault ", '("', "'", '"-', "sqlplus", "identified", " /u", "@//", ":54",
    ":6432:", ":*:", "chpasswd", "composer ", "zkcli", "mysqladmin", "/p:", "mc alias", "cryptsetup",
    "getconnection", '";s:', "[1]", "psk", "]:", "gen_salt", "wordpress_", "/private-", "snyk ", " codes", "impdp ",
    "expdp ", "sqlldr ", "rman ", "echo ", "printf ", "<<<", ": eap ", ": xauth ", "createuser ", " >", ".new(",
    '"auth" ', "crypt", "client_random", "traffic_secret", "exporter_secret", "bundle_", "send ", "routing_key",
    "routingkey", "poetry ", "unseal", "rtmp", "cf auth ", "1) ", "hset ", "hmset ", "\\x", "set ", '(b"', "jwt.",
    "signwith(", "fill_in ", ' with "', " * ", "sp_", "openrowset", "pragma ", "attach ", "stats auth ",
    "auth-pass ", "loginmodule", "setx ", "bw ", "userid=", "wpa_", " using ", ".logon ", "user-secrets ",
    ":pserver:", "\nuser ", "signtool ", "pdftk ", "nmcli ", "rclone ", "bundle ", "secrets set ",
)
_JOINTS = (
    "=", ":", ">", "&gt;", "%3", "u003", "--", "',", '",', ",'", ',"', ",<<", "('", '("', "value", " -", "|", "<-",
    "\t", "\uff1a",
)
# fmt: on


def redact_text(text: str) -> str:
    """Hide what nobody outside may see. Redacting again changes nothing."""
    known_now = generation()
    if _HARMLESS.get(text) == known_now:
        return text
    if not text.isascii() and INVISIBLE.search(text):
        visible = INVISIBLE.sub("", text)
        if (shown := redact_text(visible)) != visible:
            return shown  # What nobody sees had hidden a name, or broken a value.
    for _ in range(_ROUNDS):
        before, text = text, _once(text)
        if text == before:
            _remember(text, known_now)
            return text
    # Each mark made something else look like a secret: nobody writes such text by accident.
    return mark(TEXT)


_HARMLESS: dict[str, int] = {}
"""Short texts in which nothing is to be hidden, and which secrets were known then.

Servers say the same few things again and again. What was hidden is not kept here: it would outlive its time.
"""


def are_harmless(*texts: str | None) -> bool:
    """Return whether all texts are remembered as having nothing to hide."""
    known_now = generation()
    return all(text is None or _HARMLESS.get(text) == known_now for text in texts)


def _remember(text: str, known_then: int) -> None:
    if len(text) > _LONGEST_REMEMBERED or text[:1] in {"{", "["}:  # JSON is also judged by its members.
        return
    if len(_HARMLESS) >= _MOST_REMEMBERED:
        _HARMLESS.clear()
    _HARMLESS[text] = known_then


def _once(text: str) -> str:
    """Hide the values that this process knows, then what looks like a secret, then what is one in disguise."""
    if has_known(text):
        text = hide(text, find_known(text))
    long = _long_words(text)
    if not long and text.isascii() and not _INTERESTING.search(text):
        return text
    shown = _without_disguise(_by_looks(text, long))
    long = long if shown is text else _long_words(shown)
    return hide(shown, find_encoded(shown, _plainly)) if may_be_encoded(shown, long) else shown


def _without_disguise(text: str) -> str:
    """Redact a text without its needless escapes, if something comes to light; else leave it as it is."""
    plain = unescape(text)
    if plain == text:
        return text
    after = _plainly(plain)
    return text if after == plain else after


def _plainly(text: str) -> str:
    """Redact a text that was decoded: by known values, then by looks."""
    text = hide(text, find_known(text)) if has_known(text) else text
    return _by_looks(text, _long_words(text))


def _by_looks(text: str, long: str) -> str:
    """Apply the rules that may find something; what one of them hid, the next does not see."""
    if len(text) < _SHORTEST_NUMBER and (text.isalnum() or text.isidentifier()):
        return text
    if not long and not _INTERESTING.search(text):
        return text
    lower = fold_case(text)
    traits = _read_traits(text, lower, long)
    for may_find, rule in _RULES:
        if may_find(traits):
            after = hide(text, rule(text, lower))
            if after is not text:
                text, lower = after, fold_case(after)
    return text


class _Traits(NamedTuple):
    """What a text has in it that makes a rule worth its time. For most texts, reading them is all that redaction costs."""

    text: str
    lower: str
    long: bool
    """Words that are long enough for a token."""
    digits: bool
    at: bool
    """A sign that may be the @ of an address."""
    joint: bool
    """Something that may stand between a name and its value."""
    people: bool
    """The name of a field with the name of a person."""
    stem: bool
    """A part of a name that announces a secret."""

    def has_any(self, literals: tuple[str, ...]) -> bool:
        return any(map(self.lower.__contains__, literals))


def _read_traits(text: str, lower: str, long: str) -> _Traits:
    digits = _DIGITS.search(text) is not None
    joint = any(map(text.__contains__, _JOINTS))
    return _Traits(
        text,
        lower,
        long=bool(long),
        digits=digits,
        at="@" in text or "%40" in text or "u0040" in text or "#64;" in text or "at]" in lower or "(at)" in lower,
        joint=joint,
        people=("name" in lower or "holder" in lower) and _NAMES_OF_PEOPLE.search(lower) is not None,
        stem=(digits or bool(long) or joint) and _has_stem(lower),
    )


def _has_stem(lower: str) -> bool:
    if any(map(lower.__contains__, _STEMS)) or (not lower.isascii() and any(map(lower.__contains__, _FOREIGN_STEMS))):
        return True
    return ("sk" in lower or "api" in lower) and _STEM_IN_PARTS.search(lower) is not None


def _may_have_pairs(has: _Traits) -> bool:
    return has.joint and (has.stem or (has.digits and _NUMBERED_STEM.search(has.lower) is not None) or has.people)


def _may_have_sentences(has: _Traits) -> bool:
    if has.stem and (has.digits or has.long):
        return True
    if has.digits and ("pin " in has.lower or "otp " in has.lower):
        return True
    return has.long and (has.digits or _TURNED_DOWN.search(has.lower) is not None)


def _may_have_rows(has: _Traits) -> bool:
    telling = (has.stem or has.people) and has.has_any(_ROWS)
    return telling or "failing row" in has.lower or "insert into" in has.lower


def _may_have_personal_data(has: _Traits) -> bool:
    if has.at or "begin:vcard" in has.lower:
        return True
    return has.digits and (_FIGURES.search(has.text) is not None or ABOUT_PEOPLE.search(has.lower) is not None)


def _find_tokens(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all rules.
    return find_tokens(text, _long_words(text))


_RULES: tuple[tuple[Callable[[_Traits], bool], Rule], ...] = (
    (lambda has: "PRIVATE" in has.text or "Static key" in has.text, find_framed_keys),
    (lambda has: has.long, find_unframed_keys),
    (lambda has: has.long, find_broken_tokens),
    (lambda has: has.long, _find_tokens),
    (lambda has: has.stem or has.has_any(_WALLETS), find_spelled_keys),
    (lambda has: has.at, find_url_passwords),
    (lambda has: has.long and "/" in has.lower and (has.has_any(_LETTING_IN) or has.has_any(KEY_BEHIND)), find_links),
    (_may_have_pairs, find_pairs),
    (lambda has: has.has_any(_COMMANDS) or ("/" in has.text and "conn" in has.lower), find_commands),
    (lambda has: has.stem, find_schemes),
    (_may_have_sentences, find_sentences),
    (_may_have_rows, find_rows),
    (lambda has: may_be_quoted(has.text) and _may_have_rows(has), find_quoted_rows),
    (_may_have_personal_data, find_personal_data),
)
"""Every rule in the order in which they are applied, and whether it may find something in a text."""


def _long_words(text: str) -> str:
    """Keep the words that are long enough for a token; of a long text, all."""
    if len(text) > _SHORT_TEXT:
        return text
    return " ".join([word for word in text.split() if len(word) >= _SHORTEST_TOKEN])
