"""What is repeated, how often and when: laws first."""

import contextvars
import functools
import inspect
import logging
import pickle
import threading

import pytest
from hypothesis import assume, given, strategies as st
from support.instant_waits import Backend, Patience, faults

from errata import (
    Code,
    FaultError,
    NeedsInput,
    Retry,
    circuit_open,
    network_error,
    not_found,
    rate_limited,
    service_unavailable,
    timeout,
)
from errata.resilience import Budget, effect, marks_effects, retry

DOWN = service_unavailable("The catalogue is closed.")
chances = st.floats(0, 1)
failures = st.lists(faults, min_size=1, max_size=6).map(lambda some: [FaultError.from_fault(fault) for fault in some])
transient = st.sampled_from([DOWN, rate_limited(), rate_limited(retry_after_ms=700), ConnectionRefusedError(111, "no")])


def outcome_of(policy, function, *args):
    return raised_or_returned(lambda: policy.call(function, *args))


def raised_or_returned(function):
    try:
        return function()
    except BaseException as error:  # noqa: BLE001 - it is what is looked at.
        return error


@given(failures, st.integers(1, 6), chances, st.sampled_from([True, False, None]))
def test_nothing_is_repeated_but_what_may_be_and_never_more_often_than_said(errors, attempts, chance, idempotent):
    patience, backend = Patience(chance), Backend(*errors, "done")
    outcome_of(retry(**patience.options(attempts=attempts, idempotent=idempotent, budget=None)), backend)

    repeated = errors[: backend.calls - 1]
    assert backend.calls <= attempts
    for error in repeated:
        assert error.fault.retry is Retry.SAME_CALL or (error.fault.retry is Retry.IF_HARMLESS and idempotent)
        assert error.fault.code is not Code.CIRCUIT_OPEN
        assert "retryAttempts" not in error.fault.data
    assert [told.error for told in patience.told] == repeated


@given(st.lists(transient, min_size=1, max_size=8), st.floats(0.01, 10), chances, st.floats(0, 3), st.floats(0, 2))
def test_no_attempt_begins_after_the_deadline(errors, deadline_s, chance, takes, oversleeps):
    patience = Patience(chance, oversleeps)
    began_at = []
    backend = Backend(*errors, clock=patience.clock, takes=takes)

    def attempt():
        began_at.append(patience.clock.now)
        backend()

    outcome_of(retry(**patience.options(attempts=10, deadline_s=deadline_s)), attempt)

    assert all(moment <= began_at[0] + deadline_s for moment in began_at)
    assert sum(patience.waits) <= deadline_s


@given(st.lists(faults, min_size=1, max_size=5), chances)
def test_no_wait_is_shorter_than_the_upstream_asked_for(some, chance):
    patience, errors = Patience(chance), [FaultError.from_fault(fault) for fault in some]
    outcome_of(retry(**patience.options(attempts=9, deadline_s=None, idempotent=True)), Backend(*errors))

    for told, waited in zip(patience.told, patience.waits, strict=True):
        assert waited >= (told.fault.retry_after_ms or 0) / 1000
        assert told.wait_ms >= waited * 1000


@given(faults)
def test_an_error_that_is_not_repeated_is_the_same_object_untouched(fault):
    assume(fault.retry is not Retry.SAME_CALL)
    error = FaultError.from_fault(fault)

    assert outcome_of(retry(**Patience().options()), Backend(error)) is error
    assert error.fault is fault
    assert (error.__cause__, error.__context__, getattr(error, "__notes__", None)) == (None, None, None)


@given(st.lists(transient, min_size=2, max_size=8), st.integers(2, 5))
def test_what_failed_to_the_end_says_how_often_and_keeps_the_last_failure(errors, attempts):
    backend = Backend(*errors)
    outcome = outcome_of(retry(**Patience().options(attempts=attempts, deadline_s=None, budget=None)), backend)

    last = errors[min(attempts, len(errors)) - 1]
    assert type(outcome) is FaultError
    assert outcome.__cause__ is last
    assert str(outcome).endswith(f" (failed after {attempts} attempts)")
    assert outcome.fault.data == {"retryAttempts": attempts}
    if isinstance(last, FaultError):
        assert outcome.fault.code is last.code
        assert outcome.fault.retry_after_ms == last.fault.retry_after_ms
        assert outcome.fault.correlation_id == last.fault.correlation_id
    assert (
        outcome_of(retry(**Patience().options()), Backend(pickle.loads(pickle.dumps(outcome)))).fault == outcome.fault
    )


def test_the_first_success_is_returned():
    patience, backend = Patience(), Backend(DOWN, DOWN, "found")

    assert retry(**patience.options()).call(backend, 17, by="id") == "found"
    assert patience.waits == [0.025, 0.05]


