"""The command line: `errata`, the same as `python -m errata`."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Protocol, TextIO, cast

from errata._version import __version__
from errata.cli import catalog, decode, demo, explain, lint
from errata.cli._terminal import complain


class Command(Protocol):
    """One command of `errata`."""

    HELP: str
    """One line for the list of commands."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, given: argparse.Namespace) -> int:
        """Do it, and answer with the exit code."""
        ...


_COMMANDS: dict[str, Command] = {
    "lint": lint,
    "explain": explain,
    "decode": decode,
    "catalog": catalog,
    "demo": demo,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 for an answer and 2 for a question that has none."""
    parser = _parser()
    given = parser.parse_args(arguments)
    _show_what_can_be_shown(sys.stdout)
    try:
        answer = _answer(parser, given)
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # The reader, a pager or `head`, has seen enough.
        _drop_what_is_left()
        return 0
    except OSError as error:
        _drop_what_is_left()
        return complain(f"cannot write the answer: {(error.strerror or str(error)).lower()}", "make room for it")
    return answer


def _answer(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    if given.version:
        print(f"errata {__version__}")
        return 0
    if "run" not in given:
        parser.print_help()
        return 2
    return cast("int", given.run(given))


def _show_what_can_be_shown(stream: TextIO) -> None:
    """Let a character that the terminal does not know cost nobody the rest of the page."""
    if isinstance(stream, io.TextIOWrapper):
        cast("io.TextIOWrapper[io.BufferedWriter]", stream).reconfigure(errors="backslashreplace")


def _drop_what_is_left() -> None:
    """Point standard output at nothing, so that Python does not try to write the rest once more on leaving."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="errata", description="The error layer for MCP, on the command line.")
    parser.add_argument("--version", action="store_true", help="tell the version and stop")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in _COMMANDS.items():
        chosen = commands.add_parser(name, help=command.HELP, description=command.HELP)
        command.configure(chosen)
        chosen.set_defaults(run=command.run)
    return parser
