"""The table, checked against the design's copy of it, and what hangs on it."""

import inspect

import pytest

import errata
from errata import Code, FaultError, RecoveryHint, Retry
from errata.model import FACTORY_NAMES

# code, HTTP, verdict, kind of next step: the design's table, written down a second time on purpose.
TABLE = """
PARSE_ERROR              400 FIX_INPUT   CHECK_INPUT
INVALID_REQUEST          400 FIX_INPUT   CHECK_INPUT
METHOD_NOT_FOUND         404 NEVER       TRY_ALTERNATIVE
INVALID_PARAMS           400 FIX_INPUT   CHECK_INPUT
MISSING_REQUIRED_FIELD   400 FIX_INPUT   CHECK_INPUT
INVALID_FORMAT           400 FIX_INPUT   CHECK_INPUT
VALIDATION_FAILED        422 FIX_INPUT   CHECK_INPUT
UNAUTHORIZED             401 NEVER       REPORT_TO_USER
FORBIDDEN                403 NEVER       TRY_ALTERNATIVE
NOT_FOUND                404 FIX_INPUT   REPORT_TO_USER
GONE                     410 NEVER       REPORT_TO_USER
CONFLICT                 409 FIX_INPUT   CHECK_INPUT
RATE_LIMITED             429 SAME_CALL   RETRY_LATER
TIMEOUT                  504 IF_HARMLESS RETRY_LATER
CANCELLED                499 NEVER       REPORT_TO_USER
NETWORK_ERROR            503 IF_HARMLESS RETRY_LATER
UPSTREAM_ERROR           502 IF_HARMLESS RETRY_LATER
SERVICE_UNAVAILABLE      503 SAME_CALL   RETRY_LATER
CIRCUIT_OPEN             503 SAME_CALL   RETRY_LATER
CONFIGURATION_ERROR      500 NEVER       REPORT_TO_USER
INITIALIZATION_FAILED    500 NEVER       REPORT_TO_USER
DATABASE_ERROR           500 NEVER       REPORT_TO_USER
SERIALIZATION_ERROR      500 NEVER       REPORT_TO_USER
NOT_IMPLEMENTED          501 NEVER       TRY_ALTERNATIVE
BUSINESS_RULE_VIOLATION  422 NEVER       REPORT_TO_USER
INSUFFICIENT_BALANCE     402 NEVER       REPORT_TO_USER
DUPLICATE_OPERATION      409 NEVER       TRY_ALTERNATIVE
OPERATION_NOT_ALLOWED    403 NEVER       TRY_ALTERNATIVE
INTERNAL_ERROR           500 NEVER       REPORT_TO_USER
UNKNOWN_ERROR            500 NEVER       REPORT_TO_USER
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]


def test_there_are_thirty_codes_in_this_order():
    assert [row[0] for row in ROWS] == list(Code)


@pytest.mark.parametrize(("name", "status", "retry", "hint_class"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_is_as_designed(name, status, retry, hint_class):
    code = Code[name]

    assert code.http_status == int(status)
    assert code.retry is Retry[retry]
    assert code.hint_class is RecoveryHint[hint_class]


@pytest.mark.parametrize("code", Code)
def test_a_sentence_stands_alone_and_a_next_step_says_enough(code):
    assert code.sentence.endswith(".")
    assert ". " not in code.sentence
    assert code.use_when.endswith(".")
    assert len(code.next_step.split()) >= 5
    assert "!" not in code.sentence + code.use_when + code.next_step


def test_on_the_wire_a_verdict_is_in_lower_case():
    assert [str(retry) for retry in Retry] == ["same_call", "if_harmless", "fix_input", "verify_first", "never"]


def test_retryable_is_two_of_five():
    assert [retry for retry in Retry if retry.retryable] == [Retry.SAME_CALL, Retry.IF_HARMLESS]


@pytest.mark.parametrize(("code", "name"), FACTORY_NAMES.items(), ids=FACTORY_NAMES.values())
def test_a_factory_makes_the_exception_of_its_code(code, name):
    cause = OSError()
    error = getattr(errata, name)("What happened.", {"a": 1}, cause=cause, retry_after_ms=5)

    assert type(error) is FaultError
    assert (error.code, str(error), error.fault.data, error.fault.retry_after_ms) == (
        code,
        "What happened.",
        {"a": 1},
        5,
    )
    assert error.__cause__ is cause


def test_the_factories_are_the_ones_that_were_promised():
    promised = [
        "invalid_params",
        "invalid_request",
        "not_found",
        "forbidden",
        "unauthorized",
        "validation_error",
        "conflict",
        "rate_limited",
        "timeout",
        "service_unavailable",
        "configuration_error",
        "internal_error",
        "serialization_error",
        "database_error",
        "gone",
        "network_error",
        "upstream_error",
        "circuit_open",
        "not_implemented",
        "business_rule_violation",
        "insufficient_balance",
        "duplicate_operation",
        "operation_not_allowed",
    ]

    assert set(FACTORY_NAMES.values()) == set(promised) <= set(errata.__all__)


def test_the_public_names_are_sorted_and_there():
    assert errata.__all__ == sorted(errata.__all__)
    assert all(hasattr(errata, name) for name in errata.__all__)


def test_a_factory_is_documented_by_its_row():
    assert inspect.getdoc(errata.not_found).startswith("The thing does not exist.")
    assert errata.not_found.__name__ == "not_found"
