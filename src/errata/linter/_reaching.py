"""What a handler reaches: the functions it calls, the errors that leave it, and what is asked of its contract."""

from collections.abc import Iterator

from errata.linter._agreements import Agreement, Agreements
from errata.linter._handlers import AskedAt, Reached
from errata.linter._raising import catches_ours
from errata.linter._summary import Raised
from errata.linter._trails import Located, Trails

_MOST_FUNCTIONS = 2_000  # That one handler reaches.
_MOST_MAKERS = 30  # Functions that make an error for one another.


class Reach:
    """Follows the calls of handlers."""

    def __init__(self, trails: Trails, agreements: Agreements) -> None:
        self._trails = trails
        self._agreements = agreements

    def reached(self, where: Located) -> Iterator[Located]:
        """List the handler's own function, and every one that it calls."""
        waiting, seen = [where], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.pop(0)
            yield at
            for found in self._next(at):
                if id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append(found)

    def _next(self, at: Located) -> Iterator[Located]:
        for called in at.function.calls:
            if found := self._trails.function(called.name, at.file):
                yield found
        for decorator in at.function.decorators:
            if found := self._trails.function(decorator, at.file):
                yield found
                yield from self._inside(found)

    def in_loop(self, where: Located) -> Iterator[Located]:
        """Follow the calls of a coroutine function, but not what it hands on, and of wrappers only the async ones."""
        waiting, seen = [where], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.pop(0)
            yield at
            called = [self._trails.function(each.name, at.file) for each in at.function.calls if not each.handed]
            wrappers = [each for each in self._wrappers(at) if each.function.is_async]
            for found in (*called, *wrappers):
                if found and id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append(found)

    def _wrappers(self, at: Located) -> Iterator[Located]:
        for decorator in at.function.decorators:
            if found := self._trails.function(decorator, at.file):
                yield from self._inside(found)

    def _inside(self, at: Located) -> Iterator[Located]:
        """Find the functions that are defined inside another one, as a decorator's wrapper is."""
        start = f"{at.function.name}."
        return (Located(at.file, each) for each in at.file.functions if each.name.startswith(start))

    def errors(self, where: Located) -> Iterator[Reached]:
        """Follow the calls of a handler to the errors that come back through them uncaught."""
        waiting, seen = [where], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.pop(0)
            for raised in at.function.raises:
                if not catches_ours(raised.caught):
                    yield from self._what_is_raised(at, raised)
            for called in at.function.calls:
                found = None if catches_ours(called.caught) else self._trails.function(called.name, at.file)
                if found and id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append(found)

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

    def asked(self, where: Located, agreement: Agreement | None) -> Iterator[AskedAt]:
        """Follow the calls of a handler to what they ask of its contract; a `@raises` on the way is asked in its place."""
        waiting, seen = [(where, agreement)], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at, in_force = waiting.pop(0)
            for asked in at.function.asked:
                lacking = self._agreements.lacking(asked.name, at.file) if asked.how == "failure" else in_force
                yield AskedAt(at, asked, lacking)
            for called in at.function.calls:
                found = None if catches_ours(called.caught) else self._trails.function(called.name, at.file)
                if found and id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append((found, self._agreements.of_function(found.function, found.file) or in_force))
