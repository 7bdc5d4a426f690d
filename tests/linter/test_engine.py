"""A run over many files: it says how far it is, and leaves nothing behind."""

import gc

import pytest

from errata.linter import lint, lint_source

BARE = """from mcp.server import MCPServer

server = MCPServer("a")


@server.tool()
def fetch():
    try:
        return 1
    except:
        return 2
"""


@pytest.fixture
def project(tmp_path):
    for number in range(40):
        (tmp_path / f"server{number}.py").write_text(BARE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("def", encoding="utf-8")
    return tmp_path


def test_progress_is_told_after_each_file(project):
    seen = []

    report = lint([project], progress=lambda done, total: seen.append((done, total)))

    assert report.handlers == 40
    assert seen == [(number, 41) for number in range(1, 42)]


def test_what_callers_of_0_1_gave_changes_nothing(project):
    before = sorted(project.iterdir())

    assert lint([project], jobs=2, cache=project / ".cache") == lint([project])
    assert sorted(project.iterdir()) == before


@pytest.mark.parametrize("is_enabled", [True, False])
def test_whether_python_looks_for_cycles_stays_as_it_was(is_enabled):
    was_enabled = gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    try:
        lint_source(BARE)
        lint_source("def")
        assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def test_a_source_leaves_no_syntax_tree_behind():
    lint_source(BARE)
    gc.collect()
    gc.disable()
    try:
        lint_source(BARE * 50)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kinds = {type(each).__module__ for each in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()

    assert kinds.isdisjoint({"ast", "_ast", "errata.linter.syntax._syntax_tree"})
