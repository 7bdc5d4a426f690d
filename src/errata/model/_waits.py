"""How long to wait, in milliseconds: from a number, from what a header writes, or from a sentence ("try again in 6.2s").

What is garbage, negative or no number is None. Nothing here raises.
"""

import math
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeAlias, cast

from errata.model._coercion import is_a

LONGEST_WAIT_MS = 31 * 24 * 3600 * 1000
"""The longest wait that an upstream may ask for: quotas run by the month at most; who asks for more has miscalculated."""
_LARGEST_WAIT_MS = 10**12  # Thirty years; longer is a mistake in somebody's arithmetic, but it never means "now".

# Patterns are compiled when they are used, by `re` itself: few programs that import errata ever parse a wait.
_NUMBER = r"[0-9]{1,100}(?:\.[0-9]{0,15})?"
_DURATION = r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|[smhd]))+"
_DURATION_PART = r"([0-9.]+)([a-z]+)"
_UNIT_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST_TEXT, _LARGEST = 100, 10**15
_FIRST_MOMENT_S, _FIRST_MOMENT_MS = 10**9, 10**11  # 2001 and 1973, in their units; a smaller number is a span.

_MOST_PROSE = 4_000
_AMOUNT = r"([0-9]{1,9}(?:\.[0-9]{1,6})?(?![0-9])|an?\b|one\b)"
_UNIT = r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?)(?![A-Za-z])"
_IN_PROSE = (
    rf"\b(?:(?:retry|retrying|again|back|wait|resets?|available|unblocked)\b[a-z\- ]{{0,20}}\b(?:in|after|for|wait)\b|retry_?after|wait(?= [0-9]))"
    rf"[ :=\"']{{0,4}}(?:about |approximately |another |at least )?{_AMOUNT} ?(?:{_UNIT})?"
    r"(?:(?: ?and |, |(?<=[mhMH]) ?)([0-9]{1,4}) ?(m|mins?|minutes?|s|secs?|seconds?)\b)?"
)
_SOMETHING_ELSE = r"[\w/:\-]|\.[0-9]"  # "After 3 attempts", "after 2026-11-01": these count no seconds.
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_MILLISECONDS = {"ms", "millisecond", "milliseconds"}

Clock: TypeAlias = Callable[[], float]


def wait_ms(value: object, *, unit_ms: int = 1) -> int | None:
    """Read a wait from a number or its text; None for what is negative, infinite or no number."""
    number = _plain_number(value)
    if number is None or not 0 <= number < math.inf:
        return None
    wait = math.ceil(round(min(number, _LARGEST_WAIT_MS) * unit_ms, 3))
    return min(wait, _LARGEST_WAIT_MS)


def whole_seconds(milliseconds: int) -> int:
    """Return a wait in whole seconds for a sentence, rounded up and at least 1."""
    return max(1, math.ceil(milliseconds / 1000))


def parse_wait(value: object, *, date: object = None, clock: Clock = time.time) -> int | None:
    """Read a wait as `Retry-After` has it, in milliseconds, 31 days at most; None for what is negative or garbage.

    It may be text or bytes (seconds, a duration such as `6m0s`, an HTTP-date), a number of seconds, a timedelta or a
    datetime. A moment is measured against `date`, and without it against the clock.
    """
    wait = wait_ms(seconds_in(value, moment_or_now(date, clock)), unit_ms=1000)
    return None if wait is None else min(wait, LONGEST_WAIT_MS)


def wait_from_text(text: str) -> int | None:
    """Read the wait that a sentence asks for ("retry after 30 seconds"); None if it asks for none, or for too long.

    A number without a unit is one of seconds, as in the header, unless it counts something else.
    """
    match = re.search(_IN_PROSE, text[:_MOST_PROSE], re.IGNORECASE)
    if match is None:
        return None
    amount, unit, more, more_unit = match.groups()
    if unit is None and not _counts_seconds(amount, text[match.end() : match.end() + 2]):
        return None
    wait = _in_ms(amount, unit) + (_in_ms(more, more_unit) if more else 0)
    return wait if wait <= LONGEST_WAIT_MS else None


def seconds_in(value: object, now: float) -> float | None:
    """Read a span, or the time from now until a moment, in seconds."""
    if type(value) is not str and is_a(value, timedelta):
        return timedelta.total_seconds(value)
    number = number_in(value)
    if number is None:
        moment = _moment(value)
        return _duration(value) if moment is None else moment - now
    if number < _FIRST_MOMENT_S:
        return number
    return (number if number < _FIRST_MOMENT_MS else number / 1000) - now


def moment_or_now(date: object, clock: Clock) -> float:
    """Read a date as seconds of the epoch; the clock's time for one that cannot be read."""
    moment = _moment(date)
    return clock() if moment is None else moment


def number_in(value: object) -> float | None:
    """Read a number, also from the text or the bytes of a header; None for what is none."""
    if value is None:
        return None
    if type(value) is str:
        return float(value) if re.fullmatch(_NUMBER, value := value[:_LONGEST_TEXT].strip()) else None
    if is_a(value, int):
        number = int.__index__(value)
        return None if is_a(value, bool) else max(min(number, _LARGEST), -_LARGEST)
    if is_a(value, float):
        return float.__pos__(value)
    text = _text(value)
    return float(text) if re.fullmatch(_NUMBER, text) else None


def _counts_seconds(amount: str, behind: str) -> bool:
    is_year = amount.isdigit() and _FIRST_YEAR <= int(amount) < _LAST_YEAR
    return amount[0].isdigit() and not is_year and not re.match(_SOMETHING_ELSE, behind)


def _in_ms(amount: str, unit: str | None) -> int:
    name = (unit or "s").lower()
    number = amount if amount[0].isdigit() else 1
    return wait_ms(number, unit_ms=_UNIT_MS["ms" if name in _MILLISECONDS else name[0]]) or 0


def _plain_number(value: object) -> int | float | None:
    kind = type(value)
    if value is None or kind is bool:
        return None
    if kind is int or kind is float:
        return cast("float", value)
    if is_a(value, int):
        return int.__index__(value)
    try:
        return float(str.__str__(value)) if is_a(value, str) else float.__pos__(value) if is_a(value, float) else None
    except ValueError:
        return None


def _duration(value: object) -> float | None:
    text = _text(value)
    parts = re.findall(_DURATION_PART, text) if re.fullmatch(_DURATION, text) else []
    return sum(float(number) * _UNIT_S[unit] for number, unit in parts) if parts else None


def _moment(value: object) -> float | None:
    """Read an HTTP-date in any of its three forms, RFC 3339 or a datetime, as seconds of the epoch."""
    if value is None:
        return None
    try:
        moment = value if is_a(value, datetime) else _parse_moment(_text(value))
        return datetime.timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except Exception:  # noqa: BLE001 - the parsers raise half a dozen kinds, a foreign time zone anything.
        return None


def _parse_moment(text: str) -> datetime:
    if text[:1].isdigit():
        return datetime.fromisoformat(text)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - it costs more than all of `import errata`.

    return parsedate_to_datetime(text)


def _text(value: object) -> str:
    if is_a(value, bytes):
        return bytes.decode(value[:_LONGEST_TEXT], "latin-1").strip()
    return str.__str__(value)[:_LONGEST_TEXT].strip() if is_a(value, str) else ""
