"""People talking to one another, and to everybody: chats, telephones, feeds, articles, videos."""

from typing import cast

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._families._connection import by_network_words, by_what_broke
from errata.classification._families._replies import by_code_and_reply, by_reply
from errata.classification._families._service_words import SLACK, TWILIO
from errata.classification._families._wrappers import wrapped_at
from errata.classification._reach import peek, read_text
from errata.classification._verdicts import BUG
from errata.http import parse_retry_after
from errata.model import Code, Retry, is_a, wait_ms

_OWN_TEXT = ()
_by_status = by_reply(said_at=_OWN_TEXT)


def _slack(error: BaseException) -> RuleResult:
    """The word in the reply, which comes with status 200."""
    said = _slack_words(error)
    word = read_text(error, "response", "data", "error") or read_text(error, "response", "error")
    if not isinstance(said, Classification) or not word or " " in word:
        return said
    needed = read_text(error, "response", "data", "needed") or read_text(error, "response", "needed")
    return said._replace(text=f"Slack answered `{word}`" + (f"; it needs the scope `{needed}`." if needed else "."))


_slack_words = by_reply(
    SLACK, always=SLACK, word_at=(("response", "data", "error"), ("response", "error")), said_at=_OWN_TEXT
)
_SLACK_CLASSES: Table = {
    "BotUserAccessError": Code.FORBIDDEN,
    "SlackApiError": _slack,
    "SlackClientConfigurationError": Code.CONFIGURATION_ERROR,
    "SlackClientError": Otherwise(Code.UPSTREAM_ERROR),
    "SlackClientNotConnectedError": Code.NETWORK_ERROR,
    "SlackObjectFormationError": Code.INVALID_PARAMS,
    "SlackRequestError": Code.INVALID_PARAMS,
    "SlackTokenRotationError": first(wrapped_at("api_error"), Code.UNAUTHORIZED),
}


def _wait(error: BaseException) -> Classification:
    """How long to wait."""
    places = ("retry_after", "_retry_after", "seconds", "value")  # telegram and aiogram, telegram, telethon, pyrogram
    waits = (parse_retry_after(peek(error, place)) for place in places)
    return Classification(Code.RATE_LIMITED, retry_after_ms=next((wait for wait in waits if wait is not None), None))


def _cooldown(error: BaseException) -> Classification:
    """How long the command rests."""
    return Classification(Code.RATE_LIMITED, retry_after_ms=wait_ms(peek(error, "retry_after"), unit_ms=1000))


def _downloaded(error: BaseException) -> RuleResult:
    """What stopped the download."""
    caught = peek(error, "exc_info")  # As sys.exc_info() gave it
    values = cast("tuple[object, ...]", caught) if is_a(caught, tuple) else ()
    return next((value for value in values if is_a(value, BaseException)), None)


_DISCORD: Table = {
    "errors.ClientException": Otherwise(Code.INTERNAL_ERROR),
    "errors.ConnectionClosed": Code.NETWORK_ERROR,
    "errors.DiscordServerError": first(_by_status, Code.UPSTREAM_ERROR),
    "errors.Forbidden": by_code_and_reply(Code.FORBIDDEN, said_at=_OWN_TEXT),
    "errors.GatewayNotFound": Code.SERVICE_UNAVAILABLE,
    "errors.HTTPException": first(_by_status, Code.UPSTREAM_ERROR),
    "errors.InteractionResponded": Code.DUPLICATE_OPERATION,
    "errors.InvalidData": Code.SERIALIZATION_ERROR,
    "errors.LoginFailure": Code.UNAUTHORIZED,
    "errors.NotFound": by_code_and_reply(Code.NOT_FOUND, said_at=_OWN_TEXT),
    "errors.PrivilegedIntentsRequired": Code.CONFIGURATION_ERROR,
    "errors.RateLimited": _cooldown,
    "ext.commands.errors.BadArgument": Code.INVALID_PARAMS,
    "ext.commands.errors.CheckFailure": Code.FORBIDDEN,
    "ext.commands.errors.CommandInvokeError": first(wrapped_at("original"), Code.INTERNAL_ERROR),
    "ext.commands.errors.CommandNotFound": Code.NOT_FOUND,
    "ext.commands.errors.CommandOnCooldown": _cooldown,
    "ext.commands.errors.DisabledCommand": Code.OPERATION_NOT_ALLOWED,
    "ext.commands.errors.MaxConcurrencyReached": Code.RATE_LIMITED,
    "ext.commands.errors.MissingRequiredArgument": Code.MISSING_REQUIRED_FIELD,
    "ext.commands.errors.UserInputError": Code.INVALID_PARAMS,
}

