"""What is inside a callable."""

import functools
from collections.abc import Iterator
from itertools import islice
from types import FunctionType

from errata.model import is_a

_MOST = 100  # Layers looked at; some objects have any attribute one asks for.


def layers_of(function: object) -> Iterator[object]:
    """Peel a callable: itself, then what its wrappers, partials, methods and callable objects are made of."""
    return islice(_peeled(function), _MOST)


def attribute_of(value: object, name: str) -> object:
    """Read an attribute; None if there is none, or if reading it fails."""
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a foreign property may raise anything.
        return None


def _peeled(function: object) -> Iterator[object]:
    waiting = [function]
    while waiting:
        layer = waiting.pop(0)
        yield layer
        waiting += [inner for inner in _inside(layer) if inner is not None]


def _inside(layer: object) -> Iterator[object]:
    yield attribute_of(layer, "__wrapped__")
    yield attribute_of(layer, "__func__")
    if issubclass(type(layer), (functools.partial, functools.partialmethod)):
        yield attribute_of(layer, "func")
    if is_a(call := attribute_of(type(layer), "__call__"), FunctionType):
        yield call
