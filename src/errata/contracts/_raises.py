"""`@raises`: a function that declares what it can fail with, and is otherwise the same."""

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from types import FrameType, FunctionType, MethodType
from typing import Any, TypeVar, cast
from weakref import WeakSet

from errata.contracts._binding import bound
from errata.contracts._declared import Contract, Declared, declare, refuse_other_kinds
from errata.contracts._failure import Failure
from errata.contracts._layers import attribute_of, layers_of
from errata.contracts._placement import registration_below
from errata.contracts._rules import a_kind, shown
from errata.model import is_a

_Function = TypeVar("_Function", bound="Callable[..., object] | staticmethod[..., Any] | classmethod[Any, ..., Any]")
_Call = Callable[..., Any]
_MARK = "__errata_declared__"
_BENEATH: WeakSet[FunctionType] = WeakSet()


def raises(*declared: type[Contract] | Failure) -> Callable[[_Function], _Function]:
    """Declare what a tool, a resource or a prompt can fail with. It goes directly on the function.

        @server.tool()
        @raises(FetchErrors)
        async def fetch_articles(pmids: list[str]) -> list[Article]: ...

    The function keeps its signature and its type. While it runs, `fail` and `recovery_for` know what it declares, also
    in the services it calls.
    """
    refuse_other_kinds(declared, "`@raises`")

    def decorate(function: _Function) -> _Function:
        name = _name_of(function)
        here = inspect.currentframe()
        _refuse_misplaced(function, name, here.f_back if here else None)
        return cast("_Function", _rebuilt(function, declare(*declared, by=name), name))

    return decorate


def declared_by(function: object) -> Declared | None:
    """Find what `@raises` declared for a function, through whatever was wrapped around it since."""
    marks = (attribute_of(layer, _MARK) for layer in layers_of(function))
    return next((mark for mark in marks if is_a(mark, Declared)), None)


def is_beneath_raises(function: object) -> bool:
    """Whether `@raises` made another function of this one: whoever registered this one goes without the contract."""
    return is_a(function, FunctionType) and function in _BENEATH


def _name_of(function: object) -> str:
    while is_a(function, functools.partial):
        function = function.func
    name = attribute_of(function, "__name__")
    return name if is_a(name, str) else type(function).__name__


def _refuse_misplaced(function: object, name: str, caller: FrameType | None) -> None:
    """Refuse to decorate what is no function, or one that is out of reach already."""
    if is_a(function, type) or not (callable(function) or _is_one_of(function, classmethod)):
        raise TypeError(
            f"`@raises` was put on something {a_kind(function)}, which is no function. "
            "Put it directly on the function, below `@server.tool()` and its like."
        )
    if caller and (registration := registration_below(function, caller)):
        raise TypeError(
            f"`@raises` stands above `@{registration}`, which has registered {shown(name)} without it. "
            f"Put `@raises(…)` directly on the function, below `@{registration}`."
        )
    if declared_by(function) is not None:
        raise TypeError(f"Tool {shown(name)} has `@raises` twice. Name all it can fail with in one `@raises(…)`.")


def _rebuilt(function: Any, declared: Declared, name: str) -> Any:  # noqa: ANN401 - a callable of any kind.
    """Wrap a function where it is: a method stays a method and a partial a partial, as SDKs tell them apart."""
    kind: Any = cast("object", type(function))
    if _is_one_of(function, staticmethod, classmethod):
        return kind(_rebuilt(function.__func__, declared, name))
    if _is_one_of(function, MethodType):
        return kind(_rebuilt(function.__func__, declared, name), function.__self__)
    if _is_one_of(function, functools.partial):
        partial: object = kind(_rebuilt(function.func, declared, name), *function.args, **function.keywords)
        vars(partial).update(cast("dict[str, object]", vars(function)))
        return partial
    return _wrapped(function, declared, name)


def _is_one_of(function: object, *kinds: type) -> bool:
    return issubclass(type(function), kinds)


def _wrapped(function: _Call, declared: Declared, name: str) -> _Call:
    called = cast("_Call", attribute_of(function, "__call__")) if _is_callable_object(function) else function
    wrapper = functools.wraps(called)(_around(called)(called, declared, name))
    if called is not function:  # A callable object has its name and its text from its class.
        wrapper.__name__ = wrapper.__qualname__ = name
        wrapper.__doc__ = function.__doc__ or called.__doc__
    vars(wrapper)[_MARK] = declared
    if is_a(called, FunctionType):
        _BENEATH.add(called)
    return wrapper


def _is_callable_object(function: object) -> bool:
    return is_a(attribute_of(type(function), "__call__"), FunctionType)


def _around(function: _Call) -> Callable[[_Call, Declared, str], _Call]:
    if inspect.iscoroutinefunction(function):
        return _around_coroutine
    if inspect.isasyncgenfunction(function):
        return _around_async_generator
    return _around_generator if inspect.isgeneratorfunction(function) else _around_call


def _around_call(function: _Call, declared: Declared, name: str) -> _Call:
    def call(*args: object, **kwargs: object) -> object:
        with bound(declared, name):
            outcome = function(*args, **kwargs)
        return _awaited(outcome, declared, name) if inspect.iscoroutine(outcome) else outcome

    return call


async def _awaited(outcome: Coroutine[Any, Any, object], declared: Declared, name: str) -> object:
    with bound(declared, name):
        return await outcome


def _around_coroutine(function: _Call, declared: Declared, name: str) -> _Call:
    async def call(*args: object, **kwargs: object) -> object:
        with bound(declared, name):
            return await function(*args, **kwargs)

    return call


def _around_generator(function: _Call, declared: Declared, name: str) -> _Call:
    """Bind for each step alone: between two of them other code runs in the same context."""

    def call(*args: object, **kwargs: object) -> Generator[object, object, object]:
        steps: Any = function(*args, **kwargs)
        step, sent = steps.send, None
        while True:
            try:
                with bound(declared, name):
                    item = step(sent)
            except StopIteration as done:
                return done.value
            try:
                step, sent = steps.send, (yield item)
            except BaseException as error:  # noqa: BLE001 - the generator's to handle, its closing included.
                step, sent = steps.throw, error

    return call


def _around_async_generator(function: _Call, declared: Declared, name: str) -> _Call:
    """As for a generator: a step is taken by whoever asks for it, in a context of theirs."""

    async def call(*args: object, **kwargs: object) -> AsyncGenerator[object, object]:
        steps: Any = function(*args, **kwargs)
        step, sent = steps.asend, None
        while True:
            try:
                with bound(declared, name):
                    item = await step(sent)
            except StopAsyncIteration:
                return
            try:
                step, sent = steps.asend, (yield item)
            except BaseException as error:  # noqa: BLE001 - as above.
                step, sent = steps.athrow, error

    return call
