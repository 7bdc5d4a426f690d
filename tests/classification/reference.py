"""The plain way: one regular expression after the other, first row wins. Slow, and what the matcher is held to."""

import re

from errata.classification._matcher import Found, pieces_of

_BETWEEN = {"": "", " ": r"[\s_\-]+", "'": "['\u2019]", ":": r"[\s:=(\[{,<\"'\-/]+"}
_WHOLE_WORD = r"(?<![a-z0-9]){}(?![a-z0-9])"


def _regex(phrase: str) -> str:
    pieces = [
        "".join(_BETWEEN[before] + _WHOLE_WORD.format(_word(word)) for before, word in piece)
        for piece in pieces_of(phrase)
    ]
    return ".*".join(pieces)


def _word(word: str) -> str:
    return "(?P<status>[45][0-9][0-9])" if word == "{status}" else word


def compiled(rows):
    return [[re.compile(_regex(phrase), re.IGNORECASE) for phrase in phrases] for phrases in rows]


def first(compiled_rows, text):
    for row, phrases in enumerate(compiled_rows):
        hits = [hit for phrase in phrases if (hit := phrase.search(text))]
        if hits:
            leftmost = min(hits, key=lambda hit: hit.start())
            status = leftmost.groupdict().get("status")
            return Found(row, int(status) if status else None)
    return None
