"""Tokens, signatures and ciphers: who called is in doubt, and the text says nothing about keys."""

import pytest
from support.library_tables import Library, check_decided, check_names, module, raised

from errata import Code, Retry, classify

KEY = "k" * 32
OTHER_KEY = "o" * 32
LIBRARIES = [
    Library("jwt", ("jwt.exceptions",), telling=frozenset({"builtins.Warning", "jwt.exceptions.InvalidTokenError"})),
    Library(
        "cryptography",
        (
            "cryptography.exceptions",
            "cryptography.fernet",
            "cryptography.hazmat.primitives.keywrap",
            "cryptography.hazmat.primitives.twofactor",
            "cryptography.x509",
            "cryptography.x509.verification",
            "cryptography.utils",
        ),
        telling=frozenset({"builtins.Warning"}),
    ),
    Library(
        "oauthlib",
        (
            "oauthlib.oauth1.rfc5849.errors",
            "oauthlib.oauth2.rfc6749.errors",
            "oauthlib.oauth2.rfc8628.errors",
            "oauthlib.openid.connect.core.exceptions",
        ),
        telling=frozenset({"oauthlib.oauth1.rfc5849.errors.OAuth1Error", "oauthlib.oauth2.rfc6749.errors.OAuth2Error"}),
    ),
    Library("nacl", ("nacl.exceptions",), inherited=frozenset({"nacl.exceptions.CryptPrefixError"})),
    Library("keyring", ("keyring.errors",)),
    Library("joserfc", ("joserfc.errors",), telling=frozenset({"builtins.Warning", "joserfc.errors.JoseError"})),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda each: each.package)
def test_every_exception_of_the_library_was_decided_about(library):
    check_decided(library)


def look_alike(name, text="…", **attributes):
    """Make an exception of a class that has the name of a library's class, and its attributes."""
    where, _, called = name.rpartition(".")
    error = type(called, (Exception,), {"__module__": where, "__qualname__": called})(text)
    for attribute, value in attributes.items():
        setattr(error, attribute, value)
    return error


@pytest.mark.parametrize(
    ("claims", "key", "options"),
    [
        ({"exp": 1}, KEY, {}),
        ({}, OTHER_KEY, {}),
        ({"aud": "a"}, KEY, {"audience": "b"}),
        ({}, KEY, {"options": {"require": ["sub"]}}),
        ({"nbf": 99_999_999_999}, KEY, {}),
    ],
)
def test_a_token_that_is_not_accepted_is_unauthorized(claims, key, options):
    jwt = module("jwt")
    fault = classify(raised(jwt.decode, jwt.encode(claims, KEY), key, ["HS256"], **options))
    assert (fault.code, fault.retry) == (Code.UNAUTHORIZED, Retry.NEVER)


def test_a_key_set_that_cannot_be_fetched_is_a_matter_of_the_network():
    jwt = module("jwt")
    client = jwt.PyJWKClient("http://127.0.0.1:1/keys")
    fault = classify(raised(client.get_signing_keys))
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


def test_a_key_that_is_none_is_a_setting():
    jwt = module("jwt")
    assert classify(raised(jwt.encode, {}, "no key at all", "RS256")).code is Code.CONFIGURATION_ERROR


def test_a_cipher_that_says_nothing_gets_a_sentence():
    fernet = module("cryptography.fernet")
    token = fernet.Fernet(fernet.Fernet.generate_key()).encrypt(b"x")
    fault = classify(raised(fernet.Fernet(fernet.Fernet.generate_key()).decrypt, token))
    assert fault.code is Code.UNAUTHORIZED
    assert fault.message.startswith("The token cannot be read")


@pytest.mark.parametrize(
    ("word", "code", "retry"),
    [
        ("invalid_grant", Code.UNAUTHORIZED, Retry.NEVER),
        ("invalid_scope", Code.INVALID_PARAMS, Retry.FIX_INPUT),
        ("access_denied", Code.FORBIDDEN, Retry.NEVER),
        ("server_error", Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
        ("temporarily_unavailable", Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
        ("authorization_pending", Code.UNAUTHORIZED, Retry.SAME_CALL),
        ("slow_down", Code.RATE_LIMITED, Retry.SAME_CALL),
        ("something_nobody_heard_of", Code.UNAUTHORIZED, Retry.NEVER),
    ],
)
def test_oauths_word_says_more_than_its_status(word, code, retry):
    client = module("oauthlib.oauth2").WebApplicationClient("id")
    errors = [
        raised(client.parse_request_body_response, f'{{"error": "{word}"}}'),
        look_alike("authlib.integrations.base_client.errors.OAuthError", error=word),
    ]
    for error in errors:
        fault = classify(error)
        assert (fault.code, fault.retry) == (code, retry)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ldap.INVALID_CREDENTIALS", Code.UNAUTHORIZED),
        ("ldap.SERVER_DOWN", Code.NETWORK_ERROR),
        ("itsdangerous.exc.BadSignature", Code.UNAUTHORIZED),
        ("argon2.exceptions.VerificationError", Code.UNAUTHORIZED),
        ("jose.exceptions.JOSEError", Code.UNAUTHORIZED),
    ],
)
def test_libraries_that_are_not_here_are_known_by_name(name, code):
    assert classify(look_alike(name)).code is code
