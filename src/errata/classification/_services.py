"""Services on the web: payments, code hosting, chat, documents, messages. Markets and media are in `_catalogues.py`."""

from typing import cast

from errata._fault import FieldIssue
from errata._headers import header_fields
from errata._taxonomy import Code, Retry
from errata._values import is_a, wait_ms
from errata.classification._answer import WITHHELD, Answer, Otherwise, Said, Table, first
from errata.classification._connection import by_what_broke, held_at
from errata.classification._reach import number_at, peek, text_at
from errata.classification._replies import by_reply, replied
from errata.classification._service_words import NOTION, SLACK, STRIPE, TWILIO

_BUG = Answer(Code.INTERNAL_ERROR, text=WITHHELD)  # Used in the wrong way; the text is for its author.
_OWN_TEXT = ()
_DONE = replied(Code.DUPLICATE_OPERATION, text_at=_OWN_TEXT)
_NOT_NOW = replied(Code.OPERATION_NOT_ALLOWED, text_at=_OWN_TEXT)
_AGAIN = {"true": Retry.SAME_CALL, "false": Retry.NEVER}
_MOST_ISSUES = 20

_stripe_words = by_reply(
    STRIPE, word_at=(("code",), ("error", "code"), ("error", "type")), text_at=_OWN_TEXT, again=frozenset({409})
)
_by_github_status = by_reply(text_at=(("data", "message"),))


def _stripe(error: BaseException) -> Said:
    """The status and the code of the reply; a header tells whether Stripe wants the call again."""
    said = _stripe_words(error)
    told = _AGAIN.get(header_fields(peek(error, "headers")).get("stripe-should-retry", ""))
    return said._replace(retry=told) if isinstance(said, Answer) and told else said


def _card(error: BaseException) -> Answer:
    """Why the card was not charged."""
    words = (text_at(error, "error", "decline_code") or "", text_at(error, "code") or "")
    meant = next((STRIPE[word] for word in words if word in STRIPE), Code.BUSINESS_RULE_VIOLATION)
    answer = meant if isinstance(meant, Answer) else Answer(meant)
    return answer._replace(http_status=number_at(error, "http_status"))


def _github(error: BaseException) -> Said:
    """The status of the reply, and the fields it complains about."""
    said = _by_github_status(error)
    return said._replace(issues=_github_issues(error)) if isinstance(said, Answer) else said


def _github_issues(error: BaseException) -> tuple[FieldIssue, ...]:
    errors = peek(error, "data", "errors")
    details = cast("list[object]", errors)[:_MOST_ISSUES] if is_a(errors, list) else []
    named = ((text_at(each, "field"), text_at(each, "message") or text_at(each, "code")) for each in details)
    return tuple(FieldIssue(field, (problem or "is refused").replace("_", " ")) for field, problem in named if field)


def _github_limit(error: BaseException) -> Answer:
    """How long it would have had to wait."""
    wait = wait_ms(peek(error, "wait"), unit_ms=1000)
    return Answer(Code.RATE_LIMITED, None, number_at(error, "status"), wait, text_at(error, "data", "message"))


def _slack(error: BaseException) -> Said:
    """The word in the reply, which comes with status 200."""
    said = _slack_words(error)
    word = text_at(error, "response", "data", "error") or text_at(error, "response", "error")
    if not isinstance(said, Answer) or not word or " " in word:
        return said
    needed = text_at(error, "response", "data", "needed") or text_at(error, "response", "needed")
    return said._replace(text=f"Slack answered `{word}`" + (f"; it needs the scope `{needed}`." if needed else "."))


_slack_words = by_reply(
    SLACK, always=SLACK, word_at=(("response", "data", "error"), ("response", "error")), text_at=_OWN_TEXT
)
_SLACK_CLASSES: Table = {
    "BotUserAccessError": Code.FORBIDDEN,
    "SlackApiError": _slack,
    "SlackClientConfigurationError": Code.CONFIGURATION_ERROR,
    "SlackClientError": Otherwise(Code.UPSTREAM_ERROR),
    "SlackClientNotConnectedError": Code.NETWORK_ERROR,
    "SlackObjectFormationError": Code.INVALID_PARAMS,
    "SlackRequestError": Code.INVALID_PARAMS,
    "SlackTokenRotationError": first(held_at("api_error"), Code.UNAUTHORIZED),
}


_by_status = by_reply(text_at=_OWN_TEXT)
_gitlab = by_reply(text_at=(("error_message",),), status_at=(("response_code",),))

