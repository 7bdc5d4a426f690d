"""Is the next step one that helps, whatever came back?"""

import dataclasses
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st
from support.strategies import faults, json_values

from errata import Code, Fault, FaultError, FieldIssue, NeedsInput, Recovery, RecoveryHint, Retry, dialects
from errata.client import AskUser, CallFailed, FixArguments, Repeat, Stop, TellModel, UseTool, decide
from errata.client._call_failed import MOST_IN_A_ROW, MOST_OF_A_TOOL, ClientRequest, StreakCounter
from errata.client._next_step import MOST_TIMES_AT_ALL

STEPS = (Repeat, FixArguments, UseTool, TellModel, AskUser, Stop)
DONE = {"content": [{"type": "text", "text": "done"}]}


def failed(fault, tool="pay", **arguments):
    return CallFailed.of(fault, ClientRequest("tool", tool, arguments), server="till")


@given(outcome=st.one_of(json_values, faults, faults.map(FaultError.from_fault), st.builds(ValueError, st.text())))
def test_whatever_came_back_there_is_a_next_step_or_nothing_to_do(outcome):
    step = decide(outcome, [outcome, None, 17])
    assert step is None or isinstance(step, STEPS)
    assert step is None or "\n" not in str(step)


@given(faults)
def test_a_failure_in_any_form_leads_to_the_same_step(fault):
    step = decide(fault)
    assert step == decide(FaultError.from_fault(fault)) == decide(failed(fault))


@given(faults)
def test_nothing_is_repeated_that_the_verdict_does_not_allow(fault):
    if isinstance(decide(fault), Repeat):
        assert fault.retry is Retry.SAME_CALL


@given(faults, st.sampled_from(dialects.names()))
def test_no_dialect_makes_a_step_bolder(fault, dialect):
    told = dialects.get(dialect).encode(fault)
    if isinstance(decide(told), Repeat):
        assert fault.retry.retryable


@pytest.mark.parametrize("dialect", dialects.names())
def test_no_dialect_licenses_a_repetition_in_a_result_that_does_not_call_itself_an_error(dialect):
    told = dialects.get(dialect).encode(Fault(code=Code.RATE_LIMITED, message="Slow down."))
    quiet = {member: value for member, value in told.items() if member != "isError"}
    assert not isinstance(decide(quiet), Repeat)


@pytest.mark.parametrize("wrap", [lambda result: result, lambda result: {"jsonrpc": "2.0", "id": 1, "result": result}])
def test_a_status_in_a_text_is_no_leave_to_repeat_it_knows_not_what(wrap):
    body = {"content": [{"type": "text", "text": '{"error": "503 Service Unavailable", "status": 503}'}]}
    assert isinstance(decide(wrap(body)), AskUser)
    assert isinstance(decide(wrap(body | {"isError": True})), AskUser)  # An upstream's body, perhaps.


@given(faults)
def test_the_same_call_that_fails_in_the_same_way_three_times_is_stopped(fault):
    first, second, third = (failed(fault, cents=5) for _ in range(3))
    assert not isinstance(decide(second, [first, second]), Stop) or isinstance(decide(first), Stop)
    step = decide(third, [first, second, third])
    assert isinstance(step, Stop)
    assert "3 times" in step.reason


BUSY = Fault(code=Code.SERVICE_UNAVAILABLE)


@pytest.mark.parametrize(
    "other",
    [
        failed(BUSY, cents=6),
        failed(BUSY, tool="refund", cents=5),
        failed(Fault(code=Code.RATE_LIMITED), cents=5),
        failed(Fault(code=Code.SERVICE_UNAVAILABLE, reason="night"), cents=5),
        CallFailed.of(BUSY, ClientRequest("tool", "pay", {"cents": 5}), server="bank"),
        DONE,
    ],
    ids=["arguments", "tool", "code", "reason", "server", "success"],
)
def test_another_call_or_another_way_of_failing_is_no_loop(other):
    assert isinstance(decide(failed(BUSY, cents=5), [failed(BUSY, cents=5), other]), Repeat)


def in_other_words(number, **arguments):
    return failed(Fault(code=Code.SERVICE_UNAVAILABLE, reason=f"req-{number}"), **arguments)


