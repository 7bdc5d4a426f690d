"""Do clients that nobody here wrote get from the example servers what the Python SDK's own client gets?"""

import json
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from support import node
from support.demo_tour import go_on_tour, seen
from support.example_servers import EXAMPLES, listening, over_stdio
from touring._scenes import ACTS

CALLING = Path(__file__).parent / "calling.mjs"
LONGEST_S = 300


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
