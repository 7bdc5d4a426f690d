"""Patterns of paths, as people write them in settings: `tests`, `tests/**`, `**/test_*.py`, `conftest.py`."""

import functools
import os
import re
from collections.abc import Iterable
from pathlib import Path

_PARTS = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?[^]/]+\]|[^*?[/]+|[/[]")
_MEANINGS = {"**/": "(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def relative_to(path: str | Path, root: Path) -> str:
    """Write a path as seen from the project's root, with `/` whatever the system uses."""
    try:
        relative = os.path.relpath(path, root)
    except ValueError:  # On Windows, another drive.
        relative = str(path)
    return relative.replace(os.sep, "/")


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether a relative path, or a directory it is in, fits one of the patterns; one without `/` fits any part of it."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").strip("/")
    anywhere = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    meaning = "".join(map(_meaning, _PARTS.findall(plain)))
    try:
        return re.compile(f"{anywhere}{meaning}(?:/.*)?", re.DOTALL)
    except re.error:  # A range that runs backwards: it stands for itself.
        return re.compile(f"{anywhere}{re.escape(plain)}(?:/.*)?", re.DOTALL)


def _meaning(part: str) -> str:
    if part.startswith("[") and len(part) > 1:
        inside = re.escape(part[1:-1].removeprefix("!")).replace(r"\-", "-")
        return f"[^{inside}]" if part[1] == "!" else f"[{inside}]"
    return _MEANINGS.get(part) or ("[^/]*" if part.startswith("*") else re.escape(part))
