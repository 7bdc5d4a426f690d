"""The source lines behind findings, read again when they are shown: the file may have changed or gone meanwhile."""

from collections.abc import Mapping
from pathlib import Path

from errata.linter._source import Lines, UnreadableError, decoded, read


class Sources:
    """Files by their path, each read at most once; what cannot be read has no lines."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._lines = {path: Lines(text) for path, text in (texts or {}).items()}

    def line(self, path: str, number: int) -> str:
        """Give one line, from 1; empty if there is none."""
        if path not in self._lines:
            self._lines[path] = Lines(_text(path))
        return self._lines[path].line(number)


def _text(path: str) -> str:
    try:
        return decoded(read(Path(path)))
    except (UnreadableError, ValueError):
        return ""
