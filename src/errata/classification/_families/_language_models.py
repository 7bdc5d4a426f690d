"""Language models: the SDKs of their providers, and what is built on them: gateways, frameworks, the Hub."""

from typing import cast

from errata.classification._exception_rules import (
    BUG,
    NOT_SENT_IN_TIME,
    WITHHELD,
    Classification,
    Otherwise,
    Rule,
    RuleResult,
    Table,
    by_cause,
    first,
)
from errata.classification._families._network import by_network_words, by_what_broke
from errata.classification._families._service_replies import Vocabulary, by_code_and_reply, by_reply
from errata.classification._foreign import peek, read_exception, read_number, read_text
from errata.classification._words import classify_words
from errata.model import Code, Retry, is_a, wait_ms
from errata.redaction import text_of

_UNREADABLE = Code.SERIALIZATION_ERROR
REFUSED_CONTENT = Code.VALIDATION_FAILED  # The filter judges what was asked; asked otherwise, it may pass.

# fmt: off
_ALWAYS: Vocabulary = {
    # Money does not come back by waiting, whatever the status: OpenAI sends 429, Anthropic 400 and 402.
    "insufficient_quota": Code.INSUFFICIENT_BALANCE,
    "insufficient_user_quota": Code.INSUFFICIENT_BALANCE,
    "insufficient_balance": Code.INSUFFICIENT_BALANCE,
    "insufficient_credits": Code.INSUFFICIENT_BALANCE,
    "exceeded_current_quota_error": Code.INSUFFICIENT_BALANCE,
    "billing_error": Code.INSUFFICIENT_BALANCE,
    "billing_hard_limit_reached": Code.INSUFFICIENT_BALANCE,
    "billing_not_active": Code.INSUFFICIENT_BALANCE,
    "enforced_spend_limit_reached": Code.INSUFFICIENT_BALANCE,
    "payment_required": Code.INSUFFICIENT_BALANCE,
    # Too busy, whatever the status: Groq sends 498, a stream none.
    "overloaded": Code.SERVICE_UNAVAILABLE,
    "overloaded_error": Code.SERVICE_UNAVAILABLE,
    "engine_overloaded": Code.SERVICE_UNAVAILABLE,
    "engine_overloaded_error": Code.SERVICE_UNAVAILABLE,
    "flex_tier_capacity_exceeded": Code.SERVICE_UNAVAILABLE,
    "capacity_exceeded": Code.SERVICE_UNAVAILABLE,
    "server_is_overloaded": Code.SERVICE_UNAVAILABLE,
    "model_overloaded": Code.SERVICE_UNAVAILABLE,
}
_WORDS: Vocabulary = {
    "invalid_api_key": Code.UNAUTHORIZED,
    "invalid_authentication": Code.UNAUTHORIZED,
    "authentication_error": Code.UNAUTHORIZED,
    "account_deactivated": Code.UNAUTHORIZED,
    "invalid_organization": Code.UNAUTHORIZED,
    "permission_error": Code.FORBIDDEN,
    "permission_denied": Code.FORBIDDEN,
    "unsupported_country_region_territory": Code.FORBIDDEN,
    "model_not_available": Code.FORBIDDEN,
    "model_not_found": Code.NOT_FOUND,
    "model_decommissioned": Code.GONE,
    "not_found": Code.NOT_FOUND,
    "not_found_error": Code.NOT_FOUND,
    "conflict_error": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "rate_limit_error": Code.RATE_LIMITED,
    "rate_limit_exceeded": Code.RATE_LIMITED,
    "rate_limit_reached_error": Code.RATE_LIMITED,
    "requests": Code.RATE_LIMITED,  # OpenAI's and Groq's type of a rate limit: what there were too many of
    "tokens": Code.RATE_LIMITED,
    "slow_down": Code.RATE_LIMITED,
    "context_length_exceeded": Code.VALIDATION_FAILED,
    "context_window_exceeded": Code.VALIDATION_FAILED,
    "string_above_max_length": Code.VALIDATION_FAILED,
    "max_tokens_exceeded": Code.VALIDATION_FAILED,
    "request_too_large": Code.VALIDATION_FAILED,
    "content_filter": REFUSED_CONTENT,
    "content_policy_violation": REFUSED_CONTENT,
    "responsibleaipolicyviolation": REFUSED_CONTENT,
    "missing_required_parameter": Code.MISSING_REQUIRED_FIELD,
    "invalid_request_error": Code.INVALID_PARAMS,
    "invalid_value": Code.INVALID_PARAMS,
    "unsupported_parameter": Code.INVALID_PARAMS,
    "unsupported_value": Code.INVALID_PARAMS,
    "unknown_parameter": Code.INVALID_PARAMS,
    "timeout": Code.TIMEOUT,
    "timeout_error": Code.TIMEOUT,
    "server_error": Code.UPSTREAM_ERROR,
    "internal_server_error": Code.UPSTREAM_ERROR,
    "internal_error": Code.UPSTREAM_ERROR,
    "api_error": Code.UPSTREAM_ERROR,
    "service_unavailable": Code.SERVICE_UNAVAILABLE,
}
# fmt: on
_WORD_AT = (
    ("error_code",),
    ("code",),
    ("type",),
    ("body", "error", "code"),
    ("body", "error", "type"),
    ("body", "code"),
    ("body", "type"),
)
# The SDKs made by Stainless document that they repeat 408, 409, 429 and everything from 500 on.
by_model_reply = by_reply(_WORDS, always=_ALWAYS, word_at=_WORD_AT, again=frozenset({409}))
_fern = by_reply(_WORDS, always=_ALWAYS, word_at=_WORD_AT, text_at=(("body", "message"), ("body", "detail"), ("body",)))
_NOT_SENT = {"ConnectTimeout", "PoolTimeout", "ConnectTimeoutError"}


