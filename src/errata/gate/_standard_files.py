"""The gate's own standard files: what the client says and reads."""

import contextlib
import logging
import os
import select
import threading
import time
from collections.abc import Callable

CAN_POLL: bool = hasattr(select, "poll")
"""Whether one thread can wait for several pipes; Windows cannot."""
_CHUNK = 1 << 16
_SHORTLY_S = 0.3
_HANGS_UP = getattr(select, "POLLRDHUP", 0)
"""Of a socket, that its other side writes no more; pipes say so whether or not somebody wants to know."""
_ERRORS_TURN = threading.Lock()


class ClientOutput:
    """The gate's standard output. May be used from any thread; whoever writes waits until the client has read."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._lock = threading.Lock()
        self._is_within_line = False
        self._moved_s = time.monotonic()
        self._waking = (-1, -1)
        """A pipe whose end tells the watcher to go."""
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self.is_gone: bool = False
        """Whether nobody reads any more."""

    @property
    def is_sending(self) -> bool:
        """Whether somebody waits until the client has read."""
        return self._lock.locked()

    def send(self, data: bytes) -> None:
        """Write to the client; what follows a line without an end begins a new one."""
        with self._lock:
            if self._is_within_line:
                data = b"\n" + data
            self._is_within_line = not data.endswith(b"\n")
            self._moved_s = time.monotonic()
            for start in range(0, len(data), _CHUNK):
                if self.is_gone or not write_all(1, data[start : start + _CHUNK]):
                    self._end()
                    return
                self._moved_s = time.monotonic()

    def rests_for(self, limit_s: float, *, since: float = 0.0) -> bool:
        """Return whether nothing has been written for so long, counted from a moment on."""
        return time.monotonic() - max(self._moved_s, since) > limit_s

    def watch(self) -> None:
        """Notice from now on if nobody reads any more, whatever other threads wait for."""
        if CAN_POLL:
            self._waking = os.pipe()
            self._watcher.start()

    def close(self) -> None:
        """Tell the client that nothing more will come; not if somebody is still writing."""
        if self._lock.acquire(timeout=_SHORTLY_S):
            self.is_gone = True
            self._stop_watcher()
            with contextlib.suppress(OSError):
                _put_nothing_at(1)
            self._lock.release()

    def _watch(self) -> None:
        pipes = select.poll()
        pipes.register(1, 0)
        pipes.register(self._waking[0], 0)
        if any(file == 1 and state & (select.POLLERR | select.POLLHUP) for file, state in pipes.poll()):
            self._end()

    def _stop_watcher(self) -> None:
        """End the wait for the client: on Linux it holds the file open, whatever gets its number."""
        if self._watcher.is_alive():
            os.close(self._waking[1])
            self._watcher.join(_SHORTLY_S)

    def _end(self) -> None:
        if not self.is_gone:
            self.is_gone = True
            self._on_end()


def open_standard_files() -> None:
    """See that the standard files are open, and block: else the pipes to the server would take their numbers."""
    for descriptor in (0, 1, 2):
        try:
            os.set_blocking(descriptor, True)
        except AttributeError:  # Windows has this since Python 3.12.
            return
        except OSError:
            _put_nothing_at(descriptor)


def _put_nothing_at(descriptor: int) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    if nothing != descriptor:
        os.dup2(nothing, descriptor)
        os.close(nothing)


def read_some(descriptor: int) -> bytes:
    """Return what has come; b"" at the end. A pipe may be non-blocking, because somebody else has it as well."""
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            select.select([descriptor], [], [])
        except OSError:
            return b""


def write_all(descriptor: int, data: bytes, unless: int | None = None) -> bool:
    """Write everything, however often it takes; return False if nobody reads it any more.

    A non-blocking pipe that is full is waited for, unless another pipe ends meanwhile.
    """
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            if not _wait_for_room(descriptor, unless):
                return False
        except (OSError, ValueError):
            return False
    return True


def _wait_for_room(descriptor: int, unless: int | None) -> bool:
    if unless is None:
        select.select([], [descriptor], [])
        return True
    pipes = select.poll()
    pipes.register(descriptor, select.POLLOUT)
    pipes.register(unless, select.POLLIN)
    return all(pipe != unless for pipe, _ in pipes.poll())


def has_hung_up(descriptor: int) -> bool:
    """Return whether whoever wrote to a pipe has closed it; there may be something left to read."""
    if not CAN_POLL:
        return False
    pipes = select.poll()
    pipes.register(descriptor, _HANGS_UP)
    return bool(pipes.poll(0))


def write_error_line(line: str) -> None:
    """Write a line to standard error. What nobody takes shortly is left to a thread that keeps nothing from ending."""
    if not _ERRORS_TURN.acquire(timeout=_SHORTLY_S):
        return  # The line before this one is not taken yet.
    writer = threading.Thread(
        target=_write_in_turn, args=(line.encode("utf-8", "backslashreplace") + b"\n",), daemon=True
    )
    try:
        writer.start()
    except RuntimeError:  # The machine has no more of them.
        _ERRORS_TURN.release()
    else:
        writer.join(_SHORTLY_S)


def _write_in_turn(data: bytes) -> None:
    write_all(2, data)
    _ERRORS_TURN.release()


class ErrorLog(logging.Handler):
    """Writes the records of a log to standard error, which nobody may read."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        write_error_line(self.format(record))
