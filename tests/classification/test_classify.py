"""The order in which an exception is asked, and what it cannot do to the asking."""

import asyncio
import enum
import errno
import http

import pytest
from hypothesis import given, strategies as st

from errata import Code, Fault, FaultError, Retry, classify
from errata.classification import Step, explain
from errata.classification._carried import _MADE_UP_BY_PROXIES, classify_status
from errata.classification._exception_rules import Classification
from errata.classification._registry import REGISTRY, dotted_name
from errata.http import interpret_status, read_headers
from errata.http._response_headers import FLAG_NAMES, IN_MS, RESETS


def raised(error, cause):
    error.__cause__ = cause
    return error


class Response:
    def __init__(self, status_code, **headers):
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class VendorError(Exception):
    def __init__(self, text="it failed", **carried):
        super().__init__(text)
        self.__dict__.update(carried)


def test_a_fault_that_was_raised_on_purpose_stays_as_it_is():
    error = FaultError(Code.GONE, "It was purged.", {"id": 7}, retry=Retry.NEVER)
    fault = classify(error)
    assert (fault.code, fault.message, fault.data, fault.retry_declared) == (
        Code.GONE,
        "It was purged.",
        {"id": 7},
        True,
    )
    assert fault.correlation_id
    assert explain(error).step is Step.FAULT


def test_a_fault_gets_the_correlation_id_it_lacks_and_keeps_the_one_it_has():
    assert classify(FaultError.from_fault(Fault(code=Code.GONE))).correlation_id
    given_one = FaultError(Code.GONE, correlation_id="mine")
    assert classify(given_one).correlation_id == "mine"


@pytest.mark.parametrize(
    "bug", [KeyError("password"), TypeError("s3cret"), AttributeError("x"), ZeroDivisionError("x")]
)
def test_the_text_of_a_bug_stays_here(bug):
    fault = classify(bug)
    assert (fault.code, fault.message) == (Code.INTERNAL_ERROR, Code.INTERNAL_ERROR.sentence)


@pytest.mark.parametrize("text", ["unauthorized", "timeout", "429 Too Many Requests", "not found"])
def test_no_text_makes_a_bug_anything_else(text):
    assert classify(KeyError(text)).code is Code.INTERNAL_ERROR
    assert classify(ValueError(text)).code is Code.VALIDATION_FAILED


def test_a_class_nobody_tabled_is_asked_for_its_words_before_its_built_in_base():
    quota_error = type("QuotaError", (ValueError,), {})
    assert classify(quota_error("quota exceeded")).code is Code.RATE_LIMITED
    assert classify(quota_error("no")).code is Code.VALIDATION_FAILED


def test_a_built_in_that_says_something_decides_for_its_subclasses():
    not_owner = type("NotOwner", (PermissionError,), {})
    assert classify(not_owner("404 not found")).code is Code.FORBIDDEN


@pytest.mark.parametrize(
    ("number", "code", "retry"),
    [
        (errno.ECONNREFUSED, Code.NETWORK_ERROR, Retry.SAME_CALL),
        (errno.ECONNRESET, Code.NETWORK_ERROR, Retry.IF_HARMLESS),
        (errno.ENETUNREACH, Code.NETWORK_ERROR, Retry.SAME_CALL),
        (errno.ENOENT, Code.NOT_FOUND, Retry.FIX_INPUT),
        (errno.EBUSY, Code.CONFLICT, Retry.SAME_CALL),
        (errno.ENOSPC, Code.SERVICE_UNAVAILABLE, Retry.NEVER),
    ],
)
def test_an_errno_decides_whatever_the_text_says(number, code, retry):
    fault = classify(OSError(number, "permission denied"))
    assert (fault.code, fault.retry) == (code, retry)


