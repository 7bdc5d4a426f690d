"""Mending what is mechanical."""

import os
import stat

import pytest
from hypothesis import given, strategies as st

from errata.linter import Edit, Finding, Location, Severity
from errata.linter._fixes import NotFixedError, fix, fix_file, fix_text, group_by_file, write_diff
from errata.linter.source import replace_file


def edit(line, column, end_line, end_column, text):
    return Edit(Location(line, column, end_line, end_column), text)


def finding(*edits, path="server.py", line=1):
    return Finding("bare-except", Severity.WARNING, str(path), Location(line, 1, line, 2), "wrong", "mend it", edits)


def replace_a(path):
    """Find every `a` in a file, and propose `b`."""
    text = path.read_text()
    locations = [(number, line.index("a") + 1) for number, line in enumerate(text.splitlines(), 1) if "a" in line]
    return [finding(edit(line, at, line, at + 1, "b"), path=path, line=line) for line, at in locations]


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ("a = 1\n", [edit(1, 1, 1, 2, "b")], "b = 1\n"),
        ("a = 1\n", [edit(1, 6, 1, 6, "0"), edit(1, 1, 1, 1, "a")], "aa = 10\n"),
        ("é = '日本'  # x\n", [edit(1, 9, 1, 14, "")], "é = '日本'\n"),
        ("a\nb\nc", [edit(2, 1, 3, 1, "")], "a\nc"),
        ("a\nb", [edit(2, 1, 3, 1, "")], "a\n"),
        ("a\nb", [edit(9, 1, 9, 1, "c")], "a\nbc"),
        ("a\r\nb\r\n", [edit(2, 1, 2, 1, "x\n")], "a\r\nx\r\nb\r\n"),
        ("a\rb\r", [edit(2, 1, 2, 2, "c\nd")], "a\rc\rd\r"),
        ("x\x0c\u2028y\nb", [edit(2, 1, 2, 2, "c")], "x\x0c\u2028y\nc"),
        ("a\n", [edit(1, 99, 1, 99, "b")], "a\nb"),
    ],
)
def test_edits_are_put_where_they_belong(before, edits, after):
    assert fix_text(before, [finding(*edits)]) == (after, 1)


def test_where_two_want_the_same_place_the_first_has_it():
    first, second = finding(edit(1, 1, 1, 4, "one")), finding(edit(1, 3, 1, 6, "two"))

    assert fix_text("abcdef", [first, second]) == ("onedef", 1)


def test_a_finding_is_mended_whole_or_not_at_all():
    first, second = finding(edit(1, 1, 1, 4, "one")), finding(edit(1, 3, 1, 6, "two"), edit(2, 1, 2, 2, "x"))

    assert fix_text("abcdef\ny", [first, second]) == ("onedef\ny", 1)


def test_two_that_want_the_same_edit_get_it_once():
    adding = edit(1, 1, 1, 1, "import errata\n")

    assert fix_text("a\nb\n", [finding(adding), finding(adding, edit(2, 1, 2, 2, "c"))]) == ("import errata\na\nc\n", 2)


def test_two_that_insert_at_one_place_wait_for_each_other():
    assert fix_text("c", [finding(edit(1, 1, 1, 1, "a")), finding(edit(1, 1, 1, 1, "b"))]) == ("ac", 1)


@given(
    st.text("ab\n\r", max_size=20),
    st.lists(st.builds(edit, *[st.integers(-1, 9)] * 4, st.sampled_from(["", "x", "y\n"])), max_size=6),
)
def test_any_edits_of_any_text_are_survived(text, edits):
    fix_text(text, [finding(each) for each in edits])


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa = 'x'\r\nc = 1",
        "# coding: latin-1\r\na = 'é'\r\n".encode("latin-1"),
        b"a = 1\rc = 2\r\nd = 3\n",
        "a = '日本'\n\x0c\n".encode(),
    ],
    ids=["mark and carriage returns", "latin-1", "mixed ends", "wide"],
)
def test_nothing_else_in_the_file_changes(tmp_path, content):
    file = tmp_path / "server.py"
    file.write_bytes(content)
    line = 2 if content.startswith(b"#") else 1
    fix([finding(edit(line, 1, line, 2, "b"), path=file)], list)

    assert file.read_bytes() == content.replace(b"a =", b"b =")


