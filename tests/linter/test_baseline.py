"""Old findings, known again when the lines around them move."""

import dataclasses
import json
import os

import pytest

from errata.linter import Finding, Location, Settings, Severity
from errata.linter.judge import Baseline, BaselineError
from errata.linter.source import SourceLines

OLD = "first\n    old line  = 1\nother\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "server.py").write_text(OLD)
    return Settings(root=tmp_path)


def finding(settings, line, rule="bare-except", path="server.py"):
    return Finding(rule, Severity.WARNING, str(settings.root / path), Location(line, 1, line, 2), "wrong", "mend it")


def write(settings, *findings, read=""):
    return Baseline.write_anew(settings, findings, SourceLines(), [settings.root / read])


def compare(settings, *findings, read=""):
    return Baseline.read(settings).compare(findings, SourceLines(), [settings.root / read], settings)


def test_what_is_in_the_baseline_is_hidden_and_counted(project):
    write(project, finding(project, 2))

    assert compare(project, finding(project, 2)) == ((), 1, 0)


def test_without_a_baseline_everything_is_new(project):
    assert compare(project, finding(project, 2)) == ((finding(project, 2),), 0, 0)


def test_a_finding_is_known_again_when_lines_above_it_move_and_when_it_is_indented_anew(project):
    write(project, finding(project, 2))
    (project.root / "server.py").write_text("a\nb\nc\nd\n\told line = 1\n")

    assert compare(project, finding(project, 5)) == ((), 1, 0)


def test_another_rule_another_line_and_another_file_are_new(project):
    write(project, finding(project, 2))
    (project.root / "copy.py").write_text(OLD)
    new = [finding(project, 2, "unreadable-file"), finding(project, 3), finding(project, 2, path="copy.py")]

    assert compare(project, finding(project, 2), *new) == (tuple(new), 1, 0)


def test_lines_that_read_the_same_are_counted(project):
    (project.root / "server.py").write_text("same\nsame\nsame\n")
    write(project, finding(project, 1), finding(project, 2))

    assert compare(project, *[finding(project, line) for line in (1, 2, 3)]) == ((finding(project, 3),), 2, 0)


def test_what_is_no_longer_found_is_told(project):
    write(project, finding(project, 2), finding(project, 3))

    assert compare(project, finding(project, 3)) == ((), 1, 1)


def test_what_was_not_read_or_not_judged_is_not_said_to_be_gone(project):
    (project.root / "sub").mkdir()
    write(project, finding(project, 2))

    assert compare(project, read="sub").gone == 0
    other = Settings(root=project.root, ignore=("bare-except",))
    assert compare(other).gone == 0


def test_a_rule_that_is_no_more_is_no_trouble(project):
    write(project, finding(project, 2, "rule-of-old"))

    assert compare(project) == ((), 0, 0)


def test_writing_a_part_anew_keeps_the_rest(project):
    (project.root / "sub").mkdir()
    (project.root / "sub/a.py").write_text("x\n")
    write(project, finding(project, 2), finding(project, 1, path="sub/a.py"))

    write(project, read="sub")

    assert compare(project, finding(project, 2)) == ((), 1, 0)


def test_it_is_the_same_text_for_the_same_findings_and_one_line_for_each(project):
    findings = [finding(project, 3), finding(project, 2), finding(project, 2, "unreadable-file"), finding(project, 3)]
    write(project, *findings)
    text = (project.root / ".errata-baseline.json").read_text()
    write(project, *reversed(findings))

    assert (project.root / ".errata-baseline.json").read_text() == text
    assert json.loads(text) == {
        "version": 1,
        "findings": {
            "server.py": {"bare-except": {"old line = 1": 1, "other": 2}, "unreadable-file": {"old line = 1": 1}}
        },
    }
    assert '"other": 2' in [line.strip() for line in text.splitlines()]


def test_a_file_that_is_gone_is_known_all_the_same(project):
    gone = finding(project, 7, path="gone.py")
    write(project, gone)

    assert compare(project, gone) == ((), 1, 0)


@pytest.mark.parametrize("line", ["x" * 100_000, "\x1b[2J\ud800", "é日本"])
def test_odd_lines_are_kept_and_known_again(project, line):
    (project.root / "server.py").write_bytes(line.encode(errors="replace"))
    write(project, finding(project, 1))

    assert compare(project, finding(project, 1)) == ((), 1, 0)
    assert len((project.root / ".errata-baseline.json").read_bytes()) < 1000


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "does not hold what a baseline holds"),
        (b'{"version": 1}', "does not hold what a baseline holds"),
        (b'{"version": 2, "findings": {}}', "is of version 2, not 1"),
        (b'{"version": 1, "findings": {"a.py": []}}', "does not hold what a baseline holds"),
        (b'{"version": 1, "findings": {"a.py": {"r": {"x": "1"}}}}', "does not hold what a baseline holds"),
        (b'{"version": 1, "findings": {"a.py": {"r": {"x": 0}}}}', "does not hold what a baseline holds"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_a_broken_baseline_is_said_and_can_be_written_anew(project, content, what):
    (project.root / ".errata-baseline.json").write_bytes(content)

    with pytest.raises(BaselineError) as raised:
        Baseline.read(project)

    assert what in raised.value.what
    assert raised.value.advice == "write it anew with `errata lint --init`"
    assert len(write(project, finding(project, 2))) == 1
    assert compare(project, finding(project, 2)).old == 1


def test_a_baseline_that_cannot_be_read_or_written_is_said(project):
    (project.root / ".errata-baseline.json").mkdir()

    with pytest.raises(BaselineError, match="is a directory"):
        Baseline.read(project)
    with pytest.raises(BaselineError, match="cannot write"):
        write(project)


def test_a_path_out_of_the_project_in_a_foreign_baseline_is_no_trouble(project):
    entries = {"../../../etc/passwd": {"bare-except": {"root": 1}}, "nul\0": {"bare-except": {"x": 1}}}
    (project.root / ".errata-baseline.json").write_text(json.dumps({"version": 1, "findings": entries}))

    assert compare(project).old == 0


@pytest.mark.parametrize("name", ["../home/.bashrc", "../other.json", "/other.json", "Makefile", ".git/x.json"])
def test_a_project_names_no_other_file_as_its_baseline(project, name):
    settings = dataclasses.replace(project, baseline=name)

    for use in (compare, write):
        with pytest.raises(BaselineError, match="is no JSON file of the project"):
            use(settings, finding(settings, 2))


def test_a_directory_that_leads_out_of_the_project_is_not_followed(project, tmp_path_factory):
    (project.root / "out").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    settings = dataclasses.replace(project, baseline="out/baseline.json")

    with pytest.raises(BaselineError, match="is no JSON file of the project"):
        write(settings, finding(settings, 2))


def test_a_file_that_is_none_is_not_written_over(project):
    settings = dataclasses.replace(project, baseline="package.json")
    (project.root / "package.json").write_text('{"name": "shop"}')

    with pytest.raises(BaselineError, match="is there, and no baseline"):
        write(settings, finding(settings, 2))
    assert (project.root / "package.json").read_text() == '{"name": "shop"}'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_nobody_waits_for_a_pipe_or_reads_a_device_to_its_end(project):
    file = project.root / project.baseline
    os.mkfifo(file)
    with pytest.raises(BaselineError, match="is no regular file"):
        compare(project)
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(BaselineError, match="is no regular file"):
        compare(project)
