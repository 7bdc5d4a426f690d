"""Libraries that tests hold errata against. Where one is absent its tests are skipped, and say so."""

import importlib
import os

import pytest

# Of requirements/test.txt, or brought along by it.
_TESTED_EVERYWHERE = {
    "aiohttp",
    "cpex",
    "fastmcp",
    "gunicorn",
    "httpx",
    "httpx2",
    "multidict",
    "requests",
    "stamina",
    "tenacity",
    "trio",
    "urllib3",
}


def need(module):
    """Import a library; without it the test is skipped where somebody works, and fails where everything must run."""
    library = module.partition(".")[0]
    if _is_required(library):
        return importlib.import_module(module)
    if library in _TESTED_EVERYWHERE:
        reason = f"{library} is NOT INSTALLED, so errata was not tested with it: make test"
    else:  # The same words for all of them: pytest then says it in one line.
        reason = "the library is NOT INSTALLED here; `make corpus` installs them all and tests errata with each"
    return pytest.importorskip(module, reason=reason)


def _is_required(library):
    """`make corpus` installs every library; a machine that builds, those of requirements/test.txt."""
    everything = os.environ.get("ERRATA_LIBRARIES") == "required"
    return everything or (os.environ.get("CI") == "true" and library in _TESTED_EVERYWHERE)
