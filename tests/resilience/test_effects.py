"""What is known of a call's effect decides whether the call may be repeated."""

import asyncio
import contextvars
import functools
import gc
import threading
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st
from support.instant_waits import faults

import errata
from errata import (
    Code,
    Fault,
    FaultError,
    Recovery,
    Retry,
    insufficient_balance,
    rate_limited,
    timeout,
    validation_error,
)
from errata.model import CURRENT, Effects
from errata.resilience import effect, marks_effects, retry
from errata.resilience._effects import EffectsDeclaration, record_of, settle_verdict
from errata.resilience._nesting import INNERMOST, Attempt
from errata.tools._effect_hints import read_harmless

LONGEST_S = 60  # Only for what hangs.
three_answers = st.sampled_from([True, False, None])
OWN, OTHER = EffectsDeclaration(), EffectsDeclaration()
maybe_declared = st.sampled_from([OWN, None])


@st.composite
def records(draw):
    record = Effects()
    record.declarations = draw(st.sets(st.sampled_from([OWN, OTHER])))
    record.begun = draw(st.booleans())
    record.open = draw(st.integers(0, 2)) if record.begun else 0
    record.keyed = draw(st.booleans()) if record.begun else True
    record.verify_tool = draw(st.none() | st.just("get_payment"))
    return record


maybe_records = st.none() | records()


@given(faults, three_answers, maybe_records, maybe_declared)
def test_a_declared_verdict_is_only_ever_lowered(fault, harmless, effects, declaration):
    known = settle_verdict(fault, harmless=harmless, effects=effects, declaration=declaration)

    assert not (fault.retry_declared and known.retry.exceeds(fault.retry))


@given(faults, three_answers, maybe_records, maybe_declared)
def test_what_cannot_be_repeated_never_becomes_repeatable(fault, harmless, effects, declaration):
    known = settle_verdict(fault, harmless=harmless, effects=effects, declaration=declaration)

    assert fault.retryable or not known.retryable
    assert (fault.retry is Retry.NEVER) <= (known.retry is Retry.NEVER)


@given(faults, st.sampled_from([False, None]), records(), maybe_declared)
def test_what_may_have_happened_and_must_not_twice_is_not_repeated(fault, harmless, effects, declaration):
    known = settle_verdict(fault, harmless=harmless, effects=effects, declaration=declaration)

    if effects.open and not effects.keyed:
        assert known.retry in {Retry.VERIFY_FIRST, Retry.NEVER}


@given(faults, maybe_records, maybe_declared)
def test_what_does_no_harm_is_never_lowered(fault, effects, declaration):
    known = settle_verdict(fault, harmless=True, effects=effects, declaration=declaration)

    assert not fault.retry.exceeds(known.retry)


@given(faults, three_answers, maybe_records, maybe_declared)
def test_to_settle_a_verdict_twice_is_to_settle_it_once(fault, harmless, effects, declaration):
    once = settle_verdict(fault, harmless=harmless, effects=effects, declaration=declaration)

    assert settle_verdict(once, harmless=harmless, effects=effects, declaration=declaration) == once


@given(faults, three_answers, maybe_records, maybe_declared)
def test_nothing_changes_but_the_verdict_and_the_tool_to_look_with(fault, harmless, effects, declaration):
    known = settle_verdict(fault, harmless=harmless, effects=effects, declaration=declaration)

    assert known.code is fault.code
    assert (known.message, known.data, known.correlation_id) == (fault.message, fault.data, fault.correlation_id)
    if known.retry is Retry.VERIFY_FIRST and effects and effects.verify_tool:
        assert known.recovery.verify_tool


