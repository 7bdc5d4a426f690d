"""Every example of the five documents, to the byte. The golden files are the specification."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

import errata
from errata import (
    AdapterError,
    Code,
    Fault,
    FaultError,
    FieldIssue,
    NeedsInput,
    Recovery,
    RecoveryHint,
    Retry,
    dialects,
    http,
    not_found,
    rate_limited,
    timeout,
    unauthorized,
    validation_error,
)

WIRE = Path(__file__).parent.parent / "wire"
IDENTIFIED = {"correlation_id": "0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11", "timestamp": "2026-11-15T12:00:00.000Z"}


class Example(NamedTuple):
    file: str
    dialect: str
    fault: Fault
    format: str = "markdown"


def answered(status, message="Napkin said no.", data=None):
    return Fault(code=http.status_to_code(status), message=message, http_status=status, data=data or {})


def declared(code, message, data=None, **fields):
    return FaultError(code, message, data, **fields, **IDENTIFIED).fault


EXAMPLES = [
    *(
        Example(f"000/status_{status}", "mcp-tool-error", answered(status, data={"body": {"error": "no"}}))
        for status in (400, 401, 403, 404, 410, 429, 500, 503)
    ),
    Example("000/abort_error", "mcp-tool-error", timeout("The request was aborted.").fault),
    Example("000/network_type_error", "mcp-tool-error", Fault(code=Code.NETWORK_ERROR, message="fetch failed")),
    Example(
        "001/tool_result",
        "error-response",
        declared(
            Code.INVALID_FORMAT,
            "Not an e-mail address.",
            {"allowed": ["name@example.org"]},
            reason="bad_email",
            issues=[FieldIssue("order.customer.email", "is not an e-mail address")],
            recovery=Recovery(hint="Write it as name@example.org."),
        ),
    ),
    Example("002/network_timeout", "tool-error-v1", timeout("Network error: Request timeout").fault),
    Example(
        "002/authentication_401",
        "tool-error-v1",
        answered(401, "Authentication required: Missing or invalid API key"),
    ),
    Example("002/server_500", "tool-error-v1", answered(500, "Internal server error: Database connection failed")),
    Example("002/client_400", "tool-error-v1", answered(400, "Invalid request: limit must be between 1 and 100")),
    Example("002/not_found_404", "tool-error-v1", answered(404, "Resource not found: /api/patterns/invalid-resource")),
    Example("002/unknown", "tool-error-v1", Fault(code=Code.UNKNOWN_ERROR, message="Unknown error occurred")),
    Example("002/network_timeout_both", "tool-error-v1", timeout("Network error: Request timeout").fault, "both"),
    Example("002/network_timeout_json", "tool-error-v1", timeout("Network error: Request timeout").fault, "json"),
    Example(
        "003/no_match",
        "json-rpc",
        not_found("None of 2 PMIDs returned data", {"reason": "overridden"}, reason="no_match").fault,
    ),
    Example(
        "003/recovery_from_the_contract",
        "json-rpc",
        validation_error(
            "Expression is empty or whitespace-only.",
            {"recovery": {"hint": "Provide a non-empty mathematical expression to evaluate."}},
            reason="empty_expression",
        ).fault,
    ),
    Example(
        "003/recovery_at_the_throw_site",
        "json-rpc",
        not_found("No item 7", {"recovery": {"hint": "No item 7; try IDs 1-100 instead."}, "reason": "no_match"}).fault,
    ),
    Example(
        "003/reason_from_a_service",
        "json-rpc",
        validation_error("Expression cannot be empty.", {"reason": "empty_expression"}).fault,
    ),
    Example("003/not_found_factory", "json-rpc", not_found("Item not found", {"itemId": "123"}).fault),
    Example(
        "003/validation_factory", "json-rpc", validation_error("Missing required field: name", {"field": "name"}).fault
    ),
    Example("003/unauthorized_factory", "json-rpc", unauthorized("Token expired").fault),
    Example(
        "003/constructor",
        "json-rpc",
        FaultError(Code.DATABASE_ERROR, "Connection pool exhausted", {"pool": "primary"}).fault,
    ),
    Example(
        "003/queue_full",
        "json-rpc",
        rate_limited("Local request queue is at capacity", {"retryable": True}, reason="queue_full").fault,
    ),
    Example("003/auto_classified", "json-rpc", Fault(code=Code.NETWORK_ERROR, message="connection reset by peer")),
    Example(
        "004/not_found",
        "taxonomy",
        declared(
            Code.NOT_FOUND, "Order 17 not found", {"orderId": "17"}, recovery=Recovery(fallback_tool="list_orders")
        ),
    ),
    Example(
        "004/internal_error",
        "taxonomy",
        declared(
            Code.INTERNAL_ERROR, "Failed to retrieve order", {"orderId": "17", "originalError": "connection lost"}
        ),
    ),
    Example(
        "004/with_recovery",
        "taxonomy",
        declared(
            Code.UPSTREAM_ERROR,
            "Order service unavailable",
            retry_after_ms=5000,
            recovery=Recovery(
                hint_class=RecoveryHint.RETRY_LATER,
                user_message="Could not load orders. The order service is temporarily unavailable.",
            ),
        ),
    ),
    Example(
        "native/bad_arguments",
        "native",
        declared(
            Code.INVALID_PARAMS,
            "Two arguments do not fit `quote`.",
            issues=[FieldIssue("days", "must be a whole number"), FieldIssue("symbol", "is required")],
            recovery=Recovery(
                hint="Call list_symbols first to see the symbols that exist.",
                fallback_tool="quote_by_name",
                user_message="I need a symbol.",
            ),
        ),
    ),
    Example(
        "native/everything",
        "native",
        declared(
            Code.TIMEOUT,
            "No answer from the bank within 10 s.",
            {"key": "k-1"},
            retry=Retry.VERIFY_FIRST,
            retry_after_ms=1500,
            reason="bank_timeout",
            field="amount",
            issues=[FieldIssue("amount", "is large", "at most 100")],
            recovery=Recovery(
                hint="Look up the payment by its key before paying again.",
                hint_class=RecoveryHint.TRY_ALTERNATIVE,
                actions=("verify_payment",),
                fallback_tool="pay_later",
                verify_tool="get_payment",
                corrective_params={"amount": 100},
                user_message="The bank did not answer.",
            ),
            http_status=504,
            origin="BANK_504",
        ),
    ),
]

# 003 always, and 002 in markdown, put only prose into the text.
SPEAKING_FOR_ITSELF = [
    example
    for example in EXAMPLES
    if example.dialect != "json-rpc" and (example.dialect != "tool-error-v1" or example.format != "markdown")
]

every_example = pytest.mark.parametrize("example", EXAMPLES, ids=[example.file for example in EXAMPLES])


def golden(file):
    return (WIRE / f"{file}.json").read_text(encoding="utf-8")


def written(message):
    return json.dumps(message, indent=2, ensure_ascii=False) + "\n"


@every_example
def test_an_example_is_written_to_the_byte(example):
    assert written(dialects.get(example.dialect).encode(example.fault, format=example.format)) == golden(example.file)


@every_example
def test_an_example_is_recognised_and_written_again_to_the_byte(example):
    reading = errata.reading.recognise(json.loads(golden(example.file)))

    assert reading.dialect == example.dialect
    assert written(dialects.get(example.dialect).encode(reading.fault, format=example.format)) == golden(example.file)


@pytest.mark.parametrize("example", SPEAKING_FOR_ITSELF, ids=[example.file for example in SPEAKING_FOR_ITSELF])
def test_an_example_without_its_structured_content_is_still_read(example):
    message = json.loads(golden(example.file))
    whole = errata.decode(message)
    del message["structuredContent"]

    alone = errata.decode(message)

    assert (alone.code, alone.message, alone.retryable) == (whole.code, whole.message, whole.retryable)
    assert alone.retry is not Retry.SAME_CALL  # A text may be an upstream's.


def test_a_golden_file_is_an_example():
    files = {str(path.relative_to(WIRE).with_suffix("")) for path in WIRE.rglob("*.json")}
    servers = {file for file in files if file.startswith("servers/")}  # They are the cases of tests/serving/matrix.
    elsewhere = {
        "001/success",
        "001/domain_failure",
        "001/protocol_validation_failure",
        "jsonrpc_error/missing_resource",
        "needs_input/get_pattern_both",
    }

    assert files - servers == elsewhere | {example.file for example in EXAMPLES}


def test_001_a_success_is_no_failure():
    assert errata.decode(json.loads(golden("001/success"))) is None


def test_001_a_domain_failure_is_a_successful_response_with_an_error_in_it():
    error = AdapterError("ORDER_NOT_FOUND", "Adapter error")

    response = {"jsonrpc": "2.0", "result": dialects.error_response.as_jsonrpc_result(error.fault), "id": 1}

    assert written(response) == golden("001/domain_failure")


@pytest.mark.parametrize("decode", [errata.decode, dialects.error_response.decode])
def test_001_a_domain_failure_is_read(decode):
    fault = decode(json.loads(golden("001/domain_failure")))

    assert (fault.code, fault.origin, fault.retry) == (Code.UPSTREAM_ERROR, "ORDER_NOT_FOUND", Retry.NEVER)


@pytest.mark.parametrize("decode", [errata.decode, dialects.error_response.decode])
def test_001_a_protocol_validation_failure_is_read(decode):
    fault = decode(json.loads(golden("001/protocol_validation_failure")))

    assert (fault.code, fault.field, fault.message) == (Code.INVALID_PARAMS, "order.customer.email", "Invalid params")


def test_001_a_protocol_validation_failure_has_the_number_and_the_field_001_wants():
    literal = json.loads(golden("001/protocol_validation_failure"))["error"]
    fault = Fault(code=Code.INVALID_PARAMS, message="Invalid params", field="order.customer.email")

    ours = dialects.as_jsonrpc_error(fault)

    assert ours["code"] == literal["code"]
    assert literal["data"].items() <= ours["data"].items()


def test_a_jsonrpc_error_is_written_to_the_byte():
    fault = declared(
        Code.NOT_FOUND,
        "There is no such file",
        {"uri": "file:///a"},
        recovery=Recovery(hint="Call list_files first to see the files that exist"),
    )

    assert written(dialects.as_jsonrpc_error(fault)) == golden("jsonrpc_error/missing_resource")


def test_002_a_question_is_written_to_the_byte():
    question = NeedsInput(
        "Which pattern do you mean?",
        fields=["pattern_id"],
        reason="not_found",
        suggestions={"pattern_id": ["retry", "circuit-breaker"]},
        options=[
            {
                "label": "Retry",
                "value": "retry",
                "description": "Try again after a failure",
                "field": "pattern_id",
            }
        ],
    )

    assert written(dialects.encode_needs_input(question, format="both")) == golden("needs_input/get_pattern_both")


def test_002_a_question_is_read_and_written_again_to_the_byte():
    message = json.loads(golden("needs_input/get_pattern_both"))

    question = errata.decode_needs_input({"jsonrpc": "2.0", "id": 1, "result": message})

    assert written(dialects.encode_needs_input(question, format="both")) == golden("needs_input/get_pattern_both")
    assert errata.decode(message) is None


def test_004_an_error_without_reference_and_time_gets_both():
    dialect = type(dialects.taxonomy)(new_id=lambda: "an id", clock=lambda: "a time")

    payload = dialect.encode(Fault(code=Code.NOT_FOUND))["structuredContent"]

    assert (payload["correlation_id"], payload["timestamp"]) == ("an id", "a time")
