"""Event loops, retries, breakers: a wrapper gives way to what it wraps, and a refused call says when it is welcome."""

import asyncio
import concurrent.futures
import queue
from datetime import timedelta

import pytest
from support.library_tables import Library, check_decided, check_names, module

from errata import Code, Retry, classify
from errata.classification import explain

LIBRARIES = [
    Library(
        "asyncio",
        ("asyncio", "asyncio.exceptions", "asyncio.queues"),
        former=frozenset({"asyncio.queues.QueueShutDown"}),
    ),
    Library("anyio", ("anyio",)),
    Library("trio", ("trio",), telling=frozenset({"builtins.Warning"})),
    Library("tenacity", ("tenacity",)),
    Library("redress", ("redress.errors",)),
    Library(
        "concurrent.futures",
        ("concurrent.futures", "concurrent.futures.process", "concurrent.futures.thread"),
        inherited=frozenset({"concurrent.futures._base.Error"}),
        former=frozenset(
            f"concurrent.futures.interpreter.{name}" for name in ("BrokenInterpreterPool", "ExecutionFailed")
        ),
    ),
    Library("multiprocessing", ("multiprocessing", "multiprocessing.pool")),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_exception_of_a_library_is_decided_about(library):
    check_decided(library)


def caught(call, *arguments):
    try:
        call(*arguments)
    except BaseException as error:  # noqa: BLE001 - cancellations are samples, too
        return error
    raise AssertionError


def judged(error):
    fault = classify(error)
    return fault.code, fault.retry


def look_alike(name, *bases, **carried):
    """Make an instance of a class that is called like one of a library that is not installed."""
    module, _, short = name.rpartition(".")
    error = type(short, bases or (Exception,), {"__module__": module})("…")
    error.__dict__.update(carried)
    return error


async def too_late():
    async with asyncio.timeout(0):
        await asyncio.Event().wait()


async def cut_short():
    reader = asyncio.StreamReader()
    reader.feed_data(b"ab")
    reader.feed_eof()
    await reader.readexactly(10)


async def no_separator():
    reader = asyncio.StreamReader(limit=4)
    reader.feed_data(b"x" * 20)
    await reader.readuntil(b"\n")


async def full():
    box = asyncio.Queue(1)
    box.put_nowait(1)
    box.put_nowait(2)


@pytest.mark.parametrize(
    ("coroutine", "code", "retry"),
    [
        (too_late, Code.TIMEOUT, Retry.IF_HARMLESS),
        (cut_short, Code.NETWORK_ERROR, Retry.IF_HARMLESS),
        (no_separator, Code.SERIALIZATION_ERROR, Retry.NEVER),
        (full, Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    ],
)
def test_asyncio_says_what_happened_to_the_stream_or_the_queue(coroutine, code, retry):
    assert judged(caught(asyncio.run, coroutine())) == (code, retry)


def test_a_cancelled_future_was_cancelled():
    future = concurrent.futures.Future()
    future.cancel()
    assert judged(caught(future.result)) == (Code.CANCELLED, Retry.NEVER)


def test_a_full_queue_takes_the_call_later():
    assert judged(queue.Full()) == (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL)


def test_the_traceback_of_a_worker_process_decides_nothing():
    traceback = concurrent.futures.process._RemoteTraceback("… PermissionError: rate limit …")
    error = Exception("it failed")
    error.__cause__ = traceback
    assert classify(error).code is Code.INTERNAL_ERROR


def test_an_attempt_to_connect_says_why_it_failed():
    anyio = module("anyio")

    async def connect():
        await anyio.connect_tcp("127.0.0.1", 1)

    assert judged(caught(anyio.run, connect)) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


def test_trio_that_is_too_slow_ran_out_of_time():
    trio = module("trio")

    async def slow():
        with trio.fail_after(0):
            await trio.sleep_forever()

    assert judged(caught(trio.run, slow)) == (Code.TIMEOUT, Retry.IF_HARMLESS)


def test_tenacity_gives_way_to_the_last_attempt_however_deep():
    tenacity = module("tenacity")

    @tenacity.retry(stop=tenacity.stop_after_attempt(2))
    def inside():
        raise ConnectionRefusedError(111, "Connection refused")

    error = caught(tenacity.retry(stop=tenacity.stop_after_attempt(1))(inside))
    assert judged(error) == (Code.NETWORK_ERROR, Retry.SAME_CALL)
    assert explain(error).trail[-1] == "builtins.ConnectionRefusedError"


def test_a_result_that_tenacity_never_accepted_is_no_bug_of_ours():
    tenacity = module("tenacity")
    retried = tenacity.retry(stop=tenacity.stop_after_attempt(2), retry=tenacity.retry_if_result(lambda _: True))
    assert judged(caught(retried(lambda: None))) == (Code.UPSTREAM_ERROR, Retry.IF_HARMLESS)


def test_who_asks_tenacity_to_try_again_has_a_reason():
    tenacity = module("tenacity")

    @tenacity.retry(stop=tenacity.stop_after_attempt(1))
    def refused():
        raise tenacity.TryAgain from PermissionError(13, "Permission denied")

    assert classify(caught(refused)).code is Code.FORBIDDEN


def test_redress_gives_way_to_the_last_exception_or_else_to_its_kind():
    errors = module("redress.errors")
    stopped = errors.StopReason.MAX_ATTEMPTS_GLOBAL

    def exhausted(kind, failure):
        return errors.RetryExhaustedError(stopped, 3, kind, failure, None)

    assert classify(exhausted(None, FileNotFoundError(2, "No such file"))).code is Code.NOT_FOUND
    assert classify(exhausted(errors.ErrorClass.RATE_LIMIT, None)).code is Code.RATE_LIMITED
    assert classify(exhausted(None, None)).code is Code.UPSTREAM_ERROR
    assert judged(errors.CircuitOpenError()) == (Code.CIRCUIT_OPEN, Retry.SAME_CALL)


def test_retrying_keeps_its_exception_in_a_triple():
    attempt = type("Attempt", (), {"has_exception": True, "value": (OSError, TimeoutError("slow"), None)})()
    assert classify(look_alike("retrying.RetryError", last_attempt=attempt)).code is Code.TIMEOUT


@pytest.mark.parametrize(
    ("error", "code", "wait"),
    [
        (look_alike("pybreaker.CircuitBreakerError"), Code.CIRCUIT_OPEN, None),
        (
            look_alike("aiobreaker.state.CircuitBreakerError", time_remaining=timedelta(seconds=12)),
            Code.CIRCUIT_OPEN,
            12_000,
        ),
        (
            look_alike(
                "circuitbreaker.CircuitBreakerError",
                _circuit_breaker=type("Breaker", (), {"open_remaining": 4.5})(),
            ),
            Code.CIRCUIT_OPEN,
            4_500,
        ),
        (look_alike("ratelimit.exception.RateLimitException", period_remaining=2.25), Code.RATE_LIMITED, 2_250),
        (
            look_alike("pyrate_limiter.exceptions.BucketFullException", meta_info={"remaining_time": 9}),
            Code.RATE_LIMITED,
            9_000,
        ),
        (look_alike("arq.worker.Retry", defer_score=1500), Code.SERVICE_UNAVAILABLE, 1_500),
    ],
)
def test_a_breaker_or_a_limiter_tells_when_the_call_is_welcome(error, code, wait):
    fault = classify(error)
    assert (fault.code, fault.retry, fault.retry_after_ms) == (code, Retry.SAME_CALL, wait)


def test_celery_retries_for_a_reason():
    assert classify(look_alike("celery.exceptions.Retry", exc=PermissionError("no"))).code is Code.FORBIDDEN


def test_an_activity_that_must_not_be_repeated_is_not():
    failure = look_alike("temporalio.exceptions.ApplicationError", non_retryable=True)
    assert judged(failure) == (Code.UPSTREAM_ERROR, Retry.NEVER)