@pytest.mark.parametrize(
    ("harmless", "declared", "verdict"),
    [
        (True, False, Retry.SAME_CALL),
        (False, False, Retry.VERIFY_FIRST),
        (None, False, Retry.IF_HARMLESS),
        (False, True, Retry.SAME_CALL),
        (None, True, Retry.SAME_CALL),
    ],
)
def test_a_timeout_of_which_nothing_more_is_known(harmless, declared, verdict):
    effects = Effects()
    declaration = OWN if declared else None
    effects.declarations = {OTHER, OWN} if declared else {OTHER}
    settled = settle_verdict(Fault(code=Code.TIMEOUT), harmless=harmless, effects=effects, declaration=declaration)
    assert settled.retry is verdict


@pytest.mark.parametrize(("harmless", "verdict"), [(False, Retry.VERIFY_FIRST), (None, Retry.IF_HARMLESS)])
def test_a_declaration_that_was_not_seen_to_run_says_nothing(harmless, verdict):
    fault, effects = Fault(code=Code.TIMEOUT), Effects()
    assert settle_verdict(fault, harmless=harmless, declaration=OWN).retry is verdict
    assert settle_verdict(fault, harmless=harmless, effects=effects, declaration=OWN).retry is verdict
    effects.declarations.add(OTHER)
    assert settle_verdict(fault, harmless=harmless, effects=effects, declaration=OWN).retry is verdict


def test_the_tool_to_look_with_is_the_authors_own_if_there_is_one():
    effects = Effects()
    effects.begun, effects.open, effects.keyed, effects.verify_tool = True, 1, False, "get_payment"
    own = Fault(code=Code.TIMEOUT, recovery=Recovery(verify_tool="list_payments", hint="Look first."))
    declared = Fault(code=Code.TIMEOUT, retry=Retry.VERIFY_FIRST, retry_declared=True)

    assert settle_verdict(own, harmless=None, effects=effects).recovery == own.recovery
    assert settle_verdict(declared, harmless=None, effects=effects).recovery.verify_tool == "get_payment"


def in_an_attempt(function):
    """Run a function as an attempt does, and give the record with what it raised."""
    attempt = Attempt()

    def run():
        INNERMOST.set(attempt)
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - it is what is looked at.
            return error
        return None

    return contextvars.copy_context().run(run), record_of(attempt)


def verdict_after(function, fault=None, **known):
    error, effects = in_an_attempt(function)
    return settle_verdict(
        fault or errata.classify(error), effects=effects, **{"harmless": None, "declaration": OWN, **known}
    ).retry


def test_a_timeout_inside_may_have_happened():
    def pays():
        with effect("get_payment"):
            raise timeout()

    assert verdict_after(pays) is Retry.VERIFY_FIRST
    assert verdict_after(pays, harmless=True) is Retry.SAME_CALL


def test_a_refusal_inside_proves_that_nothing_happened():
    def pays():
        with effect():
            raise rate_limited()

    def pays_too_much():
        with effect():
            raise validation_error("`amount` is 500; the highest allowed is 100.")

    assert verdict_after(pays) is Retry.SAME_CALL
    assert verdict_after(pays_too_much) is Retry.FIX_INPUT


def test_after_it_even_a_refusal_of_the_next_step_lets_nothing_be_repeated():
    def pays_and_writes(error):
        with effect():
            pass
        raise error

    assert verdict_after(functools.partial(pays_and_writes, rate_limited())) is Retry.VERIFY_FIRST
    assert verdict_after(functools.partial(pays_and_writes, validation_error("No."))) is Retry.VERIFY_FIRST
    assert verdict_after(functools.partial(pays_and_writes, KeyError())) is Retry.NEVER


def test_a_lost_answer_that_was_swallowed_is_not_forgotten():
    def pays_twice():
        try:
            with effect():
                raise timeout()
        except FaultError:
            raise rate_limited() from None

    assert verdict_after(pays_twice) is Retry.VERIFY_FIRST


def test_a_refusal_that_was_swallowed_is():
    def pays_in_another_way():
        try:
            with effect():
                raise insufficient_balance()
        except FaultError:
            pass
        with effect():
            raise rate_limited()

    assert verdict_after(pays_in_another_way) is Retry.SAME_CALL


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError(), ZeroDivisionError()])
def test_what_says_nothing_about_the_effect_leaves_it_open(error):
    def pays():
        with effect():
            raise error

    assert verdict_after(pays, Fault(code=Code.RATE_LIMITED)) is Retry.VERIFY_FIRST


