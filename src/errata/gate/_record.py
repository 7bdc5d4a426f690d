"""What a gate has seen and done: a line for each failure, and a summary at the end."""

import errno
import json
import logging
import os
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Final

from errata.dialects import redact_fault
from errata.gate._verdicts import KnownCall
from errata.model import Fault, now
from errata.redaction import line_of, redact_within

_LOG: Final = logging.getLogger("errata")
_LONGEST_NAME: Final = 200
_LONGEST_MESSAGE: Final = 2_000
# A pipe that nobody reads must not stop the gate.
_APPENDING: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_MODE: Final = 0o666


class GateRecord:
    """Counts what passes, and writes the failures to a file as JSON lines. May be used from any thread."""

    def __init__(self, server: str, path: str | Path | None = None) -> None:
        """Begin at zero; raise an OSError if there is a file that cannot be written."""
        self._server = line_of(server, _LONGEST_NAME)
        self._path = None if path is None else Path(path)
        self._is_complaining = False
        self._lock = threading.Lock()
        self.calls: int = 0
        self.failures: Counter[str] = Counter()
        self.repaired: int = 0
        self.repeated: int = 0
        self.restarts: int = 0
        self.spent_ns: int = 0
        """What reading and repairing failures took."""
        if self._path is not None:
            _append(self._path, b"")

    def note_time(self, spent_ns: int) -> None:
        """Note what it took to read an answer."""
        with self._lock:
            self.spent_ns += spent_ns

    def note_failure(  # noqa: PLR0913 - one for each thing that is known of a failure.
        self,
        fault: Fault,
        call: KnownCall,
        *,
        dialect: str,
        is_repaired: bool,
        is_soft: bool = False,
        attempts: int = 1,
        began_s: float | None = None,
        spent_ns: int = 0,
    ) -> None:
        """Note a call that failed, and what came of it."""
        with self._lock:
            self.failures[fault.code.value] += 1
            self.repaired += is_repaired
            self.repeated += attempts - 1
            self.spent_ns += spent_ns
        if self._path is None:
            return
        shown = redact_fault(fault)
        line = {
            "time": shown.timestamp or now(),
            "server": self._server,
            "tool": line_of(call.name, _LONGEST_NAME),
            "code": shown.code.value,
            "retry": shown.retry.value,
            "field": shown.field,
            "message": redact_within(shown.message, _LONGEST_MESSAGE),
            "reference": shown.correlation_id,
            "dialect": dialect,
            "repaired": is_repaired,
            "soft": is_soft or None,
            "attempts": attempts,
            "durationMs": None if began_s is None else round((time.monotonic() - began_s) * 1000, 1),
        }
        self._write(self._path, {name: value for name, value in line.items() if value is not None})

    def note_success(self, attempts: int = 1) -> None:
        """Note that a call succeeded after it was repeated."""
        with self._lock:
            self.repeated += attempts - 1

    def summarise(self) -> str:
        """Return one line that says what passed and what was done."""
        with self._lock:
            failures = self.failures.most_common()
        failed = sum(count for _, count in failures)
        parts = [_count(self.calls, "call"), f"{failed} failed"]
        if failures:
            parts[1] += f" ({', '.join(f'{code} {count}' for code, count in failures)})"
            parts.append(f"{self.repaired} repaired in {self.spent_ns / 1e6:.1f} ms")
        if self.repeated:
            parts.append(f"{self.repeated} repeated")
        if self.restarts:
            parts.append(f"restarted {_count(self.restarts, 'time')}")
        return f"{self._server}: {', '.join(parts)}"

    def close(self) -> None:
        """Write nothing more."""
        self._path = None

    def _write(self, path: Path, line: dict[str, object]) -> None:
        """Append a line; a file that cannot be written costs no call, and is complained of once."""
        data = json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        try:
            _append(path, b"\n" + data if self._is_complaining else data)  # Behind what may be half a line.
        except OSError as error:
            if not self._is_complaining:
                _LOG.error("The log of failures cannot be written: %s.", line_of(error))
            self._is_complaining = True
        else:
            self._is_complaining = False


def _append(path: Path, data: bytes) -> None:
    """Append to a file in one write, so that several gates may share it; one that is gone is made anew."""
    descriptor = os.open(path, _APPENDING, _MODE)
    try:
        if data and os.write(descriptor, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
