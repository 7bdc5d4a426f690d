"""Files as modules: under which name each is imported, from where, and which file an import means."""

import os
import zlib
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

_MOST_NAMES = 6  # Of an import that is compared with the end of a path.


class Location(NamedTuple):
    """Where a module is."""

    root: str
    """The directory that it is imported from."""
    dotted: str
    """Its name for those who import it."""
    is_package: bool = False

    @property
    def id(self) -> str:
        """A name that no other file has; two directories may each have a `server`."""
        return f"{self.dotted}@{zlib.crc32(self.root.encode('utf-8', 'surrogateescape')):08x}"

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.dotted if self.is_package else self.dotted.rpartition(".")[0]


def location_of(path: Path) -> Location:
    """Say where a file is imported from, and under which name: up to the last directory that is a package."""
    file = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links out of the project.
    root, names = file.parent, [] if file.stem == "__init__" else [file.stem]
    while root.name.isidentifier() and (root / "__init__.py").is_file():
        names.insert(0, root.name)
        root = root.parent
    return Location(str(root), ".".join(names) or file.stem, file.stem == "__init__" and bool(names))


class Modules:
    """The modules of a project, to tell what an import in one of them means."""

    def __init__(self, modules: Iterable[tuple[str, str, str, str]]) -> None:
        """Take the root, the dotted name, the path and the id of each."""
        self._by_root: dict[str, dict[str, str]] = {}
        self._by_ending: dict[str, list[tuple[str, str]]] = {}
        for root, dotted, path, known_as in modules:
            self._by_root.setdefault(root, {})[dotted] = known_as
            for ending in _endings(path):
                self._by_ending.setdefault(ending, []).append((root, known_as))
        self._known: dict[tuple[str, str], str] = {}

    def localised(self, name: str, root: str) -> str:
        """Write a dotted name that a file uses with the id of the module that it begins with."""
        key = (name, root)
        if key not in self._known:
            self._known[key] = self._localised(name, root)
        return self._known[key]

    def _localised(self, name: str, root: str) -> str:
        if "@" in name:
            return name
        for head in _beginnings(name):
            if found := self._found(head, root):
                return found + name[len(head) :]
        return name

    def _found(self, dotted: str, root: str) -> str | None:
        """Find a module: beside the one that imports it, else the nearest that lies in such directories."""
        if found := self._by_root.get(root, {}).get(dotted):
            return found
        several = self._by_ending.get(dotted, ())
        _, nearest = max(((_shared(other, root), found) for other, found in several), default=(0, None))
        return nearest


def _endings(path: str) -> Iterator[str]:
    """Write the end of a path as an import would, with two names or more."""
    parts = path.removesuffix(".py").removesuffix("/__init__").replace(os.sep, "/").split("/")
    return (".".join(parts[-count:]) for count in range(2, min(_MOST_NAMES, len(parts)) + 1))


def _shared(root: str, other: str) -> int:
    """Count the directories that two paths begin with alike."""
    pairs = zip(Path(root).parts, Path(other).parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def files_imported(name: str, root: str) -> Iterator[Path]:
    """Find the files below a root that a dotted name comes from, the packages on the way included."""
    place = Path(root)
    for part in name.partition("(")[0].split("."):
        if not part.isidentifier():
            return
        place /= part
        package, file = place / "__init__.py", place.with_suffix(".py")
        if package.is_file():
            yield package
        elif file.is_file():
            yield file
            return
        elif not place.is_dir():
            return


def _beginnings(name: str) -> Iterator[str]:
    head = name.partition("(")[0]
    while head:
        yield head
        head = head.rpartition(".")[0]
