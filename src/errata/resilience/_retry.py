"""`retry`: repeat a call that may be repeated, and no other."""

import dataclasses
import functools
import inspect
import reprlib
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, Unpack, cast, overload

from errata.resilience._policy import Policy, RetryOptions, checked
from errata.resilience._repeating import around, call_async
from errata.resilience._runtime import GENERATOR, flags_of

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Retrying(Policy):
    """A retry policy: decorates functions, sync and async, makes calls, and makes changed policies.

        @retry                                             # three attempts within 30 seconds
        @retry(attempts=5, upstream="ncbi")                # shares the budget of everything that calls ncbi
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
            return dataclasses.replace(self, **checked(options))
        if options:
            return dataclasses.replace(self, **checked(options))(function)
        if isinstance(function, staticmethod | classmethod):
            return cast("Callable[_P, _T]", self._around_inside(function))
        _require_repeatable(function)
        if _is_async(function):
            return self._around_async(function)
        return functools.update_wrapper(around(self, function, self.fresh_budget()), function)

    def call(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function now; what an async one gives is to be awaited.

        In the thread of an event loop a plain function is not waited for, unless there is a `sleep` that is told to: its
        first failure is raised.
        """
        flags = flags_of(function)
        if flags & inspect.CO_COROUTINE:
            return cast("_T", call_async(self, cast("Callable[..., Any]", function), self.own_budget, args, kwargs))
        if flags & GENERATOR:
            _require_repeatable(function)
        if not callable(function):
            raise TypeError(
                f"A {type(function).__name__} is no function. Give the function, then its arguments: `retry.call(f, 17)`."
            )
        return around(self, function, self.own_budget, blocks=False)(*args, **kwargs)

    def _around_inside(self, method: Any) -> Any:  # noqa: ANN401 - a static method or a class method.
        return type(method)(self(method.__func__))

    def _around_async(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        budget = self.fresh_budget()
        asynchronous = cast("Callable[_P, Any]", function)

        @functools.wraps(function)
        async def retried(*args: _P.args, **kwargs: _P.kwargs) -> Any:  # noqa: ANN401 - typed as what it wraps.
            return await call_async(self, asynchronous, budget, args, kwargs)

        return cast("Callable[_P, _T]", retried)


retry: Retrying = Retrying()
"""The policy with errata's own numbers."""


def _is_async(function: object) -> bool:
    return any(map(inspect.iscoroutinefunction, (function, _body_of(function))))


def _body_of(function: object) -> object:
    """Find what runs when an object is called that is no function."""
    return getattr(type(function), "__call__", None)  # noqa: B004 - whether there is one is not the question.


def _require_repeatable(function: object) -> None:
    """Refuse what cannot be repeated by calling it again."""
    name = getattr(function, "__qualname__", None) or reprlib.repr(function)
    if not callable(function):
        raise TypeError(f"`retry` was given `{name}`, which is no function. Name options, as in `retry(attempts=5)`.")
    if isinstance(function, type):
        raise TypeError(f"`{name}` is a class. Decorate the methods that may be repeated instead.")
    if any(map(_yields, (function, _body_of(function)))):
        raise TypeError(
            f"`{name}` is a generator function: what it yielded before a failure cannot be taken back. "
            "Put `retry.call(…)` around the step inside it that may be repeated."
        )


def _yields(function: object) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
