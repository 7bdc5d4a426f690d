"""The header fields of a response, read once, and what they tell: how long to wait, and whether to repeat the call.

Two kinds of header ask for a wait. `Retry-After` and its relatives in milliseconds (`IN_MS`) are believed as they stand.
`RESETS` name the time when a quota is full again; most services send them with every answer, so they are a wait only
where the quota is used up. A header that is garbage, negative or absurd is passed over for the next one. Where no other
helps, a wait that is absurdly long counts as the longest: it may mean anything but "now". Nothing here raises.
"""

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import cast

from errata.model import LONGEST_WAIT_MS, Clock, is_a, moment_or_now, number_in, parse_wait, seconds_in, wait_ms
from errata.redaction import text_of

_MOST_FIELDS = 1000
_LONGEST_VALUE = 1000

IN_MS = ("retry-after-ms", "x-ms-retry-after-ms")
# Each row: when a quota is full again, and how much of it is left. The first row with a usable wait decides; of the
# quotas in one row, the one that takes longest.
RESETS = (
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
FLAG_NAMES = ("x-should-retry", "stripe-should-retry")
_FLAGS = {"true": True, "false": False}
_REFUSALS = (None, 429, 503)
_POLICY_MEMBER = re.compile(r"\b(r|t|remaining|reset)=([0-9]{1,15})\b")
_NEW_WORD = {"remaining": "r", "reset": "t"}  # Of draft 8 and later.


class ResponseHeaders:
    """The header fields of one response: names in lower case, values as text, the first of a name."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields

    def __bool__(self) -> bool:
        return bool(self._fields)

    def get(self, name: str) -> str:
        """Return the value of a field; "" where it is absent."""
        return self._fields.get(name, "")

    def wait_ms(self, *, status: int | None = None, clock: Clock = time.time) -> int | None:
        """Return the wait the response asks for, in milliseconds; None where no header asks for one.

        The `status` decides whether the reset of a quota is a wait: on 429 and 503 unless some of it remains, on 403
        only if nothing remains, on any other never. Without a status the response counts as a refusal.
        """
        longest = None
        for wait in self._waits(status, clock):
            if wait is not None and wait <= LONGEST_WAIT_MS:
                return wait
            longest = longest if wait is None else LONGEST_WAIT_MS
        return longest

    @cached_property
    def should_retry(self) -> bool | None:
        """Whether the service says that the call may be repeated; None if it does not say."""
        words = [self._fields[name].lower() for name in FLAG_NAMES if name in self._fields]
        return next((_FLAGS[word] for word in words if word in _FLAGS), None)

    @property
    def is_quota_used_up(self) -> bool:
        """Whether a quota is said to have nothing left."""
        return any(number_in(self._quota.get(remaining)) == 0 for quotas in RESETS for remaining in quotas.values())

    @cached_property
    def _quota(self) -> Mapping[str, str]:
        """The fields, with the newer `RateLimit` header written as the older ones are."""
        policy = self._fields.get("ratelimit")
        return {**self._fields, **_read_policy(policy)} if policy else self._fields

    def _waits(self, status: int | None, clock: Clock) -> Iterator[int | None]:
        """Yield the wait of each header, the most binding first."""
        fields = self._quota
        now = moment_or_now(fields.get("date"), clock)
        yield from (wait_ms(number_in(fields[name])) for name in IN_MS if name in fields)
        if "retry-after" in fields:
            yield wait_ms(seconds_in(fields["retry-after"], now), unit_ms=1000)
        for quotas in RESETS:
            resets = (
                reset for reset, left in quotas.items() if reset in fields and _is_used_up(fields.get(left), status)
            )
            waits = (wait_ms(seconds_in(fields[reset], now), unit_ms=1000) for reset in resets)
            yield max((wait for wait in waits if wait is not None and wait <= LONGEST_WAIT_MS), default=None)


def read_headers(headers: object) -> ResponseHeaders:
    """Read header fields: a mapping, those of any HTTP client, or pairs, as text or bytes; never an exception."""
    return headers if type(headers) is ResponseHeaders else ResponseHeaders(read_fields(headers))


def read_fields(headers: object) -> dict[str, str]:
    """Read header fields into a dict, by their names in lower case; the first of a name counts."""
    fields: dict[str, str] = {}
    with suppress(Exception):  # Whatever a foreign object raises, what was read until then counts.
        for name, value in islice(_pairs(headers), _MOST_FIELDS):
            key = name if type(name) is str and name.isascii() else _text(name)
            text = value if type(value) is str and value.isascii() else _text(value)
            fields.setdefault(key[:_LONGEST_VALUE].strip().lower(), text[:_LONGEST_VALUE].strip())
    return fields


def parse_retry_after(value: object, *, date: object = None, clock: Clock = time.time) -> int | None:
    """Read a `Retry-After` as milliseconds, 31 days at most; None for what is negative or garbage.

    It may be text or bytes as in the header (seconds or an HTTP-date), a number of seconds, a timedelta or a datetime.
    A moment is measured against `date`, the response's own `Date`, and without it against the clock. Headers as a
    whole may be given as well; then the relatives of `Retry-After` are read, too.
    """
    if any(is_a(value, kind) for kind in (str, bytes, int, float, timedelta, datetime)):
        return parse_wait(value, date=date, clock=clock)
    return read_headers(value).wait_ms(clock=clock)


def _pairs(headers: object) -> Iterable[tuple[object, object]]:
    items = getattr(headers, "items", None)
    return cast("Iterable[tuple[object, object]]", items() if callable(items) else headers or ())


def _text(value: object) -> str:
    if is_a(value, list) or is_a(value, tuple):
        value = next(iter(cast("Iterable[object]", value)), "")
    if is_a(value, bytes):
        value = bytes.decode(value[:_LONGEST_VALUE], "latin-1")
    return text_of(value)[:_LONGEST_VALUE].strip()


def _is_used_up(remaining: str | None, status: int | None) -> bool:
    left = number_in(remaining)
    return status in _REFUSALS if left is None else left == 0 and status in (*_REFUSALS, 403)


def _read_policy(value: str) -> dict[str, str]:
    """Read `RateLimit: "burst";r=0;t=12, "daily";r=5;t=900`; the quota with least left is the one that counts."""
    parts = [value] if "reset=" in value else value.split(",")  # Before draft 8, a comma stood inside one quota.
    quotas = [
        {_NEW_WORD.get(word, word): int(number) for word, number in _POLICY_MEMBER.findall(part)} for part in parts
    ]
    known = sorted((quota.get("r", 0), -quota["t"]) for quota in quotas if "t" in quota)
    return {"ratelimit-remaining": str(known[0][0]), "ratelimit-reset": str(-known[0][1])} if known else {}
