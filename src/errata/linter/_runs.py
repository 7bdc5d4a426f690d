"""Whole runs: one over the same files with the same settings finds the same, and need not be done again."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from errata.linter._cache import Cache, digest
from errata.linter._finding import Finding
from errata.linter._kept import loaded, row
from errata.linter._modules import location_of
from errata.linter._reading import digest_of
from errata.linter._settings import Settings
from errata.linter.rules import RULES


class Outcome(NamedTuple):
    """What a run found, and what else it depends on."""

    findings: tuple[Finding, ...]
    handlers: int
    elsewhere: int
    followed: dict[str, str]
    """Files that nobody named, each with the digest of its content."""
    absent: tuple[str, ...]
    """Files that would have been followed, had they been there."""


class Runs:
    """The earlier runs that a cache knows of."""

    def __init__(self, cache: Cache, settings: Settings) -> None:
        self._cache = cache
        self._settings = settings.key()

    def outcome(self, files: Sequence[Path]) -> Outcome | None:
        """Find what a run over the same content found; None if there was none, or if something has changed."""
        kept = self._cache.get(self._name(files), _content((file, digest_of(file)) for file in files))
        try:
            outcome = loaded(Outcome, kept)
        except (TypeError, ValueError):
            return None
        is_of_rules = all(finding.rule in RULES for finding in outcome.findings)
        return outcome if is_of_rules and _is_as_it_was(outcome) else None

    def keep(self, digests: Sequence[tuple[Path, str]], outcome: Outcome) -> None:
        """Keep what a run found in files of this content."""
        value = [list(map(row, outcome.findings)), *outcome[1:]]
        self._cache.put(self._name([file for file, _ in digests]), _content(digests), value)
        self._cache.tidy()

    def _name(self, files: Iterable[Path]) -> str:
        return f"run-{digest(self._settings, *map(str, files))}"


def _content(digests: Iterable[tuple[Path, str]]) -> str:
    return digest(*(part for file, content in digests for part in (content, *map(str, location_of(file)))))


def _is_as_it_was(outcome: Outcome) -> bool:
    if any(map(os.path.lexists, outcome.absent)):
        return False
    return all(digest_of(Path(file)) == content for file, content in outcome.followed.items())
