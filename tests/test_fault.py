"""A Fault puts itself in order, and the exceptions that carry one survive everything."""

import copy
import dataclasses
import json
import pickle
import re
import uuid
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum

import pytest
from hypothesis import given
from support.strategies import faults, telling_values

import errata
from errata import (
    AdapterError,
    Code,
    Fault,
    FaultError,
    FieldIssue,
    NeedsInput,
    Recovery,
    RecoveryHint,
    Retry,
    conflict,
    dialects,
    internal_error,
    not_found,
    service_unavailable,
)
from errata.redaction._jsonable import SEEN_BEYOND
from errata.redaction._ways_out import LONGEST_SHOWN


class Mean:
    def __str__(self):
        raise RuntimeError("no text for you")


class Nobody:
    """Does not even say what it is."""

    @property
    def __class__(self):
        raise RuntimeError("guess")


class MeanText(str):
    __slots__ = ()

    def __hash__(self):
        raise RuntimeError("no hash for you")

    def strip(self, *_):
        raise RuntimeError("no strip for you")


class MeanNumber(int):
    def __le__(self, other):
        raise RuntimeError("no comparison for you")

    __ge__ = __lt__ = __gt__ = __le__


class MeanMoment(datetime):
    def isoformat(self, *_args, **_options):
        raise RuntimeError("no time for you")


class NamelessMeta(type):
    @property
    def __name__(cls):
        raise RuntimeError("no name for you")


class Nameless(metaclass=NamelessMeta):
    __str__ = Mean.__str__


class Ambiguous:
    """Compares like an array of numpy's."""

    def __eq__(self, other):
        return self

    __hash__ = None

    def __bool__(self):
        raise ValueError("the truth value is ambiguous")


# Made inside the test: pytest itself would stumble over some of them.
HOSTILE = {
    "Mean": Mean,
    "Nobody": Nobody,
    "MeanText": lambda: MeanText("x"),
    "MeanNumber": lambda: MeanNumber(404),
    "MeanMoment": lambda: MeanMoment(2026, 1, 1),
    "Nameless": Nameless,
    "Ambiguous": Ambiguous,
    "a class": lambda: Mean,
}
every_hostile = pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())


@every_hostile
@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Fault)])
def test_no_field_makes_raising_fail(field, make):
    arguments = {"code": Code.GONE} | {field: make()}
    fault = FaultError(**arguments).fault

    json.dumps(dialects.native.encode(fault))


@every_hostile
def test_nothing_makes_raising_fail(make):
    hostile = make()
    raised = [
        AdapterError(hostile, hostile, hostile, cause=hostile),
        FaultError(Code.GONE, data={"x": hostile, "recovery": {"hint": hostile}, "reason": hostile}),
        FaultError(Code.GONE, issues=[FieldIssue(hostile, hostile, hostile), hostile]),
        *(FaultError(Code.GONE, recovery=Recovery(**{field.name: hostile})) for field in dataclasses.fields(Recovery)),
    ]
    for error in raised:
        for name in dialects.names():
            json.dumps(dialects.get(name).encode(error.fault), allow_nan=False)
    question = NeedsInput(hostile, fields=hostile, reason=hostile, suggestions={"x": hostile}, options=[hostile])
    json.dumps(dialects.encode_needs_input(question))


def test_without_a_message_the_code_speaks():
    assert Fault(code=Code.NOT_FOUND).message == "The thing does not exist."
    assert str(not_found()) == "The thing does not exist."
    assert str(not_found("   ")) == "The thing does not exist."


def test_without_a_verdict_the_table_decides():
    assert Fault(code=Code.TIMEOUT).retry is Retry.IF_HARMLESS
    assert not Fault(code=Code.TIMEOUT).retry_declared


def test_a_verdict_given_to_an_exception_was_declared_by_a_person():
    assert conflict("Deadlock.", retry=Retry.SAME_CALL).fault.retry_declared


@pytest.mark.parametrize(
    ("status", "retry"), [(None, Retry.SAME_CALL), (503, Retry.SAME_CALL), (502, Retry.IF_HARMLESS)]
)
def test_an_unavailable_service_is_safe_to_call_again_only_if_the_status_says_so(status, retry):
    assert Fault(code=Code.SERVICE_UNAVAILABLE, http_status=status).retry is retry


