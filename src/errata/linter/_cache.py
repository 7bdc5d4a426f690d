"""A directory of what earlier runs found out: the user's own, and sealed with a key that only the user has.

A checkout is foreign, and so is whatever lies in it. The key lies where the user keeps caches, outside of every checkout;
where there is no such place, there is no cache. An entry has a name, which says what it is about, and a subject, which says
from what it was made. It counts if its seal fits its name, its subject and its text; all else is as if it were not there.
"""

import contextlib
import functools
import hmac
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path

from errata._version import __version__
from errata.linter._source import UnreadableError, read

_MOST_EDITIONS = 4
_MOST_PROJECTS = 100
_MOST_BYTES = 200_000_000
_LARGEST_ENTRY = 50_000_000
_KEY_BYTES = 32
_OTHERS_MAY_WRITE, _OTHERS_MAY = 0o022, 0o077
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
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
    ours = sorted((*_SOURCES.rglob("*.py"), *_SOURCES.parent.glob("_*.py")))
    return digest(__version__, sys.version, *(part for file in ours for part in (file.name, file.read_bytes())))


def users_directory() -> Path | None:
    """Find where the user keeps what errata may forget; None where there is no such place, as in some containers."""
    try:
        if sys.platform == "win32":
            given = os.environ.get("LOCALAPPDATA", "")
        elif sys.platform == "darwin":
            given = str(Path.home() / "Library" / "Caches")
        else:
            given = os.environ.get("XDG_CACHE_HOME", "")
            given = given if os.path.isabs(given) else str(Path.home() / ".cache")  # noqa: PTH117 - "" is no path.
    except RuntimeError:  # Nobody knows who the user is.
        return None
    return Path(given) / "errata" if given else None


def projects_directory(root: Path) -> Path | None:
    """Find the directory of one project among the user's; None where there is none."""
    directory = users_directory()
    return directory / "lint" / digest(os.path.realpath(root)) if directory else None


class Cache:
    """Entries of this edition of the linter. Nothing about it is ever an error: without it, a run takes longer."""

    def __init__(self, directory: Path, root: Path) -> None:
        """Open a directory for the project below a root."""
        self._root = directory
        self._directory = directory / edition()
        self._key = _users_key(root)
        self._is_usable = self._key is not None and _stays_below(root, directory) and self._made()
        self._is_grown = False

    def get(self, name: str, subject: str) -> object:
        """Read an entry; None if there is none that was made from this subject."""
        if not self._is_usable:
            return None
        try:
            seal, _, text = read(self._directory / f"{name}.json", _LARGEST_ENTRY).partition(b"\n")
            return json.loads(text) if hmac.compare_digest(seal, self._seal(name, subject, text)) else None
        except (UnreadableError, ValueError, RecursionError):
            return None

    def put(self, name: str, subject: str, value: object) -> None:
        """Write an entry."""
        if self._is_usable:
            content = json.dumps(value).encode("ascii")
            sealed = self._seal(name, subject, content) + b"\n" + content
            self._is_usable = self._written(f"{name}.json", sealed)
            self._is_grown = True

    def _seal(self, name: str, subject: str, content: bytes) -> bytes:
        whole = digest(edition(), name, subject, content)
        return blake2b(whole.encode(), key=self._key or b"", digest_size=32).hexdigest().encode()

    def tidy(self) -> None:
        """Drop what was not used lately, as far as there is too much."""
        if not self._is_grown:
            return
        with contextlib.suppress(OSError):
            self._drop_entries()
            others = [each for each in self._root.iterdir() if _EDITION.fullmatch(each.name)]
            for old in _by_use(others)[_MOST_EDITIONS:]:
                shutil.rmtree(old, ignore_errors=True)
            if (directory := users_directory()) and self._root.parent == directory / "lint":
                projects = [each for each in self._root.parent.iterdir() if _EDITION.fullmatch(each.name)]
                for old in _by_use(projects)[_MOST_PROJECTS:]:
                    shutil.rmtree(old, ignore_errors=True)

    def used(self, name: str) -> None:
        """Note that an entry is still of use."""
        entry = self._directory / f"{name}.json"
        with contextlib.suppress(OSError):
            if not entry.is_symlink():
                os.utime(entry)

    def _made(self) -> bool:
        try:
            self._root.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            for directory in (self._root, self._directory):
                _make_own(directory, others=0)  # What others write into it has no seal.
                os.utime(directory)
            for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _TAG)):
                with contextlib.suppress(FileExistsError), (self._root / name).open("x", encoding="ascii") as file:
                    file.write(text)
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


def _make_own(directory: Path, others: int) -> None:
    """Make a directory for the user alone, or see that it is the user's, no link, and gives others none of these rights."""
    directory.mkdir(mode=0o700, exist_ok=True)
    _check_own(directory.lstat(), stat.S_ISDIR, others)


def _check_own(facts: os.stat_result, is_of_kind: Callable[[int], bool], others: int) -> None:
    if not is_of_kind(facts.st_mode):
        raise PermissionError("it is a link, or something else")
    if hasattr(os, "geteuid") and (facts.st_uid != os.geteuid() or facts.st_mode & others):
        raise PermissionError("it is not the user's alone")


def _users_key(root: Path) -> bytes | None:
    """Read the key of the user, or make one; None where nobody can keep one outside of the project."""
    directory = users_directory()
    if directory is None or Path(os.path.realpath(directory)).is_relative_to(os.path.realpath(root)):
        return None
    try:
        directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for each in (directory, directory / "lint"):
            _make_own(each, _OTHERS_MAY_WRITE)
        return _kept_key(directory / "lint.key")
    except (OSError, ValueError):
        return None


def _kept_key(file: Path) -> bytes | None:
    if not file.exists():  # Whole or not at all: whoever is ended meanwhile leaves no half of one.
        written, name = tempfile.mkstemp(dir=file.parent, prefix="lint.key.", suffix=".tmp")
        try:
            with os.fdopen(written, "wb") as writing:
                writing.write(os.urandom(_KEY_BYTES))
            try:
                os.link(name, file)
            except FileExistsError:
                pass
            except OSError:  # Where there are no links, the one who comes last wins.
                Path(name).replace(file)
        finally:
            Path(name).unlink(missing_ok=True)
    opened = os.open(file, os.O_RDONLY | _NO_LINKS | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(opened, "rb") as reading:
        _check_own(os.fstat(reading.fileno()), stat.S_ISREG, _OTHERS_MAY)
        key = reading.read(_KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def _stays_below(root: Path, directory: Path) -> bool:
    """Whether no link in a project leads a directory of the project elsewhere."""
    lexical, base = os.path.abspath(directory), os.path.abspath(root)  # noqa: PTH100 - links are what is looked for.
    if not Path(lexical).is_relative_to(base):
        return True
    real = Path(os.path.realpath(base)) / Path(lexical).relative_to(base)
    return os.path.realpath(lexical) == str(real)


def _by_use(paths: Iterable[Path]) -> list[Path]:
    """Put what was used last first."""
    times: dict[Path, float] = {}
    for path in paths:
        with contextlib.suppress(OSError):
            times[path] = path.lstat().st_mtime
    return sorted(times, key=lambda path: times[path], reverse=True)
