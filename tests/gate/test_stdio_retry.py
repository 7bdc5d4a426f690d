"""Calls over stdio that the gate makes again, and those that it does not even try."""

import json
import signal

import pytest
from support.gated_program import failure, fault_of, gated, goes_on, result, text_of, until

from errata import Fault, dialects
from errata.gate import Gatekeeper, GateOptions, GateRecord, StdioGate
from errata.wire import Ledger, first_message

DOWN = dialects.get("native").encode(Fault(code="SERVICE_UNAVAILABLE", message="Down.", retry="same_call"))
LATER = dialects.get("native").encode(
    Fault(code="SERVICE_UNAVAILABLE", message="Down.", retry="same_call", retry_after_ms=20_000)
)
FINE = result("fine")
AT_ONCE = {"_FIRST_PAUSE_S": 0.001}


def turns(*results):
    return ("by_turn", [[["result", each]] for each in results])


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    with gated(tmp_path_factory.mktemp("gate"), "--retry") as program:
        program.ask("tools/list")
        yield program


def attempts_of(gate, x):
    return [each for each in gate.calls() if each["params"]["arguments"].get("x") == x]


def test_a_repetition_has_an_id_of_its_own_and_no_token_for_its_progress(gate):
    answer = gate.call("get_order", turns(DOWN, FINE), id="mine", meta={"progressToken": "p", "trace": 1}, x=1)
    assert answer == {"jsonrpc": "2.0", "id": "mine", "result": FINE | {"_meta": {"errata/attempts": 2}}}
    first, second = attempts_of(gate, 1)
    assert first["id"] == "mine"
    assert second["id"] != "mine"
    assert first["params"]["_meta"] == {"progressToken": "p", "trace": 1}
    assert second["params"] == first["params"] | {"_meta": {"trace": 1}}


def test_a_call_that_fails_every_time_says_how_often_it_was_made(gate):
    answer = gate.call("get_order", turns(DOWN), x=2)
    assert "failed after 3 attempts" in text_of(answer)
    assert answer["result"]["_meta"]["errata/attempts"] == 3
    assert len(attempts_of(gate, 2)) == 3


def test_a_failure_that_may_not_be_repeated_ends_the_repetitions(gate):
    answer = gate.call("get_order", turns(DOWN, failure("boom")), x=3)
    assert "boom" in text_of(answer)
    assert answer["result"]["_meta"]["errata/attempts"] == 2
    assert len(attempts_of(gate, 3)) == 2


@pytest.mark.parametrize("tool", ["pay_invoice", "frobnicate"])
def test_whatever_the_server_says_nothing_is_repeated_that_may_have_an_effect(gate, tool):
    spoken = [
        dialects.get(name).encode(Fault(code=code, message="Down.", retry="same_call", retry_declared=True))
        for name in dialects.names()
        for code in ("SERVICE_UNAVAILABLE", "RATE_LIMITED", "NETWORK_ERROR", "TIMEOUT")
    ]
    for number, said in enumerate(spoken):
        gate.call(tool, ("result", said), x=[tool, number])
        assert len(attempts_of(gate, [tool, number])) == 1
    gate.call(tool, ("error", {"code": -32000, "message": "503", "data": {"retryable": True, "retryAfter": 0}}), x=tool)
    assert len(attempts_of(gate, tool)) == 1


def test_a_cancellation_reaches_the_attempt_that_is_alive_and_nothing_of_it_the_client(gate):
    late = [["keep", FINE]]
    number = gate.begin("get_order", ("by_turn", [[["result", DOWN]], late]), x=4)
    alive = until(lambda: attempts_of(gate, 4)[1:])[0]["id"]
    gate.tell("notifications/cancelled", requestId=number, reason="The user left.")
    heard = gate.until_noted(lambda each: each.get("method") == "notifications/cancelled")
    assert heard["params"] == {"requestId": alive, "reason": "The user left."}
    gate.call("get_order", ("release", [0]), ("result", FINE), x="after")  # The late answer came before this one.
    assert gate.lines.take(timeout_s=0) is None


def test_a_second_answer_to_a_call_that_is_being_repeated_is_not_passed_on(gate):
    doubled = [["result", DOWN], ["result", DOWN]]
    answer = gate.call("get_order", ("by_turn", [doubled, [["result", FINE]]]), x=5)
    assert text_of(answer) == "fine"
    gate.call("get_order", ("result", FINE), x="after")
    assert gate.lines.take(timeout_s=0) is None


def test_a_call_that_waits_for_its_repetition_is_answered_when_the_client_says_no_more(tmp_path):
    with gated(tmp_path, "--retry") as gate:
        gate.ask("tools/list")
        number = gate.begin("get_order", turns(LATER, FINE), x=6)
        gate.call("get_order", ("result", FINE), x="after")  # By now the first answer is known.
        gate.process.stdin.close()
        answer = gate.answer(number)
        assert "Down." in text_of(answer)
        assert "errata/attempts" not in answer["result"].get("_meta", {})
        assert gate.exit_code() == 0
        assert len(attempts_of(gate, 6)) == 1