@pytest.mark.parametrize(
    ("carried", "code", "wait"),
    [
        ({"status_code": 404}, Code.NOT_FOUND, None),
        ({"status": "429", "retry_after": 12}, Code.RATE_LIMITED, 12_000),
        ({"http_status": 503, "retry_after_ms": 250}, Code.SERVICE_UNAVAILABLE, 250),
        ({"response": Response(503, Retry_After="3")}, Code.SERVICE_UNAVAILABLE, 3_000),
        ({"response": Response(403, Retry_After="60")}, Code.RATE_LIMITED, 60_000),
        ({"response": {"ResponseMetadata": {"HTTPStatusCode": 409}}}, Code.CONFLICT, None),
        ({"sqlstate": "23505"}, Code.CONFLICT, None),
        ({"pgcode": "57014"}, Code.TIMEOUT, None),
        ({"code": "rate_limit_exceeded"}, Code.RATE_LIMITED, None),
        ({"status_code": 200}, Code.INTERNAL_ERROR, None),
        ({"status_code": True}, Code.INTERNAL_ERROR, None),
        ({"code": 7}, Code.INTERNAL_ERROR, None),
    ],
)
def test_what_an_exception_carries_decides_whatever_its_class(carried, code, wait):
    fault = classify(VendorError(**carried))
    assert (fault.code, fault.retry_after_ms) == (code, wait)


def test_a_refusal_that_says_for_how_long_may_be_repeated():
    fault = classify(VendorError(response=Response(413, Retry_After="60")))
    assert (fault.code, fault.retry) == (Code.INVALID_REQUEST, Retry.SAME_CALL)


@pytest.mark.parametrize(
    ("carried", "retry"),
    [
        ({"status_code": 500, "retryable": False}, Retry.NEVER),
        ({"status_code": 500, "response": Response(500, x_should_retry="false")}, Retry.NEVER),
        ({"status_code": 409, "response": Response(409, x_should_retry="true")}, Retry.IF_HARMLESS),
        ({"status_code": 400, "is_retryable": False}, Retry.FIX_INPUT),
        ({"retryable": True}, Retry.IF_HARMLESS),
        ({"retryable": "yes"}, Retry.NEVER),
    ],
)
def test_an_exceptions_own_yes_or_no_counts_as_far_as_the_code_allows(carried, retry):
    assert classify(VendorError(**carried)).retry is retry


def test_a_cause_that_is_sure_decides_and_the_words_stay_the_authors():
    error = raised(RuntimeError("invalid response from the ledger"), TimeoutError())
    fault = classify(error)
    assert (fault.code, fault.message) == (Code.TIMEOUT, "invalid response from the ledger")
    assert explain(error).step is Step.CAUSE


def test_a_name_that_says_something_is_believed_before_the_cause():
    order_not_found = type("OrderNotFound", (Exception,), {})
    assert classify(raised(order_not_found("17"), ConnectionResetError())).code is Code.NOT_FOUND


def test_a_bug_as_the_cause_decides_nothing():
    assert classify(raised(RuntimeError("rate limit reached"), KeyError("x"))).code is Code.RATE_LIMITED


def test_what_merely_happened_before_decides_nothing():
    error = RuntimeError("it failed")
    error.__context__ = TimeoutError()
    assert classify(error).code is Code.INTERNAL_ERROR


def test_a_group_of_one_is_that_one():
    group = ExceptionGroup("a", [ExceptionGroup("b", [TimeoutError("read")])])
    fault = classify(group)
    assert (fault.code, fault.message) == (Code.TIMEOUT, "read")


def test_of_several_the_one_an_agent_can_do_least_about_is_told():
    group = ExceptionGroup("all", [ConnectionRefusedError(), PermissionError("no"), TimeoutError(), ValueError("x")])
    assert classify(group).message == "no"


def test_a_cancellation_is_told_apart():
    assert classify(asyncio.CancelledError()).code is Code.CANCELLED
    assert classify(KeyboardInterrupt()).code is Code.CANCELLED


def test_causes_may_go_in_circles():
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert classify(first).code is Code.INTERNAL_ERROR


def test_causes_may_go_deep():
    error = TimeoutError()
    for _ in range(5_000):
        outer = RuntimeError("outer")
        outer.__cause__ = error
        error = outer
    assert classify(error).code is Code.INTERNAL_ERROR


def test_a_group_may_be_deep_and_wide():
    group = ExceptionGroup("wide", [TimeoutError()] * 10_000)
    for _ in range(200):
        group = ExceptionGroup("deep", [group])
    assert classify(group).code in {Code.TIMEOUT, Code.INTERNAL_ERROR}


class HostileError(Exception):
    """Every attribute raises, every text lies."""

    def __str__(self):
        raise RuntimeError("no")

    __repr__ = __str__

    def __getattribute__(self, name):
        raise RuntimeError(name)


