"""A program that failed: its name, how it ended, what it said; never its command line."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from support.library_tables import module

from errata import Code, Retry, classify
from errata._process_output import pick_telling_lines, read_last_output

TOKEN = "ghp_q8ZtK4yV0pXw2sLm6NbR1cJd5fHa3gEuT9iO"  # noqa: S105 - nobody's.
PYTHON = Path(sys.executable).name


def run(command, **options):
    """Run a program that fails, and judge what is raised."""
    with pytest.raises(subprocess.SubprocessError) as raised:
        subprocess.run(command, check=True, capture_output=True, **options)
    return classify(raised.value)


def python(source, *arguments, **options):
    return run([sys.executable, "-c", source, *arguments], **options)


def failed(stderr, program="git", status=1, stdout=None):
    return classify(subprocess.CalledProcessError(status, [program], stdout, stderr))


@pytest.mark.parametrize("text", [True, False], ids=["text", "bytes"])
def test_a_program_is_named_and_quoted_without_its_command_line(text):
    fault = python("import sys; sys.exit('error: no image shop:1.2 (have 1.2.0)')", TOKEN, text=text)

    assert fault.message == f"`{PYTHON}` failed with exit status 1: ‹error: no image shop:1.2 (have 1.2.0)›"
    assert TOKEN not in str(fault)


def test_what_a_program_says_on_stdout_counts_if_stderr_is_empty():
    fault = python("print('On branch main\\nnothing to commit, working tree clean'); exit(1)")
    assert fault.message.endswith("failed with exit status 1: ‹nothing to commit, working tree clean›")
    assert not fault.retryable


def test_a_program_that_says_nothing_is_told_by_its_status():
    fault = python("exit(3)")
    assert (fault.code, fault.retry) == (Code.UPSTREAM_ERROR, Retry.NEVER)
    assert fault.message == f"`{PYTHON}` failed with exit status 3."


@pytest.mark.parametrize("command", ["no-such-program-7 . data.json", ["sh", "-c", "no-such-program-7"]])
def test_a_shell_is_not_the_news(command):
    fault = run(command, shell=isinstance(command, str))
    assert fault.message.startswith("The command failed with exit status 127: ‹no-such-program-7:")
    assert fault.message.endswith("not found›")
    assert fault.code is Code.NOT_FOUND


def test_a_script_without_a_word_is_told_by_its_status():
    assert run("test -f /nonexistent/flag", shell=True).message == "The command failed with exit status 1."  # noqa: S604 - our own.
    assert classify(subprocess.CalledProcessError(127, "x | y")).message.endswith("127 (command not found).")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no signals")
def test_a_killed_program_may_have_done_half_of_its_work():
    fault = python("import os; os.kill(os.getpid(), 9)")
    assert fault.message == f"`{PYTHON}` was killed by SIGKILL."
    assert (fault.code, fault.retry) == (Code.UPSTREAM_ERROR, Retry.IF_HARMLESS)

    within = python("exit(137)")
    assert within.message.endswith("failed with exit status 137 (killed by SIGKILL).")
    assert within.retry is Retry.IF_HARMLESS


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no signals")
def test_a_program_that_crashed_will_crash_again():
    fault = classify(subprocess.CalledProcessError(-signal.SIGSEGV, ["convert"]))
    assert (fault.message, fault.retry) == ("`convert` was killed by SIGSEGV.", Retry.NEVER)


def test_a_time_limit_names_the_program_and_no_argument():
    fault = classify(subprocess.TimeoutExpired(["/usr/bin/sleep", TOKEN], 0.19999))
    assert (fault.code, fault.message) == (Code.TIMEOUT, "`sleep` timed out after 0.2 seconds.")
    assert classify(subprocess.TimeoutExpired("sleep 5", 90)).message == "The command timed out after 90 seconds."


AMBIGUOUS = """fatal: ambiguous argument 'develp': unknown revision or path not in the working tree.
Use '--' to separate paths from revisions, like this:
'git <command> [<revision>...] -- [<file>...]'
"""
OVERWRITTEN = """error: Your local changes to the following files would be overwritten by checkout:
\tREADME.md
Please commit your changes or stash them before you switch branches.
Aborting
"""
REJECTED = """To example.com:app.git
 ! [rejected]        main -> main (fetch first)
error: failed to push some refs to 'example.com:app.git'
hint: Updates were rejected because the remote contains work that you do not have.
hint: See the 'Note about fast-forwards' in 'git push --help' for details.
"""
TRACEBACK = """Traceback (most recent call last):
  File "/srv/convert.py", line 3, in <module>
    raise ValueError("cannot read page 7")
