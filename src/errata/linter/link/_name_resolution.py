"""Name resolution across files: through imports, instances, attributes and bases."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from errata.linter.source import ModuleIndex
from errata.linter.summary import ClassSummary, FunctionSummary, Summary
from errata.linter.syntax import MEMBERS, UNKNOWN

_MOST_STEPS = 30  # From a name to what it stands for.


class LocatedFunction(NamedTuple):
    """A function, and the file it is in."""

    file: Summary
    function: FunctionSummary


class NameResolver:
    """Resolves the names of all files."""

    def __init__(self, files: Iterable[Summary]) -> None:
        self.files: dict[str, Summary] = {file.module: file for file in files}
        self.functions: dict[str, LocatedFunction] = {
            f"{file.module}.{each.name}": LocatedFunction(file, each)
            for file in self.files.values()
            for each in file.functions
            if each.name
        }
        self.classes: dict[str, tuple[Summary, ClassSummary]] = {
            f"{file.module}.{each.name}": (file, each) for file in self.files.values() for each in file.classes
        }
        self.unseen: set[tuple[str, str]] = set()
        """Names defined outside these files, each with the root of the file that uses it."""
        self._modules = ModuleIndex((file.root, file.dotted, file.path, file.module) for file in self.files.values())
        self._known: dict[tuple[str, str], str] = {}

    def find_function(self, name: str, file: Summary) -> LocatedFunction | None:
        """Return the function a name in a file refers to: a function, a method, or the constructor of a class."""
        at = self.follow(name, file)
        if function := self.functions.get(at):
            return function
        if at in self.classes:
            return self._find_method(at, "__init__")
        return None

    def find_functions(self, name: str, file: Summary) -> Iterator[LocatedFunction]:
        """Yield the functions a name refers to: one, or those in a list or a table."""
        if function := self.find_function(name.removesuffix(MEMBERS), file):
            yield function
            return
        module, _, held = self.follow(name.removesuffix(MEMBERS), file).rpartition(".")
        if origin := self.files.get(module):
            yield from filter(None, (self.find_function(each, origin) for each in origin.lists.get(held, ())))

    def follow(self, name: str, file: Summary) -> str:
        """Follow a name in a file through imports, instances and attributes to its definition."""
        key = (name, file.root)
        if key not in self._known:
            start = self._known[key] = self._modules.localise(name, file.root)  # Ends a circular chain of names.
            at = self._known[key] = self._walk(start)
            self._note_unseen(at, file.root)
        return self._known[key]

    def _note_unseen(self, name: str, root: str) -> None:
        """Record a name that is defined outside the files, or in a module of a package that was not read."""
        head, rest = self._split_longest(name)
        if head is None and name[:1] != UNKNOWN:
            self.unseen.add((name, root))
        elif head in self.files and rest:
            self.unseen.add((self.files[head].dotted + rest, self.files[head].root))

    def _walk(self, name: str) -> str:
        for _ in range(_MOST_STEPS):
            try:
                step = self._take_step(name)
            except RecursionError:  # Thousands of classes, each built from the one before.
                return name
            if step is None or step == name:
                return name
            name = step
        return name

    def _take_step(self, name: str) -> str | None:
        """Replace the longest resolvable beginning of a name; None if nothing can be replaced."""
        if name in self.functions or name in self.classes or name[:1] == UNKNOWN:
            return None
        head, rest = self._split_longest(name)
        if head is None:
            return None
        if head in self.classes:
            return self._enter_class(head, rest)
        if head in self.functions:
            file, function = self.functions[head]
            if not rest.startswith("()") or not function.returns:
                return None
            return self._modules.localise(function.returns, file.root) + rest.removeprefix("()")
        return self._enter_file(head, rest)

    def _split_longest(self, name: str) -> tuple[str | None, str]:
        """Split a name after its longest beginning that is a class, a function or a file."""
        cut = len(name)
        while cut > 0:
            head = name[:cut]
            if head in self.classes or head in self.functions or head in self.files:
                return head, name[cut:]
            cut = max(head.rfind("."), head.rfind("()"))
        return None, name

    def _enter_class(self, head: str, rest: str) -> str | None:
        rest = rest.removeprefix("()").removeprefix(".")
        attribute, tail = _split_first(rest)
        if not attribute:
            return None
        if method := self._find_method(head, attribute):
            at = f"{method.file.module}.{method.function.name}"
            return at + tail
        held = self._find_attribute(head, attribute)
        return held + tail if held else None

    def _enter_file(self, head: str, rest: str) -> str | None:
        file = self.files[head]
        name, tail = _split_first(rest.removeprefix("."))
        if not name:
            return None
        for meaning in (file.values.get(name), file.names.get(name)):
            if meaning and meaning != f"{head}.{name}":
                return self._modules.localise(meaning, file.root) + tail
        for star in file.stars:
            module = self._modules.localise(star, file.root)
            if module in self.files and module != head and name in self.files[module].names:
                return f"{module}.{name}{tail}"
        return None

    def walk_lineage(self, name: str) -> Iterator[tuple[Summary, ClassSummary]]:
        """Yield a class and its bases, as far as they are in the project."""
        waiting, seen = [name], set[str]()
        while waiting:
            at = waiting.pop(0)
            if at in self.classes and at not in seen:
                seen.add(at)
                file, each = self.classes[at]
                yield file, each
                waiting.extend(self.follow(base, file) for base in each.bases)

    def _find_method(self, name: str, method: str) -> LocatedFunction | None:
        for file, each in self.walk_lineage(name):
            if function := self.functions.get(f"{file.module}.{each.name}.{method}"):
                return function
        return None

    def _find_attribute(self, name: str, attribute: str) -> str | None:
        for file, each in self.walk_lineage(name):
            if attribute in each.attributes:
                return self._modules.localise(each.attributes[attribute], file.root)
        return None

    def is_ours(self, name: str) -> bool:
        head, _ = self._split_longest(name)
        return head is not None


def _split_first(rest: str) -> tuple[str, str]:
    """Split a dotted name after its first part."""
    cuts = [at for at in (rest.find("."), rest.find("(")) if at >= 0]
    cut = min(cuts, default=len(rest))
    return rest[:cut], rest[cut:]
