"""What every test may rely on."""

import os

from hypothesis import HealthCheck, settings

# Enough to notice what breaks, with everything else in three minutes; `make laws`, in CI, takes six times as many,
# and "thorough" is for whoever changes a law.
settings.register_profile(
    "errata", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile("laws", parent=settings.get_profile("errata"), max_examples=60)
settings.register_profile("thorough", parent=settings.get_profile("errata"), max_examples=3000, derandomize=False)
settings.load_profile(os.environ.get("ERRATA_LAWS", "errata"))
