"""What a tool declares it can fail with, and how it fails that way."""

from errata.contracts._binding import bind_declared, fail, recovery_for
from errata.contracts._contract import Contract, DeclaredFailures, declare
from errata.contracts._failure import Failure
from errata.contracts._raises import find_declaration, is_beneath_raises, raises
from errata.contracts._rules import has_few_words, is_snake_case, quote_value, to_snake_case

__all__ = [
    "Contract",
    "DeclaredFailures",
    "Failure",
    "bind_declared",
    "declare",
    "fail",
    "find_declaration",
    "has_few_words",
    "is_beneath_raises",
    "is_snake_case",
    "quote_value",
    "raises",
    "recovery_for",
    "to_snake_case",
]
