"""The linked project: its handlers, contracts and tools, and whether all files of its servers were read."""

import dataclasses
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from errata.linter.link._handlers import LinkedHandler
from errata.linter.link._linked_contracts import ContractLinker, LinkedContract, join_contracts
from errata.linter.link._name_resolution import LocatedFunction, NameResolver
from errata.linter.link._reachability import CallGraph
from errata.linter.source import find_files
from errata.linter.summary import Registration, Summary
from errata.linter.syntax import UNKNOWN, get_last_part

_TESTS = re.compile(
    r"(?:^|/)(?:tests?|docs|examples|scripts|benchmarks)/|(?:^|/)(?:test_\w*|\w*_test|conftest|setup)\.py$"
)
_SDK_PACKAGES = {"mcp", "fastmcp"}


def is_for_tests(path: str) -> bool:
    """Return whether a file is a test, an example or a script, and not part of the server."""
    return bool(_TESTS.search(path.replace(os.sep, "/")))


def are_all_read(files: Iterable[Summary], exclude: Collection[str], root: Path) -> bool:
    """Return whether every file beside or below the servers was read, tests aside."""
    known = {os.path.realpath(file.path): file for file in files}
    homes = {os.path.dirname(path) for path, file in known.items() if _is_of_server(file)}  # noqa: PTH120 - as many as there are files.
    tops = [home for home in homes if not any(home != other and Path(home).is_relative_to(other) for other in homes)]
    for top in tops:
        for file in find_files([Path(top)], exclude, root=root):
            path = os.path.realpath(file)
            if path not in known and not is_for_tests(os.path.relpath(path, top)):
                return False
    return True


def _is_of_server(file: Summary) -> bool:
    return bool(file.registrations) or any(name.partition(".")[0] in _SDK_PACKAGES for name in file.names.values())


_SDKS = ("mcp.", "fastmcp.")
_OTHER_OWNERS = (
    "agent",
    "client",
    "session",
    "registry",
    "llm",
    "model",
    "chat",
    "assistant",
)  # These have tools, and are no servers.