def _unset(error: BaseException) -> Code | None:
    """Whether it is the base class itself, which is raised before any request when the client is not set up."""
    return Code.CONFIGURATION_ERROR if type(error).__name__ in STAINLESS_BASES.values() else None


def _too_late(error: BaseException) -> Classification:
    """Whether the time ran out before the request was sent."""
    name = type(read_exception(error, "__cause__")).__name__
    return NOT_SENT_IN_TIME if name in _NOT_SENT else Classification(Code.TIMEOUT)


def _exchange(error: BaseException) -> Classification | None:
    """Whether the token endpoint was in trouble; if not, it did not accept what it was shown."""
    known = by_model_reply(error)
    return known if isinstance(known, Classification) and known.code.retry.retryable else None


def _without_headers(error: BaseException) -> RuleResult:
    """What its reply says; its text would print every header."""
    known = _fern(error)
    if isinstance(known, Classification):
        return known if known.text else known._replace(text=WITHHELD)
    if read_number(error, "status_code") is not None:
        return Classification(_UNREADABLE, text=WITHHELD)
    return Classification(Code.CONFIGURATION_ERROR, text=read_text(error, "body") or WITHHELD)


def _in_stream(error: BaseException) -> Classification | Code:
    """Its words: in the middle of a stream there is no status."""
    return classify_words(text_of(error)) or Code.UPSTREAM_ERROR


# fmt: off
_STAINLESS: dict[str, Rule | Otherwise] = {
    "APIStatusError": by_model_reply,
    "APIError": Otherwise(Code.UPSTREAM_ERROR),  # An error in the middle of a stream, with a word that nobody knows.
    "APIConnectionError": first(by_what_broke, Code.NETWORK_ERROR),
    "APITimeoutError": _too_late,
    "APIResponseValidationError": _UNREADABLE,
    "AuthenticationError": first(by_model_reply, Code.UNAUTHORIZED),
    "BadRequestError": first(by_model_reply, Code.INVALID_PARAMS),
    "ConflictError": first(by_model_reply, Classification(Code.CONFLICT, Retry.SAME_CALL)),
    "InternalServerError": first(by_model_reply, Code.UPSTREAM_ERROR),
    "NotFoundError": first(by_model_reply, Code.NOT_FOUND),
    "PermissionDeniedError": first(by_model_reply, Code.FORBIDDEN),
    "RateLimitError": first(by_model_reply, Code.RATE_LIMITED),
    "UnprocessableEntityError": first(by_model_reply, Code.VALIDATION_FAILED),
}
"""The classes that every SDK made by Stainless has."""
STAINLESS_BASES = {
    "openai": "OpenAIError",
    "anthropic": "AnthropicError",
    "groq": "GroqError",
    "cerebras.cloud.sdk": "CerebrasError",
    "together": "TogetherError",
    "replicate": "ReplicateError",
    "perplexity": "PerplexityError",
    "writerai": "WriterError",
    "runwayml": "RunwayMLError",
    "lumaai": "LumaAIError",
    "llama_api_client": "LlamaAPIClientError",
    "llama_stack_client": "LlamaStackClientError",
    "browserbase": "BrowserbaseError",
    "lithic": "LithicError",
    "turbopuffer": "TurbopufferError",
}
_FERN = ("cohere", "elevenlabs", "hume", "deepgram", "cartesia", "vapi", "humanloop", "langfuse", "twelvelabs", "zep_cloud", "square", "intercom", "webflow")

