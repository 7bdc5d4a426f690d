"""Which files are linted: those named, and the Python files below the directories named, unless a pattern excludes them."""

import functools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from errata.linter.source._findings import LintError

_PARTS = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?[^]/]+\]|[^*?[/]+|[/[]")
_MEANINGS = {"**/": "(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def make_relative(path: str | Path, root: Path) -> str:
    """Return a path relative to the project's root, with `/` on every system."""
    try:
        relative = os.path.relpath(path, root)
    except ValueError:  # On Windows, another drive.
        relative = str(path)
    return relative.replace(os.sep, "/")


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a relative path, or a directory it is in, matches a pattern; one without `/` matches at any depth."""
    return any(_compile_pattern(pattern).fullmatch(path) for pattern in patterns)


@functools.cache
def _compile_pattern(pattern: str) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").strip("/")
    anywhere = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    meaning = "".join(map(_translate_part, _PARTS.findall(plain)))
    try:
        return re.compile(f"{anywhere}{meaning}(?:/.*)?", re.DOTALL)
    except re.error:  # A range that runs backwards, such as `[z-a]`, is taken literally.
        return re.compile(f"{anywhere}{re.escape(plain)}(?:/.*)?", re.DOTALL)


def _translate_part(part: str) -> str:
    if part.startswith("[") and len(part) > 1:
        inside = re.escape(part[1:-1].removeprefix("!")).replace(r"\-", "-")
        return f"[^{inside}]" if part[1] == "!" else f"[{inside}]"
    return _MEANINGS.get(part) or ("[^/]*" if part.startswith("*") else re.escape(part))


_OTHERS = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
_BUILT = frozenset({"build", "dist"})


class NoSuchPathError(LintError):
    """A path to lint does not exist."""


def find_files(paths: Iterable[Path], exclude: Iterable[str] = (), *, root: Path | None = None) -> Iterator[Path]:
    """Yield every file once, in a stable order; a file that is named is taken whatever its suffix.

    Patterns to exclude are relative to the root, which is the current directory unless said otherwise.
    """
    seen: set[str] = set()
    patterns = tuple(exclude)
    base = root or Path.cwd()
    for path in paths:
        files = _find_below(path, patterns, base) if _is_directory(path) else [path]
        for file in files:
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def _is_directory(path: Path) -> bool:
    try:
        path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NoSuchPathError(
            f"cannot read `{path}`: {reason.lower()}", "check the path; without one, the current directory is linted"
        ) from error
    return path.is_dir()


def _find_below(directory: Path, exclude: tuple[str, ...], root: Path) -> Iterator[Path]:
    # Links to directories are not followed: they may form a circle. Links to files are, within the tree.
    trees = (os.path.realpath(directory), os.path.realpath(root))
    for location, directories, files in os.walk(directory):
        here = Path(location)
        directories[:] = sorted(name for name in directories if not _is_left_out(here / name, exclude, root))
        for name in sorted(files):
            file = here / name
            if not name.endswith(".py") or _is_excluded(file, exclude, root) or leads_outside(file, trees):
                continue
            if os.path.isfile(file):  # noqa: PTH113 - unlike `Path.is_file`, it is never refused.
                yield file


def leads_outside(file: Path, trees: Iterable[str]) -> bool:
    """Return whether a file is a link to one outside of the trees."""
    if not os.path.islink(file):  # noqa: PTH114 - every file comes by here.
        return False
    real = Path(os.path.realpath(file))
    return not any(real.is_relative_to(tree) for tree in trees)


def _is_left_out(directory: Path, exclude: tuple[str, ...], root: Path) -> bool:
    """Return whether a directory is excluded, or holds installed or generated code."""
    name = directory.name
    if name.startswith(".") or name in _OTHERS or _is_excluded(directory, exclude, root):
        return True
    if name in _BUILT and not os.path.exists(directory / "__init__.py"):  # noqa: PTH110 - as below. A package may be called so.
        return True
    return os.path.exists(directory / "pyvenv.cfg")  # noqa: PTH110 - unlike `Path.exists`, it is never refused.


def _is_excluded(path: Path, exclude: tuple[str, ...], root: Path) -> bool:
    return bool(exclude) and matches_any(make_relative(path, root), exclude)
