"""What a server asks for in prose: "Please try again in 6.2s", "retry after 35", "please retry"."""

import re

from errata._values import wait_ms
from errata._waits import LONGEST_WAIT_MS

_MOST = 4_000
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,6})?)"
_UNIT = r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?![A-Za-z])"
_ASKED = re.compile(
    rf"(?:retry|again|wait|reset|resets|available|unblocked)[a-z\-_ ]{{0,20}}\b(?:in|after|for|wait)\b"
    rf"[ :=\"']{{0,4}}(?:about |another |at least )?{_NUMBER} ?(?:{_UNIT})?(?:(?<=m) ?{_NUMBER} ?s\b)?"
    rf"|wait {_NUMBER} ?{_UNIT}",
    re.IGNORECASE,
)
# To repeat the same; "fetch it anew and try again" and "try again with another name" ask for something else.
_REPEAT = re.compile(
    r"(?<!and )(?<!then )(?<!before you )\b(?:please )?(?:try again|try it again|retry)\b"
    r"(?! (?:with|using|by|after (?!\d)|when|once|if|as|count|limit|polic))",
    re.IGNORECASE,
)
_SETTLED = re.compile(r"\b(?:already|exists|taken|duplicate)\b", re.IGNORECASE)  # It will not pass.
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def wait_in(text: str) -> int | None:
    """Read a wait; a number without a unit is seconds, as in the header."""
    found = _ASKED.search(text[:_MOST])
    if found is None:
        return None
    number, unit, more, bare, bare_unit = found.groups()
    wait = wait_ms(number or bare, unit_ms=_unit_ms(unit or bare_unit or "s"))
    if wait is None:
        return None
    wait += wait_ms(more, unit_ms=1000) or 0
    return wait if wait <= LONGEST_WAIT_MS else None


def asks_to_repeat(text: str) -> bool:
    """Whether it asks to make the same call again."""
    return bool(_REPEAT.search(text[:_MOST])) and not _SETTLED.search(text[:_MOST])


def _unit_ms(unit: str) -> int:
    unit = unit.lower()
    return _UNIT_MS["ms"] if unit in {"ms", "millisecond", "milliseconds"} else _UNIT_MS[unit[0]]
