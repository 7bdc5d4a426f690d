"""Do clients that nobody here wrote get from the example servers what the Python SDK's own client gets?

The second half has the servers without errata, behind the gate: what fails is repaired, and what succeeds is as it was.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import eras
import pytest
from support import node
from support.demo_tour import go_on_tour, seen
from support.example_servers import EXAMPLES, listening, over_stdio
from touring._scenes import ACTS

from errata.dialects import native

CALLING = Path(__file__).parent / "calling.mjs"
CALLING_IN_PYTHON = Path(__file__).parent / "calling.py"
LONGEST_S = 300
GATE = [sys.executable, "-m", "errata", "gate", "--quiet"]
OLDER_SDKS = ("mcp-1.10", "mcp-1.30")
SUCCESSES = {
    "harbor_berths": ("find_berths", {"harbor": "Nyhavn"}),
    "order_operations": ("get_order", {"order_id": "1001"}),
    "pattern_library": ("get_pattern", {"pattern_id": "circuit-breaker", "format": "both"}),
    "pubmed_articles": ("calculate", {"expression": "2 + 3"}),
}
"""A call that succeeds each time, of the servers that are gated: two on FastMCP and two on MCPServer.

The tools have output schemas, which the clients hold results against.
"""
GATED_ACTS = [act for act in ACTS if act.server in SUCCESSES]
NYHAVN = {"texts": ['["A3","A7","C1"]'], "structured": {"result": ["A3", "A7", "C1"]}, "is error": False}


@pytest.fixture(scope="module")
def told():
    """What the Python SDK's client is told on the tour, scene by scene."""
    return [seen(scene["with_errata"]) for scene in go_on_tour()]


@pytest.mark.parametrize("version", node.TYPESCRIPT_SDKS)
def test_the_typescript_sdk_gets_the_same_over_stdio(version, told, tmp_path):
    servers = [(over_stdio(act.server), scenes(act)) for act in ACTS]
    reached = [{"command": server.command, "args": server.args, "scenes": asked} for server, asked in servers]

    assert told_to_typescript(version, reached, tmp_path) == at_once(told)


@pytest.mark.parametrize("version", node.TYPESCRIPT_SDKS)
def test_the_typescript_sdk_gets_the_same_over_http(version, told, tmp_path):
    with ExitStack() as stack:
        reached = [{"url": stack.enter_context(listening(act.server)), "scenes": scenes(act)} for act in ACTS]

        assert told_to_typescript(version, reached, tmp_path) == at_once(told)


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.server)
def test_the_inspector_shows_the_same(act, told):
    modules = node.directory_with(*node.INSPECTOR)
    scene = act.scenes[0]
    index = [each for every in ACTS for each in every.scenes].index(scene)
    values = {name: value if isinstance(value, str) else json.dumps(value) for name, value in scene.arguments.items()}
    inspector = modules / "node_modules" / node.INSPECTOR[0] / "cli" / "build" / "cli.js"
    server = [sys.executable, EXAMPLES / f"{act.server}.py"]
    options = ["--method", "tools/call", "--tool-name", scene.name, "--tool-arg", *map("=".join, values.items())]

    shown = json.loads(node.run_node(inspector, "--cli", *server, *options, timeout_s=LONGEST_S))

    assert seen(shown) == told[index]


@pytest.mark.parametrize("version", node.TYPESCRIPT_SDKS)
def test_the_typescript_sdk_gets_repaired_failures_and_the_same_successes_through_the_gate(version, tmp_path):
    def play(reached):
        return told_to_typescript(version, reached, tmp_path)

    assert_only_failures_differ(*played_in_both_ways(play))


@pytest.mark.parametrize("sdk", OLDER_SDKS)
def test_an_older_python_sdk_gets_repaired_failures_and_the_same_successes_through_the_gate(sdk, tmp_path):
    def play(reached):
        return told_to_python(eras.set_up(sdk), reached, tmp_path)

    assert_only_failures_differ(*played_in_both_ways(play))


def test_the_inspector_shows_repaired_failures_and_the_same_successes_through_the_gate(tmp_path):
    program = program_of("harbor_berths")
    script = tmp_path / "gated"  # The Inspector takes the first `--` of a command for itself.
    script.write_text(f"#!/bin/sh\nexec {shlex.join([*GATE, '--', *program])}\n")
    script.chmod(0o700)
    with listening("harbor_berths", "--without-errata") as url, gate_before(url) as address:
        behind_gate = [[script], [address]]
        repaired = [inspect(target, "harbor=Skagen") for target in behind_gate]
        succeeded = [inspect(target, "harbor=Nyhavn") for target in (program, *behind_gate)]

    assert all(map(is_repaired, repaired))
    assert succeeded == [NYHAVN] * 3


