"""Whether a function says where its effect begins, so that one that has not begun has not happened."""

import functools
import inspect
from types import FunctionType, MethodType
from typing import cast
from weakref import WeakKeyDictionary, WeakSet

from errata.model import is_a
from errata.resilience._references import Reference, references_of

MARK = "__errata_effect__"
"""The attribute of the class `effect`."""
MARKED: WeakSet[FunctionType] = WeakSet()
"""What `@effect()` made. Not an attribute: every wrapper around it, whatever that does, would copy it."""


def marks_its_effect(function: object) -> bool:
    """Whether a function says, in its own code, where its effect begins.

    It is looked for in the function itself: a `with effect()`, or a call of a function that `@effect()` marks. What it
    passes on may begin where nobody sees it, such as in a thread that knows of no call: one such mark, and nothing is
    promised. Nor is it where a mark is hidden deeper; then the declared hints decide. In doubt the answer is no.
    """
    if isinstance(function, functools.partial):
        return marks_its_effect(cast("functools.partial[object]", function).func)
    plain = _plain(function)
    return isinstance(plain, FunctionType) and (plain in MARKED or _marks(plain))


def _plain(function: object) -> object:
    """Find the function behind methods, objects that are called like one, and errata's own wrappers."""
    if not inspect.isroutine(function):
        function = getattr(type(function), "__call__", function)  # noqa: B004 - it is the function that is wanted.
    function = getattr(function, "__func__", function)
    while isinstance(function, FunctionType) and function not in MARKED and _is_ours(function):
        function = getattr(function, "__wrapped__", None)
    return function


def _is_ours(function: FunctionType) -> bool:
    """Whether it is a wrapper of errata's; these call what they wrap where they are called."""
    return str(function.__globals__.get("__name__")).startswith("errata.") and hasattr(function, "__wrapped__")


def _marks(function: FunctionType) -> bool:
    found = _ANSWERS.get(function)
    if found is None:
        _ANSWERS[function] = False  # The answer of one that wraps itself.
        wrapped = getattr(function, "__wrapped__", None)
        marks = [each for each in references_of(function) if _is_mark(each.value, wrapped)]
        found = _ANSWERS[function] = bool(marks) and all(map(_is_seen, marks))
    return found


_ANSWERS: WeakKeyDictionary[FunctionType, bool] = WeakKeyDictionary()


def _is_mark(value: object, wrapped: object) -> bool:
    if value is None:
        return False
    if value is wrapped:
        return marks_its_effect(value)
    if is_a(value, FunctionType) or is_a(value, MethodType):
        plain = _plain(value)
        return isinstance(plain, FunctionType) and plain in MARKED
    return _is_block(value)


def _is_block(value: object) -> bool:
    """Whether it is `effect`, or one that was made of it; a foreign object is not asked."""
    kind = value if is_a(value, type) else type(value)
    return any(MARK in vars(each) for each in kind.__mro__)


def _is_seen(mark: Reference) -> bool:
    """Whether it begins there and then, in the call that is in work."""
    if is_a(mark.value, type):
        return mark.is_called and mark.is_entered
    if _is_block(mark.value):
        return mark.is_entered and not mark.is_called
    return mark.is_called and (mark.is_awaited or not inspect.iscoroutinefunction(mark.value))
