"""Retries of async functions, under asyncio and trio; and only one layer ever repeats."""

import asyncio
import contextlib
import contextvars
import functools
import gc
import inspect
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import anyio.to_thread
import pytest
from support.instant_waits import Backend, Patience
from support.required_libraries import need

from errata import FaultError, NeedsInput, not_found, service_unavailable, timeout
from errata.resilience import Budget, effect, retry
from errata.resilience._nesting import INNERMOST
from errata.resilience._retry import Retrying

DOWN = service_unavailable("The catalogue is closed.")
LONGEST_S = 60  # Only for what hangs.

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    if request.param == "trio":
        need("trio")
    return request.param


def patient(**options) -> Retrying:
    return retry(**Patience().options(**{"budget": None, **options}))


async def test_it_waits_as_the_running_loop_does():
    backend = Backend(DOWN, DOWN, "found")

    assert await retry(random=lambda: 0.0)(backend.asked)() == "found"
    assert await retry.call(Backend("found").asked) == "found"


async def test_a_sleep_of_ones_own_is_awaited():
    patience = Patience()
    policy = retry(**patience.options(sleep=patience.sleep_async))

    assert await policy.call(Backend(DOWN, "found").asked, 17) == "found"
    assert patience.waits == [0.025]


async def test_what_failed_to_the_end_says_how_often():
    with pytest.raises(FaultError, match=r"closed. \(failed after 3 attempts\)") as caught:
        await patient()(Backend(DOWN).asked)()

    assert caught.value.__cause__ is DOWN


@pytest.mark.parametrize("error", [not_found("No order 17."), NeedsInput("?", fields=["id"]), timeout()], ids=repr)
async def test_what_is_not_repeated_is_the_same_object(error):
    backend = Backend(error)
    with pytest.raises(type(error)) as caught:
        await patient().call(backend.asked)

    assert caught.value is error
    assert backend.calls == 1


async def test_a_decorated_coroutine_function_looks_like_itself():
    @retry
    async def fetch(order: int, *, by: str = "id") -> str:
        """Fetch an order."""
        return f"{order}{by}"

    assert inspect.iscoroutinefunction(fetch)
    assert str(inspect.signature(fetch)) == "(order: int, *, by: str = 'id') -> str"
    assert (fetch.__name__, fetch.__doc__) == ("fetch", "Fetch an order.")
    assert await fetch(17, by="n") == "17n"


class Client:
    def __init__(self, *outcomes):
        self.backend = Backend(*outcomes)

    async def __call__(self):
        return self.backend()

    @patient()
    async def get(self, number):
        return self.backend(), number


async def test_methods_partials_and_objects():
    policy = patient()

    assert await Client(DOWN, 1).get(17) == (1, 17)
    assert await policy(Client(DOWN, 2))() == 2
    assert await policy(functools.partial(Backend(DOWN, 3).asked, 17))() == 3
    assert inspect.iscoroutinefunction(policy(Client(1)))


@pytest.mark.parametrize("decorated", [True, False])
async def test_a_function_that_gives_something_to_await_is_called_again_for_each_attempt(decorated):
    backend, made = Backend(DOWN, DOWN, "found"), []

    def get():
        made.append(1)
        return backend.asked()

    policy = patient()
    assert await (policy(get)() if decorated else policy.call(get)) == "found"
    assert len(made) == 3


async def test_its_first_half_may_fail_too():
    beginning, backend = Backend(DOWN, None), Backend(DOWN, "found")

    def get():
        beginning()
        return backend.asked()

    assert await patient().call(get) == "found"
    with pytest.raises(FaultError, match="after 3 attempts"):
        await patient().call(lambda: Backend(DOWN).asked())


async def test_an_effect_of_the_first_half_counts():
    paid = []

    def pay():
        with effect():
            paid.append(1)
        return Backend(DOWN).asked()

    with pytest.raises(FaultError):
        await patient().call(pay)
    assert paid == [1]


