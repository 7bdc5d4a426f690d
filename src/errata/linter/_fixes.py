"""Mending what is mechanical: the edits of findings, put into their files."""

import ast
import difflib
import io
import itertools
import re
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from errata.linter.source import Edit, Finding, LintError, write_whole

_PASSES = 10  # A fix may uncover the next one, or two may want the same place; more than this is a circle.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BOM = b"\xef\xbb\xbf"


class NotFixedError(LintError):
    """A file was left as it is."""


class Mended(NamedTuple):
    """A file as it would be after one pass."""

    before: bytes
    after: bytes
    fixed: int
    """How many findings are gone with it."""


class _Stretch(NamedTuple):
    start: int
    end: int
    text: str


def mended_file(path: Path, findings: Iterable[Finding]) -> Mended:
    """Put the edits of findings into a copy of a file; where two want the same place, the first has it."""
    before = _content(path)
    encoding = _encoding(before, path)
    text = before.removeprefix(_BOM).decode(encoding)
    after, fixed = mended(text, findings)
    try:
        content = (_BOM if before.startswith(_BOM) else b"") + after.encode(encoding)
    except UnicodeEncodeError as error:
        what = f"`{path}` was not fixed: its encoding {encoding} has no character for the fix"
        raise NotFixedError(what, "save it as UTF-8, then fix it") from error
    if not _parses(content):
        what = f"`{path}` was not fixed: it would no longer be Python"
        raise NotFixedError(what, "change it by hand, and report the fix as a bug of errata")
    return Mended(before, content, fixed)


def mended_source(text: str, findings: Iterable[Finding]) -> Mended:
    """Put the edits of findings into a text that lies in no file."""
    after, fixed = mended(text, findings)
    return Mended(text.encode(), after.encode(), fixed)


def mended(text: str, findings: Iterable[Finding]) -> tuple[str, int]:
    """Put the edits of findings into a text, all of a finding or none; say also how many findings that were."""
    starts = [0, *itertools.accumulate(len(line) for line in _lines(text))]
    newline = _newline(text)
    taken: list[_Stretch] = []
    fixed = 0
    for finding in findings:
        wanted = {_stretch(edit, starts, newline) for edit in finding.edits} - set(taken)
        if finding.edits and not any(_clash(one, other) for one in wanted for other in (*taken, *(wanted - {one}))):
            taken += wanted
            fixed += 1
    for stretch in sorted(taken, reverse=True):
        text = text[: stretch.start] + stretch.text + text[stretch.end :]
    return text, fixed


def fix(
    findings: Sequence[Finding], again: Callable[[], Sequence[Finding]]
) -> tuple[int, Sequence[Finding], list[NotFixedError]]:
    """Write what can be fixed, look again, and so on until nothing changes.

    The answer is how many findings are gone, those that are left, and why some files were left as they are.
    """
    troubles: dict[str, NotFixedError] = {}
    total = 0
    for _ in range(_PASSES):
        fixed = sum(_fixed(path, of_file, troubles) for path, of_file in by_file(findings) if path not in troubles)
        if not fixed:
            break
        total += fixed
        findings = again()
    return total, findings, list(troubles.values())


def by_file(findings: Iterable[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Group the findings that can be fixed by their file."""
    fixable = sorted((each for each in findings if each.edits), key=lambda each: (each.path, each.place))
    for path, group in itertools.groupby(fixable, key=lambda each: each.path):
        yield path, list(group)


def diff(path: str, mended: Mended) -> str:
    """Show what a fix changes, as a patch."""
    encoding = _encoding(mended.before, Path(path))
    before, after = (_lines(content.removeprefix(_BOM).decode(encoding)) for content in (mended.before, mended.after))
    patch = difflib.unified_diff(before, after, fromfile=path, tofile=path)
    return "".join(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in patch)


def _fixed(path: str, findings: Iterable[Finding], troubles: dict[str, NotFixedError]) -> int:
    try:
        mended = mended_file(Path(path), findings)
        if mended.after == mended.before:
            return 0
        write_whole(Path(path), mended.after)
    except NotFixedError as trouble:
        troubles[path] = trouble
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        troubles[path] = NotFixedError(f"cannot write `{path}`: {reason}", "make the file and its directory writable")
    else:
        return mended.fixed
    return 0


def _content(path: Path) -> bytes:
    if path.is_symlink():
        raise NotFixedError(f"`{path}` was not fixed: it is a link", "name the file that it leads to")
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise NotFixedError(f"cannot read `{path}`: {reason}", "check the path and its permissions") from error


def _encoding(content: bytes, path: Path) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise NotFixedError(f"`{path}` was not fixed: its encoding is not clear", "save it as UTF-8") from error
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _parses(content: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _lines(text: str) -> list[str]:
    """Split a text where Python ends a line; `splitlines` knows more ends."""
    return [found[0] for found in _LINE.finditer(text)]


def _newline(text: str) -> str:
    found = re.search(r"\r\n|\r|\n", text)
    return found[0] if found else "\n"


def _stretch(edit: Edit, starts: Sequence[int], newline: str) -> _Stretch:
    place = edit.place
    start = _offset(place.line, place.column, starts)
    return _Stretch(
        start, max(_offset(place.end_line, place.end_column, starts), start), edit.text.replace("\n", newline)
    )


def _offset(line: int, column: int, starts: Sequence[int]) -> int:
    """Find a place in the text; what lies behind the last line is its end."""
    if line > len(starts) - 1:
        return starts[-1]
    return min(starts[max(line, 1) - 1] + max(column, 1) - 1, starts[line] if line > 0 else 0)


def _clash(one: _Stretch, other: _Stretch) -> bool:
    """Whether two edits want the same place; two insertions at one place do, for nobody knows which comes first."""
    return one.start == other.start or (one.start < other.end and other.start < one.end)
