"""A directory of what earlier runs found out. It may lie in a checkout, so what is in it is foreign: JSON, and sealed.

An entry has a name, which says what it is about, and a key, which says from what it was made. It counts if its seal
fits its key and its text; all else is as if it were not there, and is written anew.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from hashlib import blake2b
from importlib import metadata
from pathlib import Path

from errata.linter._source import UnreadableError, read

_MOST_EDITIONS = 4
_MOST_BYTES = _LARGEST_ENTRY = 200_000_000
_ENTRY = re.compile(r"(file|run)-[0-9a-f]{32}\.json")
_EDITION = re.compile(r"[0-9a-f]{32}")
_FORGOTTEN_S = 24 * 3600  # After which what is half written is written by nobody.
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by errata lint; it may be removed at any time.\n"
_SOURCES = Path(__file__).parent


def digest(*parts: str | bytes) -> str:
    """Write a short text that no other parts have."""
    whole = blake2b(digest_size=16)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        whole.update(b"%d:" % len(content))
        whole.update(content)
    return whole.hexdigest()


@functools.cache
def edition() -> str:
    """Name this very linter: the version of errata and of Python, and the linter's own source."""
    try:
        version = metadata.version("errata")
    except metadata.PackageNotFoundError:
        version = ""
    ours = sorted((*_SOURCES.rglob("*.py"), *_SOURCES.parent.glob("_*.py")))
    return digest(version, sys.version, *(part for file in ours for part in (file.name, file.read_bytes())))


class Cache:
    """Entries of this edition of the linter. Nothing about it is ever an error: without it, a run takes longer."""

    def __init__(self, directory: Path) -> None:
        self._root = directory
        self._directory = directory / edition()
        self._is_writable = self._made()
        self._is_grown = False

    def get(self, name: str, key: str) -> object:
        """Read an entry; None if there is none that was made from this key."""
        try:
            seal, _, text = read(self._directory / f"{name}.json", _LARGEST_ENTRY).partition(b"\n")
            if seal != digest(key, text).encode():
                return None
            return json.loads(text)
        except (UnreadableError, ValueError, RecursionError):
            return None

    def put(self, name: str, key: str, value: object) -> None:
        """Write an entry."""
        if self._is_writable:
            content = json.dumps(value).encode("ascii")
            self._is_writable = self._written(f"{name}.json", digest(key, content).encode() + b"\n" + content)
            self._is_grown = True

    def tidy(self) -> None:
        """Drop what was not used lately, as far as there is too much."""
        if not self._is_grown:
            return
        with contextlib.suppress(OSError):
            self._drop_entries()
            others = [each for each in self._root.iterdir() if _EDITION.fullmatch(each.name)]
            for old in _by_use(others)[_MOST_EDITIONS:]:
                shutil.rmtree(old, ignore_errors=True)

    def used(self, name: str) -> None:
        """Note that an entry is still of use."""
        with contextlib.suppress(OSError):
            os.utime(self._directory / f"{name}.json")

    def _made(self) -> bool:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            os.utime(self._directory)
            for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
                if not (self._root / name).exists():
                    (self._root / name).write_text(text, encoding="ascii")
        except (OSError, ValueError):
            return False
        return True

    def _written(self, name: str, content: bytes) -> bool:
        """Write a file beside its place and put it there in one step: others may read it meanwhile."""
        temporary = None
        try:
            descriptor, temporary = tempfile.mkstemp(dir=self._directory, suffix=".tmp")
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(temporary).replace(self._directory / name)
        except OSError:
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()
            return False
        return True

    def _drop_entries(self) -> None:
        entries = [each for each in self._directory.iterdir() if _ENTRY.fullmatch(each.name)]
        room = _MOST_BYTES
        for entry in _by_use(entries):
            room -= entry.stat().st_size
            if room < 0:
                entry.unlink(missing_ok=True)
        for half in self._directory.glob("*.tmp"):
            if half.stat().st_mtime < time.time() - _FORGOTTEN_S:
                half.unlink(missing_ok=True)


def _by_use(paths: Iterable[Path]) -> list[Path]:
    """Put what was used last first."""
    times: dict[Path, float] = {}
    for path in paths:
        with contextlib.suppress(OSError):
            times[path] = path.lstat().st_mtime
    return sorted(times, key=lambda path: times[path], reverse=True)