def test_the_same_call_is_stopped_at_last_whatever_the_server_calls_its_failures():
    *history, last = (in_other_words(number, cents=5) for number in range(MOST_TIMES_AT_ALL))
    assert isinstance(decide(last, history[1:]), Repeat)
    step = decide(last, history)
    assert isinstance(step, Stop)
    assert "10 times in different ways" in step.reason


def test_different_calls_may_fail_as_often_as_there_are_calls_if_others_succeed_in_between():
    history = [outcome for number in range(100) for outcome in (in_other_words(number, cents=number), DONE)]
    assert isinstance(decide(in_other_words(100, cents=100), history), Repeat)


def test_calls_that_fail_one_after_the_other_are_stopped_whatever_they_are():
    *history, last = (in_other_words(number, tool=f"pay_{number}", cents=number) for number in range(MOST_IN_A_ROW))
    assert isinstance(decide(last, history[1:]), Repeat)
    assert decide(last, history) == Stop(f"10 calls have failed one after the other, the last one with: {last}")


def test_waits_add_up_on_the_way_to_a_goal():
    waiting = [
        failed(Fault(code=Code.RATE_LIMITED, reason=str(n), retry_after_ms=1_500_000), cents=n) for n in range(3)
    ]
    steps = [decide(each, waiting[:number]) for number, each in enumerate(waiting)]
    assert steps[:2] == [Repeat(1_500_000)] * 2
    assert steps[2] == AskUser(
        "There were too many calls. With this wait it would be 2 hours in all. Decide whether to go on."
    )


def test_what_was_repeated_in_vain_is_not_repeated_again():
    tried = failed(BUSY, cents=5)
    tried.attempts = 3
    assert decide(tried) == Stop("The same call was made 3 times: A dependency is down or overloaded.")
    assert isinstance(decide(failed(BUSY, cents=5), [tried]), Stop)
    assert isinstance(decide(Fault(code=Code.SERVICE_UNAVAILABLE, data={"retryAttempts": 3})), Stop)
    assert isinstance(decide(Fault(code=Code.SERVICE_UNAVAILABLE, message="Down. (failed after 2 attempts)")), Stop)


@pytest.mark.parametrize("verdict", [Retry.SAME_CALL, Retry.IF_HARMLESS])
def test_a_read_that_failed_goes_back_to_the_model(verdict):
    read = failed(Fault(code=Code.TIMEOUT, message="No answer.", retry=verdict), tool="get_order")
    read.has_effect, read.attempts = False, 3
    assert decide(read) == TellModel("No answer.")


def test_a_name_that_reads_does_not_outweigh_who_says_that_it_may_have_happened():
    cash = failed(Fault(code=Code.TIMEOUT, message="No answer.", retry=Retry.VERIFY_FIRST), tool="get_cash")
    cash.has_effect = False
    assert decide(cash) == AskUser("No answer. Check whether it happened before it is done again.")


def test_only_what_the_server_lists_is_proposed_and_what_changes_something_is_marked():
    recovery = Recovery(fallback_tool="pay_by_post", verify_tool="get_payment")
    error = failed(Fault(code=Code.FORBIDDEN, message="Not here.", recovery=recovery))
    error.listed = {}
    assert decide(error) == AskUser("Not here.")
    error.listed = {"pay_by_post": True, "get_payment": False}
    step = decide(error)
    assert step == UseTool("pay_by_post")
    assert step.has_effect
    assert str(step) == "Call `pay_by_post` instead. It changes something: call it only if that is what the user wants."


def test_nothing_is_verified_with_a_tool_that_changes_something():
    error = failed(Fault(code=Code.TIMEOUT, retry=Retry.VERIFY_FIRST, recovery=Recovery(verify_tool="confirm")))
    error.listed = {"confirm": True}
    assert isinstance(decide(error), AskUser)


