"""What every test may rely on."""

import os

import pytest
from hypothesis import HealthCheck, settings

from errata.resilience import Breaker, Budget

# Enough to notice what breaks, with everything else in three minutes; `make laws`, in CI, takes six times as many,
# and "thorough" is for whoever changes a law.
settings.register_profile(
    "errata", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("laws", parent=settings.get_profile("errata"), max_examples=60)
settings.register_profile("thorough", parent=settings.get_profile("errata"), max_examples=3000, derandomize=False)
settings.load_profile(os.environ.get("ERRATA_LAWS", "errata"))


@pytest.fixture(autouse=True)
def fresh_upstreams():
    """Close the circuits and fill the budgets that upstreams of one name share: which tests ran before is chance."""
    Breaker.reset_all()
    Budget.refill_all()
