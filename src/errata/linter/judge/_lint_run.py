"""A run: find the files, summarise each, link them, judge, and leave out what is ignored."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from errata.linter.judge._lint_settings import Settings
from errata.linter.judge._suppression import apply_ignores
from errata.linter.link import Handler, LinkedContract, Project, are_all_read
from errata.linter.rules import RULES
from errata.linter.source import Finding, Location, find_files, find_imported_files, locate_module
from errata.linter.summary import (
    Candidate,
    Summary,
    describe_failed_rule,
    make_obstacle,
    summarise_file,
    summarise_source,
)

Progress = Callable[[int, int], None]
"""Called with the number of files that are done, and of all."""

_MOST_FOLLOWED = 5_000  # Files that nobody named, read because others import them.


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """What a run found."""

    findings: tuple[Finding, ...]
    """In the order of their places."""
    files: int
    """How many files were named, or found below what was named."""
    handlers: int
    """How many tools, resources and prompts they have."""
    elsewhere: int = 0
    """How many findings there are in files that nobody named, in what those handlers call."""


def lint(
    paths: Iterable[Path],
    settings: Settings | None = None,
    *,
    jobs: int | None = None,  # noqa: ARG001 - callers of 0.1 give it.
    cache: Path | None = None,  # noqa: ARG001 - as above.
    progress: Progress | None = None,
) -> Report:
    """Lint files and directories. What they import of the same project is read too, but not judged.

    `jobs` and `cache` are accepted and change nothing: one process reads every file, each time.
    """
    chosen = settings or Settings()
    files = list(find_files(paths, chosen.exclude, root=chosen.root))
    return _make_report(_link_files(_summarise_files(files, progress)), set(map(str, files)), chosen)


def _summarise_files(files: Sequence[Path], progress: Progress | None) -> Iterator[Summary]:
    for done, file in enumerate(files, 1):
        yield summarise_file(file, RULES.values())
        if progress:
            progress(done, len(files))


def lint_source(text: str, path: str = "server.py", settings: Settings | None = None) -> list[Finding]:
    """Lint one source, which need not be in a file."""
    report = _make_report(
        Project([summarise_source(text, path, RULES.values())]), {path}, settings or Settings(), is_whole=True
    )
    return list(report.findings)


def _link_files(summaries: Iterable[Summary]) -> Project:
    """Link the files, and read what handlers reach in files that nobody named."""
    files = {each.path: each for each in summaries}
    known = {each.module for each in files.values()}
    follow = 0
    while True:
        project = Project(files.values())
        _ = project.handlers, project.contracts
        imported = (file for name, root in project.unseen for file in find_imported_files(name, root))
        found = {locate_module(file).id: file for file in imported}
        missing = [file for known_as, file in sorted(found.items()) if known_as not in known]
        follow += len(missing)
        if not missing or follow > _MOST_FOLLOWED:
            return project
        files |= {str(file): summarise_file(file, RULES.values()) for file in missing}
        known |= found.keys()


def _make_report(project: Project, judged: set[str], settings: Settings, *, is_whole: bool = False) -> Report:
    found: dict[str, list[Finding]] = {file.path: [] for file in project.files}
    of_all = [*_judge_project(project)]
    if of_all and not (is_whole or are_all_read(project.files, settings.exclude, settings.root)):
        of_all = []
    for finding in {*_judge_files(project.files), *_judge_contracts(project), *_judge_handlers(project), *of_all}:
        if settings.wants(finding.rule, finding.path):
            found[finding.path].append(dataclasses.replace(finding, severity=settings.severity_of(finding.rule)))
    kept = {
        file.path: apply_ignores(
            found[file.path], file.ignores, file.path, settings.judged(file.path), settings.severity_of
        )
        for file in project.files
    }
    named = sorted((finding for path in judged for finding in kept.get(path, ())), key=_sort_key)
    elsewhere = sum(finding in found[path] for path in kept.keys() - judged for finding in kept[path])
    handlers = sum(handler.where.file.path in judged for handler in project.handlers)
    return Report(tuple(named), len(judged), handlers, elsewhere)


def _sort_key(finding: Finding) -> tuple[str, Location, str, str]:
    return finding.path, finding.location, finding.rule, finding.message


def _judge_files(files: Iterable[Summary]) -> Iterator[Finding]:
    for file in files:
        yield from (_make_finding(file.path, candidate) for candidate in file.obstacles)


def _judge_contracts(project: Project) -> Iterator[Finding]:
    for linked_contract in project.contracts:
        yield from (_make_finding(linked_contract.path, candidate) for candidate in linked_contract.contract.candidates)
        try:
            yield from [*_judge_contract(linked_contract)]
        except Exception as error:  # noqa: BLE001 - as below, for one contract.
            yield _make_finding(linked_contract.path, make_obstacle(describe_failed_rule(error)))


def _judge_contract(linked_contract: LinkedContract) -> Iterator[Finding]:
    for rule in RULES.values():
        for violation in rule.of_contract(linked_contract) if rule.of_contract else ():
            yield _make_finding(violation.path, Candidate(rule.name, *violation[1:]))


def _judge_project(project: Project) -> Iterator[Finding]:
    for rule in RULES.values():
        try:
            yield from [
                _make_finding(violation.path, Candidate(rule.name, *violation[1:]))
                for violation in (rule.of_project(project) if rule.of_project else ())
            ]
        except Exception as error:  # noqa: BLE001 - as below, for one rule.
            yield from [_make_finding(file.path, make_obstacle(describe_failed_rule(error))) for file in project.files][
                :1
            ]


def _judge_handlers(project: Project) -> Iterator[Finding]:
    for handler in project.handlers:
        try:
            yield from [*_judge_reached(project, handler), *_judge_handler(handler)]
        except Exception as error:  # noqa: BLE001 - a bug in a rule costs one handler, not the run.
            yield _make_finding(handler.where.file.path, make_obstacle(describe_failed_rule(error)))


def _judge_reached(project: Project, handler: Handler) -> Iterator[Finding]:
    """Keep what rules found in functions, if the rule is about a handler that is or reaches the function."""
    for where in handler.reached:
        for candidate in where.function.candidates:
            rule = RULES[candidate.rule]
            if rule.only_handlers and where != handler.where:
                continue
            if rule.concerns is not None and not rule.concerns(handler):
                continue
            if rule.still_holds is None or rule.still_holds(project, handler, where, candidate):
                yield _make_finding(where.file.path, candidate)


def _judge_handler(handler: Handler) -> Iterator[Finding]:
    for rule in RULES.values():
        for violation in rule.of_handler(handler) if rule.of_handler else ():
            yield _make_finding(violation.path, Candidate(rule.name, *violation[1:]))


def _make_finding(path: str, candidate: Candidate) -> Finding:
    rule = RULES[candidate.rule]
    return Finding(
        rule.name, rule.severity, path, candidate.location, candidate.message, candidate.help, candidate.edits
    )
