"""What a breaker tells: its status to a health tool, its changes to the log and to a hook."""

import dataclasses
import json
import logging

import pytest
from support.breaker_steps import break_it, half_open

from errata import Code
from errata.resilience import Breaker, BreakerStatus, State

SECRET = "sk-" + "proj-" + "Ab3" * 16


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, logger="errata")
    return caplog


def test_the_status_of_one_that_was_never_called(breaker):
    assert breaker.status() == BreakerStatus(
        upstream="ncbi",
        state=State.CLOSED,
        failure_rate=0.0,
        failures=0,
        calls=0,
        last_success=None,
        last_failure=None,
        last_failure_code=None,
        since=None,
        expected_recovery=None,
        fallback_tool="search_cache",
        recommendation="Call `ncbi` as usual.",
    )


def test_the_status_of_an_open_one_is_ready_for_a_health_tool(breaker, time):
    for _ in range(15):
        breaker.call(int)
    time.advance(10)
    break_it(breaker)
    time.advance(1)
    assert json.loads(json.dumps(breaker.status().as_dict())) == {
        "upstream": "ncbi",
        "state": "open",
        "failure_rate": 0.25,
        "failures": 5,
        "calls": 20,
        "last_success": "2026-11-06T09:06:40.000Z",
        "last_failure": "2026-11-06T09:06:50.000Z",
        "last_failure_code": "TIMEOUT",
        "since": "2026-11-06T09:06:50.000Z",
        "expected_recovery": "2026-11-06T09:07:50.000Z",
        "fallback_tool": "search_cache",
        "recommendation": "Do not call `ncbi` before 2026-11-06T09:07:50.000Z; use `search_cache` until then.",
    }


def test_the_status_when_it_may_be_tried(breaker, time):
    half_open(breaker, time)
    status = breaker.status()
    assert (status.state, status.since is None) == (State.HALF_OPEN, False)
    assert status.recommendation == "Call `ncbi` once to see whether it is back; if it is not, use `search_cache`."


def test_what_type_checkers_know_of_the_status_is_what_the_json_has(breaker):
    assert list(breaker.status().as_dict()) == [each.name for each in dataclasses.fields(BreakerStatus)]


def test_successes_leave_the_window_as_failures_do(breaker, time):
    for _ in range(30):
        breaker.call(int)
        time.advance(10)
    assert 12 <= breaker.status().calls <= 13
    time.advance(140)
    assert breaker.status().calls == 0


def test_every_change_is_one_line_in_the_log(breaker, time, log):
    half_open(breaker, time)
    break_it(breaker, 1)
    time.advance(60)
    breaker.call(int)
    breaker.call(int)
    assert [(record.levelname, record.getMessage()) for record in log.records] == [
        (
            "WARNING",
            "Circuit `ncbi` opened: it failed 5 times within 120 s, last with TIMEOUT. It is left alone for 60 s.",
        ),
        ("INFO", "Circuit `ncbi` is half-open: one call at a time tries it."),
        (
            "WARNING",
            "Circuit `ncbi` opened again: it was tried and failed, last with TIMEOUT. It is left alone for 60 s.",
        ),
        ("INFO", "Circuit `ncbi` is half-open: one call at a time tries it."),
        ("INFO", "Circuit `ncbi` closed: it answered 2 times in a row and is called as usual."),
    ]
    assert log.records[0].errata == {"circuit": "ncbi", "state": "open", "code": "TIMEOUT"}


def test_the_log_hides_a_secret_in_a_name(store, log):
    break_it(Breaker(f"https://api.example.com/?api_key={SECRET}", store=store))
    assert len(log.records) == 1
    assert SECRET not in log.text


def test_a_hook_hears_of_every_change_once_and_its_failure_costs_no_call(store, time, log):
    heard = []

    def hook(change):
        heard.append((change.upstream, change.before.value, change.after.value, change.code))
        raise RuntimeError

    first, _ = Breaker("ncbi", store=store, on_change=hook), Breaker("ncbi", store=store, on_change=hook)
    half_open(first, time)
    assert first.call(int) == 0
    assert heard == [("ncbi", "closed", "open", "TIMEOUT"), ("ncbi", "open", "half_open", "TIMEOUT")]
    said = {record.getMessage() for record in log.records if "on_change" in record.getMessage()}
    assert {text.partition("\n")[0] for text in said} == {"`on_change` of circuit `ncbi` failed; the call goes on."}
    assert {text.rpartition("\n")[2] for text in said} == {"  RuntimeError"}


def test_a_circuit_keeps_no_hook_whose_breaker_is_gone(store, breaker):
    heard = []
    for number in range(100):
        Breaker("ncbi", store=store, on_change=lambda _, number=number: heard.append(number))
    kept = Breaker("ncbi", store=store, on_change=heard.append)
    assert [*breaker._circuit._listeners] == [heard.append]
    assert len(breaker._circuit._listeners._references) <= 2
    break_it(kept)
    assert [change.after for change in heard] == [State.OPEN]


def test_a_hook_of_two_breakers_outlives_the_first_of_them(store):
    heard = []
    first = Breaker("ncbi", store=store, on_change=heard.append)
    second = Breaker("ncbi", store=store, on_change=heard.append)
    del first
    break_it(second)
    assert len(heard) == 1


def test_a_hook_may_be_of_a_class_with_slots(store):
    class Hook:
        __slots__ = ("heard",)

        def __call__(self, change):
            self.heard = change.after

    hook = Hook()
    break_it(Breaker("ncbi", store=store, on_change=hook))
    assert hook.heard is State.OPEN


def test_once_is_not_one_times(store, time, log):
    breaker = Breaker("ncbi", store=store, failures=1, successes=1)
    break_it(breaker, 1)
    time.advance(60)
    breaker.call(int)
    assert [record.getMessage() for record in log.records] == [
        "Circuit `ncbi` opened: it failed once within 120 s, last with TIMEOUT. It is left alone for 60 s.",
        "Circuit `ncbi` is half-open: one call at a time tries it.",
        "Circuit `ncbi` closed: it answered when it was tried and is called as usual.",
    ]


def test_the_log_tells_of_a_rate(store, log):
    break_it(Breaker("ncbi", store=store, failure_rate=0.5))
    assert "it failed 5 times within 120 s and in 50% of its calls or more, last with TIMEOUT." in log.text


def test_the_log_tells_of_any_name_in_words_that_can_be_written(store, log):
    break_it(Breaker("\ud800", store=store))
    assert log.messages[-1].startswith("Circuit `\N{REPLACEMENT CHARACTER}` opened")


def test_a_store_that_is_reset_tells_nobody_and_forgets_what_failed(store, log):
    heard = []
    breaker = Breaker("ncbi", store=store, on_change=heard.append)
    break_it(breaker)
    store.reset()
    assert [change.after for change in heard] == [State.OPEN]
    assert len(log.records) == 1
    status = breaker.status()
    assert (status.calls, status.last_failure, status.last_failure_code) == (0, None, None)
    break_it(breaker)
    assert [change.after for change in heard] == [State.OPEN, State.OPEN]


def test_a_circuit_that_closes_does_not_name_a_failure(store, time):
    heard = []
    breaker = Breaker("ncbi", store=store, on_change=heard.append)
    half_open(breaker, time)
    breaker.call(int)
    breaker.call(int)
    assert [(change.after, change.code) for change in heard] == [
        (State.OPEN, Code.TIMEOUT),
        (State.HALF_OPEN, Code.TIMEOUT),
        (State.CLOSED, None),
    ]
    assert breaker.status().last_failure_code is Code.TIMEOUT
