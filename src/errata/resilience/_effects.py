"""Has it happened? What is known of a call's effects decides whether the call may be repeated."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, Self, TypeVar, cast
from weakref import WeakKeyDictionary

from errata._fork import ForkSafeLock
from errata.classification import classify
from errata.model import CURRENT, NO_RECOVERY, Code, Current, Effects, Fault, FaultError, Retry, is_a, text_or_none
from errata.resilience._nesting import Attempt, find_attempt

_F = TypeVar("_F", bound=Callable[..., Any])
_DECLARATION: Final = "__errata_marks_effects__"
_LOCK: Final = ForkSafeLock()

# What a call has left behind, and a worker that it started and that serves others now, look the same: a job that comes
# through a queue does not say whose it is, and may be that of the call which was given up.
_GIVEN_UP: Final = (
    "The call was given up before its effect began, and may have been repeated since: it is not begun. Start a worker that "
    "is to serve later calls outside of this one: `asyncio.create_task(work(), context=contextvars.Context())`."
)


def in_attempt() -> bool:
    """Return whether this is a part of an attempt that somebody else will repeat."""
    attempt = find_attempt()
    return attempt is not None and not attempt.is_over


class effect:  # noqa: N801 - it is used like a function: `with effect():`
    """Mark where something begins that must not happen twice.

        with effect(verify_tool="get_payment"):    # also `async with`, and as a decorator
            await bank.pay(amount)

    What gets no answer inside the block may have happened: the agent is told to look first, with `verify_tool`. After
    the block it has happened, unless the block was left with a refusal (429, 503, bad arguments). With a `key` by which
    the receiver recognises a repetition, the call may be repeated all the same; `install(retry=…)` does so only for a tool
    that is declared with `@marks_effects`. What fails before the block may be repeated if the function declares so that it
    marks everything.
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
        # One object may be used by several blocks, in several tasks at a time; some blocks are never left.
        self._marked: WeakKeyDictionary[Effects, int] = WeakKeyDictionary()

    def __enter__(self) -> Self:
        for effects in self._begin():
            with _LOCK.current:
                self._marked[effects] = self._marked.get(effects, 0) + 1
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        _end(list(filter(self._forget, _records_here())), error)

    def _begin(self) -> list[Effects]:
        """Begin the effect, in the records of the attempt and of the request that this is a part of."""
        records = list(_records_here())
        for effects in records:
            with _LOCK.current:
                effects.begun = True
                effects.open += 1
                effects.keyed = effects.keyed and self._key is not None
                effects.verify_tool = self._verify_tool or effects.verify_tool
            if effects.closed and self._key is None:  # Read after marking: whoever closes reads the marks later.
                raise FaultError(Code.CANCELLED, _GIVEN_UP)
        return records

    def _forget(self, effects: Effects) -> bool:
        """Forget one block; return False for a generator that is left in another call than it was entered in."""
        with _LOCK.current:
            blocks = self._marked.pop(effects, 0)
            if blocks > 1:
                self._marked[effects] = blocks - 1
        return blocks > 0

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.__exit__(kind, error, traceback)

    def __call__(self, function: _F) -> _F:
        """Mark a whole function: its effect begins when it is called, and ends when what it returned was awaited."""
        if isinstance(function, staticmethod | classmethod):
            return cast("_F", _wrap_method(self, function))
        _require_function(function, "@effect()")
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"`{function.__qualname__}` is a generator function: it runs after `@effect()` has looked. "
                "Put `with effect():` inside it instead."
            )

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - it is typed as what it wraps.
            records = self._begin()
            try:
                outcome = function(*args, **kwargs)
            except BaseException as error:
                _end(records, error)
                raise
            return _await_effect(outcome, records) if inspect.isawaitable(outcome) else outcome

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above.
            with self:
                return await function(*args, **kwargs)

        return cast("_F", call_async if inspect.iscoroutinefunction(function) else call)


class EffectsDeclaration:
    """One use of `@marks_effects`. It is an attribute of the function, and decorators copy that."""

    __slots__ = ()


