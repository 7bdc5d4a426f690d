"""Ignore comments applied to findings: what they cover is dropped, and comments without use or reason are reported."""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from errata.linter.judge._lint_settings import match_rules
from errata.linter.rules import RULES
from errata.linter.source import Edit, Finding, Ignore, Location, Severity
from errata.model import did_you_mean, find_nearest

UNUSED_IGNORE = "unused-ignore"
WITHOUT_REASON = "ignore-without-reason"
_LINE, _FILE = "ignore", "ignore-file"


def apply_ignores(
    findings: Iterable[Finding],
    ignores: Sequence[Ignore],
    path: str,
    judged: Collection[str],
    severity_of: Callable[[str], Severity] = lambda rule: RULES[rule].severity,
) -> list[Finding]:
    """Drop the findings that comments ignore, and add findings about the comments themselves.

    A comment counts as unused only for rules that were judged in this file.
    """
    used: set[tuple[int, str]] = set()
    kept = [finding for finding in findings if not _is_ignored(finding, ignores, used)]
    for number, ignore in enumerate(ignores):
        names = {name for position, name in used if position == number}
        of_comment = [each for each in _judge_comment(ignore, names, path, judged) if each.rule in judged]
        kept += [dataclasses.replace(each, severity=severity_of(each.rule)) for each in of_comment]
    return kept


def _is_ignored(finding: Finding, ignores: Sequence[Ignore], used: set[tuple[int, str]]) -> bool:
    hits = [
        (number, name)
        for number, ignore in enumerate(ignores)
        if _covers(ignore, finding.location)
        for name in _list_names(ignore)
        if not name or finding.rule in match_rules(name, RULES)
    ]
    used.update(hits)
    return bool(hits)


def _covers(ignore: Ignore, location: Location) -> bool:
    if not ignore.is_whole:
        return False
    is_near = ignore.first <= location.line <= ignore.last or ignore.first <= location.end_line <= ignore.last
    return ignore.word == _FILE or (ignore.word == _LINE and is_near)


def _list_names(ignore: Ignore) -> Sequence[str]:
    return ("",) if ignore.names is None else ignore.names


def _judge_comment(ignore: Ignore, used: set[str], path: str, judged: Collection[str]) -> Iterator[Finding]:
    if ignore.word not in {_LINE, _FILE}:
        yield from _judge_other_word(ignore, path)
    elif not ignore.is_whole:
        what = "this comment names no rule, so that it ignores nothing"
        yield _make_finding(
            UNUSED_IGNORE,
            ignore,
            path,
            what,
            f"write the rule in brackets, as in `# errata: {ignore.word}[rule] because …`",
        )
    else:
        unused = [name for name in _list_names(ignore) if name not in used and _was_judged(name, judged)]
        yield from (_make_unused(name, ignore, unused, path) for name in unused)
        if not ignore.has_reason and used:
            named = "" if ignore.names is None else f"[{', '.join(ignore.names)}]"
            help_ = f"write why behind it, as in `# errata: {ignore.word}{named} because …`"
            yield _make_finding(
                WITHOUT_REASON, ignore, path, "this comment does not say why the finding is ignored", help_
            )


def _judge_other_word(ignore: Ignore, path: str) -> Iterator[Finding]:
    """Report a misspelt `ignore`; any other word is prose about errata."""
    if near := find_nearest(ignore.word.lower(), (_LINE, _FILE)):
        what = f"`# errata: {ignore.word}` ignores nothing"
        yield _make_finding(UNUSED_IGNORE, ignore, path, what, f"write `# errata: {near[0]}[rule] because …`")


def _was_judged(name: str, judged: Collection[str]) -> bool:
    """Return whether all rules that a name stands for were judged; an unknown name stands for none."""
    return set(RULES if not name else match_rules(name, RULES)) <= set(judged)


def _make_unused(name: str, ignore: Ignore, unused: Sequence[str], path: str) -> Finding:
    if name and not match_rules(name, RULES):
        question = did_you_mean(name.lower(), RULES)
        advice = f"correct the name: d{question[1:]}" if question else "list all rules with `errata lint --rules`"
        return _make_finding(UNUSED_IGNORE, ignore, path, f"there is no rule `{name}` to ignore", advice)
    what = f"nothing here breaks `{name}`" if name else "nothing here breaks any rule"
    advice = f"remove `{name}` from the comment" if len(_list_names(ignore)) > 1 else "remove the comment"
    return _make_finding(UNUSED_IGNORE, ignore, path, what, advice, _make_removal(ignore, unused))


def _make_removal(ignore: Ignore, unused: Sequence[str]) -> Edit:
    """Return the edit that removes the unused names from a comment, or the comment if none is left.

    A name that is no rule stays: it is mistyped, and somebody has to correct it.
    """
    left = [name for name in _list_names(ignore) if name not in unused or (name and not match_rules(name, RULES))]
    if not left:
        line, column, end_line, end_column = ignore.cut
        return Edit(Location(line, column, end_line, end_column), "")
    location = Location(ignore.line, ignore.names_column, ignore.line, ignore.names_end_column)
    return Edit(location, ", ".join(left))


def _make_finding(rule: str, ignore: Ignore, path: str, message: str, help_: str, *edits: Edit) -> Finding:
    location = Location(ignore.line, ignore.column, ignore.line, ignore.end_column)
    return Finding(rule, Severity.WARNING, path, location, message, help_, edits)
