"""The command line: `errata`, the same as `python -m errata`."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, Protocol, TextIO, cast

from errata.cli import catalog, decode, demo, explain, gate, lint
from errata.cli._terminal import complain
from errata.cli._versions import list_versions


class Command(Protocol):
    """One command of `errata`."""

    HELP: str
    """One line for the list of commands."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, given: argparse.Namespace) -> int:
        """Run the command and return its exit code."""
        ...


_COMMANDS: dict[str, Command] = {
    "lint": lint,
    "explain": explain,
    "decode": decode,
    "catalog": catalog,
    "gate": gate,
    "demo": demo,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 if it worked, 2 if it could not answer, or the command's own exit code."""
    parser = _parser()
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        return _refuse(unknown[0], given)
    _escape_unknown_characters(sys.stdout)
    try:
        answer = _answer(parser, given)
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # The reader, a pager or `head`, has seen enough.
        _drop_unwritten_output()
        return 0
    except OSError as error:
        _drop_unwritten_output()
        return complain(f"cannot write the answer: {(error.strerror or str(error)).lower()}", "make room for it")
    return answer


def _refuse(word: str, given: argparse.Namespace) -> int:
    """Complain about a word that is no argument of the command."""
    program = getattr(given, "program", "errata")
    kind = "option" if word.startswith("-") else "argument"
    # What stands behind a `=` may be a secret that was meant for another program.
    what = f"`{program}` does not take the {kind} `{word.partition('=')[0]}`"
    return complain(what, getattr(given, "hint", f"see `{program} --help`"))


def _answer(parser: argparse.ArgumentParser, given: argparse.Namespace) -> int:
    if given.version:
        print(*list_versions(), sep="\n")
        return 0
    if "run" not in given:
        parser.print_help()
        return 2
    return cast("int", given.run(given))


def _escape_unknown_characters(stream: TextIO) -> None:
    """Escape characters that the terminal cannot show, instead of failing in the middle of a page."""
    if isinstance(stream, io.TextIOWrapper):
        cast("io.TextIOWrapper[io.BufferedWriter]", stream).reconfigure(errors="backslashreplace")


def _drop_unwritten_output() -> None:
    """Point standard output at nothing, so that Python does not try to write the rest again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are written as all others are."""

    def error(self, message: str) -> NoReturn:
        """Complain, and end with exit code 2."""
        raise SystemExit(complain(message, f"see `{self.prog} --help`"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="errata", description="The error layer for MCP, on the command line.")
    parser.add_argument(
        "--version",
        action="store_true",
        help="tell the versions of errata, Python and the SDKs that are installed, and stop",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in _COMMANDS.items():
        chosen = commands.add_parser(name, help=command.HELP, description=command.HELP)
        command.configure(chosen)
        chosen.set_defaults(run=command.run, program=chosen.prog)
    return parser
