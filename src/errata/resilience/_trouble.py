"""Trouble with a Redis is told once, and so is its end."""

import logging
from weakref import WeakSet

from errata.redaction import line_of

_LOG = logging.getLogger("errata")
_LONGEST = 300
_SLOW_IN_A_ROW = 3  # One answer that takes its time is a busy machine.
_WHILE_AWAY = "Until it answers, every replica keeps its circuits for itself; no call waits for it."
_WHILE_SLOW = "Circuits are shared, but every replica decides for itself when it tries an upstream again."


class Trouble:
    """Remembers for which circuits Redis could not be asked, and logs when that begins and ends."""

    __slots__ = ("__weakref__", "_is_told", "_slow", "_where", "_whose")

    def __init__(self, where: str) -> None:
        self._where = where
        self.forget()

    def forget(self) -> None:
        """Begin, or begin in a child process."""
        self._whose: WeakSet[object] = WeakSet()
        self._is_told = False
        self._slow = 0

    def failed(self, whose: object, error: Exception) -> None:
        """Note that Redis could not be asked."""
        self._begin(whose, f"cannot be used: {_words_of(error)}. {_WHILE_AWAY}")

    def answered(self, whose: object, *, took_s: float, patience_s: float) -> None:
        """Note that it answered; one that answers too late to be waited for is trouble, too."""
        self._end(whose)
        if took_s <= patience_s:
            self._slow = max(self._slow - 1, 0)
        else:
            self._slow = min(self._slow + 1, _SLOW_IN_A_ROW)
        if self._slow == _SLOW_IN_A_ROW:
            took, most = took_s * 1000, patience_s * 1000
            self._begin(self, f"is slow: it took {took:.0f} ms, and nobody waits longer than {most:.0f}. {_WHILE_SLOW}")
        elif not self._slow:
            self._end(self)

    def _begin(self, whose: object, what: str) -> None:
        self._whose.add(whose)
        if not self._is_told:
            self._is_told = True
            self._log(logging.WARNING, what)

    def _end(self, whose: object) -> None:
        self._whose.discard(whose)
        if self._is_told and not self._whose:
            self._is_told = False
            self._log(logging.INFO, "is well again: circuits are shared.")

    def _log(self, level: int, what: str) -> None:
        _LOG.log(level, "Redis at `%s` %s", self._where, what, extra={"errata": {"redis": self._where}})


def _words_of(error: Exception) -> str:
    """Say what went wrong; a foreign exception may have no words, or fail to say them."""
    try:
        text = line_of(str(error), _LONGEST)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything.
        text = ""
    return f"{type(error).__name__}: {text}".rstrip(": .")
