"""Which files are linted."""

import pytest

from errata.linter.source import NoSuchPathError, find_files, matches_any


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Files that are ours, and files that are not."""
    monkeypatch.chdir(tmp_path)

    def tree(*names):
        for name in names:
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        return tmp_path

    return tree


def found(root, *paths, exclude=()):
    return [file.as_posix() for file in find_files([root / path for path in paths] or [root], exclude)]


def below(root, **options):
    return [name.removeprefix(f"{root.as_posix()}/") for name in found(root, **options)]


def test_python_files_are_found_below_a_directory_in_a_stable_order(tree):
    root = tree("b.py", "a.py", "sub/c.py", "sub/deep/d.py", "notes.txt", "types.pyi")

    assert below(root) == ["a.py", "b.py", "sub/c.py", "sub/deep/d.py"]


def test_what_others_wrote_or_a_machine_made_is_left_out(tree):
    theirs = [".hidden/a.py", ".venv/a.py", "venv/a.py", "node_modules/a.py", "site-packages/a.py", "__pycache__/a.py"]
    root = tree("ours.py", *theirs, "build/a.py", "dist/a.py", "any_name/pyvenv.cfg", "any_name/lib/a.py")

    assert below(root) == ["ours.py"]


def test_a_package_may_be_called_build(tree):
    assert below(tree("src/build/__init__.py", "src/build/a.py")) == ["src/build/__init__.py", "src/build/a.py"]


def test_a_file_that_is_named_is_taken_whatever_it_is_called(tree):
    root = tree("script", ".venv/a.py")

    assert found(root, "script", ".venv/a.py") == [f"{root}/script", f"{root}/.venv/a.py"]


def test_a_directory_that_is_named_is_read_whatever_it_is_called(tree):
    assert found(tree(".tools/a.py"), ".tools") != []


def test_a_file_is_found_once_however_often_and_in_whatever_way_it_is_named(tree):
    root = tree("a.py", "sub/b.py")
    (root / "link.py").symlink_to(root / "a.py")

    assert [name.rpartition("/")[2] for name in found(root, "", "a.py", "sub", "sub/../sub/b.py")] == ["a.py", "b.py"]


def test_a_link_into_itself_is_no_endless_way(tree):
    root = tree("a.py", "sub/b.py")
    (root / "sub/around").symlink_to(root)

    assert below(root) == ["a.py", "sub/b.py"]


def test_a_link_out_of_the_tree_is_not_read(tree, tmp_path_factory):
    root = tree("a.py", "sub/b.py")
    outside = tmp_path_factory.mktemp("outside")
    (outside / "theirs.py").write_text("")
    (root / "sub/theirs.py").symlink_to(outside / "theirs.py")
    (root / "others").symlink_to(outside)
    (root / "sub/c.py").symlink_to(root / "a.py")

    assert below(root) == ["a.py", "sub/b.py"]


def test_a_link_to_nothing_and_what_only_looks_like_a_file_are_passed_by(tree):
    root = tree("a.py")
    (root / "gone.py").symlink_to(root / "nowhere")
    (root / "directory.py").mkdir()

    assert below(root) == ["a.py"]


def test_excluded_files_and_directories_are_left_out(tree):
    root = tree("a.py", "generated/a.py", "sub/generated/b.py", "sub/c_pb2.py", "tests/data/d.py", "tests/e.py")

    assert below(root, exclude=["generated", "*_pb2.py", "tests/data/**"]) == ["a.py", "tests/e.py"]


@pytest.mark.parametrize("path", ["missing", "missing/a.py", "nul\0byte"])
def test_a_path_that_does_not_exist_is_an_error_with_advice(tree, path):
    with pytest.raises(NoSuchPathError, match=r"cannot read `.*missing|nul") as raised:
        found(tree("a.py"), path)

    assert raised.value.advice.startswith("check the path")


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("tests/a.py", "tests", True),
        ("tests/a.py", "tests/", True),
        ("tests/a.py", "./tests/*", True),
        ("tests/deep/a.py", "tests/**", True),
        ("x/tests/a.py", "tests", True),
        ("x/tests/a.py", "tests/**", False),
        ("x/tests/a.py", "**/tests/**", True),
        ("a.py", "**/a.py", True),
        ("x/y/a.py", "x/**/a.py", True),
        ("x/a.py", "x/**/a.py", True),
        ("x/test_a.py", "test_*.py", True),
        ("latest/a.py", "test", False),
        ("x/y.py", "x/[!z].py", True),
        ("x/z.py", "x/[!z].py", False),
        ("x/b.py", "x/[a-c].py", True),
        ("x/[c-a].py", "x/[c-a].py", True),
        ("a[b.py", "a[b.py", True),
        ("a.py", "a?py", True),
        ("axpy", "a.py", False),
        ("line\nbreak.py", "line*", True),
    ],
)
def test_patterns_mean_what_people_mean_by_them(path, pattern, fits):
    assert matches_any(path, [pattern]) is fits
