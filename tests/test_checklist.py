"""The checklist of docs/coming-from.md: whatever it calls proved is proved by a test that exists."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (?P<says>.+?) \| (?P<proved>.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`((?:[\w/]+/)?test_\w+\.py)::(test_\w+)(?:\[([^\]`]*)\])?`")
ITEM = re.compile(r"tests/([\w/]+\.py)::(test_\w+)(?:\[(.*)\])?", re.DOTALL)
DOCUMENTS = ("000", "001", "002", "003", "004")


@pytest.fixture(scope="module")
def collected(request):
    """The parameters of every test, by its file and its name."""
    files = {whole(path) for path, _, _ in TEST.findall(PAGE)}
    names = [item.nodeid for item in request.session.items]
    if not all(any(f"tests/{file}::" in name for name in names) for file in files):  # Only some of the tests are run.
        names = collect(files)
    parameters = {}
    for found in filter(None, map(ITEM.fullmatch, names)):
        parameters.setdefault(found.group(1, 2), []).append(str(found[3]))
    return parameters


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_row_names_a_test_that_exists(document, collected):
    rows = rows_of(document)
    assert rows
    for says, proved in rows:
        tests = TEST.findall(proved)
        assert tests, f"nothing proves: {says}"
        assert proved.count("::") == len(tests), f"not the name of a test: {proved}"
        for path, name, parameter in tests:
            assert is_there(whole(path), name, parameter, collected), proved


def whole(path):
    """Give the path of a file from `tests`: one of the examples' is named without its folder."""
    return f"examples/{path}" if (ROOT / "tests" / "examples" / path).exists() else path


def rows_of(document):
    section = PAGE.partition(f"### {document}, line by line\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    return [(row["says"], row["proved"]) for row in ROW.finditer(section) if "---" not in row["says"]][1:]


def is_there(path, name, parameter, collected):
    found = collected.get((path, name), [])
    return any(parameter in {parameters, *parts(parameters)} for parameters in found) if parameter else bool(found)


def parts(parameters):
    """Give every run of parts of an id: of `http-504-status`, also `504` and `504-status`; `◂` only marks a word."""
    each = parameters.replace("\\u25c2", "").split("-")
    return {"-".join(each[start:end]) for start in range(len(each)) for end in range(start + 1, len(each) + 1)}


def collect(files):
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-p", "no:xdist"]
    paths = [f"tests/{file}" for file in sorted(files)]
    return subprocess.run([*command, *paths], check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
