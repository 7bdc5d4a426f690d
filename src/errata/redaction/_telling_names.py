"""Which names announce a secret: of a variable, a header, a parameter, a column, a key in JSON.

A name is taken apart into words, whatever its style: `X-Api-Key`, `clientSecret`, `DB_PASSWORD`, `user[pin]`. The last
word says what the value is; the words before it say whose.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from errata.redaction._spans import Kind


class Promise(NamedTuple):
    """What a name promises about its value."""

    kind: Kind
    sure: bool
    """Whether any value is hidden, or only one that looks made by a machine."""


# fmt: off
_KINDS: dict[Kind, tuple[str, ...]] = {
    "password": (
        "password", "passwd", "pswd", "passwort", "kennwort", "passphrase", "passcode", "passkey", "pwd", "psw", "pw",
        "passwords", "passphrases", "senha", "contrasena", "contraseña", "motdepasse", "sshpass", "authtok", "storepass", "keypass", "userpass", "wachtwoord",
        "passord", "lösenord", "losenord", "adgangskode", "salasana", "heslo", "hasło", "haslo", "parola", "şifre", "jelszó",
        "sifre", "geslo", "lozinka", "kodeord", "parool", "parol", "matkhau", "סיסמה", "пароль", "лозинка", "密码", "密碼", "口令", "パスワード", "비밀번호", "암호",
    ),
    "secret": ("secret", "secrets", "mnemonic", "psk", "pass"),
    "token": ("token", "jwt", "bearer", "authorization", "macaroon"),
    "key": ("apikey", "authkey", "accesskey", "secretkey", "privatekey", "accountkey", "sharedkey", "masterkey"),
    "cookie": ("cookie", "cookies", "cookie2"),
    "code": ("pin", "otp", "totp", "cvv", "cvv2", "cvc", "cvc2"),
    "phone": ("phone", "telephone", "tel", "mobile", "msisdn", "fax", "phonenumber", "cellphone"),
    "card": ("pan", "cardnumber", "creditcard", "ccnumber"),
    "national id": ("ssn", "sin", "nino", "passportnumber"),
    "account": ("iban",),
    "name": ("surname", "fullname", "firstname", "lastname", "holdername"),
    "birth date": ("dob", "birthdate", "birthday", "dateofbirth"),
}
"""The last word of a name that is sure to announce something of a kind."""

_UNSURE: dict[Kind, tuple[str, ...]] = {
    "key": ("key", "appid", "license", "licence"),
    "token": ("tokens", "auth", "oauth", "wresult", "csrf", "xsrf", "pat", "ticket", "assertion", "access", "refresh"),
    "session": ("session", "sid", "sess", "sessionid", "sessid", "phpsessid", "jsessionid"),
    "signature": ("signature", "sig", "sign", "hmac"),
    "secret": ("credential", "credentials", "creds", "salt", "pepper", "seed"),
}
"""The same for words with an innocent meaning: `session=active`, `key=name`."""

_PHRASES: dict[Kind, tuple[str, ...]] = {
    "key": (
        "api key", "access key", "secret key", "private key", "auth key", "encryption key", "signing key", "master key",
        "account key", "shared key", "storage key", "service key", "subscription key", "functions key", "app key",
        "application key", "license key", "deploy key", "consumer key", "ssh key", "hmac key", "webhook key",
        "admin key", "root key", "server key", "client key", "decryption key", "fernet key", "jwt key", "pairing key",
        "activation key", "developer key", "integration key", "ingest key", "art api", "key material", "sdk sk", "volc sk", "bce sk", "cloud sk",
    ),
    "code": (
        "verification code", "otp code", "mfa code", "fa code", "auth code", "security code", "pin code", "access code",
        "authorization code", "sms code", "login code", "totp code", "unlock code", "pairing code", "reset code",
        "activation code", "confirmation code", "user code",
    ),
    "session": ("session id", "session key", "session token", "session cookie"),
    "password": ("pass word", "de passe", "kata sandi", "rediscli auth", "redis auth"),
    "token": ("oob code",),
    "secret": (
        "snmp community", "code verifier", "oauth verifier", "device code", "secret id", "seed phrase", "recovery phrase", "backup phrase",
        "security credentials", "backup code", "recovery code", "backup codes", "recovery codes",
    ),
    "phone": ("phone number", "mobile number", "telephone number", "fax number", "cell number"),
    "card": ("card number", "credit card", "cc number"),
    "account": ("account number", "iban number", "routing number"),
    "name": (
        "full name", "first name", "last name", "given name", "family name", "middle name", "maiden name", "holder name",
        "cardholder name", "patient name", "legal name",
    ),
    "birth date": ("birth date", "of birth"),
    "address": ("street address", "home address", "postal address", "mailing address", "billing address", "shipping address", "address line"),
    "national id": ("social security", "security number", "tax id", "national id", "passport number", "tax number"),
}
"""Two last words that announce something only together."""

_UNSURE_PHRASES: dict[Kind, tuple[str, ...]] = {
    "signature": ("hmac sha", "signature sha"),
    "name": (
        "customer name", "employee name", "passenger name", "student name", "guest name", "beneficiary name", "recipient name",
        "contact name", "payer name", "payee name", "sender name", "account holder",
    ),
}
"""The same for two words that are said of things, too: a customer may be a company."""

_INNOCENT = frozenset({
    # Tokens of parsers, of language models, and of those who read page by page or watch progress.
    "unexpected token", "progress token", "page token", "next token", "continuation token", "sync token", "cursor token",
    "stop token", "eos token", "bos token", "pad token", "unk token", "mask token", "sep token", "cls token",
    "special token", "max token", "min token", "start token", "end token", "cancellation token", "syntax token",
    "skip token", "resume token", "parse token", "first token", "last token", "per token", "delta token", "marker token",
    "stop tokens", "max tokens", "min tokens", "input tokens", "output tokens", "prompt tokens", "completion tokens",
    "total tokens", "cached tokens", "reasoning tokens", "input token", "output token", "prompt token", "completion token",
    # Keys of tables, caches, queues and objects.
    "primary key", "foreign key", "unique key", "composite key", "duplicate key", "cache key", "sort key", "hash key",
    "partition key", "range key", "index key", "idempotency key", "object key", "s3 key", "routing key", "public key",
    "lookup key", "group key", "row key", "column key", "translation key", "i18n key", "message key", "dict key",
    "natural key", "surrogate key", "shard key", "map key", "registry key", "host key", "missing key", "unknown key",
    "dedup key", "deduplication key", "json key", "config key", "sorting key", "ordering key", "record key", "no key",
    "publishable key", "site key", "bucket key", "file key", "metric key", "feature key", "issue key", "project key",
    "socket key",
    # Names of objects that hold a secret.
    "existing secret", "pull secret", "pull secrets",
})
"""Two last words that announce nothing, though the last alone would."""

_ASIDES = frozenset({
    "value", "string", "text", "data", "binary", "encrypted", "enc", "new", "old", "current", "confirmation", "confirm",
    "again", "repeat", "prod", "production", "staging", "stage", "dev", "test", "live", "default", "primary", "secondary",
    "base", "base64", "b64", "plain", "plaintext", "raw", "hex", "header", "v1", "v2", "v3", "hash", "hashed", "digest",
    "private", "b",
})
"""Words behind the one that counts: `password_hash`, `SecretString`, `API_KEY_PROD`."""
# fmt: on

_SURE_WORDS: dict[str, Kind] = {word: kind for kind, words in _KINDS.items() for word in words}
_UNSURE_WORDS: dict[str, Kind] = {word: kind for kind, words in _UNSURE.items() for word in words}
_SURE_PHRASES: dict[str, Kind] = {phrase: kind for kind, phrases in _PHRASES.items() for phrase in phrases}
_PHRASES_IN_DOUBT: dict[str, Kind] = {phrase: kind for kind, phrases in _UNSURE_PHRASES.items() for phrase in phrases}

_SECOND_WORDS = frozenset(phrase.partition(" ")[2] for phrase in (*_SURE_PHRASES, *_PHRASES_IN_DOUBT))
_LAST_WORDS = {*_SURE_WORDS, *_UNSURE_WORDS, *_SECOND_WORDS}

STEMS = tuple(sorted(word for word in _LAST_WORDS if not any(stem in word for stem in _LAST_WORDS - {word})))
"""What every telling name has in it, in lower case."""

_WORD_BEFORE = re.compile(r"([A-Za-z]{1,24}) $")
_NAME_BEFORE = re.compile(r"(?:[A-Za-z]{1,24} )?[\w\-]{0,24}$")

# Words run together, `pgpassword` or `mysecret`: what they end in.
_ENDINGS: tuple[tuple[str, Kind], ...] = (
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("secret", "secret"),
    ("token", "token"),
    ("apikey", "key"),
    ("accesskey", "key"),
    ("secretkey", "key"),
    ("privatekey", "key"),
    ("sessionid", "session"),
    ("sessid", "session"),
    ("pw", "password"),
)
_OTHER_ENDINGS = frozenset({"pkey", "pubkey", "publickey"})
"""Words that only end as one of them does."""
_OWNED_PASS = re.compile(
    r"(?:admin|api|app|auth|become|bind|client|conn|db|docker|ftp|git|host|http|imap|key|ldap|login|mail|mongo|mq|my|mysql|pg|pop|proxy"
    r"|rabbit|redis|registry|root|sa|server|service|smtp|sql|ssh|store|sudo|svc|trust|user|vpn|web|wifi)pass"
)
"""Words that end in `pass` and mean one; `compass` and `bypass` do not."""
_LOOKUPS = frozenset(
    {"get", "fetch", "read", "load", "find", "lookup", "resolve", "has", "is", "no", "validate", "check"}
)

_WORD = re.compile(r"[A-ZÀ-ÞŁŞ]+(?![a-zß-ÿłş])|[A-ZÀ-ÞŁŞ]?[a-zß-ÿłş]+|[0-9]+|[^\W\d_A-Za-zÀ-ÿŁłŞş]+")


@lru_cache(maxsize=1024)
def read_promise(name: str) -> Promise | None:
    """Return what a name announces about its value, or None."""
    words = _split_words(name)
    while len(words) > 1 and (words[-1] in _ASIDES or words[-1].isdigit()):
        words.pop()
    if not words or words == ["key"] or "public" in words or words[0] in _LOOKUPS:
        return None
    last, phrase = words[-1], " ".join(words[-2:])
    if phrase in _INNOCENT:
        return None
    if kind := _SURE_PHRASES.get(phrase) or _SURE_WORDS.get(last):
        return Promise(kind, sure=kind != "session")
    if kind := _PHRASES_IN_DOUBT.get(phrase) or _UNSURE_WORDS.get(last):
        return Promise(kind, sure=False)
    return _read_ending(last)


def _read_ending(word: str) -> Promise | None:
    """Return what a name of words run together announces: `pgpassword`, `smtppass`, `devkey`."""
    if _OWNED_PASS.fullmatch(word):
        return Promise("password", sure=True)
    for end, kind in _ENDINGS:
        if word.endswith(end):
            return Promise(kind, sure=kind != "session")
    return Promise("key", sure=False) if word.endswith("key") and word not in _OTHER_ENDINGS else None


def read_promise_in(text: str, start: int, end: int) -> Promise | None:
    """Return what a name in a text announces, with the word before it if it needs one: `API key = …`."""
    name = text[start:end]
    if text[end : end + 1] != "=" and is_innocent_in(text, start, end):  # "unexpected token: …"
        return None
    if name.lower() in _SECOND_WORDS and (before := _WORD_BEFORE.search(text[max(0, start - 24) : start])):
        kind = _SURE_PHRASES.get(f"{before[1]} {name}".lower())
        return Promise(kind, sure=kind != "session") if kind else read_promise(name)
    return read_promise(name)


def is_innocent_in(text: str, start: int, end: int) -> bool:
    """Return whether the whole name around a word, with the word before it, has a meaning of its own: `invalid page token`."""
    if not text[max(start, end - 6) : end].lower().endswith(("key", "token", "tokens")):
        return False
    around = _NAME_BEFORE.search(text[max(0, start - 48) : start])
    return " ".join(_split_words((around[0] if around else "") + text[start:end])[-2:]) in _INNOCENT


def _split_words(name: str) -> list[str]:
    """Take a name apart; one of many words is judged by its last."""
    return [word.lower() for word in _WORD.findall(name[-80:])][-6:]
