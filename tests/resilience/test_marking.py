"""Whether a function says where its effect begins; what it says where nobody looks is not believed."""

import asyncio
import contextlib
import contextvars
import functools
import threading
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType, SimpleNamespace

import anyio
import pytest
from resilience.test_effects import Bank

import errata
import errata.resilience
import errata.resilience as resilient
from errata import FaultError, timeout
from errata.resilience import Breaker, effect, retry
from errata.resilience._marking import marks_its_effect

pay_marked = Bank().pay
pay_slowly_marked = Bank().pay_slowly
SHARED = effect("get_payment")
spell = SimpleNamespace(effect=lambda: None, resilience=SimpleNamespace(effect=lambda: None))


def has_a_block():
    with effect():
        pass


async def has_an_async_block():
    async with effect():
        pass


def has_a_shared_block():
    with SHARED:
        pass


def calls_a_marked_one():
    return pay_marked(5)


def by_the_module():
    with errata.resilience.effect():
        pass


def by_another_name():
    with resilient.effect():
        pass


def imports_it():
    from errata.resilience import effect as begins  # noqa: PLC0415 - it is the point.

    with begins():
        pass


def imports_the_module():
    import errata.resilience as here  # noqa: PLC0415 - as above.

    with here.effect():
        pass


def from_a_closure(mark=effect):
    local = mark

    def pays():
        with local():
            pass

    return pays


def refers_to_nothing():
    return 1


def has_an_effect_of_its_own():
    errata.not_found("No such spell.")
    return spell.effect()


def imports_something_else():
    from errata.resilience import retry as again  # noqa: PLC0415 - as above.

    return again, spell.effect, spell.resilience.effect()


def recursive():
    def inner():
        return itself()

    if recursive:
        return inner
    itself = inner
    return itself


class Called:
    def __call__(self):
        with effect():
            pass


def wraps_itself():
    def function():
        pass

    function.__wrapped__ = function
    return function


async def awaits_a_marked_one():
    with anyio.fail_after(5):
        return await pay_slowly_marked(timeout())


def has_arguments_of_every_kind(key=None, *more, **others):
    with effect(key=key or None, verify_tool=",".join(more), **others):
        pay_marked(*more, **others)


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def logged_async(function):
    @functools.wraps(function)
    async def wrapper(*args, **kwargs):
        return await function(*args, **kwargs)

    return wrapper


POOL = ThreadPoolExecutor(1)


def in_a_pool(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return POOL.submit(function, *args, **kwargs).result()

    return wrapper


def has_it_inside():
    def pay():
        with effect():
            pass

    return pay()


async def has_it_in_an_executor():
    def pay():
        with effect():
            pass

    await asyncio.get_running_loop().run_in_executor(None, pay)


def passes_it_on():
    return POOL.submit(pay_marked, 5).result()


def passes_it_on_by_the_module():
    return POOL.submit(resilient.effect)


def passes_one_on_and_calls_another():
    POOL.submit(pay_marked, 5).result()
    with effect():
        pass


def calls_a_member_of_it():
    return pay_marked.delay(5)


def has_it_elsewhere_in_a_list():
    return [pay_marked, len("four")]


def gives_it_another_name():
    pay = pay_marked if POOL else len
    return pay(5)


def imports_one_of_two(which):
    if which:
        from errata.resilience import effect as begins  # noqa: PLC0415 - it is the point.
    else:
        begins = contextlib.nullcontext
    with begins():
        pass


def imports_it_for_another():
    from errata.resilience import effect as begins  # noqa: PLC0415 - as above.

    def pay():
        with begins():
            pass

    with effect():
        return pay


def hands_a_coroutine_over():
    return POOL.submit(asyncio.run, pay_slowly_marked(timeout())).result()


def makes_one_and_keeps_it():
    kept = effect()
    with kept:
        pass


def only_makes_one():
    return effect()


def calls_one_that_exists():
    return SHARED(refers_to_nothing)


def asks_a_stranger_for_it():
    return stranger(errata.resilience).effect()


def stranger(_module):
    return spell


@in_a_pool
def pays_in_a_pool():
    with effect():
        pass


@in_a_pool
@effect()
def is_marked_in_a_pool():
    pass


@logged
def pays_and_logs():
    with effect():
        pass


@logged_async
async def pays_slowly_and_logs():
    async with effect():
        pass


@logged
@effect()
def is_marked_and_logged():
    pass


def calls_what_is_retried():
    return retried_and_marked()


@retry
@effect()
def retried_and_marked():
    pass


# fmt: off
MARKING = [
    has_a_block, has_an_async_block, has_a_shared_block, calls_a_marked_one, by_the_module, by_another_name, imports_it,
    imports_the_module, from_a_closure(), Bank.pay, Bank().pay, Bank().pay_slowly, retry(has_a_block),
    functools.partial(has_a_block), functools.partial(Bank().pay, 5), Called(), awaits_a_marked_one,
    has_arguments_of_every_kind, pays_and_logs, pays_slowly_and_logs, is_marked_and_logged, calls_what_is_retried,
    retried_and_marked, retry(pays_and_logs), Breaker("marks").__call__(has_an_async_block),
]
UNMARKED = [
    refers_to_nothing, has_an_effect_of_its_own, imports_something_else, recursive(), wraps_itself(), len, 5, None,
    Bank().refuse, functools.partial(refers_to_nothing), SimpleNamespace, has_it_inside, has_it_in_an_executor,
    passes_it_on, passes_it_on_by_the_module, passes_one_on_and_calls_another, calls_a_member_of_it,
    has_it_elsewhere_in_a_list, gives_it_another_name, imports_one_of_two, imports_it_for_another,
    hands_a_coroutine_over, makes_one_and_keeps_it, only_makes_one, calls_one_that_exists, asks_a_stranger_for_it,
    pays_in_a_pool, is_marked_in_a_pool, functools.partial(POOL.submit, pay_marked),
]
# fmt: on


@pytest.mark.parametrize("function", MARKING, ids=lambda each: getattr(each, "__qualname__", type(each).__name__))
def test_a_function_that_marks_its_effect_is_known(function):
    assert marks_its_effect(function)
    assert marks_its_effect(function)


@pytest.mark.parametrize("function", UNMARKED, ids=lambda each: getattr(each, "__qualname__", type(each).__name__))
def test_in_doubt_a_function_marks_nothing(function):
    assert not marks_its_effect(function)


def test_code_that_does_not_say_where_it_stands_marks_nothing():
    bare = has_a_block.__code__.replace(co_linetable=b"")

    assert not marks_its_effect(FunctionType(bare, has_a_block.__globals__))


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


async def itself():
    pay()


def raised_by(function):
    try:
        function()
    except FaultError as error:
        return [error]
    return []


# fmt: off
WAYS = [
    by_the_executor_of_the_loop, by_a_pool, by_a_thread, by_a_context_of_its_own, by_a_task_in_another_context, by_asyncio,
    itself,
]
# fmt: on


@pytest.mark.parametrize("way", WAYS)
def test_wherever_a_payment_is_made_it_is_made_once(way):
    payments.made.clear()
    with pytest.raises(FaultError, match="No answer from the bank"):
        asyncio.run(retry(sleep=lambda _: None)(way)())

    assert payments.made == [1]
