"""`errata demo`: MCP servers fail, without errata and with it."""

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from errata.cli._terminal import complain

HELP: str = "start real MCP servers and show what an agent reads when they fail, without errata and with it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the demo."""
    parser.add_argument("servers", nargs="*", metavar="SERVER", help="show these servers only, such as pubmed_articles")
    parser.add_argument("--all", action="store_true", help="show every server, not only four failures of the first")
    parser.add_argument("--json", action="store_true", help="print what went over the wire, for machines")


def run(given: argparse.Namespace) -> int:
    """Run the demo, as a program of its own: it needs packages that errata itself does not."""
    if missing := [package for package in ("mcp", "fastmcp", "rich") if not find_spec(package)]:
        return complain(
            f"the demo starts real MCP servers, which need {' and '.join(missing)}",
            'install what it needs with: pip install "errata-mcp[all]"',
        )
    options = [option for option, is_set in (("--all", given.all), ("--json", given.json)) if is_set]
    command = [sys.executable, _find_examples() / "tour.py", *options, "--", *given.servers]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own.


def _find_examples() -> Path:
    """Return the folder of the example servers: inside the package in a wheel, at the top in a checkout."""
    package = Path(__file__).parents[1]
    packed = package / "_examples"
    return packed if packed.exists() else package.parents[1] / "examples"
