"""Other libraries that repeat calls or break circuits, each as its own page puts it on a function."""

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import aiobreaker
import circuitbreaker
import purgatory
import pybreaker
import redress
import redress.strategies
import stamina
import tenacity

Sync = Callable[[], object]
Async = Callable[[], Awaitable[object]]


def _tenacity(function: Sync | Async) -> Sync | Async:
    return tenacity.retry(wait=tenacity.wait_random_exponential(max=60), stop=tenacity.stop_after_attempt(3))(function)


def _stamina(function: Sync | Async) -> Sync | Async:
    return stamina.retry(on=OSError, attempts=3)(function)


def _redress(function: Sync) -> Sync:
    policy = redress.Policy(
        retry=redress.Retry(
            classifier=redress.default_classifier, strategy=redress.strategies.decorrelated_jitter(max_s=5.0)
        ),
        circuit_breaker=_breaker_of_redress(),
    )
    return lambda: policy.call(function)


def _redress_async(function: Async) -> Async:
    policy = redress.AsyncPolicy(
        retry=redress.AsyncRetry(
            classifier=redress.default_classifier, strategy=redress.strategies.decorrelated_jitter(max_s=5.0)
        ),
        circuit_breaker=_breaker_of_redress(),
    )
    return lambda: policy.call(function)


def _breaker_of_redress() -> redress.CircuitBreaker:
    return redress.CircuitBreaker(failure_threshold=5, window_s=60.0, recovery_timeout_s=30.0)


STAMINA: Final = "stamina's retry"
SYNC: Final[Mapping[str, Callable[[Sync], Sync]]] = {
    STAMINA: _stamina,
    "tenacity's retry": _tenacity,
    "redress, both": _redress,
    "purgatory's breaker": purgatory.SyncCircuitBreakerFactory()("bench"),
    "pybreaker": pybreaker.CircuitBreaker(),
    "aiobreaker": aiobreaker.CircuitBreaker(timeout_duration=dt.timedelta(seconds=60)),
    "circuitbreaker": circuitbreaker.circuit,
}
# pybreaker's way for coroutines needs tornado, and is left out.
ASYNC: Final[Mapping[str, Callable[[Async], Async]]] = {
    STAMINA: _stamina,
    "tenacity's retry": _tenacity,
    "redress, both": _redress_async,
    "purgatory's breaker": purgatory.AsyncCircuitBreakerFactory()("bench"),
    "aiobreaker": aiobreaker.CircuitBreaker(timeout_duration=dt.timedelta(seconds=60)),
    "circuitbreaker": circuitbreaker.circuit,
}