def test_a_file_keeps_its_mode(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("a = 1\n")
    file.chmod(0o750)

    assert fix(replace_a(file), list)[0] == 1
    assert file.read_text() == "b = 1\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert [each.name for each in tmp_path.iterdir()] == ["server.py"]


def test_nothing_is_written_through_a_link(tmp_path):
    file, link = tmp_path / "server.py", tmp_path / "link.py"
    file.write_text("a = 1\n")
    link.symlink_to(file)

    fixed, _, (trouble,) = fix(replace_a(link), list)
    assert (fixed, file.read_text(), link.is_symlink()) == (0, "a = 1\n", True)
    assert "it is a link" in trouble.what
    with pytest.raises(OSError, match="link"):
        replace_file(link, b"b = 1\n")
    assert file.read_text() == "a = 1\n"


def test_it_looks_again_until_nothing_is_left(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("aaa = 1\n")

    assert fix(replace_a(file), lambda: replace_a(file)) == (3, [], [])
    assert file.read_text() == "bbb = 1\n"


def test_fixes_that_undo_each_other_come_to_an_end(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("a = 1\n")

    def swap():
        return [finding(edit(1, 1, 1, 2, "b" if file.read_text()[0] == "a" else "a"), path=file)]

    total, left, troubles = fix(swap(), swap)

    assert (total, len(left), troubles) == (10, 1, [])


def test_what_would_no_longer_be_python_is_not_written(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("a = 1\n")

    total, left, (trouble,) = fix([finding(edit(1, 1, 1, 2, "("), path=file)], list)

    assert (total, len(left), file.read_text()) == (0, 1, "a = 1\n")
    assert trouble.what == f"`{file}` was not fixed: it would no longer be Python"


def test_a_fix_that_the_encoding_has_no_character_for_is_not_written(tmp_path):
    file = tmp_path / "server.py"
    file.write_bytes(b"# coding: ascii\na = 1\n")

    (trouble,) = fix([finding(edit(2, 5, 2, 6, "'\u65e5'"), path=file)], list)[2]

    assert "its encoding ascii has no character for the fix" in trouble.what


def test_a_file_that_is_gone_costs_no_other(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("a = 1\n")
    gone = finding(edit(1, 1, 1, 2, "b"), path=tmp_path / "gone.py")

    total, _, (trouble,) = fix([gone, *replace_a(file)], lambda: [gone])

    assert (total, file.read_text()) == (1, "b = 1\n")
    assert trouble.what == f"cannot read `{tmp_path / 'gone.py'}`: no such file or directory"


def test_a_file_that_may_not_be_written_is_left_as_it_is(tmp_path, monkeypatch):
    file = tmp_path / "server.py"
    file.write_text("a = 1\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.replace", refuse)
    total, left, (trouble,) = fix(replace_a(file), list)

    assert (total, len(left), file.read_text()) == (0, 1, "a = 1\n")
    assert trouble.what == f"cannot write `{file}`: permission denied"
    assert [each.name for each in tmp_path.iterdir()] == ["server.py"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_file_without_the_right_to_write_is_not_replaced(tmp_path):
    file = tmp_path / "server.py"
    file.write_text("a = 1\n")
    file.chmod(0o400)

    with pytest.raises(PermissionError):
        replace_file(file, b"b = 1\n")


def test_a_new_file_is_made_as_any_other(tmp_path):
    replace_file(tmp_path / "new", b"1")
    (tmp_path / "other").write_bytes(b"1")

    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_the_patch_is_what_diff_would_write(tmp_path):
    file = tmp_path / "server.py"
    file.write_bytes(b"\xef\xbb\xbfa = 1\r\nc = 2")

    patch = write_diff("server.py", fix_file(file, replace_a_in_first_line(file)))

    assert patch == (
        "--- server.py\n+++ server.py\n@@ -1,2 +1,2 @@\n-a = 1\r\n+b = 1\r\n c = 2\n\\ No newline at end of file\n"
    )
    assert file.read_bytes() == b"\xef\xbb\xbfa = 1\r\nc = 2"


def replace_a_in_first_line(file):
    return [finding(edit(1, 1, 1, 2, "b"), path=file)]


def test_only_what_can_be_fixed_is_grouped_by_file():
    one, other = finding(edit(1, 1, 1, 2, "b"), path="b.py"), finding(edit(1, 1, 1, 2, "b"), path="a.py")

    assert list(group_by_file([one, finding(path="c.py"), other])) == [("a.py", [other]), ("b.py", [one])]


def test_a_file_that_changed_its_encoding_meanwhile_is_left_alone(tmp_path):
    file = tmp_path / "server.py"
    file.write_bytes(b"a = '\xff'\n")

    with pytest.raises(NotFixedError, match="its encoding is not clear"):
        fix_file(file, replace_a_in_first_line(file))