def test_the_reserved_keys_of_003_leave_the_data_for_their_fields():
    fault = not_found(
        "No match.",
        {
            "pmids": ["1"],
            "reason": "no_match",
            "recovery": {"hint": "Call search first.", "level": 2},
            "retryable": False,
            "retryAfter": 1.5,
        },
    ).fault

    assert fault.reason == "no_match"
    assert fault.recovery == Recovery(hint="Call search first.")
    assert (fault.retry, fault.retry_declared) == (Retry.FIX_INPUT, True)
    assert fault.retry_after_ms == 1500
    assert fault.data == {"pmids": ["1"], "recovery": {"level": 2}}


def test_a_field_that_was_given_wins_over_the_data():
    fault = not_found(
        "No match.",
        {"reason": "other", "recovery": {"hint": "Other."}, "retryable": True, "retryAfter": 9},
        reason="no_match",
        recovery=Recovery(hint="Call search first."),
        retry=Retry.NEVER,
        retry_after_ms=10,
    ).fault

    assert (fault.reason, fault.recovery.hint, fault.retry, fault.retry_after_ms) == (
        "no_match",
        "Call search first.",
        Retry.NEVER,
        10,
    )
    assert fault.data == {}


@pytest.mark.parametrize(
    "data", [{"reason": ValueError("x")}, {"reason": Retry.NEVER}, {"reason": b"x"}, {"retryAfter": Decimal(30)}]
)
def test_a_reserved_key_is_judged_by_the_json_it_becomes(data):
    fault = Fault(code=Code.RATE_LIMITED, data=data)

    assert fault.data == {}
    assert dataclasses.replace(fault) == fault


def test_a_reserved_key_of_the_wrong_kind_stays_in_the_data():
    data = {"reason": 5, "recovery": "Try again.", "retryable": "yes", "retryAfter": "soon"}

    assert internal_error("x", data).fault.data == data


@pytest.mark.parametrize(
    ("code", "flag", "retry"),
    [
        (Code.RATE_LIMITED, True, Retry.SAME_CALL),
        (Code.INTERNAL_ERROR, True, Retry.IF_HARMLESS),
        (Code.TIMEOUT, True, Retry.IF_HARMLESS),
        (Code.TIMEOUT, False, Retry.NEVER),
        (Code.NOT_FOUND, False, Retry.FIX_INPUT),
    ],
)
def test_a_declared_flag_becomes_a_verdict(code, flag, retry):
    assert FaultError(code, "x", {"retryable": flag}).fault.retry is retry


def test_a_flag_in_replaced_data_lowers_a_verdict_and_never_raises_it():
    never = Fault(code=Code.INTERNAL_ERROR)
    same = Fault(code=Code.RATE_LIMITED)

    assert dataclasses.replace(never, data={"retryable": True}).retry is Retry.NEVER
    assert dataclasses.replace(same, data={"retryable": False}).retry is Retry.NEVER


def test_blank_text_and_an_empty_recovery_are_none():
    fault = Fault(code=Code.GONE, reason="", field=" ", origin="", correlation_id="", recovery=Recovery(hint=""))

    assert (fault.reason, fault.field, fault.origin, fault.correlation_id, fault.recovery) == (None,) * 5


@pytest.mark.parametrize("status", [0, 99, 600, -1, True, "404", 404.0, None])
def test_a_status_that_is_none_is_dropped(status):
    assert Fault(code=Code.GONE, http_status=status).http_status is None


@pytest.mark.parametrize("wait", [-1, float("nan"), float("inf"), True, "x"])
def test_a_wait_that_is_none_is_dropped(wait):
    assert Fault(code=Code.GONE, retry_after_ms=wait).retry_after_ms is None


@pytest.mark.parametrize("wait", [10**12, 10**13, 10**18, 10**400, 1e300], ids=range(5))
def test_a_wait_that_is_absurd_is_a_long_one(wait):
    assert Fault(code=Code.GONE, retry_after_ms=wait).retry_after_ms == 10**12


def test_a_wait_in_the_data_that_is_absurd_is_a_long_one():
    assert Fault(code=Code.GONE, data={"retryAfter": 10**18}).retry_after_ms == 10**12


def test_a_wait_is_rounded_up():
    assert Fault(code=Code.GONE, retry_after_ms=0.2).retry_after_ms == 1


