"""Event loops, threads, processes and task queues; what retries and wraps; what refuses a call to protect somebody.

A wrapper that says nothing of its own (`RetryError`) is the exception it gave up on. A circuit breaker that is open
says CIRCUIT_OPEN and, where it tells, when it closes again.
"""

from typing import cast

from errata.classification._exception_rules import (
    LOCKED,
    REFUSED,
    Classification,
    RuleResult,
    Table,
    by_cause,
    by_cause_or_context,
    by_exception_at,
    first,
)
from errata.classification._families._network import by_network_words, by_what_broke
from errata.classification._foreign import call_method, peek, read_number, read_text
from errata.http import parse_retry_after
from errata.model import Code, Retry, is_a, wait_ms

_GAVE_UP = Classification(
    Code.UPSTREAM_ERROR, text="It was tried as often as allowed, and no attempt gave a usable result."
)

_REDRESS_CLASSES: dict[str, Code | Classification] = {
    "AUTH": Code.UNAUTHORIZED,
    "PERMISSION": Code.FORBIDDEN,
    "PERMANENT": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "CONCURRENCY": LOCKED,
    "RATE_LIMIT": Code.RATE_LIMITED,
    "SERVER_ERROR": Code.UPSTREAM_ERROR,
    "TRANSIENT": Code.SERVICE_UNAVAILABLE,
}


def _last_attempt(error: BaseException) -> RuleResult:
    """The exception of the last attempt."""
    attempt = peek(error, "last_attempt")
    failure = call_method(attempt, "exception")  # tenacity's future
    if is_a(failure, BaseException):
        return failure
    caught = peek(attempt, "value")  # retrying's attempt: what sys.exc_info() gave, or a result
    values = (
        cast("tuple[object, ...]", caught) if is_a(caught, tuple) and peek(attempt, "has_exception") is True else ()
    )
    return next((value for value in values if is_a(value, BaseException)), None)


def _redress_class(error: BaseException) -> RuleResult:
    """The kind of failure that was retried to the end."""
    return _REDRESS_CLASSES.get(read_text(error, "last_class", "name") or "")


def _circuit(error: BaseException) -> Classification:
    """How long the circuit stays open, where it says so."""
    wait = parse_retry_after(peek(error, "time_remaining"))  # aiobreaker
    if wait is None:
        left = peek(error, "_circuit_breaker", "open_remaining")  # circuitbreaker
        wait = wait_ms(left, unit_ms=1000)
    return Classification(Code.CIRCUIT_OPEN, retry_after_ms=wait)


def _limit(error: BaseException) -> Classification:
    """How long until a call is allowed again, where it says so."""
    paths = (
        ("period_remaining",),  # ratelimit
        ("meta_info", "remaining_time"),  # pyrate_limiter
        ("rate_limit_result", "state", "retry_after"),  # throttled
        ("delay",),
        ("wait",),
    )
    waits = (wait_ms(peek(error, *path), unit_ms=1000) for path in paths)
    return Classification(Code.RATE_LIMITED, retry_after_ms=next((wait for wait in waits if wait is not None), None))


def _temporal(error: BaseException) -> Classification | None:
    """Whether the activity said that repeating is of no use, and when to repeat it otherwise."""
    if peek(error, "non_retryable") is True:
        return Classification(Code.UPSTREAM_ERROR, Retry.NEVER)
    wait = parse_retry_after(peek(error, "next_retry_delay"))
    return Classification(Code.UPSTREAM_ERROR, retry_after_ms=wait) if wait is not None else None


def _arq_later(error: BaseException) -> Classification:
    """How many milliseconds the job was put off."""
    return Classification(Code.SERVICE_UNAVAILABLE, retry_after_ms=read_number(error, "defer_score"))


