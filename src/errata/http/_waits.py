"""How long an upstream asks us to wait, in milliseconds: in its headers, or in words ("Please try again in 6.2s").

Two kinds of header say it. `Retry-After` and its cousins in milliseconds (`_IN_MS`) ask for a wait and are believed as
they stand. `_RESETS` say when a quota is full again; most services send them with every answer, so they are a wait only
where the quota is used up. What is garbage, negative or absurd is passed over and the next header is asked. Where no
other says anything, a wait that was asked for and is absurd is the longest one: it may be anything but "now". Nothing
here raises.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta

from errata.http._headers import header_fields
from errata.model import is_a, wait_ms

LONGEST_WAIT_MS = 31 * 24 * 3600 * 1000
"""The longest quotas run by the month; who asks for more has miscalculated."""

_IN_MS = ("retry-after-ms", "x-ms-retry-after-ms")

# Each row: when a quota is full again, and how much of it is left. The first row that says something decides; of the
# quotas in one row, the one that takes longest.
_RESETS = (
    {"x-ratelimit-reset-after": "x-ratelimit-remaining"},  # Discord: a span.
    {"ratelimit-reset": "ratelimit-remaining"},  # The IETF's drafts: a span.
    {
        "x-ratelimit-reset": "x-ratelimit-remaining",  # GitHub: a moment. Others: a span.
        "x-rate-limit-reset": "x-rate-limit-remaining",  # X: a moment.
    },
    {
        "x-ratelimit-reset-requests": "x-ratelimit-remaining-requests",  # OpenAI, Groq: "6m0s".
        "x-ratelimit-reset-tokens": "x-ratelimit-remaining-tokens",
    },
    {
        f"anthropic-ratelimit-{quota}-reset": f"anthropic-ratelimit-{quota}-remaining"  # A moment, in RFC 3339.
        for quota in ("requests", "tokens", "input-tokens", "output-tokens")
    },
)
_REFUSALS = (None, 429, 503)

_NUMBER = re.compile(r"[0-9]{1,100}(?:\.[0-9]{0,15})?")
_DURATION = re.compile(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|[smhd]))+")
_DURATION_PART = re.compile(r"([0-9.]+)([a-z]+)")
_UNIT_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_POLICY_MEMBER = re.compile(r"\b(r|t|remaining|reset)=([0-9]{1,15})\b")
_NEW_WORD = {"remaining": "r", "reset": "t"}  # Of draft 8 and later.
_LONGEST_TEXT, _LARGEST = 100, 10**15
_FIRST_MOMENT_S, _FIRST_MOMENT_MS = 10**9, 10**11  # 2001 and 1973, in their units; a smaller number is a span.

_MOST_PROSE = 4_000
_AMOUNT = r"([0-9]{1,9}(?:\.[0-9]{1,6})?(?![0-9])|an?\b|one\b)"
_UNIT = r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?)(?![A-Za-z])"
_IN_PROSE = re.compile(
    rf"\b(?:(?:retry|retrying|again|back|wait|resets?|available|unblocked)\b[a-z\- ]{{0,20}}\b(?:in|after|for|wait)\b|retry_?after|wait(?= [0-9]))"
    rf"[ :=\"']{{0,4}}(?:about |approximately |another |at least )?{_AMOUNT} ?(?:{_UNIT})?"
    r"(?:(?: ?and |, |(?<=[mhMH]) ?)([0-9]{1,4}) ?(m|mins?|minutes?|s|secs?|seconds?)\b)?",
    re.IGNORECASE,
)
_SOMETHING_ELSE = re.compile(r"[\w/:\-]|\.[0-9]")  # "After 3 attempts", "after 2026-11-01": these count no seconds.
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

_Clock = Callable[[], float]


def wait_from_headers(headers: object, *, status: int | None = None, clock: _Clock = time.time) -> int | None:
    """Read how long a failed response asks us to wait; None if its headers say nothing usable.

    Headers of any kind will do: a mapping, those of any HTTP client, or pairs, as text or bytes. The `status` decides
    whether the reset of a quota is a wait: on 429 and 503 unless some of it remains, on 403 only if nothing is said
    to remain, on any other never. Without a status the response counts as a refusal.
    """
    fields = _fields(headers)
    said = _said(fields, status, _now(fields.get("date"), clock))
    return _first_usable(said)


def parse_retry_after(value: object, *, date: object = None, clock: _Clock = time.time) -> int | None:
    """Read a `Retry-After` as milliseconds, 31 days at most; None for what is negative or garbage.

    It may be text or bytes as in the header (seconds or an HTTP-date), a number of seconds, a timedelta or a datetime.
    A moment is measured against `date`, the response's own `Date`, and without it against the clock. Headers as a
    whole may be given as well; then the cousins of `Retry-After` are read, too.
    """
    if any(is_a(value, kind) for kind in (str, bytes, int, float, timedelta, datetime)):
        return _first_usable([wait_ms(_seconds(value, _now(date, clock)), unit_ms=1000)])
    return wait_from_headers(value, clock=clock)


def wait_from_text(text: str) -> int | None:
    """Read the wait that a sentence asks for ("retry after 30 seconds"); None if it asks for none, or for too long.

    A number without a unit is one of seconds, as in the header, unless it counts something else.
    """
    match = _IN_PROSE.search(text[:_MOST_PROSE])
    if match is None:
        return None
    amount, unit, more, more_unit = match.groups()
    if unit is None and not _counts_seconds(amount, text[match.end() : match.end() + 2]):
        return None
    wait = _in_ms(amount, unit) + (_in_ms(more, more_unit) if more else 0)
    return wait if wait <= LONGEST_WAIT_MS else None


def _counts_seconds(amount: str, behind: str) -> bool:
    is_year = amount.isdigit() and _FIRST_YEAR <= int(amount) < _LAST_YEAR
    return amount[0].isdigit() and not is_year and not _SOMETHING_ELSE.match(behind)


def _in_ms(amount: str, unit: str | None) -> int:
    name = (unit or "s").lower()
    number = amount if amount[0].isdigit() else 1
    return wait_ms(number, unit_ms=_UNIT_MS["ms" if name in _MILLISECONDS else name[0]]) or 0


_MILLISECONDS = {"ms", "millisecond", "milliseconds"}


def quota_used_up(headers: object) -> bool:
    """Whether a response says that nothing is left of a quota."""
    fields = _fields(headers)
    return any(_number(fields.get(remaining)) == 0 for quotas in _RESETS for remaining in quotas.values())


def _said(fields: dict[str, str], status: int | None, now: float) -> Iterator[int | None]:
    """Yield what each header says, the most binding first."""
    yield from (wait_ms(_number(fields.get(name))) for name in _IN_MS)
    yield wait_ms(_seconds(fields.get("retry-after"), now), unit_ms=1000)
    for quotas in _RESETS:
        used_up = (reset for reset, remaining in quotas.items() if _used_up(fields.get(remaining), status))
        waits = (wait_ms(_seconds(fields.get(reset), now), unit_ms=1000) for reset in used_up)
        yield max((wait for wait in waits if wait is not None and wait <= LONGEST_WAIT_MS), default=None)


def _first_usable(said: Iterable[int | None]) -> int | None:
    otherwise = None
    for wait in said:
        if wait is not None and wait <= LONGEST_WAIT_MS:
            return wait
        otherwise = otherwise if wait is None else LONGEST_WAIT_MS
    return otherwise


def _fields(headers: object) -> dict[str, str]:
    fields = header_fields(headers)
    return fields | _policy(fields.get("ratelimit", ""))


def _used_up(remaining: str | None, status: int | None) -> bool:
    left = _number(remaining)
    return status in _REFUSALS if left is None else left == 0 and status in (*_REFUSALS, 403)


def _policy(value: str) -> dict[str, str]:
    """Take `RateLimit: "burst";r=0;t=12, "daily";r=5;t=900` apart; the quota with least left is the one that counts."""
    parts = [value] if "reset=" in value else value.split(",")  # Before draft 8, a comma stood inside one quota.
    quotas = [
        {_NEW_WORD.get(word, word): int(number) for word, number in _POLICY_MEMBER.findall(part)} for part in parts
    ]
    known = sorted((quota.get("r", 0), -quota["t"]) for quota in quotas if "t" in quota)
    return {"ratelimit-remaining": str(known[0][0]), "ratelimit-reset": str(-known[0][1])} if known else {}


def _seconds(value: object, now: float) -> float | None:
    """Read a span, or the time until a moment."""
    if is_a(value, timedelta):
        return timedelta.total_seconds(value)
    number = _number(value)
    if number is None:
        moment = _moment(value)
        return _duration(value) if moment is None else moment - now
    if number < _FIRST_MOMENT_S:
        return number
    return (number if number < _FIRST_MOMENT_MS else number / 1000) - now


def _now(date: object, clock: _Clock) -> float:
    moment = _moment(date)
    return clock() if moment is None else moment


def _number(value: object) -> float | None:
    if is_a(value, int):
        number = int.__index__(value)
        return None if is_a(value, bool) else max(min(number, _LARGEST), -_LARGEST)
    if is_a(value, float):
        return float.__pos__(value)
    text = _text(value)
    return float(text) if _NUMBER.fullmatch(text) else None


def _duration(value: object) -> float | None:
    text = _text(value)
    parts = _DURATION_PART.findall(text) if _DURATION.fullmatch(text) else []
    return sum(float(number) * _UNIT_S[unit] for number, unit in parts) if parts else None


def _moment(value: object) -> float | None:
    """Read an HTTP-date in any of its three forms, RFC 3339 or a datetime, as seconds of the epoch."""
    try:
        moment = value if is_a(value, datetime) else _written_moment(_text(value))
        return datetime.timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except Exception:  # noqa: BLE001 - the parsers raise half a dozen kinds, a foreign time zone anything.
        return None


def _written_moment(text: str) -> datetime:
    if text[:1].isdigit():
        return datetime.fromisoformat(text)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - it costs more than all of `import errata`.

    return parsedate_to_datetime(text)


def _text(value: object) -> str:
    if is_a(value, bytes):
        return bytes.decode(value[:_LONGEST_TEXT], "latin-1").strip()
    return str.__str__(value)[:_LONGEST_TEXT].strip() if is_a(value, str) else ""
