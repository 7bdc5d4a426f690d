"""The process behind a gate over stdio: how it ends, what is said of it then, and how it is started again."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from support.gated_program import OLD, failure, fault_of, gated, goes_on, result, text_of, until
from support.scripted_stdio_server import write_steps

from errata.gate._server_process import _LONGEST_TAIL

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="Processes, groups and signals of Linux: the gate's process was NOT TESTED here"
)
SECRET = "sk_live_" + "51H8xQ2eZvKYlo2C0aBcDeFgH"
FINE = result("fine")
NOTHING = write_steps([])
AT_ONCE = {"_FIRST_PAUSE_S": 0.001}


def method_is(method):
    return lambda each: each.get("method") == method


# Death.


def test_a_server_that_dies_answers_every_pending_call_by_what_is_known_of_its_tool(tmp_path):
    with gated(tmp_path, "--name", "orders") as gate:
        gate.ask("tools/list")
        reading, paying = gate.begin("get_order"), gate.begin("pay_invoice")
        listing = gate.begin("frobnicate")
        gate.say(
            {"jsonrpc": "2.0", "id": "read", "method": "resources/read", "params": {"arguments": {"steps": NOTHING}}}
        )
        gate.begin("frobnicate", ("warn", f"ERROR: the key {SECRET} expired\n"), ("exit", 3), id="last")
        answers = {number: gate.answer(number) for number in (reading, paying, listing, "last")}
        verdicts = {number: fault_of(answer)["retry"] for number, answer in answers.items()}
        assert verdicts[reading] == "same_call"
        assert verdicts[paying] == verdicts[listing] == verdicts["last"] == "verify_first"
        for answer in answers.values():
            assert "ended with exit status 3" in text_of(answer)
            assert "expired" in text_of(answer)
            assert SECRET not in str(answer)
        assert "exit status 3" in gate.answer("read")["error"]["message"]
        assert gate.exit_code() == 3
        assert gate.rest() == []


def test_a_cancelled_call_is_not_answered_when_the_server_dies(tmp_path):
    with gated(tmp_path) as gate:
        gate.tell("notifications/cancelled", requestId=gate.begin("get_order"))
        last = gate.begin("get_order", ("exit", 0))
        assert gate.answer(last)
        assert gate.exit_code() == 0
        assert gate.rest() == []


def test_a_call_that_was_cancelled_in_a_batch_is_not_answered_when_the_server_dies(tmp_path):
    with gated(tmp_path) as gate:
        gone = {"method": "notifications/cancelled", "params": {"requestId": gate.begin("get_order")}}
        gate.say([{"jsonrpc": "2.0", **each} for each in (gone, {"method": "notifications/progress"})])
        assert gate.answer(gate.begin("get_order", ("exit", 0)))
        assert gate.exit_code() == 0
        assert gate.rest() == []


def test_half_a_line_passes_as_it_is_and_the_answer_begins_a_line_of_its_own(tmp_path):
    with gated(tmp_path) as gate:
        number = gate.begin("get_order", ("write", '{"jsonrpc":"2.0","id":1,"resu'), ("exit", -signal.SIGKILL))
        assert gate.line() == b'{"jsonrpc":"2.0","id":1,"resu\n'
        assert "was ended by SIGKILL" in text_of(gate.answer(number))
        assert gate.exit_code() == 128 + signal.SIGKILL


def test_a_program_left_behind_that_holds_the_output_keeps_no_call_waiting(tmp_path):
    with gated(tmp_path) as gate:
        number = gate.begin("get_order", ("bear", None), ("exit", 5))
        assert "ended with exit status 5" in text_of(gate.answer(number))
        assert gate.exit_code() == 5
        assert len(gate.pids()) == 2
        assert until(lambda: not any(map(goes_on, gate.pids())))


def test_a_call_that_the_server_does_not_read_any_more_may_be_repeated(tmp_path):
    with gated(tmp_path) as gate:
        gate.begin("pay_invoice", ("close_input", None))
        gate.until_noted(lambda each: each.get("is_deaf"))
        answer = gate.call("pay_invoice", ("result", FINE))
        assert "did not reach it" in text_of(answer)
        assert fault_of(answer)["retry"] == "same_call"


def test_a_secret_that_stands_where_the_end_of_stderr_begins_is_not_shown_in_half(tmp_path):
    key = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"] * 60)
    pem = f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----"
    for secret, half in ((SECRET, SECRET[-15:]), (pem, key[-65:])):
        begin = f"{secret} " if secret is SECRET else f"{secret}\n"
        end = "\nfatal: no space left\n"
        filler = "word " * 20_000
        rest = _LONGEST_TAIL - len(secret) // 2 - len(end)
        with gated(tmp_path) as gate:
            answer = gate.call("get_order", ("warn", begin + filler[:rest] + end), ("exit", 3))
            assert "no space left" in text_of(answer)
            assert half.strip() not in json.dumps(answer)
            gate.exit_code()


def test_a_program_that_is_not_there_is_said_on_stderr_with_the_status_of_a_shell(tmp_path):
    for program, status, words in ((tmp_path / "nowhere", 127, "no such program"), (tmp_path, 126, "denied")):
        done = subprocess.run(
            [sys.executable, "-m", "errata", "gate", "--", str(program)], check=False, capture_output=True, text=True
        )
        assert done.returncode == status
        assert words in done.stderr
        assert "Traceback" not in done.stderr


# Restarts.


def test_a_restarted_server_gets_the_handshake_of_the_client_who_sees_nothing_of_it(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        assert gate.shake_hands()["result"]["protocolVersion"] == OLD
        assert "exit status 1" in text_of(gate.call("get_order", ("exit", 1)))
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        first, second = gate.noted(method_is("initialize"))
        assert first["params"] == second["params"]
        assert first["id"] != second["id"]
        assert len(gate.noted(method_is("notifications/initialized"))) == 2
        assert gate.leave() == 0
        assert gate.rest() == []
        assert "restarted 1 time" in gate.summary()


def test_what_a_server_says_with_the_same_stroke_as_the_handshake_reaches_the_client_whole(tmp_path):
    line = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"é"}}\n'
    hello = {"protocolVersion": OLD, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    steps = write_steps([["by_turn", [[["result", hello]], [["result_then", [hello, line[:20]]]]]]])
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.ask("initialize", protocolVersion=OLD, arguments={"steps": steps})
        gate.call("get_order", ("exit", 1))
        gate.begin("get_order", ("write", line[20:]))
        assert gate.line() == line.encode()


def test_a_restarted_server_that_is_silent_at_the_handshake_is_given_up(tmp_path):
    hello = {"protocolVersion": OLD, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    steps = write_steps([["by_turn", [[["result", hello]], [["hang", None]], [["result", hello]]]]])
    with gated(tmp_path, "--restart", changes=AT_ONCE | {"_HANDSHAKE_S": 2}) as gate:
        gate.ask("initialize", protocolVersion=OLD, arguments={"steps": steps})
        gate.call("get_order", ("exit", 1))
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert gate.leave() == 0
        assert len(gate.pids()) == 3
        assert until(lambda: not any(map(goes_on, gate.pids())))


HELLO = {"protocolVersion": OLD, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}


def test_a_call_does_not_wait_for_ever_for_a_restarted_server(tmp_path):
    steps = write_steps([["by_turn", [[["result", HELLO]], [["hang", None]]]]])
    with gated(tmp_path, "--restart", changes=AT_ONCE | {"_GRACE_S": 0.05, "_QUEUE_S": 0.1}) as gate:
        gate.ask("initialize", protocolVersion=OLD, arguments={"steps": steps})
        gate.call("get_order", ("exit", 1))
        answer = gate.call("get_order")
        assert "did not reach it" in text_of(answer)
        assert fault_of(answer)["retry"] == "same_call"


def test_a_client_that_leaves_while_a_restarted_server_is_silent_is_noticed(tmp_path):
    steps = write_steps([["by_turn", [[["result", HELLO]], [["hang", None]]]]])
    with gated(tmp_path, "--restart", changes=AT_ONCE | {"_GRACE_S": 0.05, "_QUEUE_S": 600}) as gate:
        gate.ask("initialize", protocolVersion=OLD, arguments={"steps": steps})
        gate.call("get_order", ("exit", 1))
        number = gate.begin("get_order")
        gate.process.stdin.close()
        assert "did not reach it" in text_of(gate.answer(number))
        gate.exit_code()
        assert until(lambda: not any(map(goes_on, gate.pids())))


def test_a_ping_of_a_restarted_server_before_its_answer_to_the_handshake_is_answered(tmp_path):
    ping = '{"jsonrpc":"2.0","id":"p","method":"ping"}\n'
    again = [["write", ping], ["read_line", None], ["result", HELLO]]
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        steps = write_steps([["by_turn", [[["result", HELLO]], again]]])
        gate.ask("initialize", protocolVersion=OLD, arguments={"steps": steps})
        gate.call("get_order", ("exit", 1))
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert gate.noted(lambda each: each.get("id") == "p") == [{"jsonrpc": "2.0", "id": "p", "result": {}}]
        assert gate.leave() == 0
        assert gate.rest() == []


def test_the_end_of_the_handshake_reaches_the_next_server_once(tmp_path):
    deaf = [["result", HELLO], ["close_input", None]]
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        steps = write_steps([["by_turn", [deaf, [["result", HELLO]]]]])
        gate.ask("initialize", protocolVersion=OLD, arguments={"steps": steps})
        gate.until_noted(lambda each: each.get("is_deaf"))
        gate.tell("notifications/initialized")
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert len(gate.noted(method_is("notifications/initialized"))) == 1


def test_a_handshake_that_the_first_server_did_not_live_to_answer_is_left_to_the_client(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        assert "error" in gate.ask("initialize", protocolVersion=OLD, arguments={"steps": write_steps([["exit", 1]])})
        gate.ask("tools/list")
        assert len(gate.noted(method_is("initialize"))) == 1


def test_a_lost_call_is_repeated_with_the_next_server_only_if_it_may_be(tmp_path):
    with gated(tmp_path, "--restart", "--retry", changes=AT_ONCE) as gate:
        gate.ask("tools/list")
        steps = ("by_turn", [[["exit", 1]], [["result", FINE]]])
        answer = gate.call("get_order", steps)
        assert answer["result"] == FINE | {"_meta": {"errata/attempts": 2}}
        assert fault_of(gate.call("pay_invoice", steps))["retry"] == "verify_first"
        assert len(gate.calls()) == 3


def test_a_server_that_dies_again_and_again_is_given_up(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        for _ in range(6):
            assert "exit status 9" in text_of(gate.call("get_order", ("exit", 9)))
        assert gate.exit_code() == 9
        assert len(gate.pids()) == 6


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM])
def test_a_server_that_a_signal_has_ended_is_not_started_again(tmp_path, number):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.ask("tools/list")
        gate.process.send_signal(number)
        gate.exit_code()
        assert len(gate.pids()) == 1


def test_a_call_for_a_server_that_reads_no_more_goes_to_the_next_one(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.begin("get_order", ("close_input", None))
        gate.until_noted(lambda each: each.get("is_deaf"))
        assert text_of(gate.call("pay_invoice", ("result", FINE))) == "fine"
        assert len(gate.pids()) == 2


def test_an_answer_for_a_server_that_died_is_no_answer_for_the_next_one(tmp_path):
    question = '{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"Delete it?"}}\n'
    withdrawal = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.begin("frobnicate", ("write", question))
        assert gate.line() == question.encode()
        gate.call("frobnicate", ("exit", 1))
        closed = json.loads(gate.line(lambda line: b'"method"' in line))  # What the user sees of the question may go.
        assert closed["method"] == "notifications/cancelled"
        assert closed["params"]["requestId"] == 0
        gate.begin("frobnicate", ("write", question + question.replace('"id":0', '"id":1') + withdrawal), id="asks")
        asked, other, withdrawn = (json.loads(gate.line(lambda line: b'"method"' in line)) for _ in range(3))
        assert asked["params"] == {"message": "Delete it?"}
        assert withdrawn["params"]["requestId"] == other["id"]
        assert len({0, asked["id"], other["id"]}) == 3
        gate.say({"jsonrpc": "2.0", "id": 0, "result": {"action": "accept"}})
        gate.say({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        gate.until_noted(lambda each: "result" in each)
        assert gate.noted(lambda each: "result" in each) == [
            {"jsonrpc": "2.0", "id": 0, "result": {"action": "decline"}}
        ]


def test_in_a_batch_too_an_answer_reaches_only_the_server_that_has_asked(tmp_path):
    both = [{"jsonrpc": "2.0", "id": each, "method": "roots/list"} for each in (0, 1)]
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.begin("frobnicate", ("write", json.dumps(both) + "\n"))
        assert json.loads(gate.line()) == both
        gate.call("frobnicate", ("exit", 1))
        gate.begin("frobnicate", ("write", json.dumps(both) + "\n"))
        asked = json.loads(gate.line(lambda line: line.startswith(b"[")))
        assert [each["method"] for each in asked] == ["roots/list"] * 2
        assert len({0, 1, *(each["id"] for each in asked)}) == 4
        gate.say([{"jsonrpc": "2.0", "id": each, "result": {"roots": "stale"}} for each in (0, 1)])
        numbers = (1, asked[0]["id"], asked[1]["id"])
        gate.say([{"jsonrpc": "2.0", "id": each, "result": {"roots": each}} for each in numbers])
        gate.call("frobnicate", ("result", FINE))
        answers = gate.noted(lambda each: "result" in each)
        assert answers == [
            {"jsonrpc": "2.0", "id": each, "result": {"roots": number}} for each, number in enumerate(numbers[1:])
        ]


def test_a_question_that_was_answered_or_taken_back_is_closed_by_nobody_else(tmp_path):
    asks = [{"jsonrpc": "2.0", "id": each, "method": "roots/list"} for each in range(3)]
    back = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.begin("frobnicate", ("write", "".join(json.dumps(each) + "\n" for each in (*asks, back))))
        assert [json.loads(gate.line()) for _ in range(4)] == [*asks, back]
        gate.say({"jsonrpc": "2.0", "id": 0, "result": {"roots": []}})
        gate.call("frobnicate", ("exit", 1))
        gate.call("frobnicate", ("result", FINE))
        assert gate.leave() == 0
        closed = [each for each in map(json.loads, gate.rest()) if "method" in each]
        assert [each["params"]["requestId"] for each in closed] == [2]


def test_a_last_answer_without_the_end_of_its_line_is_ended_where_the_connection_goes_on(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        answer = '{"jsonrpc":"2.0","id":"last","result":{"content":[]}}'
        gate.begin("get_order", ("write", answer), ("exit", 0), id="last")
        assert gate.line() == answer.encode() + b"\n"


def test_a_mistake_of_the_gate_costs_one_request_and_no_others(tmp_path):
    with gated(tmp_path, changes={"replace_messages": None}) as gate:  # By it requests pass that are no calls.
        assert "has made a mistake" in gate.ask("tools/list")["error"]["message"]
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert gate.leave() == 0


def test_without_repair_a_restart_answers_the_calls_that_would_wait_for_ever(tmp_path):
    with gated(tmp_path, "--restart", "--no-repair", changes=AT_ONCE) as gate:
        assert "exit status 1" in text_of(gate.call("get_order", ("exit", 1)))
        assert gate.call("get_order", ("result", failure("boom")))["result"] == failure("boom")


# The end.


def test_the_end_of_the_output_reaches_the_client_though_the_server_goes_on_until_a_signal(tmp_path):
    with gated(tmp_path, changes={"_GRACE_S": 600}) as gate:
        number = gate.begin("get_order", ("close_output", None), ("hang", None))
        assert "closed its standard output" in text_of(gate.answer(number))
        assert gate.rest() == []
        assert any(map(goes_on, gate.pids()))
        gate.begin("get_order")  # Nobody will read an answer to it.
        gate.process.send_signal(signal.SIGTERM)
        assert gate.exit_code() == 128 + signal.SIGTERM
        assert "1 failed (NETWORK_ERROR 1), 1 repaired" in gate.summary()
        assert until(lambda: not any(map(goes_on, gate.pids())))


def test_a_subscription_does_not_keep_a_server_that_its_client_has_left(tmp_path):
    with gated(tmp_path, changes={"_GRACE_S": 0.05}) as gate:
        steps = write_steps([["hang", None]])
        gate.say(
            {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"arguments": {"steps": steps}}}
        )
        gate.until_noted(lambda each: "hangs" in each)
        assert gate.leave() == 128 + signal.SIGTERM


def test_a_server_that_ignores_sigterm_is_killed_with_all_it_has_started(tmp_path):
    with gated(tmp_path, changes={"TERM_S": 0.1}) as gate:
        gate.call("get_order", ("ignore", [signal.SIGTERM]), ("bear", None), ("result", FINE))
        hanging = gate.begin("get_order", ("hang", None))
        gate.until_noted(lambda each: "hangs" in each)
        gate.process.send_signal(signal.SIGTERM)
        assert gate.exit_code() == 128 + signal.SIGKILL
        assert "was ended by SIGKILL" in text_of(gate.answer(hanging))
        assert len(gate.pids()) == 2
        assert until(lambda: not any(map(goes_on, gate.pids())))


def test_a_client_that_does_not_read_any_more_ends_a_server_that_hangs(tmp_path):
    reading, writing = os.pipe()
    with gated(tmp_path, stdout=writing, changes={"_GRACE_S": 0.1}) as gate:
        os.close(writing)
        gate.begin("get_order", ("hang", None))
        gate.until_noted(lambda each: "hangs" in each)
        gate.begin(
            "get_order", x="x" * 1_000_000
        )  # More than a pipe takes in: the gate cannot know that its input ends.
        os.close(reading)
        assert gate.exit_code() == 128 + signal.SIGTERM
        assert until(lambda: not any(map(goes_on, gate.pids())))


def test_a_signal_that_was_ignored_at_the_start_stays_ignored(tmp_path):
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    with gated(tmp_path, **ignoring) as gate:
        gate.ask("tools/list")
        gate.process.send_signal(signal.SIGHUP)
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert gate.leave() == 0


@pytest.mark.parametrize("closed", [0, 2])
def test_a_standard_file_that_is_closed_at_the_start_is_not_taken_for_a_pipe_to_the_server(tmp_path, closed):
    with gated(tmp_path, preexec_fn=lambda: os.close(closed)) as gate:
        if closed:
            assert text_of(gate.call("get_order", ("warn", "hidden\n"), ("result", FINE))) == "fine"
        assert gate.leave() == 0
        assert gate.rest() == []


def test_an_input_that_somebody_makes_non_blocking_is_not_taken_for_its_end(tmp_path):
    reading, writing = os.pipe()
    with gated(tmp_path, stdin=reading) as gate, os.fdopen(writing, "wb", buffering=0) as client:
        os.set_blocking(reading, False)
        gate.process.stdin = client
        for number in range(3):
            assert text_of(gate.call("get_order", ("result", result(str(number))))) == str(number)
            until(lambda: re.search(r"State:\s+S", status_of(gate.process.pid)))
    os.close(reading)


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:  # noqa: PTH123
        return file.read()
