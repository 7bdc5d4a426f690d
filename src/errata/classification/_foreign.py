"""Looking into a foreign exception without trusting it: its attributes, the members of a group, what it was raised from.

Attributes may raise, lie, or be of any kind. Everything that is read from an exception is read by the functions here,
which return plain values; nothing behind them has to check again.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import cast
from weakref import WeakKeyDictionary

from errata.model import is_a

_MOST_DIGITS = 10
_MOST_MEMBERS = 200
"""How many exceptions of a group are looked at, groups inside it among them."""
_MOST_EARLIER = 4


def peek(subject: object, *path: str) -> object:
    """Follow attributes, or keys where there is a mapping; None where the path ends early or something raises."""
    try:
        for name in path:
            if subject is None:
                return None
            kind = type(subject)
            if not issubclass(kind, BaseException) and issubclass(kind, Mapping):  # aiohttp's web exceptions are both.
                subject = cast("Mapping[str, object]", subject).get(name)
            else:
                subject = getattr(subject, name, None)
    except Exception:  # noqa: BLE001 - a foreign property may raise anything.
        return None
    return subject


def read_text(subject: object, *path: str) -> str | None:
    """Return the text at a path; None for anything else."""
    value = peek(subject, *path)
    return str.__str__(value) if is_a(value, str) and str.__len__(value) else None


def read_number(subject: object, *path: str) -> int | None:
    """Return the whole number at a path, also one that is written as text; None for anything else."""
    value = peek(subject, *path)
    if is_a(value, str):
        return int(digits) if (digits := str.__str__(value)).isdecimal() and len(digits) < _MOST_DIGITS else None
    return int.__index__(value) if is_a(value, int) and not is_a(value, bool) else None


def call_method(subject: object, name: str) -> object:
    """Return what a method without arguments returns; None if there is none or it raises."""
    method = peek(subject, name)
    try:
        return method() if callable(method) else None
    except Exception:  # noqa: BLE001 - a foreign method may raise anything.
        return None


def read_exception(subject: object, *path: str) -> BaseException | None:
    """Return the exception at a path; None for anything else."""
    value = peek(subject, *path)
    return value if is_a(value, BaseException) else None


def read_argument(error: BaseException, index: int = 0) -> object:
    """Return one of the arguments that an exception was made with; None if there is none."""
    arguments = peek(error, "args")
    values = cast("tuple[object, ...]", arguments) if is_a(arguments, tuple) else ()
    return values[index] if len(values) > index else None


class AttributeNames:
    """Which of some attributes an exception may have. Most have none, and need not be looked into."""

    __slots__ = ("_by_class", "_names")

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._by_class: WeakKeyDictionary[type, frozenset[str]] = WeakKeyDictionary()

    def on(self, error: BaseException) -> frozenset[str]:
        """Return the names that an exception has itself or by its class; all, if its class makes attributes up."""
        kind = type(error)
        known = self._by_class.get(kind)
        if known is None:
            known = self._by_class[kind] = self._of_class(kind)
        own = error.__dict__
        return known | self._names.intersection(own) if own else known

    def _of_class(self, kind: type) -> frozenset[str]:
        classes = [vars(cls) for cls in kind.__mro__]
        foreign = [vars(cls) for cls in kind.__mro__ if cls.__module__ != "builtins"]
        if any("__getattr__" in each or "__getattribute__" in each for each in foreign):
            return self._names
        return self._names.intersection(name for each in classes for name in each)


def walk_leaves(group: BaseException) -> Iterator[BaseException]:
    """Walk the exceptions in a group and in the groups inside it, each once, and a limited number of them."""
    seen: set[int] = set()
    waiting = deque([group])
    while waiting and len(seen) < _MOST_MEMBERS:
        member = waiting.popleft()
        if id(member) in seen:
            continue
        seen.add(id(member))
        if is_a(member, BaseExceptionGroup):
            waiting.extend(_members(member)[:_MOST_MEMBERS])
        else:
            yield member


def _members(group: BaseException) -> tuple[BaseException, ...]:
    members = peek(group, "exceptions")
    inside = cast("tuple[object, ...]", members) if is_a(members, tuple) else ()
    return tuple(member for member in inside if is_a(member, BaseException))


def find_cause(error: BaseException) -> BaseException | None:
    """Return the exception that `raise … from …` named as the cause; one that merely came before decides nothing."""
    return read_exception(error, "__cause__")


def find_cause_or_context(error: BaseException) -> BaseException | None:
    """Return the exception that was named as the cause, or else the one that was being handled."""
    cause = read_exception(error, "__cause__")
    return read_exception(error, "__context__") if cause is None else cause


def list_earlier(error: BaseException) -> list[BaseException]:
    """List the exceptions that led to this one, causes and contexts alike: its author may have quoted any of them."""
    earlier: list[BaseException] = []
    at = find_cause_or_context(error)
    while at is not None and len(earlier) < _MOST_EARLIER and not any(at is seen for seen in earlier):
        earlier.append(at)
        at = find_cause_or_context(at)
    return earlier
