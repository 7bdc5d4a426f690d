"""What the client of a gate over stdio reads, of failing answers and of all others."""

import json

import pytest
from support.gated_program import call, failure, fault_of, gated, result, text_of
from support.scripted_stdio_server import write_steps

from errata.gate._frames import read_deep_answer

STEERING = [-32601, -32700, -32600, -32020, -32021, -32022, -32042, -32800]
SECRET = "sk_live_" + "51H8xQ2eZvKYlo2C0aBcDeFgH"


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    with gated(tmp_path_factory.mktemp("gate")) as program:
        yield program


def test_a_failing_result_says_code_and_next_step_and_keeps_what_the_server_sent(gate):
    sent = failure("No such order: A-7", structuredContent={"id": "A-7", "n": 1.0}, _meta={"x": 1})
    got = gate.call("get_order", ("result", sent))["result"]
    assert got["content"][0]["text"].startswith("Error [")
    assert "No such order: A-7" in got["content"][0]["text"]
    assert got["isError"] is True
    assert got["structuredContent"] == {"id": "A-7", "n": 1.0}
    assert got["_meta"]["x"] == 1
    assert got["_meta"]["errata/fault"]["message"]


def test_a_success_passes_byte_for_byte(gate):
    line = '{ "id" :  "odd", "result":{"content":[],"n":1.0,"n":1e400, "é":"\\u00e9"},\t"jsonrpc":"2.0" }\r\n'
    gate.begin("get_order", ("write", line), id="odd")
    assert gate.line(lambda each: b"odd" in each) == line.encode()


def test_a_failing_answer_to_anything_but_a_call_passes_byte_for_byte(gate):
    line = '{"jsonrpc":"2.0", "id":"page", "error":{"code":-32603,"message":"boom"}}\n'
    params = {"arguments": {"steps": write_steps([["write", line]])}}
    gate.say({"jsonrpc": "2.0", "id": "page", "method": "resources/read", "params": params})
    assert gate.line(lambda each: b"page" in each) == line.encode()


def test_an_error_of_json_rpc_becomes_a_result_that_the_model_reads(gate):
    answer = gate.call("get_order", ("error", {"code": -32603, "message": "disk full", "data": {"x": 1}}))
    assert "error" not in answer
    assert answer["result"]["isError"] is True
    assert "disk full" in text_of(answer)


def test_errors_whose_numbers_steer_clients_stay_errors(gate):
    for number in STEERING:
        error = {"code": number, "message": "stop", "data": {"x": 1}}
        assert gate.call("get_order", ("error", error))["error"] == error


def test_no_secret_of_a_failure_reaches_the_client(gate):
    gate.begin("get_order", ("result", failure(f"401: the key {SECRET} was refused", hint=SECRET)), id="secret")
    assert SECRET.encode() not in gate.line(lambda line: b"secret" in line)


def test_a_failed_task_is_repaired_when_its_result_comes(gate):
    gate.call("get_order", ("result", {"resultType": "task", "taskId": "T-1", "status": "working"}))
    task = {"taskId": "T-1", "status": "completed", "result": failure("No such order: A-7")}
    got = gate.ask("tasks/get", taskId="T-1", arguments={"steps": write_steps([["result", task]])})["result"]
    assert got["status"] == "completed"
    assert got["result"]["content"][0]["text"].startswith("Error [")
    assert got["result"]["isError"] is True


def test_the_result_of_an_unknown_task_passes_as_it_is(gate):
    task = {"taskId": "T-9", "status": "completed", "result": failure("boom")}
    assert gate.ask("tasks/get", taskId="T-9", arguments={"steps": write_steps([["result", task]])})["result"] == task


def test_in_a_batch_only_the_failing_answers_change(gate):
    gate.say([call("t", ("result", each), id=f"b{n}") for n, each in enumerate([result("fine"), failure("boom")])])
    fine, failed = json.loads(gate.line(lambda line: line.startswith(b"[")))
    assert fine == {"jsonrpc": "2.0", "id": "b0", "result": result("fine")}
    assert failed["id"] == "b1"
    assert failed["result"]["content"][0]["text"].startswith("Error [")


