"""How findings are shown."""

import json
from pathlib import Path

import pytest

from errata.linter import Edit, Finding, Location, Place, Severity
from errata.linter.reports import (
    summarise_findings,
    write_github_report,
    write_json_report,
    write_sarif_report,
    write_statistics,
    write_text_report,
)
from errata.linter.rules import RULES
from errata.linter.source import SourceLines

UNSEEN = "\x1b\x9b\u202e\r\ud800\u200b\ufe0f\u3164\u115f\U000e0041\U000e0100"
EVIL = f"\x1b[2J\x9b2J\u202e\r\nerror[forged]: x\ud800{UNSEEN}"
SOURCE = "try:\n    work()\nexcept:\n\tpass\n"


def finding(line=3, column=1, end_line=None, end_column=8, **more):
    location = Location(line, column, end_line or line, end_column)
    named = {"severity": Severity.WARNING, "path": "server.py", "message": "this `except` catches all"} | more
    return Finding(rule="bare-except", location=location, help="name one", **named)


def plain(text, *_styles):
    return text


def text_of(*findings, source=SOURCE, paint=plain):
    return "\n".join(write_text_report(findings, SourceLines({"server.py": source}), paint))


def caret(source, column, end_column, end_line=1):
    """Give the line as it is shown, with the caret below, without the gutter."""
    lines = text_of(finding(1, column, end_line, end_column), source=source).split("\n")
    return lines[3].removeprefix("1 | "), lines[4].removeprefix("  | ")


def test_a_person_sees_the_line_the_caret_and_what_to_write():
    assert text_of(finding()).split("\n") == [
        "warning[bare-except]: this `except` catches all",
        " --> server.py:3:1",
        "  |",
        "3 | except:",
        "  | ^^^^^^^",
        "help: name one",
        "",
    ]


def test_the_gutter_is_as_wide_as_the_number():
    lines = text_of(finding(1200, 1, None, 2), source="\n" * 1199 + "x").split("\n")

    assert lines[1:5] == ["    --> server.py:1200:1", "     |", "1200 | x", "     | ^"]


def test_a_file_that_is_gone_has_no_line_and_costs_nothing(tmp_path):
    lines = "\n".join(write_text_report([finding(path=str(tmp_path / "gone.py"))], SourceLines(), plain)).split("\n")

    assert lines[2:] == ["help: name one", ""]


@pytest.mark.parametrize(
    ("source", "column", "end_column", "shown", "below"),
    [
        ("\tpass", 2, 6, "    pass", "    ^^^^"),
        ("x = '日本'; y", 11, 12, "x = '日本'; y", "            ^"),
        ("x = '日本'", 6, 8, "x = '日本'", "     ^^^^"),
        ("e\u0301 = 1", 4, 5, "e\u0301 = 1", "  ^"),
        ("a\x1b = 1", 4, 5, "a\\x1b = 1", "      ^"),
        ("abc", 2, 2, "abc", " ^"),
        ("abc", 9, 12, "abc", "   ^"),
        ("abc", 0, 0, "abc", "^"),
        ("abc   ", 2, 99, "abc", " ^^"),
    ],
    ids=["tab", "wide before", "wide", "combining", "escape", "empty", "behind", "before", "too far"],
)
def test_the_caret_stands_below_what_it_marks(source, column, end_column, shown, below):
    assert caret(source, column, end_column) == (shown, below)


def test_of_several_lines_the_first_is_marked_to_its_end():
    assert caret("call(  \n    x\n)", 1, 2, end_line=3) == ("call(", "^^^^^")


def test_of_a_long_line_what_is_around_the_caret_is_shown():
    shown, below = caret("a" * 5000 + "HERE" + "b" * 5000, 5001, 5005)

    assert len(shown) < 130
    assert (shown[:2], shown[-2:]) == ("… ", " …")
    assert shown[len(below) - 4 : len(below)] == "HERE"


@pytest.mark.parametrize("filler", ["\u0301", "\x1b", "日", "\t"])
def test_a_line_of_a_million_odd_characters_is_no_trouble(filler):
    shown, below = caret(filler * 1_000_000 + "HERE", 1_000_001, 1_000_005)

    assert "HERE" in shown
    assert below.endswith("^^^^")


def test_nothing_foreign_drives_the_terminal():
    evil = finding(1, path=EVIL, message=EVIL)
    shown = "\n".join(write_text_report([evil], SourceLines({EVIL: EVIL}), plain)) + "\n".join(
        write_github_report([evil])
    )

    assert not set(shown) & set(UNSEEN)
    assert "\nerror[forged]" not in shown