class Project:
    """All files, linked."""

    def __init__(self, files: Iterable[Summary]) -> None:
        self._resolver = resolver = NameResolver(files)
        self.linker: ContractLinker = ContractLinker(resolver)
        self._call_graph = CallGraph(resolver, self.linker)

    @property
    def unseen(self) -> set[tuple[str, str]]:
        """Names defined outside these files, each with the root of the file that uses it."""
        return self._resolver.unseen

    @property
    def files(self) -> Iterable[Summary]:
        """Every file."""
        return self._resolver.files.values()

    @cached_property
    def handlers(self) -> tuple[LinkedHandler, ...]:
        """Every handler of the project, each once, however often it is registered."""
        handlers = tuple(self._find_handlers())
        times = Counter(id(at.function) for handler in handlers for at in handler.reached)
        shared = frozenset(function for function, count in times.items() if count > 1)
        return tuple(dataclasses.replace(handler, shared=shared) for handler in handlers)

    @cached_property
    def contracts(self) -> tuple[LinkedContract, ...]:
        """Every contract, `@raises` and `install(contracts=…)` of the project."""
        return tuple(self.linker.link_all())

    @cached_property
    def tools(self) -> frozenset[str] | None:
        """The names of all tools; None if there is none, or if there may be others."""
        if any(file.adds_unseen_tools or file.obstacles for file in self.files):
            return None
        if any(self._find_registered_by_own_decorators()):
            return None
        names: set[str] = set()
        for file in self.files:
            for registration in file.registrations:
                if self._is_with_server(registration, file) and registration.kind in {"tool", "listing", "dispatcher"}:
                    functions = [*self._resolver.find_functions(registration.function, file)]
                    if registration.kind != "tool" or registration.is_named_later or not functions:
                        return None
                    names.update(registration.tool or get_last_part(each.function.name) for each in functions)
        return frozenset(names) or None

    @cached_property
    def checked(self) -> frozenset[tuple[str, str]]:
        """The functions whose results some caller tests for an error: path and name of each."""
        waiting = [
            located
            for file in self._resolver.files.values()
            for function in file.functions
            for name in function.checks
            if (located := self.find_function(name, file))
        ]
        seen: set[tuple[str, str]] = set()
        while waiting:
            at = waiting.pop()
            if (at.file.path, at.function.name) not in seen:
                seen.add((at.file.path, at.function.name))
                waiting.extend(
                    located for made in at.function.makes if (located := self.find_function(made.name, at.file))
                )
        return frozenset(seen)

    @cached_property
    def _speaks_mcp(self) -> bool:
        return any(
            meaning.split(".")[0] in {"mcp", "fastmcp"}
            for file in self._resolver.files.values()
            for meaning in file.names.values()
        )

    def find_function(self, name: str, file: Summary) -> LocatedFunction | None:
        """Return the function a name in a file refers to."""
        return self._resolver.find_function(name, file)

    def find_functions(self, name: str, file: Summary) -> Iterator[LocatedFunction]:
        """Yield the functions a name in a file refers to: one, or those in a list or a table."""
        return self._resolver.find_functions(name, file)

    def _find_handlers(self) -> Iterator[LinkedHandler]:
        seen: set[tuple[str, str]] = set()
        for registration, where in (*self._find_registered(), *self._find_registered_by_own_decorators()):
            key = (where.file.path, where.function.name)
            if key not in seen:
                seen.add(key)
                yield self._make_handler(registration, where)

    def _find_registered(self) -> Iterator[tuple[Registration, LocatedFunction]]:
        for file in self._resolver.files.values():
            for registration in file.registrations:
                if self._is_with_server(registration, file):
                    yield from (
                        (registration, where) for where in self._resolver.find_functions(registration.function, file)
                    )

    def _find_registered_by_own_decorators(self) -> Iterator[tuple[Registration, LocatedFunction]]:
        for file in self._resolver.files.values():
            for function in file.functions:
                for decorator in function.decorators:
                    own = self.find_function(decorator, file)
                    if own and own.function.registers:
                        name = f"{file.module}.{function.name}"
                        yield (
                            Registration(own.function.registers, decorator, decorator, name, "", {}, "?"),
                            LocatedFunction(file, function),
                        )

    def _is_with_server(self, registration: Registration, file: Summary) -> bool:
        """Return whether something is registered with an MCP server, judging by its type, else by its name."""
        at = self._resolver.follow(registration.receiver, file)
        if at.startswith(_SDKS):
            return True
        owner = at.rpartition(".")[0].removesuffix("()")
        if any(base.startswith(_SDKS) for _, each in self._resolver.walk_lineage(owner) for base in each.bases):
            return True
        comes_from_elsewhere = "." in owner.partition("(")[0] and at[:1] != UNKNOWN
        if comes_from_elsewhere and not self._resolver.is_ours(at):
            return False
        receiver = get_last_part(registration.written.rpartition(".")[0].replace("()", "")).lower()
        return self._speaks_mcp and bool(receiver) and not any(word in receiver for word in _OTHER_OWNERS)

    def _make_handler(self, registration: Registration, where: LocatedFunction) -> LinkedHandler:
        reached = tuple(self._call_graph.list_reached(where))
        linked_contract = self._find_contract(registration, where)
        return LinkedHandler(
            where,
            registration,
            self._resolve_hints(registration, where.file),
            reached,
            linked_contract,
            tuple(self._call_graph.list_errors(where)),
            tuple(self._call_graph.list_contract_uses(where, linked_contract)),
            in_loop=tuple(self._call_graph.list_in_loop(where)) if where.function.is_async else (),
        )

    def _resolve_hints(self, registration: Registration, origin: Summary) -> Mapping[str, bool] | None:
        if not registration.hints_name:
            return registration.hints
        at = self._resolver.follow(registration.hints_name.removesuffix("()"), origin)
        module, _, name = at.rpartition(".")
        file = self._resolver.files.get(module)
        return file.hints.get(name) if file else None

    def _find_contract(self, registration: Registration, where: LocatedFunction) -> LinkedContract | None:
        """Return the contract of a handler: from `@raises`, or from what `install` is given for its name."""
        own = self.linker.link_function(where.function, where.file)
        name = registration.tool or get_last_part(where.function.name)
        installed = [*self.linker.link_tool(name, is_any=registration.kind == "dispatcher")]
        if own:  # A contract for an unknown tool is hardly for one that declares its own.
            return join_contracts([own, *(each for each in installed if each.contract.subject)])
        return join_contracts(installed)
