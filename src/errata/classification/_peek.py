"""Looking into an exception without trusting it: attributes may raise, lie, or be of any kind."""

from collections.abc import Mapping
from typing import cast

from errata.model import is_a


def peek(subject: object, *path: str) -> object:
    """Follow attributes, or keys where there is a mapping; None where the path ends early or something raises."""
    for name in path:
        if subject is None:
            return None
        try:
            subject = _step(subject, name)
        except Exception:  # noqa: BLE001 - a foreign property may raise anything.
            return None
    return subject


def _step(subject: object, name: str) -> object:
    kind = type(subject)
    if not issubclass(kind, BaseException) and issubclass(kind, Mapping):  # aiohttp's web exceptions are both.
        return cast("Mapping[str, object]", subject).get(name)
    return getattr(subject, name, None)


def read_text(subject: object, *path: str) -> str | None:
    """Read a text; None for anything else."""
    value = peek(subject, *path)
    return str.__str__(value) if is_a(value, str) and str.__len__(value) else None


def read_number(subject: object, *path: str) -> int | None:
    """Read a whole number, also one that is written as text; None for anything else."""
    value = peek(subject, *path)
    if is_a(value, str):
        return int(digits) if (digits := str.__str__(value)).isdecimal() and len(digits) < _LONGEST else None
    return int.__index__(value) if is_a(value, int) and not is_a(value, bool) else None


_LONGEST = 10


def call_method(subject: object, name: str) -> object:
    """Call a method that takes nothing; None if there is none or it raises."""
    method = peek(subject, name)
    try:
        return method() if callable(method) else None
    except Exception:  # noqa: BLE001 - a foreign method may raise anything.
        return None


def read_exception(subject: object, *path: str) -> BaseException | None:
    """Read an exception that another one holds; None for anything else."""
    value = peek(subject, *path)
    return value if is_a(value, BaseException) else None


def read_argument(error: BaseException, index: int = 0) -> object:
    """Read one of the arguments an exception was made with; None if there is no such."""
    arguments = peek(error, "args")
    values = cast("tuple[object, ...]", arguments) if is_a(arguments, tuple) else ()
    return values[index] if len(values) > index else None
