"""Every code block in README and docs runs as a test; only `text` is just text."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser


def run_python(example: Example) -> None:
    """Run a block in the namespace of its page, and keep what it printed for the block behind it."""
    code = compile(example.parsed, example.path, "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, example.namespace)  # noqa: S102 - the pages are our own.
    example.namespace["printed"] = printed.getvalue()


def compare_output(example: Example) -> None:
    """Compare a block with what the Python block before it printed."""
    assert example.namespace.pop("printed") == example.parsed  # noqa: S101


def run_console(example: Example) -> None:
    """Run the lines behind a `$`, and compare what they print with the lines that follow."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    for turn in example.parsed.removeprefix("$ ").split("\n$ "):
        command, _, expected = turn.partition("\n")
        done = subprocess.run(  # noqa: S602 - as above.
            command,
            shell=True,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        assert done.stdout.strip() == expected.strip()  # noqa: S101


def dry_run(example: Example) -> None:
    """Ask make whether it knows what a block tells the reader to make; doing it would be the tests inside the tests."""
    for line in example.parsed.splitlines():
        subprocess.run(["make", "--dry-run", *line.split("#")[0].split()[1:]], check=True, stdout=subprocess.DEVNULL)  # noqa: S603, S607 - as above.


def parse_json(example: Example) -> None:
    """Parse a block that claims to be JSON."""
    json.loads(example.parsed)


pytest_collect_file = Sybil(
    parsers=[
        CodeBlockParser("python", run_python),
        CodeBlockParser("output", compare_output),
        CodeBlockParser("console", run_console),
        CodeBlockParser("sh", dry_run),
        CodeBlockParser("json", parse_json),
    ],
    patterns=["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/**/*.md"],
).pytest()
