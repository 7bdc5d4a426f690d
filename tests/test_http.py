from email.message import Message
from http import HTTPStatus
from io import BytesIO
from types import SimpleNamespace
from unittest.mock import Mock
from urllib.error import HTTPError

import hypothesis
import pytest
from hypothesis import strategies as st

from errata import Code, FaultError, FieldIssue, Retry, classify, dialects
from errata.http import aerror_from_response, error_from_response, status_to_code

# What the design says of each status; every other one goes by its first digit.
TABLE = {
    Code.INVALID_PARAMS: [400],
    Code.UNAUTHORIZED: [401],
    Code.INSUFFICIENT_BALANCE: [402],
    Code.FORBIDDEN: [403],
    Code.NOT_FOUND: [404],
    Code.TIMEOUT: [408, 425, 504],
    Code.CONFLICT: [409, 423, 424],
    Code.GONE: [410],
    Code.VALIDATION_FAILED: [422],
    Code.RATE_LIMITED: [429],
    Code.UPSTREAM_ERROR: [500],
    Code.NOT_IMPLEMENTED: [501],
}
EXPECTED = {status: code for code, statuses in TABLE.items() for status in statuses}


@pytest.mark.parametrize("status", range(400, 600))
def test_a_status_means_what_the_table_says(status):
    other = Code.INVALID_REQUEST if status < 500 else Code.SERVICE_UNAVAILABLE

    assert status_to_code(status) is EXPECTED.get(status, other)


@pytest.mark.parametrize("status", [-1, 0, 99, 100, 200, 204, 301, 304, 399, 600, 999, 10**9])
def test_what_is_no_error_is_unknown(status):
    assert status_to_code(status) is Code.UNKNOWN_ERROR


def response(status=503, body="", **headers):
    """What every client's response comes down to."""
    return SimpleNamespace(status_code=status, headers=headers, content=body)


def fault_of(*args, **kwargs):
    return error_from_response(*args, **kwargs).fault


def test_the_exception_says_who_answered_what_and_how_long_to_wait():
    error = error_from_response(
        response(503, '{"message": "Too many readers."}', **{"Retry-After": "7"}), service="NCBI"
    )

    assert isinstance(error, FaultError)
    assert str(error) == "NCBI answered 503 Service Unavailable: ‹Too many readers.›"
    assert error.fault.code is Code.SERVICE_UNAVAILABLE
    assert error.fault.http_status == 503
    assert error.fault.retry is Retry.SAME_CALL
    assert error.fault.retry_after_ms == 7_000
    assert error.fault.data == {"body": '{"message": "Too many readers."}'}


# fmt: off
MESSAGES = {
    "no body":            (503, "", "The service answered 503 Service Unavailable."),
    "nothing new":        (404, '{"detail": "Not Found"}', "The service answered 404 Not Found."),
    "nothing but digits": (500, "500", "The service answered 500 Internal Server Error."),
    "the status again":   (404, "404 page not found", "The service answered 404 Not Found: ‹page not found›"),
    "several lines":      (400, "a\n\r\n\tb\x1b[31m\u2028Retry: yes", "The service answered 400 Bad Request: ‹a b Retry: yes›"),
    "a name of its own":  (422, "", "The service answered 422 Unprocessable Content."),
    "no name":            (599, "", "The service answered 599. A dependency is down or overloaded."),
    "no error":           (204, "", "The service answered 204 No Content, which is not an error."),
    "a redirect":         (301, "", "The service answered 301 Moved Permanently, a redirect that was not followed."),
    "GraphQL":            (200, '{"errors": [{"message": "No user."}]}', "The service answered 200 OK: ‹No user.›"),
}
# fmt: on


@pytest.mark.parametrize(("status", "body", "message"), MESSAGES.values(), ids=MESSAGES.keys())
def test_the_message_is_one_line_that_says_what_is_known(status, body, message):
    assert fault_of(response(status, body)).message == message


def test_a_message_is_bounded():
    long = fault_of(response(400, f'{{"message": "{"a" * 5000}"}}'), service="b" * 5000)

    assert len(long.message) <= 300


def test_a_status_without_a_name_keeps_that_of_the_response():
    overloaded = SimpleNamespace(status_code=529, reason_phrase="Site is\noverloaded", headers=None)

    assert fault_of(overloaded).message == "The service answered 529 Site is overloaded."


@pytest.mark.parametrize("status", [404, "404", " 404 Not Found", HTTPStatus.NOT_FOUND])
@pytest.mark.parametrize("name", ["status_code", "status", "code"])
def test_a_status_is_found_however_it_is_written(name, status):
    assert fault_of(SimpleNamespace(**{name: status})).http_status == 404


@pytest.mark.parametrize(
    ("status", "origin"), [(999, "999"), (0, "0"), ("soon", "soon"), (None, None), (10**30, str(10**30))]
)
def test_a_number_that_is_no_status_is_kept(status, origin):
    fault = fault_of(SimpleNamespace(status_code=status))

    assert (fault.code, fault.http_status, fault.origin) == (Code.UNKNOWN_ERROR, None, origin)
    assert fault.message == "The service sent an answer whose status is none of HTTP's."


