"""What users teach classification."""

import logging

import pytest

from errata import Code, Recovery, Retry, classify, dialects, register
from errata.classification import explain


class QuotaExceeded(Exception):  # noqa: N818 - a user's own name.
    wait = 3


class Seats(Exception):  # noqa: N818
    pass


@pytest.fixture
def take_back():
    undo = []
    yield undo.append
    for each in undo:
        each()


def test_a_class_is_taught_by_its_dotted_name(take_back):
    name = f"{QuotaExceeded.__module__}.QuotaExceeded"
    take_back(register(name, Code.RATE_LIMITED, retry_after_ms=lambda error: error.wait * 1000))
    fault = classify(QuotaExceeded("slow"))
    assert (fault.code, fault.retry_after_ms) == (Code.RATE_LIMITED, 3_000)
    assert name in explain(QuotaExceeded()).rule


def test_a_class_is_taught_by_itself_and_its_subclasses_follow(take_back):
    take_back(register(Seats, Code.CONFLICT, retry=Retry.SAME_CALL))
    fault = classify(type("NoSeats", (Seats,), {})("none"))
    assert (fault.code, fault.retry) == (Code.CONFLICT, Retry.SAME_CALL)


def test_what_a_user_teaches_comes_before_what_errata_knows(take_back):
    take_back(register("builtins.TimeoutError", Code.SERVICE_UNAVAILABLE))
    assert classify(TimeoutError()).code is Code.SERVICE_UNAVAILABLE
    take_back(register("builtins.TimeoutError", Code.GONE))
    assert classify(TimeoutError()).code is Code.GONE


def test_a_phrase_is_taught(take_back):
    assert classify(Seats("There are NO  seats\u00a0left.")).code is Code.INTERNAL_ERROR
    take_back(register(pattern="no seats left", code=Code.CONFLICT, retry_after_ms=60_000))
    fault = classify(Seats("There are NO  seats\u00a0left."))
    assert (fault.code, fault.retry_after_ms) == (Code.CONFLICT, 60_000)


def test_a_row_can_be_taken_back():
    undo = register(Seats, Code.GONE)
    again = register(pattern=["all booked", "fully booked"], code=Code.GONE)
    undo()
    again()
    undo()
    assert classify(Seats("all booked")).code is Code.INTERNAL_ERROR


HINT = "Call `list_flights` and choose another flight."


@pytest.mark.parametrize("recovery", [HINT, Recovery(hint=HINT), Recovery(fallback_tool="wait_list")])
@pytest.mark.parametrize(
    "row",
    [
        {"name": Seats, "retry_after_ms": 500},
        {"name": Seats, "retry_after_ms": lambda _: 500},
        {"name": Seats, "retry_after_ms": lambda error: error.nothing},
        {"pattern": "no seats left"},
    ],
)
def test_the_way_out_is_taught_with_a_class_and_with_a_phrase(take_back, row, recovery):
    take_back(register(**row, code=Code.CONFLICT, recovery=recovery))
    wanted = Recovery(hint=recovery) if isinstance(recovery, str) else recovery
    assert classify(Seats("No seats left")).recovery == wanted


def test_the_way_out_of_a_cause_is_the_way_out(take_back):
    take_back(register(Seats, Code.CONFLICT, recovery=HINT))
    error = RuntimeError("The booking failed")
    error.__cause__ = Seats()
    assert classify(error).recovery == Recovery(hint=HINT)


@pytest.mark.parametrize("name", ["native", "json-rpc"])
def test_a_way_out_that_was_taught_is_told(take_back, name):
    take_back(register(Seats, Code.CONFLICT, recovery=HINT))
    assert f"Recovery: {HINT}" in dialects.get(name).encode(classify(Seats()))["content"][0]["text"]


def test_a_wait_that_cannot_be_read_costs_only_the_wait(take_back, caplog):
    take_back(register(Seats, Code.RATE_LIMITED, retry_after_ms=lambda error: error.nothing))
    with caplog.at_level(logging.WARNING, "errata"):
        fault = classify(Seats())
    assert (fault.code, fault.retry_after_ms) == (Code.RATE_LIMITED, None)
    assert "retry_after_ms" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "keywords", "says"),
    [
        ((), {"code": Code.GONE}, "either"),
        (("a.B", Code.GONE), {"pattern": "x"}, "either"),
        (("QuotaExceeded", Code.GONE), {}, "mylib.errors.QuotaExceeded"),
        (("a..B", Code.GONE), {}, "dotted"),
        (("a.b c", Code.GONE), {}, "dotted"),
        ((7, Code.GONE), {}, "dotted"),
        ((int, Code.GONE), {}, "exception class"),
        (("a.B", "RATE_LIMTED"), {}, "RATE_LIMITED"),
        (("a.B", None), {}, "code"),
        (("a.B", Code.GONE), {"retry": "same"}, "SAME_CALL"),
        (("a.B", Code.GONE), {"retry_after_ms": -1}, "milliseconds"),
        (("a.B", Code.GONE), {"retry_after_ms": "soon"}, "milliseconds"),
        (("a.B", Code.GONE), {"recovery": 7}, "sentence"),
        (("a.B", Code.GONE), {"recovery": " "}, "says nothing"),
        (("a.B", Code.GONE), {"recovery": Recovery()}, "says nothing"),
        ((), {"pattern": "x", "code": Code.GONE, "recovery": ["x"]}, "sentence"),
        ((), {"pattern": "a.*b", "code": Code.GONE}, "phrase"),
        ((), {"pattern": "", "code": Code.GONE}, "phrase"),
        ((), {"pattern": ["ok", 7], "code": Code.GONE}, "phrase"),
        ((), {"pattern": "Upper case", "code": Code.GONE}, "lower-case"),
        ((), {"pattern": "x", "code": Code.GONE, "retry_after_ms": lambda _: 1}, "milliseconds"),
    ],
)
def test_a_bad_registration_fails_at_once_and_says_why(arguments, keywords, says):
    with pytest.raises((TypeError, ValueError), match=says):
        register(*arguments, **keywords)
