"""What a tool declares it can fail with, and how it fails that way."""

from errata.contracts._binding import bound, fail, recovery_for
from errata.contracts._declared import Contract, Declared, declare
from errata.contracts._failure import Failure
from errata.contracts._raises import declared_by, is_beneath_raises, raises
from errata.contracts._rules import has_few_words, is_snake_case, shown, snake_case

__all__ = [
    "Contract",
    "Declared",
    "Failure",
    "bound",
    "declare",
    "declared_by",
    "fail",
    "has_few_words",
    "is_beneath_raises",
    "is_snake_case",
    "raises",
    "recovery_for",
    "shown",
    "snake_case",
]