async def test_cancelling_a_wait_ends_the_call_at_once():
    backend = Backend(service_unavailable(retry_after_ms=10**9))
    began = anyio.Event()
    policy = retry(on_retry=lambda _: began.set(), deadline_s=None)

    async def stop(scope):
        await began.wait()
        scope.cancel()

    with anyio.fail_after(LONGEST_S):
        async with anyio.create_task_group() as group:
            group.start_soon(stop, group.cancel_scope)
            await policy.call(backend.asked)
    assert group.cancel_scope.cancelled_caught
    assert INNERMOST.get() is None
    assert backend.calls == 1


async def test_cancelling_an_attempt_ends_the_call_at_once():
    calls = []

    async def hangs():
        calls.append(1)
        scope.cancel()
        await anyio.sleep_forever()

    with anyio.fail_after(LONGEST_S), anyio.CancelScope() as scope:
        await patient(idempotent=True).call(hangs)
    assert scope.cancelled_caught
    assert calls == [1]
    assert INNERMOST.get() is None


async def test_a_time_limit_outside_is_not_ours_and_one_inside_is_a_timeout():
    calls = []

    async def hangs():
        calls.append(1)
        with anyio.fail_after(0):
            await anyio.sleep_forever()

    with pytest.raises(FaultError, match="after 3 attempts"):
        await patient(idempotent=True).call(hangs)
    assert len(calls) == 3


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancellation_that_a_library_made_an_error_of_is_not_repeated():
    calls = []

    async def hides_it():
        calls.append(1)
        try:
            began.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionRefusedError(111, "the pool was closed") from None

    began = asyncio.Event()
    task = asyncio.create_task(patient().call(hides_it))
    await began.wait()
    task.cancel()
    with pytest.raises(ConnectionRefusedError):
        await task
    assert calls == [1]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_that_has_swallowed_a_cancellation_repeats_as_any_other():
    backend, began = Backend(DOWN, "found"), asyncio.Event()

    async def stubborn():
        with contextlib.suppress(asyncio.CancelledError):
            began.set()
            await asyncio.Event().wait()
        return await patient().call(backend.asked)

    task = asyncio.create_task(stubborn())
    await began.wait()
    task.cancel()
    assert await task == "found"


async def test_a_plain_function_stops_no_loop():
    backend = Backend(DOWN, "found")

    with pytest.raises(FaultError) as caught:
        retry.call(backend)
    assert caught.value is DOWN
    assert backend.calls == 1
    assert await anyio.to_thread.run_sync(retry(random=lambda: 0.0).call, backend) == "found"


@pytest.mark.filterwarnings("error")
async def test_a_call_that_is_given_up_before_it_began_leaves_no_warning():
    backend = Backend("found")
    retry.call(backend.asked).close()
    gc.collect()

    assert backend.calls == 0


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_call_that_is_dropped_in_the_middle_leaves_nothing_behind():
    async def waits():
        await asyncio.get_running_loop().create_future()

    waiting = patient()(waits)()
    contextvars.copy_context().run(waiting.send, None)
    waiting.close()
    del waiting
    gc.collect()

    assert INNERMOST.get() is None


async def test_many_tasks_share_a_policy_and_its_budget():
    policy = retry(**Patience().options(budget=Budget(100)))
    outcomes = []

    async def asks():
        outcomes.append(await policy.call(Backend(DOWN, "found").asked))

    async with anyio.create_task_group() as group:
        for _ in range(7):
            group.start_soon(asks)

    assert outcomes == ["found"] * 7
    assert policy.budget.tokens == 100


def layered(call):
    """Every way from an outer retry to an inner one: what is called, and what has to be awaited on the way."""

    async def directly():
        return call()

    async def in_a_task():
        outcomes = []
        async with anyio.create_task_group() as group:
            group.start_soon(keep, outcomes)
        return outcomes[0]

    async def keep(outcomes):
        outcomes.append(call())

    async def in_a_thread():
        return await anyio.to_thread.run_sync(call)

    async def in_a_thread_of_ones_own():
        context, outcomes = contextvars.copy_context(), []
        thread = threading.Thread(target=lambda: outcomes.append(raised_or_returned(lambda: context.run(call))))
        thread.start()
        await anyio.to_thread.run_sync(thread.join)
        if isinstance(outcomes[0], BaseException):
            raise outcomes[0]
        return outcomes[0]

    async def in_a_thread_that_knows_nothing():
        with ThreadPoolExecutor(1) as pool:
            return await anyio.to_thread.run_sync(pool.submit(call).result)

    return [directly, in_a_task, in_a_thread, in_a_thread_of_ones_own, in_a_thread_that_knows_nothing]


