"""What is inside an exception: the members of a group, the cause that was named."""

from collections import deque
from collections.abc import Iterator
from typing import cast

from errata.classification._peek import peek
from errata.model import is_a

_MOST = 200
"""How many exceptions of a group are looked at, groups inside it among them."""


def walk_leaves(group: BaseException) -> Iterator[BaseException]:
    """Walk the exceptions in a group and in the groups inside it, each once and so many."""
    seen: set[int] = set()
    waiting = deque([group])
    while waiting and len(seen) < _MOST:
        member = waiting.popleft()
        if id(member) in seen:
            continue
        seen.add(id(member))
        if is_a(member, BaseExceptionGroup):
            waiting.extend(_members(member)[:_MOST])
        else:
            yield member


def _members(group: BaseException) -> tuple[BaseException, ...]:
    members = peek(group, "exceptions")
    inside = cast("tuple[object, ...]", members) if is_a(members, tuple) else ()
    return tuple(member for member in inside if is_a(member, BaseException))


def find_cause(error: BaseException) -> BaseException | None:
    """Find the exception that was named as the cause: `raise … from …`. One that merely came before decides nothing."""
    cause = peek(error, "__cause__")
    return cause if is_a(cause, BaseException) else None


def list_earlier(error: BaseException) -> list[BaseException]:
    """List the exceptions that led to this one, causes and contexts alike: its author may have quoted any of them."""
    found: list[BaseException] = []
    at: object = error
    while len(found) < _MOST_QUOTED:
        at = peek(at, "__cause__") or peek(at, "__context__")
        if not is_a(at, BaseException) or any(at is seen for seen in found):
            break
        found.append(at)
    return found


_MOST_QUOTED = 4
