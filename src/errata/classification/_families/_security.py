"""Tokens, signatures, ciphers, passwords, directories: whoever called is not who they should be, or cannot be sure."""

from http import HTTPStatus

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._carried import by_status, read_status
from errata.classification._reach import read_exception, read_text
from errata.classification._verdicts import BUG
from errata.model import Code, Retry

_NO_TOKEN = Classification(
    Code.UNAUTHORIZED, text="The token cannot be read: its key is another one, or it was changed, or is too old."
)
_NO_SIGNATURE = Classification(Code.UNAUTHORIZED, text="The signature does not belong to this data and this key.")
_NO_KEY = Classification(Code.UNAUTHORIZED, text="The key does not match the one that is stored.")
_NO_PASSWORD = Classification(Code.UNAUTHORIZED, text="The password does not match the stored hash.")
_NO_DECRYPTION = Classification(
    Code.SERIALIZATION_ERROR, text="The data was changed, or the key is not the one it was encrypted with."
)
_PENDING = Classification(
    Code.UNAUTHORIZED, Retry.SAME_CALL
)  # The person has not agreed yet; asking again is how one waits.

# fmt: off
_OAUTH: dict[str, Code | Classification] = {  # The words of RFC 6749, 6750, 7009, 7591, 8628 and of OpenID Connect.
    "access_denied": Code.FORBIDDEN,
    "account_selection_required": Code.UNAUTHORIZED,
    "authorization_pending": _PENDING,
    "consent_required": Code.UNAUTHORIZED,
    "expired_token": Code.UNAUTHORIZED,
    "insecure_transport": Code.CONFIGURATION_ERROR,
    "insufficient_scope": Code.FORBIDDEN,
    "interaction_required": Code.UNAUTHORIZED,
    "invalid_client": Code.UNAUTHORIZED,
    "invalid_client_metadata": Code.CONFIGURATION_ERROR,
    "invalid_grant": Code.UNAUTHORIZED,
    "invalid_redirect_uri": Code.CONFIGURATION_ERROR,
    "invalid_request": Code.INVALID_REQUEST,
    "invalid_scope": Code.INVALID_PARAMS,
    "invalid_token": Code.UNAUTHORIZED,
    "login_required": Code.UNAUTHORIZED,
    "mismatching_state": Code.UNAUTHORIZED,
    "missing_token": Code.UNAUTHORIZED,
    "server_error": Code.UPSTREAM_ERROR,
    "slow_down": Code.RATE_LIMITED,
    "temporarily_unavailable": Code.SERVICE_UNAVAILABLE,
    "token_expired": Code.UNAUTHORIZED,
    "unauthorized_client": Code.UNAUTHORIZED,
    "unsupported_grant_type": Code.INVALID_REQUEST,
    "unsupported_response_type": Code.INVALID_REQUEST,
    "unsupported_token_type": Code.INVALID_REQUEST,
}
# fmt: on


def by_oauth_word(error: BaseException) -> RuleResult:
    """OAuth's word for it, whatever the status says."""
    return _OAUTH.get((read_text(error, "error") or "").lower())


def by_other_status(error: BaseException) -> RuleResult:
    """The HTTP status it carries, unless it is 400: OAuth answers that to nearly everything."""
    return None if read_status(error) == HTTPStatus.BAD_REQUEST else by_status(error)


def of_cause(error: BaseException) -> RuleResult:
    """The exception it was raised from."""
    return read_exception(error, "__cause__")


_OAUTH_ERROR = first(by_oauth_word, by_other_status, Code.UNAUTHORIZED)

