"""`retry`: repeat a call that may be repeated, and no other. Nothing is built before the first failure."""

import dataclasses
import functools
import logging
import reprlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Token
from typing import Any, NamedTuple, ParamSpec, TypeVar, Unpack, cast, overload

from errata._runtime import (
    NEVER_AWAITED,
    count_cancellations,
    is_awaitable,
    is_coroutine_function,
    is_generator_function,
    is_in_event_loop,
    sleep,
)
from errata.resilience._budget import Budget
from errata.resilience._effects import in_attempt
from errata.resilience._health import is_caused_by_cancellation
from errata.resilience._nesting import INNERMOST, Attempt, ProtectedCall
from errata.resilience._retry_policy import FailedCall, Policy, RetryOptions, check_options

_P = ParamSpec("_P")
_T = TypeVar("_T")
_LOG = logging.getLogger("errata")


class Retrying(Policy):
    """A retry policy: decorates functions, sync and async, makes calls, and makes changed policies.

        @retry                                             # three attempts within 30 seconds
        @retry(attempts=5, upstream="ncbi")                # shares the budget of everything that calls ncbi
        @retry(upstream="ncbi", store=store)               # … also in the other replicas, through a `RedisStore`
        order = retry(idempotent=True).call(fetch, 17)     # now; await it if the function is async

    A failure is repeated when its verdict, settled by what is known of the call's effect, is `SAME_CALL`. One that may
    not be is raised as it is, after a repetition, too; but a FaultError in an effect that has begun says how to find out
    whether it happened. What was repeated in vain is raised as a FaultError that says so. Retries inside of retries make
    one attempt each: only the outermost layer repeats.
    """

    __slots__ = ()

    @overload
    def __call__(self, function: Callable[_P, _T], /) -> Callable[_P, _T]: ...
    @overload
    def __call__(self, /, **options: Unpack[RetryOptions]) -> "Retrying": ...
    def __call__(
        self, function: Callable[_P, _T] | None = None, /, **options: Unpack[RetryOptions]
    ) -> "Callable[_P, _T] | Retrying":
        """Decorate a function, or make a policy that differs in some options."""
        if function is None:
            return dataclasses.replace(self, **check_options(options))
        if options:
            return dataclasses.replace(self, **check_options(options))(function)
        if isinstance(function, staticmethod | classmethod):
            return cast("Callable[_P, _T]", self._wrap_method(function))
        _require_repeatable(function)
        if is_coroutine_function(function):
            return self._wrap_async(function)
        return functools.update_wrapper(_wrap(self, function, self.fresh_budget()), function)

    def call(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function now; what an async one returns is to be awaited.

        In the thread of an event loop there is no waiting for a plain function, unless `sleep` is given: its first
        failure is raised.
        """
        if is_coroutine_function(function):
            return cast("_T", _call_async(self, cast("Callable[..., Any]", function), self.own_budget, args, kwargs))
        if is_generator_function(function):
            _require_repeatable(function)
        if not callable(function):
            raise TypeError(
                f"A {type(function).__name__} is no function. Give the function, then its arguments: `retry.call(f, 17)`."
            )
        return _wrap(self, function, self.own_budget, blocks=False)(*args, **kwargs)

    def _wrap_method(self, method: Any) -> Any:  # noqa: ANN401 - a static method or a class method.
        return type(method)(self(method.__func__))

    def _wrap_async(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        budget = self.fresh_budget()
        asynchronous = cast("Callable[_P, Any]", function)

        @functools.wraps(function)
        async def call_with_retries(*args: _P.args, **kwargs: _P.kwargs) -> Any:  # noqa: ANN401 - typed as what it wraps.
            return await _call_async(self, asynchronous, budget, args, kwargs)

        return cast("Callable[_P, _T]", call_with_retries)


retry: Retrying = Retrying()
"""The policy with errata's own numbers."""


class _Begun(NamedTuple):
    """A call whose function has returned something to be awaited."""

    outcome: Awaitable[Any]
    attempt: Attempt
    failed: FailedCall | None
    at: float


def _wrap(
    policy: Policy, function: Callable[_P, _T], budget: Budget | None, *, blocks: bool = True
) -> Callable[_P, _T]:
    """Make a function that is repeated as the policy says. What it returns to be awaited is repeated while it is awaited.

    `blocks` is whether to sleep where that stops an event loop: for a function that is known to be no async one.
    """
    clock = policy.clock

    # In quotes: evaluated for each call that a policy makes itself, they would take longer than the call.
    def call_with_retries(*args: "_P.args", **kwargs: "_P.kwargs") -> _T:
        outer = INNERMOST.get()
        if outer is not None and in_attempt():
            return function(*args, **kwargs)
        at = clock()
        failed: FailedCall | None = None
        while True:
            attempt = Attempt()
            attempt.target, attempt.outer = function, outer
            token = INNERMOST.set(attempt)
            try:
                outcome = function(*args, **kwargs)
            except BaseException as error:
                _end_attempt(attempt, token)
                failed = failed or FailedCall(policy, function, budget, args, kwargs, at)
                if not ((blocks or _may_sleep(policy)) and _wait(policy, failed, error, attempt)):
                    raise
                continue
            INNERMOST.reset(token)
            if type(outcome) not in NEVER_AWAITED and is_awaitable(outcome):
                begun = _Begun(cast("Awaitable[Any]", outcome), attempt, failed, at)
                rest = _call_async(policy, cast("Callable[..., Any]", function), budget, args, kwargs, begun)
                return cast("_T", rest)
            attempt.is_over = True
            if outer is not None:
                attempt.end_attempt()
            if budget is not None and not budget.is_full:
                budget.give_back(1 if failed is None else failed.cost)
            return outcome

    return call_with_retries


async def _call_async(  # noqa: PLR0913, PLR0917 - as above, and what has begun already.
    policy: Policy,
    function: Callable[..., Awaitable[Any]],
    budget: Budget | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    begun: _Begun | None = None,
) -> Any:  # noqa: ANN401 - as above.
    """Call a function and await what it returns, and repeat both as the policy says."""
    outer = INNERMOST.get()
    if outer is not None and in_attempt():
        return await (begun.outcome if begun else function(*args, **kwargs))
    failed, at = (begun.failed, begun.at) if begun else (None, policy.clock())
    while True:
        attempt = begun.attempt if begun else Attempt()
        if begun is None:
            attempt.target, attempt.outer = function, outer
        token = INNERMOST.set(attempt)
        try:
            outcome = await (begun.outcome if begun else function(*args, **kwargs))
        except BaseException as error:
            _end_attempt(attempt, token)
            failed = failed or FailedCall(policy, function, budget, args, kwargs, at)
            if _is_being_cancelled(error) or not await _wait_async(policy, failed, error, attempt):
                raise
            begun = None
            continue
        _end_attempt(attempt, token)
        if budget is not None and not budget.is_full:
            budget.give_back(1 if failed is None else failed.cost)
        return outcome


def _end_attempt(attempt: Attempt, token: Token[ProtectedCall | None]) -> None:
    """End an attempt. A coroutine may be driven, or dropped, in another context than it began in."""
    attempt.end_attempt()
    try:
        INNERMOST.reset(token)
    except ValueError:  # Then there is nothing to reset: that context has no attempt of ours.
        return


def _is_being_cancelled(error: BaseException) -> bool:
    """Return whether this task was cancelled, and a library on the way made an ordinary error of that.

    To count the cancellations before every call would take as long as all the rest.
    """
    return count_cancellations() > 0 and is_caused_by_cancellation(error)


def _wait(policy: Policy, failed: FailedCall, error: BaseException, attempt: Attempt) -> bool:
    """Wait until the next attempt; return False if there is to be none, and the error is to be raised as it is."""
    wait = failed.wait_after(error, attempt)
    if wait is None:
        return False
    if policy.sleep is None:
        time.sleep(wait)
    elif is_awaitable(waiting := policy.sleep(wait)):
        cast("Coroutine[Any, Any, Any]", waiting).close()
        raise TypeError("`sleep` gave something to await to a function that is not async. Give it one that blocks.")
    return failed.may_go_on(error, is_granted=failed.reservation.is_granted())


async def _wait_async(policy: Policy, failed: FailedCall, error: BaseException, attempt: Attempt) -> bool:
    wait = failed.wait_after(error, attempt)
    if wait is None:
        return False
    if policy.sleep is None and not is_in_event_loop():
        _LOG.warning(
            "Neither asyncio nor trio runs this, so it is not repeated. Tell `retry` how to wait, with `sleep=`."
        )
        return False
    waiting = sleep(wait) if policy.sleep is None else policy.sleep(wait)
    if is_awaitable(waiting):
        await cast("Awaitable[object]", waiting)
    return failed.may_go_on(error, is_granted=await failed.reservation.is_granted_async())


def _may_sleep(policy: Policy) -> bool:
    """Return whether nobody else has to wait meanwhile; a `sleep` of the policy's own knows what it does."""
    return policy.sleep is not None or not is_in_event_loop()


def _require_repeatable(function: object) -> None:
    """Refuse what cannot be repeated by calling it again."""
    name = getattr(function, "__qualname__", None) or reprlib.repr(function)
    if not callable(function):
        raise TypeError(f"`retry` was given `{name}`, which is no function. Name options, as in `retry(attempts=5)`.")
    if isinstance(function, type):
        raise TypeError(f"`{name}` is a class. Decorate the methods that may be repeated instead.")
    if is_generator_function(function):
        raise TypeError(
            f"`{name}` is a generator function: what it yielded before a failure cannot be taken back. "
            "Put `retry.call(…)` around the step inside it that may be repeated."
        )
