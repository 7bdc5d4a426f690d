"""Handlers, with all that linking knows of each, and the changes they make outside the server."""

import dataclasses
import re
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from errata.linter.link._linked_contracts import LinkedContract
from errata.linter.link._name_resolution import LocatedFunction
from errata.linter.source import Location
from errata.linter.summary import ContractUse, RaisedError, Registration
from errata.linter.syntax import get_last_part
from errata.tools import find_verb, is_same_deed, split_words


class ReachedError(NamedTuple):
    """An error that a handler may raise, and the function that raises it."""

    where: LocatedFunction
    raised: RaisedError


class LinkedContractUse(NamedTuple):
    """A use of a contract by name, where it is, and the contract in force there, if any."""

    where: LocatedFunction
    use: ContractUse
    linked_contract: LinkedContract | None


@dataclasses.dataclass(frozen=True, slots=True)
class LinkedHandler:
    """A function behind a tool, resource or prompt, with everything it reaches."""

    where: LocatedFunction
    registration: Registration
    hints: Mapping[str, bool] | None
    """Its annotations; None if they are unknown."""
    reached: tuple[LocatedFunction, ...]
    """Its own function first, then those it calls."""
    linked_contract: LinkedContract | None
    """Its contract; None if it declares nothing."""
    errors: tuple[ReachedError, ...]
    """The errors of errata that leave it."""
    contract_uses: tuple[LinkedContractUse, ...] = ()
    """Its uses of contracts by name, including those in functions it calls."""
    shared: frozenset[int] = frozenset()
    """The ids of the functions that other handlers reach, too."""
    in_loop: tuple[LocatedFunction, ...] = ()
    """What of it runs in the event loop; empty unless it is a coroutine function."""

    @property
    def kind(self) -> str:
        """`tool`, `resource`, `prompt`, `listing` or `dispatcher`."""
        return self.registration.kind

    @property
    def name(self) -> str:
        """The name the client knows it by."""
        return self.registration.tool or get_last_part(self.where.function.name)

    @property
    def promise(self) -> LinkedContract | None:
        """Its contract, if all of it is known and it is for this tool alone."""
        is_one = self.linked_contract is not None and self.linked_contract.is_legible and self.kind != "dispatcher"
        return self.linked_contract if is_one else None

    @property
    def subject(self) -> str:
        """How a message names it."""
        kind = self.kind if self.kind in {"tool", "resource", "prompt"} else "handler"
        return f"{kind} `{self.name}`"

    @property
    def is_repeatable(self) -> bool:
        """Whether its annotations say that repeating it does no harm."""
        hints = self.hints or {}
        return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))


EFFECT = "errata.resilience.effect"
_CAREFUL = ("errata.resilience.retry", "errata.resilience.protect")
# Objects inside the server: `create_task` creates no task in a to-do list.
_OWN_THINGS = frozenset([
    "argument", "cache", "client", "connection", "context", "credential", "credentials", "engine", "handler", "header",
    "headers", "identity", "info", "log", "logger", "middleware", "model", "option", "parser", "prefix", "principal", "progress",
    "provider", "resource", "response", "schema", "server", "session", "span", "state", "suffix", "task", "token", "tool",
    "transport",
])  # fmt: skip
_CONFIGURES = re.compile(r"(Options?|Config|Configuration|Settings|Builder|Params?|Request|Spec)\(\)$")
"""What is made to be handed on: setting something there changes nothing yet."""
_STANDARD = frozenset(sys.stdlib_module_names)


def list_changes(handler: LinkedHandler) -> Iterator[str]:
    """List the calls that change something, the most telling first, if the tool's name announces a change.

    Writing a file counts only in the tool itself: in a service it is usually a cache.
    """
    verb = find_verb(handler.name)
    if verb is None or "cache" in split_words(handler.name):
        return
    yield from _list_calls_that_do_it(handler, verb)
    yield from (
        effect.what for where in handler.reached for effect in where.function.side_effects if effect.kind == "changes"
    )
    yield from (effect.what for effect in handler.where.function.side_effects if effect.kind == "writes")


def _list_calls_that_do_it(handler: LinkedHandler, verb: str) -> Iterator[str]:
    """List the library calls named like the tool itself: `jira.create_issue` in `create_issue`."""
    ours = {get_last_part(where.function.name) for where in handler.reached if where != handler.where}
    for where in handler.reached:
        for called in where.function.calls:
            name = get_last_part(called.name).removesuffix("()")
            if name not in ours and _does(name, verb) and _is_of_another_library(called.name):
                yield ".".join(called.name.lstrip("?").removesuffix("()").split(".")[-2:])


def _does(name: str, verb: str) -> bool:
    first, *things = split_words(name) or [""]
    return is_same_deed(verb, first) and bool(things) and _OWN_THINGS.isdisjoint(things)


def _is_of_another_library(name: str) -> bool:
    """Return whether a dotted name is a method of another library's object."""
    owner, _, method = name.rpartition(".")
    is_our_function = "@" in owner and "." not in owner.partition("@")[2]
    if not owner or is_our_function or _CONFIGURES.search(owner):
        return False
    return method[:1].islower() and owner.partition(".")[0] not in _STANDARD


def marks_its_effect(handler: LinkedHandler) -> bool:
    """Return whether a tool, or a function it reaches, uses `effect`."""
    return any(
        name.removesuffix("()") == EFFECT
        for where in handler.reached
        for name in (*(called.name for called in where.function.calls), *where.function.decorators)
    )


def is_guarded(where: LocatedFunction) -> bool:
    """Return whether a function's retries are errata's own."""
    return any(name.startswith(_CAREFUL) for name in where.function.decorators)


def locate_head(where: LocatedFunction) -> Location:
    """Return the location of a function's `def` and name."""
    line, column, *_ = where.function.location
    start = "async def " if where.function.is_async else "def "
    return Location(line, column, line, column + len(start) + len(get_last_part(where.function.name)))
