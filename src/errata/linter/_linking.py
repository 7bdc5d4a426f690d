"""The whole project at once: what every name leads to, which functions are handlers, and what each of them reaches."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from errata.linter._agreements import Agreement, Agreements, joined
from errata.linter._modules import Modules
from errata.linter._names import UNKNOWN, last_of
from errata.linter._raising import catches_ours
from errata.linter._summary import Asked, ClassSummary, FunctionSummary, Raised, Registration, Summary

_SDKS = ("mcp.", "fastmcp.")
_OTHER_OWNERS = ("agent", "client", "session", "registry", "llm", "model", "chat", "assistant")  # They have tools too.
_MOST_STEPS = 30  # From a name to what it stands for.
_MOST_FUNCTIONS = 2_000  # That one handler reaches.


class Located(NamedTuple):
    """A function, and the file it is in."""

    file: Summary
    function: FunctionSummary


class Reached(NamedTuple):
    """An error that a handler may raise, and the function that raises it."""

    where: Located
    raised: Raised


class AskedAt(NamedTuple):
    """What a function asks of a contract by name, and of which one; None if there is none to ask."""

    where: Located
    asked: Asked
    agreement: Agreement | None


@dataclasses.dataclass(frozen=True, slots=True)
class Handler:
    """A function that answers a client, with everything it reaches."""

    where: Located
    registration: Registration
    hints: Mapping[str, bool] | None
    """Its annotations; None if they stand where they cannot be seen."""
    reached: tuple[Located, ...]
    """Itself first, then what it calls."""
    agreement: Agreement | None
    """What it declares; None if it declares nothing."""
    errors: tuple[Reached, ...]
    """The errors of errata that leave it, as far as can be seen."""
    asked: tuple[AskedAt, ...] = ()
    """The reasons and failures that it asks for by name, itself or in what it calls."""
    shared: frozenset[int] = frozenset()
    """The ids of the functions that other handlers reach, too."""
    in_loop: tuple[Located, ...] = ()
    """What of it runs in the event loop, and not in a thread; nothing if it is no coroutine function."""

    @property
    def kind(self) -> str:
        """`tool`, `resource`, `prompt`, `listing` or `dispatcher`."""
        return self.registration.kind

    @property
    def name(self) -> str:
        """What the client calls it."""
        return self.registration.tool or last_of(self.where.function.name)

    @property
    def promise(self) -> Agreement | None:
        """What it declares, if all of that can be seen; what one function does for several tools promises nothing."""
        is_one = self.agreement is not None and self.agreement.is_legible and self.kind != "dispatcher"
        return self.agreement if is_one else None

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


class Project:
    """All files, linked."""

    def __init__(self, files: Iterable[Summary]) -> None:
        self._files = {file.module: file for file in files}
        self._modules = Modules((file.root, file.dotted, file.path, file.module) for file in self._files.values())
        self._functions = {
            f"{file.module}.{each.name}": Located(file, each)
            for file in self._files.values()
            for each in file.functions
            if each.name
        }
        self._known: dict[tuple[str, str], str] = {}
        self.unseen: set[tuple[str, str]] = set()
        """Names that lead out of these files, each with the root of the file that uses it."""
        self._classes = {
            f"{file.module}.{each.name}": (file, each) for file in self._files.values() for each in file.classes
        }
        self.agreements = Agreements(self._files, self._classes, self._functions, self._followed)

    @property
    def files(self) -> Iterable[Summary]:
        """Every file."""
        return self._files.values()

    @cached_property
    def handlers(self) -> tuple[Handler, ...]:
        """Every handler of the project, each once for each time it is registered."""
        found = tuple(self._handlers())
        times = Counter(id(at.function) for handler in found for at in handler.reached)
        shared = frozenset(function for function, count in times.items() if count > 1)
        return tuple(dataclasses.replace(handler, shared=shared) for handler in found)

    @cached_property
    def contracts(self) -> tuple[Agreement, ...]:
        """Every contract, `@raises` and `install(contracts=…)` of the project."""
        return tuple(self.agreements.every())

    @cached_property
    def checked(self) -> frozenset[tuple[str, str]]:
        """The functions whose results some caller looks at, to tell an error if they say so: path and name of each."""
        waiting = [
            found
            for file in self._files.values()
            for function in file.functions
            for name in function.checks
            if (found := self.function(name, file))
        ]
        seen: set[tuple[str, str]] = set()
        while waiting:
            at = waiting.pop()
            if (at.file.path, at.function.name) not in seen:
                seen.add((at.file.path, at.function.name))
                waiting.extend(found for made in at.function.makes if (found := self.function(made.name, at.file)))
        return frozenset(seen)

    @cached_property
    def _speaks_mcp(self) -> bool:
        return any(
            meaning.split(".")[0] in {"mcp", "fastmcp"}
            for file in self._files.values()
            for meaning in file.names.values()
        )

    def function(self, name: str, file: Summary) -> Located | None:
        """Find the function that a name in a file leads to: itself, a method, or the constructor of a class."""
        at = self._followed(name, file)
        if found := self._functions.get(at):
            return found
        if at in self._classes:
            return self._method(at, "__init__")
        return None

    # --- names ---
    def _followed(self, name: str, file: Summary) -> str:
        """Follow a name in a file through imports, instances and attributes, as far as it goes."""
        key = (name, file.root)
        if key not in self._known:
            start = self._known[key] = self._modules.localised(name, file.root)  # Whoever comes back here stops.
            at = self._known[key] = self._walked(start)
            if at[:1] != UNKNOWN and not self._is_ours(at):
                self.unseen.add((at, file.root))
        return self._known[key]

    def _walked(self, name: str) -> str:
        for _ in range(_MOST_STEPS):
            try:
                step = self._step(name)
            except RecursionError:  # Classes made from parts of classes, a thousand times over.
                return name
            if step is None or step == name:
                return name
            name = step
        return name

    def _step(self, name: str) -> str | None:
        """Go one step: replace the longest beginning of a name that leads somewhere else."""
        if name in self._functions or name in self._classes or name[:1] == UNKNOWN:
            return None
        head, rest = self._longest(name)
        if head is None:
            return None
        if head in self._classes:
            return self._into_class(head, rest)
        if head in self._functions:
            file, function = self._functions[head]
            if not rest.startswith("()") or not function.returns:
                return None
            return self._modules.localised(function.returns, file.root) + rest.removeprefix("()")
        return self._into_file(head, rest)

    def _longest(self, name: str) -> tuple[str | None, str]:
        """Split a name after the longest beginning that is a class, a function or a file."""
        cut = len(name)
        while cut > 0:
            head = name[:cut]
            if head in self._classes or head in self._functions or head in self._files:
                return head, name[cut:]
            cut = max(head.rfind("."), head.rfind("()"))
        return None, name

    def _into_class(self, head: str, rest: str) -> str | None:
        rest = rest.removeprefix("()").removeprefix(".")
        attribute, tail = _first(rest)
        if not attribute:
            return None
        if method := self._method(head, attribute):
            at = f"{method.file.module}.{method.function.name}"
            return at + tail
        held = self._attribute(head, attribute)
        return held + tail if held else None

    def _into_file(self, head: str, rest: str) -> str | None:
        file = self._files[head]
        name, tail = _first(rest.removeprefix("."))
        if not name:
            return None
        for meaning in (file.values.get(name), file.names.get(name)):
            if meaning and meaning != f"{head}.{name}":
                return self._modules.localised(meaning, file.root) + tail
        for star in file.stars:
            module = self._modules.localised(star, file.root)
            if module in self._files and module != head and name in self._files[module].names:
                return f"{module}.{name}{tail}"
        return None

    def _lineage(self, name: str) -> Iterator[tuple[Summary, ClassSummary]]:
        """Walk a class of the project and its bases."""
        waiting, seen = [name], set[str]()
        while waiting:
            at = waiting.pop(0)
            if at in self._classes and at not in seen:
                seen.add(at)
                file, each = self._classes[at]
                yield file, each
                waiting.extend(self._followed(base, file) for base in each.bases)

    def _method(self, name: str, method: str) -> Located | None:
        for file, each in self._lineage(name):
            if found := self._functions.get(f"{file.module}.{each.name}.{method}"):
                return found
        return None

    def _attribute(self, name: str, attribute: str) -> str | None:
        for file, each in self._lineage(name):
            if attribute in each.attributes:
                return self._modules.localised(each.attributes[attribute], file.root)
        return None

    # --- handlers ---
    def _handlers(self) -> Iterator[Handler]:
        seen: set[tuple[str, str]] = set()
        for registration, where in (*self._registered(), *self._registered_by_own_decorators()):
            key = (where.file.path, where.function.name)
            if key not in seen:
                seen.add(key)
                yield self._handler(registration, where)

    def _registered(self) -> Iterator[tuple[Registration, Located]]:
        for file in self._files.values():
            for registration in file.registrations:
                if self._is_with_server(registration, file) and (where := self.function(registration.function, file)):
                    yield registration, where

    def _registered_by_own_decorators(self) -> Iterator[tuple[Registration, Located]]:
        for file in self._files.values():
            for function in file.functions:
                for decorator in function.decorators:
                    own = self.function(decorator, file)
                    if own and own.function.registers:
                        name = f"{file.module}.{function.name}"
                        yield (
                            Registration(
                                own.function.registers, decorator, decorator, name, "", {}, "?", function.place
                            ),
                            Located(file, function),
                        )

    def _is_with_server(self, registration: Registration, file: Summary) -> bool:
        """Whether something is registered with an MCP server: by what is known of it, else by its name."""
        at = self._followed(registration.receiver, file)
        if at.startswith(_SDKS):
            return True
        owner = at.rpartition(".")[0].removesuffix("()")
        if any(base.startswith(_SDKS) for _, each in self._lineage(owner) for base in each.bases):
            return True
        comes_from_elsewhere = "." in owner.partition("(")[0] and at[:1] != UNKNOWN
        if comes_from_elsewhere and not self._is_ours(at):
            return False
        receiver = last_of(registration.written.rpartition(".")[0].replace("()", "")).lower()
        return self._speaks_mcp and bool(receiver) and not any(word in receiver for word in _OTHER_OWNERS)

    def _is_ours(self, name: str) -> bool:
        head, _ = self._longest(name)
        return head is not None

    def _handler(self, registration: Registration, where: Located) -> Handler:
        reached = tuple(self._reached(where))
        agreement = self._agreement(registration, where)
        return Handler(
            where,
            registration,
            self._hints(registration, where.file),
            reached,
            agreement,
            tuple(self._errors(where)),
            tuple(self._asked(where, agreement)),
            in_loop=tuple(self._in_loop(where)) if where.function.is_async else (),
        )

    def _hints(self, registration: Registration, origin: Summary) -> Mapping[str, bool] | None:
        if not registration.hints_name:
            return registration.hints
        at = self._followed(registration.hints_name.removesuffix("()"), origin)
        module, _, name = at.rpartition(".")
        file = self._files.get(module)
        return file.hints.get(name) if file else None

    # --- what a handler reaches ---
    def _reached(self, where: Located) -> Iterator[Located]:
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
            if found := self.function(called.name, at.file):
                yield found
        for decorator in at.function.decorators:
            if found := self.function(decorator, at.file):
                yield found
                yield from self._inside(found)

    def _in_loop(self, where: Located) -> Iterator[Located]:
        """Follow the calls of a coroutine function, but not what it hands on, and of wrappers only the async ones."""
        waiting, seen = [where], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.pop(0)
            yield at
            called = [self.function(each.name, at.file) for each in at.function.calls if not each.handed]
            wrappers = [each for each in self._wrappers(at) if each.function.is_async]
            for found in (*called, *wrappers):
                if found and id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append(found)

    def _wrappers(self, at: Located) -> Iterator[Located]:
        for decorator in at.function.decorators:
            if found := self.function(decorator, at.file):
                yield from self._inside(found)

    def _inside(self, at: Located) -> Iterator[Located]:
        """Find the functions that are defined inside another one, as a decorator's wrapper is."""
        start = f"{at.function.name}."
        return (Located(at.file, each) for each in at.file.functions if each.name.startswith(start))

    def _errors(self, where: Located) -> Iterator[Reached]:
        """Follow the calls of a handler to the errors that come back through them uncaught."""
        waiting, seen = [where], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at = waiting.pop(0)
            for raised in at.function.raises:
                if not catches_ours(raised.caught):
                    yield from self._what_is_raised(at, raised)
            for called in at.function.calls:
                found = None if catches_ours(called.caught) else self.function(called.name, at.file)
                if found and id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append(found)

    def _what_is_raised(self, at: Located, raised: Raised, depth: int = 0) -> Iterator[Reached]:
        if raised.how != "other":
            yield Reached(at, raised)
        elif declared := self.agreements.failure(raised.name, at.file):
            yield Reached(at, raised._replace(how="declared", code=declared.entry.code or ""))
        elif (maker := self._functions.get(self._followed(raised.name, at.file))) and depth < _MOST_STEPS:
            for made in maker.function.makes:
                yield from self._what_is_raised(at, made._replace(place=raised.place, head=None), depth + 1)

    # --- contracts ---
    def _agreement(self, registration: Registration, where: Located) -> Agreement | None:
        """Find what a handler declares: by `@raises`, or by what `install` is given for its name."""
        own = self.agreements.of_function(where.function, where.file)
        name = registration.tool or last_of(where.function.name)
        installed = [*self.agreements.of_tool(name, is_any=registration.kind == "dispatcher")]
        if own:  # What is installed for tools that cannot be seen is hardly for one that declares its own.
            return joined([own, *(each for each in installed if each.contract.subject)])
        return joined(installed)

    def _asked(self, where: Located, agreement: Agreement | None) -> Iterator[AskedAt]:
        """Follow the calls of a handler to what they ask of its contract; a `@raises` on the way is asked in its place."""
        waiting, seen = [(where, agreement)], {id(where.function)}
        while waiting and len(seen) < _MOST_FUNCTIONS:
            at, in_force = waiting.pop(0)
            for asked in at.function.asked:
                lacking = self.agreements.lacking(asked.name, at.file) if asked.how == "failure" else in_force
                yield AskedAt(at, asked, lacking)
            for called in at.function.calls:
                found = None if catches_ours(called.caught) else self.function(called.name, at.file)
                if found and id(found.function) not in seen:
                    seen.add(id(found.function))
                    waiting.append((found, self.agreements.of_function(found.function, found.file) or in_force))


def _first(rest: str) -> tuple[str, str]:
    """Split the first name off the rest of a dotted one."""
    cuts = [at for at in (rest.find("."), rest.find("(")) if at >= 0]
    cut = min(cuts, default=len(rest))
    return rest[:cut], rest[cut:]
