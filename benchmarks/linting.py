"""What `errata lint` costs beside parsing alone, and beside linters that people run anyway, on the same 1,000 files."""

import ast
import subprocess
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from _measure import Figure

from errata.linter import Settings, lint

FILES = 1_000
FEWER = 50  # For pylint, which would take many minutes; the time that it takes to start is scaled with the rest.
ROUNDS = 3


def figures() -> Iterator[Figure]:
    files = _files()
    parsing, linting = _best(lambda: _parse(files)), _best(lambda: lint(files, Settings()))
    what = f"errata lint, {len(files):,} files"
    yield Figure(what, linting, "ast.parse alone", parsing, budget=3)
    yield Figure(what, linting, "flake8 with bugbear's rules", _time(_flake8(files)))
    some = files[:: len(files) // FEWER]
    scale = len(files) / len(some)
    yield Figure(
        what, linting, f"pylint --errors-only, {len(some)} files, times {scale:.0f}", _time(_pylint(some)) * scale
    )
    yield Figure(what, linting, "ruff check", min(_time(_ruff(files)) for _ in range(ROUNDS)))


def _files() -> list[Path]:
    """Take what is installed beside errata, in a stable order, without tests."""
    installed = sorted(Path(sysconfig.get_path("purelib")).rglob("*.py"))
    return [file for file in installed if not {"tests", "test", "testing"} & set(file.parts)][:FILES]


def _parse(files: Sequence[Path]) -> None:
    for file in files:
        ast.parse(file.read_bytes())


def _best(call: Callable[[], object]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return min(_microseconds(call) for _ in range(ROUNDS))


def _microseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def _flake8(files: Sequence[Path]) -> list[str]:
    return ["flake8", "--isolated", "--jobs=1", "--select=B", *map(str, files)]


def _pylint(files: Sequence[Path]) -> list[str]:
    return ["pylint", "--errors-only", "--jobs=1", "--rcfile=", *map(str, files)]


def _ruff(files: Sequence[Path]) -> list[str]:
    return ["ruff", "check", "--isolated", "--no-cache", "--quiet", *map(str, files)]


def _time(command: Sequence[str]) -> float:
    """Time a linter; that it finds something is none of our business."""
    return _microseconds(
        lambda: subprocess.run(
            [sys.executable, "-m", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
    )
