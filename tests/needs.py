"""Libraries that tests hold errata against."""

import importlib
import os

import pytest


def need(module):
    """Import a library; without it the test is skipped where somebody works, and fails where everything must run."""
    if os.environ.get("CI"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"{module} is NOT INSTALLED, so errata was not tested with it: make test")
