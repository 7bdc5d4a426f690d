"""`errata lint`: find the handlers that will fail badly, before they do."""

import argparse

HELP: str = "find the handlers of MCP servers that will fail badly, and say what to write instead"
FORMATS = ("text", "json", "sarif", "github")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories; - for standard input")
    _configure_rules(parser)
    _configure_output(parser)
    _configure_changes(parser)
    _configure_running(parser)


def run(given: argparse.Namespace) -> int:
    """Lint; the exit code is 0 if nothing was found, 1 if something was, 2 if it could not run."""
    from errata.cli._linting import run_lint  # noqa: PLC0415 - no other command pays for loading the rules.

    return run_lint(given)


def _configure_rules(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is judged")
    group.add_argument("--select", action="append", metavar="RULES", help="judge these only, whatever the settings say")
    group.add_argument("--ignore", action="append", metavar="RULES", help="do not judge these")
    group.add_argument("--config", metavar="FILE", help="read [tool.errata.lint] from here, not from pyproject.toml")
    group.add_argument("--no-baseline", action="store_true", help="show what is in the baseline, too")
    group.add_argument("--rules", action="store_true", help="list all rules and stop")


def _configure_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is shown")
    group.add_argument("--format", choices=FORMATS, default="text", help="for a person, a program or GitHub")
    group.add_argument("--output", metavar="FILE", help="write it here, not to standard output")
    group.add_argument("--statistics", action="store_true", help="count the findings of each rule")
    group.add_argument("-q", "--quiet", action="store_true", help="show the findings and nothing else")
    group.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever was found")


def _configure_changes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is changed").add_mutually_exclusive_group()
    group.add_argument("--fix", action="store_true", help="mend what is mechanical, and show the rest")
    group.add_argument("--diff", action="store_true", help="show what --fix would change, and change nothing")
    group.add_argument(
        "--init", action="store_true", help="write today's findings into a baseline; only new ones count"
    )


def _configure_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how it runs")
    # One process reads every file, each time. Hooks and scripts that were written for 0.1 still give these.
    group.add_argument("--jobs", type=int, metavar="N", help="accepted, and changes nothing")
    group.add_argument("--no-cache", action="store_true", help="accepted, and changes nothing")
    group.add_argument("--cache-dir", metavar="DIR", help="accepted, and changes nothing")
    group.add_argument("--stdin-filename", metavar="FILE", help="where what is read from standard input belongs")
