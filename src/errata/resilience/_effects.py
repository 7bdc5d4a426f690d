"""Has it happened? What is known of a call's effect decides whether the call may be repeated."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from types import FunctionType, TracebackType
from typing import Any, Self, TypeVar, cast
from weakref import WeakKeyDictionary

from errata._fork import LockOfModule
from errata.classification import classify
from errata.model import (
    ATTEMPT,
    CURRENT,
    NO_RECOVERY,
    Attempt,
    Code,
    Current,
    Effects,
    Fault,
    FaultError,
    Retry,
    is_a,
    text_or_none,
)
from errata.resilience._marking import MARK, MARKED

_F = TypeVar("_F", bound=Callable[..., Any])
# What a call has left behind, and a worker that it started and that serves others now, look the same: a job that comes
# through a queue does not say whose it is, and may be that of the call which was given up.
_GIVEN_UP = (
    "The call was given up before its effect began, and may have been repeated since: it is not begun. Start a worker that "
    "is to serve later calls outside of this one: `asyncio.create_task(work(), context=contextvars.Context())`."
)


class effect:  # noqa: N801 - it is used like a function: `with effect():`
    """Mark where something begins that must not happen twice.

        with effect(verify_tool="get_payment"):    # also `async with`, and as a decorator
            await bank.pay(amount)

    What fails before the block has changed nothing and may be repeated. What gets no answer inside of it may have
    happened: the agent is told to look first, with `verify_tool`. After the block it has happened, unless it was left
    with a refusal (429, 503, bad arguments). With a `key` by which the receiver recognises a repetition, the call may be
    repeated all the same.
    """

    __slots__ = ("_key", "_marked", "_verify_tool")

    def __init__(self, verify_tool: str | None = None, *, key: str | None = None) -> None:
        if callable(verify_tool):
            raise TypeError("`@effect` needs its parentheses. Write `@effect()` above the function.")
        if verify_tool is not None and not (is_a(verify_tool, str) and text_or_none(verify_tool)):
            raise ValueError(
                f'`verify_tool` is {verify_tool!r}. Name the tool that tells whether it happened, such as "get_payment".'
            )
        self._verify_tool = text_or_none(verify_tool)
        self._key = text_or_none(key)
        # One object may stand in several places, and in several tasks at a time; some blocks are never left.
        self._marked: WeakKeyDictionary[Effects, int] = WeakKeyDictionary()

    def __enter__(self) -> Self:
        for effects in self._begun():
            with _LOCK.now:
                self._marked[effects] = self._marked.get(effects, 0) + 1
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        _end(list(filter(self._forgotten, _in_work())), error)

    def _begun(self) -> list[Effects]:
        """Begin it, in all the records of what is in work."""
        records = list(_in_work())
        for effects in records:
            with _LOCK.now:
                effects.begun = True
                effects.open += 1
                effects.keyed = effects.keyed and self._key is not None
                effects.verify_tool = self._verify_tool or effects.verify_tool
            if effects.closed and self._key is None:  # After it was marked: who closes looks at the marks after that.
                raise FaultError(Code.CANCELLED, _GIVEN_UP)
        return records

    def _forgotten(self, effects: Effects) -> bool:
        """Forget one block; none was begun here where a generator is left in another call than it was entered in."""
        with _LOCK.now:
            blocks = self._marked.pop(effects, 0)
            if blocks > 1:
                self._marked[effects] = blocks - 1
        return blocks > 0

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.__exit__(kind, error, traceback)

    def __call__(self, function: _F) -> _F:
        """Mark a function: its effect begins when it is called, and ends when what it gives was awaited."""
        if isinstance(function, staticmethod | classmethod):
            return cast("_F", self._around_inside(function))
        if isinstance(function, type) or not callable(function):
            raise TypeError(
                f"A {type(function).__name__} is no function. Put `@effect()` above the function that does it."
            )
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"`{function.__qualname__}` is a generator function: it runs after `@effect()` has looked. "
                "Put `with effect():` inside it instead."
            )

        @functools.wraps(function)
        def marked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - it is typed as what it wraps.
            records = self._begun()
            try:
                outcome = function(*args, **kwargs)
            except BaseException as error:
                _end(records, error)
                raise
            return _awaited(outcome, records) if inspect.isawaitable(outcome) else outcome

        @functools.wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above.
            with self:
                return await function(*args, **kwargs)

        wrapper = awaited if inspect.iscoroutinefunction(function) else marked
        MARKED.add(cast("FunctionType", wrapper))
        return cast("_F", wrapper)

    def _around_inside(self, method: Any) -> Any:  # noqa: ANN401 - a static method or a class method.
        return type(method)(self(method.__func__))


async def _awaited(outcome: Awaitable[Any], records: list[Effects]) -> Any:  # noqa: ANN401 - as above.
    """Await what a function has given; its effect began when the function was called."""
    try:
        return await outcome
    except BaseException as error:
        _end(records, error)
        raise


def _end(records: list[Effects], error: BaseException | None) -> None:
    """End an effect: one that was refused has not happened."""
    if records and error is not None and _is_refusal(error):
        for effects in records:
            with _LOCK.now:
                effects.open -= 1


# fmt: off
_REFUSALS = frozenset({
    Code.METHOD_NOT_FOUND, Code.UNAUTHORIZED, Code.FORBIDDEN, Code.GONE, Code.NOT_IMPLEMENTED, Code.CONFIGURATION_ERROR,
    Code.BUSINESS_RULE_VIOLATION, Code.INSUFFICIENT_BALANCE, Code.DUPLICATE_OPERATION, Code.OPERATION_NOT_ALLOWED,
})
# fmt: on
"""Answers that say no for good. The other codes that are never repeated do not tell how far the work had come."""


def _is_refusal(error: BaseException) -> bool:
    """Whether a failure says that nothing was done."""
    if not is_a(error, Exception):
        return False
    fault = classify(error)
    return fault.retry in {Retry.SAME_CALL, Retry.FIX_INPUT} or fault.code in _REFUSALS


def _in_work() -> Iterator[Effects]:
    """Find the records of what is in work: the attempt that this is a part of, and the request."""
    if (attempt := ATTEMPT.get()) is not None:
        yield record_of(attempt)
    if (request := CURRENT.get()) is not None:
        yield record_of(request)


def record_of(work: Attempt | Current) -> Effects:
    """Find the record of what a call has done, or begin it; two threads that ask at once get the same one."""
    found = work.effects
    if found is None:
        with _LOCK.now:
            found = work.effects = work.effects or Effects()
    return found


setattr(effect, MARK, True)
_LOCK = LockOfModule()


def settled(fault: Fault, *, harmless: bool | None, effects: Effects | None = None, marks: bool = False) -> Fault:
    """Decide whether a call may be repeated, by all that is known of its effect.

    `harmless` is whether doing it twice does no harm, None where nobody said; `marks` is whether the function marks its
    effect, so that one that has not begun has not happened. A verdict that a person declared is only ever lowered.
    """
    retry = _settled(fault.retry, harmless, effects, marks=marks)
    if fault.retry_declared and retry.exceeds(fault.retry):
        return fault
    recovery = fault.recovery or NO_RECOVERY
    if retry is Retry.VERIFY_FIRST and effects and effects.verify_tool and not recovery.verify_tool:
        return replace(fault, retry=retry, recovery=replace(recovery, verify_tool=effects.verify_tool))
    return fault if retry is fault.retry else replace(fault, retry=retry)


def _settled(retry: Retry, harmless: bool | None, effects: Effects | None, *, marks: bool) -> Retry:  # noqa: FBT001 - three answers.
    effects = effects or _NOTHING
    if harmless or (effects.begun and effects.keyed):
        return Retry.SAME_CALL if retry is Retry.IF_HARMLESS else retry
    if effects.open > 0 and retry is not Retry.NEVER:
        return Retry.VERIFY_FIRST  # Another step has failed: even with other arguments, this one would happen twice.
    if retry is not Retry.IF_HARMLESS:
        return retry
    if marks and not effects.begun:
        return Retry.SAME_CALL
    return Retry.VERIFY_FIRST if harmless is False else retry


_NOTHING = Effects()
