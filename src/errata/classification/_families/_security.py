"""Tokens, signatures, ciphers and passwords: the words of OAuth decide before the status it came with."""

from http import HTTPStatus

from errata.classification._carried import by_status, read_status
from errata.classification._exception_rules import Classification, RuleResult, Table, by_cause, first
from errata.classification._foreign import read_text
from errata.model import Code, Retry

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


_OAUTH_ERROR = first(by_oauth_word, by_other_status, Code.UNAUTHORIZED)

# fmt: off
TABLE: Table = {
    # JSON Web Tokens.
    "jwt.exceptions.PyJWKClientConnectionError": first(by_cause, Code.NETWORK_ERROR),

    # OAuth.
    "oauthlib.oauth2.rfc6749.errors.OAuth2Error": _OAUTH_ERROR,
    "oauthlib.oauth1.rfc5849.errors.OAuth1Error": _OAUTH_ERROR,
    "authlib.common.errors.AuthlibBaseError": _OAUTH_ERROR,
    "authlib.integrations.base_client.errors.OAuthError": _OAUTH_ERROR,
}
# fmt: on
