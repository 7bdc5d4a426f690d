"""Services on the web: payments, code hosting, documents. Chats and feeds are in `_communication.py`, markets in `_markets.py`."""

from typing import cast

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._carried import by_status, read_status
from errata.classification._families._connection import by_what_broke
from errata.classification._families._replies import by_code_and_reply, by_reply
from errata.classification._families._service_words import GOOGLE_MAPS, NOTION, POSTGREST, SALESFORCE, STRIPE
from errata.classification._families._wrappers import wrapped_at
from errata.classification._reach import peek, read_number, read_text
from errata.classification._sqlstate import classify_sqlstate
from errata.http import parse_retry_after, read_headers
from errata.model import Code, FieldIssue, Retry, is_a, wait_ms

_OWN_TEXT = ()
_DONE = by_code_and_reply(Code.DUPLICATE_OPERATION, said_at=_OWN_TEXT)
_NOT_NOW = by_code_and_reply(Code.OPERATION_NOT_ALLOWED, said_at=_OWN_TEXT)
_AGAIN = {"true": Retry.SAME_CALL, "false": Retry.NEVER}
_MOST_ISSUES = 20

_stripe_words = by_reply(
    STRIPE, word_at=(("code",), ("error", "code"), ("error", "type")), said_at=_OWN_TEXT, again=frozenset({409})
)
_by_github_status = by_reply(said_at=(("data", "message"),))


def _stripe(error: BaseException) -> RuleResult:
    """The status and the code of the reply; a header tells whether Stripe wants the call again."""
    said = _stripe_words(error)
    told = _AGAIN.get(read_headers(peek(error, "headers")).get("stripe-should-retry"))
    return said._replace(retry=told) if isinstance(said, Classification) and told else said


def _card(error: BaseException) -> Classification:
    """Why the card was not charged."""
    words = (read_text(error, "error", "decline_code") or "", read_text(error, "code") or "")
    meant = next((STRIPE[word] for word in words if word in STRIPE), Code.BUSINESS_RULE_VIOLATION)
    answer = meant if isinstance(meant, Classification) else Classification(meant)
    return answer._replace(http_status=read_number(error, "http_status"))


def _github(error: BaseException) -> RuleResult:
    """The status of the reply, and the fields it complains about."""
    said = _by_github_status(error)
    return said._replace(issues=_github_issues(error)) if isinstance(said, Classification) else said


def _github_issues(error: BaseException) -> tuple[FieldIssue, ...]:
    errors = peek(error, "data", "errors")
    details = cast("list[object]", errors)[:_MOST_ISSUES] if is_a(errors, list) else []
    named = ((read_text(each, "field"), read_text(each, "message") or read_text(each, "code")) for each in details)
    return tuple(FieldIssue(field, (problem or "is refused").replace("_", " ")) for field, problem in named if field)


def _github_limit(error: BaseException) -> Classification:
    """How long it would have had to wait."""
    wait = wait_ms(peek(error, "wait"), unit_ms=1000)
    return Classification(
        Code.RATE_LIMITED, None, read_number(error, "status"), wait, read_text(error, "data", "message")
    )


def _until_reset(error: BaseException) -> Classification:
    """When the limit is over."""
    return Classification(Code.RATE_LIMITED, None, read_status(error), parse_retry_after(peek(error, "reset_at")))


def _back_off(error: BaseException) -> Classification:
    """How long to wait."""
    return Classification(Code.RATE_LIMITED, retry_after_ms=wait_ms(peek(error, "backoff"), unit_ms=1000))


def _postgrest(error: BaseException) -> RuleResult:
    """The SQLSTATE of the database, or PostgREST's own code."""
    code = read_text(error, "code") or ""
    return POSTGREST.get(code) or classify_sqlstate(code)


def _salesforce(error: BaseException) -> RuleResult:
    """The status of the reply, and the code in it."""
    content = peek(error, "content")
    details = cast("list[object]", content) if is_a(content, list) else []
    words = (read_text(each, "errorCode") or "" for each in details)
    said = next((SALESFORCE[word] for word in words if word in SALESFORCE), None)
    text = next((message for each in details if (message := read_text(each, "message"))), None)
    known = Classification(said) if isinstance(said, Code) else said
    answer = known._replace(http_status=read_status(error)) if known else by_status(error)
    return answer._replace(text=text) if answer else None


