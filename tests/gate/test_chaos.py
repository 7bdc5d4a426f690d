"""A gate over stdio where everything goes wrong: every call is answered once, and nothing stays behind."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections import Counter

import pytest
from support.gated_program import LONGEST_S, call, failure, gated, goes_on, is_answer, result, text_of, until

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="Processes and limits of Linux: the gate among failures was NOT TESTED here"
)
FINE = result("fine")
MEGABYTE = 1 << 20
AT_ONCE = {"_FIRST_PAUSE_S": 0.001}


def answers_left(gate):
    """Return the answers that have come until the end, without those that were taken."""
    return Counter(json.dumps(json.loads(line)["id"]) for line in gate.rest())


def assert_nothing_is_left(gate):
    assert until(lambda: not any(map(goes_on, gate.pids())))


def test_a_thousand_calls_in_flight_are_answered_once_each_in_whatever_order(tmp_path):
    dice = random.Random(20)
    numbers = [*range(500), *map(str, range(500))]
    with gated(tmp_path) as gate:
        texts = {}
        for number in numbers:
            text = f"answer {number!r}"
            texts[json.dumps(number)] = text
            gate.begin("get_order", ("keep", failure(text) if dice.random() < 0.3 else result(text)), id=number)
        order = list(range(len(numbers)))
        dice.shuffle(order)
        gate.begin("get_order", ("release", order), ("result", FINE), id="last")
        for number in numbers:
            assert texts[json.dumps(number)] in text_of(gate.answer(number))
        assert text_of(gate.answer("last")) == "fine"
        assert gate.leave() == 0
        assert gate.rest() == []
        assert "1001 calls" in gate.summary()


def test_a_death_among_a_thousand_calls_answers_each_once(tmp_path):
    with gated(tmp_path) as gate:
        for number in range(1000):
            step = ("result", failure("boom")) if number % 3 == 0 else ("keep", FINE)
            gate.begin("get_order", step, id=number)
        gate.begin(
            "get_order", ("write", '{"jsonrpc":"2.0","id":1,"result":{"con'), ("exit", -signal.SIGKILL), id="last"
        )
        gate.line(lambda line: line.endswith(b'"con\n'))
        assert gate.exit_code() == 128 + signal.SIGKILL
        assert answers_left(gate) == Counter([*map(json.dumps, range(1000)), '"last"'])
        assert_nothing_is_left(gate)


@pytest.mark.parametrize("size", [50 * MEGABYTE, -50 * MEGABYTE], ids=["success", "failure"])
def test_an_answer_of_fifty_megabytes(tmp_path, size):
    with gated(tmp_path) as gate:
        answer = gate.call("get_order", ("large", size))
        if size > 0:
            assert text_of(answer) == "x" * size
        else:
            assert text_of(answer).startswith("Error [")
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"


def test_a_flood_on_stderr_passes_whole_and_only_its_end_is_kept(tmp_path):
    with gated(tmp_path, changes={"_LAST_ERRORS_S": LONGEST_S}) as gate:
        answer = gate.call("get_order", ("flood", 30 * MEGABYTE), ("warn", "fatal: no space left\n"), ("exit", 2))
        assert "no space left" in text_of(answer)
        gate.exit_code()
        assert gate.warnings.count(b"x") >= 30 * MEGABYTE


@pytest.mark.parametrize("options", [(), ("--quiet",)], ids=["plain", "quiet"])
def test_a_client_that_does_not_read_stderr_can_still_end_everything(tmp_path, options):
    with gated(tmp_path, *options) as gate:
        gate.may_read_errors.clear()
        gate.ask("tools/list")
        gate.begin("get_order", ("flood", 30 * MEGABYTE))
        gate.process.send_signal(signal.SIGTERM)
        assert gate.process.wait(60) == 128 + signal.SIGTERM
        assert_nothing_is_left(gate)


@pytest.mark.parametrize("options", [(), ("--retry", "--breaker", "--restart")], ids=["plain", "all"])
def test_a_client_that_is_killed_in_the_middle_leaves_nothing_behind(tmp_path, options):
    output, other_output = os.pipe()
    with gated(tmp_path, *options, stdout=other_output, changes={"_GRACE_S": 0.2}) as gate:
        os.close(other_output)
        for number in range(200):
            gate.begin("get_order", ("keep", FINE), x=number)
        gate.begin("get_order", ("bear", None), ("hang", None))
        gate.until_noted(lambda each: "hangs" in each)
        os.close(output)
        gate.process.stdin.close()
        gate.exit_code()
        assert len(gate.pids()) == 2
        assert_nothing_is_left(gate)


def test_a_log_that_nobody_reads_keeps_nobody_waiting():
    code = """
import logging, os
from errata.gate._standard_files import ErrorLog
_, writing = os.pipe()
os.dup2(writing, 2)
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(2, True)
logging.getLogger("x").addHandler(ErrorLog())
for _ in range(3):
    logging.getLogger("x").error("Nobody reads this.")
os._exit(7)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 7


