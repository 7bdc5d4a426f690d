"""Whatever a file holds or is, it costs one diagnostic at most, and the run goes on."""

import ast
import os
import socket
from pathlib import Path

import pytest

from errata.linter import lint, lint_source
from errata.linter.rules import RULES, Rule
from errata.linter.source import Lines
from errata.linter.summary import summarise_file

GOOD = 'from mcp.server import MCPServer\n\nserver = MCPServer("a")\n\n\n@server.tool()\ndef fetch():\n    return 1\n'
DEEP = 10_000
UNREADABLE = ["unreadable-file"]

DEEP_SOURCES = {
    "parentheses": "(" * DEEP + ")" * DEEP,
    "lists": "x = " + "[" * DEEP + "]" * DEEP,
    "operators": "x = " + " + ".join("1" * DEEP),
    "powers": "x = " + " ** ".join("1" * DEEP),
    "negations": "x = " + "not " * DEEP + "x",
    "attributes": "x = a" + ".b" * DEEP,
    "calls": "x = a" + "()" * DEEP,
    "subscripts": "x = a" + "[0]" * DEEP,
    "lambdas": "x = " + "lambda: " * DEEP + "1",
    "conditions": "x = " + "1 if a else " * DEEP + "1",
    "branches": "if a:\n pass\n" + "elif b:\n pass\n" * DEEP,
    "functions": "".join(f"{' ' * depth}def f():\n" for depth in range(1_000)) + " " * 1_000 + "pass",
    "f-strings": "x = " + 'f"{' * DEEP + "1" + '}"' * DEEP,
}


def rules_in(source):
    return [finding.rule for finding in lint_source(source)]


@pytest.mark.parametrize("source", DEEP_SOURCES.values(), ids=DEEP_SOURCES)
def test_source_that_nests_too_deeply_is_one_diagnostic(source):
    assert rules_in(source) == UNREADABLE


@pytest.mark.parametrize(
    "source",
    [
        "x = a" + ".b" * 900,
        "def f():\n    raise a" + ".b()" * 400,
        "x = " + " and ".join("a" * DEEP),
        "x = [" + "1, " * 100_000 + "]",
        "x = (" + '"a" ' * DEEP + ")",
        "".join(f"{' ' * depth}def f():\n" for depth in range(99)) + " " * 99 + "pass",
        "def f():\n" + "".join(f" a{each + 1} = a{each}\n" for each in range(DEEP)) + f" raise a{DEEP}()",
        "class A(A.B): ...\n" + GOOD + "    raise A.c()\n",
        "class C0: ...\n"
        + "".join(f"class C{n + 1}(C{n}.x): ...\n" for n in range(2_000))
        + GOOD
        + "    raise C2000.y()\n",
        "match x:\n case " + " | ".join("1" * DEEP) + ":\n  pass",
    ],
    ids=range(10),
)
def test_long_and_winding_source_is_read(source):
    assert rules_in(source) == []


