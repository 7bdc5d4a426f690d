"""The loop: an attempt, a verdict, a wait, another attempt. Nothing is built before the first failure."""

import time
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Token
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

from errata.model import ATTEMPT, Attempt
from errata.resilience._blame import is_of_a_cancellation
from errata.resilience._budget import Budget
from errata.resilience._course import Course
from errata.resilience._policy import Policy
from errata.resilience._runtime import PLAIN, cancellations, is_in_a_loop, is_pending, sleep_here

_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Begun(NamedTuple):
    """A call whose function has returned something to be awaited."""

    outcome: Awaitable[Any]
    attempt: Attempt
    course: Course | None
    at: float


def around(
    policy: Policy, function: Callable[_P, _T], budget: Budget | None, *, blocks: bool = True
) -> Callable[_P, _T]:
    """Repeat a function as the policy says. What it gives to be awaited is repeated while it is awaited.

    `blocks` is whether to sleep where that stops an event loop: for a function that is known to be no async one.
    """
    clock = policy.clock

    # In quotes: evaluated for each call that a policy makes itself, they would take longer than the call.
    def retried(*args: "_P.args", **kwargs: "_P.kwargs") -> _T:
        outer = ATTEMPT.get()
        if outer is not None and not outer.over:
            return function(*args, **kwargs)
        at = clock()
        course: Course | None = None
        while True:
            attempt = Attempt()
            token = ATTEMPT.set(attempt)
            try:
                outcome = function(*args, **kwargs)
            except BaseException as error:
                _leave(attempt, token)
                course = course or Course(policy, function, budget, args, kwargs, at)
                if not ((blocks or _may_sleep(policy)) and _waited(policy, course, error, attempt)):
                    raise
                continue
            ATTEMPT.reset(token)
            if type(outcome) not in PLAIN and is_pending(outcome):
                begun = _Begun(cast("Awaitable[Any]", outcome), attempt, course, at)
                rest = call_async(policy, cast("Callable[..., Any]", function), budget, args, kwargs, begun)
                return cast("_T", rest)
            attempt.over = True
            if budget is not None and not budget.is_full:
                budget.give_back(1 if course is None else course.cost)
            return outcome

    return retried


async def call_async(  # noqa: PLR0913, PLR0917 - as above, and what has begun already.
    policy: Policy,
    function: Callable[..., Awaitable[Any]],
    budget: Budget | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    begun: _Begun | None = None,
) -> Any:  # noqa: ANN401 - as above.
    """Call a function and await what it gives, and repeat both as the policy says."""
    outer = ATTEMPT.get()
    if outer is not None and not outer.over:
        return await (begun.outcome if begun else function(*args, **kwargs))
    course, at = (begun.course, begun.at) if begun else (None, policy.clock())
    while True:
        attempt = begun.attempt if begun else Attempt()
        token = ATTEMPT.set(attempt)
        try:
            outcome = await (begun.outcome if begun else function(*args, **kwargs))
        except BaseException as error:
            _leave(attempt, token)
            course = course or Course(policy, function, budget, args, kwargs, at)
            if _is_being_cancelled(error) or not await _waited_async(policy, course, error, attempt):
                raise
            begun = None
            continue
        _leave(attempt, token)
        if budget is not None and not budget.is_full:
            budget.give_back(1 if course is None else course.cost)
        return outcome


def _leave(attempt: Attempt, token: Token[Attempt | None]) -> None:
    """End an attempt. A coroutine may be driven, or dropped, in another context than it began in."""
    attempt.over = True
    try:
        ATTEMPT.reset(token)
    except ValueError:  # Then there is nothing to reset: that context has no attempt of ours.
        return


def _is_being_cancelled(error: BaseException) -> bool:
    """Whether this task was asked to stop, and a library on the way made an ordinary error of that.

    To count before every call how often it was would take as long as all the rest.
    """
    return cancellations() > 0 and is_of_a_cancellation(error)


def _waited(policy: Policy, course: Course, error: BaseException, attempt: Attempt) -> bool:
    """Wait until the next attempt; False if there is to be none, and the error is to be raised as it is."""
    wait = course.wait_after(error, attempt)
    if wait is None:
        return False
    if policy.sleep is None:
        time.sleep(wait)
    elif is_pending(waiting := policy.sleep(wait)):
        cast("Coroutine[Any, Any, Any]", waiting).close()
        raise TypeError("`sleep` gave something to await to a function that is not async. Give it one that blocks.")
    return not course.is_too_late(error)


async def _waited_async(policy: Policy, course: Course, error: BaseException, attempt: Attempt) -> bool:
    wait = course.wait_after(error, attempt)
    if wait is None:
        return False
    waiting = sleep_here(wait) if policy.sleep is None else policy.sleep(wait)
    if is_pending(waiting):
        await cast("Awaitable[object]", waiting)
    return not course.is_too_late(error)


def _may_sleep(policy: Policy) -> bool:
    """Whether nobody else has to wait meanwhile; a `sleep` of the policy's own knows what it does."""
    return policy.sleep is not None or not is_in_a_loop()
