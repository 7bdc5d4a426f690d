from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime

import pytest
from hypothesis import given, strategies as st
from support.required_libraries import need

from errata.http import parse_retry_after, read_headers
from errata.model import LONGEST_WAIT_MS, wait_from_text


def wait_from_headers(headers, **options):
    return read_headers(headers).wait_ms(**options)


NOW = datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)
DATE = "Fri, 06 Nov 2026 08:49:37 GMT"
EPOCH = int(NOW.timestamp())


def clock():
    return NOW.timestamp()


# fmt: off
WAITS = {
    "seconds":                 ({"Retry-After": "120"}, 120_000),
    "none at all":             ({"Retry-After": "0"}, 0),
    "part of a second":        ({"Retry-After": "0.25"}, 250),
    "spaces":                  ({"Retry-After": " 3 "}, 3_000),
    "IMF-fixdate":             ({"Retry-After": "Fri, 06 Nov 2026 08:50:37 GMT", "Date": DATE}, 60_000),
    "RFC 850":                 ({"Retry-After": "Friday, 06-Nov-26 08:50:37 GMT", "Date": DATE}, 60_000),
    "asctime":                 ({"Retry-After": "Fri Nov  6 08:50:37 2026", "Date": DATE}, 60_000),
    "a date, no Date":         ({"Retry-After": "Fri, 06 Nov 2026 08:50:37 GMT"}, 60_000),
    "the server's own clock":  ({"Retry-After": "Sat, 07 Nov 2026 00:00:09 GMT", "Date": "Sat, 07 Nov 2026 00:00:00 GMT"}, 9_000),
    "garbage for Date":        ({"Retry-After": "Fri, 06 Nov 2026 08:50:37 GMT", "Date": "today"}, 60_000),
    "milliseconds first":      ({"retry-after-ms": "1500", "Retry-After": "2"}, 1_500),
    "Azure":                   ({"x-ms-retry-after-ms": "100"}, 100),
    "garbage, then seconds":   ({"retry-after-ms": "soon", "Retry-After": "2"}, 2_000),
    "Discord":                 ({"X-RateLimit-Reset-After": "1.337", "X-RateLimit-Remaining": "0"}, 1_337),
    "IETF, until draft 7":     ({"RateLimit-Limit": "10", "RateLimit-Remaining": "0", "RateLimit-Reset": "12"}, 12_000),
    "IETF, one field":         ({"RateLimit": "limit=10, remaining=0, reset=12"}, 12_000),
    "IETF, from draft 8":      ({"RateLimit": '"burst";r=0;t=12, "daily";r=5;t=900'}, 12_000),
    "GitHub":                  ({"X-RateLimit-Reset": str(EPOCH + 45), "X-RateLimit-Remaining": "0", "Date": DATE}, 45_000),
    "in epoch milliseconds":   ({"X-RateLimit-Reset": str((EPOCH + 45) * 1000), "Date": DATE}, 45_000),
    "a span":                  ({"X-RateLimit-Reset": "45"}, 45_000),
    "X":                       ({"x-rate-limit-reset": str(EPOCH + 45), "x-rate-limit-remaining": "0"}, 45_000),
    "OpenAI, tokens":          ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "9",
                                 "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}, 360_000),
    "OpenAI, the longer":      ({"x-ratelimit-reset-requests": "1.2s", "x-ratelimit-reset-tokens": "120ms"}, 1_200),
    "Anthropic":               ({"anthropic-ratelimit-tokens-reset": "2026-11-06T08:49:47Z", "Date": DATE}, 10_000),
    "a month":                 ({"Retry-After": str(31 * 24 * 3600)}, LONGEST_WAIT_MS),
    "more than a month":       ({"Retry-After": str(31 * 24 * 3600 + 1)}, LONGEST_WAIT_MS),
    "more than a year":        ({"Retry-After": "31536001"}, LONGEST_WAIT_MS),
    "absurd":                  ({"Retry-After": "999999999"}, LONGEST_WAIT_MS),
    "many digits":             ({"Retry-After": "9" * 5000}, LONGEST_WAIT_MS),
    "a date in 2099":          ({"Retry-After": "Tue, 06 Nov 2099 08:49:37 GMT"}, LONGEST_WAIT_MS),
    "absurd, another is not":  ({"Retry-After-Ms": "9" * 18, "Retry-After": "5"}, 5_000),
    "absurd, a quota is not":  ({"Retry-After": "9" * 18, "X-RateLimit-Reset": "45"}, 45_000),
}
NO_WAITS = {
    "nothing":              {},
    "negative":             {"Retry-After": "-1"},
    "an absurd reset":      {"X-RateLimit-Reset": "999999999", "X-RateLimit-Remaining": "0"},
    "no number":            {"Retry-After": "nan"},
    "endless":              {"Retry-After": "inf"},
    "scientific":           {"Retry-After": "1e3"},
    "other digits":         {"Retry-After": "١٢"},
    "words":                {"Retry-After": "a while"},
    "no such day":          {"Retry-After": "Fri, 31 Feb 2026 08:50:37 GMT"},
    "the past":             {"Retry-After": "Fri, 06 Nov 2026 08:48:37 GMT", "Date": DATE},
    "some quota left":      {"X-RateLimit-Reset": "45", "X-RateLimit-Remaining": "42"},
    "some left, draft 8":   {"RateLimit": '"burst";r=3;t=12'},
    "the past again":       {"X-RateLimit-Reset": str(EPOCH - 45), "X-RateLimit-Remaining": "0"},
}
# fmt: on


