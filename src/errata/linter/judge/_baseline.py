"""The baseline: findings that a project had when it began to use the linter, so that only new ones are reported.

A finding is recognised by its file, its rule and the text of its line, so that it is known again when lines move.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, cast

from errata.linter.judge._lint_settings import Settings
from errata.linter.source import (
    Finding,
    LintError,
    SourceLines,
    UnreadableError,
    make_relative,
    read_bytes,
    replace_file,
)
from errata.redaction import as_object

_LONGEST_LINE = 160


class Fingerprint(NamedTuple):
    """What identifies a finding when lines move; findings with the same fingerprint are counted."""

    path: str
    rule: str
    line: str


def make_fingerprint(finding: Finding, sources: SourceLines, root: Path) -> Fingerprint:
    """Return what identifies a finding: its path below a root, its rule and its line."""
    line = " ".join(sources.get_line(finding.path, finding.location.line).split())
    if len(line) > _LONGEST_LINE:
        line = f"{line[:_LONGEST_LINE]} … {sha256(line.encode(errors='replace')).hexdigest()[:8]}"
    return Fingerprint(make_relative(finding.path, root), finding.rule, line)


def hash_findings(findings: Iterable[Finding], sources: SourceLines, root: Path) -> Iterator[str]:
    """Yield a hash for each finding; no two are the same."""
    seen: Counter[Fingerprint] = Counter()
    for finding in findings:
        known_by = make_fingerprint(finding, sources, root)
        seen[known_by] += 1
        yield f"{sha256(repr(known_by).encode(errors='replace')).hexdigest()[:16]}:{seen[known_by]}"


_VERSION = 1
_LARGEST_BYTES = 64_000_000
_ANEW = "write it anew with `errata lint --init`"


class BaselineError(LintError):
    """The baseline cannot be read or written."""


class Comparison(NamedTuple):
    """Findings compared with a baseline."""

    new: tuple[Finding, ...]
    old: int
    """How many are in the baseline."""
    gone: int
    """How many entries of the baseline no longer occur in the files that were read."""


class Baseline:
    """Old findings, counted by fingerprint; paths are relative to the baseline's directory."""

    def __init__(self, file: Path, counts: "Counter[Fingerprint]") -> None:
        self.file = file
        self._counts = counts

    @classmethod
    def read(cls, settings: Settings) -> "Baseline":
        """Read the baseline of a project; an empty one if there is none."""
        file = _find_file(settings)
        return cls(file, _read(file))

    def compare(
        self, findings: Iterable[Finding], sources: SourceLines, read: Iterable[Path], settings: Settings
    ) -> Comparison:
        """Split findings into new and old. An entry counts as gone only if its file was read and its rule judged."""
        left = self._counts.copy()
        new: list[Finding] = []
        for finding in findings:
            known_by = make_fingerprint(finding, sources, self.file.parent)
            left[known_by] -= 1
            if left[known_by] < 0:
                new.append(finding)
        over = {entry: count for entry, count in left.items() if count > 0}
        locations = tuple(read)
        gone = sum(count for entry, count in over.items() if self._could_recur(entry, locations, settings))
        return Comparison(tuple(new), len(self) - sum(over.values()), gone)

    @classmethod
    def write_anew(
        cls, settings: Settings, findings: Iterable[Finding], sources: SourceLines, read: Iterable[Path]
    ) -> "Baseline":
        """Write the current findings as the baseline, and keep the entries of files that were not read."""
        file = _find_file(settings)
        locations = tuple(read)
        counts = Counter(make_fingerprint(finding, sources, file.parent) for finding in findings)
        counts.update(
            {entry: count for entry, count in _read_if_baseline(file).items() if not _is_below(entry, file, locations)}
        )
        try:
            replace_file(file, _write_text(counts).encode())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise BaselineError(f"cannot write `{file}`: {reason}", "make its directory writable") from error
        return cls(file, counts)

    def __len__(self) -> int:
        return sum(self._counts.values())

    def _could_recur(self, entry: Fingerprint, read: tuple[Path, ...], settings: Settings) -> bool:
        return _is_below(entry, self.file, read) and settings.wants(entry.rule, self.file.parent / entry.path)


def _find_file(settings: Settings) -> Path:
    """Return the path of the project's baseline; raise an error unless it is a JSON file below the root."""
    file, root = settings.root / settings.baseline, Path(os.path.realpath(settings.root))
    directory = Path(os.path.realpath(file.parent)) if "\0" not in settings.baseline else Path("/")
    below = directory.is_relative_to(root) and ".git" not in directory.parts[len(root.parts) :]
    if not below or file.suffix != ".json":
        raise BaselineError(
            f"the baseline `{settings.baseline}` is no JSON file of the project",
            "name one in `[tool.errata.lint]`, such as `.errata-baseline.json`",
        )
    return file


def _is_below(entry: Fingerprint, baseline: Path, read: tuple[Path, ...]) -> bool:
    file = Path(os.path.abspath(baseline.parent / entry.path))  # noqa: PTH100 - unlike `resolve`, it asks no disk.
    return any(file.is_relative_to(os.path.abspath(path)) for path in read)  # noqa: PTH100 - as above.


def _read_if_baseline(file: Path) -> "Counter[Fingerprint]":
    """Read the entries to keep when a baseline is written anew; none of a broken one. A file that is no baseline is not overwritten."""
    try:
        return _read(file)
    except BaselineError:
        if "baseline" not in file.name:
            advice = "remove it, or name another file in `[tool.errata.lint]`"
            raise BaselineError(f"`{file}` is there, and no baseline", advice) from None
        return Counter()


def _write_text(counts: "Counter[Fingerprint]") -> str:
    """Return the baseline as JSON, one sorted line for each entry, so that diffs are small."""
    files: dict[str, dict[str, dict[str, int]]] = {}
    for (path, rule, line), count in sorted(counts.items()):
        files.setdefault(path, {}).setdefault(rule, {})[line] = count
    return json.dumps({"version": _VERSION, "findings": files}, indent=1, ensure_ascii=True) + "\n"


def _read(file: Path) -> "Counter[Fingerprint]":
    if not os.path.lexists(file):
        return Counter()
    try:
        content: object = json.loads(_read_content(file))
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"the baseline `{file}` is not JSON", _ANEW) from error
    whole = as_object(content)
    if type(whole.get("version")) is int and whole["version"] != _VERSION:
        what = f"the baseline `{file}` is of version {whole['version']}, not {_VERSION}"
        raise BaselineError(what, _ANEW)
    return Counter(dict(_read_entries(whole.get("findings"), file)))


def _read_content(file: Path) -> bytes:
    try:
        return read_bytes(file, _LARGEST_BYTES)
    except UnreadableError as error:
        raise BaselineError(f"the baseline `{file}` {error.what}", "check what it is, and its permissions") from error


def _read_entries(files: object, file: Path) -> Iterator[tuple[Fingerprint, int]]:
    for path, rules in _read_items(files, file):
        for rule, lines in _read_items(rules, file):
            for line, count in _read_items(lines, file):
                if type(count) is not int or count < 1:
                    raise _make_error(file)
                yield Fingerprint(path, rule, line), count


def _read_items(value: object, file: Path) -> Iterable[tuple[str, object]]:
    if not isinstance(value, dict):
        raise _make_error(file)
    return cast("dict[str, object]", value).items()


def _make_error(file: Path) -> BaselineError:
    return BaselineError(f"the baseline `{file}` does not hold what a baseline holds", _ANEW)
