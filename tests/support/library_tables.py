"""What the tests of every library's table share: resolve its names, and find exceptions nobody decided about."""

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from errata.classification._registry import REGISTRY, dotted_name
from support.required_libraries import need


@dataclasses.dataclass(frozen=True)
class Library:
    """One library, and what was decided about those of its exceptions that have no row of their own."""

    package: str
    """How its dotted names begin in the table: `httpx.`."""
    modules: tuple[str, ...]
    """Where it keeps its exceptions."""
    inherited: frozenset[str] = frozenset()
    """Classes for which the row of their base is right."""
    telling: frozenset[str] = frozenset()
    """Bases whose every subclass is told apart by something it carries: an SQLSTATE, a status."""
    former: frozenset[str] = frozenset()
    """Names of other versions, which this one does not have."""


def module(name: str) -> ModuleType:
    """Import a module of a library, or skip the test that needs it."""
    need(name)
    return importlib.import_module(name)


def raised(call: Callable[..., object], *args: object, **kwargs: object) -> Exception:
    """Do what must fail, and keep the exception as it was raised."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever the library raises.
        call(*args, **kwargs)
    return caught.value


def resolved(name: str) -> type:
    """Find a class by its dotted name."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)


def exceptions_in(library: Library) -> Iterator[type]:
    """Find every exception class that the library's modules hold and that is the library's own."""
    top = library.package.split(".")[0]
    seen = set()
    for module in library.modules:
        for _, cls in inspect.getmembers(importlib.import_module(module), inspect.isclass):
            if issubclass(cls, BaseException) and cls.__module__.split(".")[0] == top and cls not in seen:
                seen.add(cls)
                yield cls


def check_names(library: Library) -> None:
    """Every name in a table is a class of the library, and finds its own row again."""
    need(library.modules[0])
    names = [name for name in REGISTRY.names() if name.startswith(f"{library.package}.")]
    assert names, f"no table says anything about {library.package}"
    for name in set(names) - library.former:
        cls = resolved(name)
        assert issubclass(cls, BaseException), name
        assert REGISTRY.rule_for(dotted_name(cls)) is REGISTRY.rule_for(name), name


def check_decided(library: Library) -> None:
    """Every exception of the library has a row, or somebody decided that its base's is right."""
    need(library.modules[0])
    undecided = sorted(
        f"{cls.__module__}.{cls.__qualname__}" for cls in exceptions_in(library) if not _is_decided(cls, library)
    )
    assert not undecided, f"{library.package} has exceptions nobody decided about: {undecided}"


def _is_decided(cls: type, library: Library) -> bool:
    own = dotted_name(cls)
    bases = {dotted_name(base) for base in cls.__mro__}
    return REGISTRY.rule_for(own) is not None or own in library.inherited or bool(bases & library.telling)