# fmt: off
TABLE: Table = {
    "anyio.ConnectionFailed": first(by_what_broke, by_network_words, REFUSED),
    "anyio.FutureFailed": first(by_cause, Code.INTERNAL_ERROR),
    "anyio.TaskFailed": first(by_cause, Code.INTERNAL_ERROR),
    "trio.BrokenResourceError": first(by_what_broke, Code.NETWORK_ERROR),
    "trio._util.MultipleExceptionError": first(by_cause, Code.INTERNAL_ERROR),
    "curio.errors.TaskError": first(by_cause, Code.INTERNAL_ERROR),
    "tornado.iostream.StreamClosedError": first(by_what_broke, Code.NETWORK_ERROR),
    "twisted.internet.defer.FirstError": first(by_exception_at("subFailure", "value"), Code.INTERNAL_ERROR),

    # What retries: the exception it gave up on.
    "failsafe.RetriesExhausted": first(by_cause_or_context, _GAVE_UP),
    "hyx.retry.exceptions.MaxAttemptsExceeded": first(by_cause_or_context, _GAVE_UP),
    "redress.errors.CircuitOpenError": _circuit,
    "redress.errors.PermanentError": first(by_cause, Classification(Code.UPSTREAM_ERROR, Retry.NEVER)),
    "redress.errors.RateLimitError": _limit,
    "redress.errors.RetryExhaustedError": first(by_exception_at("last_exception"), _redress_class, _GAVE_UP),
    "retrying.RetryError": first(_last_attempt, _GAVE_UP),
    "riprova.exceptions.MaxRetriesExceeded": first(by_cause_or_context, _GAVE_UP),
    "tenacity.RetryError": first(_last_attempt, _GAVE_UP),
    "tenacity.TryAgain": first(by_cause_or_context, Code.SERVICE_UNAVAILABLE),

    # Breakers, bulkheads and limiters: the call was not made.
    "aiobreaker.state.CircuitBreakerError": _circuit,
    "aiocircuitbreaker.CircuitBreakerError": _circuit,
    "aiomisc.circuit_breaker.CircuitBroken": _circuit,
    "circuitbreaker.CircuitBreakerError": _circuit,
    "failsafe.CircuitOpen": _circuit,
    "hyx.circuitbreaker.exceptions.BreakerFailing": _circuit,
    "hyx.ratelimit.exceptions.RateLimitExceeded": _limit,
    "purgatory.domain.model.OpenedState": _circuit,
    "pybreaker.CircuitBreakerError": _circuit,
    "pycircuitbreaker.exceptions.CircuitBreakerException": _circuit,
    "django_ratelimit.exceptions.Ratelimited": _limit,
    "flask_limiter.errors.RateLimitExceeded": _limit,
    "limits.errors.StorageError": first(by_exception_at("storage_error"), Code.SERVICE_UNAVAILABLE),
    "pyrate_limiter.exceptions.BucketFullException": _limit,
    "pyrate_limiter.exceptions.LimiterDelayException": _limit,
    "ratelimit.exception.RateLimitException": _limit,
    "slowapi.errors.RateLimitExceeded": _limit,
    "throttled.exceptions.LimitedError": _limit,

    # Task queues and workflows.
    "arq.worker.Retry": _arq_later,
    "celery.exceptions.BackendError": first(by_cause_or_context, Code.SERVICE_UNAVAILABLE),
    "celery.exceptions.ChordError": first(by_cause, Code.UPSTREAM_ERROR),
    "celery.exceptions.MaxRetriesExceededError": first(by_cause_or_context, _GAVE_UP),
    "celery.exceptions.Retry": first(by_exception_at("exc"), by_cause_or_context, Code.SERVICE_UNAVAILABLE),
    "ray.exceptions.RayTaskError": first(by_exception_at("cause"), Code.UPSTREAM_ERROR),
    "temporalio.exceptions.ActivityError": first(by_cause, Code.UPSTREAM_ERROR),
    "temporalio.exceptions.ApplicationError": first(_temporal, by_cause),
    "temporalio.exceptions.ChildWorkflowError": first(by_cause, Code.UPSTREAM_ERROR),
}
# fmt: on
