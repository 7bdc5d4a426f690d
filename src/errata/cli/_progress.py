"""A line that says how far a long run has come, where somebody watches."""

import sys
import time
from types import TracebackType
from typing import Self

_PATIENCE_S = 0.5
_BETWEEN_S = 0.1


class Progress:
    """Tells on standard error, on a terminal only, after half a second; gone when the run is over."""

    def __init__(self, *, is_wanted: bool = True) -> None:
        self._is_wanted = is_wanted and sys.stderr is not None and sys.stderr.isatty()
        self._next = time.monotonic() + _PATIENCE_S
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        """Say how many of the files are done."""
        now = time.monotonic()
        if self._is_wanted and now >= self._next:
            self._next = now + _BETWEEN_S
            self._is_shown = True
            print(f"\rread {done} of {total} files\x1b[K", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
