"""Tokens that no name announces: known by their prefix anywhere, or by their shape in a sentence about credentials."""

import random
import re
import string

import pytest
from hypothesis import given, strategies as st
from support.sample_secrets import ALNUM, HEX, run, survives, uuid

from errata import redact
from errata.redaction import _token_formats

LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
seeds = st.integers(0, 2**32)


def _letters(described):
    """Give the letters of a class of a row: `A-Za-z0-9`, with digits often enough for a random word."""
    known = [letter for letter in ALNUM if re.match(f"[{described}]", letter)]
    return "".join(known)


@pytest.mark.parametrize(("prefix", "letters", "least", "maker"), _token_formats._PREFIXES)
def test_a_prefix_gives_a_token_away_in_any_sentence(prefix, letters, least, maker):
    assert maker
    for seed in range(8):
        body = run(random.Random(seed), _letters(letters), least + 8)
        assert body not in redact(f"job 12 stopped at {prefix}{body} after a while")


# What no table knows: makers of tokens of every usual shape.
MADE_UP = {
    "prefix and separator": lambda r: "zx_" + run(r, ALNUM, 28),
    "prefix and dash": lambda r: "qqk-" + run(r, LOWER, 36),
    "prefix and dot": lambda r: "vnd." + run(r, ALNUM, 40),
    "prefix and hexadecimal": lambda r: "plum_" + run(r, HEX, 40),
    "prefix, version and separator": lambda r: "foo-v2-" + run(r, ALNUM, 32),
    "two parts": lambda r: "uk1_" + run(r, ALNUM, 22) + "_" + run(r, ALNUM, 10),
    "both cases": lambda r: run(r, ALNUM, 32),
    "both cases and signs": lambda r: run(r, ALNUM + "-_", 43),
    "long": lambda r: run(r, ALNUM, 64),
    "small letters": lambda r: run(r, LOWER, 40),
    "capital letters": lambda r: run(r, UPPER, 36),
    "base64": lambda r: run(r, ALNUM + "+/", 43) + "=",
}
SENTENCES = [
    "The upstream rejected {} for tenant acme",
    "API key {} has been revoked by acme",
    "acme: invalid api token {} for x",
    "authentication with {} failed for acme",
    "the token {} expired yesterday, says acme",
    "Invalid credentials: {} (acme)",
    'acme answered that "{}" is not a valid key',
    "Rejected credential {} of acme",
    "could not authenticate using {} against acme",
    "403 Forbidden for key {} (acme)",
    "acme: bad key '{}'",
    "401 for {} in acme",
    "auth failed: {} (acme)",
]


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("maker", MADE_UP)
def test_a_token_of_an_unknown_maker_is_hidden_in_a_sentence_about_credentials(maker, sentence):
    for seed in range(6):
        token = MADE_UP[maker](random.Random(seed))
        shown = redact(sentence.format(token))

        assert not survives(token, shown)
        assert "acme" in shown
        assert redact(shown) == shown


@given(st.sampled_from(list(MADE_UP)), seeds)
def test_the_same_token_stays_where_nobody_speaks_of_credentials(maker, seed):
    token = MADE_UP[maker](random.Random(seed))
    assert redact(f"row {token} was read in 12 ms") == f"row {token} was read in 12 ms"


@pytest.mark.parametrize(
    "sentence", ["The upstream rejected {} for tenant acme", "API key {} was revoked", "authentication with {} failed"]
)
def test_so_is_a_hexadecimal_one_that_was_turned_down_itself(sentence):
    for seed in range(6):
        token = run(random.Random(seed), HEX, 40)
        assert token not in redact(sentence.format(token))


