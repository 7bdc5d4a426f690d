"""The program behind the gate: its process, its pipes, all that it starts, and how they end."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from errata.gate._standard_files import CAN_POLL, read_some, write_all
from errata.redaction import quote_name

TERM_S: float = 1.5
"""How long a program has to end after SIGTERM; clients give about two seconds before they kill the gate itself."""
_LONGEST_TAIL = 64_000
_LINGER_S = 1.0
"""How long the output of a program that has ended may go on, held open by what it has started."""
_LARGEST_PIPE = 1 << 20
"""So much may be left of what a program wrote before it ended."""
_TICK_S = 0.1
_LAST_ERRORS_S = 0.2
"""How long its last errors may take to arrive; what it has started may hold them open."""
_NOT_FOUND, _NOT_STARTED = 127, 126
_HAS_GROUPS = hasattr(os, "killpg")
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
_OF_THE_TERMINAL = frozenset(getattr(signal, name, None) for name in ("SIGINT", "SIGQUIT"))


class StartError(Exception):
    """The server cannot be started; `what` says why, `advice` what would help, `status` is for the shell."""

    def __init__(self, what: str, advice: str, status: int = _NOT_STARTED) -> None:
        super().__init__(what, advice, status)
        self.what = what
        self.advice = advice
        self.status = status


class ServerProcess:
    """A program that was started, in a process group of its own. May be used from any thread."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it; raise a StartError if that is not possible."""
        self._waking: tuple[int, int] = (-1, -1)
        """A pipe whose end tells whoever reads or writes that the program has ended."""
        try:
            if CAN_POLL:
                self._waking = os.pipe()
            self._process = _start(command)
        except (OSError, ValueError) as error:
            self._close_waking(*self._waking)
            raise _explain_start(error, command[0]) from None
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: PT018, S101 - they are pipes.
        self._input_file, self._output_file, self._error_file = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        self._input, self._output = self._input_file.fileno(), self._output_file.fileno()
        if CAN_POLL:
            os.set_blocking(self._input, False)  # Something that lives on may hold the other end, and read nothing.
        self._writing = threading.Lock()
        self._is_closing = False
        self._tail, self._is_tail_cut = b"", False
        self._has_ended = threading.Event()
        self._is_read = threading.Event()
        self._is_group_over = False
        self._errors = threading.Thread(target=self._pass_errors, args=(self._error_file.fileno(),), daemon=True)
        self._watch = threading.Thread(target=self._watch_end, daemon=True)
        self._begin_threads(command[0])

    @property
    def last_errors(self) -> str:
        """The end of what the program wrote on its standard error; in whole lines, because half a secret is not recognised."""
        self._errors.join(_LAST_ERRORS_S)
        tail = self._tail.decode("utf-8", "replace")
        if self._errors.is_alive():  # There may be more of the last line.
            tail = tail[: tail.rfind("\n") + 1]
        return _drop_rest(tail) if self._is_tail_cut else tail

    def read(self) -> bytes:
        """Return what the program has written; b"" at the end.

        That is the end of its output, or the program's own, if what it has left behind holds the output open.
        """
        data = read_some(self._output) if self._has_output(self._output) else b""
        if not data:
            self._is_read.set()
        return data

    def write(self, data: bytes) -> bool:
        """Write to the program; return False if it does not read any more, or not all of it."""
        with self._writing:
            is_written = not self._is_closing and write_all(self._input, data, self._waking[0] if CAN_POLL else None)
        if self._is_closing:
            self.close_input()
        return is_written

    def close_input(self) -> None:
        """Close the program's standard input, which tells it to end. Whoever is writing there just now does it then."""
        self._is_closing = True
        if self._writing.acquire(blocking=False):
            try:
                self._input_file.close()
            finally:
                self._writing.release()

    def wait(self, timeout_s: float) -> int | None:
        """Return the exit status; None if the program goes on."""
        return self._process.returncode if self._has_ended.wait(max(timeout_s, 0)) else None

    def send_signal(self, number: int) -> None:
        """Send the program a signal; what it has started gets those of a terminal, too, as it would there."""
        with contextlib.suppress(OSError):  # It has ended.
            if _HAS_GROUPS and number in _OF_THE_TERMINAL:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)

    def end(self, grace_s: float, term_s: float = TERM_S) -> int | None:
        """Close the input, and end the program and all that it has started; return the exit status.

        It has a while to end by itself, then another one after SIGTERM; then it is killed.
        """
        self.close_input()
        if self.wait(grace_s) is None:
            self.send_signal(signal.SIGTERM)
            self.wait(term_s)
        self._end_group(term_s if self._has_ended.is_set() else 0)
        return self.wait(TERM_S)

    def close(self) -> None:
        """Close the pipes of a program that has ended, once nobody reads them."""
        self.close_input()
        self._watch.join(TERM_S)
        self._errors.join(TERM_S)
        self._output_file.close()
        if self._errors.is_alive():  # Nobody reads what it passes on.
            return
        self._error_file.close()
        if not self._watch.is_alive():
            with self._writing:
                self._close_waking(self._waking[0])

    def _begin_threads(self, name: str) -> None:
        try:
            self._errors.start()
            self._watch.start()
        except RuntimeError:  # The machine has no more of them.
            self._signal_group(_KILL)
            self._process.wait()
            raise StartError(
                f"cannot start {quote_name(name)}: the system gives no more threads", "end some programs"
            ) from None

    def _has_output(self, source: int) -> bool:
        """Wait for output; return False if the program has ended without."""
        return not CAN_POLL or source in _wait_for_any(source, self._waking[0])

    def _pass_errors(self, source: int) -> None:
        rest = _LARGEST_PIPE
        while rest > 0 and self._has_output(source) and (data := read_some(source)):
            tail = self._tail + data
            self._is_tail_cut |= len(tail) > _LONGEST_TAIL
            self._tail = tail[-_LONGEST_TAIL:]
            write_all(2, data)
            if self._has_ended.is_set():  # The rest is of others, who hold it.
                rest -= len(data)

    def _watch_end(self) -> None:
        """Wait for the program, and see that its output ends as well, whoever else may hold it."""
        self._process.wait()
        self._has_ended.set()
        if not self._is_read.wait(_LINGER_S):
            self._end_group(TERM_S)
        if CAN_POLL:
            os.close(self._waking[1])

    def _end_group(self, grace_s: float) -> None:
        """End what the program has started, and the program: with SIGTERM, after a while with SIGKILL."""
        deadline = time.monotonic() + grace_s
        if grace_s and self._goes_on():
            self._signal_group(signal.SIGTERM)
        while time.monotonic() < deadline and self._goes_on():
            time.sleep(0.01)
        if self._goes_on():
            self._signal_group(_KILL)
        self._is_group_over = True  # Also if something there is dead, and nobody has looked yet.

    def _goes_on(self) -> bool:
        """Return whether the program goes on, or anything in its group; once all is over, the number may be another's."""
        if not self._is_group_over:
            self._is_group_over = self._has_ended.is_set() and not self._signal_group(0)
        return not self._is_group_over

    def _signal_group(self, number: int) -> bool:
        """Send a signal to all of the group; return whether there is any."""
        try:
            if _HAS_GROUPS:
                os.killpg(self._process.pid, number)
            elif number:
                self._process.send_signal(number)
        except OSError:
            return False
        return _HAS_GROUPS

    @staticmethod
    def _close_waking(*ends: int) -> None:
        for end in ends:
            with contextlib.suppress(OSError):  # There is none on Windows.
                os.close(end)


