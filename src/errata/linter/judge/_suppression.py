"""What becomes of findings that comments set aside, and of comments that set nothing aside."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from errata.linter.judge._lint_settings import matching
from errata.linter.rules import RULES
from errata.linter.source import Edit, Finding, Ignore, Place, Severity
from errata.model import did_you_mean, nearest

UNUSED = "unused-ignore"
WITHOUT_REASON = "ignore-without-reason"
_LINE, _FILE = "ignore", "ignore-file"


def apply(
    findings: Iterable[Finding],
    ignores: Sequence[Ignore],
    path: str,
    judged: Collection[str],
    severity_of: Callable[[str], Severity] = lambda rule: RULES[rule].severity,
) -> list[Finding]:
    """Leave out what comments set aside, and add what is wrong with the comments themselves.

    Only rules that were judged in this file can be found unused.
    """
    used: set[tuple[int, str]] = set()
    kept = [finding for finding in findings if not _is_set_aside(finding, ignores, used)]
    for number, ignore in enumerate(ignores):
        names = {name for position, name in used if position == number}
        told = (found for found in _complaints(ignore, names, path, judged) if found.rule in judged)
        kept += (dataclasses.replace(found, severity=severity_of(found.rule)) for found in told)
    return kept


def _is_set_aside(finding: Finding, ignores: Sequence[Ignore], used: set[tuple[int, str]]) -> bool:
    hits = [
        (number, name)
        for number, ignore in enumerate(ignores)
        if _covers(ignore, finding.place)
        for name in _names(ignore)
        if not name or finding.rule in matching(name, RULES)
    ]
    used.update(hits)
    return bool(hits)


def _covers(ignore: Ignore, place: Place) -> bool:
    if not ignore.is_whole:
        return False
    is_near = ignore.first <= place.line <= ignore.last or ignore.first <= place.end_line <= ignore.last
    return ignore.word == _FILE or (ignore.word == _LINE and is_near)


def _names(ignore: Ignore) -> Sequence[str]:
    return ("",) if ignore.names is None else ignore.names


def _complaints(ignore: Ignore, used: set[str], path: str, judged: Collection[str]) -> Iterator[Finding]:
    if ignore.word not in {_LINE, _FILE}:
        yield from _other_word(ignore, path)
    elif not ignore.is_whole:
        what = "this comment names no rule, so that it ignores nothing"
        yield _finding(
            UNUSED, ignore, path, what, f"write the rule in brackets, as in `# errata: {ignore.word}[rule] because …`"
        )
    else:
        unused = [name for name in _names(ignore) if name not in used and _was_judged(name, judged)]
        yield from (_unused(name, ignore, unused, path) for name in unused)
        if not ignore.has_reason and used:
            named = "" if ignore.names is None else f"[{', '.join(ignore.names)}]"
            help_ = f"write why behind it, as in `# errata: {ignore.word}{named} because …`"
            yield _finding(WITHOUT_REASON, ignore, path, "this comment does not say why the finding is ignored", help_)


def _other_word(ignore: Ignore, path: str) -> Iterator[Finding]:
    """Tell a slip from prose: a comment may also be about errata."""
    if near := nearest(ignore.word.lower(), (_LINE, _FILE)):
        what = f"`# errata: {ignore.word}` ignores nothing"
        yield _finding(UNUSED, ignore, path, what, f"write `# errata: {near[0]}[rule] because …`")


def _was_judged(name: str, judged: Collection[str]) -> bool:
    """Whether everything that a name stands for was judged; an unknown name stands for nothing."""
    return set(RULES if not name else matching(name, RULES)) <= set(judged)


def _unused(name: str, ignore: Ignore, unused: Sequence[str], path: str) -> Finding:
    if name and not matching(name, RULES):
        question = did_you_mean(name.lower(), RULES)
        advice = f"correct the name: d{question[1:]}" if question else "list all rules with `errata lint --rules`"
        return _finding(UNUSED, ignore, path, f"there is no rule `{name}` to ignore", advice)
    what = f"nothing here breaks `{name}`" if name else "nothing here breaks any rule"
    advice = f"remove `{name}` from the comment" if len(_names(ignore)) > 1 else "remove the comment"
    return _finding(UNUSED, ignore, path, what, advice, _without(ignore, unused))


def _without(ignore: Ignore, unused: Sequence[str]) -> Edit:
    """Take all that is unused out of a comment at once, or the comment out if nothing is left of it.

    A name that is no rule's stays: somebody has mistyped what they meant.
    """
    left = [name for name in _names(ignore) if name not in unused or (name and not matching(name, RULES))]
    if not left:
        line, column, end_line, end_column = ignore.cut
        return Edit(Place(line, column, end_line, end_column), "")
    place = Place(ignore.line, ignore.names_column, ignore.line, ignore.names_end_column)
    return Edit(place, ", ".join(left))


def _finding(rule: str, ignore: Ignore, path: str, message: str, help_: str, *edits: Edit) -> Finding:
    place = Place(ignore.line, ignore.column, ignore.line, ignore.end_column)
    return Finding(rule, Severity.WARNING, path, place, message, help_, edits)