ValueError: cannot read page 7
"""
NODE = """/srv/app.js:3
    throw new Error('no such table')
    ^

Error: no such table
    at Object.<anonymous> (/srv/app.js:3:11)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)
"""
USAGE = """usage: tool [-h] [--n N]
tool: error: argument --n: invalid int value: 'x'
"""
SORT = "sort: unrecognized option '--revers-order'\nTry 'sort --help' for more information.\n"
PROGRESS = "\x1b[31mdownloading 1%\rdownloading 99%\r\x1b[0merror: disk is full\n"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (AMBIGUOUS, "fatal: ambiguous argument 'develp': unknown revision or path not in the working tree."),
        (OVERWRITTEN, "error: Your local changes to the following files would be overwritten by checkout: README.md"),
        (REJECTED, "! [rejected] main -> main (fetch first); error: failed to push some refs to 'example.com:app.git'"),
        (TRACEBACK, "ValueError: cannot read page 7"),
        (NODE, "Error: no such table"),
        (USAGE, "tool: error: argument --n: invalid int value: 'x'"),
        (SORT, "sort: unrecognized option '--revers-order'"),
        (PROGRESS, "error: disk is full"),
        ("one\ntwo\nthree\nfour", "two; three; four"),
        ("error: a\nerror: b\nerror: c\nerror: d\ndone", "error: b; error: c; error: d"),
        ("usage: x\n\n", ""),
        ("", ""),
    ],
)
def test_the_last_telling_lines_are_chosen(output, expected):
    assert pick_telling_lines(output) == expected


@pytest.mark.parametrize(
    ("stderr", "code", "retry"),
    [
        ("fatal: path 'src/main.py' does not exist in 'HEAD'", Code.NOT_FOUND, Retry.FIX_INPUT),
        ("error: unrecognized option '--revers-order'", Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        ("fatal: Could not resolve host: git.invalid", Code.NETWORK_ERROR, Retry.NEVER),
        ("curl: (7) Failed to connect to host: Connection refused", Code.NETWORK_ERROR, Retry.IF_HARMLESS),
        ("Permission denied (publickey).", Code.UNAUTHORIZED, Retry.NEVER),
        ("error: Your local changes would be overwritten by merge", Code.CONFLICT, Retry.NEVER),
        ("fatal: destination path 'app' already exists and is not an empty directory.", Code.CONFLICT, Retry.FIX_INPUT),
        ("thread 'main' panicked at src/main.rs:3", Code.UPSTREAM_ERROR, Retry.NEVER),
        ("flux capacitor depleted", Code.UPSTREAM_ERROR, Retry.NEVER),
    ],
)
def test_what_a_program_says_decides_and_nothing_is_simply_repeated(stderr, code, retry):
    fault = failed(stderr)
    assert (fault.code, fault.retry) == (code, retry)


def test_secrets_in_the_output_are_hidden_and_long_output_is_cut():
    fault = failed(f"fatal: could not read https://deploy:{TOKEN}@example.com/app.git")
    assert TOKEN not in fault.message
    assert len(failed("error: " + "x" * 10_000).message) <= 300
    assert failed("x" * 10_000_000).message == "`git` failed with exit status 1."


@pytest.mark.parametrize(
    "command", [None, [], [None], 7, [object()], [b"/bin/git"], [Path("/bin/git")], ("C:\\bin\\git",)]
)
def test_a_command_of_any_kind_does_no_harm(command):
    name = classify(subprocess.CalledProcessError(1, command, stderr=7)).message.partition(" failed")[0]
    assert name in {"`git`", "The command"} or "exit status 1" in name


def test_other_libraries_that_run_programs_are_told_alike():
    invoke = module("invoke.exceptions")
    result = module("invoke.runners").Result(command=f"deploy {TOKEN}", exited=2, stderr="error: no such service\n")
    fault = classify(invoke.UnexpectedExit(result))
    assert (fault.code, fault.message) == (
        Code.NOT_FOUND,
        "The command failed with exit status 2: ‹error: no such service›",
    )


@given(st.text())
def test_telling_lines_are_one_line_of_what_was_written(output):
    expected = pick_telling_lines(output)
    assert len(expected.splitlines()) <= 1
    assert len(expected) <= len(output) + 4


@given(st.text(max_size=200), st.integers(1, 50))
def test_no_more_than_the_end_of_an_output_is_kept_and_only_whole_lines(output, limit):
    kept = read_last_output(output, None, limit=limit)
    assert len(kept) <= limit
    assert kept in output.replace("\ud800", "")
