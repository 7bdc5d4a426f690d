"""Text that may be seen by anybody: every layer in turn, and for most texts none of them."""

import re
from collections.abc import Iterator

from errata.redaction._commands import find_commands
from errata.redaction._encodings import find_broken_tokens, find_encoded, may_be_encoded, unescape
from errata.redaction._key_value_pairs import find_pairs
from errata.redaction._known_values import find_known, generation, has_known
from errata.redaction._personal_data import ABOUT_PEOPLE, find_personal_data
from errata.redaction._private_keys import find_framed_keys, find_spelled_keys, find_unframed_keys
from errata.redaction._prose import find_schemes, find_sentences
from errata.redaction._spans import INVISIBLE, TEXT, Rule, fold_case, hide, mark
from errata.redaction._tables_and_sql import find_quoted_rows, find_rows, may_be_quoted
from errata.redaction._token_formats import find_tokens
from errata.redaction._urls import KEY_BEHIND, find_links, find_url_passwords

_ROUNDS = 6
_MOST_REMEMBERED = 512
_LONGEST_REMEMBERED = 512
_SHORTEST_NUMBER = 14
_SHORTEST_TOKEN = 16
_SHORT_TEXT = 1_048_576

# What a text has to have for a layer to be worth its time. Together they are all that most texts cost.
# fmt: off
_STEMS = (  # One after the other in C; as one pattern they take three times as long.
    "pass", "pw", "psw", "pat", "psk", "pfx", "phrase", "secret", "sess", "senha", "sid", "sig", "srf", "salt", "token", "key", "kennw",
    "auth", "cookie", "code", "contrase", "cred", "jwt", "hmac", "bearer", "basic", "negotiate", "ntlm", "ssws", "mnem", "macar",
    "appid", "license", "licence", "ticket", "assertion", "access", "refresh", "login", "seed", "pepper", "identify", "community",
    "wachtwoord", "losenord", "adgangskode", "salasana", "heslo", "haslo", "parol", "parool", "sifre", "geslo", "lozinka", "kodeord", "matkhau",
    "sandi", "wresult",
)
_FOREIGN_STEMS = (
    "lösenord", "hasło", "şifre", "jelszó", "סיסמה", "пароль", "лозинка", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호",
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
    """Whether it is known of all texts that nothing in them is to be hidden; one that was not judged yet is not."""
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
    if text.isascii() and not _long_words(text) and not _INTERESTING.search(text):
        return text
    text = _without_disguise(_by_looks(text))
    return hide(text, find_encoded(text, _plainly)) if may_be_encoded(text, _long_words(text)) else text


def _without_disguise(text: str) -> str:
    """Redact a text without its needless escapes, if something comes to light; else leave it as it is."""
    plain = unescape(text)
    if plain == text:
        return text
    after = _plainly(plain)
    return text if after == plain else after


def _plainly(text: str) -> str:
    """Hide the same in a text that was decoded."""
    return _by_looks(hide(text, find_known(text)) if has_known(text) else text)


def _by_looks(text: str) -> str:
    """Apply the layers that are needed; what one of them hid, the next does not see."""
    if len(text) < _SHORTEST_NUMBER and (text.isalnum() or text.isidentifier()):
        return text
    long = _long_words(text)
    if not long and not _INTERESTING.search(text):
        return text
    lower = fold_case(text)
    for layer in _needed(text, lower, long):
        after = hide(text, layer(text, lower))
        text, lower = (text, lower) if after is text else (after, fold_case(after))
    return text


def _needed(text: str, lower: str, long: str) -> Iterator[Rule]:
    digits = _DIGITS.search(text)
    at = "@" in text or "%40" in text or "u0040" in text or "#64;" in text or "at]" in lower or "(at)" in lower
    joint = any(map(text.__contains__, _JOINTS))
    people = _may_name_people(lower)
    stem = (digits or long or joint) and _has_stem(lower)
    yield from _needed_for_keys(text, lower, long=bool(long), stem=bool(stem))
    yield from _needed_for_addresses(lower, at=at, long=bool(long))
    if joint and (stem or (digits and _NUMBERED_STEM.search(lower)) or people):
        yield find_pairs
    if any(map(lower.__contains__, _COMMANDS)) or ("/" in text and "conn" in lower):
        yield find_commands
    if stem:
        yield find_schemes
    if (
        (stem and (digits or long))
        or (digits and ("pin " in lower or "otp " in lower))
        or (long and (digits or _TURNED_DOWN.search(lower)))
    ):
        yield find_sentences
    if ((stem or people) and any(map(lower.__contains__, _ROWS))) or "failing row" in lower or "insert into" in lower:
        yield find_rows
        if may_be_quoted(text):
            yield find_quoted_rows
    if at or "begin:vcard" in lower or (digits and (_FIGURES.search(text) or ABOUT_PEOPLE.search(lower))):
        yield find_personal_data


def _has_stem(lower: str) -> bool:
    """Whether a text may have the name of a secret in it."""
    if any(map(lower.__contains__, _STEMS)) or (not lower.isascii() and any(map(lower.__contains__, _FOREIGN_STEMS))):
        return True
    return ("sk" in lower or "api" in lower) and _STEM_IN_PARTS.search(lower) is not None


def _may_name_people(lower: str) -> bool:
    return ("name" in lower or "holder" in lower) and _NAMES_OF_PEOPLE.search(lower) is not None


def _needed_for_keys(text: str, lower: str, *, long: bool, stem: bool) -> Iterator[Rule]:
    if "PRIVATE" in text or "Static key" in text:
        yield find_framed_keys
    if long:
        yield find_unframed_keys
        yield lambda text, _: find_broken_tokens(text)
        yield lambda text, _: find_tokens(text, _long_words(text))
    if stem or any(map(lower.__contains__, ("seed", "mnemonic", "phrase", "wallet", "bip39", "recovery"))):
        yield find_spelled_keys


def _needed_for_addresses(lower: str, *, at: bool, long: bool) -> Iterator[Rule]:
    if at:
        yield find_url_passwords
    if (
        long
        and "/" in lower
        and (any(map(lower.__contains__, _LETTING_IN)) or any(map(lower.__contains__, KEY_BEHIND)))
    ):
        yield find_links


def _long_words(text: str) -> str:
    """Keep the words that are long enough for a token; of a long text, all."""
    if len(text) > _SHORT_TEXT:
        return text
    return " ".join([word for word in text.split() if len(word) >= _SHORTEST_TOKEN])