class CurrentServer:
    """The server that takes requests now; none while it is started again, and after the end."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._is_over = False
        self._left_s = time.monotonic()
        """Since when there is none."""
        self.process: ServerProcess | None = None

    def put(self, process: ServerProcess | None) -> None:
        """Let a server take requests from now on, or none for a while."""
        with self._changed:
            if self.process is not None:
                self._left_s = time.monotonic()
            self.process = process
            self._changed.notify_all()

    def end(self) -> None:
        """Note that there will be none any more."""
        with self._changed:
            self._is_over = True
            self.process = None
            self._changed.notify_all()

    def wait(
        self, old: ServerProcess | None = None, gives_up: Callable[[float], bool] = lambda _: False
    ) -> ServerProcess | None:
        """Return the server, as soon as there is one, and another than an old one; None after the end.

        None also for whoever gives up, who may do that for how many seconds there has been none.
        """
        with self._changed:
            while not self._is_over and self.process in {None, old}:
                absent_s = 0.0 if self.process else time.monotonic() - self._left_s
                if gives_up(absent_s):
                    return None
                self._changed.wait(_TICK_S)
            return self.process


def _wait_for_any(*descriptors: int) -> list[int]:
    """Return the pipes that have something to read, or have ended, as soon as there is one."""
    pipes = select.poll()
    for descriptor in descriptors:
        pipes.register(descriptor, select.POLLIN)
    return [descriptor for descriptor, _ in pipes.poll()]


def _drop_rest(tail: str) -> str:
    """Return a text that was cut without the rest of a line with which it begins, and without that of a key in PEM."""
    lines = tail.partition("\n")[2]
    before, end, after = lines.partition("-----END ")
    return after.partition("\n")[2] if end and "-----BEGIN " not in before else lines


def _start(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    program = shutil.which(command[0]) or command[0]
    return subprocess.Popen(  # noqa: S603 - it is the command that the gate was started for.
        [program, *command[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=_HAS_GROUPS,
    )


def _explain_start(error: OSError | ValueError, name: str) -> StartError:
    shown = quote_name(name)
    if isinstance(error, FileNotFoundError):
        return StartError(
            f"cannot start {shown}: there is no such program", "install it, or give its full path", _NOT_FOUND
        )
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    return StartError(f"cannot start {shown}: {reason}", "run it alone to see why")
