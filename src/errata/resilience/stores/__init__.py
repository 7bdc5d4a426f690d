"""Where circuits are kept: in the memory of a process, or in a Redis that the replicas of a service share."""

from errata.resilience.stores._memory import MemoryStore
from errata.resilience.stores._redis import RedisStore

__all__ = ["MemoryStore", "RedisStore"]