# fmt: off
TABLE: Table = {
    # JSON Web Tokens.
    "jwt.exceptions.PyJWTError": Code.UNAUTHORIZED,
    "jwt.exceptions.InvalidKeyError": Code.CONFIGURATION_ERROR,
    "jwt.exceptions.InvalidTokenError": Code.UNAUTHORIZED,
    "jwt.exceptions.DecodeError": Code.UNAUTHORIZED,
    "jwt.exceptions.ExpiredSignatureError": Code.UNAUTHORIZED,
    "jwt.exceptions.MissingCryptographyError": Code.CONFIGURATION_ERROR,
    "jwt.exceptions.PyJWKClientError": Code.UNAUTHORIZED,  # No key of that id.
    "jwt.exceptions.PyJWKClientConnectionError": first(of_cause, Code.NETWORK_ERROR),
    "jwt.exceptions.PyJWKError": Code.CONFIGURATION_ERROR,
    "jwt.exceptions.PyJWKSetError": Code.CONFIGURATION_ERROR,
    "jose.exceptions.JOSEError": Code.UNAUTHORIZED,
    "jose.exceptions.JWEAlgorithmUnsupportedError": Code.NOT_IMPLEMENTED,
    "jose.exceptions.JWKError": Code.CONFIGURATION_ERROR,
    "joserfc.errors.JoseError": Code.UNAUTHORIZED,
    "joserfc.errors.ConflictAlgorithmError": Code.CONFIGURATION_ERROR,
    "joserfc.errors.InvalidKeyCurveError": Code.CONFIGURATION_ERROR,
    "joserfc.errors.InvalidKeyLengthError": Code.CONFIGURATION_ERROR,
    "joserfc.errors.KeyParameterError": Code.CONFIGURATION_ERROR,
    "joserfc.errors.MissingKeyError": Code.CONFIGURATION_ERROR,
    "joserfc.errors.UnsupportedAlgorithmError": Code.NOT_IMPLEMENTED,
    "jwcrypto.common.JWException": Code.UNAUTHORIZED,
    "jwcrypto.jwk.InvalidJWKType": Code.CONFIGURATION_ERROR,
    "jwcrypto.jwk.InvalidJWKValue": Code.CONFIGURATION_ERROR,
    "itsdangerous.exc.BadData": Code.UNAUTHORIZED,
    "itsdangerous.exc.BadPayload": Code.SERIALIZATION_ERROR,
    "itsdangerous.exc.BadSignature": Code.UNAUTHORIZED,
    "itsdangerous.exc.SignatureExpired": Code.UNAUTHORIZED,
    "pyseto.exceptions.PysetoError": Code.UNAUTHORIZED,

    # OAuth.
    "oauthlib.oauth2.rfc6749.errors.OAuth2Error": _OAUTH_ERROR,
    "oauthlib.oauth2.rfc6749.errors.AccessDeniedError": Code.FORBIDDEN,
    "oauthlib.oauth2.rfc6749.errors.InsecureTransportError": Code.CONFIGURATION_ERROR,
    "oauthlib.oauth2.rfc6749.errors.InvalidGrantError": Code.UNAUTHORIZED,
    "oauthlib.oauth2.rfc6749.errors.MismatchingStateError": Code.UNAUTHORIZED,
    "oauthlib.oauth2.rfc6749.errors.MissingTokenError": Code.UNAUTHORIZED,
    "oauthlib.oauth2.rfc6749.errors.ServerError": Code.UPSTREAM_ERROR,  # It carries 400.
    "oauthlib.oauth2.rfc6749.errors.TemporarilyUnavailableError": Code.SERVICE_UNAVAILABLE,
    "oauthlib.oauth2.rfc6749.errors.TokenExpiredError": Code.UNAUTHORIZED,
    "oauthlib.oauth1.rfc5849.errors.OAuth1Error": _OAUTH_ERROR,
    "oauthlib.oauth1.rfc5849.errors.InvalidSignatureMethodError": Code.CONFIGURATION_ERROR,
    "authlib.common.errors.AuthlibBaseError": _OAUTH_ERROR,
    "authlib.common.errors.ContinueIteration": BUG,
    "authlib.jose.errors.JoseError": Code.UNAUTHORIZED,
    "authlib.jose.errors.UnsupportedAlgorithmError": Code.NOT_IMPLEMENTED,
    "authlib.integrations.base_client.errors.OAuthError": _OAUTH_ERROR,

    # Ciphers. Most say nothing themselves.
    "cryptography.exceptions.AlreadyFinalized": BUG,
    "cryptography.exceptions.AlreadyUpdated": BUG,
    "cryptography.exceptions.InternalError": BUG,
    "cryptography.exceptions.NotYetFinalized": BUG,
    "cryptography.exceptions.InvalidKey": _NO_KEY,
    "cryptography.exceptions.InvalidSignature": _NO_SIGNATURE,
    "cryptography.exceptions.InvalidTag": _NO_DECRYPTION,
    "cryptography.exceptions.UnsupportedAlgorithm": Code.NOT_IMPLEMENTED,
    "cryptography.fernet.InvalidToken": _NO_TOKEN,
    "cryptography.hazmat.primitives.twofactor.InvalidToken": Classification(Code.UNAUTHORIZED, text="The one-time password does not match."),
    "cryptography.hazmat.primitives.keywrap.InvalidUnwrap": _NO_DECRYPTION,
    "cryptography.hazmat.bindings._rust.x509.VerificationError": Code.UNAUTHORIZED,
    "cryptography.x509.base.AttributeNotFound": Code.NOT_FOUND,
    "cryptography.x509.base.InvalidVersion": Code.SERIALIZATION_ERROR,
    "cryptography.x509.extensions.DuplicateExtension": Code.SERIALIZATION_ERROR,
    "cryptography.x509.extensions.ExtensionNotFound": Code.NOT_FOUND,
    "cryptography.x509.general_name.UnsupportedGeneralNameType": Code.NOT_IMPLEMENTED,
    "cryptography.utils.InterfaceNotImplemented": BUG,
    "nacl.exceptions.CryptoError": _NO_DECRYPTION,
    "nacl.exceptions.AssertionError": BUG,
    "nacl.exceptions.BadSignatureError": _NO_SIGNATURE,
    "nacl.exceptions.InvalidkeyError": _NO_KEY,
    "nacl.exceptions.RuntimeError": BUG,
    "nacl.exceptions.TypeError": BUG,
    "nacl.exceptions.UnavailableError": Code.NOT_IMPLEMENTED,
    "nacl.exceptions.ValueError": Code.VALIDATION_FAILED,
    "OpenSSL.crypto.Error": Otherwise(Code.SERIALIZATION_ERROR),
    "OpenSSL.crypto.X509StoreContextError": Code.UNAUTHORIZED,
    "rsa.pkcs1.CryptoError": _NO_DECRYPTION,
    "rsa.pkcs1.VerificationError": _NO_SIGNATURE,
    "ecdsa.keys.BadSignatureError": _NO_SIGNATURE,
    "ecdsa.keys.BadDigestError": BUG,
    "_hashlib.UnsupportedDigestmodError": Code.NOT_IMPLEMENTED,

    # Passwords.
    "argon2.exceptions.VerificationError": _NO_PASSWORD,
    "argon2.exceptions.HashingError": BUG,
    "argon2.exceptions.InvalidHash": Code.SERIALIZATION_ERROR,
    "argon2.exceptions.InvalidHashError": Code.SERIALIZATION_ERROR,
    "argon2.exceptions.UnsupportedParametersError": Code.NOT_IMPLEMENTED,
    "passlib.exc.InternalBackendError": BUG,
    "passlib.exc.MissingBackendError": Code.CONFIGURATION_ERROR,
    "passlib.exc.PasslibSecurityError": BUG,
    "passlib.exc.PasswordValueError": Code.VALIDATION_FAILED,
    "passlib.exc.TokenError": Code.UNAUTHORIZED,
    "passlib.exc.MalformedTokenError": Code.INVALID_FORMAT,
    "passlib.exc.UnknownBackendError": Code.CONFIGURATION_ERROR,
    "passlib.exc.UnknownHashError": Code.SERIALIZATION_ERROR,
    "keyring.errors.KeyringError": Otherwise(Code.CONFIGURATION_ERROR),
    "keyring.errors.InitError": Code.CONFIGURATION_ERROR,
    "keyring.errors.KeyringLocked": Code.UNAUTHORIZED,
    "keyring.errors.NoKeyringError": Code.CONFIGURATION_ERROR,
    "keyring.errors.PasswordDeleteError": Code.NOT_FOUND,
    "keyring.errors.PasswordSetError": Otherwise(Code.INTERNAL_ERROR),

    # python-ldap names its exceptions as the protocol names its results.
    "ldap.LDAPError": Otherwise(Code.UPSTREAM_ERROR),
    "ldap.ADMINLIMIT_EXCEEDED": Code.VALIDATION_FAILED,
    "ldap.ALREADY_EXISTS": Code.CONFLICT,
    "ldap.AUTH_UNKNOWN": Code.CONFIGURATION_ERROR,
    "ldap.BUSY": Code.SERVICE_UNAVAILABLE,
    "ldap.CONFIDENTIALITY_REQUIRED": Code.CONFIGURATION_ERROR,
    "ldap.CONNECT_ERROR": Code.NETWORK_ERROR,
    "ldap.CONSTRAINT_VIOLATION": Code.VALIDATION_FAILED,
    "ldap.DECODING_ERROR": Code.SERIALIZATION_ERROR,
    "ldap.ENCODING_ERROR": Code.SERIALIZATION_ERROR,
    "ldap.FILTER_ERROR": Code.INVALID_PARAMS,
    "ldap.INAPPROPRIATE_AUTH": Code.UNAUTHORIZED,
    "ldap.INSUFFICIENT_ACCESS": Code.FORBIDDEN,
    "ldap.INVALID_CREDENTIALS": Code.UNAUTHORIZED,
    "ldap.INVALID_DN_SYNTAX": Code.INVALID_FORMAT,
    "ldap.INVALID_SYNTAX": Code.INVALID_FORMAT,
    "ldap.NAMING_VIOLATION": Code.VALIDATION_FAILED,
    "ldap.NO_SUCH_ATTRIBUTE": Code.NOT_FOUND,
    "ldap.NO_SUCH_OBJECT": Code.NOT_FOUND,
    "ldap.NOT_ALLOWED_ON_NONLEAF": Code.CONFLICT,
    "ldap.NOT_SUPPORTED": Code.NOT_IMPLEMENTED,
    "ldap.OBJECT_CLASS_VIOLATION": Code.VALIDATION_FAILED,
    "ldap.PARAM_ERROR": BUG,
    "ldap.PROTOCOL_ERROR": Code.UPSTREAM_ERROR,
    "ldap.SERVER_DOWN": Classification(Code.NETWORK_ERROR, Retry.SAME_CALL),
    "ldap.SIZELIMIT_EXCEEDED": Code.VALIDATION_FAILED,
    "ldap.STRONG_AUTH_REQUIRED": Code.UNAUTHORIZED,
    "ldap.TIMELIMIT_EXCEEDED": Code.TIMEOUT,
    "ldap.TIMEOUT": Code.TIMEOUT,
    "ldap.TYPE_OR_VALUE_EXISTS": Code.CONFLICT,
    "ldap.UNAVAILABLE": Code.SERVICE_UNAVAILABLE,
    "ldap.UNDEFINED_TYPE": Code.VALIDATION_FAILED,
    "ldap.UNWILLING_TO_PERFORM": Code.OPERATION_NOT_ALLOWED,
}
# fmt: on
