"""Run the official MCP conformance suite against two servers, and compare: bare, with errata installed, and bare behind the gate.

The one offers all that the suite asks for, the other is one of the examples: a server as people write them, which has
its own tools and not the suite's. `gate` is the bare server behind `errata gate --listen … --to …`, a program of its own;
`asgi` has `errata.gate.asgi` around the application. Node and the suite come from npm into `.conformance`, and stay there.
"""

import argparse
import itertools
import json
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
HOME = HERE.parent / ".conformance"
SUITE = "@modelcontextprotocol/conformance"
NODE = f"node-{sys.platform}-{'arm64' if platform.machine() in {'arm64', 'aarch64'} else 'x64'}"
PACKAGES = f"{NODE}@22.23.3 {SUITE}@0.2.0-alpha.12"

SPECS = ("2025-11-25", "2026-07-28")
VARIANTS = ("bare", "errata", "gate", "asgi")

NPM_S, START_S, SUITE_S, STOP_S = 180, 90, 150, 3


class Subject(NamedTuple):
    """A server that the suite is let loose on."""

    program: Path
    port_option: str
    options: dict[str, str | None]
    """With which option it is started in each variant that it has; None where it needs none."""
    checks: dict[str, int]
    """How many checks it passes. What breaks shall not make the comparison easier."""
    offers_everything: bool
    """Whether every check has to pass; a server with tools of its own cannot pass those that call the suite's."""


SUBJECTS = {
    "all fixtures": Subject(
        program=HERE / "server.py",
        port_option="--port",
        options={"bare": "--bare", "errata": None, "gate": "--bare", "asgi": "--gated"},
        checks={"2025-11-25": 84, "2026-07-28": 152},
        offers_everything=True,
    ),
    "pubmed_articles": Subject(
        program=HERE.parent / "examples" / "pubmed_articles.py",
        port_option="--http",
        options={"bare": "--without-errata", "errata": None, "gate": "--without-errata"},
        checks={"2025-11-25": 45, "2026-07-28": 97},
        offers_everything=False,
    ),
}


class Check(NamedTuple):
    """What the suite looks at; an id alone is used for more than one thing."""

    scenario: str
    id: str
    name: str

    def __str__(self) -> str:
        return f"{self.scenario}: {self.id} ({self.name})"


class Run(NamedTuple):
    """What came of one run of the suite."""

    passed: Counter[Check]
    failed: list[tuple[Check, str]]

    def __str__(self) -> str:
        return f"{self.passed.total()} of {self.passed.total() + len(self.failed)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", choices=SUBJECTS, help="this server only")
    parser.add_argument("--spec", choices=SPECS, help="this version of the specification only")
    parser.add_argument("--only", choices=VARIANTS, help="this one of the runs only")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # So that the server is stopped then, too.

    _set_up()
    servers = [arguments.server] if arguments.server else list(SUBJECTS)
    specs = [arguments.spec] if arguments.spec else list(SPECS)
    variants = [arguments.only] if arguments.only else list(VARIANTS)
    print(f"{'Checks passed':28}", *(f"{variant:12}" for variant in variants))
    complaints: list[str] = []
    for server, spec in itertools.product(servers, specs):
        offered = SUBJECTS[server].options
        runs = {variant: _run(server, spec, variant) for variant in variants if variant in offered}
        print(f"{server:16} {spec:11}", *(f"{run!s:12}" for run in runs.values()))
        complaints += _complaints(server, spec, runs)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    sys.exit(bool(complaints))


def _complaints(server: str, spec: str, runs: dict[str, Run]) -> Iterator[str]:
    subject = SUBJECTS[server]
    for variant, run in runs.items():
        for check, message in run.failed if subject.offers_everything else []:
            yield f"{server} {spec} {variant} fails {check}: {message}"
        if (passed := run.passed.total()) < subject.checks[spec]:
            yield f"{server} {spec} {variant} passes {passed} checks; it used to pass {subject.checks[spec]}."
        for check in runs["bare"].passed - run.passed if "bare" in runs else ():
            yield f"{server} {spec} passes bare and not as {variant}: {check}"


