"""004, where it has rules of its own."""

import pytest
from payloads import payload_of

from errata import Code, Fault, Recovery, RecoveryHint, Retry, dialects


@pytest.mark.parametrize("code", Code)
def test_actions_are_those_of_004s_own_word(code):
    actions = {
        "RATE_LIMITED": ["wait_and_retry", "use_cached_data"],
        "CIRCUIT_OPEN": ["use_fallback_service", "check_service_status"],
        "TIMEOUT": ["retry_with_timeout", "reduce_request_scope"],
        "VALIDATION_FAILED": ["check_input_format", "get_schema_info"],
        "NOT_FOUND": ["verify_resource_id", "list_available_resources"],
        "UNAUTHORIZED": ["refresh_token", "reauthenticate"],
        "FORBIDDEN": ["check_permissions", "escalate_to_human"],
        "INVALID_INPUT": ["check_input_format", "get_schema_info"],
        "INTERNAL_ERROR": ["retry_once", "contact_support"],
        "SERVICE_UNAVAILABLE": ["wait_and_retry", "use_fallback"],
        "DEPENDENCY_FAILED": ["use_fallback_service", "retry_later"],
        "BUSINESS_RULE_VIOLATION": ["review_business_rules", "escalate_to_human"],
        "INSUFFICIENT_BALANCE": ["check_balance", "add_funds"],
        "DUPLICATE_OPERATION": ["get_existing_result", "skip_operation"],
        "OPERATION_NOT_ALLOWED": ["check_permissions", "escalate_to_human"],
    }
    payload = payload_of("taxonomy", Fault(code=code))

    assert payload["recovery_actions"] == actions[payload["code"]]


def test_the_authors_actions_win():
    fault = Fault(code=Code.NOT_FOUND, recovery=Recovery(actions=("ask_a_librarian",)))

    assert payload_of("taxonomy", fault)["recovery_actions"] == ["ask_a_librarian"]


@pytest.mark.parametrize(
    ("verify_tool", "hint", "fallback_tool"),
    [("get_payment", "TRY_ALTERNATIVE", "get_payment"), (None, "REPORT_TO_USER", None)],
)
def test_what_must_be_verified_first_offers_the_tool_to_verify_with(verify_tool, hint, fallback_tool):
    recovery = Recovery(verify_tool=verify_tool, hint_class=RecoveryHint.RETRY_LATER)
    payload = payload_of("taxonomy", Fault(code=Code.TIMEOUT, retry=Retry.VERIFY_FIRST, recovery=recovery))

    assert (payload["recovery_hint"], payload.get("fallback_tool")) == (hint, fallback_tool)
    assert payload["recovery_actions"] == ["contact_support"]


def test_never_advises_to_retry_what_does_not_bear_it():
    fault = Fault(code=Code.INTERNAL_ERROR, recovery=Recovery(hint_class=RecoveryHint.RETRY_LATER))

    assert payload_of("taxonomy", fault)["recovery_hint"] == "REPORT_TO_USER"


@pytest.mark.parametrize("wait", [1500, 1499.5, 1500.0])
def test_a_wait_may_be_any_number(wait):
    wire = dialects.taxonomy.encode(Fault(code=Code.RATE_LIMITED))
    wire["structuredContent"]["retry_after_ms"] = wait

    assert dialects.taxonomy.decode(wire).retry_after_ms == 1500
