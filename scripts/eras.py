"""Run the tests of servers and clients with the SDKs of every era, each in an environment of its own.

    python scripts/eras.py                       # all of them
    python scripts/eras.py mcp-1.30 fastmcp-3.4  # these only
    python scripts/eras.py --set-up mcp-1.30     # the environment only

`requirements/eras.toml` has the SDKs and the tests; to test with another release is one line there.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
HOME: Final = ROOT / ".venv-eras"
TABLE: Final = tomllib.loads((ROOT / "requirements" / "eras.toml").read_text(encoding="utf-8"))
SOURCES: Final = os.pathsep.join(str(ROOT / folder) for folder in ("src", "tests"))


def set_up(era: str) -> Path:
    """Make the environment of an era unless it is there as the table has it; return its Python."""
    wanted = [*TABLE["eras"][era], *TABLE["tests"]["needs"]]
    home, mark = HOME / era, hashlib.sha256("\n".join(wanted).encode()).hexdigest()
    python, done = home / "bin" / "python", home / "eras.done"
    if not done.exists() or done.read_text(encoding="utf-8") != mark:
        venv.create(home, with_pip=True, clear=True)
        # The constraints of `make test` are about another SDK.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_CONSTRAINT")}
        install = [python, "-m", "pip", "--disable-pip-version-check", "-qq", "install", *wanted]
        subprocess.run(install, check=True, env=environment)
        done.write_text(mark, encoding="utf-8")
    return python


def run_tests(era: str) -> bool:
    """Run the tests with the SDK of an era; return whether they pass."""
    tests = TABLE["tests"]
    files = tests["files"] + (tests["fastmcp_3_files"] if era.startswith(("fastmcp-3", "fastmcp-4")) else [])
    command = [
        set_up(era),
        "-m",
        "pytest",
        "--quiet",
        "-p",
        "no:cacheprovider",
        "--numprocesses=2",
        "--dist=loadfile",
        *files,
    ]
    print(f"{era}: ", end="", flush=True)
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": SOURCES}, capture_output=True, text=True, check=False
    )
    print(done.stdout.rstrip().rpartition("\n")[2] if done.returncode == 0 else done.stdout + done.stderr, flush=True)
    return done.returncode == 0


def main() -> None:
    """Set up and test what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eras", nargs="*", metavar="ERA", help=f"of {', '.join(TABLE['eras'])}; all if none is named")
    parser.add_argument("--set-up", action="store_true", help="make the environments, and run nothing")
    options = parser.parse_args()
    if unknown := set(options.eras) - set(TABLE["eras"]):
        parser.error(f"there is no era {', '.join(sorted(unknown))}; there are {', '.join(TABLE['eras'])}")
    chosen = options.eras or list(TABLE["eras"])
    if options.set_up:
        for era in chosen:
            set_up(era)
        return
    if failed := [era for era in chosen if not run_tests(era)]:
        sys.exit(f"The tests fail with {', '.join(failed)}.")


if __name__ == "__main__":
    main()
