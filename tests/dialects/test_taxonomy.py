"""004, where it has rules of its own."""

import pytest
from support.taxonomy_words import RECOVERY_MAP
from support.wire_payloads import payload_of

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


@pytest.mark.parametrize("hint", RecoveryHint)
@pytest.mark.parametrize("code", Code)
def test_the_authors_hint_is_sent_as_it_was_set(code, hint):
    payload = payload_of("taxonomy", Fault(code=code, recovery=Recovery(hint_class=hint)))

    assert payload["recovery_hint"] == hint
    assert "userMessage" not in payload


@pytest.mark.parametrize("hint", [RecoveryHint.TRY_ALTERNATIVE, RecoveryHint.REPORT_TO_USER])
def test_what_must_be_verified_first_keeps_a_hint_that_repeats_nothing(hint):
    fault = Fault(code=Code.TIMEOUT, retry=Retry.VERIFY_FIRST, recovery=Recovery(hint_class=hint))

    assert payload_of("taxonomy", fault)["recovery_hint"] == hint


@pytest.mark.parametrize("retry", [Retry.NEVER, Retry.FIX_INPUT, Retry.VERIFY_FIRST])
def test_never_advises_to_retry_what_somebody_decided_must_not_be_repeated(retry):
    fault = Fault(code=Code.INTERNAL_ERROR, retry=retry, recovery=Recovery(hint_class=RecoveryHint.RETRY_LATER))

    assert payload_of("taxonomy", fault)["recovery_hint"] == "REPORT_TO_USER"


@pytest.mark.parametrize(
    "fault",
    [
        Fault(code=Code.CANCELLED, message="Cancelled upstream."),
        Fault(code=Code.NETWORK_ERROR, message="The certificate has expired.", retry=Retry.NEVER),
        Fault(code=Code.TIMEOUT, message="No answer.", retry=Retry.VERIFY_FIRST),
        Fault(code=Code.NOT_FOUND, message="No order 7.", recovery=Recovery(corrective_params={"order": 8})),
    ],
)
def test_what_only_this_dialect_reports_to_the_user_says_what_to_tell_them(fault):
    payload = payload_of("taxonomy", fault)

    assert (payload["recovery_hint"], payload["userMessage"]) == ("REPORT_TO_USER", fault.message)


def test_the_authors_own_words_for_the_user_are_kept():
    fault = Fault(code=Code.CANCELLED, recovery=Recovery(user_message="It was stopped for you."))

    assert payload_of("taxonomy", fault)["userMessage"] == "It was stopped for you."


@pytest.mark.parametrize("word", dialects.MCPErrorCode)
def test_the_default_recovery_of_a_word_is_what_004s_map_says(word):
    assert dialects.get_default_recovery(word) == RECOVERY_MAP[word]


def test_the_default_recovery_of_a_word_nobody_knows_is_to_contact_support():
    assert dialects.get_default_recovery("NO_SUCH_WORD") == ["contact_support"]


@pytest.mark.parametrize("wait", [1500, 1499.5, 1500.0])
def test_a_wait_may_be_any_number(wait):
    wire = dialects.taxonomy.encode(Fault(code=Code.RATE_LIMITED))
    wire["structuredContent"]["retry_after_ms"] = wait

    assert dialects.taxonomy.decode(wire).retry_after_ms == 1500