def test_a_cancelled_call_is_not_repeated(tmp_path):
    with gated(tmp_path, "--retry") as gate:
        gate.ask("tools/list")
        number = gate.begin("get_order", turns(LATER, FINE), x=7)
        gate.call("get_order", ("result", FINE), x="after")
        gate.tell("notifications/cancelled", requestId=number)
        assert gate.leave() == 0
        assert gate.rest() == []
        assert len(attempts_of(gate, 7)) == 1


def test_what_the_server_has_said_before_a_failure_comes_before_it(tmp_path):
    far = Fault(code="SERVICE_UNAVAILABLE", message="Down.", retry="same_call", retry_after_ms=3_600_000)
    with gated(tmp_path, "--retry") as gate:
        gate.ask("tools/list")
        for number in range(20):
            spoken = [{"method": "notifications/message", "params": {"data": each, "id": 0}} for each in range(50)]
            spoken.append({"id": f"{number}", "result": dialects.get("native").encode(far)})
            text = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in spoken)
            gate.begin("get_order", ("write", text), id=f"{number}")
            assert [json.loads(gate.line()).get("id") for _ in spoken] == [None] * 50 + [f"{number}"]


def test_a_call_that_is_cancelled_while_its_answer_is_read_is_not_repeated():
    gate = StdioGate(["server"], Gatekeeper(GateOptions.of({"retry": True}, name="server"), GateRecord("server", None)))
    pending = Ledger().begin(first_message(b'{"id":1,"method":"tools/call","params":{"name":"get_order"}}'))
    died = Fault(code="NETWORK_ERROR", message="It died.", retry="same_call")
    failed = gate._keeper.refuse(pending, gate._tools, died)
    gate._examine_sent(first_message(b'{"method":"notifications/cancelled","params":{"requestId":1}}'))
    assert gate._keeper.may_repeat(failed)
    assert not gate._repeat(failed)


def test_an_open_circuit_refuses_calls_and_leaves_the_server_alone(tmp_path):
    with gated(tmp_path, "--breaker", "--restart", changes=AT_ONCE) as gate:
        for number in range(5):
            gate.call("get_order", ("exit", 1), x=number)
        refused = gate.call("get_order", ("result", FINE), x="refused")
        assert fault_of(refused)["code"] == "CIRCUIT_OPEN"
        assert fault_of(refused)["retryAfterMs"] > 0
        assert attempts_of(gate, "refused") == []
        assert gate.ask("tools/list")["result"]["tools"]


def test_one_death_is_one_failure_however_many_calls_it_has_cost(tmp_path):
    with gated(tmp_path, "--breaker", "--retry", "--restart", changes=AT_ONCE) as gate:
        gate.ask("tools/list")
        lost = [gate.begin(tool, x=number) for number in range(10) for tool in ("get_order", "frobnicate")]
        gate.call("frobnicate", ("exit", 1))
        for number in lost[1::2]:
            assert fault_of(gate.answer(number))["retry"] == "verify_first"
        until(lambda: len(gate.calls()) == 31)  # Those that may be repeated have come again; now they are lost as well.
        gate.call("frobnicate", ("exit", 1))
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"


def test_a_server_whose_tools_fail_is_no_reason_to_leave_it_alone(tmp_path):
    with gated(tmp_path, "--breaker") as gate:
        for number in range(8):
            gate.call("get_order", ("result", DOWN), x=number)
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"


def test_a_circuit_that_opens_between_two_attempts_leaves_no_call_without_an_answer(tmp_path):
    with gated(tmp_path, "--breaker", "--retry", "--restart", changes=AT_ONCE) as gate:
        gate.ask("tools/list")
        attempts = []
        for x in range(2):  # The fifth death opens it: after three attempts at the first call, and two at the second.
            answer = gate.call("get_order", ("exit", 1), x=x)
            assert fault_of(answer)["code"] == "NETWORK_ERROR"
            attempts.append((answer["result"]["_meta"]["errata/attempts"], len(attempts_of(gate, x))))
        assert attempts == [(3, 3), (2, 2)]


def test_a_client_that_does_not_read_while_calls_are_repeated_ends_everything_by_a_signal(tmp_path):
    with gated(tmp_path, "--retry", changes={"_DRAIN_S": 0.1}) as gate:
        gate.ask("tools/list")
        gate.may_read.clear()
        large = failure("x" * 1_000_000)
        numbers = [gate.begin("get_order", turns(DOWN, large), x=number) for number in range(8)]
        until(lambda: len(gate.calls()) >= 2 * len(numbers))
        gate.process.send_signal(signal.SIGTERM)
        assert gate.process.wait(60) == 128 + signal.SIGTERM
        assert until(lambda: not any(map(goes_on, gate.pids())))
