"""What a command is: a module with these three names."""

import argparse
from typing import Protocol


class Command(Protocol):
    """One command of `errata`."""

    HELP: str
    """One line for the list of commands."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, given: argparse.Namespace) -> int:
        """Do it, and answer with the exit code."""
        ...