class LyingError(Exception):
    status_code = property(lambda _: "abc")
    response = property(lambda self: self)
    headers = property(lambda self: self)
    code = property(lambda _: object())
    args = property(lambda _: 7)
    __cause__ = property(lambda _: "not an exception")

    def __str__(self):
        return "x" * 100


class WordlessError(Exception):
    def __str__(self):
        return 7  # noqa: PLE0307 - the point.


@pytest.mark.parametrize("kind", [HostileError, LyingError, WordlessError])
def test_an_exception_that_fails_or_lies_is_still_classified(kind):
    assert classify(kind("a", 1)).code is Code.INTERNAL_ERROR


def test_a_number_beyond_all_bounds_is_no_status():
    assert classify(VendorError(status_code=10**400)).code is Code.INTERNAL_ERROR


def test_a_class_with_a_strange_name_is_still_classified():
    strange = type("Strange", (Exception,), {"__module__": None, "__qualname__": "a\ud800.b"})
    assert classify(strange("not found")).code is Code.NOT_FOUND


def test_ten_megabytes_are_no_trouble():
    assert classify(VendorError("x" * 10_000_000)).code is Code.INTERNAL_ERROR
    assert classify(VendorError("rate limit " + "not logged " * 1_000_000)).code is Code.RATE_LIMITED


@given(st.text(), st.dictionaries(st.sampled_from(["status", "code", "response", "errno", "headers", "retry_after"]),
       st.one_of(st.integers(), st.text(), st.floats(), st.none(), st.lists(st.integers()))))  # fmt: skip
def test_whatever_an_exception_carries_it_is_classified(text, carried):
    fault = classify(VendorError(text, **carried))
    assert isinstance(fault.code, Code)
    assert fault.retry_after_ms is None or fault.retry_after_ms >= 0


def test_an_explanation_says_what_decided():
    told = explain(ExceptionGroup("g", [raised(RuntimeError("x"), FileNotFoundError("f"))]))
    assert told.step is Step.CAUSE
    assert "builtins.FileNotFoundError" in told.rule
    assert told.trail == ("builtins.ExceptionGroup", "builtins.RuntimeError")


class ModelError(Exception):
    pass


def test_what_a_rule_withholds_is_not_told_by_whoever_quotes_it(take_back):
    def read(_):
        """Its name alone."""
        return Classification(Code.VALIDATION_FAILED, text="`age` must be a whole number.")

    take_back((dotted_name(ModelError), read))
    inner = ModelError("input_value='s3cret'")
    quoting = RuntimeError(f"Cannot load the profile: {inner}")
    quoting.__context__ = inner
    assert classify(quoting).message == "Cannot load the profile: `age` must be a whole number."


@pytest.fixture
def take_back():
    rows = []

    def add(row):
        rows.append(row)
        REGISTRY.add(row)

    yield add
    for row in rows:
        REGISTRY.remove(row)


def test_a_group_with_a_row_of_its_own_is_asked_before_its_members(take_back):
    refused = type("RefusedGroup", (ExceptionGroup,), {})
    take_back((dotted_name(refused), Code.VALIDATION_FAILED))
    assert classify(refused("two fields", [KeyError("a"), KeyError("b")])).code is Code.VALIDATION_FAILED


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("I/O operation on closed file."), Code.INTERNAL_ERROR),
        (ValueError("Circular reference detected"), Code.SERIALIZATION_ERROR),
        (ValueError("Out of range float values are not JSON compliant"), Code.SERIALIZATION_ERROR),
        (EOFError("Ran out of input"), Code.SERIALIZATION_ERROR),
        (EOFError("EOF when reading a line"), Code.INTERNAL_ERROR),
        (EOFError(), Code.INTERNAL_ERROR),
        (SyntaxError("invalid syntax", ("<unknown>", 1, 1, "x y")), Code.INVALID_FORMAT),
        (SyntaxError("invalid syntax", ("server.py", 1, 1, "x y")), Code.INTERNAL_ERROR),
    ],
)
def test_a_built_in_is_told_apart_by_what_it_is_about(error, code):
    assert classify(error).code is code


def test_groups_may_share_their_members():
    error = VendorError("HTTP 503")
    for _ in range(60):
        error = ExceptionGroup("g", [error, error])
    assert classify(error).code is Code.SERVICE_UNAVAILABLE


def test_groups_may_have_groups_for_causes():
    error = VendorError("HTTP 503")
    for _ in range(8):
        members = [raised(RuntimeError("a"), error) for _ in range(50)]
        error = ExceptionGroup("g", members)
    assert isinstance(classify(error).code, Code)


