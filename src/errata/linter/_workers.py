"""Other processes that summarise files.

They are plain programs that read paths from a pipe and write summaries into another. Nothing is forked, so that threads
do not matter, and nothing of the caller's is imported, so that a script without a main guard does not start itself.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from errata.linter._cache import edition

_FILES_PER_JOB = 150  # Fewer take no longer than it takes to start a process.
_AT_ONCE = 16
_PROGRAM = "from errata.linter._worker import main; main()"

Answer = tuple[str, object]
"""A path, and what JSON makes of what was read."""


def jobs_for(files: int, asked: int | None) -> int:
    """Decide how many processes are of use."""
    if asked is not None:
        return min(asked, files)
    return min(_cores(), files // _FILES_PER_JOB) if _is_python(sys.executable) else 1


def _cores() -> int:
    with contextlib.suppress(AttributeError):  # There is no affinity on macOS and Windows.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _is_python(program: str | None) -> bool:
    """Whether a program is Python itself; others may have Python inside, and start as something else."""
    return bool(program) and Path(program or "").stem.lower().startswith(("python", "pypy"))


class Workers:
    """Some processes; one that dies leaves its files to whoever asked."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            with contextlib.suppress(OSError), process:  # What was not sent cannot be sent any more.
                pass

    def answers(self, paths: Sequence[str]) -> Iterator[Answer]:
        """Summarise files, in whatever order they are done; some may be missing."""
        batches = deque(paths[start : start + _AT_ONCE] for start in range(0, len(paths), _AT_ONCE))
        answers: SimpleQueue[Answer | None] = SimpleQueue()
        for _ in range(min(self._count, len(batches))):
            self._start(batches, answers)
        running = len(self._threads)
        while running:
            answer = answers.get()
            if answer is None:
                running -= 1
            else:
                yield answer

    def _start(self, batches: "deque[Sequence[str]]", answers: "SimpleQueue[Answer | None]") -> None:
        command = [sys.executable, "-P", "-c", _PROGRAM, edition()]
        with contextlib.suppress(OSError, ValueError):
            process = subprocess.Popen(  # noqa: S603 - Python itself, and our own program.
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._processes.append(process)
            thread = threading.Thread(target=_talk, args=(process, batches, answers), daemon=True)
            thread.start()
            self._threads.append(thread)


def _talk(
    process: "subprocess.Popen[bytes]", batches: "deque[Sequence[str]]", answers: "SimpleQueue[Answer | None]"
) -> None:
    """Send files to one process, and pass on what it answers, until there are no more or it is gone."""
    # IndexError: no more files. OSError, ValueError: the process is gone, or talks nonsense.
    with contextlib.suppress(IndexError, OSError, ValueError):
        while True:
            for answer in _answered(process, batches.popleft()):
                answers.put(answer)
    answers.put(None)


def _answered(process: "subprocess.Popen[bytes]", batch: Sequence[str]) -> Iterator[Answer]:
    assert process.stdin is not None  # noqa: S101 - for type checkers.
    assert process.stdout is not None  # noqa: S101 - as above.
    process.stdin.write(json.dumps(batch).encode("ascii") + b"\n")
    process.stdin.flush()
    for path in batch:
        yield path, json.loads(process.stdout.readline())
