"""Comments that set findings aside."""

import json

import pytest

from errata.linter import Finding, Location, Severity
from errata.linter._fixes import fix_text
from errata.linter.judge import apply_ignores
from errata.linter.rules import RULES
from errata.linter.source import Ignore, find_ignores


def finding(line, end_line=None, rule="bare-except"):
    return Finding(
        rule, Severity.WARNING, "server.py", Location(line, 1, end_line or line, 2), "it is wrong", "mend it"
    )


def left(source, *findings, judged=tuple(RULES)):
    return apply_ignores(findings, find_ignores(source), "server.py", judged)


def messages(source, *findings, **options):
    return [found.message for found in left(source, *findings, **options)]


@pytest.mark.parametrize(
    ("source", "line", "end_line"),
    [
        ("x = 1  # errata: ignore[bare-except] because so", 1, 1),
        ("x = 1  #errata:ignore[ bare-except ] because so", 1, 1),
        ("x = 1  # errata: ignore because so", 1, 1),
        ("x = 1  # errata: ignore[bare] because so", 1, 1),
        ("x = 1  # noqa: E1  # errata: ignore[bare-except] because so  # type: ignore[x]", 1, 1),
        ("# errata: ignore[bare-except] because so\nx = 1", 2, 2),
        ("# errata: ignore[bare-except] because so\n# and so on\nx = 1", 3, 3),
        ("try:\n    pass\n# errata: ignore[bare-except] because so\nexcept:\n    pass", 4, 5),
        ("x = [  # errata: ignore[bare-except] because so\n    1,\n    2,\n]", 3, 3),
        ("x = [\n    1,\n    2,\n]  # errata: ignore[bare-except] because so", 2, 2),
        ("x = [\n    1,\n    2,  # errata: ignore[bare-except] because so\n]", 3, 3),
        ("x = [\n    1,\n    # errata: ignore[bare-except] because so\n    2,\n]", 4, 4),
        ("if x:\n    a()\n    b()  # errata: ignore[bare-except] because so", 1, 3),
        ('x = """\n""" + y  # errata: ignore[bare-except] because so', 1, 2),
        ("# errata: ignore[bare-except] because so\n@tool(\n    1\n)\n@other\ndef f():\n    pass", 6, 7),
        ("@tool()  # errata: ignore[bare-except] because so\ndef f():\n    pass", 2, 3),
        ("x = 1\n\n# errata: ignore-file[bare-except] because so\n", 1, 1),
        ("x = 1  # errata: ignore[bare-except] because so\r\n", 1, 1),
        ("y = 1\rx = 1  # errata: ignore[bare-except] because so", 2, 2),
    ],
)
def test_a_finding_is_set_aside(source, line, end_line):
    assert left(source, finding(line, end_line)) == []


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('x = "# errata: ignore[bare-except] because so"', 1),
        ('"""\n# errata: ignore[bare-except] because so\n"""\nx = 1', 4),
        ("# errata: ignore[bare-except] because so\n\nx = 1", 3),
        ("x = [\n    1,\n    2,  # errata: ignore[bare-except] because so\n]", 2),
        ("x = 1  # errata: ignore[bare-except] because so\ny = 1", 2),
        ("x = 1  # errata: ignore[unreadable-file] because so", 1),
        ("x = 1  # errata: ignore[bare-except because so", 1),
        ("x = 1  # errata: ignore[] because so", 1),
        ("x = 1  # errata: ignores[bare-except] because so", 1),
        ("x = 1  # see errata.ignore[bare-except]", 1),
    ],
)
def test_another_finding_is_not(source, line):
    assert finding(line) in left(source, finding(line))


@pytest.mark.parametrize("behind", ["", " ", " because", " - ", ": because …", "  # noqa: E501"])
def test_a_comment_without_a_reason_counts_and_is_told(behind):
    (told,) = left(f"x = 1  # errata: ignore[bare-except]{behind}", finding(1))

    assert (told.rule, told.severity) == ("ignore-without-reason", Severity.WARNING)
    assert told.help == "write why behind it, as in `# errata: ignore[bare-except] because …`"