class Mocking(type):
    def __hash__(cls):
        raise RuntimeError("no")

    def __eq__(cls, other):
        raise RuntimeError("no")


class Nameless(type):
    __name__ = property(lambda _: 7)
    __module__ = property(lambda _: None)


@pytest.mark.parametrize("kind", [Mocking, Nameless])
def test_a_metaclass_can_do_what_it_likes(kind):
    assert isinstance(classify(kind("Odd", (Exception,), {})("x")).code, Code)


@pytest.mark.parametrize("nothing", [None, "text", 7, ValueError])
def test_what_was_never_raised_is_refused_in_plain_words(nothing):
    with pytest.raises(TypeError, match="Pass what was raised"):
        classify(nothing)


def test_a_text_is_read_once():
    class FickleError(Exception):
        texts = iter(["401 Unauthorized", "HTTP 402 x"])

        def __str__(self):
            return next(self.texts)

    fault = classify(FickleError())
    assert (fault.code, fault.message) == (Code.UNAUTHORIZED, "401 Unauthorized")


def test_a_bug_told_by_another_class_stays_here():
    inner = KeyError("customer_ssn")
    assert classify(raised(RuntimeError(str(inner)), inner)).message == Code.INTERNAL_ERROR.sentence
    quoting = RuntimeError(f"It failed.\nTraceback (most recent call last):\n  File {'x'!r}")
    assert classify(quoting).message == "It failed.\n"


def test_what_may_not_be_repeated_has_no_wait():
    fault = classify(VendorError("x", retry_after=12))
    assert (fault.retry, fault.retry_after_ms) == (Retry.NEVER, None)


def test_a_no_that_a_root_class_says_for_all_is_not_about_this_one():
    root = type("RootError", (Exception,), {"retriable": False, "status_code": 503})
    assert classify(type("Down", (root,), {})("x")).retry is Retry.SAME_CALL
    assert classify(root("x")).retry is Retry.NEVER


def test_a_code_may_be_a_member_of_an_enumeration():
    kinds = enum.Enum("Kinds", ["RATE_LIMITED"])
    assert classify(VendorError(code=kinds.RATE_LIMITED)).code is Code.RATE_LIMITED
    assert classify(VendorError(statusCode=http.HTTPStatus.GONE)).code is Code.GONE


class KeptInASlotError(Exception):
    __slots__ = ("status_code",)

    def __init__(self):
        self.status_code = 429


class WorkedOutError(Exception):
    @property
    def status_code(self):
        return 429


class MadeUpError(Exception):
    def __getattr__(self, name):
        if name == "status_code":
            return 429
        raise AttributeError(name)


class OnTheClassError(Exception):
    status_code = 429


@pytest.mark.parametrize("kind", [KeptInASlotError, WorkedOutError, MadeUpError, OnTheClassError, VendorError])
def test_a_status_is_found_wherever_an_attribute_may_be(kind):
    class InheritingError(kind):
        pass

    for error in (kind(), InheritingError()):
        if kind is VendorError:
            error.status_code = 429
        assert classify(error).code is Code.RATE_LIMITED


_HEADERS = st.dictionaries(
    st.sampled_from(
        [
            *IN_MS,
            *(name for quotas in RESETS for pair in quotas.items() for name in pair),
            *FLAG_NAMES,
            *("Retry-After", "RateLimit", "Date", "Server", "Content-Type", "X-Request-Id"),
        ]
    ),
    st.sampled_from(["0", "1", "12", "true", "false", '"burst";r=0;t=12', "Mon, 16 Nov 2026 05:26:42 GMT", "nginx"]),
    max_size=4,
)


@given(status=st.integers(400, 599), headers=_HEADERS, as_bytes=st.booleans())
def test_headers_that_are_not_read_have_nothing_to_say(status, headers, as_bytes):
    error = VendorError()
    error.headers = {name.encode(): value.encode() for name, value in headers.items()} if as_bytes else headers

    answer = classify_status(status, error)

    known = _MADE_UP_BY_PROXIES.get(status)
    verdict = interpret_status(status, read_headers(headers), code=known)
    assert (answer.code, answer.retry, answer.http_status) == (verdict.code, verdict.retry, status)
    assert (answer.retry_after_ms is None) == (verdict.wait_ms is None)