def inspect(target, argument):
    """Call a tool with the Inspector's command line, and return what it shows."""
    modules = node.directory_with(*node.INSPECTOR)
    inspector = modules / "node_modules" / node.INSPECTOR[0] / "cli" / "build" / "cli.js"
    options = ["--method", "tools/call", "--tool-name", "find_berths", "--tool-arg", argument]
    return seen(json.loads(node.run_node(inspector, "--cli", *target, *options, timeout_s=LONGEST_S)))


def played_in_both_ways(play):
    """Play all scenes on every server over stdio and HTTP, first as it is, then behind the gate."""
    programs = [program_of(act.server) for act in GATED_ACTS]
    with ExitStack() as stack:
        urls = [stack.enter_context(listening(act.server, "--without-errata")) for act in GATED_ACTS]
        gates = [stack.enter_context(gate_before(url)) for url in urls]
        direct = play(plan_for(programs, urls))
        return direct, play(plan_for([[*GATE, "--", *program] for program in programs], gates))


def plan_for(programs, urls):
    asked = [between_successes(act) for act in GATED_ACTS]
    over_stdio = [{"command": command, "args": arguments} for command, *arguments in programs]
    over_http = [{"url": url} for url in urls]
    return [
        server | {"scenes": scenes}
        for servers in (over_stdio, over_http)
        for server, scenes in zip(servers, asked, strict=True)
    ]


def program_of(name):
    """Return how an example is started over stdio, without errata."""
    server = over_stdio(name, "--without-errata")
    return [server.command, *server.args]


@contextmanager
def gate_before(url):
    """Have the gate listen in front of an address; return its own."""
    command = [*GATE, "--listen", "127.0.0.1:0", "--to", url]
    with tempfile.TemporaryFile("w+") as log, subprocess.Popen(command, stderr=log) as process:
        try:
            deadline = time.monotonic() + LONGEST_S
            while not (address := re.search(r"http://\S+\n", os.pread(log.fileno(), 4096, 0).decode())):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            yield address[0].strip()
        finally:
            process.kill()


def between_successes(act):
    """Return the failures of an act, with a success before and after them."""
    name, arguments = SUCCESSES[act.server]
    success = {"kind": "tool", "name": name, "arguments": arguments}
    return [success, *scenes(act), success]


def assert_only_failures_differ(direct, through_the_gate):
    """Assert that the failures of tools are repaired, and that nothing else has changed."""
    asked = [scene for act in GATED_ACTS for scene in between_successes(act)]
    asked *= len(direct) // len(asked)
    assert len(direct) == len(through_the_gate) == len(asked)
    for scene, before, after in zip(asked, direct, through_the_gate, strict=True):
        is_failure = "code" in before or before["is error"]
        if scene["kind"] == "tool" and is_failure:
            assert is_repaired(after), (scene, before, after)
        else:
            assert after == before


def is_repaired(answer):
    """Return whether an answer is an error result whose text has a code and a next step."""
    if not answer.get("is error"):
        return False
    fault = native.decode({"content": [{"type": "text", "text": answer["texts"][0]}], "isError": True})
    return bool(fault and fault.recovery and fault.recovery.hint)


def scenes(act):
    return [
        {"kind": scene.kind, "name": scene.name, "arguments": scene.arguments}
        for scene in act.scenes
        if scene.until is None
    ]


def at_once(told):
    """Leave out the scenes that are played until something comes of them: what comes first depends on the moment."""
    every = [scene for act in ACTS for scene in act.scenes]
    return [answer for scene, answer in zip(every, told, strict=True) if scene.until is None]


def told_to_typescript(version, reached, folder):
    modules = node.directory_with(*node.TYPESCRIPT_SDKS[version])
    plan = folder / "plan.json"
    plan.write_text(json.dumps(reached))
    return [seen(answer) for answer in json.loads(node.run_node(CALLING, modules, version, plan, timeout_s=LONGEST_S))]


def told_to_python(python, reached, folder):
    plan = folder / "plan.json"
    plan.write_text(json.dumps(reached))
    command = [python, CALLING_IN_PYTHON, plan]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LONGEST_S)
    assert done.returncode == 0, done.stderr[-4000:]
    return [seen(answer) for answer in json.loads(done.stdout)]
