"""What is built on language models: gateways, frameworks, the Hub."""

from typing import cast

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._families._connection import by_network_words, by_what_broke
from errata.classification._families._models import REFUSED_CONTENT, TRUNCATED, by_model_reply
from errata.classification._families._replies import by_code_and_reply, by_reply
from errata.classification._reach import peek, read_exception
from errata.classification._verdicts import BUG
from errata.model import Code, Retry, is_a, wait_ms

_UNREADABLE = Code.SERIALIZATION_ERROR
_HUB = by_reply(said_at=(("server_message",),))


def _cooling_down(error: BaseException) -> Classification:
    """How long the router leaves its models alone."""
    return Classification(Code.RATE_LIMITED, retry_after_ms=wait_ms(peek(error, "cooldown_time"), unit_ms=1000))


def _last_attempt(error: BaseException) -> RuleResult:
    """The failure of the last attempt."""
    attempts = peek(error, "failed_attempts")
    failed = cast("list[object]", attempts) if is_a(attempts, list) else []
    last = failed[-1] if failed else None
    return read_exception(last, "exception") or read_exception(error, "__cause__")


# fmt: off
TABLE: Table = {
    # litellm's classes inherit from openai's.
    "litellm.exceptions.BlockedPiiEntityError": REFUSED_CONTENT,
    "litellm.exceptions.BudgetExceededError": Code.INSUFFICIENT_BALANCE,
    "litellm.exceptions.ContentPolicyViolationError": by_code_and_reply(REFUSED_CONTENT),
    "litellm.exceptions.ContextWindowExceededError": by_code_and_reply(Code.VALIDATION_FAILED),
    "litellm.exceptions.GuardrailRaisedException": REFUSED_CONTENT,
    "litellm.exceptions.JSONSchemaValidationError": _UNREADABLE,
    "litellm.exceptions.ServiceUnavailableError": by_code_and_reply(Code.SERVICE_UNAVAILABLE),
    "litellm.exceptions.Timeout": Code.TIMEOUT,
    "litellm.types.router.RouterRateLimitError": _cooling_down,
    "litellm.types.router.RouterRateLimitErrorBasic": Code.RATE_LIMITED,

    "huggingface_hub.errors.BadRequestError": first(_HUB, Code.INVALID_PARAMS),
    "huggingface_hub.errors.BucketNotFoundError": by_code_and_reply(Code.NOT_FOUND),
    "huggingface_hub.errors.CacheNotFound": Code.NOT_FOUND,
    "huggingface_hub.errors.CachedRepoTreeNotFoundError": Code.NOT_FOUND,
    "huggingface_hub.errors.DisabledRepoError": by_code_and_reply(Code.FORBIDDEN),
    "huggingface_hub.errors.EntryNotFoundError": by_code_and_reply(Code.NOT_FOUND),
    "huggingface_hub.errors.GatedRepoError": by_code_and_reply(Code.FORBIDDEN),
    "huggingface_hub.errors.GenerationError": Code.UPSTREAM_ERROR,
    "huggingface_hub.errors.HFValidationError": Code.INVALID_PARAMS,
    "huggingface_hub.errors.HfHubHTTPError": first(_HUB, by_what_broke, by_network_words, Code.UPSTREAM_ERROR),
    "huggingface_hub.errors.HfUriError": Code.INVALID_PARAMS,
    "huggingface_hub.errors.IncompleteGenerationError": Code.UPSTREAM_ERROR,
    "huggingface_hub.errors.InferenceEndpointError": Otherwise(Code.UPSTREAM_ERROR),
    "huggingface_hub.errors.InferenceEndpointTimeoutError": Code.TIMEOUT,
    "huggingface_hub.errors.InferenceTimeoutError": Code.TIMEOUT,
    "huggingface_hub.errors.LocalEntryNotFoundError": Code.NOT_FOUND,
    "huggingface_hub.errors.LocalTokenNotFoundError": Code.CONFIGURATION_ERROR,
    "huggingface_hub.errors.NotASafetensorsRepoError": Code.VALIDATION_FAILED,
    "huggingface_hub.errors.OfflineModeIsEnabled": Code.CONFIGURATION_ERROR,
    "huggingface_hub.errors.OverloadedError": Code.SERVICE_UNAVAILABLE,
    "huggingface_hub.errors.RepositoryNotFoundError": by_code_and_reply(Code.NOT_FOUND),  # Also with 401: a private one looks missing.
    "huggingface_hub.errors.RevisionNotFoundError": by_code_and_reply(Code.NOT_FOUND),
    "huggingface_hub.errors.SafetensorsParsingError": _UNREADABLE,
    "huggingface_hub.errors.UnknownError": Code.UPSTREAM_ERROR,
    "huggingface_hub.errors.ValidationError": Code.VALIDATION_FAILED,

    "agents.exceptions.AgentsException": Otherwise(Code.UPSTREAM_ERROR),
    "agents.exceptions.InputGuardrailTripwireTriggered": REFUSED_CONTENT,
    "agents.exceptions.MaxTurnsExceeded": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "agents.exceptions.ModelBehaviorError": Code.UPSTREAM_ERROR,
    "agents.exceptions.OutputGuardrailTripwireTriggered": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "agents.exceptions.UserError": BUG,
    "instructor.core.exceptions.ConfigurationError": Code.CONFIGURATION_ERROR,
    "instructor.core.exceptions.IncompleteOutputException": TRUNCATED,
    "instructor.core.exceptions.InstructorRetryException": first(_last_attempt, _UNREADABLE),
    "instructor.core.exceptions.ModeError": Code.CONFIGURATION_ERROR,
    "langchain_core.exceptions.ContextOverflowError": Code.VALIDATION_FAILED,
    "langchain_core.exceptions.OutputParserException": _UNREADABLE,
    "langgraph.errors.GraphRecursionError": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "langgraph.errors.InvalidUpdateError": BUG,
    "pydantic_ai.exceptions.ModelAPIError": Otherwise(Code.UPSTREAM_ERROR),
    "pydantic_ai.exceptions.ModelHTTPError": first(by_model_reply, Code.UPSTREAM_ERROR),
    "pydantic_ai.exceptions.UnexpectedModelBehavior": Classification(Code.UPSTREAM_ERROR),
    "pydantic_ai.exceptions.UsageLimitExceeded": Code.INSUFFICIENT_BALANCE,
    "pydantic_ai.exceptions.UserError": BUG,
    "workflows.errors.WorkflowRuntimeError": Otherwise(Code.UPSTREAM_ERROR),
    "workflows.errors.WorkflowTimeoutError": Code.TIMEOUT,
    "workflows.errors.WorkflowValidationError": BUG,
}
# fmt: on