_VIDEO: Table = {
    "DownloadError": first(_downloaded, Code.UPSTREAM_ERROR),
    "ExtractorError": Otherwise(Code.UPSTREAM_ERROR),
    "GeoRestrictedError": Code.FORBIDDEN,
    "PostProcessingError": Code.INTERNAL_ERROR,
    "UnavailableVideoError": Code.NOT_FOUND,
    "UnsupportedError": Code.NOT_IMPLEMENTED,
}

# fmt: off
TABLE: Table = {
    **{f"{package}.errors.{name}": rule for package in ("slack_sdk", "slack") for name, rule in _SLACK_CLASSES.items()},
    "twilio.base.exceptions.TwilioException": Otherwise(Code.CONFIGURATION_ERROR),
    "twilio.base.exceptions.TwilioRestException": first(by_reply(TWILIO, word_at=(("code",),), said_at=(("msg",),)), Code.UPSTREAM_ERROR),
    "twilio.base.exceptions.TwilioServiceException": first(by_reply(TWILIO, word_at=(("code",),), said_at=(("detail",), ("title",))), Code.UPSTREAM_ERROR),
    "twilio.base.obsolete.ObsoleteException": Code.NOT_IMPLEMENTED,
    "twilio.jwt.JwtDecodeError": Code.UNAUTHORIZED,
    "twilio.twiml.TwiMLException": BUG,

    **{f"{package}.{name}": rule for package in ("discord", "disnake", "nextcord") for name, rule in _DISCORD.items()},
    "aiogram.exceptions.ClientDecodeError": Code.SERIALIZATION_ERROR,
    "aiogram.exceptions.TelegramBadRequest": Code.INVALID_PARAMS,
    "aiogram.exceptions.TelegramConflictError": Code.CONFLICT,
    "aiogram.exceptions.TelegramEntityTooLarge": Code.VALIDATION_FAILED,
    "aiogram.exceptions.TelegramForbiddenError": Code.FORBIDDEN,
    "aiogram.exceptions.TelegramNetworkError": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "aiogram.exceptions.TelegramNotFound": Code.NOT_FOUND,
    "aiogram.exceptions.TelegramRetryAfter": _wait,
    "aiogram.exceptions.TelegramServerError": Code.UPSTREAM_ERROR,
    "aiogram.exceptions.TelegramUnauthorizedError": Code.UNAUTHORIZED,
    "pyrogram.errors.exceptions.flood_420.FloodWait": _wait,
    "telegram.error.BadRequest": Code.INVALID_PARAMS,  # Though it is a NetworkError by birth
    "telegram.error.ChatMigrated": Code.GONE,
    "telegram.error.Conflict": Code.CONFLICT,
    "telegram.error.EndPointNotFound": Code.NOT_FOUND,
    "telegram.error.Forbidden": Code.FORBIDDEN,
    "telegram.error.InvalidToken": Code.UNAUTHORIZED,
    "telegram.error.NetworkError": first(by_what_broke, by_network_words, Code.NETWORK_ERROR),
    "telegram.error.PassportDecryptionError": Code.SERIALIZATION_ERROR,
    "telegram.error.RetryAfter": _wait,
    "telegram.error.TelegramError": Otherwise(Code.UPSTREAM_ERROR),
    "telegram.error.TimedOut": Code.TIMEOUT,
    "telethon.errors.rpcbaseerrors.FloodError": _wait,
    "telethon.errors.rpcbaseerrors.TimedOutError": Code.TIMEOUT,
    "telethon.errors.rpcerrorlist.FloodWaitError": _wait,
    "plivo.exceptions.AuthenticationError": Code.UNAUTHORIZED,
    "plivo.exceptions.GeoPermissionError": Code.FORBIDDEN,
    "plivo.exceptions.InvalidRequestError": Code.INVALID_REQUEST,
    "plivo.exceptions.PlivoServerError": Code.UPSTREAM_ERROR,
    "plivo.exceptions.ResourceNotFoundError": Code.NOT_FOUND,
    "plivo.exceptions.ValidationError": Code.VALIDATION_FAILED,
    "vonage_http_client.errors.HttpRequestError": first(_by_status, Code.UPSTREAM_ERROR),
    "vonage_http_client.errors.InvalidAuthError": Code.CONFIGURATION_ERROR,
    "vonage_http_client.errors.JWTGenerationError": Code.CONFIGURATION_ERROR,

    "praw.exceptions.ClientException": Otherwise(Code.INVALID_PARAMS),
    "praw.exceptions.InvalidURL": Code.INVALID_PARAMS,
    "praw.exceptions.MissingRequiredAttributeException": Code.CONFIGURATION_ERROR,
    "praw.exceptions.ReadOnlyException": Code.FORBIDDEN,
    "praw.exceptions.RedditAPIException": Otherwise(Code.INVALID_PARAMS),
    "prawcore.exceptions.InsufficientScope": Code.FORBIDDEN,
    "prawcore.exceptions.InvalidInvocation": BUG,
    "prawcore.exceptions.OAuthException": Code.UNAUTHORIZED,
    "prawcore.exceptions.RequestException": first(wrapped_at("original_exception"), Code.NETWORK_ERROR),
    "prawcore.exceptions.ResponseException": first(_by_status, Code.UPSTREAM_ERROR),
    "spotipy.exceptions.SpotifyException": first(by_reply(said_at=(("msg",),)), Code.UPSTREAM_ERROR),
    "spotipy.exceptions.SpotifyOauthError": Code.UNAUTHORIZED,
    "tweepy.errors.HTTPException": first(_by_status, Code.UPSTREAM_ERROR),
    "tweepy.errors.TweepyException": Otherwise(Code.UPSTREAM_ERROR),

    "arxiv.ArxivError": Otherwise(Code.UPSTREAM_ERROR),
    "arxiv.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),
    "arxiv.UnexpectedEmptyPageError": Code.UPSTREAM_ERROR,
    "ddgs.exceptions.RatelimitException": Code.RATE_LIMITED,
    "ddgs.exceptions.TimeoutException": Code.TIMEOUT,
    "duckduckgo_search.exceptions.RatelimitException": Code.RATE_LIMITED,
    "duckduckgo_search.exceptions.TimeoutException": Code.TIMEOUT,
    "newsapi.newsapi_exception.NewsAPIException": Otherwise(Code.UPSTREAM_ERROR),
    "tavily.errors.InvalidAPIKeyError": Code.UNAUTHORIZED,
    "tavily.errors.MissingAPIKeyError": Code.CONFIGURATION_ERROR,
    "tavily.errors.UsageLimitExceededError": Code.INSUFFICIENT_BALANCE,
    "wikipedia.exceptions.DisambiguationError": Code.VALIDATION_FAILED,  # Its text lists the pages to choose from.
    "wikipedia.exceptions.HTTPTimeoutError": Code.TIMEOUT,
    "wikipedia.exceptions.PageError": Code.NOT_FOUND,
    "wikipedia.exceptions.RedirectError": Code.NOT_FOUND,
    "wikipedia.exceptions.WikipediaException": Otherwise(Code.UPSTREAM_ERROR),
    "yt_dlp.networking.exceptions.HTTPError": first(_by_status, Code.UPSTREAM_ERROR),
    "yt_dlp.networking.exceptions.SSLError": Classification(Code.NETWORK_ERROR, Retry.NEVER),
    "yt_dlp.networking.exceptions.TransportError": first(wrapped_at("cause"), by_what_broke, Code.NETWORK_ERROR),
    **{f"{package}.utils.{name}": rule for package in ("yt_dlp", "youtube_dl") for name, rule in _VIDEO.items()},
}
# fmt: on
