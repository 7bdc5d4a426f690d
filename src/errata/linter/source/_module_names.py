"""Files as modules: the name each is imported by, from which root, and which file an import means."""

import functools
import os
import zlib
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

_MOST_NAMES = 6  # Parts of an import that are compared with the end of a path.


class ModuleLocation(NamedTuple):
    """Where a module is imported from."""

    root: str
    """The directory that it is imported from."""
    dotted: str
    """The name it is imported by."""
    is_package: bool = False
    file: str = ""

    @property
    def id(self) -> str:
        """A unique name: `server.py` and `server/__init__.py` may stand beside each other."""
        return _make_id(self.dotted, self.file or self.root)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.dotted if self.is_package else self.dotted.rpartition(".")[0]


@functools.lru_cache(maxsize=16)
def _make_id(dotted: str, where: str) -> str:
    return f"{dotted}@{zlib.crc32(where.encode('utf-8', 'surrogatepass')):08x}"


def locate_module(path: Path) -> ModuleLocation:
    """Return the root a file is imported from and its dotted name, counting up to the topmost package."""
    file = os.path.abspath(path)  # noqa: PTH100 - `resolve` would follow links out of the project.
    root, last = os.path.split(file)
    stem = last.removesuffix(".py")
    is_init = stem == "__init__"
    names = [] if is_init else [stem]
    while (name := os.path.basename(root)).isidentifier() and os.path.isfile(f"{root}{os.sep}__init__.py"):  # noqa: PTH113, PTH119 - every file comes by here.
        names.append(name)
        root = os.path.dirname(root)  # noqa: PTH120 - as above.
    return ModuleLocation(root, ".".join(reversed(names)) or stem, is_init and bool(names), file)


class ModuleIndex:
    """The modules of a project, to resolve imports between them."""

    def __init__(self, modules: Iterable[tuple[str, str, str, str]]) -> None:
        """Index modules, given the root, dotted name, path and id of each."""
        self._by_root: dict[str, dict[str, str]] = {}
        self._by_ending: dict[str, list[tuple[str, str]]] = {}
        for root, dotted, path, known_as in modules:
            beside = self._by_root.setdefault(root, {})
            if dotted not in beside or path.endswith("__init__.py"):  # Python, too, prefers the package.
                beside[dotted] = known_as
            for ending in _list_endings(path):
                self._by_ending.setdefault(ending, []).append((root, known_as))
        self._known: dict[tuple[str, str], str] = {}

    def localise(self, name: str, root: str) -> str:
        """Return a dotted name with its module replaced by that module's id."""
        key = (name, root)
        if key not in self._known:
            self._known[key] = self._localise(name, root)
        return self._known[key]

    def _localise(self, name: str, root: str) -> str:
        if "@" in name:
            return name
        for head in _list_beginnings(name):
            if module := self._find_module(head, root):
                return module + name[len(head) :]
        return name

    def _find_module(self, dotted: str, root: str) -> str | None:
        """Return the id of a module: one below the same root, else the nearest whose path ends so."""
        if module := self._by_root.get(root, {}).get(dotted):
            return module
        several = self._by_ending.get(dotted, ())
        _, nearest = max(((_count_shared(other, root), module) for other, module in several), default=(0, None))
        return nearest


def _list_endings(path: str) -> Iterator[str]:
    """Return the dotted names that the end of a path could be imported by, with two parts or more."""
    parts = path.removesuffix(".py").removesuffix("/__init__").replace(os.sep, "/").split("/")
    return (".".join(parts[-count:]) for count in range(2, min(_MOST_NAMES, len(parts)) + 1))


def _count_shared(root: str, other: str) -> int:
    """Return how many leading directories two paths share."""
    pairs = zip(Path(root).parts, Path(other).parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def find_imported_files(name: str, root: str) -> list[Path]:
    """Return the files below a root that a dotted name is imported from, packages on the way included."""
    location, files = Path(root), list[Path]()
    for part in name.partition("(")[0].split("."):
        if not part.isidentifier():
            break
        location /= part
        package, file = location / "__init__.py", location.with_suffix(".py")
        if _is_file_within(package, root):
            files.append(package)
        elif _is_file_within(file, root):
            return [*files, file]
        elif not os.path.isdir(location):  # noqa: PTH112 - as below.
            break
    return files


def _is_file_within(path: Path, root: str) -> bool:
    """Return whether a file exists and lies below the root when links are followed."""
    if not os.path.isfile(path):  # noqa: PTH113 - unlike `Path.is_file`, it is never refused.
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _list_beginnings(name: str) -> Iterator[str]:
    head = name.partition("(")[0]
    while head:
        yield head
        head = head.rpartition(".")[0]
