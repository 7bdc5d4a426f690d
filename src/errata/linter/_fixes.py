"""Fixes: apply the edits of findings to their files."""

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

from errata.linter.source import Edit, Finding, LintError, replace_file

_PASSES = 10  # A fix may uncover another, and overlapping fixes take turns; more passes than this mean that two undo each other.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_BOM = b"\xef\xbb\xbf"


class NotFixedError(LintError):
    """A file could not be fixed."""


class FixedText(NamedTuple):
    """A file as it would be after one pass."""

    before: bytes
    after: bytes
    fixed: int
    """How many findings this fixes."""


class _TextRange(NamedTuple):
    start: int
    end: int
    text: str


def fix_file(path: Path, findings: Iterable[Finding]) -> FixedText:
    """Return a file's content with the edits of its findings applied; of two edits that overlap, the first is applied."""
    before = _read_content(path)
    encoding = _detect_encoding(before, path)
    text = before.removeprefix(_BOM).decode(encoding)
    after, fixed = fix_text(text, findings)
    try:
        content = (_BOM if before.startswith(_BOM) else b"") + after.encode(encoding)
    except UnicodeEncodeError as error:
        what = f"`{path}` was not fixed: its encoding {encoding} has no character for the fix"
        raise NotFixedError(what, "save it as UTF-8, then fix it") from error
    if not _parses(content):
        what = f"`{path}` was not fixed: it would no longer be Python"
        raise NotFixedError(what, "change it by hand, and report the fix as a bug of errata")
    return FixedText(before, content, fixed)


def fix_source(text: str, findings: Iterable[Finding]) -> FixedText:
    """Return a text with the edits of its findings applied."""
    after, fixed = fix_text(text, findings)
    return FixedText(text.encode(), after.encode(), fixed)


def fix_text(text: str, findings: Iterable[Finding]) -> tuple[str, int]:
    """Apply the edits of findings to a text, and return it with the number of findings fixed. A finding is fixed whole or not at all."""
    starts = [0, *itertools.accumulate(len(line) for line in _split_lines(text))]
    newline = _find_newline(text)
    taken: list[_TextRange] = []
    fixed = 0
    for finding in findings:
        wanted = {_make_range(edit, starts, newline) for edit in finding.edits} - set(taken)
        if finding.edits and not any(_clash(one, other) for one in wanted for other in (*taken, *(wanted - {one}))):
            taken += wanted
            fixed += 1
    for stretch in sorted(taken, reverse=True):
        text = text[: stretch.start] + stretch.text + text[stretch.end :]
    return text, fixed


def fix(
    findings: Sequence[Finding], again: Callable[[], Sequence[Finding]]
) -> tuple[int, Sequence[Finding], list[NotFixedError]]:
    """Fix files until nothing changes any more.

    `again` lints once more. Returns how many findings were fixed, which are left, and why some files were not fixed.
    """
    errors: dict[str, NotFixedError] = {}
    total = 0
    for _ in range(_PASSES):
        fixed = sum(
            _write_fix(path, of_file, errors) for path, of_file in group_by_file(findings) if path not in errors
        )
        if not fixed:
            break
        total += fixed
        findings = again()
    return total, findings, list(errors.values())


def group_by_file(findings: Iterable[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """Group the findings that have edits by file."""
    fixable = sorted((each for each in findings if each.edits), key=lambda each: (each.path, each.location))
    for path, group in itertools.groupby(fixable, key=lambda each: each.path):
        yield path, list(group)


def write_diff(path: str, text: FixedText) -> str:
    """Return what a fix changes, as a unified diff."""
    encoding = _detect_encoding(text.before, Path(path))
    before, after = (_split_lines(content.removeprefix(_BOM).decode(encoding)) for content in (text.before, text.after))
    patch = difflib.unified_diff(before, after, fromfile=path, tofile=path)
    return "".join(line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in patch)


def _write_fix(path: str, findings: Iterable[Finding], errors: dict[str, NotFixedError]) -> int:
    try:
        text = fix_file(Path(path), findings)
        if text.after == text.before:
            return 0
        replace_file(Path(path), text.after)
    except NotFixedError as error:
        errors[path] = error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        errors[path] = NotFixedError(f"cannot write `{path}`: {reason}", "make the file and its directory writable")
    else:
        return text.fixed
    return 0


def _read_content(path: Path) -> bytes:
    if path.is_symlink():
        raise NotFixedError(f"`{path}` was not fixed: it is a link", "name the file that it leads to")
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise NotFixedError(f"cannot read `{path}`: {reason}", "check the path and its permissions") from error


def _detect_encoding(content: bytes, path: Path) -> str:
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


def _split_lines(text: str) -> list[str]:
    """Split a text at the line ends that Python knows; `splitlines` knows more."""
    return [match[0] for match in _LINE.finditer(text)]


def _find_newline(text: str) -> str:
    match = re.search(r"\r\n|\r|\n", text)
    return match[0] if match else "\n"


def _make_range(edit: Edit, starts: Sequence[int], newline: str) -> _TextRange:
    location = edit.location
    start = _find_offset(location.line, location.column, starts)
    return _TextRange(
        start,
        max(_find_offset(location.end_line, location.end_column, starts), start),
        edit.text.replace("\n", newline),
    )


def _find_offset(line: int, column: int, starts: Sequence[int]) -> int:
    """Return the offset of a line and column in the text; beyond the last line it is the end of the text."""
    if line > len(starts) - 1:
        return starts[-1]
    return min(starts[max(line, 1) - 1] + max(column, 1) - 1, starts[line] if line > 0 else 0)


def _clash(one: _TextRange, other: _TextRange) -> bool:
    """Return whether two edits overlap; two insertions at the same offset do, because their order is unknown."""
    return one.start == other.start or (one.start < other.end and other.start < one.end)
