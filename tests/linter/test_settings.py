"""What is asked of the linter, and what is said to settings that nothing can be done with."""

import pickle
from pathlib import Path

import pytest

from errata.linter import Settings, Severity
from errata.linter._fixes import NotFixedError
from errata.linter.judge import BaselineError, SettingsError, match_rules, read_project_settings
from errata.linter.source import LintError, NoSuchPathError

KNOWN = ("bare-except", "error-contract-type", "error-contract-code-unknown", "error-contract-code-unknown-error")


@pytest.fixture
def project(tmp_path):
    def project(toml, name="pyproject.toml"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(toml if isinstance(toml, bytes) else toml.encode())
        return file

    return project


def test_without_settings_every_rule_is_judged_as_severely_as_it_says_itself(tmp_path):
    settings = read_project_settings(tmp_path)

    assert settings.wants("bare-except", "server.py")
    assert settings.severity_of("bare-except") is Severity.WARNING


def test_settings_are_read_from_pyproject(project, tmp_path):
    project(
        """
        [tool.errata.lint]
        select = ["bare-except", "unused-ignore", "unreadable-file"]
        ignore = ["unused-ignore"]
        per-file-ignores = { "tests/**" = ["bare-except"] }
        severity = { bare-except = "error", unreadable-file = "off" }
        exclude = ["generated"]
        baseline = "old.json"
        """
    )

    settings = read_project_settings(tmp_path / "src" / "deep")

    assert settings.judged(tmp_path / "src/server.py") == {"bare-except"}
    assert settings.judged(tmp_path / "tests/test_server.py") == set()
    assert settings.severity_of("bare-except") is Severity.ERROR
    assert (settings.exclude, settings.baseline, settings.root) == (("generated",), "old.json", tmp_path)


def test_the_nearest_pyproject_that_speaks_to_the_linter_counts(project, tmp_path):
    project('[tool.errata.lint]\nselect = ["bare-except"]')
    project("[project]\nname = 'inner'", "packages/inner/pyproject.toml")

    assert read_project_settings(tmp_path / "packages/inner/server.py").root == tmp_path
    project('[tool.errata.lint]\nselect = ["unused-ignore"]', "packages/inner/pyproject.toml")
    assert read_project_settings(tmp_path / "packages/inner/server.py").select == ("unused-ignore",)


def test_where_none_does_the_nearest_is_still_the_root(project, tmp_path):
    project("[project]\nname = 'plain'")

    assert read_project_settings(tmp_path / "src").root == tmp_path


def test_a_file_that_is_named_counts_instead(project, tmp_path):
    project('[tool.errata.lint]\nselect = ["bare-except"]')
    other = project('[tool.errata.lint]\nselect = ["unused-ignore"]', "other.toml")

    assert read_project_settings(tmp_path, other).select == ("unused-ignore",)


@pytest.mark.parametrize(
    ("toml", "what", "advice"),
    [
        (
            'select = ["bare-exept"]',
            "`select` names a rule `bare-exept`, and there is none",
            "did you mean `bare-except`?",
        ),
        ('ignore = ["zzz"]', "`ignore` names a rule `zzz`", "list all rules with `errata lint --rules`"),
        ('ignore = [""]', "`ignore` names a rule ``", "list all rules"),
        ('ignore = ["*"]', "`ignore` names a rule `*`", "list all rules"),
        ('severity = { bare-exept = "error" }', "`severity` names a rule `bare-exept`", "did you mean `bare-except`?"),
        (
            'severity = { bare-except = "fatal" }',
            "`severity` has a value `fatal`",
            "choose `error`, `warning` or `off`",
        ),
        ('per-file-ignores = { "a.py" = ["x-y"] }', '`per-file-ignores."a.py"` names a rule `x-y`', "list all rules"),
        ('selct = ["bare-except"]', "has no key `selct`", "did you mean `select`?"),
        ("zzz = 1", "has no key `zzz`", "choose from `select`, `ignore`"),
        ('select = "bare-except"', "`select` is a text", 'write a list of names, as in `["bare-except"]`'),
        ("select = [1]", "`select` is a list of other things", "write a list of names"),
        ("exclude = true", "`exclude` is a truth value", "write a list of patterns"),
        ("severity = 3", "`severity` is `3`", "write a table"),
        ("severity = { bare-except = 1 }", "`severity` is a table of other things", "write a table"),
        ('per-file-ignores = { "a.py" = "bare-except" }', "`per-file-ignores` is a table", "write a table of lists"),
        ('baseline = " "', "`baseline` is a text", "write the name of a file"),
    ],
)
def test_a_setting_that_nothing_can_be_done_with_is_said_with_what_to_write(project, tmp_path, toml, what, advice):
    file = project(f"[tool.errata.lint]\n{toml}")

    with pytest.raises(SettingsError) as raised:
        read_project_settings(tmp_path)

    assert raised.value.what.startswith(f"`{file}`: ")
    assert what in raised.value.what
    assert raised.value.advice.startswith(advice)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"[tool.errata.lint", "is not TOML: expected"),
        (b"\xff\xfe", "is not UTF-8 at byte 0"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"[tool.errata]\nlint = 3", "`tool.errata.lint` is no table"),
    ],
    ids=["cut", "binary", "deep", "number"],
)
def test_a_broken_file_is_said(project, tmp_path, content, what):
    project(content)

    with pytest.raises(SettingsError) as raised:
        read_project_settings(tmp_path)

    assert what in raised.value.what