@pytest.mark.parametrize(
    ("hint", "step"),
    [
        (RecoveryHint.REPORT_TO_USER, AskUser("Which order?")),
        (RecoveryHint.CHECK_INPUT, FixArguments((), {"order": 7}, "No such order.")),
        (RecoveryHint.TRY_ALTERNATIVE, UseTool("list_orders")),
    ],
)
@pytest.mark.parametrize("code", [Code.NOT_FOUND, Code.RATE_LIMITED, Code.INTERNAL_ERROR])
def test_the_kind_of_step_that_a_server_names_is_taken(code, hint, step):
    recovery = Recovery(
        hint_class=hint, user_message="Which order?", corrective_params={"order": 7}, fallback_tool="list_orders"
    )
    assert decide(Fault(code=code, message="No such order.", recovery=recovery)) == step


@given(faults)
def test_no_hint_makes_a_call_more_likely_that_must_be_looked_at_first(fault):
    step = decide(dataclasses.replace(fault, retry=Retry.VERIFY_FIRST))
    assert isinstance(step, AskUser) or (isinstance(step, UseTool) and step.to_verify)


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0, -0.0), ([{"a": 2.0}], [{"a": 2}]), (10**20, 1e20)])
def test_numbers_are_the_same_in_either_notation(one, other):
    assert failed(BUSY, cents=one).identity == failed(BUSY, cents=other).identity


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, "1"), (1, 1.5)])
def test_what_json_tells_apart_is_another_call(one, other):
    assert failed(BUSY, cents=one).identity != failed(BUSY, cents=other).identity


@pytest.mark.parametrize("verdict", Retry)
def test_the_way_out_of_a_failure_does_not_lead_back_to_the_tool_that_failed(verdict):
    recovery = Recovery(verify_tool="pay", fallback_tool="pay")
    step = decide(failed(Fault(code=Code.TIMEOUT, retry=verdict, recovery=recovery)))
    assert not isinstance(step, UseTool)


def test_failures_of_calls_that_nobody_can_name_are_a_loop_only_in_the_same_words():
    quiet, other = (Fault(code=Code.SERVICE_UNAVAILABLE, message=message) for message in ("Not now.", "Closed."))
    assert isinstance(decide(quiet, [FaultError.from_fault(quiet), other]), Repeat)
    assert isinstance(decide(quiet, [FaultError.from_fault(quiet), dialects.get("native").encode(quiet)]), Stop)


def test_arguments_are_the_same_in_any_order():
    calls = [failed(BUSY, **dict(order)) for order in ([("a", 1), ("b", [2])], [("b", [2]), ("a", 1)])]
    assert calls[0].identity == calls[1].identity


def test_two_calls_that_take_turns_are_a_loop():
    turns = [failed(BUSY, tool=tool) for tool in ("list", "search", "list", "search")]
    assert isinstance(decide(failed(BUSY, tool="list"), turns), Stop)


def test_two_tools_that_name_each_other_are_tried_once():
    listing = failed(Fault(code=Code.CIRCUIT_OPEN, recovery=Recovery(fallback_tool="cached")), tool="list")
    cached = failed(Fault(code=Code.NOT_FOUND, recovery=Recovery(fallback_tool="list")), tool="cached")
    assert decide(listing) == UseTool("cached")
    assert isinstance(decide(cached, [listing]), FixArguments)


def test_a_failure_that_is_remembered_already_is_not_counted_twice():
    history = [failed(BUSY), failed(BUSY)]
    assert isinstance(decide(history[-1], history), Repeat)


@pytest.mark.parametrize("history", [5, True, object()])
def test_a_history_that_is_none_is_refused(history):
    for outcome in (BUSY, DONE):
        with pytest.raises(TypeError, match=r"`decide\(outcome, caller.history\)`"):
            decide(outcome, history)


def fault(code, **fields):
    recovery = {name: fields.pop(name) for name in ("fallback_tool", "verify_tool", "user_message") if name in fields}
    return Fault(code=code, message="What happened.", recovery=Recovery(**recovery) if recovery else None, **fields)


