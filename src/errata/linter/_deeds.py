"""What a tool does to the world, by its name and by the calls that it reaches."""

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from errata.linter._finding import Place
from errata.linter._names import last_of
from errata.tools import is_same_deed, verb_of, words_of

if TYPE_CHECKING:
    from errata.linter._handlers import Handler
    from errata.linter._trails import Located

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


def changes_made(handler: "Handler") -> Iterator[str]:
    """Name the calls that change something, the most telling first, if the tool's name says that it changes something.

    A file counts only if the tool itself writes it: behind a service it is a cache, as a rule.
    """
    verb = verb_of(handler.name)
    if verb is None or "cache" in words_of(handler.name):
        return
    yield from _calls_that_do_it(handler, verb)
    yield from (act.what for where in handler.reached for act in where.function.acts if act.kind == "changes")
    yield from (act.what for act in handler.where.function.acts if act.kind == "writes")


def _calls_that_do_it(handler: "Handler", verb: str) -> Iterator[str]:
    """Name the calls of other libraries that say they do what the tool does: `jira.create_issue` in `create_issue`."""
    ours = {last_of(where.function.name) for where in handler.reached if where != handler.where}
    for where in handler.reached:
        for called in where.function.calls:
            name = last_of(called.name).removesuffix("()")
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


def marks_its_effect(handler: "Handler") -> bool:
    """Whether a tool, or something it reaches, says where its effect begins."""
    return any(
        name.removesuffix("()") == EFFECT
        for where in handler.reached
        for name in (*(called.name for called in where.function.calls), *where.function.decorators)
    )


def is_guarded(where: "Located") -> bool:
    """Whether errata decides what of a function is repeated."""
    return any(name.startswith(_CAREFUL) for name in where.function.decorators)


def head_of(where: "Located") -> Place:
    """Point to the `def` of a function and its name, not to all of it."""
    line, column, *_ = where.function.place
    start = "async def " if where.function.is_async else "def "
    return Place(line, column, line, column + len(start) + len(last_of(where.function.name)))
