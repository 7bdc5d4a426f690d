"""The demo: does it show what it promises?"""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from support.demo_tour import NEW_EVERY_TIME, errata, go_on_tour, seen
from support.example_servers import NAMES
from touring._playing import Played
from touring._scenes import ACTS
from touring._showing import show_scene

import errata as errata_package
from errata import Code, Retry

README = Path(__file__).parents[2] / "README.md"
EXAMPLES = README.parent / "examples"


@pytest.fixture(scope="module")
def tour():
    return go_on_tour()


def test_by_itself_the_demo_shows_four_failures_of_a_server_as_most_are_written():
    done = errata("demo", "--json")
    scenes = json.loads(done.stdout)

    assert [scene["server"] for scene in scenes] == ["harbor_berths"] * 4
    assert "annotations" not in (EXAMPLES / "harbor_berths.py").read_text(encoding="utf-8").partition('"""\n\n')[2]


def test_the_gate_repairs_the_same_failures_and_the_server_stays_as_it_is():
    scenes = json.loads(errata("demo", "--gate", "--json").stdout)

    assert [scene["server"] for scene in scenes] == ["harbor_berths"] * 4
    assert "-sandbox-" in json.dumps([scene["without_errata"] for scene in scenes])
    assert "-sandbox-" not in json.dumps([scene["with_errata"] for scene in scenes])
    assert scenes[0]["with_errata"]["_meta"]["errata/fault"]["retry"] == "verify_first"


def test_the_whole_demo_starts_where_most_servers_are_and_shows_all_five(tour):
    assert tuple(dict.fromkeys(scene["server"] for scene in tour)) == ("harbor_berths", *NAMES)


def test_only_without_errata_a_key_leaves(tour):
    assert "-sandbox-" in json.dumps([scene["without_errata"] for scene in tour])
    assert "-sandbox-" not in json.dumps([scene["with_errata"] for scene in tour])


def test_every_scene_is_a_failure_that_a_client_understands_or_a_question(tour):
    for scene in tour:
        assert scene["is_question"] or scene["code"] in set(Code), scene
        assert scene["is_question"] or scene["retry"] in set(Retry), scene


def test_no_scene_is_told_alike_without_errata(tour):
    for scene in tour:
        assert seen(scene["without_errata"]) != seen(scene["with_errata"])


def test_a_service_that_keeps_failing_is_left_alone_and_then_asked_again(tour):
    order = [scene["code"] for scene in tour if scene["server"] == "order_recovery"]
    (refused,) = [scene["with_errata"] for scene in tour if scene["code"] == Code.CIRCUIT_OPEN]

    assert refused["structuredContent"]["fallback_tool"] == "cached_orders"
    assert 0 < refused["structuredContent"]["retry_after_ms"] <= 1_000
    assert order.index(Code.CIRCUIT_OPEN) < order.index(Code.INSUFFICIENT_BALANCE)


def test_on_a_wide_terminal_the_two_stand_side_by_side(tour):
    lines = _page(tour, width=120).splitlines()

    assert max(map(len, lines)) <= 120
    assert sum("─ without this line ─" in line and "─ with it ─" in line for line in lines) == len(tour)


def test_the_readme_shows_what_the_demo_shows(tour):
    shown = re.search(r"```text\n([^`]*╭.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    printed = re.sub("^  ", "", _page(tour, width=100), flags=re.MULTILINE)

    for card in shown.strip().split("\n\n"):
        assert NEW_EVERY_TIME.sub("…", card) in NEW_EVERY_TIME.sub("…", printed), (
            "copy it from: COLUMNS=100 errata demo"
        )


def test_a_narrow_terminal_that_knows_only_ascii_gets_the_demo_too():
    done = errata("demo", "pubmed_articles", COLUMNS="60", PYTHONIOENCODING="ascii")

    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "- without this line -" in done.stdout


def test_a_server_that_is_not_in_the_demo_is_refused_by_name():
    done = errata("demo", "napkin")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "errata demo: error: there is no server napkin; there are harbor_berths, "
    )


def test_without_the_sdks_the_demo_says_what_to_install(tmp_path):
    (tmp_path / "errata").symlink_to(Path(errata_package.__file__).parent)
    command = [sys.executable, "-S", "-m", "errata", "demo"]
    environment = {"PYTHONPATH": str(tmp_path)}

    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)

    assert done.returncode == 2
    assert 'pip install "errata-mcp[demo]"' in done.stderr


def _page(tour, width):
    """Return what a terminal of some width shows of the demo."""
    scenes = {(act.server, scene.story): (act, scene) for act in ACTS for scene in act.scenes}
    screen = Console(width=width, file=io.StringIO())
    for each in tour:
        act, scene = scenes[each["server"], each["story"]]
        show_scene(screen, Played(act, scene, each["without_errata"], each["with_errata"]))
    return re.sub(" +$", "", screen.file.getvalue(), flags=re.MULTILINE)
