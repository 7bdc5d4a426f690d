"""`errata lint`, as a person, a pipe and a machine meet it."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from errata.cli import main
from errata.cli._lint_output import Progress

ROOT = Path(__file__).parents[2]
HEAD = 'from mcp.server.mcpserver import MCPServer\n\nserver = MCPServer("orders")\n\n\n@server.tool()\n'
BROKEN = (
    HEAD + "async def count(customer: str) -> int:\n    try:\n        return await orders.count(customer)\n"
    '    except:\n        raise RuntimeError("no orders")\n'
)
CLEAN = HEAD + "async def count(customer: str) -> int:\n    return await orders.count(customer)\n"
UNUSED_IGNORE = CLEAN.removesuffix("\n") + "  # errata: ignore[bare-except] because of the driver\n"
ONLY = ("--select", "bare-except,unused-ignore,unreadable-file")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one server in it, in the current directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'orders'\n")
    (tmp_path / "server.py").write_text(BROKEN)
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(*arguments):
        try:
            code = main(["lint", *arguments])
        except SystemExit as stop:
            code = stop.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def rules_in(out):
    return [found["rule"] for found in json.loads(out)]


@pytest.mark.usefixtures("project")
def test_what_is_found_is_shown_with_its_line_and_the_exit_code_is_one(run):
    status, out, err = run(*ONLY)

    assert (status, err) == (1, "")
    assert out.startswith("warning[bare-except]: ")
    assert "\n  --> server.py:10:5\n   |\n10 |     except:\n   |     ^^^^^^^\nhelp: " in out
    assert out.endswith("\n\nfound 1 warning in 1 of 1 file\n")


def test_what_is_clean_exits_with_zero_and_says_how_much_was_read(project, run):
    (project / "server.py").write_text(CLEAN)

    assert run(*ONLY) == (0, "nothing found in 1 file with 1 handler\n", "")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "what", "advice"),
    [
        (["missing.py"], "cannot read `missing.py`: no such file or directory", "check the path"),
        ([""], "one of the paths is empty", "name a file or a directory"),
        (
            ["--select", "bare-exept"],
            "`select` names a rule `bare-exept`, and there is none",
            "did you mean `bare-except`?",
        ),
        (["--ignore", "zzz"], "`ignore` names a rule `zzz`, and there is none", "list all rules"),
        (["--config", "none.toml"], "cannot read `none.toml`: no such file or directory", "check the path"),
        (["--statistics", "--format", "json"], "`--statistics` has no `--format json`", "leave one of the two out"),
        (["--jobs", "0"], "`--jobs` is 0; the lowest allowed is 1", "leave it out"),
        (["-", "server.py"], "`-` stands for one source that is read and not written", "name files"),
        (["--fix", "-"], "`-` stands for one source that is read and not written", "name files"),
        (["--output", "missing/out.txt"], "cannot write `missing/out.txt`: no such file or directory", "name a file"),
        (["bad\x1b[2J.py"], "cannot read `bad\\x1b[2J.py`: no such file or directory", "check the path"),
    ],
)
def test_what_cannot_be_run_is_said_with_advice_and_exit_code_two(run, arguments, what, advice):
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    assert err.startswith(f"errata: {what}\nhelp: {advice}")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("pair", [("--fix", "--diff"), ("--fix", "--init"), ("--diff", "--init")])
def test_two_kinds_of_change_at_once_are_refused(run, pair):
    status, _, err = run(*pair)

    assert status == 2
    assert "not allowed with" in err


def test_settings_of_the_project_count_and_the_command_line_counts_more(project, run):
    (project / "pyproject.toml").write_text(
        '[tool.errata.lint]\nignore = ["ALL"]\nseverity = { bare-except = "off" }\n'
    )

    assert run()[0] == 0
    assert rules_in(run(*ONLY, "--format", "json")[1]) == ["bare-except"]
    assert run(*ONLY, "--ignore", "bare-except")[0] == 0


def test_broken_settings_are_said(project, run):
    (project / "pyproject.toml").write_text("[tool.errata.lint")

    status, _, err = run()

    assert status == 2
    assert "pyproject.toml` is not TOML: expected ']'" in err


@pytest.mark.usefixtures("project")
def test_a_program_gets_json_and_nothing_else(run):
    _, out, err = run("--format", "json", *ONLY)

    assert (rules_in(out), err) == (["bare-except"], "")


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_machines_get_an_answer_also_where_nothing_was_found(project, run, form):
    (project / "server.py").write_text(CLEAN)
    status, out, _ = run("--format", form, *ONLY)

    assert status == 0
    assert json.loads(out) == [] or json.loads(out)["runs"][0]["results"] == []


@pytest.mark.usefixtures("project")
def test_github_gets_commands(run):
    _, out, _ = run("--format", "github", *ONLY)

    assert out.startswith("::warning file=server.py,line=10,col=5,")


def test_an_answer_can_be_written_to_a_file_in_plain_text(project, run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    status, out, _ = run("--output", "found.txt", *ONLY)

    assert (status, out) == (1, "")
    assert (project / "found.txt").read_text().startswith("warning[bare-except]: ")


@pytest.mark.usefixtures("project")
def test_there_is_colour_only_where_it_shows(run, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert "\x1b[1;33mwarning[bare-except]\x1b[0m" in run(*ONLY)[1]


@pytest.mark.usefixtures("project")
def test_statistics_stand_for_the_findings(run):
    assert run("--statistics", *ONLY)[1] == "1  warning  bare-except\nfound 1 warning in 1 of 1 file\n"


def test_who_wants_it_quiet_gets_the_findings_only(project, run):
    assert run("--quiet", *ONLY)[1].rstrip().endswith("`except ConnectionError as error:`")
    (project / "server.py").write_text("x = 1\n")
    assert run("--quiet", *ONLY) == (0, "", "")


@pytest.mark.usefixtures("project")
def test_the_exit_code_can_be_zero_whatever_was_found(run):
    assert run("--exit-zero", *ONLY)[0] == 0


def test_nobody_believes_that_code_without_a_handler_is_clean(project, run):
    (project / "server.py").write_text("x = 1\n")
    status, _, err = run(*ONLY)

    assert status == 0
    assert err.startswith("note: no MCP handler was found, so that there was little to judge; ")


def test_nor_that_an_empty_directory_is(project, run):
    (project / "empty").mkdir()

    assert run("empty")[2].startswith("note: no Python file was found; ")


def test_a_file_that_cannot_be_parsed_costs_no_other(project, run):
    (project / "bad.py").write_text("def f(:\n")

    assert rules_in(run("--format", "json", *ONLY)[1]) == ["unreadable-file", "bare-except"]


def test_fixes_are_written_and_the_rest_is_shown(project, run):
    (project / "other.py").write_text(UNUSED_IGNORE)
    status, out, err = run("--fix", *ONLY)

    assert (status, err) == (1, "note: fixed 1 finding\n")
    assert (project / "other.py").read_text() == CLEAN
    assert out.endswith("found 1 warning in 1 of 2 files\n")


def test_when_all_is_fixed_the_exit_code_is_zero(project, run):
    (project / "server.py").write_text(UNUSED_IGNORE)

    assert run("--fix", *ONLY)[0] == 0
    assert run(*ONLY)[0] == 0


def test_what_cannot_be_written_is_said(project, run, monkeypatch):
    (project / "server.py").write_text(UNUSED_IGNORE)

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("errata.linter._fixes.replace_file", refuse)
    status, _, err = run("--fix", "--no-cache", *ONLY)

    assert status == 2
    assert "errata: cannot write `server.py`: permission denied\nhelp: make the file" in err
    assert (project / "server.py").read_text() == UNUSED_IGNORE


def test_a_preview_is_a_patch_and_changes_nothing(project, run):
    (project / "server.py").write_text(UNUSED_IGNORE)
    status, out, err = run("--diff", *ONLY)

    assert (status, err) == (1, "note: 1 of 1 finding would be fixed\n")
    assert out.startswith("--- server.py\n+++ server.py\n@@ ")
    assert (project / "server.py").read_text() == UNUSED_IGNORE
    subprocess.run(["git", "apply", "--unsafe-paths", "-p0"], input=out, text=True, check=True)  # noqa: S607 - git is on the path.
    assert (project / "server.py").read_text() == CLEAN


def test_a_preview_that_cannot_be_made_is_said_whatever_the_exit_code_should_be(project, run, monkeypatch):
    (project / "server.py").write_text(UNUSED_IGNORE)
    monkeypatch.setattr("errata.linter._fixes._parses", lambda _: False)
    status, out, err = run("--diff", "--exit-zero", *ONLY)

    assert (status, out) == (2, "")
    assert "errata: `server.py` was not fixed: it would no longer be Python" in err


def test_a_preview_of_nothing_exits_with_zero(project, run):
    (project / "server.py").write_text(CLEAN)

    assert run("--diff", *ONLY)[:2] == (0, "")


def test_old_findings_are_put_into_a_baseline_and_only_new_ones_are_told(project, run):
    status, out, _ = run("--init", *ONLY)

    assert status == 0
    assert out == f"wrote 1 finding to {project}/.errata-baseline.json; from now on only new ones count\n"
    assert run(*ONLY) == (0, "nothing found in 1 file with 1 handler\n", "note: 1 old finding is in the baseline\n")
    (project / "server.py").write_text("import os\n" + BROKEN)
    assert run(*ONLY)[0] == 0
    (project / "other.py").write_text(BROKEN)
    assert [found["path"] for found in json.loads(run("--format", "json", *ONLY)[1])] == ["other.py"]


@pytest.mark.usefixtures("project")
def test_the_baseline_can_be_left_out(run):
    run("--init", *ONLY)

    assert run("--no-baseline", *ONLY)[0] == 1


def test_entries_that_are_no_longer_needed_are_told_without_failing(project, run):
    run("--init", *ONLY)
    (project / "server.py").write_text(CLEAN)
    status, _, err = run(*ONLY)

    assert status == 0
    assert err == "note: 1 entry of the baseline is no longer needed; write it anew with `errata lint --init`\n"


def test_a_broken_baseline_is_said(project, run):
    (project / ".errata-baseline.json").write_text("{")
    status, _, err = run(*ONLY)

    assert status == 2
    assert "is not JSON\nhelp: write it anew with `errata lint --init`" in err


@pytest.mark.parametrize("options", [(), ("--no-cache",), ("--cache-dir", "elsewhere"), ("--jobs", "2")])
def test_nothing_is_kept_between_runs(project, run, tmp_path_factory, monkeypatch, options):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "caches"))
    before = sorted(project.iterdir())

    assert run(*ONLY, *options)[0] == 1
    assert (sorted(project.iterdir()), [*home.iterdir()]) == (before, [])


def test_a_link_is_not_fixed_and_the_baseline_is_not_written_through_one(project, run, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "precious.py"
    outside.write_text(UNUSED_IGNORE)
    (project / "server.py").unlink()
    (project / "server.py").symlink_to(outside)
    status, _, err = run("--fix", "server.py", *ONLY)

    assert (status, outside.read_text()) == (2, UNUSED_IGNORE)
    assert "`server.py` was not fixed: it is a link" in err
    (project / ".errata-baseline.json").symlink_to(outside)
    status, _, err = run("--init", *ONLY)
    assert (status, outside.read_text()) == (2, UNUSED_IGNORE)
    assert "cannot write" in err


def test_in_single_files_comments_are_not_said_to_be_unused(project, run):
    (project / "server.py").write_text(UNUSED_IGNORE)
    (project / "pyproject.toml").write_text('[tool.errata.lint]\nselect = ["unused-ignore", "bare-except"]\n')

    assert run("server.py")[0] == 0
    assert run("server.py", *ONLY)[0] == 1
    assert run(".")[0] == 1


def standard_input(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.usefixtures("project")
def test_one_source_is_read_from_standard_input(run, monkeypatch):
    standard_input(monkeypatch, b"\xef\xbb\xbf" + BROKEN.encode())
    status, out, _ = run("-", "--stdin-filename", "src/orders.py", *ONLY)

    assert status == 1
    assert "--> src/orders.py:10:5\n   |\n10 |     except:\n" in out


def test_settings_for_the_file_that_standard_input_belongs_to_count(project, run, monkeypatch):
    (project / "pyproject.toml").write_text('[tool.errata.lint]\nper-file-ignores = { "src/**" = ["ALL"] }\n')
    standard_input(monkeypatch, BROKEN.encode())

    assert run("-", "--stdin-filename", "src/orders.py")[0] == 0


@pytest.mark.usefixtures("project")
def test_a_preview_of_standard_input_is_a_patch(run, monkeypatch):
    standard_input(monkeypatch, UNUSED_IGNORE.encode())

    assert "\n-    return await orders.count(customer)  # errata: ignore" in run("-", "--diff", *ONLY)[1]


@pytest.mark.usefixtures("project")
def test_standard_input_that_is_no_text_is_said(run, monkeypatch):
    standard_input(monkeypatch, b"\xff\xfe")
    status, _, err = run("-")

    assert status == 2
    assert err.startswith("errata: standard input is not UTF-8")


def test_all_rules_are_listed_with_their_severity(run):
    status, out, _ = run("--rules")

    assert status == 0
    assert re.search(r"^bare-except +warning  Finds ", out, re.MULTILINE)
    assert re.search(r"^unused-ignore .*\(can be fixed\)$", out, re.MULTILINE)


@pytest.mark.parametrize("name", ["bare-except", "BARE_EXCEPT"])
def test_a_rule_is_explained(capsys, name):
    assert main(["explain", name]) == 0
    assert capsys.readouterr().out.startswith("# bare-except (warning)\n\nFinds ")


def test_a_mistyped_rule_gets_the_nearest(capsys):
    assert main(["explain", "bare-exept"]) == 2
    assert capsys.readouterr().err == "errata: there is no rule `bare-exept`\nhelp: did you mean `bare-except`?\n"


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self):
        return True


def test_a_long_run_says_how_far_it_is_and_leaves_nothing_behind(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("sys.stderr", Terminal())
    with Progress() as progress:
        progress(1, 90)
        now[0] = 0.6
        progress(30, 90)
        progress(31, 90)
    assert sys.stderr.getvalue() == "\rread 30 of 90 files\x1b[K\r\x1b[K"


def test_a_short_run_and_one_that_nobody_watches_say_nothing(monkeypatch):
    monkeypatch.setattr("time.monotonic", iter([0.0, 0.1, 0.0, 9.0]).__next__)
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr("sys.stderr", stream)
        with Progress() as progress:
            progress(1, 90)
        assert stream.getvalue() == ""


def test_other_commands_do_not_load_the_linter():
    program = "import sys, errata.cli; errata.cli.main(['explain', 'GONE']); sys.exit('errata.linter' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_a_terminal_that_knows_only_ascii_and_a_name_that_is_no_text_are_no_trouble(project):
    name = os.fsdecode(b"odd\xff\xc3\xa4.py")
    (project / name).write_text(BROKEN.replace("orders.count", "größe"))
    run = "main(['lint', '--no-cache', '--select=bare-except', '--format', form])"
    program = f"import sys; from errata.cli import main; [{run} for form in sys.argv[1:]]"
    done = subprocess.run(
        [sys.executable, "-c", program, "text", "json", "sarif", "github"],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"--> odd\\udcff\\xe4.py:10:5" in done.stdout
    assert b"::warning file=odd" in done.stdout


def test_findings_in_files_that_nobody_named_are_counted(project, run):
    (project / "orders.py").write_text("def count():\n    try:\n        return 1\n    except:\n        return 2\n")
    (project / "server.py").write_text(
        "from mcp.server.mcpserver import MCPServer\nfrom orders import count\n"
        "server = MCPServer('x')\n@server.tool()\ndef f():\n    return count()\n"
    )

    for _ in range(2):  # The second time from the cache.
        status, _, told = run("server.py", "--select", "bare-except")
        assert (status, "1 more finding is in files that these import and nobody named" in told) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--select", ""], "`--select` names no rule"),
        (["--stdin-filename", "server.py"], "`--stdin-filename` names what comes from standard input"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(run, arguments, complaint):
    status, _, told = run(*arguments)

    assert (status, complaint in told) == (2, True)


def test_the_page_shows_what_is_really_printed(project, run):
    page = (ROOT / "docs/linter.md").read_text()
    source, shown = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL).groups()
    (project / "server.py").write_text(source)

    assert shown in run()[1]


def test_the_page_names_every_option(run):
    page = (ROOT / "docs/linter.md").read_text()
    options = set(re.findall(r"--[a-z-]+", run("--help")[1])) - {"--help"}

    assert {option for option in options if option not in page} == set()


def test_the_hook_for_pre_commit_runs_the_linter_over_the_project():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    lines = [line.lstrip("- ") for line in text.splitlines() if not line.startswith("#")]
    hook = dict(line.split(": ", 1) for line in lines)

    assert (hook["id"], hook["entry"], hook["language"]) == ("errata-lint", "errata lint", "python")
    assert (hook["types"], hook["require_serial"], hook["pass_filenames"]) == ("[python]", "true", "false")