def test_a_batch_of_one_stays_a_batch(gate):
    gate.say([call("t", ("result", failure("boom")), id="alone")])
    [failed] = json.loads(gate.line(lambda line: b"alone" in line))
    assert failed["result"]["content"][0]["text"].startswith("Error [")


def test_of_blocks_without_end_the_first_are_shown_and_all_are_counted(gate):
    blocks = [{"type": "text", "text": str(number)} for number in range(5_000)]
    shown = gate.call("t", ("result", {"content": blocks, "isError": True}))["result"]["content"]
    assert shown[0]["text"].startswith("Error [")
    assert shown[1:-1] == blocks[1 : len(shown) - 1]
    assert shown[-1]["text"] == f"[{5_000 - len(shown[:-1])} more blocks]"


def test_a_deep_line_with_a_string_that_does_not_end_holds_nobody_up():
    assert read_deep_answer(b'{"id":1,"a":' + b"[" * 150_000 + b'"' + b'\\"' * 400_000 + b"}\n") is None


def test_an_answer_that_is_nested_too_deep_to_be_read_passes_and_is_the_only_one(tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    with gated(tmp_path) as gate:
        for number, line in enumerate(
            (
                f'{{"jsonrpc":"2.0","id":0,"result":{{"isError":true,"content":{deep}}}}}\n',
                f'{{"result":{{"isError":true,"content":[],"x":{deep}}},"x":{{"id":7}},"id":1,"jsonrpc":"2.0"}}\n',
            )
        ):
            gate.begin("get_order", ("nest", line.replace(deep, "DEEP")), id=number)
            assert gate.line() == line.encode()
        gate.begin("get_order", ("exit", 1), id="last")
        assert [json.loads(line)["id"] for line in gate.rest()] == ["last"]


def test_with_keep_protocol_errors_an_error_of_json_rpc_passes_byte_for_byte(tmp_path):
    line = '{"jsonrpc":"2.0","id":"e", "error":{"code":-32603, "message":"boom"}}\n'
    with gated(tmp_path, "--keep-protocol-errors") as gate:
        gate.begin("get_order", ("write", line), id="e")
        assert gate.line() == line.encode()
        assert text_of(gate.call("get_order", ("result", failure("boom")))).startswith("Error [")


def test_without_repair_nothing_changes_and_a_death_adds_nothing(tmp_path):
    line = '{"jsonrpc":"2.0","id":"f", "result":{"content":[{"type":"text","text":"boom"}],"isError":true}}\n'
    with gated(tmp_path, "--no-repair") as gate:
        gate.begin("get_order", ("write", line), id="f")
        assert gate.line() == line.encode()
        gate.begin("get_order")
        gate.begin("get_order", ("write", '{"half'), ("exit", 3))
        assert gate.rest() == [b'{"half']
        assert gate.exit_code() == 3
        assert "3 calls, 3 failed" in gate.summary()


def test_with_soft_a_success_that_tells_of_a_failure_is_marked_as_one(tmp_path):
    with gated(tmp_path, "--soft") as gate:
        answer = gate.call("get_order", ("result", result('{"success": false, "error": "No such order: A-7"}')))
        assert answer["result"]["isError"] is True
        assert fault_of(answer)["code"] == "NOT_FOUND"


def test_with_redact_success_secrets_are_hidden_in_successes(tmp_path):
    with gated(tmp_path, "--redact-success") as gate:
        assert SECRET not in text_of(gate.call("get_order", ("result", result(f"The key is {SECRET}."))))
        untouched = result("Nothing secret.", structuredContent={"n": 1.0})
        assert gate.call("get_order", ("result", untouched))["result"] == untouched


def test_failures_are_logged_without_secrets_and_counted_at_the_end(tmp_path):
    log = tmp_path / "failures.jsonl"
    with gated(tmp_path, "--log", str(log), "--name", "orders") as gate:
        gate.call("get_order", ("result", failure(f"401: the key {SECRET} was refused")))
        gate.call("get_order", ("result", result("fine")))
        assert gate.leave() == 0
        assert "orders: 2 calls, 1 failed" in gate.summary()
    [entry] = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    assert entry["tool"] == "get_order"
    assert entry["server"] == "orders"
    assert entry["repaired"] is True
    assert SECRET not in log.read_text(encoding="utf-8")
