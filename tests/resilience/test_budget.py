import asyncio
import gc
import os
import signal
import threading

import pytest
from hypothesis import given, strategies as st

from errata.resilience import Budget, _budget, _upstream_registry

TRANSIENT, RATE_LIMIT = 14, 5


@pytest.fixture(autouse=True)
def _like_a_new_process():
    Budget.refill_all()
    yield
    Budget.refill_all()


def test_the_published_trace_exact_to_the_token():
    # As gRPC's A6 tells its throttling, event by event, with AWS's numbers of 2026.
    budget = Budget()
    seen = [budget.tokens]

    def does(event):
        {"fails": budget.take, "limited": lambda: budget.take(rate_limited=True)}.get(event, budget.give_back)()
        seen.append(budget.tokens)

    for event in ["fails", "fails", "limited", "succeeds", "succeeds", "fails"]:
        does(event)
    budget.give_back(TRANSIENT)  # The last repetition succeeded.
    seen.append(budget.tokens)

    assert seen == [500, 486, 472, 467, 468, 469, 455, 469]


def test_a_dead_upstream_gets_thirty_five_repetitions_and_then_none():
    budget = Budget()

    costs = [budget.take() for _ in range(40)]

    assert costs == [TRANSIENT] * 35 + [None] * 5
    assert budget.tokens == 500 - 35 * TRANSIENT == 10


def test_what_is_too_little_for_one_kind_may_do_for_the_other():
    budget = Budget(13)

    assert budget.take() is None
    assert budget.tokens == 13
    assert [budget.take(rate_limited=True) for _ in range(3)] == [RATE_LIMIT, RATE_LIMIT, None]
    assert budget.tokens == 3


def test_it_takes_four_successes_to_earn_a_repetition_that_lacks_four():
    budget = Budget(500)
    while budget.take():
        pass
    for _ in range(TRANSIENT - 10):
        assert budget.take() is None
        budget.give_back()

    assert budget.take() == TRANSIENT
    assert budget.tokens == 0


steps = st.lists(st.sampled_from(["transient", "rate limit"]) | st.integers(-3, 60), max_size=60)


@given(st.integers(0, 60), st.integers(1, 20), st.integers(1, 20), steps)
def test_tokens_stay_between_nothing_and_the_capacity_and_nothing_is_lost(tokens, transient, rate_limit, taken):
    budget = Budget(tokens, transient_cost=transient, rate_limit_cost=rate_limit)
    expected = tokens
    for step in taken:
        if isinstance(step, int):
            budget.give_back(step)
            expected = min(expected + max(step, 0), tokens)
        else:
            cost = rate_limit if step == "rate limit" else transient
            assert budget.take(rate_limited=step == "rate limit") == (cost if expected >= cost else None)
            expected -= cost if expected >= cost else 0
        assert budget.tokens == expected
        assert 0 <= budget.tokens <= budget.capacity == tokens
        assert budget.is_full == (expected == tokens)


def test_threads_neither_lose_nor_find_a_token():
    budget = Budget(1000, transient_cost=1)
    paid = []

    def works():
        mine = [budget.take() for _ in range(400)]
        for cost in mine[::2]:
            budget.give_back(cost or 0)
        paid.append(sum(map(bool, mine)) - sum(map(bool, mine[::2])))

    threads = [threading.Thread(target=works) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert budget.tokens == 1000 - sum(paid)


def test_tasks_neither_lose_nor_find_a_token():
    budget = Budget(100)

    async def works():
        cost = budget.take()
        await asyncio.sleep(0)
        if cost:
            budget.give_back(cost)
        return cost

    async def main():
        return await asyncio.gather(*(works() for _ in range(50)))

    assert asyncio.run(main()).count(None) == 50 - 100 // TRANSIENT
    assert budget.tokens == 100


def test_everybody_who_names_an_upstream_gets_the_same_budget():
    assert Budget.of("ncbi") is Budget.of("ncbi")
    assert Budget.of("ncbi") is not Budget.of("uniprot")


def test_names_without_end_cost_no_memory_without_end():
    kept = Budget.of("kept")
    for number in range(3 * _upstream_registry._MOST_UNUSED):
        Budget.of(f"tenant {number}")
    gc.collect()

    assert len(_budget._BUDGETS.all()) < 2 * _upstream_registry._MOST_UNUSED
    assert Budget.of("kept") is kept


def test_a_budget_that_is_spent_stays_so_though_nobody_holds_it():
    Budget.of("for a moment").take()

    assert Budget.of("for a moment").tokens == 500 - TRANSIENT


def test_a_test_begins_as_a_new_process_does():
    spent = Budget.of("spent")
    spent.take()
    Budget.refill_all()

    assert Budget.of("spent") is spent
    assert spent.is_full


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_waits_for_no_lock_of_its_parent():
    held, let_go = threading.Event(), threading.Event()

    def hold():
        with _budget.LOCK.current:
            held.set()
            let_go.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if Budget(20).take() == TRANSIENT else 1)
    let_go.set()
    thread.join()

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"tokens": -1}, "`tokens` is -1"),
        ({"tokens": 1.5}, "`tokens` is 1.5"),
        ({"tokens": True}, "`tokens` is True"),
        ({"transient_cost": 0}, "`transient_cost` is 0"),
        ({"rate_limit_cost": "5"}, "`rate_limit_cost` is '5'"),
    ],
)
def test_numbers_that_cannot_be_are_refused_by_name(options, named):
    with pytest.raises(ValueError, match=named):
        Budget(**options)


def test_it_shows_what_is_left():
    budget = Budget(20)
    budget.take()

    assert repr(budget) == "<Budget: 6 of 20 tokens>"


@pytest.mark.parametrize("name", [None, "", " ", 5])
def test_an_upstream_without_a_name_has_no_budget(name):
    with pytest.raises(ValueError, match="Give the name of what is called"):
        Budget.of(name)
