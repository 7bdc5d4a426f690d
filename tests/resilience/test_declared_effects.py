"""A function declares that it marks its effects; what it did where nobody could see is not concluded from that."""

import asyncio
import contextvars
import functools
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio.to_thread
import pytest

from errata import FaultError, timeout
from errata.resilience import Breaker, effect, find_declaration, marks_effects, retry

POOL = ThreadPoolExecutor(1)


@marks_effects
def declared():
    """Pay."""


@marks_effects
async def declared_async():
    pass


class Bank:
    @marks_effects
    def pay(self):
        pass

    @marks_effects
    @staticmethod
    def transfer():
        pass

    @marks_effects
    def __call__(self):
        pass


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def in_a_pool(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return POOL.submit(function, *args, **kwargs).result()

    return wrapper


def has_a_block():
    with effect():
        pass


# fmt: off
DECLARED = [
    declared, declared_async, Bank.pay, Bank().pay, Bank.transfer, Bank(), functools.partial(declared), logged(declared),
    retry(declared), retry(declared_async), Breaker("declared")(declared),
]
UNDECLARED = [has_a_block, effect()(has_a_block), functools.partial(has_a_block), len, int, 5, None, Bank]
# fmt: on


@pytest.mark.parametrize("function", DECLARED, ids=lambda each: getattr(each, "__qualname__", type(each).__name__))
def test_a_declaration_is_seen(function):
    assert find_declaration(function)


@pytest.mark.parametrize("function", UNDECLARED, ids=lambda each: getattr(each, "__qualname__", type(each).__name__))
def test_nothing_is_declared_by_what_a_function_does(function):
    assert find_declaration(function) is None


def test_a_declared_function_is_what_it_was():
    assert (declared.__name__, declared.__doc__, inspect.iscoroutinefunction(declared_async)) == (
        "declared",
        "Pay.",
        True,
    )
    assert inspect.signature(marks_effects(lambda amount: amount)).parameters.keys() == {"amount"}


@pytest.mark.parametrize("given", [int, 5, None])
def test_what_is_no_function_declares_nothing(given):
    with pytest.raises(TypeError, match=r"is no function. Put `@marks_effects` above the function"):
        marks_effects(given)


class Payments:
    def __init__(self):
        self.made = []

    @effect("get_payment")
    def pay(self):
        self.made.append(1)
        raise timeout("No answer from the bank.")


payments = Payments()
pay = payments.pay


async def by_the_executor_of_the_loop():
    await asyncio.get_running_loop().run_in_executor(None, pay)


async def by_a_pool():
    POOL.submit(pay).result()


async def by_a_thread():
    caught = []
    thread = threading.Thread(target=lambda: caught.extend(raised_by(pay)))
    thread.start()
    thread.join()
    raise caught[0]


async def by_a_context_of_its_own():
    contextvars.Context().run(pay)


async def by_a_task_in_another_context():
    async def pays():
        pay()

    await asyncio.get_running_loop().create_task(pays(), context=contextvars.Context())


async def by_asyncio():
    await asyncio.to_thread(pay)


async def by_anyio():
    await anyio.to_thread.run_sync(pay)


async def itself():
    pay()


def raised_by(function):
    try:
        function()
    except FaultError as error:
        return [error]
    return []


# fmt: off
UNSEEN = [
    by_the_executor_of_the_loop, by_a_pool, by_a_thread, by_a_context_of_its_own, by_a_task_in_another_context,
]
SEEN = [by_asyncio, by_anyio, itself]
# fmt: on


def paid(function):
    payments.made.clear()
    with pytest.raises(FaultError, match="No answer from the bank"):
        asyncio.run(retry(sleep=lambda _: None)(function)())
    return payments.made


@pytest.mark.parametrize("way", [*UNSEEN, *SEEN])
def test_wherever_a_payment_is_made_it_is_made_once(way):
    assert paid(way) == [1]


@pytest.mark.parametrize("way", SEEN)
def test_a_declared_function_pays_once_too(way):
    assert paid(marks_effects(way)) == [1]


def test_a_declared_function_that_a_decorator_runs_in_a_pool_pays_once():
    @in_a_pool
    @marks_effects
    def pays():
        pay()

    assert paid(pays_of(pays)) == [1]
    assert find_declaration(pays)


def pays_of(function):
    """A coroutine function that carries the declaration of what it calls, as a decorator does."""

    @functools.wraps(function)
    async def wrapper():
        function()

    return wrapper


def test_a_declared_function_inside_of_another_says_nothing_about_the_other():
    @marks_effects
    def reads():
        pass

    async def pays():
        reads()
        POOL.submit(pay).result()

    assert paid(pays) == [1]


def test_a_declared_function_that_runs_in_the_call_says_nothing_about_one_that_runs_in_a_pool():
    @marks_effects
    def reads():
        pass

    @marks_effects
    def pays():
        pay()

    @functools.wraps(pays)
    async def reads_and_pays():
        reads()
        POOL.submit(pays).result()

    assert find_declaration(reads_and_pays) is find_declaration(pays)
    assert paid(reads_and_pays) == [1]


def test_a_declared_function_around_another_has_a_declaration_of_its_own():
    outer = marks_effects(declared)
    assert find_declaration(outer) is not find_declaration(declared)


@pytest.mark.parametrize("is_async", [False, True])
def test_what_fails_before_the_effect_of_a_declared_function_is_repeated(is_async):
    failures, done = [timeout("No rate."), timeout("No rate.")], []

    def pays():
        if failures:
            raise failures.pop()
        with effect():
            done.append(1)
        return "paid"

    async def pays_async():
        return pays()

    policy = retry(sleep=lambda _: None)
    outcome = asyncio.run(policy(marks_effects(pays_async))()) if is_async else policy(marks_effects(pays))()
    assert (outcome, done) == ("paid", [1])


def test_what_fails_before_the_effect_of_an_undeclared_function_is_not_repeated():
    calls = []

    @retry(sleep=lambda _: None)
    def pays():
        calls.append(1)
        if len(calls) == 1:
            raise timeout("No rate.")
        with effect():
            pass

    with pytest.raises(FaultError, match="No rate"):
        pays()
    assert calls == [1]
