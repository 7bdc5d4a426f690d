"""The log of failures and the summary: redacted, bounded, and never the reason why a call fails."""

import errno
import json
import logging
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from support.gate_answers import judged, result
from support.sample_secrets import survives
from support.strategies import faults, secretive_faults, texts

from errata import Code, Fault
from errata.gate import GateRecord
from errata.gate._verdicts import KnownCall

CALL = KnownCall({"name": "get_order"})
FAULT = Fault(code=Code.NOT_FOUND, message="There is no order 17.", correlation_id="1")


def note(record, fault=FAULT, call=CALL, **members):
    record.note_failure(fault, call, **{"dialect": "none", "is_repaired": True, **members})


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def test_each_failure_is_one_line(tmp_path):
    record = GateRecord("shop", tmp_path / "log")
    note(record, began_s=0.0)
    note(record, Fault(code=Code.TIMEOUT, message="Too\nslow.", field="a"), is_repaired=False, is_soft=True, attempts=3)

    first, second = lines_of(tmp_path / "log")
    assert first.pop("durationMs") > 0
    assert first.pop("time")
    assert first == {
        "server": "shop",
        "tool": "get_order",
        "code": "NOT_FOUND",
        "retry": "fix_input",
        "message": "There is no order 17.",
        "reference": "1",
        "dialect": "none",
        "repaired": True,
        "attempts": 1,
    }
    assert (second["field"], second["soft"], second["attempts"], second["repaired"]) == ("a", True, 3, False)


@given(fault=faults, name=texts, server=texts)
def test_whatever_fails_is_a_line_of_json_of_bounded_size(tmp_path_factory, fault, name, server):
    path = tmp_path_factory.mktemp("log") / "log"
    record = GateRecord(server * 1000, path)
    note(record, fault, KnownCall({"name": name * 1000}))
    note(record, Fault(code=Code.NOT_FOUND, message="x y" * 10_000), KnownCall({"name": "\ud800\n"}))

    assert len(lines_of(path)) == 2
    assert path.stat().st_size < 40_000


@given(secretive=secretive_faults)
def test_no_secret_stands_in_the_log(tmp_path_factory, secretive):
    fault, secret = secretive
    path = tmp_path_factory.mktemp("log") / "log"
    note(GateRecord(f"a {secret}", path), fault, KnownCall({"name": f"get {secret}"}))

    assert not survives(secret, json.dumps(lines_of(path), ensure_ascii=False))


def test_a_secret_that_only_the_request_names_does_not_stand_in_the_log(tmp_path):
    call = KnownCall({"name": "log_in", "arguments": {"password": "Zirkon-77-xy"}})
    failure = judged(result("Login failed for: Zirkon-77-xy"), call)
    note(GateRecord("shop", tmp_path / "log"), failure.fault, call)

    assert lines_of(tmp_path / "log")[0]["message"] == "Login failed for: [redacted: password]"


def test_a_log_that_was_moved_away_is_begun_anew(tmp_path):
    path = tmp_path / "log"
    record = GateRecord("shop", path)
    note(record)
    path.rename(tmp_path / "old")
    note(record)

    assert (len(lines_of(path)), len(lines_of(tmp_path / "old"))) == (1, 1)


def test_a_log_that_cannot_be_written_costs_no_call_and_is_complained_of_once(tmp_path, caplog):
    home = tmp_path / "logs"
    home.mkdir()
    record = GateRecord("shop", home / "log")
    (home / "log").unlink()
    home.rmdir()
    note(record)
    note(record)
    home.mkdir()
    note(record)

    assert [each.getMessage().partition(": ")[0] for each in caplog.records] == [
        "The log of failures cannot be written"
    ]
    assert len(lines_of(home / "log")) == 1
    assert record.failures == {"NOT_FOUND": 3}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk that is full")
def test_a_full_disk_costs_no_call(caplog):
    record = GateRecord("shop", "/dev/full")
    note(record)
    note(record)

    assert len(caplog.records) == 1
    assert os.strerror(errno.ENOSPC) in caplog.text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_nobody_reads_stops_nobody(tmp_path, caplog):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):
        GateRecord("shop", tmp_path / "pipe")

    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    record = GateRecord("shop", tmp_path / "pipe")
    for _ in range(1_000):
        note(record)
    os.close(reader)

    assert record.failures == {"NOT_FOUND": 1_000}
    assert "The log of failures cannot be written" in caplog.text


def test_a_file_that_cannot_be_written_is_refused_at_the_start(tmp_path):
    with pytest.raises(OSError, match=os.strerror(errno.EISDIR)):
        GateRecord("shop", tmp_path)


def test_nothing_is_written_after_the_end(tmp_path):
    record = GateRecord("shop", tmp_path / "log")
    record.close()
    note(record)
    record.close()

    assert (tmp_path / "log").read_bytes() == b""
    assert record.failures == {"NOT_FOUND": 1}


def test_several_gates_and_threads_share_a_log(tmp_path):
    records = [GateRecord("shop", tmp_path / "log") for _ in range(2)]
    threads = [
        threading.Thread(target=lambda record=record: [note(record) for _ in range(100)]) for record in records * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(lines_of(tmp_path / "log")) == 400
    assert [record.failures["NOT_FOUND"] for record in records] == [200, 200]


def test_the_summary_says_what_passed_and_what_was_done():
    record = GateRecord("shop\n")
    assert record.summarise() == "shop: 0 calls, 0 failed"

    record.calls = 12
    note(record, attempts=3, spent_ns=1_500_000)
    note(record)
    note(record, Fault(code=Code.TIMEOUT, message="Too slow."), is_repaired=False)
    record.note_time(500_000)
    record.note_success(2)
    record.restarts = 1
    expected = "shop: 12 calls, 3 failed (NOT_FOUND 2, TIMEOUT 1), 2 repaired in 2.0 ms, 3 repeated, restarted 1 time"
    assert record.summarise() == expected


def test_the_log_is_no_part_of_the_programs_own(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    note(GateRecord("shop", tmp_path / "log"))

    assert caplog.records == []
