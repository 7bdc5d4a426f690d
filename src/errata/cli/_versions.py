"""Which versions meet here: those of errata, Python and the SDKs, with the adapters that servers get."""

import platform
import re
from collections.abc import Iterator

from errata._install import ERAS, find_version
from errata._version import __version__


def list_versions() -> Iterator[str]:
    """Yield a line for errata, for Python and for each SDK, to be pasted into a report."""
    yield f"errata {__version__}"
    yield f"Python {platform.python_version()}"
    for distribution in ("mcp", "fastmcp"):
        installed = find_version(distribution)
        yield (
            f"{distribution} {installed}: {describe_support(distribution, installed)}"
            if installed
            else f"{distribution}: not installed"
        )


def describe_support(distribution: str, installed: str) -> str:
    """Return the adapters for the servers of a version of an SDK, or why there are none."""
    eras = [(name, era) for name, eras in ERAS.items() for era in eras if era.distribution == distribution]
    of_its_major = [(name, era) for name, era in eras if _numbers(era.oldest)[0] == _numbers(installed)[0]]
    oldest = min((era.oldest for _, era in of_its_major or eras), key=_numbers)
    if _numbers(installed) < _numbers(oldest):
        return f"too old; the oldest that works is {oldest}"
    if not of_its_major:
        return "newer than the versions that errata knows"
    return ", ".join(f"{name.rpartition('.')[2]} by {era.adapter.partition(':')[2]}" for name, era in of_its_major)


def is_installed(distribution: str, oldest: str) -> bool:
    """Return whether a distribution is there, in this version or a later one."""
    installed = find_version(distribution)
    return installed is not None and _numbers(installed) >= _numbers(oldest)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