def test_a_code_nobody_knows_is_kept_as_the_origin():
    fault = Fault(code="OUT_OF_CHEESE")

    assert (fault.code, fault.origin) == (Code.UNKNOWN_ERROR, "OUT_OF_CHEESE")


class House(Enum):
    """Somebody's own words."""

    SOLD_OUT = 7

    @property
    def code(self):
        return Code.CONFLICT


class Broken(Enum):
    """Words that fail when they are read."""

    WORD = 7

    @property
    def code(self):
        raise RuntimeError


def test_a_word_that_says_which_code_it_stands_for_is_taken_for_it():
    assert FaultError(House.SOLD_OUT).code is Code.CONFLICT
    assert AdapterError("SOLD", code=dialects.JsonRpcErrorCode.Conflict).code is Code.CONFLICT
    assert FaultError(Broken.WORD).code is Code.UNKNOWN_ERROR


def test_who_advises_to_retry_later_has_said_that_the_call_may_be_repeated():
    later = Recovery(hint_class=RecoveryHint.RETRY_LATER)
    fault = Fault(code=Code.INTERNAL_ERROR, recovery=later)

    assert (fault.retry, fault.retry_declared) == (Retry.IF_HARMLESS, True)
    assert not Fault(code=Code.RATE_LIMITED, recovery=later).retry_declared
    assert Fault(code=Code.INTERNAL_ERROR, retry=Retry.NEVER, recovery=later).retry is Retry.NEVER


def test_raising_never_fails_whatever_it_is_given():
    error = FaultError(
        [],
        Mean(),
        Mean(),
        cause="not an exception",
        retry="maybe",
        retry_after_ms="x",
        reason=Mean(),
        issues=Mean(),
        recovery="later",
        correlation_id=7,
    )

    assert error.fault.code is Code.UNKNOWN_ERROR
    assert error.fault.correlation_id == "7"
    assert error.fault.data == {"value": "<Mean>"}
    assert error.__notes__ == ["Cause: not an exception"]


def test_a_verdict_nobody_knows_was_not_declared():
    fault = FaultError(Code.TIMEOUT, retry="always").fault

    assert (fault.retry, fault.retry_declared) == (Retry.IF_HARMLESS, False)
    assert AdapterError("X", retry="always").fault.retry is Retry.NEVER
    assert AdapterError("X", code="UPSTREAM_ERROR").fault.retry is Retry.NEVER


def test_what_was_meant_as_an_issue_or_a_recovery_is_not_lost():
    fault = FaultError(
        Code.INVALID_PARAMS, issues=[{"field": "a", "problem": "b", "expected": "d"}, "c"], recovery="Call x."
    ).fault

    assert fault.issues == (FieldIssue("a", "b", "d"), FieldIssue("", "c"))
    assert fault.recovery == Recovery(hint="Call x.")


def test_issues_may_come_from_a_generator():
    fault = FaultError(Code.INVALID_PARAMS, issues=(FieldIssue(name, "is required") for name in "ab")).fault

    assert [issue.field for issue in fault.issues] == ["a", "b"]


def test_data_is_copied():
    data = {"ids": [1]}
    error = not_found("x", data)
    data["ids"].append(2)

    assert error.fault.data == {"ids": [1]}


def test_an_exception_gets_a_reference_and_a_time_and_a_decoded_fault_does_not():
    first, second = not_found("x").fault, not_found("x").fault

    assert first.correlation_id != second.correlation_id
    assert uuid.UUID(first.correlation_id).version == 4
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first.timestamp)
    assert abs(datetime.now(UTC) - datetime.fromisoformat(first.timestamp)) < timedelta(minutes=5)
    assert Fault(code=Code.NOT_FOUND).correlation_id is None


def test_reference_and_time_can_be_given():
    fault = not_found("x", correlation_id="abc", timestamp="2026-11-15T12:00:00.000Z").fault

    assert (fault.correlation_id, fault.timestamp) == ("abc", "2026-11-15T12:00:00.000Z")


@pytest.mark.parametrize(
    "moment",
    [datetime(2026, 11, 15, 12), datetime(2026, 11, 15, 14, tzinfo=timezone(timedelta(hours=2)))],  # noqa: DTZ001 - naive on purpose
)
def test_a_moment_is_written_in_utc(moment):
    assert not_found("x", timestamp=moment).fault.timestamp == "2026-11-15T12:00:00.000Z"


