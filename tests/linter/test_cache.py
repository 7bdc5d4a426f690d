"""What was read is not read again; and whatever lies in the cache, it changes no finding."""

import dataclasses
import json
import os
import stat
from pathlib import Path

import pytest

from errata.linter import Settings, _cache as cache_module, lint
from errata.linter._cache import Cache, digest, edition, projects_directory, users_directory
from errata.linter._engine import Report
from errata.linter._finding import Edit, Place
from errata.linter._kept import loaded
from errata.linter._reading import read_file
from errata.linter._runs import Runs
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


@pytest.fixture
def users(tmp_path_factory, monkeypatch):
    """Become somebody else, who has used no linter yet."""

    def become():
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("user")))
        return users_directory()

    return become


def test_what_somebody_else_has_forged_hides_nothing(project, users, monkeypatch):
    users()
    with monkeypatch.context() as forging:
        forging.setattr("errata.linter._engine._report", lambda *_, **__: Report((), 2, 2))
        assert run(project).findings == ()
    assert run(project).findings == ()
    users()

    assert [finding.rule for finding in run(project).findings] == ["bare-except"]


def test_no_edit_is_taken_from_a_cache(project, monkeypatch):
    edit = Edit(Place(1, 1, 1, 1), "import os; os.remove('/')\n")
    put = Runs.keep

    def forging(self, digests, outcome):
        findings = tuple(dataclasses.replace(each, edits=(edit,)) for each in outcome.findings)
        put(self, digests, outcome._replace(findings=findings))

    monkeypatch.setattr(Runs, "keep", forging)
    for _ in range(2):
        (finding,) = run(project).findings
        assert finding.edits == ()


def test_the_cache_is_the_users_alone(project, users):
    directory = users()
    lint([project], ONLY, cache=projects_directory(project))

    assert [*projects_directory(project).glob("*/run-*.json")]
    assert projects_directory(project).is_relative_to(directory)
    for path in (directory, directory / "lint", *directory.glob("lint/*"), *directory.glob("lint/*/*/")):
        assert path.is_file() or stat.S_IMODE(path.stat().st_mode) == 0o700, path
    assert stat.S_IMODE((directory / "lint.key").stat().st_mode) == 0o600
    assert len((directory / "lint.key").read_bytes()) == 32


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_directory_that_others_may_write_to_is_none_of_the_users(project, users, read_again, mode):
    directory = users()
    directory.mkdir(parents=True)
    directory.chmod(mode)

    assert run(project) == run(project)
    assert len(read_again) == 4
    assert not (directory / "lint.key").exists()


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_key_that_is_none_costs_the_cache_alone(project, users, read_again, content):
    directory = users()
    directory.mkdir(parents=True, mode=0o700)
    (directory / "lint.key").write_bytes(content)
    (directory / "lint.key").chmod(0o600)

    assert run(project) == run(project)
    assert len(read_again) == 4


def test_a_key_that_others_may_read_or_that_is_a_link_is_none(project, users, read_again):
    directory = users()
    directory.mkdir(parents=True, mode=0o700)
    known = project / "known"
    known.write_bytes(b"k" * 32)
    known.chmod(0o600)
    (directory / "lint.key").symlink_to(known)
    run(project)
    (directory / "lint.key").unlink()
    (directory / "lint.key").write_bytes(b"k" * 32)
    (directory / "lint.key").chmod(0o644)
    run(project)
    run(project)

    assert len(read_again) == 6


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/cache", "relative"])
def test_without_a_place_for_caches_everything_is_read(project, monkeypatch, read_again, place):
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    monkeypatch.setenv("HOME", "/dev/null")

    assert run(project) == run(project)
    assert len(read_again) == 4


def test_caches_of_the_user_that_lie_in_the_project_are_not_the_users(project, monkeypatch, read_again):
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / ".caches"))
    here = dataclasses.replace(ONLY, root=project)
    for _ in range(2):
        run(project, settings=here)

    assert len(read_again) == 4
    assert not (project / ".caches").exists()


@pytest.mark.parametrize("link", [".cache", "sub"])
def test_links_lead_the_cache_nowhere(project, tmp_path_factory, read_again, link):
    precious = tmp_path_factory.mktemp("precious")
    (project / link).symlink_to(precious)
    here = dataclasses.replace(ONLY, root=project)
    directory = project / ".cache" if link == ".cache" else project / "sub" / "cache"
    for _ in range(2):
        lint([project / "server.py", project / "service.py"], here, cache=directory)

    assert [*precious.iterdir()] == []
    assert len(read_again) == 4


def test_an_ignore_file_that_is_a_link_is_not_written_through(project, tmp_path_factory):
    precious = tmp_path_factory.mktemp("precious") / "file"
    (project / ".cache").mkdir(mode=0o700)
    (project / ".cache" / ".gitignore").symlink_to(precious)
    run(project)

    assert not precious.exists()
    assert entries(project, "run")


def test_an_entry_that_is_a_link_is_replaced_and_its_target_stays(project, tmp_path_factory):
    precious = tmp_path_factory.mktemp("precious") / "file"
    precious.write_text("precious")
    first = run(project)
    for entry in (*entries(project, "file"), *entries(project, "run")):
        entry.unlink()
        entry.symlink_to(precious)

    assert run(project) == first
    assert precious.read_text() == "precious"


def test_a_module_that_a_link_leads_to_out_of_the_tree_is_not_followed(project, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "service.py").write_text(QUIET.replace("return name", "try:\n        pass\n    except: ..."), "utf-8")
    (project / "service.py").unlink()
    (project / "service.py").symlink_to(outside / "service.py")

    assert lint([project / "server.py"], ONLY).elsewhere == 0
