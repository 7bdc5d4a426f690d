"""What a handler reaches: the functions it calls, the errors that leave it, and what is asked of its contract."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from errata.linter.analysis import catches_ours
from errata.linter.link._handlers import AskedAt, Reached
from errata.linter.link._linked_contracts import Agreement, Agreements
from errata.linter.link._name_resolution import Located, Trails
from errata.linter.summary import Raised
from errata.linter.syntax import MEMBERS

_MOST_FUNCTIONS = 2_000  # That one handler reaches.
_MOST_MAKERS = 30  # Functions that make an error for one another.


class _Onward(NamedTuple):
    """The functions that one function leads to, each once."""

    every: tuple[Located, ...]
    """What it calls or hands on, and its decorators with their wrappers."""
    in_loop: tuple[Located, ...]
    """What it calls itself, and the async ones of its wrappers."""
    uncaught: tuple[Located, ...]
    """What it calls where errors come back through it."""


class Reach:
    """Follows the calls of handlers."""

    def __init__(self, trails: Trails, agreements: Agreements) -> None:
        self._trails = trails
        self._agreements = agreements
        self._known: dict[int, _Onward] = {}
        """By the identity of a function: many handlers come by the same ones."""

    def reached(self, where: Located) -> Iterator[Located]:
        """List the handler's own function, and every one that it calls."""
        return self._walked(where, lambda onward: onward.every)

    def in_loop(self, where: Located) -> Iterator[Located]:
        """Follow the calls of a coroutine function, but not what it hands on, and of wrappers only the async ones."""
        return self._walked(where, lambda onward: onward.in_loop)

    def errors(self, where: Located) -> Iterator[Reached]:
        """Follow the calls of a handler to the errors that come back through them uncaught."""
        for at in self._uncaught(where):
            for raised in at.function.raises:
                if not catches_ours(raised.caught):
                    yield from self._what_is_raised(at, raised)

    def asked(self, where: Located, agreement: Agreement | None) -> Iterator[AskedAt]:
        """Follow the calls of a handler to what they ask of its contract; a `@raises` on the way is asked in its place."""
        in_force = {id(where.function): agreement}
        for at in self._uncaught(where):
            mine = in_force[id(at.function)]
            for asked in at.function.asked:
                lacking = self._agreements.lacking(asked.name, at.file) if asked.how == "failure" else mine
                yield AskedAt(at, asked, lacking)
            for found in self._onward(at).uncaught:
                if id(found.function) not in in_force:
                    in_force[id(found.function)] = self._agreements.of_function(found.function, found.file) or mine

    def _uncaught(self, where: Located) -> Iterator[Located]:
        return self._walked(where, lambda onward: onward.uncaught)

    def _walked(self, where: Located, ways: Callable[[_Onward], Iterable[Located]]) -> Iterator[Located]:
        """Go from function to function, the nearest first, and to each once."""
        waiting, seen = deque([where]), {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.popleft()
            yield at
            for found in ways(self._onward(at)):
                if id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append(found)

    def _onward(self, at: Located) -> _Onward:
        if id(at.function) not in self._known:
            self._known[id(at.function)] = self._found_onward(at)
        return self._known[id(at.function)]

    def _found_onward(self, at: Located) -> _Onward:
        calls, decorators = at.function.calls, self._found(at, at.function.decorators)
        wrappers = [each for decorator in decorators for each in _inside(decorator)]
        every = self._found(at, (called.name for called in calls))
        direct = self._found(at, (called.name for called in calls if not called.handed))
        uncaught = self._found(at, (called.name for called in calls if not catches_ours(called.caught)))
        in_loop = [*direct, *(each for each in wrappers if each.function.is_async)]
        return _Onward(_once([*every, *decorators, *wrappers]), _once(in_loop), _once(uncaught))

    def _found(self, at: Located, names: Iterable[str]) -> list[Located]:
        found = (
            self._trails.named(name, at.file) if name.endswith(MEMBERS) else [self._trails.function(name, at.file)]
            for name in names
        )
        return [each for several in found for each in several if each]

    def _what_is_raised(self, at: Located, raised: Raised, depth: int = 0) -> Iterator[Reached]:
        if raised.how != "other":
            yield Reached(at, raised)
        elif declared := self._agreements.failure(raised.name, at.file):
            yield Reached(at, raised._replace(how="declared", code=declared.entry.code or ""))
        elif (
            maker := self._trails.functions.get(self._trails.followed(raised.name, at.file))
        ) and depth < _MOST_MAKERS:
            for made in maker.function.makes:
                yield from self._what_is_raised(at, made._replace(place=raised.place, head=None), depth + 1)


def _inside(at: Located) -> Iterator[Located]:
    """Find the functions that are defined inside another one, as a decorator's wrapper is."""
    start = f"{at.function.name}."
    return (Located(at.file, each) for each in at.file.functions if each.name.startswith(start))


def _once(found: Iterable[Located]) -> tuple[Located, ...]:
    return tuple({id(each.function): each for each in found}.values())
