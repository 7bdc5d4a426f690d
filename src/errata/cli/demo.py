"""`errata demo`: MCP servers fail, without errata and with it."""

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from errata.cli._terminal import complain

HELP: str = "start real MCP servers and show what an agent reads when they fail, without errata and with it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the tour may be told."""
    parser.add_argument("servers", nargs="*", metavar="SERVER", help="show these servers only, such as pubmed_articles")
    parser.add_argument("--json", action="store_true", help="print what went over the wire, for machines")


def run(given: argparse.Namespace) -> int:
    """Go on the tour. It is a program of its own, because it needs what errata itself does not."""
    if missing := [package for package in ("mcp", "fastmcp", "rich") if not find_spec(package)]:
        return complain(
            f"the tour starts real MCP servers, which need {' and '.join(missing)}",
            'install what it needs with: pip install "errata-mcp[all]"',
        )
    options = ["--json"] if given.json else []
    command = [sys.executable, _examples() / "tour.py", *options, "--", *given.servers]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own.


def _examples() -> Path:
    """Find the example servers: the wheel brings them along, a checkout has them on top."""
    package = Path(__file__).parents[1]
    packed = package / "_examples"
    return packed if packed.exists() else package.parents[1] / "examples"
