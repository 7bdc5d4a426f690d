"""What a tool declares it can fail with, and how it fails that way."""

from errata._contract._binding import bound, fail, recovery_for
from errata._contract._declared import Contract, Declared, declare
from errata._contract._failure import Failure
from errata._contract._raises import declared_by, is_beneath_raises, raises

__all__ = [
    "Contract",
    "Declared",
    "Failure",
    "bound",
    "declare",
    "declared_by",
    "fail",
    "is_beneath_raises",
    "raises",
    "recovery_for",
]
