"""Node and packages from npm, for tests against clients that nobody here wrote."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TYPESCRIPT_SDKS = {"1": ("@modelcontextprotocol/sdk", "1.32.2"), "2": ("@modelcontextprotocol/client", "2.4.0")}
INSPECTOR = ("@modelcontextprotocol/inspector", "0.15.0")
_HOME = Path(__file__).parents[2] / ".node"
_INSTALL = ("install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
_LONGEST_S = 240


def directory_with(package: str, version: str) -> Path:
    """Return a directory in which Node finds a package; the first time, npm installs it there."""
    home = _HOME / f"{package.replace('/', '-')}-{version}"
    if not (home / "done").exists():
        home.mkdir(parents=True, exist_ok=True)
        try:
            _run("npm", *_INSTALL, "--prefix", str(home), f"{package}@{version}", timeout_s=_LONGEST_S)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            _do_without(f"npm could NOT INSTALL {package}: {error}")
        (home / "done").touch()
    return home


def run_node(*arguments: object, timeout_s: float) -> str:
    """Run a script, and return what it printed."""
    return _run("node", *map(str, arguments), timeout_s=timeout_s)


def _run(program, *arguments, timeout_s):
    found = shutil.which(program)
    if not found:
        _do_without(f"{program} is NOT INSTALLED")
    done = subprocess.run([found, *arguments], check=False, capture_output=True, text=True, timeout=timeout_s)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def _do_without(reason):
    """Skip the test where somebody works, and fail it where everything must run."""
    reason = f"{reason}, so errata was not tested with the TypeScript SDK; install Node 20 with npm"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
