"""What pip does to the versions of published servers that cap their SDK when errata-mcp is installed with them.

    .venv/bin/python scripts/pip_beside_servers.py                   # all of them, and the table for docs/servers.md
    .venv/bin/python scripts/pip_beside_servers.py mcp-email-server  # these only, and every version that changes

Each server is installed by `pip install <server>` in an environment of its own in `.published/pip`. pip is then asked
with `--dry-run` what it would do to that environment, and what it would put in an empty one, with errata as well. A
version counts as changed if the package is there both times. errata is a wheel of this checkout; for the bounds that
its extras had before, it is the same wheel with these in its metadata.
"""

import ensurepip
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final, Literal, NamedTuple

import anyio
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from published_servers import AT_ONCE, HOME as PUBLISHED, INSTALL_S, ROOT, pip, run

HOME = PUBLISHED / "pip"
EMPTY = HOME / "empty"

# The first by name in `published_servers.toml` whose newest release has such an upper bound; no two by the same author.
SERVERS: Final = {
    "mcp<2": (
        "arxiv-mcp-server",
        "biomcp-python",
        "mcp-email-server",
        "mcp-obsidian",
        "mcp-server-calculator",
        "mcp-shell-server",
        "mlflow-mcp",
    ),
    "fastmcp<3": ("mcp-neo4j-cypher", "mcp-simple-arxiv"),
    "fastmcp<4": ("couchbase-mcp-server", "cratedb-mcp", "mcp-atlassian"),
}
BOUNDS_BEFORE: Final = {"mcp": "2.1", "fastmcp": "4.0"}  # By extra, which has the name of its SDK.


class Way(NamedTuple):
    """A way to install errata, and its row in the table."""

    place: Literal["server", "empty"]
    """Where: in the environment of the server, or together with it in an empty one."""
    bounds: Literal["none", "now", "before"]
    """Which bounds its extra has; without the extra, none."""
    text: str


# fmt: off
WAYS: Final = (
    Way("server", "none",   "`pip install errata-mcp` in the server's environment"),
    Way("server", "now",    "the same with the extra `mcp` or `fastmcp`"),
    Way("server", "before", "the same with bounds of `mcp>=2.1` or `fastmcp>=4.0`, as they were before"),
    Way("empty",  "none",   "`pip install <server> errata-mcp` in an empty one"),
    Way("empty",  "now",    "the same with the extra"),
    Way("empty",  "before", "the same with the bounds as they were before"),
)
# fmt: on


class Outcome(NamedTuple):
    """What pip would do."""

    changes: dict[str, str]
    """By package, `1.30.0 → 2.3.0`."""
    problem: str = ""
    """What pip said last, if it found no way or none in time."""

    def __str__(self) -> str:
        changes = ", ".join(f"{name} {change}" for name, change in self.changes.items())
        return self.problem or changes or "nothing changes"


@dataclass(slots=True)
class Trial:
    """A server, and what came of it."""

    name: str
    sdk: str
    requirements: list[str] = field(default_factory=list[str])
    """What it says itself about its SDK."""
    outcomes: list[Outcome] = field(default_factory=list[Outcome])

    @property
    def python(self) -> Path:
        """The Python of its environment."""
        return python_of(HOME / self.name)

    def lines(self) -> Iterator[str]:
        """Yield what it requires, and what pip would do in each way."""
        yield f"\n{self.name}, which requires {' and '.join(self.requirements)}"
        yield from (f"  {way.text}: {outcome}" for way, outcome in zip(WAYS, self.outcomes, strict=False))


async def main(names: list[str]) -> None:
    """Try the servers that are named, or all of them and print the table."""
    trials = [Trial(name, Requirement(cap).name) for cap, of_cap in SERVERS.items() for name in of_cap]
    chosen = [trial for trial in trials if not names or trial.name in names]
    wheel = await build_wheel()
    wheels = {"none": wheel, "now": wheel, "before": with_bounds_before(wheel)}
    await make_environment(EMPTY)
    limit = anyio.CapacityLimiter(AT_ONCE)
    async with anyio.create_task_group() as tasks:
        for trial in chosen:
            tasks.start_soon(fill_in, trial, wheels, limit)
    if not names:
        print(f"\npip {ensurepip.version()}, Python {sys.version_info.major}.{sys.version_info.minor}\n")
        print(*table_of([trial for trial in chosen if trial.outcomes]), sep="\n")


