"""For service code: log what failed, and raise it again as what it means. Nothing is ever swallowed."""

import functools
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, ParamSpec, Self, TypedDict, TypeVar, Unpack, cast

from errata._log import log_failure
from errata.classification import classify_with_ground
from errata.model import (
    Code,
    Fault,
    FaultError,
    add_identity,
    is_a,
    known_word,
    replace_fields,
    text_or_none,
    timestamp_or_none,
    wrap_classified,
)
from errata.redaction import as_object, jsonable

_P = ParamSpec("_P")
_T = TypeVar("_T")
_UNSURE = {Code.INTERNAL_ERROR, Code.UNKNOWN_ERROR}
_REQUEST_IDS = ("correlation_id", "request_id", "requestId")


class GuardOptions(TypedDict, total=False):
    """The options of `guard` and `try_catch` besides the operation."""

    context: Mapping[str, object] | None
    """Further facts for the log, redacted. Its `request_id` becomes the failure's reference, its `timestamp` the time."""
    code: Code | None
    """The code of a failure that has none of its own; without it, the exception is classified."""
    input: object
    """What the operation was given; logged, redacted, and never sent."""
    critical: bool
    """Log as critical."""
    include_stack: bool
    """Log the traceback; it is never sent."""
    error_mapper: Callable[[Exception], BaseException] | None
    """Makes the exception to raise from the one that was caught and logged."""


class guard:  # noqa: N801 - it is used like a function: `with guard("Orders.load"):`
    """Log a failure of a block or a function and raise it again as a FaultError, with its cause.

        with guard("Orders.load", context={"order": 17}): ...      # also `async with`
        @guard("Orders.load")                                      # sync and async functions

    A FaultError keeps its own code. Cancellation, KeyboardInterrupt and SystemExit pass untouched. Neither the
    traceback nor the input ever leaves the process.
    """

    __slots__ = ("_operation", "_options")

    def __init__(self, operation: str, **options: Unpack[GuardOptions]) -> None:
        if text_or_none(operation) is None:
            raise ValueError('`operation` is empty. Name what is guarded, as in `guard("Orders.load")`.')
        if unknown := options.keys() - GuardOptions.__annotations__.keys():
            raise TypeError(
                f"`guard` takes no {', '.join(f'`{name}`' for name in sorted(unknown))}. It takes {_OPTION_NAMES}."
            )
        if options.get("code") is not None and known_word(Code, options.get("code")) is None:
            raise ValueError(f"`{options.get('code')}` is no code. Use one of `errata.Code`.")
        self._operation = operation
        self._options = options

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        if is_a(error, Exception):
            outcome = self._handle(error)
            if outcome is not error:
                raise outcome from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        self.__exit__(kind, error, trace)

    def __call__(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"`{function.__name__}` is a generator function: it runs after the guard has looked. "
                "Put `with guard(…):` inside it instead."
            )
        if inspect.iscoroutinefunction(function):
            return cast("Callable[_P, _T]", self._around_async(function))

        @functools.wraps(function)
        def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            with self:
                outcome = function(*args, **kwargs)
            return cast("_T", _guard_awaitable(outcome, self)) if inspect.isawaitable(outcome) else outcome

        return guarded

    def _around_async(self, function: Callable[_P, Coroutine[Any, Any, _T]]) -> Callable[_P, Coroutine[Any, Any, _T]]:
        @functools.wraps(function)
        async def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            with self:
                return await function(*args, **kwargs)

        return guarded

    def _handle(self, error: Exception) -> BaseException:
        """Log the failure and return the exception to raise; the same one if it is a FaultError already."""
        fault, is_hearsay = self._judge(error)
        facts = {
            "operation": self._operation,
            "context": self._options.get("context"),
            "input": self._options.get("input"),
        }
        log_failure(
            fault,
            error,
            facts,
            level=logging.CRITICAL if self._options.get("critical") else logging.ERROR,
            stack=self._options.get("include_stack", True),
        )
        mapped = self._map(error)
        if mapped is not None:
            return mapped
        return error if is_a(error, FaultError) else wrap_classified(error, fault, is_hearsay=is_hearsay)

    def _map(self, error: Exception) -> BaseException | None:
        """Return what the author's mapper makes; None if it fails, because that must not hide the failure itself."""
        mapper = self._options.get("error_mapper")
        try:
            mapped = mapper(error) if mapper else None
        except Exception as failure:  # noqa: BLE001 - whatever it raises, the failure comes first.
            error.add_note(f"The error_mapper of {self._operation} failed: {type(failure).__name__}")
            return None
        return mapped if is_a(mapped, BaseException) else None

    def _judge(self, error: Exception) -> tuple[Fault, bool]:
        """Return the fault, and whether it rests on words only; a code that the author gives does not."""
        if is_a(error, FaultError):
            return add_identity(error.fault), error.is_hearsay
        code = known_word(Code, self._options.get("code"))
        fault, rests_on_words = classify_with_ground(error)
        return self._add_reference(_set_code(fault, code)), rests_on_words and code is None

    def _add_reference(self, fault: Fault) -> Fault:
        """Return a fault with the reference and the time of the context."""
        context = as_object(jsonable(self._options.get("context")))
        reference = next((text for name in _REQUEST_IDS if (text := text_or_none(context.get(name)))), None)
        moment = timestamp_or_none(context.get("timestamp"))
        return replace_fields(
            fault, correlation_id=reference or fault.correlation_id, timestamp=moment or fault.timestamp
        )


_OPTION_NAMES = ", ".join(f"`{name}`" for name in GuardOptions.__annotations__)


def _set_code(fault: Fault, code: Code | None) -> Fault:
    """Return a fault with the author's code, and no greater licence to repeat the call than is known for sure."""
    if code is None or code is fault.code:
        return fault
    chosen = code.retry
    if chosen.exceeds(fault.retry) and fault.code not in _UNSURE:
        chosen = fault.retry
    message = code.sentence if fault.message == fault.code.sentence else fault.message
    return replace_fields(fault, code=code, retry=chosen, message=message)


def try_catch(function: Callable[[], _T], /, operation: str, **options: Unpack[GuardOptions]) -> _T:
    """Call a function under a guard; an awaitable that it returns is guarded, too.

    order = try_catch(lambda: json.loads(raw), operation="Orders.parse", code=Code.CONFIGURATION_ERROR)
    page = await try_catch(lambda: client.get(url), operation="Catalogue.fetch", context={"url": url})
    """
    watch = guard(operation, **options)
    with watch:
        outcome = function()
    return cast("_T", _guard_awaitable(outcome, watch)) if inspect.isawaitable(outcome) else outcome


async def _guard_awaitable(outcome: Awaitable[_T], watch: guard) -> _T:
    with watch:
        return await outcome
