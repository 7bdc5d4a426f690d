"""What is declared, what is refused when it is, and the exceptions it makes."""

import copy
import dataclasses
import pickle
import warnings

import pytest
from hypothesis import given, strategies as st

from errata import Code, Contract, Failure, FaultError, Recovery, Retry
from errata.contracts import DeclaredFailures, declare

HINT = "Call pubmed_search_articles first to discover valid PMIDs."
WAIT = "Wait 30 seconds and retry, or ask for fewer PMIDs."

codes = st.sampled_from([code for code in Code if code is not Code.UNKNOWN_ERROR])
texts = st.text(min_size=1).filter(str.strip)


class FetchErrors(Contract):
    no_match = Failure(Code.NOT_FOUND, when="No requested PMID returned data", recovery=HINT)
    queue_full = Failure(
        Code.RATE_LIMITED, retryable=True, retry_after_ms=30_000, when="The queue is full.", recovery=WAIT
    )


class HostileError(Exception):
    pass


class Hostile:
    def __repr__(self, *_):
        raise HostileError

    __str__ = __bool__ = __eq__ = __hash__ = __iter__ = __len__ = __repr__


def failure(**changes):
    return Failure(**{"code": Code.GONE, "when": "It was deleted.", "recovery": HINT, **changes})


def contract(**body):
    return type(Contract)("Errors", (Contract,), body)


# The exception


def test_a_declared_failure_makes_an_exception_that_says_all_that_was_declared():
    fault = FetchErrors.queue_full("7 requests are waiting.", {"waiting": 7}, cause=OSError()).fault

    assert (fault.code, fault.message, fault.reason) == (Code.RATE_LIMITED, "7 requests are waiting.", "queue_full")
    assert (fault.retry, fault.retry_declared, fault.retry_after_ms) == (Retry.SAME_CALL, True, 30_000)
    assert fault.recovery == Recovery(hint=WAIT)
    assert fault.data == {"waiting": 7}


def test_its_cause_is_chained_and_it_can_be_raised():
    cause = OSError("no route")
    with pytest.raises(FaultError, match="No requested PMID") as caught:
        raise FetchErrors.no_match(cause=cause)
    assert caught.value.__cause__ is cause


@pytest.mark.parametrize("message", ["", "  ", None])
def test_without_a_message_it_says_when_it_happens(message):
    assert str(FetchErrors.no_match(message)) == "No requested PMID returned data"


@given(texts, texts)
def test_nothing_overrides_the_declared_reason(one, other):
    error = FetchErrors.no_match("x", {"reason": one, "pmid": 1}, reason=other)
    assert error.fault.reason == "no_match"
    assert error.fault.data == {"pmid": 1}


@given(codes, st.booleans())
def test_a_declared_yes_or_no_is_read_as_one_in_the_data_is(code, flag):
    declared = failure(code=code, retryable=flag, reason="x")().fault
    told = FaultError(code, data={"retryable": flag}).fault
    assert (declared.retry, declared.retry_declared) == (told.retry, told.retry_declared)


@given(codes)
def test_without_a_declaration_the_code_decides(code):
    fault = failure(code=code, reason="x")().fault
    assert (fault.retry, fault.retry_declared) == (code.retry, False)


@given(st.sampled_from(Retry), st.booleans())
def test_a_verdict_at_the_raise_wins(retry, flag):
    fault = failure(retryable=flag, reason="x")(retry=retry).fault
    assert (fault.retry, fault.retry_declared) == (retry, True)


@given(st.booleans(), st.booleans())
def test_a_flag_in_the_data_of_the_raise_wins(declared, told):
    fault = failure(code=Code.TIMEOUT, retryable=declared, reason="x")("", {"retryable": told}).fault
    assert fault.retryable is told


def test_an_upstream_status_still_lowers_the_verdict():
    down = failure(code=Code.SERVICE_UNAVAILABLE, retryable=True, reason="down")
    assert down().fault.retry is Retry.SAME_CALL
    assert down(http_status=502).fault.retry is Retry.IF_HARMLESS


def test_a_wait_at_the_raise_wins():
    assert FetchErrors.queue_full(retry_after_ms=5).fault.retry_after_ms == 5
    assert FetchErrors.queue_full("", {"retryAfter": 7}).fault.retry_after_ms == 7000
    assert FetchErrors.queue_full(retry_after_ms=None).fault.retry_after_ms == 30_000


@pytest.mark.parametrize(
    "given",
    [{"recovery": Recovery(hint="Ask for 7.")}, {"data": {"recovery": {"hint": "Ask for 7."}}}],
    ids=["field", "data"],
)
def test_a_hint_at_the_raise_wins(given):
    assert FetchErrors.no_match(**given).fault.recovery == Recovery(hint="Ask for 7.")


def test_a_recovery_without_a_hint_gets_the_declared_one():
    recovery = FetchErrors.no_match(recovery=Recovery(fallback_tool="search")).fault.recovery
    assert recovery == Recovery(fallback_tool="search", hint=HINT)