# fmt: off
IDENTIFIERS = [
    "remote rejected {hex40} -> main (pre-receive hook declined)", "commit {hex40} was rejected by the hook",
    "push of {hex12} refused: protected branch", "401 for request {uuid}", "403 Forbidden (request id: {uuid})",
    "Unauthorized: request req_{alnum24} has no scope", "Token expired for user usr_{alnum20}",
    "token refresh failed, trace {hex32}", "API key is required. See https://docs.acme.io/{alnum12}/authentication",
    "image ghcr.io/acme/api@sha256:{hex64} denied", "The image digest sha256:{hex64} was rejected by policy",
    "session expired; correlation id {uuid}", "auth-service-7d4b9c6f5d-x2lkq rejected the connection",
    "credential-helper-v2.3.1-linux-amd64.tar.gz not found", "The file token_cache_20261116_143000.json is invalid",
    "Unauthorized access to /api/v2/orders/{uuid}", "denied: requested access to acme/api:{hex12} is denied",
    "AuthenticationError at com.acme.security.TokenValidator2Impl.validateAccessToken",
    "key constraint fk_orders_customer_id_{hex8} violated", "Invalid token at position 12: foo_bar_baz_123456",
    "webpack chunk vendors~main.{hex20}.js rejected by CSP", 'Etag W/"{hex32}" rejected',
    "build 20261116.1423.7-{hex7} failed authentication tests", "tx 0x{hex64} rejected: nonce too low",
    "address 0x{hex40} is not authorized", "certificate serial {hex32} was revoked", "kid {alnum27} unknown, key not found",
    "snapshot snap-{hex17} is invalid", "AMI ami-{hex17} not authorized", "invalid security group sg-{hex17}",
    "arn:aws:iam::123456789012:role/deploy-{hex8} is not authorized to perform sts:AssumeRole",
    "job {uuid} was rejected by the scheduler", "payment pi_{alnum24} was declined", "charge ch_{alnum24} refused by issuer",
    "subscription sub_{alnum24} expired", "message msg_{alnum24} rejected: too long", "run_{alnum24} expired",
    "chatcmpl-{alnum29} blocked by filter", "call_{alnum24} was rejected by the user", "experiment exp_{alnum16} expired",
    "No API key is set for project prj_{alnum24}", "deployment dpl_{alnum24} unauthorized", "device_id {alnum22} not authorized",
    "nix store path /nix/store/{lower32}-hello-2.12 invalid", "ulid 01ARZ3NDEKTSV4RRFFQ69G5FAV rejected",
    "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPNPF denied", "client {uuid} is not authorized",
    "The login page https://acme.io/login?next=/orders/{hex24} failed", "CF-RAY {hex16}-SJC denied",
    "See https://acme.io/share/how-to-rotate-your-api-keys-in-2026-edition", "x-request-id: {uuid} rejected",
    "https://acme.io/reset/password-instructions-for-administrators", "idempotency key {uuid} was already used",
    "idempotency key {alnum24} rejected", "could not find partition key {alnum20}", "webhook id wh_{alnum20} rejected",
    "Duplicate entry '{alnum22}' for key 'users.email_idx'", "row {alnum22} violates foreign key constraint",
    "Missing Authentication Token (request {uuid})", "AccessDenied: RequestId {upper16}", "toolu_01{alnum22} refused",
    "const TOKEN_REFRESH_INTERVAL_MS_V2=30000", "self.authTokenProvider2Factory rejected", "order ORD-2026-4711471 was declined",
    "com.acme.OAuth2TokenProvider$$EnhancerBySpringCGLIB$${hex8} denied", "Host key fingerprint SHA256:{alnum43} rejected",
]
# fmt: on


@pytest.mark.parametrize("template", IDENTIFIERS)
def test_what_names_something_stays_even_if_it_was_rejected(template):
    for seed in range(6):
        text = _filled(template, random.Random(seed))
        assert redact(text) == text


def _filled(template, rng):
    letters = {"hex": HEX, "alnum": ALNUM, "lower": LOWER, "upper": UPPER}
    text = re.sub(r"\{(hex|alnum|lower|upper)(\d+)\}", lambda m: run(rng, letters[m[1]], int(m[2])), template)
    return text.replace("{uuid}", uuid(rng))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\\n", "\n    ", "=\n", "\u00ad", "\n> ", "\\n"])
@pytest.mark.parametrize("cut", [8, 12, 20, 30])
def test_a_token_that_a_line_end_breaks_is_hidden_whole(cut, newline):
    for seed in range(6):
        token = "gh" + "p_" + run(random.Random(seed), ALNUM, 36)
        shown = redact(f"bad token {token[:cut]}{newline}{token[cut:]} here")

        assert not survives(token[cut:], shown)
        assert not survives(token[:cut], shown)
        assert redact(shown) == shown


def test_lines_of_other_words_are_not_joined():
    text = "needs:\nalpha-2.1\nbeta-3.0\ngamma_v2\nAKIA is a prefix\n"
    assert redact(text) == text


@pytest.mark.parametrize(
    "line",
    [
        "apiKey '{}' is not valid",
        "token {} has expired",
        "The secret {} was revoked",
        "client secret {} is wrong",
        "Bad API key {}",
        "Unknown API key {}",
        "api_key {} was rejected",
        'API key "{}" not valid',
        "credential {} is not accepted",
        "The token you provided ({}) has expired",
        "The API key that you passed, {}, was revoked",
        "令牌 {} 已过期",
        "密钥无效: {}",
        "密钥无效\uff1a{}",
        "API密钥 {} 无效",
        "Ungültiger API-Schlüssel: {}",
        "Der API-Schlüssel {} ist ungültig",
        "APIキー {} は無効です",
        "トークン {} の有効期限が切れました",
        "API 키 {} 이(가) 잘못되었습니다",
        "Токен {} истёк",
        "Jeton invalide : {}",
        "clé API invalide : {}",
        "Clave de API inválida: {}",
        "Token inválido: {}",
    ],
)
@pytest.mark.parametrize("token", ["Bb11Cc22Dd33", "q7Zk2mX9wL4t"])
def test_what_was_refused_is_hidden_in_whatever_language_that_is_said(line, token):
    shown = redact(line.format(token))

    assert token not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("line", ["PIN 4711 is wrong", "The PIN you entered, 4711, is wrong", "Incorrect PIN (4711)"])
def test_a_pin_that_was_refused_is_hidden(line):
    assert redact(line) == line.replace("4711", "[redacted: code]")