def test_with_keys_for_all_effects_the_call_may_be_repeated():
    def pays(*keys):
        for key in keys:
            with effect(key=key):
                pass
        raise timeout()

    assert verdict_after(functools.partial(pays, "a", "b")) is Retry.SAME_CALL
    assert verdict_after(functools.partial(pays, "a", None)) is Retry.VERIFY_FIRST
    assert verdict_after(functools.partial(pays, "a", " ")) is Retry.VERIFY_FIRST


def test_an_effect_that_is_still_under_way_counts():
    entered, let_go = threading.Event(), threading.Event()

    def pay():
        with effect():
            entered.set()
            let_go.wait(LONGEST_S)

    def pays_beside():
        thread = threading.Thread(target=contextvars.copy_context().run, args=(pay,))
        thread.start()
        entered.wait(LONGEST_S)
        threads.append(thread)
        raise rate_limited()

    threads = []
    assert verdict_after(pays_beside) is Retry.VERIFY_FIRST
    let_go.set()
    threads[0].join()


def test_threads_lose_no_mark():
    def pays_a_lot():
        def pay():
            for _ in range(200):
                with effect():
                    pass

        threads = [threading.Thread(target=contextvars.copy_context().run, args=(pay,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert in_an_attempt(pays_a_lot)[1].open == 1600


def test_one_object_may_mark_in_several_tasks_at_a_time():
    shared = effect("get_payment")

    async def pay(error):
        async with shared:
            await asyncio.sleep(0)
            raise error

    async def both():
        await asyncio.gather(pay(rate_limited()), pay(timeout()), pay(rate_limited()), return_exceptions=True)

    _, effects = in_an_attempt(lambda: asyncio.run(both()))
    assert (effects.open, effects.verify_tool) == (1, "get_payment")
    assert not shared._marked


def test_a_generator_that_is_left_in_another_call_takes_nothing_back():
    def paying():
        with effect():
            yield

    def begins():
        generators.append(paying())
        next(generators[0])

    def goes_on():
        with effect():
            pass
        generators[0].throw(rate_limited())

    generators = []
    assert in_an_attempt(begins)[1].open == 1
    assert in_an_attempt(goes_on)[1].open == 1


def test_a_call_that_was_given_up_begins_no_effect():
    attempt, done = Attempt(), []
    record_of(attempt).closed = True

    def late(key):
        INNERMOST.set(attempt)
        with effect(key=key):
            done.append(key)

    with pytest.raises(FaultError, match="given up before its effect began") as caught:
        contextvars.copy_context().run(late, None)
    contextvars.copy_context().run(late, "order-17")

    assert caught.value.code is Code.CANCELLED
    assert done == ["order-17"]


def test_a_worker_that_a_failed_attempt_started_serves_later_calls_if_it_has_a_context_of_its_own():
    done, workers, failures = [], [], [timeout("The exchange rate could not be read."), None]

    async def work(jobs):
        while True:
            amount, paid = await jobs.get()
            with effect():
                done.append(amount)
            paid.set_result(None)

    @retry(sleep=lambda _: None)
    @marks_effects
    async def pay(amount, jobs):
        if not workers:
            workers.append(asyncio.create_task(work(jobs), context=contextvars.Context()))
        if failures and (failure := failures.pop(0)):
            raise failure
        with effect():
            paid = asyncio.get_running_loop().create_future()
            jobs.put_nowait((amount, paid))
            await paid

    async def run():
        jobs = asyncio.Queue()
        for amount in (17, 18):
            await pay(amount, jobs)
        workers[0].cancel()

    asyncio.run(run())
    assert done == [17, 18]


def test_who_may_not_begin_an_effect_is_told_how_to_start_a_worker():
    attempt = Attempt()
    record_of(attempt).closed = True

    def late():
        INNERMOST.set(attempt)
        with effect():
            pytest.fail("it was begun")

    with pytest.raises(FaultError, match=r"`asyncio.create_task\(work\(\), context=contextvars.Context\(\)\)`\.$"):
        contextvars.copy_context().run(late)


def test_the_request_is_told_as_well():
    request = SimpleNamespace(effects=None)

    def run():
        CURRENT.set(request)
        with effect("get_payment"):
            pass

    contextvars.copy_context().run(run)
    assert (request.effects.open, request.effects.verify_tool) == (1, "get_payment")


def test_outside_of_any_call_it_marks_nothing():
    with effect():
        pass


class Bank:
    @effect("get_payment")
    def pay(self, amount):
        """Pay."""
        return amount

    @effect()
    @staticmethod
    def transfer(amount):
        return amount

    @effect()
    async def pay_slowly(self, error):
        raise error

    @effect()
    def pay_later(self, error):
        return self.refuse(error)

    async def refuse(self, error):
        raise error


def test_a_function_may_be_marked_as_a_whole():
    _, effects = in_an_attempt(lambda: Bank().pay(5))

    assert (Bank().pay(5), Bank.transfer(6), Bank.pay.__doc__) == (5, 6, "Pay.")
    assert (effects.open, effects.verify_tool) == (1, "get_payment")


@pytest.mark.parametrize("pay", [Bank().pay_slowly, Bank().pay_later])
def test_what_a_marked_function_gives_to_be_awaited_belongs_to_it(pay):
    def lasts(error):
        async def run():
            await pay(error)

        return lambda: asyncio.run(run())

    assert verdict_after(lasts(timeout())) is Retry.VERIFY_FIRST
    assert in_an_attempt(lasts(timeout()))[1].open >= 1


def test_a_marked_function_that_is_refused_has_not_happened():
    @effect()
    def pay():
        raise rate_limited()

    assert verdict_after(pay) is Retry.SAME_CALL


def test_a_generator_function_is_refused():
    with pytest.raises(TypeError, match=r"generator function.*Put `with effect\(\):` inside"):

        @effect()
        def pays():
            yield


def test_the_parentheses_are_asked_for():
    with pytest.raises(TypeError, match="needs its parentheses"):

        @effect
        def pays(): ...


@pytest.mark.parametrize(
    ("annotations", "harmless"),
    [
        ({"readOnlyHint": True}, True),
        ({"readOnlyHint": True, "idempotentHint": False}, True),
        ({"idempotentHint": True, "destructiveHint": True}, True),
        ({"idempotentHint": False}, False),
        ({"destructiveHint": True}, False),
        ({"destructiveHint": False}, None),
        ({"readOnlyHint": False}, None),
        ({"readOnlyHint": "yes", "idempotentHint": 1}, None),
        ({"read_only_hint": True}, True),
        (SimpleNamespace(idempotent_hint=True), True),
        (SimpleNamespace(readOnlyHint=None, destructiveHint=True), False),
        ({}, None),
        (None, None),
    ],
)
def test_annotations_say_what_somebody_said_and_no_more(annotations, harmless):
    assert read_harmless(annotations) is harmless


def test_what_is_given_to_be_awaited_belongs_to_an_effect_that_began_once():
    shared = effect("get_payment")

    @shared
    def pay(error):
        return refuse(error)

    async def refuse(error):
        raise error

    async def run():
        with pytest.raises(FaultError):
            await pay(rate_limited())

    _, effects = in_an_attempt(lambda: asyncio.run(run()))
    assert (effects.begun, effects.open) == (True, 0)
    assert not shared._marked


def test_a_block_that_is_never_left_where_it_was_entered_is_not_remembered_for_ever():
    shared = effect()
    in_an_attempt(shared.__enter__)
    gc.collect()

    assert not shared._marked