def test_what_becomes_final_on_the_way_is_raised_as_it_is():
    lost = not_found("No order 17.")

    assert outcome_of(retry(**Patience().options()), Backend(DOWN, lost)) is lost


def test_a_wait_that_does_not_fit_the_deadline_is_not_begun_and_is_told():
    patience, error = Patience(), rate_limited(retry_after_ms=31_000)
    outcome = outcome_of(retry(**patience.options()), Backend(error))

    assert outcome is error
    assert outcome.fault.retry_after_ms == 31_000
    assert patience.waits == []


def test_who_asks_for_an_absurd_wait_is_not_asked_again_at_once():
    patience, error = Patience(), rate_limited(retry_after_ms=10**18)

    assert outcome_of(retry(**patience.options()), Backend(error)) is error
    assert patience.waits == []


def test_a_wait_that_does_not_fit_any_more_is_told_with_the_attempts():
    patience = Patience()
    backend = Backend(rate_limited(retry_after_ms=20_000), rate_limited(retry_after_ms=11_000))
    outcome = outcome_of(retry(**patience.options()), backend)

    assert (outcome.fault.retry_after_ms, outcome.fault.data) == (11_000, {"retryAttempts": 2})
    assert patience.waits == [20]


def test_without_a_deadline_it_waits_as_long_as_it_is_told():
    patience = Patience()
    retry(**patience.options(deadline_s=None)).call(Backend(rate_limited(retry_after_ms=3_600_000), "found"))

    assert patience.waits == [3600]


def test_an_open_circuit_is_left_alone():
    error = circuit_open("NCBI is paused.", retry_after_ms=10)

    assert outcome_of(retry(**Patience().options(idempotent=True)), Backend(error)) is error


@pytest.mark.parametrize("signal", [KeyboardInterrupt(), SystemExit(), GeneratorExit(), NeedsInput("?", fields=["a"])])
def test_what_is_no_failure_passes(signal):
    patience, backend = Patience(), Backend(signal)

    assert outcome_of(retry(**patience.options(idempotent=True)), backend) is signal
    assert backend.calls == 1


@pytest.mark.parametrize(
    ("options", "calls"),
    [
        ({}, 1),
        ({"idempotent": True}, 3),
        ({"idempotent": False}, 1),
        ({"key": "order-17"}, 3),
        ({"key": "order-17", "idempotent": False}, 3),
        ({"key": lambda _order, key=None: key}, 3),
        ({"key": lambda _order, **_: None}, 1),
        ({"key": lambda _order, **_: ""}, 1),
        ({"key": lambda _order, **_: "", "idempotent": True}, 3),
    ],
)
def test_a_timeout_is_repeated_only_where_doing_it_twice_does_no_harm(options, calls):
    backend = Backend(timeout("No answer."))
    policy = retry(**Patience().options(**options))

    with pytest.raises(FaultError):
        policy(backend.__call__)(17, key="k-1")
    assert backend.calls == calls


@pytest.mark.parametrize("flag", [True, False])
def test_the_flag_of_003_vetoes_and_does_not_command(flag):
    backend = Backend(timeout("No answer.", {"retryable": flag}))
    policy = retry(**Patience().options(idempotent=True))

    with pytest.raises(FaultError):
        policy.call(backend)
    assert backend.calls == (3 if flag else 1)


def test_a_key_that_cannot_be_found_makes_nothing_safe(caplog):
    error = timeout("No answer.")

    with caplog.at_level(logging.WARNING, "errata"):
        assert outcome_of(retry(**Patience().options(key=lambda order: order["key"])), Backend(error), {}) is error
    assert "`key` failed" in caplog.text


def test_a_hook_that_fails_changes_nothing(caplog):
    def hook(_repetition):
        raise KeyError("metrics")

    with caplog.at_level(logging.WARNING, "errata"):
        assert retry(**Patience().options(on_retry=hook)).call(Backend(DOWN, "found")) == "found"
    assert "`on_retry` failed" in caplog.text


def test_the_hook_is_told_what_is_known():
    patience = Patience()
    retry(**patience.options(upstream="told")).call(Backend(rate_limited("Slow down.", retry_after_ms=1234), "found"))
    (told,) = patience.told

    assert (told.attempt, told.wait_ms, told.upstream) == (1, 1234, "told")
    assert (told.fault.code, str(told.error)) == (Code.RATE_LIMITED, "Slow down.")


def test_a_repetition_is_paid_for_and_its_success_gives_it_back():
    budget, seen = Budget(100), []
    policy = retry(**Patience().options(budget=budget, on_retry=lambda _: seen.append(budget.tokens)))
    policy.call(Backend(rate_limited(), DOWN, "found"))

    assert (seen, budget.tokens) == ([95, 81], 95)
    policy.call(Backend("found"))
    assert budget.tokens == 96


