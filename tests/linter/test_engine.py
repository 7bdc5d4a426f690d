"""Several processes find what one finds; nothing is lost when they die, and nothing stays behind."""

import gc
import subprocess
import sys
import threading

import pytest

from errata.linter import _workers as workers_module, lint, lint_source
from errata.linter._workers import Workers, jobs_for

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


@pytest.fixture
def started(monkeypatch):
    processes = []
    begin = subprocess.Popen

    def noting(*args, **options):
        processes.append(begin(*args, **options))
        return processes[-1]

    monkeypatch.setattr(workers_module.subprocess, "Popen", noting)
    return processes


def test_several_processes_find_what_one_finds(project, started):
    seen = []

    several = lint([project], jobs=2, progress=lambda done, total: seen.append((done, total)))

    assert several == lint([project], jobs=1)
    assert several.handlers == 40
    assert seen == [(number, 41) for number in range(1, 42)]
    assert [process.returncode is not None for process in started] == [True, True]


@pytest.mark.parametrize(
    "program",
    [
        "raise SystemExit",
        "print('[]', flush=True); input(); print('nonsense')",
        "input(); print('{}'); print('[1]'); print('half')",
        "import os; input(); os.kill(os.getpid(), 9)",
    ],
)
def test_what_a_process_does_not_answer_is_read_here(project, monkeypatch, program):
    expected = lint([project], jobs=1)
    monkeypatch.setattr(workers_module, "_PROGRAM", program)

    assert lint([project], jobs=2) == expected


def test_without_a_program_to_start_files_are_read_here(project, monkeypatch):
    expected = lint([project], jobs=1)
    monkeypatch.setattr(sys, "executable", str(project / "python"))

    assert lint([project], jobs=2) == expected


def test_an_interrupt_ends_every_process_and_thread(project, started):
    def interrupt(*_):
        raise KeyboardInterrupt

    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        lint([project], jobs=2, progress=interrupt)

    assert len(started) == 2
    assert all(process.poll() is not None for process in started)
    assert threading.active_count() == threads


def test_a_process_of_another_errata_does_not_answer(project, monkeypatch):
    monkeypatch.setattr(workers_module, "edition", lambda: "another")

    with Workers(1) as workers:
        assert list(workers.answers([str(project / "server1.py")])) == []


@pytest.mark.parametrize(
    ("files", "asked", "program", "jobs"),
    [
        (10, None, "/bin/python3", 1),
        (100_000, None, "/bin/python3.11", 8),
        (100_000, None, "C:/pypy.exe", 8),
        (600, None, "/bin/python3", 4),
        (100_000, None, "/opt/blender", 1),
        (100_000, None, None, 1),
        (2, 4, "/bin/python3", 2),
        (100_000, 3, "/bin/python3", 3),
    ],
)
def test_processes_are_started_where_they_are_of_use(monkeypatch, files, asked, program, jobs):
    monkeypatch.setattr(workers_module, "_cores", lambda: 8)
    monkeypatch.setattr(sys, "executable", program)

    assert max(jobs_for(files, asked), 1) == jobs


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

    assert kinds.isdisjoint({"ast", "_ast", "errata.linter._code"})
