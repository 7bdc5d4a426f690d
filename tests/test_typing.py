"""Type checkers refuse what they should: every line in tests/typing that needs an ignore, taken without it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ABSENT = (
    "the type checkers are NOT INSTALLED here; `make check` installs them, and refuses an ignore that is not needed"
)
IGNORE = re.compile(r"  # (type|pyright): ignore.*")


def refused_by_mypy(program):
    pytest.importorskip("mypy", reason=ABSENT)
    report = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", str(program)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    ).stdout
    return {int(line) for line in re.findall(rf"{re.escape(program.name)}:(\d+): error:", report)}


def refused_by_pyright(program):
    pytest.importorskip("pyright", reason=ABSENT)
    report = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(program)],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    ).stdout
    found = json.loads(report)["generalDiagnostics"]
    return {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}


@pytest.mark.parametrize("refused_by", [refused_by_mypy, refused_by_pyright])
def test_the_bad_lines_are_refused_and_no_good_one(refused_by, tmp_path):
    lines = (ROOT / "tests" / "typing" / "contracts.py").read_text(encoding="utf-8").splitlines()
    program = tmp_path / "program.py"
    program.write_text("\n".join(IGNORE.sub("", line) for line in lines), encoding="utf-8")

    assert refused_by(program) == {number for number, line in enumerate(lines, start=1) if IGNORE.search(line)}
