"""Handlers, with all that is known of each once the files are linked, and what they do to the world."""

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
from errata.tools import is_same_deed, verb_of, words_of


class ReachedError(NamedTuple):
    """An error that a handler may raise, and the function that raises it."""

    where: LocatedFunction
    raised: RaisedError


class LinkedContractUse(NamedTuple):
    """What a function asks of a contract by name, and of which one; None if there is none to ask."""

    where: LocatedFunction
    use: ContractUse
    linked_contract: LinkedContract | None


@dataclasses.dataclass(frozen=True, slots=True)
class Handler:
    """A function that answers a client, with everything it reaches."""

    where: LocatedFunction
    registration: Registration
    hints: Mapping[str, bool] | None
    """Its annotations; None if they stand where they cannot be seen."""
    reached: tuple[LocatedFunction, ...]
    """Itself first, then what it calls."""
    linked_contract: LinkedContract | None
    """What it declares; None if it declares nothing."""
    errors: tuple[ReachedError, ...]
    """The errors of errata that leave it, as far as can be seen."""
    contract_uses: tuple[LinkedContractUse, ...] = ()
    """The reasons and failures that it asks for by name, itself or in what it calls."""
    shared: frozenset[int] = frozenset()
    """The ids of the functions that other handlers reach, too."""
    in_loop: tuple[LocatedFunction, ...] = ()
    """What of it runs in the event loop, and not in a thread; nothing if it is no coroutine function."""

    @property
    def kind(self) -> str:
        """`tool`, `resource`, `prompt`, `listing` or `dispatcher`."""
        return self.registration.kind

    @property
    def name(self) -> str:
        """What the client calls it."""
        return self.registration.tool or get_last_part(self.where.function.name)

    @property
    def promise(self) -> LinkedContract | None:
        """What it declares, if all of that can be seen; what one function does for several tools promises nothing."""
        is_one = self.linked_contract is not None and self.linked_contract.is_legible and self.kind != "dispatcher"
        return self.linked_contract if is_one else None

    @property
    def subject(self) -> str:
        """Name it in a message."""
        kind = self.kind if self.kind in {"tool", "resource", "prompt"} else "handler"
        return f"{kind} `{self.name}`"

    @property
    def is_repeatable(self) -> bool:
        """Whether it says that doing it twice does no harm."""
        hints = self.hints or {}
        return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))


EFFECT = "errata.resilience.effect"
_CAREFUL = ("errata.resilience.retry", "errata.resilience.protect")
# Things that are made in the server itself: `create_task` creates no task in a to-do list.
_OWN_THINGS = frozenset([
    "argument", "cache", "client", "connection", "context", "credential", "credentials", "engine", "handler", "header",
    "headers", "identity", "info", "log", "logger", "middleware", "model", "option", "parser", "prefix", "principal", "progress",
    "provider", "resource", "response", "schema", "server", "session", "span", "state", "suffix", "task", "token", "tool",
    "transport",
])  # fmt: skip
_CONFIGURES = re.compile(r"(Options?|Config|Configuration|Settings|Builder|Params?|Request|Spec)\(\)$")
"""What is made to be handed on: setting something there changes nothing yet."""
_STANDARD = frozenset(sys.stdlib_module_names)


def list_changes(handler: Handler) -> Iterator[str]:
    """Name the calls that change something, the most telling first, if the tool's name says that it changes something.

    A file counts only if the tool itself writes it: behind a service it is a cache, as a rule.
    """
    verb = verb_of(handler.name)
    if verb is None or "cache" in words_of(handler.name):
        return
    yield from _list_calls_that_do_it(handler, verb)
    yield from (
        side_effect.what
        for where in handler.reached
        for side_effect in where.function.side_effects
        if side_effect.kind == "changes"
    )
    yield from (side_effect.what for side_effect in handler.where.function.side_effects if side_effect.kind == "writes")


def _list_calls_that_do_it(handler: Handler, verb: str) -> Iterator[str]:
    """Name the calls of other libraries that say they do what the tool does: `jira.create_issue` in `create_issue`."""
    ours = {get_last_part(where.function.name) for where in handler.reached if where != handler.where}
    for where in handler.reached:
        for called in where.function.calls:
            name = get_last_part(called.name).removesuffix("()")
            if name not in ours and _does(name, verb) and _is_of_another_library(called.name):
                yield ".".join(called.name.lstrip("?").removesuffix("()").split(".")[-2:])


def _does(name: str, verb: str) -> bool:
    first, *things = words_of(name) or [""]
    return is_same_deed(verb, first) and bool(things) and _OWN_THINGS.isdisjoint(things)


def _is_of_another_library(name: str) -> bool:
    """Whether something is a method of what another library gave, as far as its name tells."""
    owner, _, method = name.rpartition(".")
    is_our_function = "@" in owner and "." not in owner.partition("@")[2]
    if not owner or is_our_function or _CONFIGURES.search(owner):
        return False
    return method[:1].islower() and owner.partition(".")[0] not in _STANDARD


def marks_its_effect(handler: Handler) -> bool:
    """Whether a tool, or something it reaches, says where its effect begins."""
    return any(
        name.removesuffix("()") == EFFECT
        for where in handler.reached
        for name in (*(called.name for called in where.function.calls), *where.function.decorators)
    )


def is_guarded(where: LocatedFunction) -> bool:
    """Whether errata decides what of a function is repeated."""
    return any(name.startswith(_CAREFUL) for name in where.function.decorators)


def locate_head(where: LocatedFunction) -> Location:
    """Point to the `def` of a function and its name, not to all of it."""
    line, column, *_ = where.function.location
    start = "async def " if where.function.is_async else "def "
    return Location(line, column, line, column + len(start) + len(get_last_part(where.function.name)))