@pytest.mark.parametrize(
    "content",
    [
        b"def",
        b"x = 1\0",
        b"\xff\xfe\x00",
        "x = 'é'".encode("latin-1"),
        b"# coding: no-such-encoding\n",
        b"# coding: undefined\nx = 1\n",
        b"# coding: idna\nx = '\xff..'\n",
        b"# coding: rot13\nk = 1\n",
        b"x = " + b"1" * 5_000,
        b"x = 1\n" * 1_000_000,
        b"# coding: utf-7\nx = '+2AA-'\n",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_not_python_is_one_diagnostic_and_its_neighbour_is_judged(tmp_path, content):
    (tmp_path / "bad.py").write_bytes(content)
    (tmp_path / "good.py").write_text(GOOD, encoding="utf-8")

    report = lint([tmp_path])

    assert [(Path(finding.path).name, finding.rule) for finding in report.findings] == [("bad.py", "unreadable-file")]
    assert report.handlers == 1


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8-sig", "shift_jis"])
def test_a_declared_encoding_is_read(tmp_path, encoding):
    mark = "" if encoding == "utf-8-sig" else f"# coding: {encoding}\n"
    word = "日本" if encoding == "shift_jis" else "é"
    (tmp_path / "server.py").write_text(f"{mark}{GOOD}NAME = '{word}'\n", encoding=encoding)

    report = lint([tmp_path])

    assert (report.findings, report.handlers) == ((), 1)


def test_columns_are_counted_in_characters():
    source = 'x = "é日😀"; raised()'

    location = Lines(source).locate(ast.parse(source).body[1])

    assert location == (1, 12, 1, 20)


@pytest.fixture
def fifo(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    return tmp_path / "pipe.py"


def test_nobody_waits_for_a_pipe(fifo):
    (finding,) = lint([fifo]).findings

    assert finding.message == "this file is no regular file"
    assert lint([fifo.parent]).findings == ()  # Below a directory, it is no Python file.


def test_a_socket_and_a_device_are_one_diagnostic_each(tmp_path):
    location = tmp_path / "s.py"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(location))
        rules = [finding.rule for finding in lint([location, Path(os.devnull)]).findings]

    assert rules == UNREADABLE * 2


def test_a_directory_with_the_name_of_a_file_is_a_directory(tmp_path):
    (tmp_path / "server.py").mkdir()
    (tmp_path / "server.py" / "tools.py").write_text(GOOD, encoding="utf-8")

    assert lint([tmp_path]).handlers == 1
    assert [found.rule for found in summarise_file(tmp_path / "server.py", RULES.values()).obstacles] == UNREADABLE


def test_a_file_that_is_gone_meanwhile_is_one_diagnostic(tmp_path, monkeypatch):
    gone = tmp_path / "gone.py"
    monkeypatch.setattr("errata.linter.judge._lint_run.find_files", lambda *_, **__: [gone])

    assert [finding.message for finding in lint([tmp_path]).findings] == [
        "this file cannot be read: no such file or directory"
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_one_diagnostic(tmp_path):
    (tmp_path / "mine.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "mine.py").chmod(0)

    assert [finding.rule for finding in lint([tmp_path]).findings] == UNREADABLE


def test_a_path_that_is_not_utf_8_is_read(tmp_path):
    name = os.fsdecode(b"caf\xe9.py")
    (tmp_path / name).write_text(GOOD, encoding="utf-8")
    (tmp_path / os.fsdecode(b"bad\xe9.py")).write_text("def", encoding="utf-8")

    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        report = lint([tmp_path], cache=cache)
        assert (len(report.findings), report.handlers) == (1, 1)


def test_links_that_lead_in_circles_are_no_trouble(tmp_path):
    (tmp_path / "server.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "again.py").symlink_to(tmp_path / "server.py")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    (tmp_path / "below").symlink_to(tmp_path)

    report = lint([tmp_path, tmp_path / "below", tmp_path / "server.py"])

    assert (report.findings, report.files, report.handlers) == ((), 1, 1)


def test_a_module_and_a_package_of_one_name_are_both_judged(tmp_path):
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "__init__.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "server.py").write_text("def", encoding="utf-8")

    report = lint([tmp_path])

    assert [Path(finding.path).name for finding in report.findings] == ["server.py"]
    assert report.handlers == 1


@pytest.mark.parametrize("kind", [ValueError, RecursionError, KeyError])
@pytest.mark.parametrize("where", ["in_function", "of_handler"])
def test_a_bug_in_a_rule_costs_one_diagnostic_and_not_the_run(tmp_path, monkeypatch, where, kind):
    def fail(looked_at):
        at = getattr(looked_at, "where", None)
        name = str(at.file.path if at else getattr(looked_at, "module", looked_at).path)
        if name.endswith("bad.py"):
            raise kind("a bug")
        return []

    monkeypatch.setitem(RULES, "bare-except", Rule("bare-except", RULES["bare-except"].severity, "", **{where: fail}))
    (tmp_path / "bad.py").write_text(GOOD + GOOD.replace("fetch", "store"), encoding="utf-8")
    (tmp_path / "good.py").write_text(GOOD, encoding="utf-8")

    report = lint([tmp_path], jobs=1)

    assert [(Path(finding.path).name, finding.rule) for finding in report.findings] == [("bad.py", "unreadable-file")]
