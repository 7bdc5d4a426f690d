"""Which patterns of a table may match at a position of a text, by the letters there.

A table of a hundred patterns would walk through a text a hundred times. Most of them begin with letters of their own, so
that one walk over the words of the text finds the few positions at which one of them is worth trying.
"""

import re
from collections.abc import Iterable, Iterator

from errata.redaction._spans import compile_late

_HEAD = 3
_LEAST_HEAD = 2
_UNIT = re.compile(
    r"\\(?P<escaped>[^\w\s])|(?P<plain>[^\\()\[\]{}?*+|.^$\s])|(?P<blank> )|\[(?P<class>[^\\\]\-^]{1,12})\]"
)
_ZERO_WIDTH = ("(?=", "(?!", "(?<=", "(?<!")


class PatternIndex:
    """Patterns that match only where no letter or digit is before them, sorted by how they begin."""

    def __init__(self, rows: Iterable[tuple[str, str, re.Pattern[str]]]) -> None:
        """Take rows of literals without which a pattern is not tried, how it is written, and the pattern."""
        self._by_head: dict[str, list[re.Pattern[str]]] = {}
        self._others: list[tuple[list[str], re.Pattern[str]]] = []
        for literals, source, pattern in rows:
            heads = read_heads(source)
            if min(map(len, heads)) < _LEAST_HEAD:
                self._others.append((literals.split(), pattern))
            else:
                for head in heads:
                    self._by_head.setdefault(head, []).append(pattern)
        self._candidate = compile_late(rf"(?<!\w)(?={_choose(self._by_head)})")

    def search(self, text: str, lower: str) -> Iterator[tuple[re.Pattern[str], re.Match[str]]]:
        """Yield every pattern with its matches; those of one pattern do not overlap."""
        by_head = self._by_head.get
        ends: dict[re.Pattern[str], int] = {}
        for candidate in self._candidate.finditer(lower):
            start = candidate.start()
            for length in (_HEAD, _LEAST_HEAD):
                for pattern in by_head(lower[start : start + length], ()):
                    if start >= ends.get(pattern, 0) and (match := pattern.match(text, start)):
                        ends[pattern] = match.end()
                        yield pattern, match
        for literals, pattern in self._others:
            if any(map(lower.__contains__, literals)):
                for match in pattern.finditer(text):
                    yield pattern, match


def _choose(heads: Iterable[str]) -> str:
    """Return one pattern for several heads, grouped by their first letters, so that it fails fast where none is."""
    by_letter: dict[str, list[str]] = {}
    for head in sorted(heads):
        by_letter.setdefault(head[0], []).append(re.escape(head[1:]))
    return "(?:" + "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_letter.items()) + ")"


def read_heads(source: str, head: str = "") -> set[str]:
    """Return the first letters of everything that a pattern may match, in lower case: three, or as many as are sure."""
    if len(head) == _HEAD or not source:
        return {head.lower()}
    if source.startswith("("):
        inner, rest = _split_group(source)
        if source.startswith(_ZERO_WIDTH):
            return read_heads(rest, head)
        if rest[:1] in {"*", "{", "+"}:
            return {head.lower()}
        choices = _split_choices(inner) + ([""] if rest.startswith("?") else [])
        return set[str]().union(*(read_heads(choice + rest.removeprefix("?"), head) for choice in choices))
    unit = _UNIT.match(source)
    rest = source[unit.end() :] if unit else ""
    if unit is None or rest[:1] in {"?", "*", "{"}:
        return {head.lower()}
    letters = unit["class"] or unit["escaped"] or unit["plain"] or unit["blank"]
    rest = "" if rest.startswith("+") else rest
    return set[str]().union(*(read_heads(rest, head + letter) for letter in letters))


def _split_group(source: str) -> tuple[str, str]:
    """Split a pattern that begins with a group into what is in the group, and what follows it."""
    depth = 0
    for unit in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]", source):
        depth += {"(": 1, ")": -1}.get(unit[0], 0)
        if depth == 0:
            return re.sub(r"^\((?:\?(?:-?[a-z]*:|P<\w+>|<?[=!]))?", "", source[: unit.start()]), source[unit.end() :]
    return source, ""


def _split_choices(inner: str) -> list[str]:
    """Split what is in a group at the `|` that are not in another group."""
    choices: list[str] = []
    depth = start = 0
    for unit in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", inner):
        depth += {"(": 1, ")": -1}.get(unit[0], 0)
        if unit[0] == "|" and depth == 0:
            choices.append(inner[start : unit.start()])
            start = unit.end()
    return [*choices, inner[start:]]
