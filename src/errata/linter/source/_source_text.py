"""The text of source files: read within limits, decoded as Python does, parsed, shown by line, replaced as a whole."""

import ast
import contextlib
import errno
import io
import os
import stat
import sys
import tempfile
import tokenize
import warnings
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path

from errata.linter.source._findings import Location

_PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
LARGEST_BYTES = 4_000_000  # Larger files are generated, and one of them would take longer than all others.
TOO_DEEP = "is nested too deeply"


class UnreadableError(Exception):
    """A file cannot be linted; carries what is wrong with it, what to do about it, and where."""

    def __init__(self, what: str, advice: str, location: Location = Location(1, 1, 1, 2)) -> None:  # noqa: B008 - frozen.
        super().__init__(what, advice, location)
        self.what = what
        self.advice = advice
        self.location = location


def read_bytes(path: Path, largest: int = LARGEST_BYTES) -> bytes:
    """Return the content of a regular file that is no larger than the limit."""
    try:
        with open(path, "rb", opener=_open_without_blocking) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableError("is no regular file", "name a file that holds Python source")
            content = file.read(largest + 1)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnreadableError(f"cannot be read: {reason}", "check the path and its permissions") from error
    except ValueError as error:  # A null byte in the path.
        raise UnreadableError("cannot be read: there is no such path", "check the path") from error
    if len(content) > largest:
        what = f"is larger than {largest // 1_000_000} MB, which is not linted"
        raise UnreadableError(what, "exclude it in `[tool.errata.lint]`, or split it into modules")
    return content


def _open_without_blocking(path: str, flags: int) -> int:
    """Open a file without blocking, as a pipe without a writer would."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def decode_source(content: bytes) -> str:
    """Decode source as Python does: by its byte order mark or declared encoding, else as UTF-8."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, ValueError, LookupError) as error:
        at = content.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        what = "is not UTF-8, and declares no other encoding that fits"
        raise UnreadableError(what, "save it as UTF-8", Location(at, 1, at, 2)) from error


def parse_source(text: str) -> ast.Module:
    """Parse source, without Python's warnings about it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
        what = f"cannot be read by {_PYTHON}, which runs errata: {error.msg[:1].lower()}{error.msg[1:].rstrip('.')}"
        advice = "correct the syntax, or run errata with the Python that the project is written for"
        raise UnreadableError(what, advice, Location(line, column, line, column + 1)) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableError(TOO_DEEP, "split the expression into smaller ones") from error
    except ValueError as error:
        held = "null bytes" if "\0" in text else "half of a character"  # A surrogate, which UTF-8 cannot write.
        raise UnreadableError(f"is not Python: it holds {held}", "save it as text") from error


class Lines:
    """The lines of a source; converts the byte offsets of `ast` into characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[str] | None = None
        self._ends: dict[int, list[int]] = {}
        """For lines that are not ASCII, the byte at which each character ends."""

    def get_line(self, number: int) -> str:
        """Return a line by its number, from 1; empty if there is none."""
        if self._lines is None:
            # Only what Python ends a line at; `splitlines` knows more.
            self._lines = self._text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return self._lines[number - 1] if 0 < number <= len(self._lines) else ""

    def locate(self, node: ast.AST) -> Location:
        """Return the location of a node."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end, end_column = getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or column
        return Location(line, self._count_column(line, column), end, self._count_column(end, end_column))

    def excerpt(self, location: Location) -> str:
        """Return the source at a location."""
        lines = [self.get_line(number) for number in range(location.line, location.end_line + 1)]
        lines[-1] = lines[-1][: location.end_column - 1]
        lines[0] = lines[0][location.column - 1 :]
        return "\n".join(lines)

    def _count_column(self, number: int, offset: int) -> int:
        line = self.get_line(number)
        if line.isascii():
            return offset + 1
        if number not in self._ends:
            self._ends[number] = list(accumulate(len(each.encode("utf-8", "surrogatepass")) for each in line))
        return bisect_right(self._ends[number], offset) + 1


class SourceLines:
    """Source lines by path, read on demand for reports; a file that cannot be read has none."""

    def __init__(self, texts: Mapping[str, str] | None = None) -> None:
        self._lines = {path: Lines(text) for path, text in (texts or {}).items()}

    def get_line(self, path: str, number: int) -> str:
        """Return a line by its number, from 1; empty if there is none."""
        if path not in self._lines:
            self._lines[path] = Lines(_read_text(path))
        return self._lines[path].get_line(number)


def _read_text(path: str) -> str:
    try:
        return decode_source(read_bytes(Path(path)))
    except (UnreadableError, ValueError):
        return ""


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file in one step, keeping its mode; nobody sees half of it. A link is refused."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link, and what it leads to may lie anywhere", str(path))
    mode = _choose_mode(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _choose_mode(target: Path) -> int:
    """Return the mode of a file, if it may be written; the default one for a new file."""
    try:
        mode = target.stat().st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    with target.open(
        "r+b"
    ):  # Replacing a file needs a writable directory only; a file that is read-only stays as it is.
        return mode
