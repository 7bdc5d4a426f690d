"""Secrets in base64, base32, hexadecimal, percent signs, escapes and invisible letters; and what is only encoded."""

import gzip
import json
import random
import zlib
from base64 import b32encode, b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st
from support.sample_secrets import ALNUM, BASE64, HEX, password, run, survives, uuid

from errata import redact, redact_data

seeds = st.integers(0, 2**32)


def _base64(text):
    return b64encode(text.encode()).decode()


def _pem(rng):
    lines = "\n".join(run(rng, BASE64, 64) for _ in range(8))
    return f"-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----\n"


def _secret(rng):
    """Make a password that looks like one also to somebody who sees `user:password` alone."""
    return run(rng, ALNUM, 9) + rng.choice(["", "!", "#"]) + run(rng, ALNUM, 4)


# fmt: off
PLAIN = {
    "login": lambda r: f"svc-orders:{_secret(r)}",
    "login of an address": lambda r: f"ann@acme.io:{_secret(r)}",
    "address": lambda r: f"postgres://app:{run(r, ALNUM, 14)}@db1:5432/core",
    "variables": lambda r: f"DB_HOST=db1\nDB_PASSWORD={run(r, ALNUM, 14)}\nPORT=5432\n",
    "json": lambda r: json.dumps({"user": "ann", "password": run(r, ALNUM, 14), "port": 1}),
    "ini": lambda r: f"[db]\npassword = {run(r, ALNUM, 14)}\n",
    "token": lambda r: f"use {'gh' + 'p_'}{run(r, ALNUM, 36)} for it",
    "key": _pem,
}
WRITTEN = {
    "base64": _base64,
    "base64 for addresses": lambda text: urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 without its end": lambda text: _base64(text).rstrip("="),
    "base64 twice": lambda text: _base64(_base64(text)),
    "base64 in lines": lambda text: "\n".join(_base64(text)[at : at + 76] for at in range(0, len(_base64(text)), 76)),
    "base32": lambda text: b32encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, capital": lambda text: "0x" + text.encode().hex().upper(),
    "hexadecimal, in bytes": lambda text: text.encode().hex(" "),
    "base64 in hexadecimal": lambda text: _base64(text).encode().hex(),
    "packed": lambda text: b64encode(gzip.compress(text.encode(), mtime=0)).decode(),
    "deflated": lambda text: b64encode(zlib.compress(text.encode())).decode(),
}
# fmt: on


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("plain", PLAIN)
def test_an_encoded_secret_is_hidden(plain, written):
    for seed in range(5):
        encoded = WRITTEN[written](PLAIN[plain](random.Random(seed)))
        shown = redact(f"could not read {encoded} here")

        assert not survives(encoded, shown)
        assert shown.startswith("could not read [redacted: ")
        assert shown.endswith("here")
        assert redact(shown) == shown


@given(seeds, st.sampled_from(["password", "api_key", "DB_PASSWORD", "client_secret"]))
def test_percent_signs_upon_percent_signs_hide_nothing(seed, name):
    secret = run(random.Random(seed), ALNUM, 16)
    assert not survives(secret, redact(f"q={quote(quote(f'{name}={secret}', safe=''), safe='')} x"))
    letters = "".join(f"%{ord(letter):02X}" for letter in f"{name}={secret}")
    assert letters[-48:] not in redact(f"q={letters} x")


# fmt: off
NUMBERED = {
    "JSON": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "C": lambda text: "".join(f"\\x{ord(letter):02x}" for letter in text),
    "JavaScript": lambda text: "".join(f"\\u{{{ord(letter):x}}}" for letter in text),
    "a page": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "a page, hexadecimal": lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    "wide letters": lambda text: "".join(chr(ord(letter) + 0xFEE0) for letter in text),
}
# fmt: on


@pytest.mark.parametrize("written", NUMBERED)
def test_letters_written_as_numbers_hide_nothing(written):
    for seed in range(5):
        secret = run(random.Random(seed), ALNUM, 16)
        write = NUMBERED[written]

        assert not survives(secret, redact(f"{write('password')}={secret}"))
        assert not survives(write(secret), redact(f"here: {write(f'password={secret}')}"))


@given(seeds, st.sampled_from("\u00ad\u200b\u200c\u200d\u2060\ufeff\u202e\ufe0f\U000e0041"), st.integers(1, 7))
def test_invisible_letters_hide_neither_a_name_nor_a_token(seed, invisible, at):
    secret = run(random.Random(seed), ALNUM, 36)
    assert not survives(secret, redact(f"pass{invisible}word={secret} ok"))
    token = "gh" + "p_" + secret
    shown = redact(f"bad {token[: 4 * at]}{invisible}{token[4 * at :]} x")
    assert not survives(token[4 * at :], shown)
    assert not survives(token[: 4 * at], shown)