@pytest.mark.parametrize(("headers", "expected"), WAITS.values(), ids=WAITS.keys())
def test_a_refusal_says_how_long_to_wait(headers, expected):
    assert wait_from_headers(headers, status=429, clock=clock) == expected
    assert wait_from_headers(headers, clock=clock) == expected
    assert parse_retry_after(headers, clock=clock) == expected


@pytest.mark.parametrize("headers", NO_WAITS.values(), ids=NO_WAITS.keys())
def test_what_says_nothing_usable_is_no_wait(headers):
    assert wait_from_headers(headers, status=429, clock=clock) is None


@pytest.mark.parametrize("status", [200, 401, 404, 422, 500, 502])
def test_a_quota_that_is_reset_some_time_is_no_wait_unless_the_call_was_refused_for_it(status):
    reset = {"X-RateLimit-Reset": "45", "X-RateLimit-Remaining": "0"}

    assert wait_from_headers(reset, status=status) is None
    assert wait_from_headers({**reset, "Retry-After": "3"}, status=status) == 3_000


def test_a_403_is_a_refusal_for_quota_only_if_none_is_left():
    assert wait_from_headers({"X-RateLimit-Reset": "45", "X-RateLimit-Remaining": "0"}, status=403) == 45_000
    assert wait_from_headers({"X-RateLimit-Reset": "45"}, status=403) is None
    assert read_headers({"X-RateLimit-Remaining": "0"}).is_quota_used_up
    assert not read_headers({"X-RateLimit-Remaining": "1"}).is_quota_used_up
    assert not read_headers({}).is_quota_used_up


@pytest.mark.parametrize("client", ["httpx", "httpx2"])
def test_headers_of_httpx_are_read(client):
    assert wait_from_headers(need(client).Headers({"RETRY-AFTER": "4"})) == 4_000


def test_headers_of_requests_are_read():
    assert wait_from_headers(need("requests.structures").CaseInsensitiveDict({"RETRY-AFTER": "4"})) == 4_000


def test_headers_of_urllib3_are_read():
    assert wait_from_headers(need("urllib3").HTTPHeaderDict({"RETRY-AFTER": "4"})) == 4_000


def test_headers_of_aiohttp_are_read():
    multidict = need("multidict")

    assert wait_from_headers(multidict.CIMultiDictProxy(multidict.CIMultiDict({"RETRY-AFTER": "4"}))) == 4_000


def test_headers_of_the_standard_library_are_read():
    message = Message()
    message["RETRY-AFTER"] = "4"

    assert wait_from_headers(message) == 4_000


@pytest.mark.parametrize(
    "headers",
    [
        [("Retry-After", "4")],
        ((b"retry-after", b"4"),),
        {b"Retry-After": b"4"},
        {"Retry-After": 4},
        {"Retry-After": ["4", "5"]},
        [("Retry-After", "4"), ("Retry-After", "5"), "not a pair"],
    ],
)
def test_headers_of_any_other_kind_are_read(headers):
    assert wait_from_headers(headers) == 4_000