@pytest.mark.parametrize("value", [Hostile(), {"a": Hostile()}, [1], "text", object()])
def test_whatever_it_is_given_it_makes_an_exception(value):
    assert FetchErrors.no_match(value, value, cause=value, reason=value, recovery=value).fault.reason == "no_match"
    assert Failure(value, when=value, recovery=value, retryable=value, retry_after_ms=value, reason=value)().fault


# The value


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_failure_survives_a_copy(through):
    again = through(FetchErrors.queue_full)
    assert again == FetchErrors.queue_full
    assert hash(again) == hash(FetchErrors.queue_full)
    assert through(FetchErrors.no_match("x")).fault.reason == "no_match"


def test_a_failure_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        FetchErrors.no_match.when = "now"
    assert not hasattr(FetchErrors.no_match, "__dict__")


def test_a_code_may_be_written_as_text():
    assert failure(code="GONE") == failure()


# The contract


def test_a_name_that_is_not_declared_is_asked_about():
    with pytest.raises(AttributeError) as caught:
        FetchErrors.no_mach  # noqa: B018
    assert str(caught.value) == (
        "Contract `FetchErrors` declares no failure `no_mach`. Did you mean `no_match`? "
        "Declared: `no_match`, `queue_full`."
    )


def test_protocols_are_looked_for_in_vain():
    assert not hasattr(FetchErrors, "__iter__")
    assert not hasattr(FetchErrors, "nothing_like_it")


def test_a_contract_has_no_instances():
    with pytest.raises(TypeError, match=r"as in `raise FetchErrors\.no_match\(…\)`"):
        FetchErrors("no_match")


def test_a_subclass_adds_failures_and_may_declare_one_anew():
    class More(FetchErrors):
        no_match = failure(code=Code.GONE)
        withdrawn = failure()

    assert list(declare(More, by="t").failures) == ["no_match", "queue_full", "withdrawn"]
    assert More.no_match.code is Code.GONE
    assert FetchErrors.no_match.code is Code.NOT_FOUND
    assert More.queue_full is FetchErrors.queue_full


def test_a_reason_may_differ_from_the_name_of_the_attribute():
    class Errors(Contract):
        GONE = failure(reason="order_gone")

    assert Errors.GONE().fault.reason == "order_gone"


def test_one_failure_may_be_declared_under_two_names():
    class Errors(Contract):
        one = failure()
        other = one

    assert (Errors.one.reason, Errors.other.reason) == ("one", "other")


def test_other_things_may_stand_in_a_contract():
    class Errors(Contract):
        """Text."""

        gone = failure()
        _limit = 3

        class Inner:
            pass

        @property
        def also(self):
            return None

        @staticmethod
        def of(status):
            return Errors.gone if status == 410 else None

    assert Errors.of(410) is Errors.gone
    assert list(declare(Errors, by="t").failures) == ["gone"]


# The rules, by 003's names and severities

ERRORS = {
    "error-contract-entry-type": (TypeError, lambda: contract(no_match=(failure(),))),
    "error-contract-code-type": (TypeError, lambda: contract(no_match=failure(code=-32001))),
    "error-contract-code-unknown": (ValueError, lambda: contract(no_match=failure(code="NOT_FOND"))),
    "error-contract-reason-required": (ValueError, lambda: declare(failure(), by="get_order")),
    "error-contract-reason-unique": (ValueError, lambda: contract(one=failure(reason="x"), two=failure(reason="x"))),
    "error-contract-when-required": (ValueError, lambda: contract(no_match=failure(when=" "))),
    "error-contract-recovery-required": (ValueError, lambda: contract(no_match=Failure(Code.GONE, when="x"))),
    "error-contract-recovery-empty": (ValueError, lambda: contract(no_match=failure(recovery=""))),
    "error-contract-type": (TypeError, lambda: declare(int, by="get_order")),
}
WARNINGS = {
    "error-contract-empty": contract,
    "error-contract-code-unknown-error": lambda: contract(no_match=failure(code=Code.UNKNOWN_ERROR)),
    "error-contract-reason-format": lambda: contract(noMatch=failure()),
    "error-contract-recovery-min-words": lambda: contract(no_match=failure(recovery="Just try again.")),
    "error-contract-retryable-type": lambda: contract(no_match=failure(retryable="yes")),
}


@pytest.mark.parametrize("rule", ERRORS)
def test_what_003_calls_an_error_is_raised(rule):
    kind, declaration = ERRORS[rule]
    with pytest.raises(kind) as caught:
        declaration()
    assert str(caught.value).endswith(f" ({rule})")
    assert "`Errors`" in str(caught.value) or "`get_order`" in str(caught.value)