def test_colour_is_what_the_painter_makes_of_it():
    painted = text_of(finding(), paint=lambda text, *styles: f"<{','.join(styles)}>{text}</>")

    assert painted.startswith("<bold,yellow>warning[bare-except]</><bold>: this `except` catches all</>\n")
    assert "<bold,yellow>^^^^^^^</>" in painted


def test_a_program_gets_a_list_of_objects():
    assert json.loads(write_json_report([finding()])) == [
        {
            "rule": "bare-except",
            "severity": "warning",
            "path": "server.py",
            "line": 3,
            "column": 1,
            "end_line": 3,
            "end_column": 8,
            "message": "this `except` catches all",
            "help": "name one",
        }
    ]
    assert json.loads(write_json_report([])) == []


def test_what_a_program_gets_is_ascii_and_valid_unicode():
    text = write_json_report([finding(path="dir\udcff/日.py", message=EVIL)])

    assert text.isascii()
    json.dumps(json.loads(text), ensure_ascii=False).encode()


def test_github_gets_one_command_for_each_finding_with_its_escapes():
    (line,) = write_github_report([finding(path="a,b:c%d.py", message="100%: x,\ny", severity=Severity.ERROR)])

    assert line == (
        "::error file=a%2Cb%3Ac%25d.py,line=3,col=1,endLine=3,endColumn=8,title=errata (bare-except)"
        "::100%25: x,\\ny%0Ahelp: name one"
    )


def sarif(*findings, root=None, source=SOURCE):
    return json.loads(write_sarif_report(findings, SourceLines({"server.py": source}), root or Path.cwd()))


def test_code_scanning_gets_what_the_standard_requires():
    log = sarif(finding())
    (run,) = log["runs"]
    driver = run["tool"]["driver"]

    assert (log["version"], driver["name"], run["columnKind"]) == ("2.1.0", "errata", "unicodeCodePoints")
    assert [rule["id"] for rule in driver["rules"]] == sorted(RULES)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"].startswith(rule["shortDescription"]["text"][:20])
        assert rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in {"error", "warning"}
        assert "helpUri" not in rule
    (result,) = run["results"]
    assert result["ruleId"] == driver["rules"][result["ruleIndex"]]["id"] == "bare-except"
    assert (result["level"], result["message"]["text"]) == ("warning", "this `except` catches all\nhelp: name one")
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "server.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 1, "endLine": 3, "endColumn": 8},
    }


def test_code_scanning_knows_a_finding_again_when_lines_move():
    def marks(source, *lines):
        results = sarif(*(finding(line) for line in lines), source=source)["runs"][0]["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    before, after = marks("x\nsame\nsame\nother", 2, 3, 4), marks("x\ny\n\n  same\nsame\nother", 4, 5, 6)

    assert before == after
    assert len(set(before)) == 3


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a b#ä.py", "src/a%20b%23%C3%A4.py"),
        ("dir\udcff.py", "dir%FF.py"),
        ("/elsewhere/a.py", "file:///elsewhere/a.py"),
        ("../a.py", None),
    ],
)
def test_paths_are_addresses_for_code_scanning(path, expected):
    (result,) = sarif(finding(path=path))["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    assert uri == expected or (expected is None and uri.startswith("file:///"))


def test_statistics_count_the_findings_of_each_rule():
    error = Finding("unreadable-file", Severity.ERROR, "a.py", Location(1, 1, 1, 2), "x", "y")

    assert write_statistics([error, *[finding()] * 10]) == "10  warning  bare-except\n 1  error    unreadable-file"
    assert write_statistics([]) == ""


@pytest.mark.parametrize(
    ("findings", "files", "handlers", "expected"),
    [
        ([], 14, 3, "nothing found in 14 files with 3 handlers"),
        ([], 1, 1, "nothing found in 1 file with 1 handler"),
        ([], 1, None, "nothing found in 1 file"),
        ([finding()], 14, 3, "found 1 warning in 1 of 14 files"),
        (
            [finding(severity=Severity.ERROR), finding(edits=(Edit(Location(1, 1, 1, 1), ""),)), finding(path="b.py")],
            14,
            3,
            "found 1 error and 2 warnings in 2 of 14 files; 1 can be fixed with `--fix`",
        ),
    ],
)
def test_the_summary_says_how_much_there_is(findings, files, handlers, expected):
    assert summarise_findings(findings, files, handlers) == expected


def test_a_location_goes_by_its_old_name_too():
    location = Location(1, 2, 3, 4)
    edit = Edit(location, "")
    finding = Finding("bare-except", Severity.WARNING, "a.py", location, "what", "help", (edit,))

    assert Place is Location
    assert (finding.place, edit.place) == (finding.location, edit.location) == (location, location)