def test_an_empty_budget_returns_the_error_at_once():
    backend, patience = Backend(DOWN), Patience()

    assert outcome_of(retry(**patience.options(budget=Budget(13))), backend) is DOWN
    assert patience.waits == []


def test_a_budget_that_runs_out_on_the_way_ends_the_call():
    outcome = outcome_of(retry(**Patience().options(budget=Budget(14), attempts=9)), Backend(DOWN))

    assert outcome.fault.data == {"retryAttempts": 2}


def test_functions_of_one_upstream_share_a_budget_and_others_have_their_own():
    policy = retry(**Patience().options(upstream="shared by two", attempts=2))
    raised_or_returned(policy(Backend(DOWN).__call__))
    raised_or_returned(policy(Backend(DOWN).__call__))
    outcome_of(policy, Backend(DOWN))

    assert Budget.of("shared by two").tokens == 500 - 3 * 14
    Budget.of("shared by two").refill()


def test_without_an_upstream_a_function_empties_no_budget_but_its_own():
    policy = retry(**Patience().options(attempts=10_000, deadline_s=None))
    dead, alive = Backend(DOWN), Backend(DOWN, "found")
    with pytest.raises(FaultError):
        policy(dead.__call__)()

    assert policy(alive.__call__)() == "found"


def test_a_budget_may_be_none():
    backend = Backend(DOWN)
    outcome_of(retry(**Patience().options(attempts=200, deadline_s=None, budget=None)), backend)

    assert backend.calls == 200


def test_before_its_effect_a_function_is_repeated_and_after_it_is_not():
    calls = []

    @marks_effects
    def pays(*, fails_before):
        calls.append(1)
        if fails_before:
            raise timeout("The rate could not be read.")
        with effect():
            raise timeout("No answer from the bank.")

    for fails_before, expected in [(True, 3), (False, 1)]:
        calls.clear()
        with pytest.raises(FaultError):
            retry(**Patience().options()).call(pays, fails_before=fails_before)
        assert len(calls) == expected


@pytest.mark.parametrize("repeated", [0, 1])
def test_what_may_have_happened_says_with_which_tool_to_look(repeated):
    lost, before = timeout("No answer from the bank."), [DOWN] * repeated

    def pays():
        if before:
            raise before.pop()
        with effect("get_payment"):
            raise lost

    outcome = outcome_of(retry(**Patience().options()), pays)
    assert (outcome.fault.retry, outcome.fault.recovery.verify_tool) == (Retry.VERIFY_FIRST, "get_payment")
    assert (str(outcome), outcome.__cause__) == (str(lost), lost)
    assert lost.fault.retry is Retry.IF_HARMLESS


def test_in_an_effect_the_errors_of_others_are_raised_as_they_are():
    error = TimeoutError("No answer from the bank.")

    def pays():
        with effect("get_payment"):
            raise error

    assert outcome_of(retry(**Patience().options()), pays) is error


def test_each_attempt_has_its_own_record_of_effects():
    refused = [network_error("Refused.", retry=Retry.SAME_CALL), timeout("The rate could not be read."), None]

    @marks_effects
    def pays():
        error = refused.pop(0)
        if error and error.code is Code.TIMEOUT:
            raise error
        with effect():
            if error:
                raise error
        return "paid"

    assert retry(**Patience().options()).call(pays) == "paid"


def test_an_effect_that_was_left_behind_in_a_thread_does_not_begin_any_more():
    paid, late, go_on = [], [], threading.Event()

    def pay():
        go_on.wait(60)
        with effect():
            paid.append(1)

    @marks_effects
    def pays():
        if late:
            with effect():
                paid.append(2)
            return "paid"
        context = contextvars.copy_context()
        late.append(threading.Thread(target=lambda: caught.append(raised_or_returned(lambda: context.run(pay)))))
        late[0].start()
        raise timeout("The thread takes too long.")

    caught = []
    assert retry(**Patience().options()).call(pays) == "paid"
    go_on.set()
    late[0].join()

    assert paid == [2]
    assert caught[0].code is Code.CANCELLED


class Shop:
    def __init__(self):
        self.backend = Backend(DOWN, "found")

    @retry(**Patience().options())
    def find(self, number):
        """Find an order."""
        return (self.backend(), number)

    @retry(**Patience().options())
    @staticmethod
    def statically(backend):
        return backend()

    @staticmethod
    @retry(**Patience().options())
    def statically_too(backend):
        return backend()

    @retry(**Patience().options())
    @classmethod
    def of_the_class(cls, backend):
        return (cls, backend())


