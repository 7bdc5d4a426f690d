"""From JSON back to the value objects that it was made of, by their annotations; what does not fit is refused."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

_Kind = TypeVar("_Kind")
_Reader = Callable[[Any], Any]


def loaded(kind: type[_Kind], kept: object) -> _Kind:
    """Make a value object from what JSON made of it; raises TypeError or ValueError where it does not fit."""
    read: Callable[[object], _Kind] = _reader(cast("Any", kind))
    return read(kept)


def row(value: object) -> list[object]:
    """Write a dataclass as the list of its fields, as JSON writes a named tuple."""
    return [getattr(value, field.name) for field in dataclasses.fields(cast("Any", value))]


@functools.cache
def _reader(kind: Any) -> _Reader:  # noqa: ANN401 - an annotation.
    if get_origin(kind) is not None:
        return _reader_of_several(get_origin(kind), get_args(kind))
    if kind in {str, int, bool}:
        return _plain(kind)
    if issubclass(kind, StrEnum):
        return cast("_Reader", kind)
    hints = get_type_hints(kind)
    names: Sequence[str] = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    return _fixed(lambda values: kind(*values), [_reader(hints[name]) for name in names])


def _reader_of_several(origin: Any, given: tuple[Any, ...]) -> _Reader:  # noqa: ANN401 - as above.
    if origin in {UnionType, Union}:
        return _optional(*(_reader(each) for each in given if each is not NoneType))
    if origin is tuple and given[-1] is not ...:
        return _fixed(tuple, [_reader(each) for each in given])
    return _table(_reader(given[1])) if origin in {dict, Mapping} else _each(_reader(given[0]))


def _plain(kind: type) -> _Reader:
    def read(kept: object) -> object:
        if kept.__class__ is not kind:
            raise TypeError(f"no {kind.__name__}")
        return kept

    return read


def _optional(inner: _Reader) -> _Reader:
    return lambda kept: None if kept is None else inner(kept)


def _each(inner: _Reader) -> _Reader:
    return lambda kept: tuple([inner(each) for each in _list(kept)])


def _fixed(make: Callable[[Sequence[object]], object], inner: Sequence[_Reader]) -> _Reader:
    return lambda kept: make([read(each) for read, each in zip(inner, _list(kept), strict=True)])


def _table(inner: _Reader) -> _Reader:
    def read(kept: object) -> dict[str, object]:
        if not isinstance(kept, dict):
            raise TypeError("no table")
        return {name: inner(each) for name, each in cast("dict[str, object]", kept).items()}

    return read


def _list(kept: object) -> list[object]:
    if not isinstance(kept, list):
        raise TypeError("no list")
    return cast("list[object]", kept)