async def build_wheel() -> Path:
    """Build errata from this checkout."""
    folder = HOME / "wheel"
    for old in folder.glob("*.whl"):
        old.unlink()
    await pip(Path(sys.executable), "wheel", "--no-deps", f"--wheel-dir={folder}", str(ROOT))
    return next(folder.glob("*.whl"))


def with_bounds_before(wheel: Path) -> Path:
    """Return a copy of a wheel whose extras have the bounds that they had before."""
    copy = HOME / "wheel-before" / wheel.name
    copy.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as packed, zipfile.ZipFile(copy, "w") as repacked:
        for item in packed.infolist():
            content = packed.read(item)
            if item.filename.endswith(".dist-info/METADATA"):
                content = replace_bounds(content.decode()).encode()
            repacked.writestr(item, content)
    return copy


def replace_bounds(metadata: str) -> str:
    for sdk, before in BOUNDS_BEFORE.items():
        line = rf"(?m)^(Requires-Dist: {sdk}>=).+(; extra == '{sdk}')$"
        metadata, found = re.subn(line, rf"\g<1>{before}\g<2>", metadata)
        if not found:
            raise LookupError(f"errata-mcp has no extra `{sdk}` with a lower bound")
    return metadata


async def make_environment(home: Path) -> None:
    await run(sys.executable, "-m", "venv", "--clear", str(home))


def python_of(home: Path) -> Path:
    return home / "bin" / "python"


async def fill_in(trial: Trial, wheels: dict[str, Path], limit: anyio.CapacityLimiter) -> None:
    """Install a server, and ask pip about each way."""
    async with limit:
        try:
            await make_environment(HOME / trial.name)
            await pip(trial.python, "install", trial.name)
        except RuntimeError as error:
            print(f"\n{trial.name} is not counted, it was not installed: {error}", flush=True)
            return
        installed = list_installed(trial.python)
        trial.requirements = list_requirements(installed[trial.name], trial.sdk)
        versions = {name: each.version for name, each in installed.items()}
        for way in WAYS:
            trial.outcomes.append(await ask(trial, way, wheels[way.bounds], versions))
    print(*trial.lines(), sep="\n", flush=True)


def list_installed(python: Path) -> dict[str, Distribution]:
    found = distributions(path=[*map(str, python.parent.parent.glob("lib/*/site-packages"))])
    return {canonicalize_name(each.name): each for each in found}


def list_requirements(server: Distribution, sdk: str) -> list[str]:
    requirements = [Requirement(line) for line in server.requires or ()]
    return [str(each) for each in requirements if canonicalize_name(each.name) == sdk]


async def ask(trial: Trial, way: Way, wheel: Path, versions: dict[str, str]) -> Outcome:
    """Return what pip would change in one way of installing errata."""
    errata = str(wheel) if way.bounds == "none" else f"{wheel}[{trial.sdk}]"
    python, server = (trial.python, []) if way.place == "server" else (python_of(EMPTY), [trial.name])
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        try:
            await pip(python, "install", "--dry-run", f"--report={report}", *server, errata)
        except RuntimeError as error:
            return Outcome({}, str(error))
        planned = read_report(report)
    return Outcome(
        {
            name: f"{versions[name]} → {version}"
            for name, version in sorted(planned.items())
            if versions.get(name, version) != version
        }
    )


def read_report(report: Path) -> dict[str, str]:
    """Return the version of each package that pip would install."""
    packages = [item["metadata"] for item in json.loads(report.read_text(encoding="utf-8"))["install"]]
    return {canonicalize_name(package["name"]): package["version"] for package in packages}


def table_of(trials: list[Trial]) -> Iterator[str]:
    yield f"| | environments where a version changed, of {len(trials)} | versions changed | refused, or not done in {INSTALL_S} s |"
    yield "|---|--:|--:|--:|"
    for way, outcomes in zip(WAYS, zip(*(trial.outcomes for trial in trials), strict=True), strict=True):
        changed = [len(outcome.changes) for outcome in outcomes]
        problems = sum(bool(outcome.problem) for outcome in outcomes)
        yield f"| {way.text} | {sum(map(bool, changed))} | {sum(changed)} | {problems} |"


if __name__ == "__main__":
    anyio.run(main, sys.argv[1:])