_by_status = by_reply(said_at=_OWN_TEXT)
_generated = first(
    by_reply(said_at=(("body", "message"), ("body", "error_message"), ("body", "detail"), ("reason",))),
    Code.UPSTREAM_ERROR,
)
_gitlab = by_reply(said_at=(("error_message",),), status_at=(("response_code",),))

# fmt: off
TABLE: Table = {
    "stripe._error.StripeError": first(_stripe, Code.UPSTREAM_ERROR),
    "stripe._error.APIConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "stripe._error.AlreadyCanceledError": _DONE,
    "stripe._error.AuthenticationError": first(_stripe, Code.CONFIGURATION_ERROR),  # Without a status: no key was given.
    "stripe._error.BlockedByStripeError": by_code_and_reply(Code.FORBIDDEN, said_at=_OWN_TEXT),
    "stripe._error.CannotProceedError": _NOT_NOW,
    "stripe._error.CapabilityNotEnabledError": _NOT_NOW,
    "stripe._error.CardError": _card,
    "stripe._error.ControlledByAlternateResourceError": _NOT_NOW,
    "stripe._error.FeatureNotEnabledError": _NOT_NOW,
    "stripe._error.FinancialAccountNotOpenError": _NOT_NOW,
    "stripe._error.FxQuoteNeedsRefreshError": by_code_and_reply(Code.CONFLICT, said_at=_OWN_TEXT),
    "stripe._error.IdempotencyError": by_code_and_reply(Code.CONFLICT, said_at=_OWN_TEXT),  # The key was used for another call.
    "stripe._error.InsufficientFundsError": by_code_and_reply(Code.INSUFFICIENT_BALANCE, said_at=_OWN_TEXT),
    "stripe._error.InvalidPaymentMethodError": by_code_and_reply(Code.VALIDATION_FAILED, said_at=_OWN_TEXT),
    "stripe._error.InvalidPayoutMethodError": by_code_and_reply(Code.VALIDATION_FAILED, said_at=_OWN_TEXT),
    "stripe._error.InvalidRequestError": first(_stripe, Code.INVALID_PARAMS),
    "stripe._error.InvalidVaultedCredentialError": by_code_and_reply(Code.VALIDATION_FAILED, said_at=_OWN_TEXT),
    "stripe._error.NotCancelableError": _NOT_NOW,
    "stripe._error.PermissionError": by_code_and_reply(Code.FORBIDDEN, said_at=_OWN_TEXT),
    "stripe._error.QuotaExceededError": by_code_and_reply(Code.INSUFFICIENT_BALANCE, said_at=_OWN_TEXT),
    "stripe._error.RateLimitError": by_code_and_reply(Code.RATE_LIMITED, said_at=_OWN_TEXT),  # Also with status 400
    "stripe._error.RecipientNotNotifiableError": _NOT_NOW,
    "stripe._error.SignatureVerificationError": Code.UNAUTHORIZED,
    "stripe._error.TemporarySessionExpiredError": by_code_and_reply(Code.UNAUTHORIZED, said_at=_OWN_TEXT),
    "stripe._error.VerificationAttemptFailedError": by_code_and_reply(Code.VALIDATION_FAILED, said_at=_OWN_TEXT),
    "stripe._error.VerificationExpiredError": by_code_and_reply(Code.GONE, said_at=_OWN_TEXT),
    "stripe._error.VerificationNotInitiatedError": _NOT_NOW,
    "stripe.oauth_error.InvalidClientError": by_code_and_reply(Code.UNAUTHORIZED, said_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidGrantError": by_code_and_reply(Code.UNAUTHORIZED, said_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidRequestError": by_code_and_reply(Code.INVALID_PARAMS, said_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidScopeError": by_code_and_reply(Code.INVALID_PARAMS, said_at=_OWN_TEXT),
    "stripe.oauth_error.OAuthError": first(_stripe, Code.UNAUTHORIZED),
    "stripe.oauth_error.UnsupportedGrantTypeError": by_code_and_reply(Code.INVALID_PARAMS, said_at=_OWN_TEXT),
    "stripe.oauth_error.UnsupportedResponseTypeError": by_code_and_reply(Code.INVALID_PARAMS, said_at=_OWN_TEXT),

    "github.GithubException.BadAttributeException": Classification(Code.SERIALIZATION_ERROR, text="GitHub answered with an attribute of another type than expected."),
    "github.GithubException.BadCredentialsException": by_code_and_reply(Code.UNAUTHORIZED, said_at=(("data", "message"),)),
    "github.GithubException.GithubException": first(_github, Code.UPSTREAM_ERROR),
    "github.GithubException.IncompletableObject": Code.SERIALIZATION_ERROR,
    "github.GithubException.RateLimitExceededExceedsMaxWait": _github_limit,
    "github.GithubException.RateLimitExceededException": by_code_and_reply(Code.RATE_LIMITED, said_at=(("data", "message"),)),
    "github.GithubException.TwoFactorException": by_code_and_reply(Code.UNAUTHORIZED, said_at=(("data", "message"),)),
    "github.GithubException.UnknownObjectException": by_code_and_reply(Code.NOT_FOUND, said_at=(("data", "message"),)),
    "gitlab.config.ConfigError": Code.CONFIGURATION_ERROR,
    "gitlab.exceptions.GitlabAuthenticationError": first(_gitlab, Code.UNAUTHORIZED),
    "gitlab.exceptions.GitlabCiLintError": first(_gitlab, Code.VALIDATION_FAILED),
    "gitlab.exceptions.GitlabConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "gitlab.exceptions.GitlabError": first(_gitlab, Code.UPSTREAM_ERROR),
    "gitlab.exceptions.GitlabParsingError": Code.SERIALIZATION_ERROR,
    "gitlab.exceptions.RedirectError": Code.CONFIGURATION_ERROR,  # The address of the server is to be changed.
    "github3.exceptions.ConnectionError": Code.NETWORK_ERROR,
    "github3.exceptions.GitHubError": first(_by_status, Code.UPSTREAM_ERROR),
    "github3.exceptions.IncompleteResponse": Code.SERIALIZATION_ERROR,
    "atlassian.errors.ApiError": Otherwise(wrapped_at("reason")),
    "jira.exceptions.JIRAError": first(by_reply(said_at=(("text",),)), Code.UPSTREAM_ERROR),  # str() prints the headers.

    "notion_client.errors.HTTPResponseError": first(by_reply(NOTION, word_at=(("code",),), said_at=_OWN_TEXT), Code.UPSTREAM_ERROR),
    "notion_client.errors.InvalidPathParameterError": Code.INVALID_PARAMS,
    "notion_client.errors.NotionClientErrorBase": Otherwise(Code.UPSTREAM_ERROR),
    "notion_client.errors.RequestTimeoutError": Code.TIMEOUT,

    # Made by OpenAPI's generator: their text prints the headers, the body tells what happened.
    **{f"{package}.exceptions.ApiException": _generated for package in ("hubspot", "asana", "brevo_python", "sib_api_v3_sdk", "datadog_api_client", "docusign_esign", "onesignal", "xero_python")},
    "asana.rest.ApiException": _generated,
    "mailchimp_marketing.api_client.ApiClientError": first(_by_status, Code.UPSTREAM_ERROR),
    "mailchimp_transactional.api_client.ApiClientError": first(_by_status, Code.UPSTREAM_ERROR),
    "python_http_client.exceptions.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),  # SendGrid

    "algoliasearch.exceptions.AlgoliaUnreachableHostException": first(by_what_broke, Code.SERVICE_UNAVAILABLE),
    "algoliasearch.exceptions.RequestException": first(_by_status, Code.UPSTREAM_ERROR),
    "auth0.exceptions.Auth0Error": first(by_reply(said_at=(("message",),)), Code.UPSTREAM_ERROR),
    "auth0.exceptions.RateLimitError": _until_reset,
    "auth0.exceptions.TokenValidationError": Code.UNAUTHORIZED,
    "box_sdk_gen.box.errors.BoxAPIError": first(by_reply(said_at=(("message",),), status_at=(("response_info", "status_code"),)), Code.UPSTREAM_ERROR),
    "boxsdk.exception.BoxAPIException": first(by_reply(said_at=(("message",),)), Code.UPSTREAM_ERROR),  # str() prints the headers.
    "boxsdk.exception.BoxOAuthException": Code.UNAUTHORIZED,
    "dropbox.exceptions.ApiError": Otherwise(Code.INVALID_REQUEST),
    "dropbox.exceptions.AuthError": Code.UNAUTHORIZED,
    "dropbox.exceptions.BadInputError": Code.INVALID_PARAMS,
    "dropbox.exceptions.HttpError": first(_by_status, Code.UPSTREAM_ERROR),
    "dropbox.exceptions.InternalServerError": Code.UPSTREAM_ERROR,
    "dropbox.exceptions.RateLimitError": _back_off,
    "gotrue.errors.AuthApiError": first(_by_status, Code.UNAUTHORIZED),
    "gotrue.errors.AuthError": Otherwise(Code.UNAUTHORIZED),
    "gotrue.errors.AuthRetryableError": first(_by_status, Code.SERVICE_UNAVAILABLE),
    "gotrue.errors.AuthWeakPasswordError": Code.VALIDATION_FAILED,
    "supabase_auth.errors.AuthApiError": first(_by_status, Code.UNAUTHORIZED),
    "supabase_auth.errors.AuthError": Otherwise(Code.UNAUTHORIZED),
    "supabase_auth.errors.AuthRetryableError": first(_by_status, Code.SERVICE_UNAVAILABLE),
    "supabase_auth.errors.AuthWeakPasswordError": Code.VALIDATION_FAILED,
    "postgrest.exceptions.APIError": first(_postgrest, Code.DATABASE_ERROR),
    "storage3.exceptions.StorageApiError": first(_by_status, Code.UPSTREAM_ERROR),
    "googlemaps.exceptions.ApiError": first(by_reply(GOOGLE_MAPS, word_at=(("status",),), said_at=(("message",),)), Code.UPSTREAM_ERROR),
    "googlemaps.exceptions.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),
    "googlemaps.exceptions.Timeout": Code.TIMEOUT,
    "googlemaps.exceptions.TransportError": first(wrapped_at("base_exception"), Code.NETWORK_ERROR),
    "gspread.exceptions.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "gspread.exceptions.CellNotFound": Code.NOT_FOUND,
    "gspread.exceptions.GSpreadException": Otherwise(Code.INVALID_PARAMS),
    "gspread.exceptions.SpreadsheetNotFound": Code.NOT_FOUND,
    "gspread.exceptions.WorksheetNotFound": Code.NOT_FOUND,
    "posthog.request.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "posthog.request.QuotaLimitError": Code.INSUFFICIENT_BALANCE,
    "pusher.errors.PusherBadAuth": Code.UNAUTHORIZED,
    "pusher.errors.PusherBadRequest": Code.INVALID_PARAMS,
    "pusher.errors.PusherBadStatus": Code.UPSTREAM_ERROR,
    "pusher.errors.PusherForbidden": Code.FORBIDDEN,
    "pyairtable.exceptions.PyAirtableError": Otherwise(Code.INVALID_PARAMS),
    "pyactiveresource.connection.ConnectionError": first(by_reply(said_at=_OWN_TEXT), by_what_broke, Code.NETWORK_ERROR),  # Shopify
    "pyowm.commons.exceptions.InvalidSSLCertificateError": Classification(Code.NETWORK_ERROR, Retry.NEVER),
    "sentry_sdk.utils.BadDsn": Code.CONFIGURATION_ERROR,
    "simple_salesforce.exceptions.SalesforceAuthenticationFailed": Code.UNAUTHORIZED,
    "simple_salesforce.exceptions.SalesforceError": first(_salesforce, Code.UPSTREAM_ERROR),
    "simple_salesforce.exceptions.SalesforceMoreThanOneRecord": Code.CONFLICT,
    "trello.exceptions.ResourceUnavailable": first(by_reply(said_at=_OWN_TEXT, status_at=(("_status",),)), Code.NOT_FOUND),
    "trello.exceptions.Unauthorized": Code.UNAUTHORIZED,
    "zenpy.lib.exception.APIException": first(_by_status, Code.UPSTREAM_ERROR),
    "zenpy.lib.exception.RatelimitBudgetExceeded": Code.RATE_LIMITED,
    "zenpy.lib.exception.RecordNotFoundException": Code.NOT_FOUND,
}
# fmt: on