def raised_or_returned(function):
    try:
        return function()
    except BaseException as error:  # noqa: BLE001 - it is what is looked at.
        return error


@pytest.mark.parametrize("way", range(5))
@pytest.mark.parametrize("depth", [1, 2])
async def test_however_retries_nest_a_backend_is_asked_three_times_and_not_nine(way, depth):
    backend = Backend(DOWN)
    inner = backend.__call__
    for _ in range(depth):
        inner = patient()(inner)
    outer = patient()(layered(inner)[way])

    with pytest.raises((FaultError, ExceptionGroup)):
        await outer()
    assert backend.calls == 3


async def test_async_retries_nest_too():
    backend = Backend(DOWN, DOWN, "found")
    inner = patient()(patient()(backend.asked))

    @patient()
    async def outer():
        return await inner()

    assert await outer() == "found"
    assert backend.calls == 3


async def test_what_was_repeated_elsewhere_is_not_repeated_again():
    backend = Backend(service_unavailable("Down.", {"retryAttempts": 3}))
    with pytest.raises(FaultError):
        await patient().call(backend.asked)

    assert backend.calls == 1


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_what_an_attempt_has_started_and_left_repeats_for_itself():
    backend, over, tasks = Backend(DOWN, "found"), asyncio.Event(), []

    async def in_the_background():
        await over.wait()
        return await patient().call(backend.asked)

    async def starts():
        tasks.append(asyncio.create_task(in_the_background()))

    await patient().call(starts)
    over.set()
    assert await tasks[0] == "found"


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_tasks_of_a_group_belong_to_one_attempt():
    paid = []

    async def pays():
        with effect():
            paid.append(1)
            await asyncio.sleep(0)

    async def fails():
        await asyncio.sleep(0)
        raise DOWN

    async def both():
        await asyncio.gather(pays(), fails())

    with pytest.raises(FaultError):
        await patient().call(both)
    assert paid == [1]


def test_sync_functions_never_touch_a_loop():
    assert patient()(Backend(DOWN, "found").__call__)() == "found"
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


def test_without_a_loop_that_is_known_the_own_error_is_raised_and_a_sleep_asked_for(caplog):
    waiting = retry(random=lambda: 0.0)(Backend(DOWN).asked)()

    with pytest.raises(FaultError) as caught:
        waiting.send(None)
    assert caught.value is DOWN
    assert "Tell `retry` how to wait, with `sleep=`" in caplog.text


TRIO_ALONE = """
import sys
sys.modules["anyio"] = None  # It cannot be imported.
import trio
from concurrent.futures import Future
from errata import service_unavailable
from errata._runtime import deadline, run_in_thread, wait_for_future
from errata.resilience import retry

failures = [service_unavailable("down", retry_after_ms=1), service_unavailable("down", retry_after_ms=1)]

@retry
async def ask():
    if failures:
        raise failures.pop()
    return "found"

async def is_over(waiting):
    try:
        await waiting
    except TimeoutError:
        return True

async def wait(seconds):
    async with deadline(seconds):
        await trio.sleep_forever()

async def main():
    future = Future()
    future.set_result("answered")
    print(await ask(), await run_in_thread(lambda: "worked"), await wait_for_future(future, 60))
    print(await is_over(wait(0.01)), await is_over(wait(-1)), await is_over(wait_for_future(Future(), 0.01)))
    with trio.move_on_after(0.01) as scope:
        await wait(60)
    print(scope.cancelled_caught)

trio.run(main)
"""


def test_trio_needs_no_anyio():
    need("trio")
    command = [sys.executable, "-c", TRIO_ALONE]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LONGEST_S)
    assert (done.stdout.split(), done.stderr) == (["found", "worked", "answered", "True", "True", "True", "True"], "")