def test_a_cause_is_chained_either_way():
    lost = OSError("lost")

    assert service_unavailable("x", cause=lost).__cause__ is lost
    with pytest.raises(FaultError) as caught:
        raise service_unavailable("x") from lost
    assert caught.value.__cause__ is lost


def test_a_fault_is_frozen_hashable_and_slotted():
    fault = Fault(code=Code.GONE, data={"a": 1}, recovery=Recovery(corrective_params={"b": [2]}))

    with pytest.raises(dataclasses.FrozenInstanceError):
        fault.message = "x"
    assert hash(fault) == hash(dataclasses.replace(fault))
    for value in (fault, fault.recovery, FieldIssue("a", "b")):
        assert not hasattr(value, "__dict__")


@given(fault=faults)
def test_a_fault_in_order_stays_as_it_is(fault):
    assert dataclasses.replace(fault) == fault


@given(fault=faults, value=telling_values)
def test_the_reason_cannot_be_overridden_by_data(fault, value):
    given = dataclasses.replace(fault, reason="declared", data={"reason": value})

    assert given.reason == "declared"


EXCEPTIONS = [
    FaultError(Code.TIMEOUT, "x", {"a": [1]}, retry_after_ms=5, recovery=Recovery(hint_class=RecoveryHint.CHECK_INPUT)),
    AdapterError("ORDER_NOT_FOUND", "No order 17.", {"order": 17}),
    not_found("x", cause=KeyError("y")),
    NeedsInput("Which?", fields=["id"], suggestions={"id": ["a"]}, options=["a"]),
]


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_exception_survives_a_copy(error, again):
    error.add_note("seen")
    twin = again(error)

    assert type(twin) is type(error)
    assert (str(twin), twin.args) == (str(error), error.args)
    assert twin.__dict__ == error.__dict__


def test_every_exception_class_is_among_the_copied_ones():
    public = {getattr(errata, name) for name in errata.__all__}
    classes = {found for found in public if isinstance(found, type) and issubclass(found, BaseException)}

    assert classes == {type(error) for error in EXCEPTIONS}


def test_an_adapters_failure_is_not_retryable_unless_the_data_says_so():
    assert AdapterError("ORDER_NOT_FOUND").fault.retry is Retry.NEVER
    assert AdapterError("BACKEND_BUSY", "Busy.", {"retryable": True}).fault.retry is Retry.IF_HARMLESS
    assert AdapterError("BACKEND_BUSY", retry=Retry.SAME_CALL).fault.retry is Retry.SAME_CALL
    assert AdapterError("TOO_MANY", code=Code.RATE_LIMITED).fault.retry is Retry.SAME_CALL


def test_an_exception_can_be_made_from_a_fault_that_exists():
    fault = Fault(code=Code.GONE, message="Removed.")

    assert FaultError.from_fault(fault).fault is fault
    assert str(FaultError.from_fault(fault)) == "Removed."


def test_a_question_puts_itself_in_order():
    question = NeedsInput(
        "Which?", fields="id", suggestions={"id": "a"}, options=["a", {"value": 2}, {"label": 5}, Mean()]
    )

    assert question.fields == ("id",)
    assert question.suggestions == {"id": ["a"]}
    assert question.options == (
        {"label": "a", "value": "a"},
        {"label": "2", "value": 2},
        {"label": "5", "value": "5"},
        {"label": "<Mean>", "value": "<Mean>"},
    )


@pytest.mark.parametrize("filler", ["word ", "\u200b", "\ue000", "\n"])
def test_what_shows_itself_shows_the_beginning_of_a_huge_message_and_no_half_of_a_secret(filler):
    hidden = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for length in (0, LONGEST_SHOWN - 60, LONGEST_SHOWN + SEEN_BEYOND - 20, LONGEST_SHOWN + 2 * SEEN_BEYOND - 20):
        padding = (filler * length)[:length]
        error = FaultError(Code.UPSTREAM_ERROR, f"{padding} {hidden}" + " and so on" * 100_000)
        for shown in (str(error), repr(error), repr(error.fault)):
            assert len(shown) < 3 * LONGEST_SHOWN  # With what `repr` escapes.
            assert not [start for start in range(len(hidden) - 12) if hidden[start : start + 12] in shown]
