"""`errata demo`: MCP servers fail, without errata and with it."""

import argparse
import subprocess
import sys
from pathlib import Path

from errata.cli._terminal import complain
from errata.cli._versions import is_installed

HELP: str = "start real MCP servers and show what an agent reads when they fail, without errata and with it"
_NEEDS = {"mcp": "2.1", "fastmcp": "4.0"}
"""What the example servers are written for, as in the extra `demo`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the demo."""
    parser.add_argument("servers", nargs="*", metavar="SERVER", help="show these servers only, such as pubmed_articles")
    parser.add_argument("--all", action="store_true", help="show every server, not only four failures of the first")
    parser.add_argument("--gate", action="store_true", help="show these with the gate in front of the server")
    parser.add_argument("--json", action="store_true", help="print what went over the wire, for machines")


def run(given: argparse.Namespace) -> int:
    """Run the demo, as a program of its own: it needs packages that errata itself does not."""
    if missing := [f"{name} {oldest}" for name, oldest in _NEEDS.items() if not is_installed(name, oldest)]:
        return complain(
            f"the demo starts real MCP servers, which need {' and '.join(missing)} or later",
            'install it in an environment of its own, away from your servers: pip install "errata-mcp[demo]"',
        )
    options = [
        option for option, is_set in (("--all", given.all), ("--gate", given.gate), ("--json", given.json)) if is_set
    ]
    command = [sys.executable, _find_examples() / "tour.py", *options, "--", *given.servers]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own.


def _find_examples() -> Path:
    """Return the folder of the example servers: inside the package in a wheel, at the top in a checkout."""
    package = Path(__file__).parents[1]
    packed = package / "_examples"
    return packed if packed.exists() else package.parents[1] / "examples"