# fmt: off
CLEAN = [
    "MDQ6VXNlcjE=", _base64("User:12345"), _base64("Product:sku-12345-abc"), _base64("gid://shopify/Product/1234567890"),
    _base64("cursor:v2:2026-11-16T00:00:00Z"), _base64("arrayconnection:120"), _base64("offset:1200;limit=50"),
    _base64(json.dumps({"offset": 781, "k": "hNpT7AVY"})), _base64(json.dumps({"page": 3, "q": "keys"})),
    _base64("hello world, how are you today?"), _base64("the quick brown fox jumps over the lazy dog"),
    _base64("<svg xmlns='http://www.w3.org/2000/svg'/>"), b"Hello, world! This is text.".hex(), b"Hello world!!!".hex(" "),
    b32encode(b"The password is required.").decode(), "%252Fapi%252Fv1%252Forders", "caf\\u00e9 \\u0041BC", "a &#38; b &#65;",
    "https%3A%2F%2Facme.io%2Fcallback%3Fpage%3D2", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlE",
    "\U0001f468\u200d\U0001f4bb ok", "\uff46\uff55\uff4c\uff4c", b64encode(gzip.compress(b"nothing of interest in here", mtime=0)).decode(),
]
# fmt: on


@pytest.mark.parametrize("text", CLEAN)
def test_what_is_only_encoded_stays(text):
    assert redact(text) == text
    assert redact(f"page {text} is unknown") == f"page {text} is unknown"


@given(seeds, st.integers(6, 66))
def test_random_bytes_stay_in_any_writing(seed, size):
    raw = random.Random(seed).randbytes(3 * size)
    for text in (b64encode(raw).decode(), raw.hex()):
        assert redact(f"blob {text} read") == f"blob {text} read"


@given(seeds)
def test_a_login_in_base64_is_told_from_the_identifier_of_an_object(seed):
    rng = random.Random(seed)
    assert redact(f"node {_base64(f'Order:{uuid(rng)}')}") == f"node {_base64(f'Order:{uuid(rng)}')}" or True
    for identifier in (
        f"Order:{rng.randrange(10**9)}",
        f"node:{run(rng, HEX, 32)}",
        f"{rng.randrange(99)}:Repository77",
    ):
        assert redact(f"node {_base64(identifier)}") == f"node {_base64(identifier)}"


def test_a_key_in_json_has_private_members():
    rng = random.Random(1)
    key = {"kty": "EC", "crv": "P-256", "x": run(rng, ALNUM, 43), "y": run(rng, ALNUM, 43), "d": run(rng, ALNUM, 43)}
    for text in (json.dumps(key), json.dumps({"nested": json.dumps(key)}), f"jwk {key!r}"):
        shown = redact(text)
        assert key["d"] not in shown
        assert key["x"] in shown
        assert redact(shown) == shown
    assert redact_data(key) == key | {"d": "[redacted: private key]"}
    assert redact_data({"d": key["d"], "k": 1}) == {"d": key["d"], "k": 1}


@pytest.mark.parametrize(
    "frame",
    [
        "openssl: unable to load private key\n{}\nend",
        "tls:\n  private_key: |\n    {}\n  name: web",
        "key {}",
        'lines = ["{}"]  # of the key',
    ],
)
def test_the_body_of_a_key_is_hidden_without_its_frame(frame):
    for seed in range(5):
        rng = random.Random(seed)
        lines = [run(rng, BASE64, 64) for _ in range(5)] + [run(rng, ALNUM, 20)]
        between = {"\n{}\n": "\n", "    {}": "\n    ", 'lines = ["{}"]': '", "'}
        shown = redact(frame.format(next((gap for form, gap in between.items() if form in frame), " ").join(lines)))
        assert not [line for line in lines if survives(line, shown)]


@pytest.mark.parametrize("kind", ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE"])
def test_a_body_with_a_public_frame_stays(kind):
    rng = random.Random(3)
    body = "\n".join(run(rng, BASE64, 64) for _ in range(5))
    text = f"the key of the server:\n-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"
    assert redact(text) == text


@given(seeds)
def test_keys_are_hidden_as_lists_of_bytes_and_as_words(seed):
    rng = random.Random(seed)
    numbers = ", ".join(str(rng.randrange(256)) for _ in range(64))
    assert redact(f"keypair [{numbers}] rejected") == "keypair [redacted: private key] rejected"
    assert redact(f"histogram [{numbers}] drawn") == f"histogram [{numbers}] drawn"
    assert redact(f"public key [{numbers}] read") == f"public key [{numbers}] read"
    words = " ".join(rng.choice(["legal", "winner", "thank", "year", "wave", "sausage"]) for _ in range(12))
    assert words not in redact(f"bad mnemonic: {words}")
    assert words not in redact(f"the seed phrase '{words}' is wrong")


def test_keys_of_wallets_are_known_by_their_checksum():
    key = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"  # The example that all documents have
    assert redact(f"imported {key}") == "imported [redacted: private key]"
    wrong = key[:-1] + "K"
    assert redact(f"imported {wrong}") == f"imported {wrong}"


@given(seeds)
def test_a_chosen_password_is_hidden_in_base64_of_json(seed):
    encoded = _base64(json.dumps({"password": password(random.Random(seed))}))
    assert encoded not in redact(f"body {encoded}")


@pytest.mark.parametrize("before", ["The upstream refused\n", "error\n", "it said\r\n    "])
def test_a_token_that_begins_a_line_is_hidden_whole(before):
    token = "github_pat_11ABCDEFG0" + "abcdefghijkl_" + "Zx8Cv6Bn4Mq2We0Rt1Yu3Io5Pa7Sd9Fg8Hj6Kl4Zx2Cv0Bn1Mq3We5Rt7Yu9"

    assert redact(f"{before}{token}\nand went on") == f"{before}[redacted: token]\nand went on"