@pytest.mark.parametrize("rule", WARNINGS)
def test_what_003_calls_a_warning_is_warned_at_the_authors_line(rule):
    with pytest.warns(UserWarning, match=rf"`Errors`.* \({rule}\)$") as caught:
        WARNINGS[rule]()
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("reason", "better"),
    [("noMatch", "no_match"), ("No-match", "no_match"), ("HTTPError2", "httperror2"), ("é", "no_match")],
)
def test_a_reason_in_another_style_is_told_how_it_should_be(reason, better):
    with pytest.warns(UserWarning, match=f"Call it `{better}`"):
        contract(x=failure(reason=reason))


def test_an_unknown_code_is_asked_about():
    with pytest.raises(ValueError, match="Did you mean `NOT_FOUND`"):
        contract(no_match=failure(code="not_fond"))
    with pytest.raises(ValueError, match=r"such as `Code\.NOT_FOUND`"):
        contract(no_match=failure(code="zzz"))


def test_a_name_assigned_twice_is_refused():
    with pytest.raises(ValueError, match=r"Reason `no_match` of contract `Twice` .*reason-unique"):

        class Twice(Contract):
            no_match = failure()
            no_match = failure()  # noqa: PIE794


def test_a_failure_may_not_hide_an_inherited_reason_under_another_name():
    with pytest.raises(ValueError, match="error-contract-reason-unique"):

        class More(FetchErrors):
            other = failure(reason="no_match")


def test_a_flag_of_the_wrong_kind_is_ignored():
    with pytest.warns(UserWarning, match="`yes`"):
        errors = contract(down=failure(code=Code.NOT_FOUND, retryable="yes"))
    assert errors.down.retryable is None
    assert not errors.down().fault.retryable


@pytest.mark.parametrize("field", ["code", "when", "recovery", "retryable", "reason"])
@pytest.mark.parametrize(
    "value", [Hostile(), "x" * 10_000_000, 10**5000, ["a"] * 10, type, b"\xff"], ids=lambda v: type(v).__name__
)
def test_no_value_breaks_a_message(field, value):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            contract(no_match=failure(**{field: value}))
        except (TypeError, ValueError) as error:
            said = str(error)
        else:
            said = " ".join(str(warning.message) for warning in warned)
    assert len(said) < 1000


@pytest.mark.parametrize("value", [Hostile(), "x" * 10_000_000, None, 3, object(), failure])
def test_what_is_no_contract_is_refused_whatever_it_is(value):
    with pytest.raises(TypeError, match=r"\(error-contract-type\)$"):
        declare(value, by="get_order")
    with pytest.raises(TypeError, match=r"\(error-contract-entry-type\)$") if not callable(value) else pytest.warns():
        contract(public=value)


# What a tool declares


def test_several_contracts_and_lone_failures_are_put_together():
    declared = declare(FetchErrors, failure(reason="withdrawn"), by="fetch")
    assert list(declared.failures) == ["no_match", "queue_full", "withdrawn"]
    assert declared.codes == {Code.NOT_FOUND, Code.RATE_LIMITED, Code.GONE}
    with pytest.raises(TypeError):
        declared.failures["more"] = failure()


def test_one_reason_in_two_contracts_is_refused():
    with pytest.raises(ValueError, match=r"Reason `no_match` of tool `fetch` is declared twice.*reason-unique"):
        declare(FetchErrors, contract(no_match=failure()), by="fetch")


def test_two_contracts_may_inherit_the_same_failure():
    class One(FetchErrors):
        first = failure()

    class Two(FetchErrors):
        second = failure()

    assert list(declare(One, Two, by="t").failures) == ["no_match", "queue_full", "first", "second"]


def test_declaring_nothing_is_warned_about():
    with pytest.warns(UserWarning, match=r"^Tool `fetch` declares no failure.*error-contract-empty"):
        assert declare(by="fetch") == DeclaredFailures({})


def test_what_is_declared_is_published_as_json():
    assert declare(FetchErrors, by="fetch").publish() == [
        {
            "reason": "no_match",
            "code": "NOT_FOUND",
            "when": "No requested PMID returned data",
            "recovery": HINT,
            "retryable": False,
        },
        {
            "reason": "queue_full",
            "code": "RATE_LIMITED",
            "when": "The queue is full.",
            "recovery": WAIT,
            "retryable": True,
            "retryAfterMs": 30_000,
        },
    ]


@given(codes, st.sampled_from([None, True, False]))
def test_what_is_published_about_repeating_is_what_is_raised(code, flag):
    declared = declare(failure(code=code, retryable=flag, reason="x"), by="t")
    assert declared.publish()[0]["retryable"] is declared.failures["x"]().fault.retryable


@given(texts, texts)
def test_a_failure_is_one_line_of_a_description(when, recovery):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (line,) = declare(failure(when=when, recovery=recovery, reason="x"), by="t").write_lines()
    assert len(line.splitlines()) == 1


def test_the_line_ends_its_sentences():
    assert declare(FetchErrors, by="fetch").write_lines() == [
        f"- no_match (NOT_FOUND): No requested PMID returned data. {HINT}",
        f"- queue_full (RATE_LIMITED): The queue is full. {WAIT}",
    ]