def test_a_program_outside_that_holds_the_input_of_a_dead_server_keeps_no_call_waiting(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        hanging = gate.begin("get_order", ("bear_apart", None), ("hang", None))
        server = gate.until_noted(lambda each: "hangs" in each)["hangs"]
        waiting = gate.begin("get_order", ("result", FINE), x="x" * MEGABYTE)  # More than a pipe takes in.
        os.kill(server, signal.SIGKILL)
        assert "was ended by SIGKILL" in text_of(gate.answer(hanging))
        assert gate.answer(waiting)  # From the next server, if it was not given up with the first.
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert gate.leave() == 0


def test_a_program_outside_that_holds_the_files_of_dead_servers_costs_nothing(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:

        def count():
            return [len(os.listdir(f"/proc/{gate.process.pid}/{each}")) for each in ("fd", "task")]  # noqa: PTH208

        gate.call("get_order", ("exit", 1))
        gate.call("get_order", ("result", FINE))
        before = count()
        for _ in range(3):
            gate.call("get_order", ("bear_apart", None), ("exit", 1))
            assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        until(lambda: count() == before)


def test_a_slow_client_that_has_closed_its_side_gets_the_whole_answer(tmp_path):
    with gated(tmp_path, changes={"_GRACE_S": 0.05, "_DRAIN_S": 0.05}) as gate:
        gate.may_read.clear()
        number = gate.begin("get_order", ("large", MEGABYTE))
        gate.process.stdin.close()
        gate.until_noted(lambda each: "end" in each)
        with pytest.raises(subprocess.TimeoutExpired):
            gate.process.wait(1)
        gate.may_read.set()
        assert text_of(gate.answer(number)) == "x" * MEGABYTE
        assert gate.exit_code() == 0


def test_a_server_that_hangs_and_does_not_read_is_ended_by_a_signal(tmp_path):
    with gated(tmp_path) as gate:
        gate.begin("get_order", ("ignore", [signal.SIGTERM]), ("hang", None))
        gate.until_noted(lambda each: "hangs" in each)
        gate.begin("get_order", x="x" * MEGABYTE)
        gate.process.send_signal(signal.SIGTERM)
        assert gate.exit_code() == 128 + signal.SIGKILL
        assert_nothing_is_left(gate)


def test_a_gate_without_a_descriptor_left_answers_still_and_restarts_once_there_is_one(tmp_path):
    with gated(tmp_path, "--restart", changes=AT_ONCE) as gate:
        gate.ask("tools/list")
        before = resource.prlimit(gate.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(gate.process.pid, resource.RLIMIT_NOFILE, (4, before[1]))  # What is open stays open.
        assert "boom" in text_of(gate.call("get_order", ("result", failure("boom"))))
        lost = gate.call("get_order", ("exit", 1))  # As a result: a model never reads an error of JSON-RPC.
        assert lost["result"]["isError"] is True
        assert "exit status 1" in text_of(lost)
        until(lambda: b"not started again" in gate.warnings)
        resource.prlimit(gate.process.pid, resource.RLIMIT_NOFILE, before)
        assert text_of(gate.call("get_order", ("result", FINE))) == "fine"
        assert gate.leave() == 0
        assert_nothing_is_left(gate)


def test_calls_that_share_an_id_are_answered_as_often_as_they_were_made(tmp_path):
    with gated(tmp_path, "--retry") as gate:
        gate.ask("tools/list")
        for text in ("first", "second", "third"):
            gate.begin("get_order", ("keep", failure(text)), id=7)
        gate.begin("get_order", ("release", [1, 0]), ("exit", 1), id="last")
        lines = gate.rest()
        texts = [text_of(json.loads(line)) for line in lines if is_answer(line, 7)]
        assert texts[:2] == ["second", "first"]  # As the server sent them: nobody knows which is whose.
        assert len(texts) == 3
        assert "ended with exit status 1" in texts[2]
        assert len(lines) == 4


def test_ids_that_only_look_alike_are_told_apart(tmp_path):
    numbers = [1, "1", 1.5, "1.5", 0, -1, "", "é", "\\", 2**70, "null", "\ud800"]
    with gated(tmp_path) as gate:
        for number in numbers:
            gate.begin("get_order", ("keep", failure(f"of {number!r}.")), id=number)
        gate.begin("get_order", ("release", list(reversed(range(len(numbers))))), ("result", FINE), id="last")
        for number in numbers:
            assert ascii(f"of {number!r}.")[1:-1] in ascii(text_of(gate.answer(number)))
        assert text_of(gate.answer("last")) == "fine"


@pytest.mark.parametrize("number", ["null", "true", "[1]", "{}", "1e999"])
def test_an_id_that_is_none_passes_both_ways(shared_gate, number):
    shared_gate.write(json.dumps(call("get_order", ("ignore", []), id=None)).replace("null", number).encode() + b"\n")
    line = f'{{"jsonrpc":"2.0","id":{number},"result":{{"isError":true,"content":[]}}}}\n'
    shared_gate.begin("get_order", ("write", line), ("result", FINE), id=f"after {number}")
    assert shared_gate.line(lambda each: b"isError" in each) == line.encode()
    assert shared_gate.answer(f"after {number}")


@pytest.fixture(scope="module")
def shared_gate(tmp_path_factory):
    with gated(tmp_path_factory.mktemp("gate")) as gate:
        yield gate


def test_a_second_answer_and_one_that_nobody_asked_for_pass_as_they_are(shared_gate):
    unasked = '{"jsonrpc":"2.0","id":"unasked","result":{"isError":true,"content":[]}}\n'
    steps = [("result", failure("once")), ("result", failure("twice")), ("write", unasked)]
    number = shared_gate.begin("get_order", *steps)
    assert text_of(shared_gate.answer(number)).startswith("Error [")
    assert text_of(shared_gate.answer(number)) == "twice"
    assert shared_gate.line() == unasked.encode()
