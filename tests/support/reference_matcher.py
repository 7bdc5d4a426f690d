"""The plain way: one regular expression after the other, first row wins. Slow, and what the matcher is held to."""

import re

from errata.classification._matcher import PhraseMatch, list_forms, split_phrase

_BETWEEN = {"": "", " ": r"[\s_\-]+", "'": "['\u2019]", ":": r"[\s:=(\[{,<\"'\-/]+"}
_WHOLE_WORD = r"(?<![a-z0-9]){}(?![a-z0-9])"
_TAIL = r"(?:code|err|errors?|exceeded|exception|failure|fault|reached)(?![a-z0-9])"
_NOT_JOINED = rf"(?![_\-./]+(?!{_TAIL})[a-z0-9])"
_NOT_IN_A_PATH = rf"(?![_\-./]*\.[_\-./]*(?!{_TAIL})[a-z0-9])"
_LEAD = re.compile(
    r"(?:bad|duplicate|illegal|incorrect|insufficient|invalid|malformed|missing|no|unknown|unsupported|wrong)\b"
)
_QUOTE = "['\"`\u2018\u2019\u201c\u201d]"
_A_NAME_BEFORE = re.compile(rf"([a-z0-9]+)\s+{_QUOTE}$", re.IGNORECASE)
_SAYS = re.compile(r"(?:code|errors?|exception|message|reason|returned|said|says|status|with)", re.IGNORECASE)


def _regex(phrase):
    pieces = [[(_BETWEEN[before], _word(word)) for before, word in piece] for piece in split_phrase(phrase)]
    before, last = pieces[-1][-1]
    pieces[-1][-1] = before, f"(?:{'|'.join(list_forms(last))})" if last.isalpha() else last
    pieces = ["".join(before + _WHOLE_WORD.format(word) for before, word in piece) for piece in pieces]
    return ".*".join(pieces) + (_NOT_IN_A_PATH if _LEAD.match(phrase) else _NOT_JOINED)


def _word(word):
    return "(?P<status>[45][0-9][0-9])" if word == "{status}" else word


def compiled(rows):
    return [[(re.compile(_regex(phrase), re.IGNORECASE), " … " in phrase) for phrase in phrases] for phrases in rows]


def first(compiled_rows, text):
    for row, phrases in enumerate(compiled_rows):
        hits = [hit for phrase, has_gap in phrases for hit in phrase.finditer(text) if has_gap or not _is_quoted(hit)]
        if hits:
            leftmost = min(hits, key=lambda hit: hit.start())
            status = leftmost.groupdict().get("status")
            return PhraseMatch(row, int(status) if status else None)
    return None


def _is_quoted(hit):
    before = _A_NAME_BEFORE.search(hit.string[: hit.start()])
    behind = re.match(_QUOTE, hit.string[hit.end() :])
    return bool(before and behind and not _SAYS.fullmatch(before[1]))