_PROVIDERS: Table = {
    **{f"{package}.{name}": rule for package in STAINLESS_BASES for name, rule in _STAINLESS.items()},
    **{f"{package}.{name}": first(by_model_reply, _unset) for package, name in STAINLESS_BASES.items()},
    **{f"{package}._response.{name}": BUG for package in STAINLESS_BASES for name in ("MissingStreamClassError", "StreamAlreadyConsumed")},
    **{f"{package}.core.api_error.ApiError": _without_headers for package in _FERN},

    "openai.OAuthError": first(_exchange, by_code_and_reply(Code.UNAUTHORIZED)),
    "openai._exceptions.SubjectTokenProviderError": first(_exchange, Code.UNAUTHORIZED),
    "openai.lib.beta.agents._files.AgentFilePreparationError": first(by_cause, Code.UPSTREAM_ERROR),
    "openai.lib.beta.agents._files.AgentFileStagingError": first(by_cause, Code.UPSTREAM_ERROR),
    "openai.error.InvalidRequestError": first(by_model_reply, Code.INVALID_PARAMS),
    "openai.error.PermissionError": first(by_model_reply, Code.FORBIDDEN),
    "openai.error.ServiceUnavailableError": first(by_model_reply, Code.SERVICE_UNAVAILABLE),
    "openai.error.TryAgain": first(by_model_reply, Code.SERVICE_UNAVAILABLE),
    # Refused for what the organisation is, or for its key; nothing in the call is wrong.
    "anthropic.CMEKKeyDisabledError": by_code_and_reply(Code.FORBIDDEN),
    "anthropic.CMEKKeyNetworkBlockedError": by_code_and_reply(Code.FORBIDDEN),
    "anthropic.ClaudeCodeKeyCreatorNotMemberError": by_code_and_reply(Code.FORBIDDEN),
    "anthropic.EnforcedSpendLimitReachedError": by_code_and_reply(Code.INSUFFICIENT_BALANCE),
    "anthropic.OrganizationOnHoldError": by_code_and_reply(Code.FORBIDDEN),
    "anthropic.OrganizationTypeNotSupportedError": by_code_and_reply(Code.OPERATION_NOT_ALLOWED),
    "anthropic.lib.credentials._workload.WorkloadIdentityError": first(_exchange, Code.UNAUTHORIZED),

    "cohere.errors.invalid_token_error.InvalidTokenError": by_code_and_reply(Code.UNAUTHORIZED),  # Its status is 498.
    "mistralai.client.errors.mistralerror.MistralError": first(by_model_reply, Code.UPSTREAM_ERROR),
    "mistralai.exceptions.MistralAPIStatusException": by_model_reply,  # Before 1.0
    "mistralai.exceptions.MistralConnectionException": first(by_what_broke, Code.NETWORK_ERROR),
    "ollama._types.ResponseError": first(by_reply(text_at=(("error",),)), _in_stream),

    "google.genai.errors.APIError": first(by_reply(text_at=(("message",),)), Code.UPSTREAM_ERROR),
    "google.genai.errors.FunctionInvocationError": first(by_cause, Code.INTERNAL_ERROR),
    "ai21.errors.AI21APIError": first(by_model_reply, Code.UPSTREAM_ERROR),
}
# fmt: on


# What is built on language models: gateways, frameworks, the Hub.


_HUB = by_reply(text_at=(("server_message",),))


def _by_cooldown(error: BaseException) -> Classification:
    """How long the router leaves its models alone."""
    return Classification(Code.RATE_LIMITED, retry_after_ms=wait_ms(peek(error, "cooldown_time"), unit_ms=1000))


def _last_attempt(error: BaseException) -> RuleResult:
    """The failure of the last attempt."""
    attempts = peek(error, "failed_attempts")
    failed = cast("list[object]", attempts) if is_a(attempts, list) else []
    last = failed[-1] if failed else None
    return read_exception(last, "exception") or read_exception(error, "__cause__")


# fmt: off
_AGENTS: Table = {
    # litellm's classes inherit from openai's.
    "litellm.exceptions.ContentPolicyViolationError": by_code_and_reply(REFUSED_CONTENT),
    "litellm.exceptions.ContextWindowExceededError": by_code_and_reply(Code.VALIDATION_FAILED),
    "litellm.exceptions.ServiceUnavailableError": by_code_and_reply(Code.SERVICE_UNAVAILABLE),
    "litellm.types.router.RouterRateLimitError": _by_cooldown,

    "huggingface_hub.errors.BadRequestError": first(_HUB, Code.INVALID_PARAMS),
    "huggingface_hub.errors.BucketNotFoundError": by_code_and_reply(Code.NOT_FOUND),
    "huggingface_hub.errors.DisabledRepoError": by_code_and_reply(Code.FORBIDDEN),
    "huggingface_hub.errors.EntryNotFoundError": by_code_and_reply(Code.NOT_FOUND),
    "huggingface_hub.errors.GatedRepoError": by_code_and_reply(Code.FORBIDDEN),
    "huggingface_hub.errors.HfHubHTTPError": first(_HUB, by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    "huggingface_hub.errors.RepositoryNotFoundError": by_code_and_reply(Code.NOT_FOUND),  # Also with 401: a private one looks missing.
    "huggingface_hub.errors.RevisionNotFoundError": by_code_and_reply(Code.NOT_FOUND),

    "instructor.core.exceptions.InstructorRetryException": first(_last_attempt, _UNREADABLE),
    "pydantic_ai.exceptions.ModelHTTPError": first(by_model_reply, Code.UPSTREAM_ERROR),
}
# fmt: on

TABLE: Table = {**_PROVIDERS, **_AGENTS}