def _run(server: str, spec: str, variant: str) -> Run:
    """Let the suite loose on a server of its own."""
    results = HOME / "results" / f"{server.replace(' ', '-')}-{spec}-{variant}"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    with ExitStack() as stack:
        url = stack.enter_context(_serving(SUBJECTS[server], variant, results / "server.log"))
        if variant == "gate":
            url = stack.enter_context(_gating(url, results / "gate.log"))
        suite = HOME / "node_modules" / SUITE / "dist" / "index.js"
        node = HOME / "node_modules" / NODE / "bin" / "node"
        options = ["--url", url, "--suite", "all", "--spec-version", spec, "--output-dir", str(results)]
        _call([str(node), str(suite), "server", *options], results / "suite.log", SUITE_S)
    return _read(results)


def _read(results: Path) -> Run:
    """Read what the suite wrote: one file with checks for each scenario."""
    run = Run(Counter(), [])
    for file in sorted(results.glob("server-*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[-\dZ]+$", "", file.parent.name)
        for check in json.loads(file.read_text()):
            key = Check(scenario, check["id"], check["name"])
            if check["status"] == "SUCCESS":
                run.passed[key] += 1
            elif check["status"] != "INFO":
                run.failed.append((key, f"{check['status']}, {check.get('errorMessage')}"))
    if not run.passed:
        log = results / "suite.log"
        sys.exit(f"Not one check has passed. The suite's last words, of {log}:\n{_end(log)}")
    return run


def _serving(subject: Subject, variant: str, log: Path) -> AbstractContextManager[str]:
    """Have the server listen; return its address."""
    port, option = _free_port(), subject.options[variant]
    options = [subject.port_option, str(port), *([option] if option else [])]
    return _listening([sys.executable, str(subject.program), *options], port, log)


def _gating(url: str, log: Path) -> AbstractContextManager[str]:
    """Have the gate listen in front of an address; return its own."""
    port = _free_port()
    command = [sys.executable, "-m", "errata", "gate", "--listen", f"127.0.0.1:{port}", "--to", url]
    return _listening(command, port, log)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _listening(command: list[str], port: int, log: Path) -> Generator[str]:
    """Have a program listen on a port of this machine, and stop it afterwards."""
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        _wait_for(process, port, log)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:  # It waits for clients that hold on to a stream.
            process.kill()
            process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"The server ended, or did not listen within {START_S} s. Its last words, of {log}:\n{_end(log)}")


def _set_up() -> None:
    """Get Node and the suite, unless they are there."""
    stamp, log = HOME / "installed", HOME / "npm.log"
    if stamp.exists() and stamp.read_text() == PACKAGES:
        return
    print("Getting Node and the conformance suite from npm ...", flush=True)
    HOME.mkdir(exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("`npm` is not installed, and the conformance suite comes from it. Install Node.js with npm first.")
    command = [npm, "install", "--prefix", str(HOME), "--ignore-scripts", "--no-audit", "--no-fund", *PACKAGES.split()]
    if _call(command, log, NPM_S) and _call(command, log, NPM_S):
        sys.exit(f"npm could not install {PACKAGES}. Its last words, of {log}:\n{_end(log)}")
    stamp.write_text(PACKAGES)


def _call(command: list[str], log: Path, seconds: float) -> int:
    """Run a command into a log; one that takes too long is stopped and has failed."""
    with log.open("w") as output:
        try:
            return subprocess.run(command, stdout=output, stderr=output, timeout=seconds, check=False).returncode
        except subprocess.TimeoutExpired:
            output.write(f"Stopped after {seconds} s.\n")
            return 1


def _end(log: Path) -> str:
    return "\n".join(log.read_text().splitlines()[-20:])


if __name__ == "__main__":
    main()
