"""A run of the linter, top to bottom: find files, summarise each, link them, judge, apply ignore comments."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from errata.linter.judge._lint_settings import Settings
from errata.linter.judge._suppression import apply_ignores
from errata.linter.link import LinkedContract, LinkedHandler, Project, are_all_read
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

_MOST_FURTHER = 5_000  # Files that are read because others import them.


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """The result of a run."""

    findings: tuple[Finding, ...]
    """Sorted by path and location."""
    files: int
    """How many files were named, or lie below a directory that was."""
    handlers: int
    """How many tools, resources and prompts these files have."""
    elsewhere: int = 0
    """How many findings there are in other files that these handlers reach."""


def lint(
    paths: Iterable[Path],
    settings: Settings | None = None,
    *,
    jobs: int | None = None,  # noqa: ARG001 - callers of 0.1 give it.
    cache: Path | None = None,  # noqa: ARG001 - as above.
    progress: Progress | None = None,
) -> Report:
    """Lint files and directories. What they import from the same project is read too, but its findings are only counted.

    `jobs` and `cache` are accepted and change nothing: one process reads every file, each time.
    """
    chosen = settings or Settings()
    files = list(find_files(paths, chosen.exclude, root=chosen.root))
    summaries = _summarise_files(files, progress)
    project = _link_files(summaries)
    return _judge(project, {str(file) for file in files}, chosen)


def _summarise_files(files: Sequence[Path], progress: Progress | None) -> Iterator[Summary]:
    for done, file in enumerate(files, 1):
        yield summarise_file(file, RULES.values())
        if progress:
            progress(done, len(files))


def lint_source(text: str, path: str = "server.py", settings: Settings | None = None) -> list[Finding]:
    """Lint one source text; the path need not exist."""
    project = Project([summarise_source(text, path, RULES.values())])
    return list(_judge(project, {path}, settings or Settings(), is_whole=True).findings)


def _link_files(summaries: Iterable[Summary]) -> Project:
    """Link the files, and read further files that handlers reach."""
    files = {each.path: each for each in summaries}
    known = {each.module for each in files.values()}
    further = 0
    while True:
        project = Project(files.values())
        _ = project.handlers, project.contracts
        imported = (file for name, root in project.unseen for file in find_imported_files(name, root))
        by_id = {locate_module(file).id: file for file in imported}
        missing = [file for module, file in sorted(by_id.items()) if module not in known]
        further += len(missing)
        if not missing or further > _MOST_FURTHER:
            return project
        files |= {str(file): summarise_file(file, RULES.values()) for file in missing}
        known |= by_id.keys()


def _judge(project: Project, judged: set[str], settings: Settings, *, is_whole: bool = False) -> Report:
    """Run all rules over a project, and report what they see in the judged files."""
    by_path: dict[str, list[Finding]] = {file.path: [] for file in project.files}
    of_all = [*_judge_project(project)]
    if of_all and not (is_whole or are_all_read(project.files, settings.exclude, settings.root)):
        of_all = []
    for finding in {*_judge_files(project.files), *_judge_contracts(project), *_judge_handlers(project), *of_all}:
        if settings.wants(finding.rule, finding.path):
            by_path[finding.path].append(dataclasses.replace(finding, severity=settings.severity_of(finding.rule)))
    kept = {
        file.path: apply_ignores(
            by_path[file.path], file.ignores, file.path, settings.judged(file.path), settings.severity_of
        )
        for file in project.files
    }
    named = sorted((finding for path in judged for finding in kept.get(path, ())), key=_sort_key)
    elsewhere = sum(finding in by_path[path] for path in kept.keys() - judged for finding in kept[path])
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


def _judge_reached(project: Project, handler: LinkedHandler) -> Iterator[Finding]:
    """Report what rules saw in the functions that a handler reaches, if the rule concerns the handler."""
    for where in handler.reached:
        for candidate in where.function.candidates:
            rule = RULES[candidate.rule]
            if rule.only_handlers and where != handler.where:
                continue
            if rule.concerns is not None and not rule.concerns(handler):
                continue
            if rule.still_holds is None or rule.still_holds(project, handler, where, candidate):
                yield _make_finding(where.file.path, candidate)


def _judge_handler(handler: LinkedHandler) -> Iterator[Finding]:
    for rule in RULES.values():
        for violation in rule.of_handler(handler) if rule.of_handler else ():
            yield _make_finding(violation.path, Candidate(rule.name, *violation[1:]))


def _make_finding(path: str, candidate: Candidate) -> Finding:
    rule = RULES[candidate.rule]
    return Finding(
        rule.name, rule.severity, path, candidate.location, candidate.message, candidate.help, candidate.edits
    )
