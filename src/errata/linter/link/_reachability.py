"""The call graph of handlers: the functions they reach, the errors that leave them, their uses of contracts."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from errata.linter.analysis import catches_ours
from errata.linter.link._handlers import LinkedContractUse, ReachedError
from errata.linter.link._linked_contracts import ContractLinker, LinkedContract
from errata.linter.link._name_resolution import LocatedFunction, NameResolver
from errata.linter.summary import RaisedError
from errata.linter.syntax import MEMBERS

_MOST_FUNCTIONS = 2_000  # That one handler reaches.
_MOST_MAKERS = 30  # Length of a chain of functions that create an error.


class _Callees(NamedTuple):
    """The functions that one function calls, each once."""

    every: tuple[LocatedFunction, ...]
    """All of them: called, passed on, its decorators and their wrappers."""
    in_loop: tuple[LocatedFunction, ...]
    """Those that run in the event loop: direct calls, and async wrappers."""
    uncaught: tuple[LocatedFunction, ...]
    """Those whose errors it does not catch."""


class CallGraph:
    """Follows the calls of functions."""

    def __init__(self, resolver: NameResolver, linker: ContractLinker) -> None:
        self._resolver = resolver
        self._linker = linker
        self._known: dict[int, _Callees] = {}
        """By the identity of a function: many handlers come by the same ones."""

    def list_reached(self, where: LocatedFunction) -> Iterator[LocatedFunction]:
        """Yield the handler's function and every function it calls, directly or not."""
        return self._walk(where, lambda onward: onward.every)

    def list_in_loop(self, where: LocatedFunction) -> Iterator[LocatedFunction]:
        """Yield what runs in the event loop: direct calls, and async wrappers."""
        return self._walk(where, lambda onward: onward.in_loop)

    def list_errors(self, where: LocatedFunction) -> Iterator[ReachedError]:
        """Yield the errors that leave a handler uncaught."""
        for at in self._list_uncaught(where):
            for raised in at.function.raises:
                if not catches_ours(raised.caught):
                    yield from self._list_raised(at, raised)

    def list_contract_uses(
        self, where: LocatedFunction, linked_contract: LinkedContract | None
    ) -> Iterator[LinkedContractUse]:
        """Yield what a handler and its callees ask of the contract in force; a callee's own `@raises` takes precedence."""
        in_force = {id(where.function): linked_contract}
        for at in self._list_uncaught(where):
            mine = in_force[id(at.function)]
            for use in at.function.contract_uses:
                lacking = self._linker.find_lacking(use.name, at.file) if use.how == "failure" else mine
                yield LinkedContractUse(at, use, lacking)
            for callees in self._get_callees(at).uncaught:
                if id(callees.function) not in in_force:
                    in_force[id(callees.function)] = self._linker.link_function(callees.function, callees.file) or mine

    def _list_uncaught(self, where: LocatedFunction) -> Iterator[LocatedFunction]:
        return self._walk(where, lambda onward: onward.uncaught)

    def _walk(
        self, where: LocatedFunction, ways: Callable[[_Callees], Iterable[LocatedFunction]]
    ) -> Iterator[LocatedFunction]:
        """Walk the call graph breadth first, each function once."""
        waiting, seen = deque([where]), {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.popleft()
            yield at
            for callees in ways(self._get_callees(at)):
                if id(callees.function) not in seen:
                    seen.add(id(callees.function))
                    waiting.append(callees)

    def _get_callees(self, at: LocatedFunction) -> _Callees:
        if id(at.function) not in self._known:
            self._known[id(at.function)] = self._find_callees(at)
        return self._known[id(at.function)]

    def _find_callees(self, at: LocatedFunction) -> _Callees:
        calls, decorators = at.function.calls, self._find_functions(at, at.function.decorators)
        wrappers = [each for decorator in decorators for each in _list_inner(decorator)]
        every = self._find_functions(at, (called.name for called in calls))
        direct = self._find_functions(at, (called.name for called in calls if not called.handed))
        uncaught = self._find_functions(at, (called.name for called in calls if not catches_ours(called.caught)))
        in_loop = [*direct, *(each for each in wrappers if each.function.is_async)]
        return _Callees(_deduplicate([*every, *decorators, *wrappers]), _deduplicate(in_loop), _deduplicate(uncaught))

    def _find_functions(self, at: LocatedFunction, names: Iterable[str]) -> list[LocatedFunction]:
        functions = (
            self._resolver.find_functions(name, at.file)
            if name.endswith(MEMBERS)
            else [self._resolver.find_function(name, at.file)]
            for name in names
        )
        return [each for several in functions for each in several if each]

    def _list_raised(self, at: LocatedFunction, raised: RaisedError, depth: int = 0) -> Iterator[ReachedError]:
        if raised.how != "other":
            yield ReachedError(at, raised)
        elif declared := self._linker.find_failure(raised.name, at.file):
            yield ReachedError(at, raised._replace(how="declared", code=declared.entry.code or ""))
        elif (
            maker := self._resolver.functions.get(self._resolver.follow(raised.name, at.file))
        ) and depth < _MOST_MAKERS:
            for made in maker.function.makes:
                yield from self._list_raised(at, made._replace(location=raised.location, head=None), depth + 1)


def _list_inner(at: LocatedFunction) -> Iterator[LocatedFunction]:
    """Yield the functions defined inside another one, such as a decorator's wrapper."""
    start = f"{at.function.name}."
    return (LocatedFunction(at.file, each) for each in at.file.functions if each.name.startswith(start))


def _deduplicate(callees: Iterable[LocatedFunction]) -> tuple[LocatedFunction, ...]:
    return tuple({id(each.function): each for each in callees}.values())
