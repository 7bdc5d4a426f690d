"""The server's own words beside errata's lines: quoted where the lines do not say all that they say.

A message may never say less than it did without the gate, and what the lines say already is not said again.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Final, cast

from errata.dialects import OWN_WORDS, read_lines
from errata.model import NO_RECOVERY, Fault
from errata.reading import unwrap
from errata.redaction import put_on_one_line, text_of
from errata.wire import read_json

_MARGIN: Final = "  "
_FEW_LINES: Final = 2
_LINES_OF_ISSUE: Final = 3
"""Pydantic writes the field, the problem, and where to read about it."""
_LONGEST_OPENING: Final = 200
_MOST_LEAVES: Final = 100
_NO_LETTER: Final = re.compile(r"[\W_]")
_VERDICTS: Final = frozenset({"ok", "success", "error", "iserror", "retryable", "status"})
"""The members whose true, false, null or 0 says no more than that a call failed."""


def quote_own_words(words: str) -> str:
    """Return the server's words below their heading, indented: no line of theirs is taken for one of errata's."""
    lines = (f"{_MARGIN}{line}" if line.strip() else "" for line in words.strip().splitlines())
    return "\n".join([OWN_WORDS, *lines])


def list_own_words(text: str, fault: Fault) -> list[str]:
    """Return what a server has said itself in a text; behind errata's lines for this fault, what is quoted there.

    Of those lines, the advice is the server's own, too.
    """
    lines = read_lines(text)
    if lines is None or _flatten(lines.message).removesuffix(" …") not in _flatten(put_on_one_line(fault.message)):
        return [text]
    _, _, quoted = text.partition(f"\n\n{OWN_WORDS}\n")
    recovery = lines.recovery or NO_RECOVERY
    advice = filter(None, [recovery.hint, recovery.user_message])
    return ["\n".join(line.removeprefix(_MARGIN) for line in quoted.split("\n")), *advice]


def list_missing(lines: str, parts: Iterable[str], fault: Fault, request: Mapping[str, object]) -> list[str]:
    """Return those of a server's words that say more than the lines, and more than those before them."""
    missing: list[str] = []
    for part in parts:
        if part.strip() and not says_all("\n".join([lines, *missing]), part, fault, request):
            missing.append(part)
    return missing


def says_all(lines: str, words: str, fault: Fault, request: Mapping[str, object]) -> bool:
    """Return whether errata's lines say everything that the server's words say.

    What stands before a message because an SDK puts it there is not missed, nor is an argument that the caller has sent.
    """
    flat_lines, value = _flatten(lines), read_json(words.strip())
    if not isinstance(value, dict | list):
        return _flatten(unwrap(words).text) in flat_lines and (_lists_issues(words, fault) or not is_laid_out(words))
    leaves, sent = _list_leaves(cast("object", value)), set(_list_leaves(request) or ())
    sent |= {("tool", each) for name, each in sent if name == "name"}
    issues = (text for issue in fault.issues for text in (issue.field, issue.problem, issue.expected))
    names = (fault.code, fault.message, fault.reason, fault.field, fault.origin, fault.correlation_id, *issues)
    known = {_flatten(name) for name in names if name is not None}
    return leaves is not None and all(leaf in sent or _is_in(*leaf, flat_lines, known, fault) for leaf in leaves)


def is_laid_out(words: str) -> bool:
    """Return whether a text may be a listing, a table or an example, which says less on a single line."""
    return _count_lines(words) > _FEW_LINES


def _lists_issues(words: str, fault: Fault) -> bool:
    """Return whether the lines of a text are those of a validator, which errata lists itself."""
    is_read = all(issue.problem in words for issue in fault.issues)
    return is_read and _count_lines(words) <= 1 + _LINES_OF_ISSUE * len(fault.issues)


def _count_lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def shorten(message: str) -> str:
    """Return the beginning of a message whose words stand below it in full."""
    short = textwrap.shorten(message, _LONGEST_OPENING, placeholder=" …")
    return short if short.strip(" …") else f"{message[:_LONGEST_OPENING]}…"


def _is_in(name: str, leaf: object, lines: str, known: set[str], fault: Fault) -> bool:
    """Return whether a member says nothing new; a single word may stand in the lines by accident."""
    match leaf:
        case str():
            return leaf in known or (" " in leaf and leaf in lines)
        case bool() | None | 0 if name in _VERDICTS:
            return True
        case bool() | None:
            return False
        case _:
            return leaf == fault.http_status or f" {leaf} " in f" {lines} "


def _list_leaves(value: object) -> list[tuple[str, object]] | None:
    """Return the texts, numbers and constants in JSON, each with its member's name; None if nobody compares that many."""
    waiting, leaves = [("", value)], list[tuple[str, object]]()
    for _ in range(_MOST_LEAVES):
        if not waiting:
            return leaves
        name, each = waiting.pop()
        if isinstance(each, dict):
            members = cast("dict[object, object]", each).items()
            waiting.extend((_NO_LETTER.sub("", text_of(key)).lower(), item) for key, item in members)
        elif isinstance(each, list):
            waiting.extend((name, item) for item in cast("list[object]", each))
        elif isinstance(each, str):
            leaves.append((name, _flatten(each)))
        elif isinstance(each, int | float | None):
            leaves.append((name, each))
    return None


def _flatten(text: str) -> str:
    return " ".join(text.split())
