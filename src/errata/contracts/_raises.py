"""`@raises`: a function that declares what it can fail with, and is otherwise the same."""

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from types import FrameType, FunctionType, MethodType
from typing import Any, TypeVar, cast
from weakref import WeakSet

from errata.contracts._binding import bind_declared
from errata.contracts._callables import find_registration_below, read_attribute, walk_layers
from errata.contracts._contract import Contract, DeclaredFailures, declare, refuse_other_kinds
from errata.contracts._failure import Failure
from errata.contracts._rules import name_type, quote_value
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
        return cast("_Function", _rebuild(function, declare(*declared, by=name), name))

    return decorate


def find_declaration(function: object) -> DeclaredFailures | None:
    """Return what `@raises` declared for a function, through whatever was wrapped around it since; None if nothing."""
    marks = (read_attribute(layer, _MARK) for layer in walk_layers(function))
    return next((mark for mark in marks if is_a(mark, DeclaredFailures)), None)


def is_beneath_raises(function: object) -> bool:
    """Return whether `@raises` has wrapped this function; registered by itself, it goes without the contract."""
    return is_a(function, FunctionType) and function in _BENEATH


def _name_of(function: object) -> str:
    while is_a(function, functools.partial):
        function = function.func
    name = read_attribute(function, "__name__")
    return name if is_a(name, str) else type(function).__name__


def _refuse_misplaced(function: object, name: str, caller: FrameType | None) -> None:
    """Raise TypeError for what is no function, or one that a server has already."""
    if is_a(function, type) or not (callable(function) or _is_one_of(function, classmethod)):
        raise TypeError(
            f"`@raises` was put on something {name_type(function)}, which is no function. "
            "Put it directly on the function, below `@server.tool()` and its like."
        )
    if caller and (registration := find_registration_below(function, caller)):
        raise TypeError(
            f"`@raises` stands above `@{registration}`, which has registered {quote_value(name)} without it. "
            f"Put `@raises(…)` directly on the function, below `@{registration}`."
        )
    if find_declaration(function) is not None:
        raise TypeError(f"Tool {quote_value(name)} has `@raises` twice. Name all it can fail with in one `@raises(…)`.")


def _rebuild(function: Any, declared: DeclaredFailures, name: str) -> Any:  # noqa: ANN401 - a callable of any kind.
    """Wrap a function where it is: a method stays a method and a partial a partial, as SDKs tell them apart."""
    kind: Any = cast("object", type(function))
    if _is_one_of(function, staticmethod, classmethod):
        return kind(_rebuild(function.__func__, declared, name))
    if _is_one_of(function, MethodType):
        return kind(_rebuild(function.__func__, declared, name), function.__self__)
    if _is_one_of(function, functools.partial):
        partial: object = kind(_rebuild(function.func, declared, name), *function.args, **function.keywords)
        vars(partial).update(cast("dict[str, object]", vars(function)))
        return partial
    return _wrap(function, declared, name)


def _is_one_of(function: object, *kinds: type) -> bool:
    return issubclass(type(function), kinds)


def _wrap(function: _Call, declared: DeclaredFailures, name: str) -> _Call:
    called = cast("_Call", read_attribute(function, "__call__")) if _is_callable_object(function) else function
    wrapper = functools.wraps(called)(_around(called)(called, declared, name))
    if called is not function:  # A callable object has its name and its text from its class.
        wrapper.__name__ = wrapper.__qualname__ = name
        wrapper.__doc__ = function.__doc__ or called.__doc__
    vars(wrapper)[_MARK] = declared
    if is_a(called, FunctionType):
        _BENEATH.add(called)
    return wrapper


def _is_callable_object(function: object) -> bool:
    return is_a(read_attribute(type(function), "__call__"), FunctionType)


def _around(function: _Call) -> Callable[[_Call, DeclaredFailures, str], _Call]:
    if inspect.iscoroutinefunction(function):
        return _around_coroutine
    if inspect.isasyncgenfunction(function):
        return _around_async_generator
    return _around_generator if inspect.isgeneratorfunction(function) else _around_call


def _around_call(function: _Call, declared: DeclaredFailures, name: str) -> _Call:
    def call(*args: object, **kwargs: object) -> object:
        with bind_declared(declared, name):
            outcome = function(*args, **kwargs)
        return _await_bound(outcome, declared, name) if inspect.iscoroutine(outcome) else outcome

    return call


async def _await_bound(outcome: Coroutine[Any, Any, object], declared: DeclaredFailures, name: str) -> object:
    with bind_declared(declared, name):
        return await outcome


def _around_coroutine(function: _Call, declared: DeclaredFailures, name: str) -> _Call:
    async def call(*args: object, **kwargs: object) -> object:
        with bind_declared(declared, name):
            return await function(*args, **kwargs)

    return call


def _around_generator(function: _Call, declared: DeclaredFailures, name: str) -> _Call:
    """Bind for each step alone: between two of them other code runs in the same context."""

    def call(*args: object, **kwargs: object) -> Generator[object, object, object]:
        steps: Any = function(*args, **kwargs)
        step, sent = steps.send, None
        while True:
            try:
                with bind_declared(declared, name):
                    item = step(sent)
            except StopIteration as done:
                return done.value
            try:
                step, sent = steps.send, (yield item)
            except BaseException as error:  # noqa: BLE001 - the generator's to handle, its closing included.
                step, sent = steps.throw, error

    return call


def _around_async_generator(function: _Call, declared: DeclaredFailures, name: str) -> _Call:
    """Bind for each step alone, as for a generator: each may run in another context."""

    async def call(*args: object, **kwargs: object) -> AsyncGenerator[object, object]:
        steps: Any = function(*args, **kwargs)
        step, sent = steps.asend, None
        while True:
            try:
                with bind_declared(declared, name):
                    item = await step(sent)
            except StopAsyncIteration:
                return
            try:
                step, sent = steps.asend, (yield item)
            except BaseException as error:  # noqa: BLE001 - as above.
                step, sent = steps.athrow, error

    return call