def marks_effects(function: _F) -> _F:
    """Declare that a function marks everything that must not happen twice, with `with effect():` or `@effect()`.

        @marks_effects
        def pay(amount):
            rate = read_rate()        # a timeout here may be repeated: nothing has begun
            with effect(verify_tool="get_payment"):
                bank.pay(amount * rate)

    A failure before the first effect is then known to have changed nothing. The effects have to begin in the context of
    the call: in threads of `asyncio.to_thread` and anyio they do, in those of a pool of your own they do not.
    """
    if isinstance(function, staticmethod | classmethod):
        return cast("_F", _wrap_method(marks_effects, function))
    _require_function(function, "@marks_effects")
    declaration = EffectsDeclaration()

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - it is typed as what it wraps.
        _note_run(declaration)
        return function(*args, **kwargs)

    @functools.wraps(function)
    async def call_async(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as above.
        _note_run(declaration)
        return await function(*args, **kwargs)

    wrapper = call_async if inspect.iscoroutinefunction(function) else call
    setattr(wrapper, _DECLARATION, declaration)
    return cast("_F", wrapper)


def find_declaration(function: object) -> EffectsDeclaration | None:
    """Return what `@marks_effects` left at a function, or at one whose attributes a decorator has copied to this one.

    Alone it says nothing of a call: the decorator may run the declared function where no mark is seen, such as in a pool
    of threads. The call's record has to hold the same declaration, which it does once that function ran in its context.
    """
    while isinstance(function, functools.partial):
        function = cast("functools.partial[object]", function).func
    if not inspect.isroutine(function):
        function = getattr(type(function), "__call__", None)  # noqa: B004 - the method itself is wanted.
    declaration: object = getattr(function, _DECLARATION, None)
    return declaration if isinstance(declaration, EffectsDeclaration) else None


def _note_run(declaration: EffectsDeclaration) -> None:
    for effects in _records_here():
        effects.declarations.add(declaration)


def _wrap_method(decorate: Callable[[Any], Any], method: Any) -> Any:  # noqa: ANN401 - a static method or a class method.
    return type(method)(decorate(method.__func__))


def _require_function(function: object, decorator: str) -> None:
    if isinstance(function, type) or not callable(function):
        raise TypeError(
            f"A {type(function).__name__} is no function. Put `{decorator}` above the function that does it."
        )


async def _await_effect(outcome: Awaitable[Any], records: list[Effects]) -> Any:  # noqa: ANN401 - as above.
    """Await what a marked function has returned; its effect began when the function was called."""
    try:
        return await outcome
    except BaseException as error:
        _end(records, error)
        raise


def _end(records: list[Effects], error: BaseException | None) -> None:
    """End an effect: one that was refused has not happened."""
    if records and error is not None and _is_refusal(error):
        for effects in records:
            with _LOCK.current:
                effects.open -= 1


# fmt: off
_REFUSALS: Final = frozenset({
    Code.METHOD_NOT_FOUND, Code.UNAUTHORIZED, Code.FORBIDDEN, Code.GONE, Code.NOT_IMPLEMENTED, Code.CONFIGURATION_ERROR,
    Code.BUSINESS_RULE_VIOLATION, Code.INSUFFICIENT_BALANCE, Code.DUPLICATE_OPERATION, Code.OPERATION_NOT_ALLOWED,
})
# fmt: on
"""Codes that say no for good. The other codes that are never repeated do not tell how far the work had come."""


def _is_refusal(error: BaseException) -> bool:
    """Return whether a failure says that nothing was done."""
    if not is_a(error, Exception):
        return False
    fault = classify(error)
    return fault.retry in {Retry.SAME_CALL, Retry.FIX_INPUT} or fault.code in _REFUSALS


def _records_here() -> Iterator[Effects]:
    """Yield the records of what this code is a part of: the attempt, and the request."""
    if (attempt := find_attempt()) is not None:
        yield record_of(attempt)
    if (request := CURRENT.get()) is not None:
        yield record_of(request)


def record_of(work: Attempt | Current) -> Effects:
    """Return the record of what an attempt or a request has done; two threads that ask at once get the same one."""
    record = work.effects
    if record is None:
        with _LOCK.current:
            record = work.effects = work.effects or Effects()
    return record


def settle_verdict(
    fault: Fault,
    *,
    harmless: bool | None,
    effects: Effects | None = None,
    declaration: EffectsDeclaration | None = None,
) -> Fault:
    """Return a fault with the verdict that follows from what is known of the call's effects.

    `harmless` is whether doing it twice does no harm, None where nobody said; `declaration` is that of the function
    that was called, if it has one. A verdict that a person declared is only ever lowered.
    """
    retry = _verdict(fault.retry, harmless, effects or _NOTHING, declaration)
    if fault.retry_declared and retry.exceeds(fault.retry):
        return fault
    recovery = fault.recovery or NO_RECOVERY
    if retry is Retry.VERIFY_FIRST and effects and effects.verify_tool and not recovery.verify_tool:
        return replace(fault, retry=retry, recovery=replace(recovery, verify_tool=effects.verify_tool))
    return fault if retry is fault.retry else replace(fault, retry=retry)


def _verdict(retry: Retry, harmless: bool | None, effects: Effects, declaration: EffectsDeclaration | None) -> Retry:  # noqa: FBT001 - three values.
    if harmless or (effects.begun and effects.keyed):
        return Retry.SAME_CALL if retry is Retry.IF_HARMLESS else retry
    if effects.open > 0 and retry is not Retry.NEVER:
        return Retry.VERIFY_FIRST  # Another step has failed: even with other arguments, this one would happen twice.
    if retry is not Retry.IF_HARMLESS:
        return retry
    if declaration in effects.declarations and not effects.begun:
        return Retry.SAME_CALL
    return Retry.VERIFY_FIRST if harmless is False else retry


_NOTHING: Final = Effects()