def test_methods_of_every_kind():
    shop = Shop()

    assert shop.find(17) == ("found", 17)
    assert (
        shop.statically(Backend(DOWN, 1)) == shop.statically_too(Backend(DOWN, 1)) == Shop.statically(Backend(1)) == 1
    )
    assert Shop.of_the_class(Backend(DOWN, 1)) == shop.of_the_class(Backend(1)) == (Shop, 1)


def test_partials_bound_methods_objects_and_built_ins():
    policy, shop = retry(**Patience().options()), Shop()
    backend = Backend(DOWN, "found")

    assert policy(backend)() == "found"
    assert policy(functools.partial(Backend(DOWN, 2), 1))() == 2
    assert policy(shop.find)(17) == ("found", 17)
    assert policy(len)("four") == 4
    assert policy.call(Backend, 1)() == 1


def test_a_decorated_function_looks_like_itself():
    assert Shop.find.__name__ == "find"
    assert Shop.find.__doc__ == "Find an order."
    assert list(inspect.signature(Shop.find).parameters) == ["self", "number"]
    assert not inspect.iscoroutinefunction(Shop.find)


def generator():
    yield 1


async def async_generator():
    yield 1


class Yielding:
    def __call__(self):
        yield 1


@pytest.mark.parametrize("function", [generator, async_generator, Yielding(), functools.partial(generator)])
def test_a_generator_is_refused_where_it_is_decorated(function):
    with pytest.raises(TypeError, match=r"is a generator function.*retry\.call"):
        retry(function)


@pytest.mark.parametrize("function", [generator, async_generator, Yielding(), functools.partial(generator)])
def test_a_generator_is_refused_where_it_is_called(function):
    with pytest.raises(TypeError, match="is a generator function"):
        retry.call(function)


@pytest.mark.parametrize("value", [None, 5, "fetch"])
def test_what_is_no_function_is_not_called(value):
    with pytest.raises(TypeError, match=r"is no function\. Give the function, then its arguments"):
        retry.call(value)


def test_a_class_and_what_is_no_function_are_refused():
    with pytest.raises(TypeError, match="`Shop` is a class"):
        retry(Shop)
    with pytest.raises(TypeError, match=r"`5`, which is no function. Name options, as in `retry\(attempts=5\)`"):
        retry(5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attempts": 0}, "`attempts` is 0. Give a whole number, 1 or more"),
        ({"attempts": 2.0}, "`attempts` is 2.0"),
        ({"attempts": True}, "`attempts` is True"),
        ({"deadline_s": -1}, "`deadline_s` is -1. Give the seconds"),
        ({"deadline_s": float("nan")}, "`deadline_s` is nan"),
        ({"deadline_s": "30"}, "`deadline_s` is '30'"),
        ({"upstream": " "}, "`upstream` is ' '. Give the name"),
        ({"budget": 500}, "`budget` is 500. Give a `Budget`"),
        ({"idempotent": "yes"}, "`idempotent` is 'yes'. Say True"),
        ({"key": ""}, "`key` is ''"),
        ({"key": 17}, "`key` is 17"),
        ({"on_retry": "log"}, "`on_retry` is 'log'"),
        ({"clock": 5}, "`clock` is 5"),
        ({"sleep": 5}, "`sleep` is 5"),
        ({"random": 0.5}, "`random` is 0.5"),
    ],
)
def test_a_bad_option_is_named_with_its_rule(options, words):
    with pytest.raises(ValueError, match=words):
        retry(**options)


def test_an_option_that_does_not_exist_is_guessed():
    with pytest.raises(TypeError, match=r"`retry` takes no `attemps`\. Did you mean `attempts`\?"):
        retry(attemps=5)
    with pytest.raises(TypeError, match="It takes `attempts`, `deadline_s`, "):
        retry(zzz=1)


def test_a_policy_is_never_changed_only_followed_by_another():
    five = retry(attempts=5, upstream="a")

    assert (retry.attempts, five.attempts, five(deadline_s=9).attempts) == (3, 5, 5)
    with pytest.raises(AttributeError):
        five.attempts = 6
    assert repr(five).startswith("Retrying(attempts=5, deadline_s=30.0, upstream='a'")


def test_a_sleep_that_must_be_awaited_is_no_use_to_a_function_that_is_not_async():
    with pytest.raises(TypeError, match="`sleep` gave something to await"):
        retry(**Patience().options(sleep=Patience().sleep_async)).call(Backend(DOWN))


def test_threads_share_a_policy():
    policy = retry(**Patience().options(attempts=4, budget=None))
    outcomes = []

    def works():
        outcomes.append(policy.call(Backend(DOWN, DOWN, "found")))

    threads = [threading.Thread(target=works) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert outcomes == ["found"] * 20
