"""Python's own exceptions."""

import builtins
import inspect

import pytest

from errata.classification._families import FAMILIES, GENERAL
from errata.classification._registry import REGISTRY

SAYS_NOTHING = {"BaseException", "Exception", "BaseExceptionGroup", "ExceptionGroup"}
BUILT_IN = [
    name
    for name, cls in inspect.getmembers(builtins, inspect.isclass)
    if issubclass(cls, BaseException) and not issubclass(cls, Warning) and cls.__name__ == name
]


@pytest.mark.parametrize("name", sorted({*BUILT_IN} - SAYS_NOTHING))
def test_every_built_in_exception_has_a_row(name):
    assert REGISTRY.rule_for(f"builtins.{name}") is not None


@pytest.mark.parametrize("name", sorted(GENERAL))
def test_every_general_class_has_a_row_to_fall_back_to(name):
    assert name in FAMILIES["Python"]