# fmt: off
TABLE = [
    (fault(Code.RATE_LIMITED, retry_after_ms=17_000),              Repeat(17_000)),
    (fault(Code.RATE_LIMITED, retry_after_ms=0),                   Repeat(0)),
    (fault(Code.RATE_LIMITED, retry_after_ms=3_600_000),           Repeat(3_600_000)),
    (fault(Code.RATE_LIMITED, retry_after_ms=3_600_001),           AskUser("What happened. It can be repeated in 2 hours. Decide whether to wait for that.")),
    (fault(Code.RATE_LIMITED, retry_after_ms=31 * 86_400_000, user_message="No calls left."),
                                                                   AskUser("No calls left. It can be repeated in 31 days. Decide whether to wait for that.")),
    (fault(Code.RATE_LIMITED, retry_after_ms=86_400_000, fallback_tool="cached"), UseTool("cached")),
    (fault(Code.SERVICE_UNAVAILABLE),                              Repeat(1_000)),
    (fault(Code.SERVICE_UNAVAILABLE, fallback_tool="cached"),      UseTool("cached")),
    (fault(Code.CIRCUIT_OPEN, retry_after_ms=9, fallback_tool="cached"), UseTool("cached")),
    (fault(Code.TIMEOUT, retry=Retry.SAME_CALL),                   Repeat(1_000)),
    (fault(Code.TIMEOUT, verify_tool="status"),                    UseTool("status", to_verify=True)),
    (fault(Code.TIMEOUT),                                          AskUser("What happened. Check whether it happened before it is done again.")),
    (fault(Code.TIMEOUT, retry=Retry.VERIFY_FIRST, verify_tool="status", fallback_tool="pay_by_post"), UseTool("status", to_verify=True)),
    (fault(Code.TIMEOUT, retry=Retry.VERIFY_FIRST, user_message="Was it paid?"), AskUser("Was it paid?")),
    (fault(Code.NOT_FOUND),                                        FixArguments(message="What happened.")),
    (fault(Code.NOT_FOUND, fallback_tool="search"),                UseTool("search")),
    (fault(Code.INVALID_PARAMS, issues=(FieldIssue("a", "is required"),), fallback_tool="search"),
                                                                   FixArguments((FieldIssue("a", "is required"),), {}, "What happened.")),
    (fault(Code.UNAUTHORIZED),                                     AskUser("What happened.")),
    (fault(Code.FORBIDDEN, user_message="Ask Ada for access."),    AskUser("Ask Ada for access.")),
    (fault(Code.INSUFFICIENT_BALANCE),                             AskUser("What happened.")),
    (fault(Code.FORBIDDEN, fallback_tool="public_copy"),           UseTool("public_copy")),
    (fault(Code.INTERNAL_ERROR),                                   Stop("What happened.")),
    (fault(Code.INTERNAL_ERROR, user_message="It is broken."),     Stop("It is broken.")),
    (fault(Code.DUPLICATE_OPERATION),                              Stop("What happened.")),
    (fault(Code.NETWORK_ERROR, retry=Retry.NEVER),                 Stop("What happened.")),
]
# fmt: on


@pytest.mark.parametrize(("fault", "step"), TABLE)
def test_the_way_out_of_a_failure(fault, step):
    assert decide(fault) == step


def test_an_argument_that_is_named_without_more_is_wrong_as_the_message_says():
    step = decide(Fault(code=Code.INVALID_PARAMS, message="Must be positive.", field="cents"))
    assert step == FixArguments((FieldIssue("cents", "Must be positive."),), {}, "Must be positive.")


def test_what_would_have_worked_is_handed_on():
    recovery = Recovery(hint="Use a page of 100 or less.", corrective_params={"limit": 100})
    step = decide(Fault(code=Code.INVALID_PARAMS, message="Too many.", recovery=recovery))
    assert step == FixArguments((), {"limit": 100}, "Too many.", "Use a page of 100 or less.")
    assert str(step) == (
        "Change the arguments and call again: Use a page of 100 or less. "
        "(The server proposes `limit`: compare with what the user wants before you use it.)"
    )


@pytest.mark.parametrize("outcome", [DONE, None, {}, {"content": []}, "text"])
def test_after_a_success_there_is_nothing_to_do(outcome):
    assert decide(outcome) is None


