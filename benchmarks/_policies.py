"""What may stand between a client and a backend: the libraries themselves, as their own pages recommend them."""

import asyncio
import contextlib
import logging
import random
from collections.abc import Iterator
from types import SimpleNamespace
from unittest import mock

import stamina
import tenacity
from _storm import Order, Policy
from _virtual_time import VirtualLoop
from fastmcp.server.middleware import MiddlewareContext
from fastmcp.server.middleware.error_handling import RetryMiddleware

from errata.resilience import Budget, MemoryStore, Retrying, protect, retry

TRANSIENT = (ConnectionError, TimeoutError)
"""What FastMCP's middleware repeats by default; stamina and tenacity are told to repeat the same."""


def none(order: Order, _: VirtualLoop, __: int) -> Order:
    return order


def with_stamina(order: Order, _: VirtualLoop, __: int) -> Order:
    """As it comes: ten attempts within 45 seconds, exponential with jitter."""
    return stamina.retry(on=TRANSIENT)(order)


def with_tenacity(order: Order, _: VirtualLoop, __: int) -> Order:
    """As its page on waiting and the one on stopping: exponential with jitter, seven attempts."""
    return tenacity.retry(
        retry=tenacity.retry_if_exception_type(TRANSIENT),
        wait=tenacity.wait_random_exponential(multiplier=1, max=60),
        stop=tenacity.stop_after_attempt(7),
        reraise=True,
    )(order)


def with_fastmcp(order: Order, _: VirtualLoop, __: int) -> Order:
    """As it comes: three repetitions, exponential without jitter."""
    middleware = RetryMiddleware()

    async def through_the_middleware(number: int) -> str:
        return await middleware.on_request(
            MiddlewareContext(message=number, method="tools/call"), lambda context: order(context.message)
        )

    return through_the_middleware


def with_retry(order: Order, loop: VirtualLoop, seed: int) -> Order:
    """As it comes, without a breaker."""
    return _retry_of(loop, seed)(order)


def with_protect(order: Order, loop: VirtualLoop, seed: int) -> Order:
    """As it comes: retry, budget and breaker, told nothing about the call."""
    return protect("backend", store=MemoryStore(clock=loop.time), retry=_retry_of(loop, seed))(order)


def with_protect_when_busy(order: Order, loop: VirtualLoop, seed: int) -> Order:
    """As its page recommends it for an upstream that is called many times in a second."""
    store = MemoryStore(clock=loop.time)
    return protect("backend", failure_rate=0.5, store=store, retry=_retry_of(loop, seed))(order)


def _retry_of(loop: VirtualLoop, seed: int) -> Retrying:
    """Return a policy with the clock and the seed of the storm, and a budget of its own; the rest is the default."""
    return retry(clock=loop.time, random=random.Random(seed).random, budget=Budget())  # noqa: S311 - the same in every run.


@contextlib.contextmanager
def borrowed_clock() -> Iterator[None]:
    """Let tenacity, on which stamina is built, tell the time of the loop it runs in, and let nobody log."""
    clock = SimpleNamespace(monotonic=lambda: asyncio.get_running_loop().time())
    logging.disable()
    try:
        with mock.patch.object(tenacity, "time", clock):
            yield
    finally:
        logging.disable(logging.NOTSET)


POLICIES: dict[str, Policy] = {
    "no policy": none,
    "stamina": with_stamina,
    "tenacity": with_tenacity,
    "FastMCP": with_fastmcp,
    "errata, retry alone": with_retry,
    "errata": with_protect,
    "errata, busy": with_protect_when_busy,
}
