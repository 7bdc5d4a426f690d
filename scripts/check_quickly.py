"""`make quick`: lint, types and the tests that matter for what changed since `main`, in under a minute.

What changed is what differs from the merge base with `main`, committed or not. The table says which tests belong to
which part; `make test` and `make check` run everything.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
BASES = ("main", "origin/main")
# fmt: off
# Which tests belong to a part of src/errata, of docs or of examples. Patterns are relative to tests/.
TESTS = {
    "src/errata/__init__.py":      ["test_public_names.py"],
    "src/errata/_fork.py":         ["test_fork.py"],
    "src/errata/_guard.py":        ["test_guard.py"],
    "src/errata/_half_done.py":    ["test_guard.py", "resilience"],
    "src/errata/_install.py":      ["serving/test_installing.py"],
    "src/errata/_languages.py":    ["test_languages.py"],
    "src/errata/_log.py":          ["test_guard.py", "serving/test_logging.py"],
    "src/errata/_process_output.py": ["classification", "test_guard.py"],
    "src/errata/_runtime.py":      ["resilience", "test_fetch.py"],
    "src/errata/_version.py":      ["test_public_names.py"],
    "src/errata/classification/":  ["classification"],
    "src/errata/cli/":             ["cli"],
    "src/errata/client/":          ["client"],
    "src/errata/contextforge/":    ["gate"],
    "src/errata/contracts/":       ["test_contract.py", "test_raises.py", "test_typing.py"],
    "src/errata/dialects/":        ["dialects"],
    "src/errata/fastmcp/":         ["serving"],
    "src/errata/gate/":            ["gate"],
    "src/errata/http/":            ["test_http*.py", "test_fetch.py", "test_waits.py"],
    "src/errata/linter/":          ["linter"],
    "src/errata/mcp/":             ["serving"],
    "src/errata/model/":           ["test_fault.py", "test_taxonomy.py", "test_jsonable.py", "test_waits.py", "dialects"],
    "src/errata/reading/":         ["reading"],
    "src/errata/redaction/":       ["redaction", "test_foreign_text.py", "test_jsonable.py"],
    "src/errata/resilience/":      ["resilience"],
    "src/errata/serving/":         ["serving"],
    "src/errata/testing/":         ["test_testing.py"],
    "src/errata/tools/":           ["test_tool_names.py", "test_tool_effects.py"],
    "src/errata/wire/":            ["wire"],
    "docs/":                       ["test_docs.py"],
    "README.md":                   ["test_docs.py"],
    "CHANGELOG.md":                ["test_docs.py"],
    "CONTRIBUTING.md":             ["test_docs.py"],
    "scripts/":                    ["test_docs.py"],
    "examples/":                   ["examples/test_running.py"],
    "pyproject.toml":              ["test_public_names.py"],
}
# fmt: on


def main() -> int:
    started = time.monotonic()
    changed = changed_files()
    if not changed:
        print("Nothing differs from main.")
        return 0
    for command in commands_for(changed):
        print("$", *(word.removeprefix(f"{ROOT}/") for word in command), flush=True)
        done = subprocess.run(command, check=False, cwd=ROOT, env=environment())
        if done.returncode:
            return done.returncode
    print(f"Quick checks passed in {time.monotonic() - started:.0f} s; `.ci/run` is what has to pass in the end.")
    return 0


def commands_for(changed: Iterable[str]) -> list[list[str]]:
    """Return the commands that check these files, the fastest first."""
    python = [path for path in changed if path.endswith((".py", ".pyi"))]
    source = [path for path in python if path.startswith("src/")]
    commands = []
    if python:
        commands += [
            ["ruff", "check", "--force-exclude", *python],
            ["ruff", "format", "--check", "--force-exclude", *python],
        ]
    if source:
        commands += [["lint-imports", "--no-logo"], ["mypy", *source]]
    if tests := tests_for(changed):
        cores = str(os.cpu_count() or 1)
        commands.append(
            [sys.executable, "-m", "pytest", "-q", "-x", f"--numprocesses={cores}", "--dist=loadfile", *tests]
        )
    return commands


def tests_for(changed: Iterable[str]) -> list[str]:
    """Return the tests that the table names for these files, and the changed tests themselves; a folder holds its files."""
    paths: set[Path] = set()
    for path in changed:
        if is_test(path) or is_page(path):
            paths.add(ROOT / path)
        for part, patterns in TESTS.items():
            if path.startswith(part):
                paths |= {file for pattern in patterns for file in (ROOT / "tests").glob(pattern)}
    return sorted(path.relative_to(ROOT).as_posix() for path in paths if not paths & {*path.parents})


def is_test(path: str) -> bool:
    return path.startswith("tests/") and Path(path).name.startswith("test_")


def is_page(path: str) -> bool:
    """Return whether the code blocks of a page are run as tests."""
    return path == "README.md" or (path.startswith("docs/") and path.endswith(".md"))


def changed_files() -> list[str]:
    """Return the files that differ from the merge base with main, without deleted ones."""
    differing = git("diff", "--name-only", "--diff-filter=d", merge_base())
    new = git("ls-files", "--others", "--exclude-standard")
    return sorted({*differing.splitlines(), *new.splitlines()})


def merge_base() -> str:
    for base in BASES:
        if common := git("merge-base", "HEAD", base, check=False):
            return common
    return "HEAD"


def git(*arguments: str, check: bool = True) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, check=check, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def environment() -> dict[str, str]:
    """Return the environment with the tools of this Python's environment first."""
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


if __name__ == "__main__":
    sys.exit(main())