def test_a_question_is_asked_and_is_no_failure():
    question = NeedsInput("Which style?", fields=["style"], options=[{"label": "Bold", "value": "bold"}])
    told = dialects.encode_needs_input(question)
    for outcome in (question, told):
        step = decide(outcome)
        assert step == AskUser("Which style?", ("style",), ({"label": "Bold", "value": "bold"},))
    assert str(step) == "Ask the user: Which style?"


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (Repeat(), "Repeat the same call."),
        (Repeat(1_500), "Repeat the same call after 2 s."),
        (
            FixArguments((FieldIssue("a", "is required"), FieldIssue("b", "is 3"))),
            "Change the arguments and call again: a: is required; b: is 3",
        ),
        (UseTool("status", to_verify=True), "Call `status` to see whether it happened, before anything is repeated."),
        (UseTool("cached"), "Call `cached` instead."),
        (Stop("It is\nbroken."), "Stop: It is broken."),
    ],
)
def test_a_step_says_itself_in_one_sentence(step, sentence):
    assert str(step) == sentence


def test_deciding_needs_no_sdk():
    code = "import sys, errata.client; sys.exit(bool({'mcp', 'fastmcp', 'anyio', 'httpx2', 'pydantic'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_steps_can_be_compared_and_kept_in_sets():
    assert len({Repeat(1), Repeat(1), Stop("x"), UseTool("y"), AskUser("z"), FixArguments()}) == 5


LATE = Fault(code=Code.TIMEOUT, message="No answer.")
PROPOSED = {"amount": 5}


def known(fault, *, has_effect, **listed):
    """A failure of a tool of which it is known whether it changes something, on a server that lists these others."""
    error = failed(fault)
    error.has_effect, error.listed = has_effect, listed
    return error


@pytest.mark.parametrize("has_effect", [True, None])
@pytest.mark.parametrize("hint", RecoveryHint)
@pytest.mark.parametrize("retry", [Retry.IF_HARMLESS, Retry.VERIFY_FIRST])
def test_what_may_have_happened_is_looked_at_first_whatever_the_server_names(hint, retry, has_effect):
    recovery = Recovery(hint_class=hint, fallback_tool="charge", corrective_params=PROPOSED)
    fault = dataclasses.replace(LATE, retry=retry, recovery=recovery)
    step = decide(known(fault, has_effect=has_effect, charge=True))
    assert step == AskUser("No answer. Check whether it happened before it is done again.")
    looking = dataclasses.replace(fault, recovery=dataclasses.replace(recovery, verify_tool="get_order"))
    for charge in (True, None):
        step = decide(known(looking, has_effect=has_effect, charge=charge, get_order=False))
        assert step == UseTool("get_order", to_verify=True, has_effect=False)


def test_another_way_to_read_is_taken_after_a_timeout():
    fault = dataclasses.replace(LATE, recovery=Recovery(fallback_tool="get_cached"))
    for has_effect in (True, False, None):
        step = decide(known(fault, has_effect=has_effect, get_cached=False))
        assert step == UseTool("get_cached", has_effect=False)


def test_a_wait_is_said_to_whoever_decides():
    busy = Fault(code=Code.RATE_LIMITED, message="Full.", retry=Retry.IF_HARMLESS, retry_after_ms=1_500)
    assert decide(known(busy, has_effect=False)) == TellModel("Full. To call it again, wait 2 s first.")
    asked = "Full. Check whether it happened, and wait 2 s, before it is done again."
    assert decide(known(busy, has_effect=None)) == AskUser(asked)


def test_a_tool_that_was_stopped_begins_anew():
    streaks, wrong = StreakCounter(), Fault(code=Code.INVALID_PARAMS)
    for _ in range(MOST_OF_A_TOOL):
        before = streaks.begin("search")
        streaks.add("search", before, wrong)
        streaks.end("list")
    assert before.of_tool == MOST_OF_A_TOOL - 1
    assert streaks.begin("search").of_tool == 0


@pytest.mark.parametrize("members", [{}, {"content": []}, {"structuredContent": {}}])
def test_a_bare_payload_that_calls_itself_a_success_proposes_nothing(members):
    payload = {"error": {"code": "NOT_FOUND", "message": "m", "recovery": {"fallbackTool": "wipe"}}}
    assert not isinstance(decide({**payload, **members, "isError": False}), UseTool)
