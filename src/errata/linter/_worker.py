"""The program of a process that summarises files; see `_workers`."""

import contextlib
import json
import signal
import sys
from pathlib import Path

from errata.linter._cache import edition
from errata.linter._reading import read_file


def main() -> None:
    """Answer each line of paths with one line for each path, until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Whoever started it hears of Ctrl+C too, and ends it.
    if sys.argv[1:] != [edition()]:  # Another errata than the one that asks.
        return
    answers = sys.stdout.buffer
    with contextlib.suppress(OSError):
        for line in sys.stdin.buffer:
            for path in json.loads(line):
                answers.write(json.dumps(read_file(Path(path))).encode("ascii") + b"\n")
            answers.flush()
