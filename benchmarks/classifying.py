"""What classifying an exception costs beside trying one regular expression after the other on its text."""

import re
import sys
from pathlib import Path

from _measure import Figure, figure

from errata import classify
from errata.classification._patterns import ROWS
from errata.classification._words import spell_out

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support import reference_matcher

SHORT = "could not reach the inventory of warehouse 7 today"
PLAIN = ("the quick brown fox was looking at a lazy dog again and went on " * 200)[:10_000]
HOSTILE = ("not logged access status code of the exceeded maximum " * 200)[:10_000]
ORDERED = "the ordered tables with `re`"


class VendorError(Exception):
    """An exception nobody tabled."""


class StatusError(Exception):
    """An exception nobody tabled, with a status."""

    status_code = 404


def figures() -> list[Figure]:
    tables = [re.compile("|".join(map(_without_names, row)), re.IGNORECASE) for row in _phrases()]

    def ordered(text: str = SHORT) -> object:
        return next((row for row in tables if row.search(spell_out(text))), None)

    by_class, by_status, by_words = TimeoutError(SHORT), StatusError(SHORT), VendorError(SHORT)
    plain, hostile = VendorError(PLAIN), VendorError(HOSTILE)
    return [
        figure("classify by class", lambda: classify(by_class), ORDERED, ordered, 0.2),
        figure("classify by status", lambda: classify(by_status), ORDERED, ordered),
        figure("classify by message", lambda: classify(by_words), ORDERED, ordered),
        figure("classify by message, 10 KB", lambda: classify(plain), ORDERED, lambda: ordered(PLAIN)),
        figure("classify by message, hostile", lambda: classify(hostile), ORDERED, lambda: ordered(HOSTILE)),
        figure("classify a hostile 10 KB", lambda: classify(hostile), "a plain 10 KB", lambda: classify(plain), 3),
    ]


def _phrases() -> list[list[str]]:
    return [[phrase.pattern for phrase, _ in row] for row in reference_matcher.compiled([row.phrases for row in ROWS])]


def _without_names(pattern: str) -> str:
    return pattern.replace("?P<status>", "?:")
