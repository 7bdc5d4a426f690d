"""What tests of breakers share: a time that passes when it is told to, and a breaker in it."""

import pytest
from support.manual_clock import Time

from errata.resilience import Breaker, MemoryStore


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def store(time):
    return MemoryStore(clock=time.clock, wall_clock=time.wall_clock)


@pytest.fixture
def breaker(store):
    return Breaker("ncbi", store=store, fallback_tool="search_cache")
