"""What a type checker sees of a store in Redis. Checked by mypy and pyright; never run."""

from typing import assert_type

import redis

from errata.resilience import Breaker, Budget, MemoryStore, RedisStore, Retrying, protect, retry

with RedisStore("redis://localhost", prefix="mine", patience_s=0.02) as store:
    assert_type(store, RedisStore)
    assert_type(store.flush(), bool)

RedisStore(redis.Redis())
RedisStore(6379)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ncbi = Breaker("ncbi", store=store)

shared = RedisStore("redis://localhost")
assert_type(Budget.of("ncbi", store=shared), Budget)
assert_type(retry(upstream="ncbi", store=shared), Retrying)
assert_type(retry(upstream="ncbi", store=MemoryStore()), Retrying)
protect("ncbi", store=shared)
retry(upstream="ncbi", store="redis://localhost")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