class Hostile:
    def __getattr__(self, name):
        raise RuntimeError(name)

    def __iter__(self):
        raise RuntimeError

    def __str__(self):
        raise RuntimeError


NO_HEADERS = [None, 7, "Retry-After: 4", object(), Hostile(), {"Retry-After": Hostile()}, [1]]


@pytest.mark.parametrize("headers", NO_HEADERS, ids=range(len(NO_HEADERS)))
def test_what_are_no_headers_says_nothing(headers):
    assert wait_from_headers(headers) is None


# fmt: off
VALUES = [
    ("5", 5_000), (b"5", 5_000), (5, 5_000), (0.5, 500), (timedelta(minutes=1), 60_000), ("6m0s", 360_000),
    (NOW + timedelta(seconds=3), 3_000), (NOW.replace(tzinfo=None) + timedelta(seconds=3), 3_000),
    (DATE, 0), (True, None), (None, None), (-1, None), (10**400, LONGEST_WAIT_MS), (float("nan"), None), (float("inf"), None),
    (timedelta.max, LONGEST_WAIT_MS), (datetime.max, LONGEST_WAIT_MS), (datetime.min, None), (Hostile(), None),  # noqa: DTZ901 - the point.
]
# fmt: on


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=range(len(VALUES)))
def test_a_wait_may_be_given_as_anything_that_says_how_long(value, expected):
    assert parse_retry_after(value, date=DATE) == expected
    assert parse_retry_after(value, date=NOW) == expected
    assert parse_retry_after(value, clock=clock) == expected


@given(st.integers(0, LONGEST_WAIT_MS // 1000))
def test_seconds_and_dates_say_the_same(seconds):
    moment = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)

    assert parse_retry_after(str(seconds)) == seconds * 1000 == parse_retry_after(moment, date=DATE)


NAMES = st.sampled_from(
    ["retry-after", "retry-after-ms", "ratelimit", "ratelimit-reset", "x-ratelimit-reset", "date", "Date"]
)
GARBAGE = st.one_of(
    st.text(), st.binary(), st.integers(), st.floats(), st.none(), st.datetimes(), st.timedeltas(), st.booleans(),
    st.from_regex(r"[0-9A-Za-z:,;= .\"-]{0,40}", fullmatch=True),
)  # fmt: skip


@given(GARBAGE, GARBAGE)
def test_no_garbage_makes_reading_a_wait_fail(value, date):
    wait = parse_retry_after(value, date=date, clock=clock)

    assert wait is None or 0 <= wait <= LONGEST_WAIT_MS


@given(st.dictionaries(NAMES, GARBAGE), st.sampled_from([None, 200, 403, 429, 503]))
def test_no_garbage_makes_reading_headers_fail(headers, status):
    wait = wait_from_headers(headers, status=status, clock=clock)

    assert wait is None or 0 <= wait <= LONGEST_WAIT_MS


# fmt: off
IN_WORDS = {
    "Check back in 5 minutes": 300_000,
    "Please try again in 6.2s.": 6_200,
    "try again in 20ms": 20,
    "retry after 30 seconds": 30_000,
    "retry after 35": 35_000,
    "Retry-After: 30": 30_000,
    '{"retry_after": 12}': 12_000,
    "Please wait 2 minutes and 30 seconds": 150_000,
    "available again in 1 hour": 3_600_000,
    "try again in 1h 30m": 5_400_000,
    "Try again in a minute.": 60_000,
    "resets in 3 days": 259_200_000,
    "try again in 40 days": None,
    "retry after 2026-11-01": None,
    "available again in 2026": None,
    "retry after 12:30": None,
    "retry after 3 attempts": None,
    "try again in 2 different regions": None,
    "waited for 30 seconds": None,
    "timed out waiting for 30 seconds": None,
    "the train leaves in 5 minutes": None,
    "try again": None,
    "": None,
}
# fmt: on


@pytest.mark.parametrize(("text", "wait"), IN_WORDS.items())
def test_a_wait_is_read_from_words_that_ask_for_one(text, wait):
    assert wait_from_text(text) == wait


@given(st.text())
def test_a_wait_in_words_is_none_or_a_possible_one(text):
    wait = wait_from_text(f"try again in {text}")
    assert wait is None or 0 <= wait <= LONGEST_WAIT_MS
