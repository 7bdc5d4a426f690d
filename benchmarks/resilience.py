"""What a call that succeeds at once pays for its retries and its breaker, beside what it pays elsewhere."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping

from _measure import Figure
from _peers import ASYNC, STAMINA, SYNC
from _redis_server import redis_server

from errata.resilience import Breaker, RedisStore, protect

ROUNDS, BATCH = 150, 200
OURS = "errata"
BUDGET_OF = {STAMINA: 0.1}


def figures() -> list[Figure]:
    return [*_sync(), *_async(), *_shared()]


def answer() -> str:
    return "well"


async def answer_soon() -> str:
    return "well"


def _sync() -> Iterator[Figure]:
    calls = {OURS: protect(upstream="bench")(answer), **{name: wrap(answer) for name, wrap in SYNC.items()}}
    yield from _beside("retry and closed breaker around a call", _overheads(answer, calls, _seconds))


def _async() -> Iterator[Figure]:
    calls = {
        OURS: protect(upstream="bench")(answer_soon),
        **{name: wrap(answer_soon) for name, wrap in ASYNC.items()},
    }
    with asyncio.Runner() as runner:
        overheads = _overheads(answer_soon, calls, lambda call: runner.run(_seconds_awaited(call)))
    yield from _beside("… around a coroutine", overheads)


def _shared() -> Iterator[Figure]:
    with redis_server() as url:
        if url is None:
            print("No redis-server is installed here, so that a breaker shared by Redis was left out.")
            return
        with_redis = Breaker("bench", store=RedisStore(url))(answer)
        overheads = _overheads(answer, {"shared": with_redis, "alone": Breaker("bench")(answer)}, _seconds)
    yield Figure("closed breaker, shared by Redis", overheads["shared"], "in memory", overheads["alone"], budget=2)


def _beside(what: str, overheads: Mapping[str, float]) -> Iterator[Figure]:
    for name, theirs in overheads.items():
        if name != OURS:
            yield Figure(what, overheads[OURS], name, theirs, BUDGET_OF.get(name))


def _overheads(
    plain: Callable[[], object],
    calls: Mapping[str, Callable[[], object]],
    seconds: Callable[[Callable[[], object]], float],
) -> dict[str, float]:
    """Time all of them in turns, take the best of many rounds of each, and take off what the plain call takes."""
    best = dict.fromkeys([plain, *calls.values()], float("inf"))
    for _ in range(ROUNDS):
        for call in best:
            best[call] = min(best[call], seconds(call))
    return {name: (best[call] - best[plain]) / BATCH * 1e6 for name, call in calls.items()}


def _seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    for _ in range(BATCH):
        call()
    return time.perf_counter() - begun


async def _seconds_awaited(call: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    for _ in range(BATCH):
        await call()
    return time.perf_counter() - begun
