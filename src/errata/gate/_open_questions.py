"""What a server asks its client, told apart from what the server before it has asked.

Servers number their questions from the beginning. After a restart the client may still be at one of the server that died,
and its answer, that something may be deleted perhaps, must not reach the next server as the answer to another question.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable

from errata.gate._frames import HIDDEN
from errata.gate._gatekeeper import rename_cancellation
from errata.wire import Message, edit_object, key_of_cancelled, member_text

_MOST_OPEN = 10_000


class Questions:
    """The open questions of a server; those of one that was started in place of another one have other ids for the client."""

    def __init__(self, next_number: Callable[[], str], *, is_needed: bool) -> None:
        self._next_number = next_number
        self._lock = threading.Lock()
        self._open: OrderedDict[str, tuple[str, str]] = OrderedDict()
        """By the ids that the client knows, as JSON, the keys of the server's and their texts."""
        self._renames = False
        """Whether a server was started in place of another one."""
        self.is_needed = is_needed
        """Whether that may happen."""

    def begin_anew(self) -> list[str]:
        """Forget the questions of a server that has ended, whose answers nobody hears; return what tells the client so."""
        with self._lock:
            self._renames = True
            numbers = list(self._open)
            self._open.clear()
        return [_write_cancellation(number) for number in numbers]

    def show_client(self, message: Message) -> str | None:
        """Return the text of a message of the server as the client sees it; None for one that stays as it is."""
        if message.is_request and message.key is not None:
            number = self._next_number() if self._renames else message.key
            with self._lock:
                self._open[number] = (message.key, member_text(message.text, "id") or "null")
                if len(self._open) > _MOST_OPEN:
                    self._open.popitem(last=False)
            return edit_object(message.text, {"id": number}) if self._renames else None
        if message.method == "notifications/cancelled" and (own := self._take_back(message)) is not None:
            return rename_cancellation(message, own) if self._renames else None
        return None

    def show_server(self, message: Message) -> str | None:
        """Return the text of an answer of the client as the server sees it; it does not see one to another's question."""
        with self._lock:
            _, own = self._open.pop(message.key or "", (None, None))
            if not self._renames:
                return None
        return HIDDEN if own is None else edit_object(message.text, {"id": own})

    def _take_back(self, cancellation: Message) -> str | None:
        """Return the id by which the client knows a question that is open no longer, because the server takes it back."""
        cancelled = key_of_cancelled(cancellation)
        with self._lock:
            number = next((number for number, (key, _) in self._open.items() if key == cancelled), None)
            self._open.pop(number or "", None)
        return number


def _write_cancellation(number: str) -> str:
    params = f'{{"requestId":{number},"reason":"The server that asked has ended."}}'
    return f'{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}'
