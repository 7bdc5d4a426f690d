"""Services on the web: payments, code hosting, documents, chats, feeds and markets."""

from typing import cast

from errata.classification._carried import by_status, read_status
from errata.classification._error_codes import classify_sqlstate
from errata.classification._exception_rules import Classification, Otherwise, RuleResult, Table, by_exception_at, first
from errata.classification._families._network import by_connection, by_what_broke
from errata.classification._families._service_replies import (
    GOOGLE_MAPS,
    NOTION,
    POSTGREST,
    SALESFORCE,
    SLACK,
    STRIPE,
    TWILIO,
    Vocabulary,
    by_code_and_reply,
    by_reply,
)
from errata.classification._foreign import peek, read_number, read_text
from errata.http import parse_retry_after, read_headers
from errata.model import Code, FieldIssue, Retry, is_a, wait_ms

_OWN_TEXT = ()
_DONE = by_code_and_reply(Code.DUPLICATE_OPERATION, text_at=_OWN_TEXT)
_NOT_NOW = by_code_and_reply(Code.OPERATION_NOT_ALLOWED, text_at=_OWN_TEXT)
_AGAIN = {"true": Retry.SAME_CALL, "false": Retry.NEVER}
_MOST_ISSUES = 20

_stripe_words = by_reply(
    STRIPE, word_at=(("code",), ("error", "code"), ("error", "type")), text_at=_OWN_TEXT, again=frozenset({409})
)
_by_github_status = by_reply(text_at=(("data", "message"),))


def _stripe(error: BaseException) -> RuleResult:
    """The status and the code of the reply; a header tells whether Stripe wants the call again."""
    known = _stripe_words(error)
    again = _AGAIN.get(read_headers(peek(error, "headers")).get("stripe-should-retry"))
    return known._replace(retry=again) if isinstance(known, Classification) and again else known


def _card(error: BaseException) -> Classification:
    """Why the card was not charged."""
    words = (read_text(error, "error", "decline_code") or "", read_text(error, "code") or "")
    meant = next((STRIPE[word] for word in words if word in STRIPE), Code.BUSINESS_RULE_VIOLATION)
    result = meant if isinstance(meant, Classification) else Classification(meant)
    return result._replace(http_status=read_number(error, "http_status"))


def _github(error: BaseException) -> RuleResult:
    """The status of the reply, and the fields it complains about."""
    known = _by_github_status(error)
    return known._replace(issues=_github_issues(error)) if isinstance(known, Classification) else known


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
    known = next((SALESFORCE[word] for word in words if word in SALESFORCE), None)
    text = next((message for each in details if (message := read_text(each, "message"))), None)
    known = Classification(known) if isinstance(known, Code) else known
    result = known._replace(http_status=read_status(error)) if known else by_status(error)
    return result._replace(text=text) if result else None


_by_status = by_reply(text_at=_OWN_TEXT)
_generated = first(
    by_reply(text_at=(("body", "message"), ("body", "error_message"), ("body", "detail"), ("reason",))),
    Code.UPSTREAM_ERROR,
)
_gitlab = by_reply(text_at=(("error_message",),), status_at=(("response_code",),))