def test_a_success_given_by_mistake_is_no_failure_of_any_kind():
    fault = fault_of(response(200, "fine"))

    assert (fault.code, fault.http_status, fault.retry) == (Code.UNKNOWN_ERROR, 200, Retry.NEVER)


# fmt: off
VERDICTS = {
    "the table":             (500, {}, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    "told not to":           (500, {"x-should-retry": "false"}, Code.UPSTREAM_ERROR, Retry.NEVER),
    "told to":               (500, {"X-Should-Retry": "True"}, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    "told to, input":        (409, {"x-should-retry": "true"}, Code.CONFLICT, Retry.IF_HARMLESS),
    "told not to, input":    (400, {"x-should-retry": "false"}, Code.INVALID_PARAMS, Retry.FIX_INPUT),
    "told something":        (503, {"x-should-retry": "maybe"}, Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    "another 5xx":           (502, {}, Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS),
    "too large":             (413, {}, Code.INVALID_REQUEST, Retry.FIX_INPUT),
    "too large for now":     (413, {"Retry-After": "9"}, Code.INVALID_REQUEST, Retry.SAME_CALL),
    "locked for now":        (423, {"Retry-After": "9"}, Code.CONFLICT, Retry.SAME_CALL),
    "for now, and yes":      (409, {"Retry-After": "9", "x-should-retry": "true"}, Code.CONFLICT, Retry.SAME_CALL),
    "for now, but no":       (409, {"Retry-After": "9", "x-should-retry": "false"}, Code.CONFLICT, Retry.FIX_INPUT),
    "not there for now":     (404, {"Retry-After": "9"}, Code.NOT_FOUND, Retry.FIX_INPUT),
    "Stripe says no":        (500, {"Stripe-Should-Retry": "false"}, Code.UPSTREAM_ERROR, Retry.NEVER),
    "forbidden":             (403, {"x-ratelimit-remaining": "7"}, Code.FORBIDDEN, Retry.NEVER),
    "forbidden for now":     (403, {"x-ratelimit-remaining": "0"}, Code.RATE_LIMITED, Retry.SAME_CALL),
    "forbidden for a while": (403, {"Retry-After": "9"}, Code.RATE_LIMITED, Retry.SAME_CALL),
}
# fmt: on


@pytest.mark.parametrize(("status", "headers", "code", "retry"), VERDICTS.values(), ids=VERDICTS.keys())
def test_the_response_may_say_whether_to_repeat(status, headers, code, retry):
    fault = fault_of(response(status, **headers))

    assert (fault.code, fault.retry, fault.retry_declared) == (code, retry, False)


def test_what_the_author_attaches_goes_along():
    data = {"endpoint": "/efetch", "body": "mine", "reason": "ncbi_down", "retryable": False}
    fault = fault_of(response(503, "theirs"), data=data)

    assert fault.data == {"endpoint": "/efetch", "body": "mine"}
    assert fault.reason == "ncbi_down"
    assert (fault.retry, fault.retry_declared) == (Retry.NEVER, True)


@pytest.mark.parametrize("off", [{"capture_body": False}, {"body_limit": 0}, {"body_limit": -1}])
def test_a_body_that_is_not_wanted_appears_nowhere(off):
    body = '{"message": "user 17", "errors": [{"field": "user 17", "message": "user 17"}]}'
    fault = fault_of(response(422, body), **off)

    assert "user 17" not in repr(fault)
    assert fault.message == "The service answered 422 Unprocessable Content."


@hypothesis.given(st.text("ab ", max_size=900), st.integers(1, 700))
def test_a_body_is_never_longer_than_its_limit(body, limit):
    kept = fault_of(response(500, body), body_limit=limit).data.get("body", "")

    assert len(kept) <= limit
    assert kept == body or body.startswith(kept.removesuffix("… [cut]"))


def test_a_secret_in_a_body_stays_here_even_where_it_is_cut_in_two():
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    body = f'{{"message": "Bad token {token}", "errors": [{{"field": "token", "message": "{token} is revoked"}}]}}'

    for limit in range(1, 200):
        fault = fault_of(response(422, body), body_limit=limit)
        assert token[:12] not in repr(fault)


def test_a_long_secret_does_not_push_half_of_the_next_one_into_sight():
    key = "-----BEGIN PRIVATE KEY-----\n" + "QUJD" * 1000 + "\n-----END PRIVATE KEY-----\n"
    token = "ghp_" + "a1B2c3D4e5F6" * 3

    for space in range(0, 60, 3):
        body = key * 2 + " " * (8193 + 500 - 2 * len(key) - space) + token + " and so on" * 1000
        assert token[:4] not in fault_of(response(500, body)).data["body"]


def test_complaints_about_arguments_become_issues_without_the_values():
    body = '{"detail": [{"loc": ["query", "days"], "msg": "Input should be a number", "input": "tomorrow"}]}'

    assert fault_of(response(422, body)).issues == (FieldIssue("days", "Input should be a number"),)
    assert fault_of(response(400, body)).issues
    assert not fault_of(response(500, body)).issues


# fmt: off
BODIES = {
    "UTF-8":         ("Schlüssel".encode(), "application/json", "Schlüssel"),
    "with a mark":   (b"\xef\xbb\xbfkey", "text/plain", "key"),
    "Latin-1":       ("Schlüssel".encode("latin-1"), 'text/plain; charset="ISO-8859-1"', "Schlüssel"),
    "UTF-16":        ("Schlüssel".encode("utf-16"), "text/plain; charset=utf-16", "Schlüssel"),
    "no such":       ("Schlüssel".encode(), "text/plain; charset=klingon", "Schlüssel"),
    "no charset":    (b"key", "text/plain; charset=hex", "key"),
    "a slow one":    (b"key", "text/plain; charset=punycode", "key"),
    "text":          ("half a smile \ud83d", "text/plain", "half a smile \ufffd"),
    "one bad byte":  (b"an honest but broken text \xff", "text/plain", "an honest but broken text \ufffd"),
    "an image":      (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png", None),
    "compressed":    (bytes(range(128, 256)), "application/json", None),
    "an array":      (bytearray(b"key"), "", "key"),
    "no bytes":      (17, "", None),
}
# fmt: on


@pytest.mark.parametrize(("body", "content_type", "text"), BODIES.values(), ids=BODIES.keys())
def test_a_body_is_decoded_as_it_says_and_left_out_if_it_is_no_text(body, content_type, text):
    assert fault_of(response(500, body, **{"Content-Type": content_type})).data.get("body") == text


class Hostile:
    """Has everything, and all of it raises."""

    def __getattribute__(self, name):
        raise RuntimeError(name)


class Liar:
    status_code = True
    headers = 17
    content = property(lambda _: 1 / 0)
    reason = property(lambda _: 1 / 0)


HOSTILE = {
    "raises": Hostile(),
    "lies": Liar(),
    "is nothing": None,
    "is a number": 404,
    "is a class": SimpleNamespace,
    "is a mock": Mock(),
    "has no headers": SimpleNamespace(status_code=404, headers=None),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.anyio
async def test_nothing_that_is_no_response_makes_it_fail(kind):
    given = HOSTILE[kind]

    assert type(error_from_response(given, service=given, data=given, body_limit=given)) is FaultError
    assert type(await aerror_from_response(given, service=given, data=given)) is FaultError


def test_a_mock_of_a_response_is_read_like_one():
    fault = fault_of(Mock(status_code=503, headers={"Retry-After": "7"}, text="busy", reason="Busy"))

    assert (fault.message, fault.retry_after_ms) == ("The service answered 503 Service Unavailable: ‹busy›", 7_000)


def test_an_exception_of_urllib_is_a_response_as_well():
    with HTTPError("https://a.example", 404, "Not Found", Message(), BytesIO(b"No article 17.")) as error:
        fault = fault_of(error)

    assert fault.message == "The service answered 404 Not Found: ‹No article 17.›"


@pytest.mark.parametrize("name", ["aread", "read", "text"])
@pytest.mark.parametrize("body", ["busy", b"busy"])
@pytest.mark.anyio
async def test_a_body_that_can_be_awaited_is(name, body):
    async def read():
        return body

    error = await aerror_from_response(SimpleNamespace(status=503, **{name: read}))

    assert error.fault.data == {"body": "busy"}


@pytest.mark.anyio
async def test_a_body_that_can_only_be_had_at_once_is():
    error = await aerror_from_response(SimpleNamespace(status=503, read=lambda: b"busy"))

    assert error.fault.data == {"body": "busy"}


def test_000_shows_the_client_what_the_upstream_said():
    error = error_from_response(response(404, '{"message": "No visual 7."}'), service="Napkin")

    assert dialects.mcp_tool_error.encode(error.fault)["structuredContent"] == {
        "code": "NOT_FOUND",
        "message": "Napkin answered 404 Not Found: ‹No visual 7.›",
        "retriable": False,
        "original": {"status": 404, "body": '{"message": "No visual 7."}'},
    }


class CountedHeaders(dict):
    reads = 0

    def items(self):
        self.reads += 1
        return super().items()


class UpstreamFailedError(Exception):
    def __init__(self, response):
        self.response = response


def test_the_headers_of_a_response_are_read_once():
    headers = CountedHeaders({"Retry-After": "30", "Content-Type": "application/json"})
    response = SimpleNamespace(status_code=503, headers=headers, content=b'{"message": "Down for maintenance"}')

    fault = classify(UpstreamFailedError(response))

    assert (fault.code, fault.retry_after_ms, headers.reads) == (Code.SERVICE_UNAVAILABLE, 30_000, 1)

    headers.reads = 0
    assert error_from_response(response).fault.retry_after_ms == 30_000
    assert headers.reads == 1
