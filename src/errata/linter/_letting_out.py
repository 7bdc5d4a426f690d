"""Whether an exception of somebody else's can come out of a function of the project."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from errata.linter._attempts import only_computes
from errata.linter._raising import BROAD
from errata.linter._summary import Summary

if TYPE_CHECKING:
    from errata.linter._linking import Project

_MOST_FUNCTIONS = 200


def lets_out(project: "Project", names: Iterable[str], file: Summary) -> bool:
    """Follow calls to one that may fail in words of its own, of another library, and is caught by nobody on the way."""
    waiting = [(name, file) for name in names]
    seen: set[int] = set()
    while waiting:
        name, at = waiting.pop()
        found = project.function(name, at)
        if found is None and not only_computes(name):
            return True
        if found is None or id(found.function) in seen:
            continue
        seen.add(id(found.function))
        if len(seen) > _MOST_FUNCTIONS:
            return True
        waiting += [(each.name, found.file) for each in found.function.calls if BROAD.isdisjoint(each.caught)]
    return False
