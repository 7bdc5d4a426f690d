"""004, where it has rules of its own."""

import pytest
from payloads import payload_of
from words_of_004 import RECOVERY_MAP

from errata import Code, Fault, Recovery, RecoveryHint, Retry, dialects


@pytest.mark.parametrize("code", Code)
def test_actions_are_those_of_004s_own_word(code):
    payload = payload_of("taxonomy", Fault(code=code))

    assert payload["recovery_actions"] == RECOVERY_MAP[payload["code"]]


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
