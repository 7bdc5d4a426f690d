"""What a type checker sees of a store in Redis. Checked by mypy and pyright; never run."""

from typing import assert_type

import redis

from errata.resilience import Breaker, RedisStore

with RedisStore("redis://localhost", prefix="mine", patience_s=0.02) as store:
    assert_type(store, RedisStore)
    assert_type(store.flush(), bool)

RedisStore(redis.Redis())
RedisStore(6379)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
ncbi = Breaker("ncbi", store=store)