# fmt: off
TABLE: Table = {
    "stripe._error.StripeError": first(_stripe, Code.UPSTREAM_ERROR),
    "stripe._error.APIConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "stripe._error.AlreadyCanceledError": _DONE,
    "stripe._error.AuthenticationError": first(_stripe, Code.CONFIGURATION_ERROR),  # Without a status: no key was given.
    "stripe._error.BlockedByStripeError": replied(Code.FORBIDDEN, text_at=_OWN_TEXT),
    "stripe._error.CannotProceedError": _NOT_NOW,
    "stripe._error.CapabilityNotEnabledError": _NOT_NOW,
    "stripe._error.CardError": _card,
    "stripe._error.ControlledByAlternateResourceError": _NOT_NOW,
    "stripe._error.FeatureNotEnabledError": _NOT_NOW,
    "stripe._error.FinancialAccountNotOpenError": _NOT_NOW,
    "stripe._error.FxQuoteNeedsRefreshError": replied(Code.CONFLICT, text_at=_OWN_TEXT),
    "stripe._error.IdempotencyError": replied(Code.CONFLICT, text_at=_OWN_TEXT),  # The key was used for another call.
    "stripe._error.InsufficientFundsError": replied(Code.INSUFFICIENT_BALANCE, text_at=_OWN_TEXT),
    "stripe._error.InvalidPaymentMethodError": replied(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.InvalidPayoutMethodError": replied(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.InvalidRequestError": first(_stripe, Code.INVALID_PARAMS),
    "stripe._error.InvalidVaultedCredentialError": replied(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.NotCancelableError": _NOT_NOW,
    "stripe._error.PermissionError": replied(Code.FORBIDDEN, text_at=_OWN_TEXT),
    "stripe._error.QuotaExceededError": replied(Code.INSUFFICIENT_BALANCE, text_at=_OWN_TEXT),
    "stripe._error.RateLimitError": replied(Code.RATE_LIMITED, text_at=_OWN_TEXT),  # Also with status 400
    "stripe._error.RecipientNotNotifiableError": _NOT_NOW,
    "stripe._error.SignatureVerificationError": Code.UNAUTHORIZED,
    "stripe._error.TemporarySessionExpiredError": replied(Code.UNAUTHORIZED, text_at=_OWN_TEXT),
    "stripe._error.VerificationAttemptFailedError": replied(Code.VALIDATION_FAILED, text_at=_OWN_TEXT),
    "stripe._error.VerificationExpiredError": replied(Code.GONE, text_at=_OWN_TEXT),
    "stripe._error.VerificationNotInitiatedError": _NOT_NOW,
    "stripe.oauth_error.InvalidClientError": replied(Code.UNAUTHORIZED, text_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidGrantError": replied(Code.UNAUTHORIZED, text_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidRequestError": replied(Code.INVALID_PARAMS, text_at=_OWN_TEXT),
    "stripe.oauth_error.InvalidScopeError": replied(Code.INVALID_PARAMS, text_at=_OWN_TEXT),
    "stripe.oauth_error.OAuthError": first(_stripe, Code.UNAUTHORIZED),
    "stripe.oauth_error.UnsupportedGrantTypeError": replied(Code.INVALID_PARAMS, text_at=_OWN_TEXT),
    "stripe.oauth_error.UnsupportedResponseTypeError": replied(Code.INVALID_PARAMS, text_at=_OWN_TEXT),

    "github.GithubException.BadAttributeException": Answer(Code.SERIALIZATION_ERROR, text="GitHub answered with an attribute of another type than expected."),
    "github.GithubException.BadCredentialsException": replied(Code.UNAUTHORIZED, text_at=(("data", "message"),)),
    "github.GithubException.GithubException": first(_github, Code.UPSTREAM_ERROR),
    "github.GithubException.IncompletableObject": Code.SERIALIZATION_ERROR,
    "github.GithubException.RateLimitExceededExceedsMaxWait": _github_limit,
    "github.GithubException.RateLimitExceededException": replied(Code.RATE_LIMITED, text_at=(("data", "message"),)),
    "github.GithubException.TwoFactorException": replied(Code.UNAUTHORIZED, text_at=(("data", "message"),)),
    "github.GithubException.UnknownObjectException": replied(Code.NOT_FOUND, text_at=(("data", "message"),)),
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
    "atlassian.errors.ApiError": Otherwise(held_at("reason")),
    "jira.exceptions.JIRAError": first(by_reply(text_at=(("text",),)), Code.UPSTREAM_ERROR),  # str() prints the headers.
    "linear_api.LinearError": Otherwise(Code.UPSTREAM_ERROR),

    **{f"{package}.errors.{name}": rule for package in ("slack_sdk", "slack") for name, rule in _SLACK_CLASSES.items()},
    "notion_client.errors.HTTPResponseError": first(by_reply(NOTION, word_at=(("code",),), text_at=_OWN_TEXT), Code.UPSTREAM_ERROR),
    "notion_client.errors.InvalidPathParameterError": Code.INVALID_PARAMS,
    "notion_client.errors.NotionClientErrorBase": Otherwise(Code.UPSTREAM_ERROR),
    "notion_client.errors.RequestTimeoutError": Code.TIMEOUT,
    "twilio.base.exceptions.TwilioException": Otherwise(Code.CONFIGURATION_ERROR),
    "twilio.base.exceptions.TwilioRestException": first(by_reply(TWILIO, word_at=(("code",),), text_at=(("msg",),)), Code.UPSTREAM_ERROR),
    "twilio.base.exceptions.TwilioServiceException": first(by_reply(TWILIO, word_at=(("code",),), text_at=(("detail",), ("title",))), Code.UPSTREAM_ERROR),
    "twilio.base.obsolete.ObsoleteException": Code.NOT_IMPLEMENTED,
    "twilio.jwt.JwtDecodeError": Code.UNAUTHORIZED,
    "twilio.twiml.TwiMLException": _BUG,
}
# fmt: on
