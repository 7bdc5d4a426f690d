"""What was read is not read again; and whatever lies in the cache, it changes no finding."""

import json
import os
from pathlib import Path

import pytest

from errata.linter import Settings, lint
from errata.linter import _cache as cache_module
from errata.linter._cache import Cache, digest, edition
from errata.linter._kept import loaded
from errata.linter._reading import read_file
from errata.linter._summary import Summary

FIXTURES = Path(__file__).parent / "fixtures"
SERVER = """from mcp.server import MCPServer
from service import fetch

server = MCPServer("a")


@server.tool()
def get(name: str) -> str:
    return fetch(name)


@server.tool()
def put(name: str) -> str:
    try:
        return name
    except:
        return "no"
"""
QUIET = "def fetch(name):\n    return name\n"
ONLY = Settings(select=("bare-except",))


@pytest.fixture
def project(tmp_path):
    (tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    (tmp_path / "service.py").write_text(QUIET, encoding="utf-8")
    return tmp_path


@pytest.fixture
def read_again(monkeypatch):
    names = []

    def noting(path):
        names.append(path.name)
        return read_file(path)

    monkeypatch.setattr("errata.linter._reading.read_file", noting)
    return names


def run(project, *, settings=ONLY, paths=None):
    return lint(paths or [project], settings, jobs=1, cache=project / ".cache")


def entries(project, kind):
    return sorted((project / ".cache" / edition()).glob(f"{kind}-*.json"))


@pytest.mark.parametrize("file", sorted(FIXTURES.rglob("*.py")), ids=lambda file: str(file.relative_to(FIXTURES)))
def test_a_summary_is_the_same_after_it_was_kept(file):
    summary = read_file(file).summary

    assert loaded(Summary, json.loads(json.dumps(summary))) == summary


def test_a_second_run_reads_nothing_and_finds_the_same(project, read_again):
    first = run(project)
    assert sorted(read_again) == ["server.py", "service.py"]
    read_again.clear()

    assert run(project) == first
    assert [finding.rule for finding in first.findings] == ["bare-except"]
    assert read_again == []


def test_only_what_has_changed_is_read_again(project, read_again):
    run(project)
    read_again.clear()
    (project / "service.py").write_text(QUIET.replace("return name", "try:\n        pass\n    except: ..."), "utf-8")

    assert len(run(project).findings) == 2
    assert read_again == ["service.py"]


def test_a_file_that_was_followed_counts_though_nobody_named_it(project):
    only_server = [project / "server.py"]
    assert run(project, paths=only_server).handlers == 2
    (outcome,) = [json.loads(entry.read_bytes().partition(b"\n")[2]) for entry in entries(project, "run")]
    assert list(outcome[3]) == [str(project / "service.py")]
    (project / "service.py").write_text(SERVER.replace("get", "other"), encoding="utf-8")

    kept = run(project, paths=only_server)

    assert kept == lint(only_server, ONLY)


def test_a_file_that_turns_up_is_followed(project, read_again):
    (project / "service.py").unlink()
    only_server = [project / "server.py"]
    run(project, paths=only_server)
    (project / "service.py").write_text(QUIET, encoding="utf-8")
    read_again.clear()

    run(project, paths=only_server)

    assert read_again == ["service.py"]


def test_a_directory_that_becomes_a_package_is_another_place(project, read_again):
    run(project)
    (project / "__init__.py").touch()
    read_again.clear()

    run(project)

    assert sorted(read_again) == ["__init__.py", "server.py", "service.py"]


def test_other_settings_are_another_run(project):
    assert len(run(project).findings) == 1
    assert run(project, settings=Settings(select=("unused-ignore",))).findings == ()
    (error,) = run(project, settings=Settings(select=("bare-except",), severity={"bare-except": "error"})).findings
    assert error.severity == "error"


def test_another_edition_of_the_linter_starts_anew(project, read_again, monkeypatch):
    run(project)
    read_again.clear()
    monkeypatch.setattr(cache_module, "edition", lambda: digest("another"))

    run(project)

    assert len(read_again) == 2


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\0", b"{}", b"[" * 100_000, b"0" * 32 + b"\n[]", b"null", b"\n"],
    ids=lambda content: repr(content[:10]),
)
def test_what_is_broken_is_made_anew(project, content):
    first = run(project)
    broken = [*entries(project, "file"), *entries(project, "run")]
    for entry in broken:
        entry.write_bytes(content)

    assert run(project) == first
    assert content not in {entry.read_bytes() for entry in broken}


@pytest.mark.parametrize("value", [[], {}, None, 1, ["a", []], [[], "x", {}, []], [["a"], 1, {}, []]])
def test_what_is_sealed_but_does_not_fit_is_made_anew(project, monkeypatch, value):
    with monkeypatch.context() as patched:
        put = Cache.put
        patched.setattr(Cache, "put", lambda self, name, key, _: put(self, name, key, value))
        first = run(project)

    assert run(project) == first


@pytest.mark.parametrize("kind", ["file", "run"])
def test_what_is_sealed_and_names_no_rule_is_made_anew(project, monkeypatch, kind):
    put = Cache.put

    def renaming(self, name, key, value):
        put(self, name, key, json.loads(json.dumps(value).replace("bare-except", "no-such-rule")))

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", renaming)
        first = run(project)
    for entry in entries(project, "run" if kind == "file" else "file"):
        entry.unlink()

    assert run(project) == first


def test_half_an_entry_is_none(project):
    first = run(project)
    for entry in (*entries(project, "file"), *entries(project, "run")):
        entry.write_bytes(entry.read_bytes()[:-10])

    assert run(project) == first


def test_a_pipe_in_the_cache_keeps_nobody_waiting(project):
    first = run(project)
    for entry in (*entries(project, "file"), *entries(project, "run")):
        entry.unlink()
        os.mkfifo(entry)

    assert run(project) == first


def test_a_cache_that_cannot_be_written_is_none(project):
    (project / ".cache").write_text("a file", encoding="utf-8")

    assert len(run(project).findings) == 1
    assert (project / ".cache").read_text(encoding="utf-8") == "a file"


def test_version_control_and_backups_leave_the_cache_out(project):
    run(project)

    assert (project / ".cache" / ".gitignore").read_text(encoding="ascii") == "*\n"
    assert (project / ".cache" / "CACHEDIR.TAG").read_text(encoding="ascii").startswith("Signature: 8a477f597d28d172")


def test_what_was_used_longest_ago_is_dropped_when_there_is_too_much(project, monkeypatch):
    run(project)
    old, *_ = entries(project, "file")
    os.utime(old, (1, 1))
    size = sum(entry.stat().st_size for entry in (*entries(project, "file"), *entries(project, "run")))
    monkeypatch.setattr(cache_module, "_MOST_BYTES", size)
    (project / "more.py").write_text(QUIET, encoding="utf-8")

    run(project, paths=[project / "more.py"])

    assert old not in entries(project, "file")
    assert entries(project, "run")


def test_only_the_last_editions_are_kept(project):
    for number in range(6):
        other = project / ".cache" / digest(str(number))
        other.mkdir(parents=True)
        os.utime(other, (number, number))
    (project / ".cache" / "mine").mkdir()

    run(project)

    kept = {each.name for each in (project / ".cache").iterdir() if each.is_dir()}
    assert kept == {"mine", edition(), *(digest(str(number)) for number in (3, 4, 5))}
