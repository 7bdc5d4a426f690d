"""What a finding is known by when the lines above it have moved: its file, its rule and the text of its line."""

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from errata.linter._finding import Finding
from errata.linter._globs import relative_to
from errata.linter._sources import Sources

_LONGEST_LINE = 160


class Fingerprint(NamedTuple):
    """The same for two findings of one rule on lines that read the same; these are counted."""

    path: str
    rule: str
    line: str


def fingerprint(finding: Finding, sources: Sources, root: Path) -> Fingerprint:
    """Say what a finding is known by, below a root."""
    line = " ".join(sources.line(finding.path, finding.place.line).split())
    if len(line) > _LONGEST_LINE:
        line = f"{line[:_LONGEST_LINE]} … {sha256(line.encode(errors='replace')).hexdigest()[:8]}"
    return Fingerprint(relative_to(finding.path, root), finding.rule, line)


def hashes(findings: Iterable[Finding], sources: Sources, root: Path) -> Iterator[str]:
    """Write a fingerprint for each finding that no other has."""
    seen: Counter[Fingerprint] = Counter()
    for finding in findings:
        known_by = fingerprint(finding, sources, root)
        seen[known_by] += 1
        yield f"{sha256(repr(known_by).encode(errors='replace')).hexdigest()[:16]}:{seen[known_by]}"
