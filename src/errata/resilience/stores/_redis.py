"""Circuits and budgets that the replicas of a service share in Redis."""

import importlib.util
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from errata.model import Rules, is_a, refuse_unfit
from errata.resilience._circuit import TIME, Limits
from errata.resilience._upstream_registry import UpstreamRegistry
from errata.resilience.stores._exchange import Shared
from errata.resilience.stores._memory import Clock, find_circuit
from errata.resilience.stores._redis_connection import RedisConnection
from errata.resilience.stores._redis_worker import RedisWorker
from errata.resilience.stores._shared_budget import SharedBudget
from errata.resilience.stores._shared_circuit import LocalCircuit, SharedCircuit

if TYPE_CHECKING:
    from redis import Redis
    from redis.cluster import RedisCluster

_FORBIDDEN: Final = frozenset("{}")  # They say to a cluster where a key belongs.


def _is_prefix(value: object) -> bool:
    return is_a(value, str) and bool(value) and not _FORBIDDEN & set(value)


_RULES: Final[Rules] = {
    "prefix": (_is_prefix, "Give a text that is not empty and has no braces in it."),
    "patience_s": TIME,
    "refresh_s": TIME,
    "timeout_s": TIME,
}


class RedisStore:
    """Keeps circuits and budgets in Redis, so that every replica leaves alone what one of them found to be down.

        store = RedisStore("redis://localhost:6379/0")      # or a `redis.Redis`, or a `redis.cluster.RedisCluster`
        ncbi = Breaker("ncbi", store=store)
        patient = retry(upstream="ncbi", store=store)       # all replicas repeat calls at the expense of one budget

    A thread of its own talks to Redis, over a connection of its own. No call waits for it, but for the one that would
    try an upstream which was down: that one waits `patience_s` at most. Every replica keeps a whole circuit in memory and
    goes by it while Redis is away, slow or broken; that, and its end, is logged once. `refresh_s` is how often it is
    asked how things stand, and tried again after a failure; `timeout_s` is how long the thread waits for an answer.
    """

    def __init__(  # noqa: PLR0913 - one for each setting of a store.
        self,
        redis: "str | Redis | RedisCluster",
        *,
        prefix: str = "errata",
        patience_s: float = 0.05,
        refresh_s: float = 1.0,
        timeout_s: float = 0.5,
        clock: Clock = time.monotonic,
        wall_clock: Clock = time.time,
    ) -> None:
        if importlib.util.find_spec("redis") is None:
            raise ImportError(
                "`errata.resilience.RedisStore` needs redis, which is not installed. "
                'Install it with: pip install "errata-mcp[redis]"'
            )
        times = {"patience_s": patience_s, "refresh_s": refresh_s, "timeout_s": timeout_s}
        refuse_unfit({"prefix": prefix, **times}, _RULES, ValueError)
        self._clock = clock
        self._wall_clock = wall_clock
        self._patience_s = patience_s
        self._timeout_s = timeout_s
        connection = RedisConnection(redis, prefix=prefix, timeout_s=timeout_s)
        self._worker = RedisWorker(connection, refresh_s=refresh_s, patience_s=patience_s)
        self._circuits: UpstreamRegistry[SharedCircuit] = UpstreamRegistry()
        self._budgets: UpstreamRegistry[SharedBudget] = UpstreamRegistry()

    def circuit(self, upstream: str, limits: Limits) -> SharedCircuit:
        """Return the circuit of an upstream, the same one for everybody."""
        return find_circuit(limits, upstream, self._circuits, lambda: self._make(upstream, limits))

    def budget(self, upstream: str) -> SharedBudget:
        """Return the budget of an upstream, the same one for everybody."""
        return self._budgets.get(upstream, lambda: SharedBudget(upstream, self._worker, self._patience_s))

    def _make(self, upstream: str, limits: Limits) -> SharedCircuit:
        local = LocalCircuit(upstream, limits, clock=self._clock, wall_clock=self._wall_clock)
        return SharedCircuit(local, limits, self._worker, self._patience_s)

    def flush(self, timeout_s: float = 1.0) -> bool:
        """Exchange the state of all circuits and budgets with Redis now; return whether that worked for every one."""
        return self._worker.flush(self._all(), timeout_s)

    def close(self) -> None:
        """End the thread and its connection. Circuits and budgets go on, each replica for itself."""
        self._worker.close(self._timeout_s)
        for shared in self._all():
            shared.alone = True

    def _all(self) -> list[Shared]:
        return [*self._circuits.all(), *self._budgets.all()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()