# fmt: off
_SERVICES: Table = {
    "stripe._error.StripeError": first(_stripe, Code.UPSTREAM_ERROR),
    "stripe._error.APIConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "stripe._error.AlreadyCanceledError": _DONE,
    "stripe._error.AuthenticationError": first(_stripe, Code.CONFIGURATION_ERROR),  # Without a status: no key was given.
    "stripe._error.BlockedByStripeError": by_code_and_reply(Code.FORBIDDEN, text_at=_OWN_TEXT),
    "stripe._error.CannotProceedError": _NOT_NOW,
    "stripe._error.CapabilityNotEnabledError": _NOT_NOW,
    "stripe._error.CardError": _card,
    "stripe._error.ControlledByAlternateResourceError": _NOT_NOW,
    "stripe._error.FeatureNotEnabledError": _NOT_NOW,
    "stripe._error.FinancialAccountNotOpenError": _NOT_NOW,
    "stripe._error.FxQuoteNeedsRefreshError": by_code_and_reply(Code.CONFLICT, text_at=_OWN_TEXT),
    "stripe._error.IdempotencyError": by_code_and_reply(Code.CONFLICT, text_at=_OWN_TEXT),  # The key was used for another call.
    "stripe._error.InsufficientFundsError": by_code_and_reply(Code.INSUFFICIENT_BALANCE, text_at=_OWN_TEXT),
    "stripe._error.InvalidPaymentMethodError": by_code_and_reply(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.InvalidPayoutMethodError": by_code_and_reply(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.InvalidRequestError": first(_stripe, Code.INVALID_PARAMS),
    "stripe._error.InvalidVaultedCredentialError": by_code_and_reply(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.NotCancelableError": _NOT_NOW,
    "stripe._error.PermissionError": by_code_and_reply(Code.FORBIDDEN, text_at=_OWN_TEXT),
    "stripe._error.QuotaExceededError": by_code_and_reply(Code.INSUFFICIENT_BALANCE, text_at=_OWN_TEXT),
    "stripe._error.RateLimitError": by_code_and_reply(Code.RATE_LIMITED, text_at=_OWN_TEXT),  # Also with status 400
    "stripe._error.RecipientNotNotifiableError": _NOT_NOW,
    "stripe._error.TemporarySessionExpiredError": by_code_and_reply(Code.UNAUTHORIZED, text_at=_OWN_TEXT),
    "stripe._error.VerificationAttemptFailedError": by_code_and_reply(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.VerificationExpiredError": by_code_and_reply(Code.GONE, text_at=_OWN_TEXT),
    "stripe._error.VerificationNotInitiatedError": _NOT_NOW,
    "stripe.oauth_error.InvalidClientError": by_code_and_reply(Code.UNAUTHORIZED, text_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidGrantError": by_code_and_reply(Code.UNAUTHORIZED, text_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidRequestError": by_code_and_reply(Code.INVALID_PARAMS, text_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidScopeError": by_code_and_reply(Code.INVALID_PARAMS, text_at=_OWN_TEXT),
    "stripe.oauth_error.OAuthError": first(_stripe, Code.UNAUTHORIZED),
    "stripe.oauth_error.UnsupportedGrantTypeError": by_code_and_reply(Code.INVALID_PARAMS, text_at=_OWN_TEXT),
    "stripe.oauth_error.UnsupportedResponseTypeError": by_code_and_reply(Code.INVALID_PARAMS, text_at=_OWN_TEXT),

    "github.GithubException.BadCredentialsException": by_code_and_reply(Code.UNAUTHORIZED, text_at=(("data", "message"),)),
    "github.GithubException.GithubException": first(_github, Code.UPSTREAM_ERROR),
    "github.GithubException.RateLimitExceededExceedsMaxWait": _github_limit,
    "github.GithubException.RateLimitExceededException": by_code_and_reply(Code.RATE_LIMITED, text_at=(("data", "message"),)),
    "github.GithubException.TwoFactorException": by_code_and_reply(Code.UNAUTHORIZED, text_at=(("data", "message"),)),
    "github.GithubException.UnknownObjectException": by_code_and_reply(Code.NOT_FOUND, text_at=(("data", "message"),)),
    "gitlab.exceptions.GitlabAuthenticationError": first(_gitlab, Code.UNAUTHORIZED),
    "gitlab.exceptions.GitlabCiLintError": first(_gitlab, Code.VALIDATION_FAILED),
    "gitlab.exceptions.GitlabConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "gitlab.exceptions.GitlabError": first(_gitlab, Code.UPSTREAM_ERROR),
    "github3.exceptions.GitHubError": first(_by_status, Code.UPSTREAM_ERROR),
    "atlassian.errors.ApiError": Otherwise(by_exception_at("reason")),
    "jira.exceptions.JIRAError": first(by_reply(text_at=(("text",),)), Code.UPSTREAM_ERROR),  # str() prints the headers.

    "notion_client.errors.HTTPResponseError": first(by_reply(NOTION, word_at=(("code",),), text_at=_OWN_TEXT), Code.UPSTREAM_ERROR),

    # Made by OpenAPI's generator: their text prints the headers, the body tells what happened.
    **{f"{package}.exceptions.ApiException": _generated for package in ("hubspot", "asana", "brevo_python", "sib_api_v3_sdk", "datadog_api_client", "docusign_esign", "onesignal", "xero_python")},
    "asana.rest.ApiException": _generated,
    "mailchimp_marketing.api_client.ApiClientError": first(_by_status, Code.UPSTREAM_ERROR),
    "mailchimp_transactional.api_client.ApiClientError": first(_by_status, Code.UPSTREAM_ERROR),
    "python_http_client.exceptions.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),  # SendGrid

    "algoliasearch.exceptions.AlgoliaUnreachableHostException": first(by_what_broke, Code.SERVICE_UNAVAILABLE),
    "algoliasearch.exceptions.RequestException": first(_by_status, Code.UPSTREAM_ERROR),
    "auth0.exceptions.Auth0Error": first(by_reply(text_at=(("message",),)), Code.UPSTREAM_ERROR),
    "auth0.exceptions.RateLimitError": _until_reset,
    "box_sdk_gen.box.errors.BoxAPIError": first(by_reply(text_at=(("message",),), status_at=(("response_info", "status_code"),)), Code.UPSTREAM_ERROR),
    "boxsdk.exception.BoxAPIException": first(by_reply(text_at=(("message",),)), Code.UPSTREAM_ERROR),  # str() prints the headers.
    "dropbox.exceptions.HttpError": first(_by_status, Code.UPSTREAM_ERROR),
    "dropbox.exceptions.RateLimitError": _back_off,
    "gotrue.errors.AuthApiError": first(_by_status, Code.UNAUTHORIZED),
    "gotrue.errors.AuthRetryableError": first(_by_status, Code.SERVICE_UNAVAILABLE),
    "supabase_auth.errors.AuthApiError": first(_by_status, Code.UNAUTHORIZED),
    "supabase_auth.errors.AuthRetryableError": first(_by_status, Code.SERVICE_UNAVAILABLE),
    "postgrest.exceptions.APIError": first(_postgrest, Code.DATABASE_ERROR),
    "storage3.exceptions.StorageApiError": first(_by_status, Code.UPSTREAM_ERROR),
    "googlemaps.exceptions.ApiError": first(by_reply(GOOGLE_MAPS, word_at=(("status",),), text_at=(("message",),)), Code.UPSTREAM_ERROR),
    "googlemaps.exceptions.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),
    "googlemaps.exceptions.TransportError": first(by_exception_at("base_exception"), Code.NETWORK_ERROR),
    "gspread.exceptions.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "posthog.request.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "pyactiveresource.connection.ConnectionError": first(by_reply(text_at=_OWN_TEXT), by_what_broke, Code.NETWORK_ERROR),  # Shopify
    "simple_salesforce.exceptions.SalesforceError": first(_salesforce, Code.UPSTREAM_ERROR),
    "trello.exceptions.ResourceUnavailable": first(by_reply(text_at=_OWN_TEXT, status_at=(("_status",),)), Code.NOT_FOUND),
    "zenpy.lib.exception.APIException": first(_by_status, Code.UPSTREAM_ERROR),
}
# fmt: on


# People talking to one another, and to everybody: chats, telephones, feeds, articles, videos.


def _slack(error: BaseException) -> RuleResult:
    """The word in the reply, which comes with status 200."""
    known = _slack_words(error)
    word = read_text(error, "response", "data", "error") or read_text(error, "response", "error")
    if not isinstance(known, Classification) or not word or " " in word:
        return known
    needed = read_text(error, "response", "data", "needed") or read_text(error, "response", "needed")
    return known._replace(text=f"Slack answered `{word}`" + (f"; it needs the scope `{needed}`." if needed else "."))


_slack_words = by_reply(
    SLACK, always=SLACK, word_at=(("response", "data", "error"), ("response", "error")), text_at=_OWN_TEXT
)
_SLACK_CLASSES: Table = {
    "SlackApiError": _slack,
    "SlackTokenRotationError": first(by_exception_at("api_error"), Code.UNAUTHORIZED),
}


def _wait(error: BaseException) -> Classification:
    """How long to wait."""
    names = ("retry_after", "_retry_after", "seconds", "value")  # telegram and aiogram, telegram, telethon, pyrogram
    waits = (parse_retry_after(peek(error, name)) for name in names)
    return Classification(Code.RATE_LIMITED, retry_after_ms=next((wait for wait in waits if wait is not None), None))


def _cooldown(error: BaseException) -> Classification:
    """How long the command rests."""
    return Classification(Code.RATE_LIMITED, retry_after_ms=wait_ms(peek(error, "retry_after"), unit_ms=1000))


def _by_download(error: BaseException) -> RuleResult:
    """What stopped the download."""
    caught = peek(error, "exc_info")  # As sys.exc_info() gave it
    values = cast("tuple[object, ...]", caught) if is_a(caught, tuple) else ()
    return next((value for value in values if is_a(value, BaseException)), None)


_DISCORD: Table = {
    "errors.DiscordServerError": first(_by_status, Code.UPSTREAM_ERROR),
    "errors.Forbidden": by_code_and_reply(Code.FORBIDDEN, text_at=_OWN_TEXT),
    "errors.HTTPException": first(_by_status, Code.UPSTREAM_ERROR),
    "errors.NotFound": by_code_and_reply(Code.NOT_FOUND, text_at=_OWN_TEXT),
    "errors.RateLimited": _cooldown,
    "ext.commands.errors.CommandInvokeError": first(by_exception_at("original"), Code.INTERNAL_ERROR),
    "ext.commands.errors.CommandOnCooldown": _cooldown,
}

_VIDEO: Table = {
    "DownloadError": first(_by_download, Code.UPSTREAM_ERROR),
}

# fmt: off
_COMMUNICATION: Table = {
    **{f"{package}.errors.{name}": rule for package in ("slack_sdk", "slack") for name, rule in _SLACK_CLASSES.items()},
    "twilio.base.exceptions.TwilioRestException": first(by_reply(TWILIO, word_at=(("code",),), text_at=(("msg",),)), Code.UPSTREAM_ERROR),
    "twilio.base.exceptions.TwilioServiceException": first(by_reply(TWILIO, word_at=(("code",),), text_at=(("detail",), ("title",))), Code.UPSTREAM_ERROR),

    **{f"{package}.{name}": rule for package in ("discord", "disnake", "nextcord") for name, rule in _DISCORD.items()},
    "aiogram.exceptions.TelegramNetworkError": by_connection,
    "aiogram.exceptions.TelegramRetryAfter": _wait,
    "pyrogram.errors.exceptions.flood_420.FloodWait": _wait,
    "telegram.error.NetworkError": by_connection,
    "telegram.error.RetryAfter": _wait,
    "telethon.errors.rpcbaseerrors.FloodError": _wait,
    "telethon.errors.rpcerrorlist.FloodWaitError": _wait,
    "vonage_http_client.errors.HttpRequestError": first(_by_status, Code.UPSTREAM_ERROR),

    "prawcore.exceptions.RequestException": first(by_exception_at("original_exception"), Code.NETWORK_ERROR),
    "prawcore.exceptions.ResponseException": first(_by_status, Code.UPSTREAM_ERROR),
    "spotipy.exceptions.SpotifyException": first(by_reply(text_at=(("msg",),)), Code.UPSTREAM_ERROR),
    "tweepy.errors.HTTPException": first(_by_status, Code.UPSTREAM_ERROR),

    "arxiv.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),
    "yt_dlp.networking.exceptions.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),
    "yt_dlp.networking.exceptions.TransportError": first(by_exception_at("cause"), by_what_broke, Code.NETWORK_ERROR),
    **{f"{package}.utils.{name}": rule for package in ("yt_dlp", "youtube_dl") for name, rule in _VIDEO.items()},
}
# fmt: on


# Markets and money: exchanges, brokers, banks, payment providers.


# fmt: off
_BINANCE: Vocabulary = {
    "-1002": Code.UNAUTHORIZED, "-2014": Code.UNAUTHORIZED, "-2015": Code.UNAUTHORIZED, "-1022": Code.UNAUTHORIZED,
    "-1003": Code.RATE_LIMITED, "-1015": Code.RATE_LIMITED, "-1034": Code.RATE_LIMITED,
    "-1006": Code.UPSTREAM_ERROR, "-1007": Code.TIMEOUT, "-1001": Code.SERVICE_UNAVAILABLE, "-1008": Code.SERVICE_UNAVAILABLE,
    "-1102": Code.MISSING_REQUIRED_FIELD, "-1105": Code.MISSING_REQUIRED_FIELD,
    "-1121": Code.NOT_FOUND, "-2011": Code.NOT_FOUND, "-2013": Code.NOT_FOUND,
    "-2018": Code.INSUFFICIENT_BALANCE, "-2019": Code.INSUFFICIENT_BALANCE, "-3041": Code.INSUFFICIENT_BALANCE,
    "-2010": Code.BUSINESS_RULE_VIOLATION,  # The order was rejected.
}
_PLAID: Vocabulary = {
    "invalid_access_token": Code.UNAUTHORIZED,
    "invalid_api_keys": Code.UNAUTHORIZED,
    "item_login_required": Code.UNAUTHORIZED,
    "item_not_found": Code.NOT_FOUND,
    "missing_fields": Code.MISSING_REQUIRED_FIELD,
    "product_not_ready": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "institution_down": Code.SERVICE_UNAVAILABLE,
    "institution_not_responding": Code.SERVICE_UNAVAILABLE,
    "internal_server_error": Code.UPSTREAM_ERROR,
    "planned_maintenance": Code.SERVICE_UNAVAILABLE,
    "rate_limit_exceeded": Code.RATE_LIMITED,
}

_MARKETS: Table = {
    # Nothing was placed where an exchange says NetworkError, except that a time-out leaves it open.
    "ccxt.base.errors.NetworkError": first(by_what_broke, Code.NETWORK_ERROR),
    "alpaca.common.exceptions.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "alpaca_trade_api.rest.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "binance.exceptions.BinanceAPIException": first(by_reply(_BINANCE, word_at=(("code",),), text_at=(("message",),)), Code.UPSTREAM_ERROR),

    "Adyen.exceptions.AdyenAPICommunicationError": first(_by_status, Code.NETWORK_ERROR),
    "paypalrestsdk.exceptions.ConnectionError": first(_by_status, by_what_broke, Code.NETWORK_ERROR),  # The base of them all
    "plaid.exceptions.ApiException": first(by_reply(_PLAID, always=_PLAID, word_at=(("body", "error_code"),), text_at=(("body", "error_message"), ("reason",))), Code.UPSTREAM_ERROR),
}
# fmt: on

TABLE: Table = {**_SERVICES, **_COMMUNICATION, **_MARKETS}
