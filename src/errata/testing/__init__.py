"""For your own tests: call a tool as an agent does, in any dialect, and say how it has to fail.

A `conftest.py` gets the fixture with `pytest_plugins = ["errata.testing"]`. (PYTEST_DONT_REWRITE: pytest would warn a
`conftest.py` that has imported this module before it names it.)
"""

from typing import NoReturn

from errata import dialects
from errata.testing._assertions import assert_advice_names_tools, assert_fails
from errata.testing._calling import CallInDialect, call_tool

__all__ = ["CallInDialect", "assert_advice_names_tools", "assert_fails", "call_tool", "in_each_dialect"]

try:
    import pytest
except ImportError:  # Everything else works without.

    def __getattr__(name: str) -> NoReturn:
        if name == "in_each_dialect":
            raise ImportError(
                "`errata.testing.in_each_dialect` needs pytest, which is not installed. "
                "Install it with: pip install pytest"
            )
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")

else:

    @pytest.fixture(params=dialects.names())
    def in_each_dialect(request: pytest.FixtureRequest) -> CallInDialect:
        """Run a test once for each dialect; it gets `call_tool`, speaking that dialect."""
        return CallInDialect(request.param)
