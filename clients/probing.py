"""Set a framework up in a place of its own, and let its probe loose on the server."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from frameworks import NODE, Framework

HERE = Path(__file__).parent
HOME = HERE.parent / ".clients"
PROBES = HERE / "probes"

INSTALL_S, PROBE_S = 600, 180

Call = tuple[str, dict[str, object]]


class NotRun(Exception):  # noqa: N818 - it is not an error of ours.
    """A framework could not be asked, for this reason."""


def measure(name: str, framework: Framework, variant: str, calls: dict[str, Call]) -> dict[str, dict[str, object]]:
    """Tell what each call gave the model: `content` and `marked`, or `raised`; and whether the server was `asked`."""
    try:
        return measure_once(name, framework, variant, calls)
    except NotRun:  # On a busy machine, a client may lose patience with a server that is still starting.
        return measure_once(name, framework, variant, calls)


def measure_once(name: str, framework: Framework, variant: str, calls: dict[str, Call]) -> dict[str, dict[str, object]]:
    probe = framework.probe or name
    home = HOME / probe
    with tempfile.NamedTemporaryFile("r") as asked:
        server = [str(HERE / "server.py"), variant, asked.name]
        request = {"command": sys.executable, "arguments": server, "options": framework.options}
        printed = run(command(home, probe, json.dumps(request | {"calls": [*calls.values()]})), home, PROBE_S)
        names = asked.read().split()
    try:
        answers = json.loads(printed)
    except ValueError:
        raise NotRun(f"the probe printed {last_words(printed)}") from None
    return {
        key: answer | {"asked": tool in names} for (key, (tool, _)), answer in zip(calls.items(), answers, strict=True)
    }


def command(home: Path, probe: str, request: str) -> list[str]:
    """Say how the probe is run: in the environment of its framework."""
    if (script := PROBES / f"{probe}.mjs").exists():
        own = home / "node_modules" / NODE / "bin" / "node"
        # Node looks for packages beside the script.
        return [str(own) if own.exists() else program("node"), shutil.copy(script, home), request]
    # -P, or a framework that imports `server` would find ours.
    return [str(home / "bin" / "python"), "-P", str(HERE / "probe.py"), probe, request]


def set_up(name: str, framework: Framework) -> None:
    """Install a framework, unless it is there."""
    home = HOME / (framework.probe or name)
    stamp = home / "installed"
    if stamp.exists() and stamp.read_text() == framework.requirements:
        return
    print(f"Getting {framework.title} ...", file=sys.stderr, flush=True)
    home.mkdir(parents=True, exist_ok=True)
    packages = framework.requirements.split()
    if (PROBES / f"{home.name}.mjs").exists():
        quietly = (
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--no-package-lock",
            "--loglevel=error",
            "--logs-max=0",
        )
        run([program("npm"), "install", *quietly, "--prefix", str(home), *packages], home, INSTALL_S)
    else:
        run([sys.executable, "-m", "venv", str(home)], home, INSTALL_S)
        pip = [str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        run([*pip, *packages], home, INSTALL_S)
    stamp.write_text(framework.requirements)


def sdk(name: str, framework: Framework) -> str:
    """Give the version of the Python SDK that a framework brought along, if it did."""
    found = (HOME / (framework.probe or name)).glob("lib/python*/site-packages/mcp-*.dist-info")
    return next((path.name.removeprefix("mcp-").removesuffix(".dist-info") for path in found), "")


def program(name: str) -> str:
    if found := shutil.which(name):
        return found
    raise NotRun(f"`{name}` is not installed")


def run(command: list[str], home: Path, seconds: float) -> str:
    """Run a command, and give what it printed; one that fails or takes too long is a reason."""
    # What pins the versions of this checkout is not meant for the frameworks.
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_CONSTRAINT")}
    try:
        done = subprocess.run(
            command, cwd=home, env=environment, capture_output=True, text=True, timeout=seconds, check=True
        )
    except subprocess.TimeoutExpired:
        raise NotRun(f"stopped after {seconds} s") from None
    except subprocess.CalledProcessError as error:
        (home / "failed.log").write_text(error.stdout + error.stderr)
        raise NotRun(last_words(error.stderr)) from None
    return done.stdout


def last_words(log: str) -> str:
    """Give the line of a log that says why, without the places of this machine."""
    lines = [line.strip() for line in log.splitlines() if line.strip()] or ["it said nothing"]
    # npm begins with the reason; pip and Python end with it, Node says its version behind it.
    npm = [line for line in lines if line.startswith("npm error")]
    errors = [line for line in lines if re.match(r"\w*error\b", line, re.IGNORECASE)]
    return re.sub(r"\S*/\S*", "…", [*npm, *reversed(errors), lines[-1]][0])[:200]