@pytest.mark.parametrize("behind", [" because so", " so", ": so", " -- see #12", " 因为", "so"])
def test_a_reason_may_be_written_in_any_way(behind):
    assert left(f"x = 1  # errata: ignore[bare-except]{behind}", finding(1)) == []


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# errata: ignore[bare-except] because so", "nothing here breaks `bare-except`"),
        ("# errata: ignore because so", "nothing here breaks any rule"),
        ("# errata: ignore-file[bare-except] because so", "nothing here breaks `bare-except`"),
        ("# errata: ignore[bare-exept] because so", "there is no rule `bare-exept` to ignore"),
        ("# errata: ignore[] because so", "this comment names no rule, so that it ignores nothing"),
        ("# errata: ignore[bare-except because so", "this comment names no rule, so that it ignores nothing"),
        ("# errata: ingore[bare-except] because so", "`# errata: ingore` ignores nothing"),
    ],
)
def test_a_comment_that_sets_nothing_aside_is_told(comment, message):
    assert messages(f"x = 1  {comment}") == [message]


def test_prose_about_errata_is_no_comment_to_the_linter():
    assert left("x = 1  # errata: see the docs\n# errata: the error layer\n") == []


def test_a_mistyped_name_gets_the_nearest():
    (told,) = left("x = 1  # errata: ignore[bare-exept] because so")

    assert told.help == "correct the name: did you mean `bare-except`?"
    assert told.edits == ()


def test_what_was_not_judged_is_not_unused():
    source = "x = 1  # errata: ignore[bare-except, unreadable-file] because so"

    assert messages(source, judged=["unused-ignore", "unreadable-file"]) == ["nothing here breaks `unreadable-file`"]
    assert messages("x = 1  # errata: ignore because so", judged=["unused-ignore"]) == []


def test_who_does_not_ask_for_unused_comments_is_not_told():
    assert messages("x = 1  # errata: ignore[bare-except] because so", judged=["bare-except"]) == []


def test_settings_say_how_severe_it_is():
    ignores = find_ignores("x = 1  # errata: ignore[bare-except] because so")

    (told,) = apply_ignores([], ignores, "server.py", list(RULES), lambda _: Severity.ERROR)

    assert told.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("source", "fixed"),
    [
        ("x = 1  # errata: ignore[bare-except] so\ny\n", "x = 1\ny\n"),
        ("# errata: ignore[bare-except] so\ny\n", "y\n"),
        ("y\n    # errata: ignore[bare-except] so", "y\n"),
        ("y  # errata: ignore[bare-except] so  # noqa\n", "y  # noqa\n"),
        ("y  # noqa  # errata: ignore[bare-except] so\n", "y  # noqa\n"),
        ("y  # errata: ignore[bare-except] so\r\nz\r\n", "y\r\nz\r\n"),
        ("ä = '日本'  # errata: ignore[bare-except] so\n", "ä = '日本'\n"),
        ("x = 1  # errata: ignore[bare-except, unreadable-file] so\n", "x = 1\n"),
        ("x = 1  # errata: ignore[bare-except, no-such-rule] so\n", "x = 1  # errata: ignore[no-such-rule] so\n"),
    ],
)
def test_what_is_of_no_use_can_be_removed(source, fixed):
    assert fix_text(source, left(source))[0] == fixed


def test_only_the_unused_name_is_removed():
    source = "x = 1  # errata: ignore[bare-except, unreadable-file] because so"

    assert fix_text(source, left(source, finding(1))) == ("x = 1  # errata: ignore[bare-except] because so", 1)


def test_comments_survive_being_kept_as_json():
    ignores = find_ignores("x = 1  # errata: ignore[bare-except, unreadable-file] because so")
    kept = [Ignore(*row) for row in json.loads(json.dumps(ignores))]

    assert apply_ignores([finding(1)], kept, "a.py", RULES) == apply_ignores([finding(1)], ignores, "a.py", RULES)


@pytest.mark.parametrize(
    "source",
    [
        "errata: (((\n",
        "errata:\n  x\n y # errata: ignore\n",
        "'''errata:",
        "errata: \0",
        "# errata: ignore[" + "[" * 50_000,
        "# errata: ignore " + " #" * 50_000,
        "# errata:" * 20_000,
        "# errata: ignore[x] " + " " * 50_000 + "x",
        "(" * 5_000 + "# errata: ignore[x]",
        "# errata: ignore\x0c[x] \ud800",
    ],
    ids=["open", "indentation", "string", "null", "brackets", "hashes", "many", "blanks", "deep", "odd"],
)
def test_nothing_in_a_source_breaks_the_reading_of_its_comments(source):
    left(source, finding(1))
