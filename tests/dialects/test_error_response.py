"""001, where it has rules of its own."""

import pytest
from support.wire_payloads import payload_of

from errata import Code, FaultError, FieldIssue, Recovery, dialects

CATEGORIES = {
    "VALIDATION_ERROR": "Validation",
    "MISSING_REQUIRED_FIELD": "Validation",
    "INVALID_FORMAT": "Validation",
    "RATE_LIMIT_EXCEEDED": "System",
    "TIMEOUT": "System",
    "ADAPTER_ERROR": "Adapter",
    "BACKEND_UNAVAILABLE": "System",
    "NOT_IMPLEMENTED": "Adapter",
}


@pytest.mark.parametrize("word", dialects.ErrorResponseCode)
def test_a_standard_code_has_the_category_of_001s_table(word):
    assert word.category == CATEGORIES[word.name]
    assert dialects.category_of(word.value) is word.category


@pytest.mark.parametrize(
    ("number", "category"),
    [(1000, "Protocol"), (2999, "Validation"), (3003, "Business"), (4999, "System"), (5002, "Adapter"), (7, None)],
)
def test_another_number_has_the_category_of_its_range(number, category):
    assert dialects.category_of(number) == category


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (1001, Code.INVALID_REQUEST),
        (2999, Code.VALIDATION_FAILED),
        (3999, Code.BUSINESS_RULE_VIOLATION),
        (4999, Code.UPSTREAM_ERROR),
        (5999, Code.UPSTREAM_ERROR),
        (7000, Code.UNKNOWN_ERROR),
    ],
)
def test_a_number_nobody_knows_is_read_by_its_range_and_kept(number, code):
    wire = {"structuredContent": {"error": {"code": number, "message": "x", "retryable": False}}, "isError": True}

    fault = dialects.error_response.decode(wire)

    assert (fault.code, fault.origin) == (code, str(number))


@pytest.mark.parametrize(
    ("original", "code", "origin"),
    [
        ("ORDER_NOT_FOUND", Code.UPSTREAM_ERROR, "ORDER_NOT_FOUND"),
        ("FORBIDDEN", Code.FORBIDDEN, None),
        ("RATE_LIMITED", Code.UPSTREAM_ERROR, "RATE_LIMITED"),  # It has a number of its own: the adapter meant another.
        (None, Code.UPSTREAM_ERROR, None),
    ],
)
def test_beside_4001_an_identifier_is_a_code_only_if_the_code_has_no_number(original, code, origin):
    details = {"originalError": original} if original else {}
    error = {"code": 4001, "message": "x", "retryable": False, "details": details}

    fault = dialects.error_response.decode({"structuredContent": {"error": error}, "isError": True})

    assert (fault.code, fault.origin) == (code, origin)


def test_details_say_what_001_asks_for():
    fault = FaultError(
        Code.INVALID_FORMAT,
        "Not an e-mail address.",
        {"given": "x"},
        reason="bad_email",
        issues=[FieldIssue("order.email", "is not an e-mail address")],
        recovery=Recovery(hint="Write it as name@example.org."),
    ).fault

    assert payload_of("error-response", fault) == {
        "code": 2003,
        "message": "Not an e-mail address.",
        "retryable": False,
        "details": {
            "field": "order.email",
            "reason": "bad_email",
            "suggestion": "Write it as name@example.org.",
            "context": {"given": "x"},
        },
    }
