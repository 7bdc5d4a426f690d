"""A run: find the files, summarise each, link them, judge, and leave out what is ignored."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from errata.linter._files import find_files
from errata.linter._finding import Finding, Place
from errata.linter._linking import Project
from errata.linter._modules import files_imported, location_of
from errata.linter._reading import summaries, summary_of_source
from errata.linter._setting_aside import apply
from errata.linter._settings import Settings
from errata.linter._summary import Candidate, Summary
from errata.linter.rules import RULES

_MOST_FOLLOWED = 5_000  # Files that nobody named, read because others import them.

Progress = Callable[[int, int], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """What a run found."""

    findings: tuple[Finding, ...]
    """In the order of their places."""
    files: int
    """How many files were named, or found below what was named."""
    handlers: int
    """How many tools, resources and prompts they have."""


def lint(
    paths: Iterable[Path],
    settings: Settings | None = None,
    *,
    jobs: int | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Lint files and directories. What they import of the same project is read too, but not judged."""
    chosen = settings or Settings()
    files = list(find_files(paths, chosen.exclude, root=chosen.root))
    judged = {str(file) for file in files}
    read = {each.path: each for each in summaries(files, jobs=jobs, cache=cache, progress=progress)}
    return _report(_linked(read, cache), judged, chosen)


def lint_source(text: str, path: str = "server.py", settings: Settings | None = None) -> list[Finding]:
    """Lint one source, which need not be in a file."""
    report = _report(Project([summary_of_source(text, path)]), {path}, settings or Settings())
    return list(report.findings)


def _linked(read: dict[str, Summary], cache: Path | None) -> Project:
    """Link the files, and read what handlers reach in files that nobody named."""
    known = {each.module for each in read.values()}
    while True:
        project = Project(read.values())
        _ = project.handlers
        imported = {file for name, root in project.unseen for file in files_imported(name, root)}
        missing = [file for file in sorted(imported) if location_of(file).id not in known]
        if not missing or len(known) + len(missing) > len(read) + _MOST_FOLLOWED:
            return project
        known |= {location_of(file).id for file in missing}
        read |= {each.path: each for each in summaries(missing, jobs=1, cache=cache)}


def _report(project: Project, judged: set[str], settings: Settings) -> Report:
    found: dict[str, list[Finding]] = {path: [] for path in judged}
    for finding in {*_in_files(project.files), *_reached(project), *_told(project)}:
        if finding.path in judged and settings.wants(finding.rule, finding.path):
            found[finding.path].append(dataclasses.replace(finding, severity=settings.severity_of(finding.rule)))
    ignores = {each.path: each.ignores for each in project.files}
    kept = [
        finding
        for path, findings in found.items()
        for finding in apply(findings, ignores.get(path, ()), path, settings.judged(path))
    ]
    handlers = sum(handler.where.file.path in judged for handler in project.handlers)
    return Report(tuple(sorted(kept, key=_order)), len(judged), handlers)


def _order(finding: Finding) -> tuple[str, Place, str, str]:
    return finding.path, finding.place, finding.rule, finding.message


def _in_files(files: Iterable[Summary]) -> Iterator[Finding]:
    for file in files:
        yield from (_finding(file.path, candidate) for candidate in file.found)


def _reached(project: Project) -> Iterator[Finding]:
    """Keep what rules found in functions, where a handler that the rule is about is or reaches the function."""
    for handler in project.handlers:
        for where in handler.reached:
            for candidate in where.function.candidates:
                rule = RULES[candidate.rule]
                if rule.only_handlers and where != handler.where:
                    continue
                if rule.concerns is None or rule.concerns(handler):
                    yield _finding(where.file.path, candidate)


def _told(project: Project) -> Iterator[Finding]:
    for handler in project.handlers:
        for rule in RULES.values():
            for told in rule.of_handler(handler) if rule.of_handler else ():
                yield _finding(told.path, Candidate(rule.name, *told[1:]))


def _finding(path: str, candidate: Candidate) -> Finding:
    rule = RULES[candidate.rule]
    return Finding(rule.name, rule.severity, path, candidate.place, candidate.message, candidate.help, candidate.edits)
