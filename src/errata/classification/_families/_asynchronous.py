"""Event loops, threads, processes and task queues; what retries and wraps; what refuses a call to protect somebody.

A wrapper that says nothing of its own (`RetryError`) is the exception it gave up on. A circuit breaker that is open
says CIRCUIT_OPEN and, where it tells, when it closes again.
"""

from typing import cast

from errata.classification._answer import Classification, Otherwise, RuleResult, Table, first
from errata.classification._families._connection import by_network_words, by_what_broke
from errata.classification._families._wrappers import by_cause, by_cause_or_context, wrapped_at
from errata.classification._reach import call_method, peek, read_number, read_text
from errata.classification._verdicts import BUG, LOCKED, REFUSED
from errata.http import parse_retry_after
from errata.model import Code, Retry, is_a, wait_ms

_NOT_BEGUN = Classification(Code.TIMEOUT, Retry.SAME_CALL)
_GAVE_UP = Classification(
    Code.UPSTREAM_ERROR, text="It was tried as often as allowed, and no attempt gave a usable result."
)
_WORKER_DIED = Code.INTERNAL_ERROR

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
    places = (
        ("period_remaining",),  # ratelimit
        ("meta_info", "remaining_time"),  # pyrate_limiter
        ("rate_limit_result", "state", "retry_after"),  # throttled
        ("delay",),
        ("wait",),
    )
    waits = (wait_ms(peek(error, *place), unit_ms=1000) for place in places)
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
    "asyncio.exceptions.BrokenBarrierError": BUG,
    "asyncio.exceptions.CancelledError": Code.CANCELLED,
    "asyncio.exceptions.IncompleteReadError": Code.NETWORK_ERROR,
    "asyncio.exceptions.InvalidStateError": BUG,
    "asyncio.exceptions.LimitOverrunError": Code.SERIALIZATION_ERROR,
    "asyncio.exceptions.SendfileNotAvailableError": Code.NOT_IMPLEMENTED,
    "asyncio.queues.QueueEmpty": BUG,
    "asyncio.queues.QueueFull": Code.SERVICE_UNAVAILABLE,
    "asyncio.queues.QueueShutDown": Code.SERVICE_UNAVAILABLE,
    "queue.ShutDown": Code.SERVICE_UNAVAILABLE,
    "threading.BrokenBarrierError": BUG,

    "concurrent.futures._base.BrokenExecutor": _WORKER_DIED,
    "concurrent.futures._base.CancelledError": Code.CANCELLED,
    "concurrent.futures._base.InvalidStateError": BUG,
    "concurrent.futures.interpreter.BrokenInterpreterPool": _WORKER_DIED,
    "concurrent.futures.interpreter.ExecutionFailed": BUG,
    "concurrent.futures.process.BrokenProcessPool": _WORKER_DIED,
    "concurrent.futures.process._RemoteTraceback": BUG,  # The cause of every exception from a process: no exception itself.
    "concurrent.futures.thread.BrokenThreadPool": _WORKER_DIED,
    "multiprocessing.context.AuthenticationError": Code.UNAUTHORIZED,
    "multiprocessing.context.BufferTooShort": BUG,
    "multiprocessing.context.ProcessError": _WORKER_DIED,
    "multiprocessing.context.TimeoutError": Code.TIMEOUT,
    "multiprocessing.pool.MaybeEncodingError": Code.SERIALIZATION_ERROR,
    "multiprocessing.pool.RemoteTraceback": BUG,
    "billiard.exceptions.SoftTimeLimitExceeded": Code.TIMEOUT,
    "billiard.exceptions.TimeLimitExceeded": Code.TIMEOUT,
    "billiard.exceptions.WorkerLostError": Code.UPSTREAM_ERROR,
    "joblib.externals.loky.process_executor.BrokenProcessPool": _WORKER_DIED,
    "joblib.externals.loky.process_executor.TerminatedWorkerError": _WORKER_DIED,
    "joblib.externals.loky.process_executor._RemoteTraceback": BUG,
    "multiprocess.context.TimeoutError": Code.TIMEOUT,

    "anyio.BrokenResourceError": Code.NETWORK_ERROR,
    "anyio.BrokenWorkerInterpreter": BUG,
    "anyio.BrokenWorkerProcess": _WORKER_DIED,
    "anyio.BusyResourceError": BUG,
    "anyio.ClosedResourceError": BUG,
    "anyio.ConnectionFailed": first(by_what_broke, by_network_words, REFUSED),
    "anyio.DelimiterNotFound": Code.SERIALIZATION_ERROR,
    "anyio.EndOfStream": Code.NETWORK_ERROR,
    "anyio.FutureAlreadyFinished": BUG,
    "anyio.FutureCancelled": Code.CANCELLED,
    "anyio.FutureFailed": first(by_cause, Code.INTERNAL_ERROR),
    "anyio.FutureNotFinished": BUG,
    "anyio.IncompleteRead": Code.NETWORK_ERROR,
    "anyio.NoEventLoopError": BUG,
    "anyio.RunFinishedError": BUG,
    "anyio.TaskCancelled": Code.CANCELLED,
    "anyio.TaskFailed": first(by_cause, Code.INTERNAL_ERROR),
    "anyio.TaskNotFinished": BUG,
    "anyio.TypedAttributeLookupError": BUG,
    "anyio.WouldBlock": Code.SERVICE_UNAVAILABLE,
    "trio.BrokenResourceError": first(by_what_broke, Code.NETWORK_ERROR),
    "trio.BusyResourceError": BUG,
    "trio.Cancelled": Code.CANCELLED,
    "trio.ClosedResourceError": BUG,
    "trio.EndOfChannel": BUG,
    "trio.NeedHandshakeError": BUG,
    "trio.RunFinishedError": BUG,
    "trio.TooSlowError": Code.TIMEOUT,
    "trio.TrioInternalError": BUG,
    "trio.WouldBlock": Code.SERVICE_UNAVAILABLE,
    "trio._util.MultipleExceptionError": first(by_cause, Code.INTERNAL_ERROR),
    "curio.errors.CancelledError": Code.CANCELLED,
    "curio.errors.CurioError": Otherwise(Code.INTERNAL_ERROR),
    "curio.errors.TaskError": first(by_cause, Code.INTERNAL_ERROR),
    "curio.errors.TaskTimeout": Code.TIMEOUT,
    "curio.errors.TimeoutCancellationError": Code.TIMEOUT,
    "curio.errors.UncaughtTimeoutError": Code.TIMEOUT,
    "eventlet.timeout.Timeout": Code.TIMEOUT,
    "gevent.exceptions.LoopExit": BUG,
    "gevent.timeout.Timeout": Code.TIMEOUT,
    "greenlet.GreenletExit": Code.CANCELLED,
    "tornado.iostream.StreamClosedError": first(by_what_broke, Code.NETWORK_ERROR),
    "tornado.util.TimeoutError": Code.TIMEOUT,
    "twisted.internet.defer.AlreadyCalledError": BUG,
    "twisted.internet.defer.CancelledError": Code.CANCELLED,
    "twisted.internet.defer.FirstError": first(wrapped_at("subFailure", "value"), Code.INTERNAL_ERROR),
    "twisted.internet.defer.TimeoutError": Code.TIMEOUT,
    "twisted.internet.error.ConnectError": REFUSED,
    "twisted.internet.error.ConnectionClosed": Code.NETWORK_ERROR,
    "twisted.internet.error.ConnectionRefusedError": REFUSED,
    "twisted.internet.error.DNSLookupError": Classification(Code.NETWORK_ERROR, Retry.NEVER),
    "twisted.internet.error.TimeoutError": Code.TIMEOUT,
    "twisted.internet.error.UnknownHostError": Classification(Code.NETWORK_ERROR, Retry.NEVER),

    # A time limit, or a lock that was not to be had.
    "filelock._error.Timeout": _NOT_BEGUN,
    "func_timeout.exceptions.FunctionTimedOut": Code.TIMEOUT,
    "polling2.MaxCallException": Code.TIMEOUT,
    "polling2.TimeoutException": Code.TIMEOUT,
    "portalocker.exceptions.LockException": LOCKED,
    "stopit.utils.TimeoutException": Code.TIMEOUT,
    "timeout_decorator.timeout_decorator.TimeoutError": Code.TIMEOUT,
    "waiting.exceptions.TimeoutExpired": Code.TIMEOUT,

    # What retries: the exception it gave up on.
    "failsafe.RetriesExhausted": first(by_cause_or_context, _GAVE_UP),
    "hyx.retry.exceptions.MaxAttemptsExceeded": first(by_cause_or_context, _GAVE_UP),
    "hyx.timeout.exceptions.MaxDurationExceeded": Code.TIMEOUT,
    "redress.errors.AbortRetryError": Code.CANCELLED,
    "redress.errors.CircuitOpenError": _circuit,
    "redress.errors.ConcurrencyError": LOCKED,
    "redress.errors.PermanentError": first(by_cause, Classification(Code.UPSTREAM_ERROR, Retry.NEVER)),
    "redress.errors.RateLimitError": _limit,
    "redress.errors.RetryExhaustedError": first(wrapped_at("last_exception"), _redress_class, _GAVE_UP),
    "redress.errors.ServerError": Code.UPSTREAM_ERROR,
    "retrying.RetryError": first(_last_attempt, _GAVE_UP),
    "riprova.exceptions.MaxRetriesExceeded": first(by_cause_or_context, _GAVE_UP),
    "riprova.exceptions.RetryTimeoutError": Code.TIMEOUT,
    "tenacity.RetryError": first(_last_attempt, _GAVE_UP),
    "tenacity.TryAgain": first(by_cause_or_context, Code.SERVICE_UNAVAILABLE),

    # Breakers, bulkheads and limiters: the call was not made.
    "aiobreaker.state.CircuitBreakerError": _circuit,
    "aiocircuitbreaker.CircuitBreakerError": _circuit,
    "aiomisc.circuit_breaker.CircuitBroken": _circuit,
    "circuitbreaker.CircuitBreakerError": _circuit,
    "failsafe.CircuitOpen": _circuit,
    "hyx.bulkhead.exceptions.BulkheadFull": Code.SERVICE_UNAVAILABLE,
    "hyx.circuitbreaker.exceptions.BreakerFailing": _circuit,
    "hyx.ratelimit.exceptions.RateLimitExceeded": _limit,
    "purgatory.domain.model.OpenedState": _circuit,
    "pybreaker.CircuitBreakerError": _circuit,
    "pycircuitbreaker.exceptions.CircuitBreakerException": _circuit,
    "django_ratelimit.exceptions.Ratelimited": _limit,
    "flask_limiter.errors.RateLimitExceeded": _limit,
    "limits.errors.ConcurrentUpdateError": LOCKED,
    "limits.errors.ConfigurationError": Code.CONFIGURATION_ERROR,
    "limits.errors.StorageError": first(wrapped_at("storage_error"), Code.SERVICE_UNAVAILABLE),
    "pyrate_limiter.exceptions.BucketFullException": _limit,
    "pyrate_limiter.exceptions.LimiterDelayException": _limit,
    "ratelimit.exception.RateLimitException": _limit,
    "slowapi.errors.RateLimitExceeded": _limit,
    "throttled.exceptions.LimitedError": _limit,

    # Task queues and workflows.
    "arq.jobs.SerializationError": Code.SERIALIZATION_ERROR,
    "arq.worker.JobExecutionFailed": Code.UPSTREAM_ERROR,
    "arq.worker.Retry": _arq_later,
    "celery.exceptions.AlreadyRegistered": Code.CONFLICT,
    "celery.exceptions.BackendError": first(by_cause_or_context, Code.SERVICE_UNAVAILABLE),
    "celery.exceptions.ChordError": first(by_cause, Code.UPSTREAM_ERROR),
    "celery.exceptions.ImproperlyConfigured": Code.CONFIGURATION_ERROR,
    "celery.exceptions.InvalidTaskError": Code.INVALID_REQUEST,
    "celery.exceptions.MaxRetriesExceededError": first(by_cause_or_context, _GAVE_UP),
    "celery.exceptions.NotRegistered": Code.NOT_FOUND,
    "celery.exceptions.QueueNotFound": Code.CONFIGURATION_ERROR,
    "celery.exceptions.Retry": first(wrapped_at("exc"), by_cause_or_context, Code.SERVICE_UNAVAILABLE),
    "celery.exceptions.TaskRevokedError": Code.CANCELLED,
    "celery.exceptions.TimeoutError": Code.TIMEOUT,
    "distributed.client.FutureCancelledError": Code.CANCELLED,
    "distributed.comm.core.CommClosedError": Code.NETWORK_ERROR,
    "distributed.scheduler.KilledWorker": Code.UPSTREAM_ERROR,
    "dramatiq.errors.ActorNotFound": Code.NOT_FOUND,
    "dramatiq.errors.QueueNotFound": Code.CONFIGURATION_ERROR,
    "dramatiq.errors.RateLimitExceeded": Code.RATE_LIMITED,
    "dramatiq.middleware.time_limit.TimeLimitExceeded": Code.TIMEOUT,
    "dramatiq.results.errors.ResultFailure": Code.UPSTREAM_ERROR,
    "dramatiq.results.errors.ResultMissing": Code.NOT_FOUND,
    "dramatiq.results.errors.ResultTimeout": Code.TIMEOUT,
    "huey.exceptions.CancelExecution": Code.CANCELLED,
    "huey.exceptions.ResultTimeout": Code.TIMEOUT,
    "huey.exceptions.TaskException": Code.UPSTREAM_ERROR,
    "huey.exceptions.TaskLockedException": LOCKED,
    "ray.exceptions.GetTimeoutError": Code.TIMEOUT,
    "ray.exceptions.ObjectLostError": Code.UPSTREAM_ERROR,
    "ray.exceptions.RayTaskError": first(wrapped_at("cause"), Code.UPSTREAM_ERROR),
    "ray.exceptions.TaskCancelledError": Code.CANCELLED,
    "ray.exceptions.WorkerCrashedError": Code.UPSTREAM_ERROR,
    "rq.exceptions.NoSuchJobError": Code.NOT_FOUND,
    "rq.timeouts.BaseTimeoutException": Code.TIMEOUT,
    "temporalio.exceptions.ActivityError": first(by_cause, Code.UPSTREAM_ERROR),
    "temporalio.exceptions.ApplicationError": first(_temporal, by_cause),
    "temporalio.exceptions.CancelledError": Code.CANCELLED,
    "temporalio.exceptions.ChildWorkflowError": first(by_cause, Code.UPSTREAM_ERROR),
    "temporalio.exceptions.FailureError": Otherwise(Code.UPSTREAM_ERROR),
    "temporalio.exceptions.TimeoutError": Code.TIMEOUT,
    "temporalio.exceptions.WorkflowAlreadyStartedError": Code.CONFLICT,
}
# fmt: on