def test_a_file_that_is_named_has_to_be_there_and_to_have_settings(project, tmp_path):
    with pytest.raises(SettingsError, match="no such file"):
        read_project_settings(tmp_path, tmp_path / "missing.toml")
    with pytest.raises(SettingsError, match=r"has no `\[tool\.errata\.lint\]`"):
        read_project_settings(tmp_path, project("[tool.errata]\n", "empty.toml"))


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("bare-except", {"bare-except"}),
        ("ALL", set(KNOWN)),
        ("error-contract", {rule for rule in KNOWN if rule.startswith("error")}),
        ("error-contract-*", {rule for rule in KNOWN if rule.startswith("error")}),
        ("error-contract-code-unknown", {"error-contract-code-unknown"}),
        ("error-contract-code-unknown-*", {"error-contract-code-unknown-error"}),
        ("error-con", set()),
        ("", set()),
        ("-", set()),
        ("*", set()),
    ],
)
def test_a_name_stands_for_a_rule_or_else_for_its_family(name, rules):
    assert match_rules(name, KNOWN) == rules


def test_a_rule_says_more_about_its_severity_than_its_family():
    settings = Settings(severity={"unused-ignore": "error", "unused": "off", "ALL": "warning"})

    assert settings.wants("unused-ignore", "a.py")
    assert settings.severity_of("unused-ignore") is Severity.ERROR
    assert settings.severity_of("unreadable-file") is Severity.WARNING


def test_settings_made_in_python_are_checked_at_once():
    with pytest.raises(SettingsError, match="did you mean `bare-except`"):
        Settings(select=("bare-exept",))


def test_settings_survive_a_copy_and_mean_the_same():
    settings = Settings(
        per_file_ignores={"tests": ("bare-except",)}, severity={"bare-except": "error"}, root=Path("/p")
    )
    copy = pickle.loads(pickle.dumps(settings))

    assert copy == settings
    assert not copy.wants("bare-except", "/p/tests/a.py")


@pytest.mark.parametrize("kind", [LintError, SettingsError, NoSuchPathError, BaselineError, NotFixedError])
def test_what_keeps_the_linter_from_running_survives_a_copy(kind):
    error = pickle.loads(pickle.dumps(kind("it rains", "take a coat")))

    assert (error.what, error.advice, str(error)) == ("it rains", "take a coat", "it rains; take a coat")
